# SPDX-License-Identifier: Apache-2.0
"""Stored runs are made again from their manifests: what is the same, what differs and where, what can't be
made.
"""

from __future__ import annotations

import json
import shutil
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.build import cache
from orchestrator.cli.app import main
from orchestrator.engines.embedded.engine import EmbeddedEngine
from orchestrator.execution import again, origin, pipeline, reproduce
from orchestrator.execution.reproduce import CSC, ENGINE, LOG, OUTCOME
from orchestrator.runs.manifest import CSC_FILE, FILE, LOG_FILE
from orchestrator.runs.model import Outcome
from orchestrator.runs.spec import Built
from orchestrator.runs.store import Store
from orchestrator.scenario.load import load, loads
from tests import needs
from tests.lossy_chain import scenario

needs.a_compiler()

FIRMWARE = "firmware aggregation"
PARTS = (CSC, FIRMWARE, ENGINE, LOG, OUTCOME)
LORRY = """experiment: lorry
topology: {shape: lorry, sensors: 2}
radio: {medium: udgm, range: 20 m, interference: 40 m}
application: {name: lorry}
duration: 2 s
drain: 1 s
seeds: 1
matrix:
  application.temperature-policies: [cold.escape, none]
"""


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A store with two runs."""
    path = tmp_path_factory.mktemp("reproduced") / "store"
    pipeline.run(
        loads(scenario("chain", "duration: 5 s\ndrain: 1 s\nseeds: 1..2\n"), "c.yaml"), path, report=False
    )
    return path


@pytest.fixture
def store(original, tmp_path, monkeypatch):
    """A copy of it that a test may damage, with firmware from the cache: to compile it takes seconds."""
    shutil.copytree(original, tmp_path / "store")
    monkeypatch.setattr(cache, "anew", lambda kind, folder: nullcontext())
    return tmp_path / "store"


def runs(store: Path) -> list[tuple[Path, object]]:
    return [(Store(store).folder("chain", one.run_id), one) for one in Store(store).runs("chain")]


def first(store: Path, **options) -> reproduce.Reproduced:
    return reproduce.reproduce(runs(store)[:1], **options)[0]


def verdicts(one: reproduce.Reproduced) -> str:
    """The verdicts in the order of PARTS, one letter each: Same, Differs, Not made, Other version."""
    assert tuple(part.name for part in one.parts) == PARTS
    return "".join(part.verdict[0].upper() for part in one.parts)


def why(one: reproduce.Reproduced, name: str) -> str:
    return next(part.why for part in one.parts if part.name == name)


def test_every_byte_is_made_again_and_firmware_is_not_taken_from_the_cache(original, monkeypatch):
    built = []
    monkeypatch.setattr(again.Again, "make", _noting(built, again.Again.make))
    made = reproduce.reproduce(runs(original))
    assert [verdicts(one) for one in made] == ["SSSSS"] * 2 and all(one.same for one in made)
    assert [one.manifest.seed for one in made] == [1, 2]
    assert (made[0].sources, made[0].changed, made[0].codes()) == (reproduce.KEPT, (), [])
    (path,) = {path for run in built for path in run.firmware.values()}
    assert cache.cache_folder() not in path.parents and not path.exists()


def _noting(seen, make):
    def noted(self, *arguments, **options):
        seen.append(self)
        return make(self, *arguments, **options)

    return noted


def test_nothing_is_written_to_the_store(store):
    before = sorted(path for path in store.rglob("*"))
    assert first(store).same
    assert sorted(path for path in store.rglob("*")) == before


def changed_manifest(store: Path, change) -> None:
    path = runs(store)[0][0] / FILE
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def test_the_first_line_that_differs_is_named(store):
    changed_manifest(store, lambda content: content.update(seed=7))
    folder = Store(store).folder("chain", runs(store)[-1][1].run_id)
    (one,) = reproduce.reproduce([(folder, runs(store)[-1][1])])
    assert verdicts(one) == "DSSDS" and one.manifest.seed == 7
    assert why(one, LOG) == "line 1: 'Random seed: 1' then, 'Random seed: 7' now"
    assert "<randomseed>1<" in why(one, CSC) and "<randomseed>7<" in why(one, CSC)
    assert one.damage == ("the manifest's content does not give its run id: it was changed",)
    assert one.codes() == [8, 1, 1] and one.codes((LOG,)) == [8, 1]


def test_a_stored_log_that_was_changed_is_damage_although_the_run_is_made_again(store):
    folder, manifest = runs(store)[0]
    with (folder / LOG_FILE).open("a") as log:
        log.write("more\n")
    one = first(store)
    assert verdicts(one) == "SSSSS" and not one.same
    assert one.damage == (f"{LOG_FILE} is not what the run wrote",) and one.codes() == [8]


def test_an_end_that_is_missing_is_a_difference(tmp_path):
    stored = tmp_path / LOG_FILE
    stored.write_text("a\nb\n")
    manifest = replace(_manifest(), log_sha256=again.sha256(stored))
    made = tmp_path / "made"
    made.write_text("a\n")
    assert reproduce.first_difference(stored, made, manifest) == "line 2: 'b' then, no line now"
    made.write_text("a\nb\n" + "c" * 200 + "\n")
    text = reproduce.first_difference(stored, made, manifest)
    assert text.startswith("line 3: no line then, 'ccc") and text.endswith("c...' now") and len(text) < 140
    stored.write_text("other\n")
    assert "was changed since" in reproduce.first_difference(stored, made, manifest)
    stored.unlink()
    assert "No such file" in reproduce.first_difference(stored, made, manifest)


def _manifest():
    from tests.manifests import manifest

    return manifest()


def test_other_flags_make_other_firmware(store, monkeypatch):
    folder, manifest = runs(store)[0]
    (one,) = reproduce.reproduce([(folder, replace(manifest, built=replace(manifest.built, flags="-O1")))])
    assert verdicts(one)[:2] == "SD" and "built of the same sources" in why(one, FIRMWARE)


def test_the_present_sources_are_compared_and_the_kept_ones_used(store, tmp_path, monkeypatch):
    """A user's own application that has changed since: the run is made again of what it was made of."""
    own = tmp_path / "mine"
    assert main(["new", "app", "mine", "--folder", str(own)]) == 0
    text = (own / "scenario.yaml").read_text().replace("1 min", "10 s").replace("1..3", "1")
    (own / "scenario.yaml").write_text(text)
    pipeline.run(load(own / "scenario.yaml"), store, report=False)
    (manifest,) = Store(store).runs("mine")
    run = (Store(store).folder("mine", manifest.run_id), manifest)
    assert reproduce.reproduce([run])[0].changed == ()
    (own / "mine.c").write_text((own / "mine.c").read_text() + "/* changed */\n")
    (own / "application.yaml").write_text((own / "application.yaml").read_text() + "# changed\n")
    (one,) = reproduce.reproduce([run])
    assert one.same and one.sources == reproduce.KEPT
    assert one.changed == ("apps/mine/application.yaml", "apps/mine/mine.c")
    shutil.rmtree(own)
    (one,) = reproduce.reproduce([run])
    assert one.same and one.changed is None
    shutil.rmtree(store / "firmware")
    (one,) = reproduce.reproduce([run])
    assert "NNSNN" == "".join(part.verdict[0].upper() for part in one.parts)
    assert "put it back there" in one.parts[0].why and one.codes()[0] == 9


