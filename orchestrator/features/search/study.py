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
        self._spaces = {one.path: _distribution(one) for one in search.parameters}

    @property
    def asked(self) -> int:
        """How many trials there are."""
        return len(self._study.get_trials(deepcopy=False))

    def ask(self) -> None:
        """Add a trial."""
        self._study.sampler = self._sampler(self.asked)
        asked = self._study.ask(fixed_distributions=self._spaces)
        settings = {one.path: one.text(asked.params[one.path]) for one in self._search.parameters}
        asked.set_user_attr(_SETTINGS, settings)

    def trials(self) -> list[Trial]:
        """Return those that were told."""
        return [_trial(one) for one in self._study.get_trials(deepcopy=False) if one.state.is_finished()]

    def waiting(self) -> list[Trial]:
        """Return those that were asked for and not told yet."""
        return [_trial(one) for one in self._study.get_trials(deepcopy=False) if not one.state.is_finished()]

    def tell(self, trial: Trial) -> None:
        """Say what came of a trial."""
        search = self._search
        one = optuna.trial.Trial(self._study, self._study.get_trials(deepcopy=False)[trial.number]._trial_id)
        self._study.sampler = self._sampler(trial.number)
        one.set_user_attr(_VALUES, _plain(trial.values))
        one.set_user_attr(_STOPPED, trial.stopped)
        one.set_user_attr(_FAILED, trial.failed)
        if trial.failed:
            self._study.tell(trial.number, state=TrialState.FAIL)
            return
        for each in search.constraints:
            one.set_constraint(each.written, each.excess(trial.of(each.measure)))
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
                    target=lambda one: one.values[goal],
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


def _trial(one: FrozenTrial) -> Trial:
    known = one.user_attrs
    values = {
        name: {int(seed): value for seed, value in of.items()} for name, of in known.get(_VALUES, {}).items()
    }
    return Trial(
        one.number, known.get(_SETTINGS, {}), values, known.get(_STOPPED, ""), known.get(_FAILED, "")
    )


def _plain(values: Values) -> Mapping[str, Mapping[str, float]]:
    return {name: {str(seed): value for seed, value in of.items()} for name, of in values.items()}


def _distribution(one: Parameter) -> BaseDistribution:
    if one.choices:
        return CategoricalDistribution(one.choices)
    if one.whole:
        return IntDistribution(int(one.low), int(one.high), log=one.log, step=int(one.step or 1))
    return FloatDistribution(one.low, one.high, log=one.log, step=one.step)


def _mended(path: Path) -> None:
    """Remove what a killed process left: a line that is not whole, and its lock."""
    for lock in path.parent.glob(f"{path.name}.lock*"):
        lock.unlink(missing_ok=True)
    if path.is_file():
        data = path.read_bytes()
        if data and not data.endswith(b"\n"):
            os.truncate(path, data.rfind(b"\n") + 1)
