# SPDX-License-Identifier: Apache-2.0
"""Artifacts: what they hold, that they check themselves, and what they refuse."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import zipfile
from contextlib import nullcontext
from pathlib import Path

import jsonschema
import pytest
import yaml
from rocrate.rocrate import ROCrate

from orchestrator.build import cache
from orchestrator.cli.app import main
from orchestrator.errors import FaultyInput, NoSuchThing, StorageFailed, WrongUsage
from orchestrator.execution import pipeline
from orchestrator.features.export import citation, contents, pack
from orchestrator.features.export.citation import About, Author
from orchestrator.runs.store import Store
from orchestrator.scenario.load import loads
from tests import needs
from tests.lossy_chain import scenario

needs.a_compiler()

# Of citation-file-format (Druskat et al., CC-BY-4.0), as it is but for its white space.
SCHEMA = Path(__file__).with_name("citation-file-format-1.2.0.json")
WHO = ("--license", "CC-BY-4.0", "--author", "Ada Lovelace <ada@example.org>", "--no-report")


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    path = tmp_path_factory.mktemp("exported") / "store"
    text = scenario("chain", "duration: 5 s\ndrain: 1 s\nseeds: 1..2\n")
    pipeline.run(loads(text, "c.yaml"), path, report=False)
    return path


@pytest.fixture
def store(original, tmp_path, monkeypatch):
    """A copy that may be damaged; firmware comes from the cache, as to compile it takes seconds."""
    shutil.copytree(original, tmp_path / "store")
    monkeypatch.setenv("ORCHESTRATE_STORE", str(tmp_path / "store"))
    monkeypatch.setattr(cache, "anew", lambda kind, folder: nullcontext())
    return tmp_path / "store"


def test_the_same_store_and_options_give_the_same_zip(store, tmp_path):
    (store / "chain" / "metrics" / "per_run").mkdir(parents=True)
    (store / "chain" / "metrics" / "per_run" / "part-0.parquet").write_bytes(b"numbers")
    (store / "chain" / "metrics" / ".written").write_bytes(b"a draft")
    for name in ("a.zip", "b.zip"):
        assert main(["export", "chain", "-o", str(tmp_path / name), *WHO]) == 0
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    assert main(["export", "chain", "-o", str(tmp_path / "folder"), *WHO]) == 0
    with zipfile.ZipFile(tmp_path / "a.zip") as packed:
        packed_files = {name: packed.read(name) for name in packed.namelist()}
    files = {
        path.relative_to(tmp_path / "folder").as_posix(): path.read_bytes()
        for path in (tmp_path / "folder").rglob("*")
        if path.is_file()
    }
    assert files == packed_files
    assert "store/chain/metrics/per_run/part-0.parquet" in files
    assert not any("/." in f"/{path}" for path in files)
    runs = [path for path in files if path.startswith("store/chain/runs/")]
    assert len(runs) == 6 and "store/chain/scenario.yaml" in files
    assert any(path.endswith("/apps/aggregation/topic.h") for path in files)
    assert any(path.endswith("/aggregation/application.yaml") for path in files)


@pytest.fixture
def folder(store, tmp_path):
    assert main(["export", "chain", "-o", str(tmp_path / "folder"), *WHO]) == 0
    return tmp_path / "folder"


def test_files_of_an_experiment_on_which_its_tables_depend_are_packed(store, tmp_path):
    (store / "chain" / "log-patterns.json").write_text("{}")
    (store / "chain" / "air.json").write_text("{}")
    run = next((store / "chain" / "runs").iterdir())
    (run / "air").write_bytes(b"a record")
    assert main(["export", "chain", "-o", str(tmp_path / "a.zip"), *WHO]) == 0
    with zipfile.ZipFile(tmp_path / "a.zip") as packed:
        names = {name.partition("/chain/")[2] for name in packed.namelist()}
    assert {"log-patterns.json", "air.json", f"runs/{run.name}/air"} <= names


def test_the_readme_says_that_a_tree_is_needed(store, tmp_path):
    for manifest in (store / "chain" / "runs").glob("*/manifest.json"):
        made = json.loads(manifest.read_text())
        manifest.write_text(json.dumps(made | {"built": {**made["built"], "tree": "12" * 16}}))
    assert main(["export", "chain", "-o", str(tmp_path / "folder"), *WHO]) == 0
    assert "1 Contiki-NG tree that is not in here" in (tmp_path / "folder" / "README.md").read_text()


def test_its_checksums_are_those_that_sha256sum_reads(folder):
    done = subprocess.run(
        ["sha256sum", "-c", "--quiet", "checksums.sha256"], cwd=folder, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout
    listed = (folder / "checksums.sha256").read_text().splitlines()
    assert len(listed) == sum(path.is_file() for path in folder.rglob("*")) - 1


def test_it_checks_itself_without_its_store(folder, store, tmp_path, monkeypatch, capsys):
    shutil.rmtree(store)
    monkeypatch.delenv("ORCHESTRATE_STORE")
    monkeypatch.chdir(folder)
    capsys.readouterr()
    assert main(["export", "--check", "."]) == 0
    out = capsys.readouterr().out
    assert "files: all as their checksums say" in out and "2 runs made again, all the same" in out
    assert "kept in the store" in out
    (folder / "more.txt").write_text("more")
    (folder / "LICENSE").unlink()
    assert main(["export", "--check", ".", "--json"]) == 8
    told = json.loads(capsys.readouterr().out)
    assert told["damaged"] == ["LICENSE: No such file or directory", "more.txt is not listed"]
    assert [one["same"] for one in told["runs"]] == [True, True]


def test_a_run_that_was_changed_is_found_also_with_new_checksums(folder, capsys):
    log = next(folder.glob("store/chain/runs/*/COOJA.testlog"))
    log.write_text(log.read_text() + "more\n")
    assert pack.damage(folder) == [f"{log.relative_to(folder).as_posix()} was changed"]
    lines = [
        f"{hashlib.sha256((folder / line[66:]).read_bytes()).hexdigest()}  {line[66:]}\n"
        for line in (folder / "checksums.sha256").read_text().splitlines()
    ]
    (folder / "checksums.sha256").write_text("".join(lines))
    assert main(["export", "--check", str(folder)]) == 8
    assert "damaged: COOJA.testlog is not what the run wrote" in capsys.readouterr().out


def test_what_is_no_artifact(tmp_path):
    with pytest.raises(NoSuchThing, match="has no checksums"):
        pack.damage(tmp_path)
    (tmp_path / "a.zip").write_text("no zip")
    with pytest.raises(StorageFailed, match="not a readable .zip"), pack.opened(tmp_path / "a.zip"):
        pass
    with pytest.raises(NoSuchThing, match="no artifact"), pack.opened(tmp_path / "none"):
        pass


def test_no_folder_of_this_machine_is_in_the_list_of_runs(store, tmp_path, folder):
    path = store / "chain" / "campaign.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"applications": {"mine": "/home/ada/mine"}}))
    assert main(["export", "chain", "-o", str(tmp_path / "other"), *WHO]) == 0
    written = json.loads((tmp_path / "other" / "store" / "chain" / "campaign.json").read_text())
    assert written["applications"] == {} and len(written["runs"]) == 2


def test_damaged_runs_are_named_and_nothing_is_written(store, tmp_path, capsys):
    for log in store.glob("chain/runs/*/COOJA.testlog"):
        log.write_text("other")
    assert main(["export", "chain", "-o", str(tmp_path / "a.zip"), *WHO]) == 8
    err = capsys.readouterr().err
    assert "2 runs can't be trusted" in err and err.count("COOJA.testlog is not what the run wrote") == 2
    assert not (tmp_path / "a.zip").exists() and not list(tmp_path.glob(".tmp*"))


def test_what_is_missing_is_said_at_once(store, tmp_path, capsys):
    assert main(["export", "chain", "-o", str(tmp_path / "a.zip")]) == 2
    err = capsys.readouterr().err
    assert "--license" in err and "--author" in err
    assert main(["export", "chain"]) == 2 and main(["export", "-o", "x"]) == 2
    assert main(["export", "chain", "--check", "x"]) == 2
    assert main(["export", "chian", "-o", str(tmp_path / "a.zip"), *WHO]) == 9
    (tmp_path / "a.zip").write_text("")
    assert main(["export", "chain", "-o", str(tmp_path / "a.zip"), *WHO]) == 2
    assert main(["export", "chain", "-o", str(tmp_path / "none" / "a.zip"), *WHO]) == 9


@pytest.mark.parametrize("word", ["cc-by-4.0", "Foo", "Classpath-exception-2.0"])
def test_a_licence_is_an_spdx_identifier(word):
    with pytest.raises(WrongUsage, match="a licence that SPDX knows"):
        citation.about(None, word, ["A B"], None, "x")


@pytest.mark.parametrize(
    "authors",
    [
        (Author("Lovelace", "Ada", "ada@example.org"),),
        (Author("Nagy", "Erzsébet"), Author("Plato", orcid="https://orcid.org/0000-0002-1825-0097")),
    ],
)
def test_citations_follow_the_schema_of_the_format(authors):
    text = citation.written(About("Runs: \"a\" & 'b'", "CC-BY-4.0", authors), "2026-11-23")
    data = yaml.safe_load(text)
    jsonschema.validate(data, json.loads(SCHEMA.read_text()))
    assert len(data["authors"]) == len(authors)
    data["authors"] = []
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, json.loads(SCHEMA.read_text()))


def test_authors_come_from_the_command_line(tmp_path):
    said = citation.about(None, "MIT", ["Ada King Lovelace <a@b.org>", "Plato"], None, "chain")
    assert said.authors == (Author("Lovelace", "Ada King", "a@b.org"), Author("Plato"))
    assert said.title == "Simulation runs of chain"
    with pytest.raises(WrongUsage) as raised:
        citation.about(None, None, ["Ada <nothing>"], None, "x")
    assert "--license" in str(raised.value) and "'Ada <nothing>'" in str(raised.value)


def test_authors_come_from_a_citation(tmp_path):
    given = tmp_path / "CITATION.cff"
    who = Author("Nagy", "Béla", orcid="https://orcid.org/0000-0002-1825-0097")
    given.write_text(citation.written(About("Ours", "MIT", (who,)), "2026-01-01"))
    said = citation.about(None, "MIT", [], given, "x")
    assert said.title == "Ours" and said.authors[0].name == "Béla Nagy"
    assert citation.written(said, "2027-01-01") == given.read_text()
    given.write_text("title: Ours\n")
    with pytest.raises(FaultyInput) as raised:
        citation.about(None, "MIT", [], given, "x")
    assert [fault.what for fault in raised.value.faults] == ["no cff-version", "no message", "no authors"]
    given.write_text("a: [\n")
    with pytest.raises(FaultyInput, match="not YAML"):
        citation.about(None, "MIT", [], given, "x")
    meta = tmp_path / "codemeta.json"
    meta.write_text(json.dumps({"name": "Data", "author": {"givenName": "Ada", "familyName": "Lovelace"}}))
    said = citation.about(None, "MIT", [], meta, "x")
    assert (said.title, said.authors) == ("Data", (Author("Lovelace", "Ada"),)) and not said.cff
    meta.write_text("{}")
    with pytest.raises(FaultyInput, match="no author"):
        citation.about(None, "MIT", [], meta, "x")
    with pytest.raises(NoSuchThing):
        citation.about(None, "MIT", [], tmp_path / "none.cff", "x")


def test_an_ro_crate_reader_finds_what_is_in_it(folder):
    crate = ROCrate(folder)
    root = crate.root_dataset
    assert root["license"]["identifier"] == "CC-BY-4.0" and root["author"][0]["email"] == "ada@example.org"
    assert root["datePublished"] == max(run.finished for run in Store(folder / "store").runs("chain"))[:10]
    (action,) = root["mentions"]
    assert action["instrument"]["name"] == "orchestrate" and action["result"].id == "store/chain/runs/"
    assert action["object"][0].id == "store/chain/scenario.yaml"
    for entity in crate.data_entities:
        assert (folder / entity.id).exists(), entity.id


def test_readme_and_versions(folder):
    readme = (folder / "README.md").read_text()
    assert "orchestrate export --check ." in readme and "| chain | 2 | 1 | 2 | 0 | – | – |" in readme
    told = json.loads((folder / "versions.json").read_text())
    assert told["runs"]["orchestrate"] and told["export"]["packages"]["numpy"]
    assert "numpy==" in (folder / "requirements.txt").read_text()


def test_a_campaign_is_packed_with_its_rounds(store, tmp_path):
    from orchestrator.features.campaigns import record
    from orchestrator.features.campaigns.model import RoundRun, Shard
    from tests.features.campaigns.conftest import round_plan

    run = Store(store).runs("chain")[0]
    begun = record.begin(store, round_plan(1))
    with begun.writing(Shard()) as journal:
        for run_id in (run.run_id, "f" * 20):
            journal.add(
                RoundRun(
                    "chain",
                    run.cell,
                    run.seed + (run_id != run.run_id),
                    run_id,
                    run.trend_id,
                    run.outcome,
                    True,
                    0.1,
                )
            )
    chosen = contents.choose(Store(store), [begun.plan.campaign])
    assert [one.run_id for one in chosen.runs["chain"]] == [run.run_id]
    assert chosen.campaigns == (begun.plan.campaign,) and chosen.gone == {"chain": 1}
    made = pack.artifact(Store(store), chosen, About("T", "MIT", (Author("A"),)))
    assert f"store/campaigns/{begun.plan.campaign}/rounds/{begun.id}.json" in made
    assert b"no longer had them: 1 run of chain" in made["README.md"]
    assert json.loads(made["store/chain/campaign.json"])["runs"] == [run.run_id]