def test_policies_other_than_the_default_are_the_run_s_own(tmp_path, monkeypatch):
    """Whether the store has kept the firmware's sources or lost them; they are no change of today's."""
    monkeypatch.setattr(cache, "anew", lambda kind, folder: nullcontext())
    (tmp_path / "cold.escape").write_text("Cold\n  on C-B notify ACSTemp(t)\n    0-0: true -> discard;\n")
    (tmp_path / "lorry.yaml").write_text(LORRY)
    path = tmp_path / "store"
    pipeline.run(load(tmp_path / "lorry.yaml"), path, report=False)
    made = [(Store(path).folder("lorry", one.run_id), one) for one in Store(path).runs("lorry")]
    (tmp_path / "cold.escape").unlink()
    kept = reproduce.reproduce(made)
    assert [(one.same, one.sources, one.changed) for one in kept] == [(True, reproduce.KEPT, ())] * 2
    shutil.rmtree(path / "firmware")
    again_made = reproduce.reproduce(made)
    assert [(one.same, one.sources) for one in again_made] == [(True, reproduce.PRESENT)] * 2


def test_sources_that_the_store_has_lost_are_today_s(store):
    shutil.rmtree(store / "firmware")
    one = first(store)
    assert one.same and one.sources == reproduce.PRESENT and one.changed is None


def test_a_run_from_before_descriptions_were_kept(store):
    changed_manifest(store, lambda content: content["built"].pop("description"))
    (one,) = [made for made in reproduce.reproduce(runs(store)) if not made.manifest.built.description]
    assert one.same and one.sources == reproduce.HALF_KEPT


def test_damaged_sources_are_not_taken_for_the_run_s(store):
    (path,) = store.glob("firmware/*/apps/aggregation/topic.h")
    path.write_text("int x;\n")
    one = first(store)
    assert verdicts(one) == "NNSNN" and "their digest is" in why(one, CSC) and one.codes()[0] == 8
    assert one.sources == ""


