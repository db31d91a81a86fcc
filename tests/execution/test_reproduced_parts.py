# SPDX-License-Identifier: Apache-2.0
"""How `orchestrate reproduce` makes several runs, and each part of one: firmware, engine, log and outcome.
Stand-ins build and run; test_reproduce.py has real runs.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from orchestrator.errors import BuildFailed, MissingTool, NoSuchThing, RunFailed, StorageFailed
from orchestrator.execution import reproduce
from orchestrator.execution.again import Again
from orchestrator.execution.origin import HALF_KEPT, KEPT, PRESENT, Origin
from orchestrator.execution.reproduce import Part
from orchestrator.runs.model import UNDECIDED, Outcome, RunResult
from orchestrator.runs.spec import Built

THEN, NOW = "a" * 64, "b" * 64


# --- several runs


class Maker:
    """Makes nothing: each run takes until the test lets it go; `error` comes at the run of this number."""

    def __init__(self, error_at=None, error=None):
        self.begun, self.gate, self.error_at, self.error = [], threading.Event(), error_at, error
        self.gate.set()

    def __call__(self, home, engine_name, options, say):
        self.given = engine_name, options, say
        return self

    def stop(self):
        self.gate.set()

    def run(self, number, folder, manifest):
        self.begun.append(number)
        self.gate.wait()
        if number == self.error_at:
            raise self.error
        return f"made of {folder} and {manifest}"


RUNS = [(Path(f"/run/{number}"), f"manifest {number}") for number in range(4)]


@pytest.mark.parametrize("workers", [1, 3, None])
def test_runs_are_made_by_several_and_told_in_their_order(monkeypatch, workers):
    maker, shown = Maker(), []
    monkeypatch.setattr(reproduce, "_Maker", maker)
    made = reproduce.reproduce(
        RUNS, engine_name="e", options="o", workers=workers, show=lambda *far: shown.append(far), say=print
    )
    assert made == [f"made of {folder} and {manifest}" for folder, manifest in RUNS]
    assert sorted(maker.begun) == [0, 1, 2, 3] and maker.given == ("e", "o", print)
    assert shown[-1] == (4, 4) and {total for _, total in shown} == {4}


@pytest.mark.parametrize("error", [KeyError("a bug"), MissingTool("none")])
def test_an_error_that_is_no_result_ends_the_call(monkeypatch, error):
    maker = Maker(1, error)
    monkeypatch.setattr(reproduce, "_Maker", maker)
    with pytest.raises(type(error)):
        reproduce.reproduce(RUNS, workers=1)
    assert maker.begun == [0, 1], "the others are not begun"


def test_an_interruption_ends_the_simulations_under_way_and_begins_no_other(monkeypatch):
    maker = Maker()
    maker.gate.clear()
    monkeypatch.setattr(reproduce, "_Maker", maker)

    def show(_done, _total):
        if len(maker.begun) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reproduce.reproduce(RUNS, workers=2, show=show)
    assert sorted(maker.begun) == [0, 1] and maker.gate.is_set()


# --- one run, part by part


@pytest.fixture
def maker(tmp_path):
    return reproduce._Maker(tmp_path / "home", None, None, print)


PLACED = SimpleNamespace(variant={"B": "2", "A": "1"}, application=SimpleNamespace(identifier="aggregation"))


def sources(used: str) -> Origin:
    return Origin("key", Path("/kept"), Path("/kept/application.yaml"), used, None)


@pytest.fixture
def builds(monkeypatch, manifest):
    """What was built; each build gives a library of this digest, or raises this."""
    asked = []

    class Builder:
        answer = THEN

        def firmware(self, application, variant, *, cflags):
            asked.append((application, variant, cflags))
            if isinstance(self.answer, Exception):
                raise self.answer
            return SimpleNamespace(path=Path("/built"), sha256=self.answer)

    builder = Builder()
    monkeypatch.setattr(reproduce.rebuild, "options", lambda manifest, experiment: (manifest, experiment))
    monkeypatch.setattr(reproduce.firmware, "builder", lambda options, *, say: builder)
    return builder, asked


def firmware(maker, manifest, used=KEPT):
    parts: list[Part] = []
    return maker._firmware(Path("/e"), manifest, PLACED, sources(used), parts), parts


def test_firmware_is_built_once_for_runs_that_share_it(maker, manifest, builds):
    _, asked = builds
    run = replace(manifest, firmware={"aggregation": THEN}, built=Built(flags="-O1"))
    for one in (run, replace(run, seed=2), replace(run, built=Built(flags="-O2"))):
        made, parts = firmware(maker, one)
        assert made == {"aggregation": Path("/built")}
        assert parts == [Part("firmware aggregation", THEN, THEN, "same")]
    assert asked == [(Path("/kept"), PLACED.variant, flags) for flags in ("-O1", "-O2")]
    firmware(maker, run, PRESENT)
    assert asked[2:] == [], "what is built has the key of its sources"


def test_present_sources_are_built_with_the_run_s_policies(maker, manifest, builds):
    _, asked = builds
    firmware(maker, replace(manifest, firmware={"aggregation": THEN}), PRESENT)
    assert [application for application, *_ in asked] == [PLACED.application]


ALIKE = "built of the same sources; the compiler, its headers or how this version calls it are others"


@pytest.mark.parametrize(
    ("used", "why"), [(KEPT, ALIKE), (HALF_KEPT, ALIKE), (PRESENT, "built of the present sources")]
)
def test_why_firmware_differs(maker, manifest, builds, used, why):
    builds[0].answer = NOW
    made, parts = firmware(maker, replace(manifest, firmware={"aggregation": THEN}), used)
    assert made and parts == [Part("firmware aggregation", THEN, NOW, "differs", why)]


def test_firmware_that_can_t_be_built_is_not_run(maker, manifest, builds):
    builds[0].answer = error = BuildFailed("no such header")
    made, parts = firmware(maker, replace(manifest, firmware={"aggregation": THEN}))
    assert made == {} and parts == [
        Part("firmware aggregation", THEN, "", "not made", "no such header", error)
    ]
    assert parts[0].error is error


def test_a_mote_type_that_the_application_has_not_is_not_made(maker, manifest, builds):
    made, parts = firmware(maker, replace(manifest, firmware={"other": NOW, "aggregation": THEN}))
    assert made == {}, "not all that the run needs"
    assert [(part.name, part.verdict, part.why) for part in parts] == [
        ("firmware other", "not made", "the application has no mote type other, only aggregation"),
        ("firmware aggregation", "same", ""),
    ]
    assert isinstance(parts[0].error, NoSuchThing)


class Engine:
    def __init__(self, name, version="v1", follows=None):
        self.name, self._version, self._follows, self.prepared, self.stopped = name, version, follows, [], 0

    def prepare(self, say):
        self.prepared.append(say)

    def version(self):
        return self._version

    def rules(self, written):
        return self._follows or written

    def stop(self):
        self.stopped += 1


DECIDES = "the log says whether that matters"
HINT = "; `--engine embedded` compares by the embedded engine"


@pytest.mark.parametrize(
    ("then", "name", "chosen", "now", "verdict", "why"),
    [
        ("embedded 5.0", None, Engine("embedded"), "embedded v1", "same", ""),
        ("embedded 5.0", None, Engine("embedded", "v2"), "embedded v2", "other version", DECIDES),
        ("cooja 5.0", "embedded", Engine("embedded"), "embedded v1", "other version", DECIDES),
        ("embedded 5.0", "cooja", Engine("cooja"), "cooja v1", "other version", DECIDES),
        ("cooja own", None, Engine("cooja"), "cooja v1", "same", ""),
        ("cooja own", "embedded", Engine("embedded"), "", "not made",
         "which rules the run's cooja followed is not known to embedded"),
        ("embedded 5.0", None, Engine("embedded", follows="4.9"), "", "not made",
         "the run followed the rules 5.0, this embedded follows 4.9"),
        ("cooja 5.0", None, Engine("cooja", follows="4.9"), "", "not made",
         f"the run followed the rules 5.0, this cooja follows 4.9{HINT}"),
    ],
)  # fmt: skip
def test_the_engine_of_a_run(manifest, tmp_path, monkeypatch, then, name, chosen, now, verdict, why):
    asked = []
    monkeypatch.setattr(reproduce, "engine", lambda *given: asked.append(given) or chosen)
    maker, parts = reproduce._Maker(tmp_path, name, "options", print), []
    used, rules = then.split()
    run = replace(manifest, engine=replace(manifest.engine, name=used, rules=rules))
    found = maker._engine(run, parts)
    assert found is (None if verdict == "not made" else chosen)
    assert parts == [Part("engine", f"{used} v1", now, verdict, why)]
    maker._engine(run, [])
    assert asked == [(name or used, "options")] and chosen.prepared == [print], "it is prepared once"
    maker.stop()
    assert chosen.stopped == 1


def test_an_engine_that_is_missing_is_named_by_its_first_line(manifest, tmp_path, monkeypatch):
    def missing(*_):
        raise MissingTool("no Cooja\n    set COOJA")

    monkeypatch.setattr(reproduce, "engine", missing)
    parts = []
    run = replace(manifest, engine=replace(manifest.engine, name="cooja"))
    assert reproduce._Maker(tmp_path, None, None, print)._engine(run, parts) is None
    assert parts == [Part("engine", "cooja v1", "", "not made", f"no Cooja{HINT}")]
    assert isinstance(parts[0].error, MissingTool)


@pytest.fixture
def simulated(maker, manifest, store, monkeypatch):
    """A function that compares a stored run which ended so with one that is made so."""

    def compared(then, made, log=b"Random seed: 1\n"):
        def make(self, work, simulation, chosen):
            assert (simulation, chosen) == ("simulation", "engine")
            if isinstance(made, Exception):
                raise made
            if log is not None:
                (work / "COOJA.testlog").write_bytes(log)
            return RunResult(made, 1, 1.0, 1, 1)

        monkeypatch.setattr(Again, "make", make)
        run = Again(store.folder("trial", manifest.run_id), replace(manifest, outcome=then), "simulation", {})
        found = maker._log(3, run, "engine")
        assert not (maker._home / "runs" / "3" / "COOJA.testlog").exists(), (
            "its bytes are not needed any more"
        )
        return found

    return compared


def test_a_run_that_is_the_same_has_the_same_log_and_outcome(simulated, manifest):
    same = Part("COOJA.testlog", manifest.log_sha256, manifest.log_sha256, "same")
    assert simulated(Outcome.CRASH, Outcome.CRASH) == [same, Part("outcome", "crash", "crash", "same")]


def test_a_run_that_differs_is_told_by_log_and_outcome(simulated):
    log, outcome = simulated(Outcome.OK, Outcome.CRASH, b"Random seed: 2\n")
    assert (log.verdict, log.why) == ("differs", "line 1: 'Random seed: 1' then, 'Random seed: 2' now")
    assert outcome == Part("outcome", "ok", "crash", "differs")


def test_a_run_without_a_log_lacks_its_first_line(simulated):
    log, outcome = simulated(Outcome.OK, Outcome.OK, None)
    assert log.why == "line 1: 'Random seed: 1' then, no line now" and outcome.verdict == "same"


@pytest.mark.parametrize("undecided", sorted(UNDECIDED))
@pytest.mark.parametrize("then_too", [True, False])
def test_what_may_end_otherwise_at_another_time_is_no_difference(simulated, undecided, then_too):
    pair = (undecided, Outcome.OK) if then_too else (Outcome.OK, undecided)
    why = f"a run that ended with {undecided.value!r} may end otherwise at another time"
    log, outcome = simulated(*pair)
    assert (log.verdict, outcome.verdict, outcome.why) == ("same", "not made", why)
    assert (outcome.then, outcome.now) == tuple(one.value for one in pair)
    assert isinstance(outcome.error, RunFailed) and str(outcome.error) == why


def test_a_run_that_the_engine_refuses_is_not_made(simulated, manifest):
    error = StorageFailed("full")
    assert simulated(Outcome.OK, error) == [
        Part("COOJA.testlog", manifest.log_sha256, "", "not made", "full"),
        Part("outcome", "ok", "", "not made", "full"),
    ]


@pytest.mark.parametrize("error", [KeyError, TypeError, ValueError, ZeroDivisionError, AttributeError])
def test_values_that_nobody_has_checked_are_a_damaged_manifest(manifest, store, monkeypatch, error):
    def place(_cell):
        raise error("x")

    monkeypatch.setattr(reproduce.place, "place", place)
    with pytest.raises(StorageFailed, match="holds no cell that can be simulated"):
        reproduce._described(store.folder("trial", manifest.run_id), manifest, sources(KEPT))
