# SPDX-License-Identifier: Apache-2.0
"""The optimiser: Optuna's tree-structured Parzen estimator, with its journal in the store.

The estimator is described by Watanabe, 2023, Tree-structured Parzen estimator: understanding its algorithm
components and their roles. What it proposes depends on the seed and on the results that it was told, never on
interruptions: each trial has a sampler of its own, seeded by the trial's number.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from pathlib import Path

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import FrozenTrial, TrialState

from orchestrator.features.search.model import Parameter, Search, Trial, Values

JOURNAL = "journal.log"
_RANDOM = 8  # trials are drawn at random before the model guides: enough to see each parameter's ends
_SETTINGS, _VALUES, _STOPPED, _FAILED = "settings", "values", "stopped", "failed"


class Study:
    """The trials of a search. One process at a time may open it."""

    def __init__(self, folder: Path, search: Search):
        self._search = search
        path = folder / JOURNAL
        _mended(path)
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)
        self._study = optuna.create_study(
            storage=JournalStorage(JournalFileBackend(str(path))),
            study_name=search.experiment,
            directions=["minimize"] * len(search.goals),
            load_if_exists=True,
        )
        self._spaces = {parameter.path: _distribution(parameter) for parameter in search.parameters}

    @property
    def asked(self) -> int:
        """The number of trials."""
        return len(self._study.get_trials(deepcopy=False))

    def ask(self) -> None:
        """Add a trial."""
        self._study.sampler = self._sampler(self.asked)
        asked = self._study.ask(fixed_distributions=self._spaces)
        settings = {
            parameter.path: parameter.text(asked.params[parameter.path])
            for parameter in self._search.parameters
        }
        asked.set_user_attr(_SETTINGS, settings)

    def trials(self) -> list[Trial]:
        """Return the finished trials."""
        return [
            _trial(frozen) for frozen in self._study.get_trials(deepcopy=False) if frozen.state.is_finished()
        ]

    def waiting(self) -> list[Trial]:
        """Return the trials that were proposed and are not finished."""
        return [
            _trial(frozen)
            for frozen in self._study.get_trials(deepcopy=False)
            if not frozen.state.is_finished()
        ]

    def tell(self, trial: Trial) -> None:
        """Report a trial's result to the optimiser."""
        search = self._search
        optuna_trial = optuna.trial.Trial(
            self._study, self._study.get_trials(deepcopy=False)[trial.number]._trial_id
        )
        self._study.sampler = self._sampler(trial.number)
        optuna_trial.set_user_attr(_VALUES, _plain(trial.values))
        optuna_trial.set_user_attr(_STOPPED, trial.stopped)
        optuna_trial.set_user_attr(_FAILED, trial.failed)
        if trial.failed:
            self._study.tell(trial.number, state=TrialState.FAIL)
            return
        for each in search.constraints:
            optuna_trial.set_constraint(each.written, each.excess(trial.of(each.measure)))
        self._study.tell(trial.number, [goal.loss(trial.of(goal.measure).mean) for goal in search.goals])

    def importance(self, goal: int) -> dict[str, float]:
        """Return each parameter's share of a goal's variation among good trials; {} if it can't be told.

        By PED-ANOVA (Watanabe, Bansal, Hutter 2023).
        """
        if len(self._spaces) < 2:
            return {}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return optuna.importance.get_param_importances(
                    self._study,
                    evaluator=optuna.importance.PedAnovaImportanceEvaluator(),
                    target=lambda trial: trial.values[goal],
                )
        except (ValueError, RuntimeError, ZeroDivisionError):
            return {}

    def _sampler(self, number: int) -> optuna.samplers.BaseSampler:
        import numpy

        seed = int(numpy.random.SeedSequence([self._search.seed, number]).generate_state(1)[0])
        return optuna.samplers.TPESampler(
            seed=seed,
            n_startup_trials=_RANDOM,
            multivariate=True,
            constant_liar=True,
        )


def _trial(frozen: FrozenTrial) -> Trial:
    attributes = frozen.user_attrs
    values = {
        name: {int(seed): value for seed, value in of.items()}
        for name, of in attributes.get(_VALUES, {}).items()
    }
    return Trial(
        frozen.number,
        attributes.get(_SETTINGS, {}),
        values,
        attributes.get(_STOPPED, ""),
        attributes.get(_FAILED, ""),
    )


def _plain(values: Values) -> Mapping[str, Mapping[str, float]]:
    return {name: {str(seed): value for seed, value in of.items()} for name, of in values.items()}


def _distribution(parameter: Parameter) -> BaseDistribution:
    if parameter.choices:
        return CategoricalDistribution(parameter.choices)
    if parameter.whole:
        return IntDistribution(
            int(parameter.low), int(parameter.high), log=parameter.log, step=int(parameter.step or 1)
        )
    return FloatDistribution(parameter.low, parameter.high, log=parameter.log, step=parameter.step)


def _mended(path: Path) -> None:
    """Remove a killed process's leavings: an incomplete line, and its lock."""
    for lock in path.parent.glob(f"{path.name}.lock*"):
        lock.unlink(missing_ok=True)
    if path.is_file():
        data = path.read_bytes()
        if data and not data.endswith(b"\n"):
            os.truncate(path, data.rfind(b"\n") + 1)
