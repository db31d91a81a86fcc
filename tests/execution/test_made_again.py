# SPDX-License-Identifier: Apache-2.0
"""Which stored runs can be made again, with their radios recorded or the trace on, and how a run is refused
that can't. Stand-ins make the runs; test_rebuild.py and test_reproduce.py have real ones.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from orchestrator.csc.model import EndScript, Mote, Simulation, Udgm
from orchestrator.csc.mote_type import MoteType
from orchestrator.engines.model import Job
from orchestrator.errors import NoSuchThing, RunFailed, StorageFailed, Unsupported
from orchestrator.execution import again
from orchestrator.execution.again import Again
from orchestrator.execution.execute import WALL_LIMIT_S
from orchestrator.runs import manifest as manifests
from orchestrator.runs.identity import trend_id
from orchestrator.runs.model import Outcome, RunResult
from orchestrator.runs.spec import Built
from orchestrator.scenario.model import ApplicationSpec
from tests.runs.conftest import make_cell, make_result, make_spec, put

LOG = b"Random seed: 1\n"
REPEATS = (Outcome.OK, Outcome.CRASH, Outcome.FAILED, Outcome.NO_VERDICT)


class Engine:
    """An engine that writes this log, and ends so."""

    def __init__(self, name="embedded", log=LOG, outcome=Outcome.OK):
        self.name, self.log, self.outcome = name, log, outcome
        self.heard: list = []

    def version(self):
        return "v1"

    def prepare(self):
        self.heard.append("prepared")

    def run(self, jobs, done):
        for job in jobs:
            self.heard.append(job)
            job.log.write_bytes(self.log)
            if job.radio is not None:
                (job.radio / again.FRAMES).write_bytes(b"frames")
            done(job, RunResult(self.outcome, 5, 1.0, 7, 8, ("one", "two")))


SIMULATION = Simulation(
    "t",
    1,
    0,
    Udgm(),
    (MoteType("aggregation", "", "[CONFIG_DIR]/../a.c", "", ()),),
    (Mote("aggregation", 1, 0.0, 0.0, eeprom=b"plain"),),
    EndScript(1000),
)


@pytest.fixture
def stored(store):
    """A function that stores a run which ended so: its folder, its manifest."""

    def made(outcome=Outcome.OK, **cell):
        spec = make_spec(make_cell(**cell))
        return store.folder("trial", spec.run_id), put(store, spec, make_result(outcome), LOG)

    return made


@pytest.fixture
def engine(monkeypatch, tmp_path):
    """A function that sets the engine which makes runs again; their .csc and firmware are made up."""
    firmware = tmp_path / "a.cooja"
    firmware.write_bytes(b"f")

    def chosen(**given) -> Engine:
        made = Engine(**given)
        monkeypatch.setattr(again, "engine", lambda name: made)
        monkeypatch.setattr(again, "read", lambda csc: SIMULATION)
        monkeypatch.setattr(again.rebuild, "libraries", lambda *_, **__: {"aggregation": firmware})
        return made

    return chosen


def left(store) -> list[str]:
    return [path.name for path in store.experiment("trial").glob(".tmp-*")]


# --- what is made again


@pytest.mark.parametrize(
    ("flags", "more", "cflags"), [("", "", ""), ("-O1", "", "-O1"), ("", "-g", "-g"), ("-O1", "-g", "-O1 -g")]
)
def test_firmware_is_built_with_the_run_s_flags_and_further_ones(
    stored, store, monkeypatch, flags, more, cflags
):
    folder, manifest = stored()
    manifest, heard = replace(manifest, built=Built(flags=flags)), []
    monkeypatch.setattr(again, "read", lambda csc: csc)

    def libraries(*given, **named):
        heard.append((given, named))
        return {"aggregation": Path("a.cooja")}

    monkeypatch.setattr(again.rebuild, "libraries", libraries)
    made = again.again(folder, manifest, cflags=more, say=print)
    csc = folder / "simulation.csc"
    assert made == Again(folder, manifest, csc, {"aggregation": Path("a.cooja")})
    assert heard == [((manifest, store.experiment("trial"), csc), {"cflags": cflags, "say": print})]
    csc.unlink()
    with pytest.raises(NoSuchThing) as raised:
        again.again(folder, manifest)
    assert str(raised.value) == f"no {csc}\n    a run is made again from its .csc; name a run of a store"


def test_a_run_is_made_with_its_seed_its_rules_and_the_usual_limit(stored, engine, tmp_path):
    usual, other = engine(), Engine("cooja")
    folder, manifest = stored()
    manifest = replace(manifest, seed=9, engine=replace(manifest.engine, rules="4.9"))
    run = Again(folder, manifest, SIMULATION, {"aggregation": tmp_path / "a.cooja"})
    job = Job(SIMULATION, 9, run.firmware, tmp_path / "COOJA.testlog", "4.9", WALL_LIMIT_S)
    assert run.make(tmp_path, SIMULATION).outcome is Outcome.OK
    assert run.make(tmp_path, SIMULATION, chosen=other).events == 7
    assert usual.heard == other.heard == ["prepared", job]
    (tmp_path / "radio").mkdir()
    run.make(tmp_path, SIMULATION, tmp_path / "radio")
    assert usual.heard[-1] == replace(job, radio=tmp_path / "radio")


def test_in_what_firmware_and_engine_are_not_the_run_s(stored, tmp_path):
    folder, manifest = stored()
    firmware = {"a": tmp_path / "a", "b": tmp_path / "b"}
    for name, path in firmware.items():
        path.write_text(name)
    digests = {name: hashlib.sha256(name.encode()).hexdigest() for name in firmware}
    run = Again(folder, replace(manifest, firmware=digests), SIMULATION, firmware)
    assert run.differences(Engine()) == run.differences(Engine("cooja")) == []
    older = replace(manifest.engine, version="v0")
    other = replace(run, manifest=replace(manifest, firmware={"a": digests["b"]}, engine=older))
    words = [f"firmware {name} is another than the run's" for name in "ab"]
    assert other.differences(Engine()) == [*words, "the engine is another version than the run's"]
    assert other.differences(Engine("cooja")) == words, "versions of different engines say nothing"


def test_the_experiment_of_a_run_and_of_its_traced_repetition():
    run = Path("store/trial/runs/ab")
    assert again.experiment_of(run) == again.experiment_of(run / "trace" / "cd") == Path("store/trial")
    source = "[CONFIG_DIR]/a/[CONFIG_DIR]/b"
    assert again.from_traced(source) == "[CONFIG_DIR]/../../a/[CONFIG_DIR]/b"


# --- the record of the radios


def test_a_record_is_made_once(stored, engine, store):
    made, said = engine(), []
    folder, manifest = stored()
    for _ in range(2):
        assert again.record(folder, manifest, said.append) == folder / "radio"
    assert (folder / "radio" / again.FRAMES).read_bytes() == b"frames"
    assert said == ["simulating H5 seed 1 again, with a record of its radios"] and len(made.heard) == 2
    assert left(store) == []


@pytest.mark.parametrize("outcome", list(Outcome))
def test_only_a_run_that_would_end_so_again_has_a_record(stored, engine, outcome):
    engine(outcome=outcome)
    folder, manifest = stored(outcome)
    if outcome in REPEATS:
        assert again.record(folder, manifest).is_dir()
        return
    with pytest.raises(RunFailed) as raised:
        again.record(folder, manifest)
    assert str(raised.value) == (
        f"run {manifest.run_id[:12]} ended with: {outcome.value}; what its radios did can't be told\n"
        "    run the scenario again"
    )


@pytest.mark.parametrize("other", [{"log": b"other\n"}, {"outcome": Outcome.CRASH}])
def test_a_record_of_another_run_is_not_kept(stored, engine, store, other):
    engine(**other)
    folder, manifest = stored()
    with pytest.raises(RunFailed) as raised:
        again.record(folder, manifest)
    ended = other.get("outcome", Outcome.OK).value
    assert str(raised.value).split("\n    ") == [
        f"run {manifest.run_id[:12]} made again is not the same run: {ended}, and another log",
        "one",
        "two",
        "firmware aggregation is another than the run's",
        "run its scenario again, and look into that run",
    ]
    assert not (folder / "radio").exists() and left(store) == []


def test_a_store_that_can_t_be_written_is_told(tmp_path):
    folder = tmp_path / "trial" / "runs" / "ab"
    with pytest.raises(StorageFailed) as raised, again._work(folder):
        pass
    assert str(raised.value) == (
        f"{folder} can't be written: No such file or directory\n"
        "    free space, or copy the run to where you may write"
    )


# --- with the trace on


def traced_images(monkeypatch, found=None):
    """EEPROM images of the stored cell and of the traced one; `found`: what there is of the stored one."""
    monkeypatch.setattr(
        again, "_images", lambda cell, seed: {1: b"traced" if cell.trace else (found or b"plain")}
    )


def test_a_traced_repetition_is_a_run_of_its_own(stored, engine, store, monkeypatch):
    traced_images(monkeypatch)
    made = engine(log=b"traced\n")
    folder, manifest = stored()
    said = []
    kept = again.trace(folder, manifest, said.append)
    assert said == ["simulating H5 seed 1 again, with the trace on"]
    found = manifests.read(kept / manifests.FILE, "")
    assert kept == folder / "trace" / found.run_id and found.run_id == found.expected_run_id()
    assert (kept / manifests.LOG_FILE).read_bytes() == b"traced\n"
    parameters = {**manifest.parameters, "trace": True}
    assert found.parameters == parameters and found.trend_id == trend_id(parameters, manifest.seed)
    assert found.log_sha256 == hashlib.sha256(b"traced\n").hexdigest()
    assert found.csc_sha256 == hashlib.sha256((kept / manifests.CSC_FILE).read_bytes()).hexdigest()
    assert found.firmware == {"aggregation": hashlib.sha256(b"f").hexdigest()}
    assert (found.engine, found.outcome, found.seed) == (manifest.engine, Outcome.OK, manifest.seed)
    assert found.statistics.events == 7 and found.started <= found.finished
    (job,) = made.heard[1:]
    assert [mote.eeprom for mote in job.deployment.motes] == [b"traced"]
    assert [one.source for one in job.deployment.mote_types] == ["[CONFIG_DIR]/../../../a.c"]
    assert again.trace(folder, manifest) == kept and left(store) == []


def test_a_traced_repetition_that_fails_is_not_kept(stored, engine, store, monkeypatch):
    engine(outcome=Outcome.CRASH)
    traced_images(monkeypatch)
    folder, manifest = stored()
    with pytest.raises(RunFailed, match=r"^the traced run ended with: crash\n    one\n    two$"):
        again.trace(folder, manifest)
    assert not (folder / "trace").exists() and left(store) == []


def test_an_application_that_is_described_otherwise_than_then_is_not_traced(stored, engine, monkeypatch):
    engine()
    traced_images(monkeypatch, b"other")
    folder, manifest = stored()
    with pytest.raises(RunFailed) as raised:
        again.trace(folder, manifest)
    assert str(raised.value) == (
        "the application aggregation is described otherwise than when run "
        f"{manifest.run_id[:12]} was made\n    run its scenario again, and look into that run"
    )


@pytest.mark.parametrize("error", [KeyError, TypeError, ValueError, ZeroDivisionError, AttributeError])
def test_values_that_nobody_has_checked_are_a_damaged_manifest(stored, engine, monkeypatch, error):
    def images(*_):
        raise error("x")

    engine()
    monkeypatch.setattr(again, "_images", images)
    with pytest.raises(StorageFailed, match="holds no cell that can be simulated"):
        again.trace(*stored())


# --- more than a simulation


@pytest.mark.parametrize("look", [again.record, again.trace])
def test_a_run_on_a_testbed_is_not_made_again(stored, look):
    folder, manifest = stored()
    with pytest.raises(Unsupported, match="^it ran on a testbed: nobody recorded its radios"):
        look(folder, replace(manifest, engine=replace(manifest.engine, name="testbed")))


@pytest.mark.parametrize("look", [again.record, again.trace])
def test_a_run_with_gateways_is_not_made_again(stored, look):
    with pytest.raises(Unsupported) as raised:
        look(*stored(application=ApplicationSpec("distribution", {})))
    assert str(raised.value) == (
        "its gateways were simulated beside its motes, and a .csc has motes alone\n"
        "    run the scenario file with `trace: true` and look into that run"
    )


def test_motes_without_an_image_have_none(monkeypatch):
    acting = SimpleNamespace(nodes=(SimpleNamespace(mote=1), SimpleNamespace(mote=4)))
    placed = SimpleNamespace(acting=acting, images=lambda seed: [b"", b"%d" % seed])
    monkeypatch.setattr(again.place, "place", lambda cell: placed)
    assert again._images(None, 7) == {1: None, 4: b"7"}