def test_a_damaged_description_is_not_taken_for_the_run_s(store):
    (path,) = store.glob("firmware/descriptions/*/aggregation/application.yaml")
    path.write_text(path.read_text() + "# more\n")
    one = first(store)
    assert verdicts(one) == "NNSNN" and "was changed since" in why(one, CSC)


def test_another_version_of_the_engine_is_told_and_the_log_decides(store, monkeypatch):
    monkeypatch.setattr(EmbeddedEngine, "version", lambda self: "another")
    one = first(store)
    assert verdicts(one) == "SSOSS" and one.same and one.codes() == []
    assert one.parts[2].now == "embedded another"


def test_a_run_of_a_cooja_that_is_not_here(store, monkeypatch):
    for name in ("COOJA", "CONTIKI_NG"):
        monkeypatch.delenv(name, raising=False)
    changed_manifest(store, lambda content: content["engine"].update(name="cooja", version="abc"))
    (one,) = [made for made in reproduce.reproduce(runs(store)) if made.manifest.engine.name == "cooja"]
    assert verdicts(one) == "SSNNN" and "--engine embedded" in why(one, ENGINE) and 5 in one.codes()
    (run,) = [run for run in runs(store) if run[1].engine.name == "cooja"]
    (one,) = reproduce.reproduce([run], engine_name="embedded")
    assert verdicts(one) == "SSOSS" and one.parts[2].then == "cooja abc"


def test_rules_that_the_engine_does_not_follow(store):
    folder, manifest = runs(store)[0]
    other = replace(manifest, engine=replace(manifest.engine, name="cooja", rules="unknown"))
    (one,) = reproduce.reproduce([(folder, other)], engine_name="embedded")
    assert verdicts(one)[2:] == "NNN" and "which rules the run's cooja followed" in why(one, ENGINE)


def test_a_run_that_may_end_otherwise_is_not_called_different(store):
    folder, manifest = runs(store)[0]
    lost = replace(manifest, outcome=Outcome.LOST, log_sha256="0" * 64)
    (one,) = reproduce.reproduce([(folder, lost)])
    assert verdicts(one) == "SSSNN" and "may end otherwise" in why(one, LOG)


def test_a_traced_repetition_is_made_again_as_well(store):
    folder, manifest = runs(store)[0]
    twin = again.trace(folder, manifest)
    assert again.trace(folder, manifest) == twin and list(twin.parent.iterdir()) == [twin]
    from orchestrator.runs import manifest as manifests

    (one,) = reproduce.reproduce([(twin, manifests.read(twin / FILE, ""))])
    assert verdicts(one) == "SSSSS" and one.same


def test_the_sources_that_a_store_keeps_of_a_run_are_found_until_it_has_lost_them(store):
    folder, _ = runs(store)[0]
    kept = origin.kept_sources(folder)
    assert kept is not None and (store / "firmware" / kept.digest).is_dir()
    assert origin.changed_files(kept, origin.kept_sources(runs(store)[1][0])) == ()
    shutil.rmtree(store / "firmware")
    assert origin.kept_sources(folder) is None


def test_a_manifest_without_a_cell_that_can_be_placed(store):
    folder, manifest = runs(store)[0]
    parameters = {**manifest.parameters, "topology": {"shape": "chain", "parameters": {"publishers": "x"}}}
    (one,) = reproduce.reproduce([(folder, replace(manifest, parameters=parameters, built=Built()))])
    assert verdicts(one) == "NNSNN" and "holds no cell" in why(one, CSC)


def test_the_command(store, capsys, monkeypatch):
    monkeypatch.setenv("ORCHESTRATE_STORE", str(store))
    assert main(["reproduce", "chain"]) == 0
    assert "2 runs made again, all the same" in capsys.readouterr().out
    run = runs(store)[0][0]
    assert main(["reproduce", "chain/base/1"]) == 0
    rows = {line.split("  ")[0].strip(): line for line in capsys.readouterr().out.splitlines()}
    engine = runs(store)[0][1].engine.version[:12]
    assert rows[ENGINE].split() == [ENGINE, "same", "embedded", engine, "embedded", engine]
    assert main(["reproduce", "chain/base/1", "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert told["same"] and [part["name"] for part in told["parts"]] == list(PARTS)
    (run / CSC_FILE).write_text("")
    assert main(["reproduce", str(run)]) == 8
    out = capsys.readouterr().out
    assert "damaged: simulation.csc is not what the run wrote" in out
    assert main(["reproduce", "chain/base"]) == 8
    assert "1 the same" in capsys.readouterr().out
    assert main(["reproduce", "chian"]) == 9
