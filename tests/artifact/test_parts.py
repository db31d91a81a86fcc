# SPDX-License-Identifier: Apache-2.0
"""The parts of an artifact on their own: texts, metadata, citation, checksums and the choice of runs."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from orchestrator import __version__
from orchestrator.artifact import citation, contents, crate, pack, texts, versions
from orchestrator.artifact.citation import About, Author
from orchestrator.artifact.contents import Chosen
from orchestrator.cli import app, export
from orchestrator.errors import FaultyInput, NoSuchThing, StorageFailed, WrongUsage
from orchestrator.runs.store import Damage
from tests import recorded

RECORDED = Path(__file__).with_name("recorded_texts")
ADA = Author("Lovelace", "Ada", "ada@example.org")
PLATO = Author("Plato", orcid="https://orcid.org/0000-0002-1825-0097")
ABOUT = About("Runs of größe", "MIT", (ADA, PLATO))


def run(cell: str, seed: int, outcome: str = "ok", rules: str = "5.0", host: str = "one"):
    return SimpleNamespace(
        cell=cell,
        seed=seed,
        run_id=f"{cell}{seed}",
        outcome=SimpleNamespace(value=outcome),
        engine=SimpleNamespace(name="embedded", version="7", rules=rules),
        orchestrate="0.0.9",
        firmware={"a": "f" * 4},
        built=SimpleNamespace(described=lambda: {"compiler": "gcc", "flags": "-O2"}),
        host={"name": host},
        started=f"2026-01-0{seed}T00:00:00Z",
        finished=f"2026-02-0{seed}T00:00:00Z",
    )


CHOSEN = Chosen(
    {"b": [run("y", 1)], "a": [run("x", 1), run("x", 2, "timed out", "2026.07", "two"), run("z", 2)]},
    ("nightly",),
    {"b": 1, "a": 2},
)
PATHS = [
    "store/a/metrics/per_run/0.parquet",
    "store/a/report/index.html",
    "store/a/scenario.yaml",
    "store/a/campaign.json",
    "store/firmware/00/apps/a/a.c",
]


@pytest.mark.parametrize(
    ("name", "chosen", "paths"),
    [("readme", CHOSEN, PATHS), ("readme-bare", Chosen({"b": [run("y", 1)]}), [])],
)
def test_the_readme_says_what_there_is(name, chosen, paths):
    text = texts.readme(ABOUT, chosen, paths).decode().replace(f"`orchestrate` {__version__}", "VERSION")
    recorded.same(text, RECORDED / f"{name}.text")
    assert texts.licence(ABOUT).decode().splitlines()[:4] == [
        "SPDX-License-Identifier: MIT",
        "",
        "The data of this artifact are under the licence MIT:",
        "https://spdx.org/licenses/MIT.html",
    ]


def entities(chosen: Chosen, paths: list[str]) -> dict[str, dict]:
    data = crate.metadata(ABOUT, chosen, "2026-02-03", paths)
    assert "größe".encode() in data and data.endswith(b"}\n")
    told = json.loads(data, object_pairs_hook=lambda pairs: pairs)
    assert [name for name, _ in told] == ["@context", "@graph"]
    for entity in told[1][1]:
        assert [name for name, _ in entity] == sorted(name for name, _ in entity)
    return {one["@id"]: one for one in json.loads(data)["@graph"]}


def test_the_crate_has_who_what_and_with_which_program():
    found = entities(CHOSEN, PATHS)
    root = found["./"]
    assert root["datePublished"] == "2026-02-03" and root["name"] == "Runs of größe"
    assert root["description"].startswith("4 runs of a and b: manifests, .csc files and logs, with ")
    assert [one["@id"] for one in root["author"]] == ["#Ada-Lovelace", PLATO.orcid]
    assert found["#Ada-Lovelace"] == {
        "@id": "#Ada-Lovelace", "@type": "Person", "name": "Ada Lovelace", "givenName": "Ada",
        "familyName": "Lovelace", "email": "ada@example.org",
    }  # fmt: skip
    assert found[PLATO.orcid] == {"@id": PLATO.orcid, "@type": "Person", "name": "Plato"}
    assert found["#orchestrate"]["softwareVersion"] == ", ".join(sorted({"0.0.9", __version__}))
    assert found["https://spdx.org/licenses/MIT"]["identifier"] == "MIT"
    assert [one["@id"] for one in root["mentions"]] == ["#simulation-of-a", "#simulation-of-b"]
    action = found["#simulation-of-a"]
    assert (action["startTime"], action["endTime"]) == ("2026-01-01T00:00:00Z", "2026-02-02T00:00:00Z")
    assert action["instrument"] == {"@id": "#orchestrate"} and action["result"] == {"@id": "store/a/runs/"}
    assert action["object"] == [{"@id": "store/a/scenario.yaml"}]
    assert found["store/a/runs/"]["name"] == "3 runs of a in 2 cells: x, z"
    assert found["store/b/runs/"]["name"] == "1 run of b in 1 cell: y"
    assert found["store/a/metrics/"]["name"].startswith("Metrics of a") and "store/b/metrics/" not in found
    assert found["store/a/report/index.html"]["encodingFormat"] == "text/html"
    assert found["store/a/campaign.json"]["encodingFormat"] == "application/json"
    assert found["store/firmware/"]["name"] and found["store/campaigns/nightly/"]["name"].endswith("nightly")
    for name, (what, kind) in crate.FILES.items():
        assert (found[name]["name"], found[name]["encodingFormat"]) == (what, kind)
    bare = entities(Chosen({"b": [run("y", 1)]}), [])
    assert "store/firmware/" not in bare and "store/campaigns/nightly/" not in bare
    assert bare["#simulation-of-b"]["object"] == []


def test_versions_are_told_once_each():
    told = versions.versions(CHOSEN)
    assert told["runs"] == {
        "orchestrate": ["0.0.9"],
        "engines": ["embedded 7"],
        "rules": ["2026.07", "5.0"],
        "firmware": ["ffff"],
        "built": [{"compiler": "gcc", "flags": "-O2"}],
        "hosts": [{"name": "one"}, {"name": "two"}],
    }
    assert told["export"]["orchestrate"] == __version__ and told["export"]["host"]


def test_packages_are_those_that_are_needed_and_installed(monkeypatch):
    """One that isn't installed, or that two others need, or that only an extra needs."""
    needs = {
        "cooja-orchestrate": ["a>=1", "gone", "b (<2)"],
        "a": ["B.b; python_version>'3'", "c; extra == 'x'"],
        "b": None,
        "B.b": ["a"],
    }

    def distribution(name):
        if name not in needs:
            raise versions.metadata.PackageNotFoundError(name)
        return SimpleNamespace(metadata={"Name": name}, version=f"{len(name)}.0", requires=needs[name])

    monkeypatch.setattr(versions.metadata, "distribution", distribution)
    assert versions.packages() == {"a": "1.0", "b": "1.0", "b-b": "3.0", "cooja-orchestrate": "17.0"}


def test_a_citation_has_what_is_known_of_each_author():
    text = citation.written(ABOUT, "2026-02-03")
    assert "title: Runs of größe\n" in text
    assert yaml.safe_load(text) == {
        "cff-version": "1.2.0",
        "message": "If you use these data, please cite them as below.",
        "type": "dataset",
        "title": "Runs of größe",
        "authors": [
            {"family-names": "Lovelace", "given-names": "Ada", "email": "ada@example.org"},
            {"family-names": "Plato", "orcid": PLATO.orcid},
        ],
        "license": "MIT",
        "date-released": "2026-02-03",
    }
    assert list(yaml.safe_load(text))[:4] == ["cff-version", "message", "type", "title"]


@pytest.mark.parametrize(
    ("name", "text", "line", "what"),
    [
        ("a.cff", "a: 1\nb: [\n", 3, "not YAML"),
        ("a.cff", "[" * 600, 0, "not YAML"),
        ("a.cff", "- a\n", 1, "not a CITATION.cff"),
        ("a.cff", "{cff-version: 1, message: m, title: t, authors: Ada}", 0,
         "authors is not a list of persons"),
        ("a.cff", "{cff-version: 1, message: m, title: t, authors: [Ada]}", 0,
         "authors is not a list of persons"),
        ("a.json", "{\n,", 2, "not JSON"),
        ("a.json", "[" * 100_000, 0, "not JSON"),
        ("a.json", "[]", 0, "no author with a name"),
        ("a.json", '{"author": ["Ada"]}', 0, "no author with a name"),
        ("a.json", '{"author": [{"familyName": "A"}, {"email": "b"}]}', 0, "no author with a name"),
    ],
)  # fmt: skip
def test_what_is_no_citation_has_a_line(name, text, line, what, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises(FaultyInput) as raised:
        citation.about(None, "MIT", [], tmp_path / name, "x")
    (fault,) = raised.value.faults
    assert (fault.line, fault.what) == (line, what)
    assert "https://" in fault.remedy


@pytest.mark.parametrize(
    ("data", "authors"),
    [
        ({"author": [{"name": "Plato", "@id": PLATO.orcid}]}, (PLATO,)),
        ({"author": {"name": "Plato", "id": "https://example.org/plato"}}, (Author("Plato"),)),
        ({"author": {"familyName": "Lovelace", "givenName": "Ada", "email": "ada@example.org"}}, (ADA,)),
    ],
)
def test_authors_of_a_codemeta(data, authors, tmp_path):
    (tmp_path / "codemeta.json").write_text(json.dumps(data))
    said = citation.about(None, "MIT", [], tmp_path / "codemeta.json", "x")
    assert (said.title, said.authors, said.cff) == ("Simulation runs of x", authors, "")


def test_authors_of_a_citation_may_be_entities(tmp_path):
    file = tmp_path / "CITATION.cff"
    file.write_text("{cff-version: 1, message: m, title: 7, authors: [{name: We}, {alias: me}, {}]}")
    said = citation.about("Mine", "MIT", [], file, "x")
    assert said.authors == (Author("We"), Author("me"), Author("")) and said.title == "Mine"
    assert citation.about(None, "MIT", [], file, "x").title == "7"


def test_everything_that_is_missing_is_said_in_one_message(tmp_path):
    (tmp_path / "codemeta.json").write_text(json.dumps({"author": {"name": "A"}}))
    with pytest.raises(WrongUsage) as raised:
        citation.about(None, "mit", ["<x>", "A <b@c.d> e"], tmp_path / "codemeta.json", "x")
    assert str(raised.value).splitlines() == [
        "an artifact needs to say who may use it and who made it:",
        "    a licence that SPDX knows: 'mit' is not its identifier; did you mean MIT?",
        "    the authors once: --author or --citation, not both",
        "    an author that can be read: '<x>' is not \"Name <email>\"",
        "    an author that can be read: 'A <b@c.d> e' is not \"Name <email>\"",
    ]
    with pytest.raises(WrongUsage, match="the list is at https://spdx.org/licenses"):
        citation.about(None, "nothing", ["A"], None, "x")


def test_damaged_runs_are_listed_up_to_twenty():
    def told(number: int) -> list[str]:
        with pytest.raises(StorageFailed) as raised:
            contents._undamaged([Damage("e", f"r{at}", "odd") for at in range(number)])
        return str(raised.value).splitlines()

    contents._undamaged([])
    assert told(1) == [
        "nothing was exported, as 1 run can't be trusted:",
        "    e/r0: odd",
        "    remove them (`orchestrate runs remove`) and run the scenario again",
    ]
    assert len(told(20)) == 22 and told(20)[-2] == "    e/r19: odd"
    assert told(21)[-2] == "    and 1 more; `orchestrate runs verify` lists them"


def test_a_zip_depends_on_nothing_but_its_content(tmp_path):
    told = []
    made = {"b": b"2" * 1000, "a/c": b"1"}
    pack.write(made, tmp_path / "x.zip", lambda done, total: told.append((done, total)))
    with zipfile.ZipFile(tmp_path / "x.zip") as packed:
        assert [
            (one.filename, one.date_time, one.create_system, one.external_attr >> 16, one.compress_type)
            for one in packed.infolist()
        ] == [(name, (1980, 1, 1, 0, 0, 0), 3, 0o644, zipfile.ZIP_DEFLATED) for name in ("a/c", "b")]
    assert told == [(1, 2), (2, 2)]
    told.clear()
    (tmp_path / "y").mkdir()
    pack.write(made, tmp_path / "y", lambda done, total: told.append((done, total)))
    assert (tmp_path / "y" / "a" / "c").read_bytes() == b"1" and told == [(1, 2), (2, 2)]
    assert sorted(os.listdir(tmp_path)) == ["x.zip", "y"]


def test_what_can_not_be_written_leaves_nothing(tmp_path):
    with pytest.raises(StorageFailed) as raised:
        pack.write({"a": tmp_path / "gone"}, tmp_path / "x.zip")
    assert str(raised.value) == (
        f"{tmp_path / 'x.zip'} can't be written: No such file or directory\n"
        "    free space, or name another with -o"
    )
    assert os.listdir(tmp_path) == []


def test_where_an_artifact_can_go(tmp_path):
    (tmp_path / "empty").mkdir()
    pack.free(tmp_path / "empty")
    pack.free(tmp_path / "new.zip")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    for there in ("full", "full/file"):
        with pytest.raises(WrongUsage, match="already exists\n    name another one with -o"):
            pack.free(tmp_path / there)
    with pytest.raises(NoSuchThing, match="there is no folder .*none\n    make it, or name another one"):
        pack.free(tmp_path / "none" / "x")


def test_a_zip_that_is_damaged_is_told(tmp_path):
    pack.write({"a": os.urandom(5000) + b"a" * 5000}, tmp_path / "x.zip")
    data = bytearray((tmp_path / "x.zip").read_bytes())
    data[100:140] = b"\xff" * 40
    (tmp_path / "x.zip").write_bytes(data)
    with pytest.raises(StorageFailed, match="not a readable .zip: .*\n    fetch it again"):
        with pack.opened(tmp_path / "x.zip"):
            pass


def test_files_are_compared_with_their_checksums_and_none_outside_is_read(tmp_path):
    folder = tmp_path / "folder"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "same").write_text("1")
    (folder / "other").write_text("2")
    (tmp_path / "outside").write_text("3")
    digest = hashlib.sha256(b"1").hexdigest()
    outside = hashlib.sha256(b"3").hexdigest()
    (folder / pack.CHECKSUMS).write_text(
        f"{digest}  sub/same\n{digest}  other\n{digest}  sub\n"
        f"{outside}  ../outside\n{outside}  {tmp_path}/outside\n"
    )
    missing = "No such file or directory"
    assert pack.damage(folder) == [
        "other was changed", f"sub: {missing}", f"../outside: {missing}", f"{tmp_path}/outside: {missing}",
    ]  # fmt: skip
    (folder / pack.CHECKSUMS).write_bytes(b"\xff\xff")
    with pytest.raises(
        StorageFailed, match="checksums.sha256 can't be read: .*\n    fetch the artifact again"
    ):
        pack.damage(folder)


@pytest.mark.parametrize(
    ("outcomes", "renewed", "steps"),
    [(["ok"], True, ["renew", "write"]), (["ok", "failed"], None, ["renew"]), (["failed"], True, [])],
)
def test_reports_are_renewed_if_runs_went_well(outcomes, renewed, steps, tmp_path, monkeypatch):
    done, said = [], []
    monkeypatch.setattr(
        "orchestrator.execution.fresh.renew", lambda folder: (done.append("renew"), renewed)[1]
    )
    monkeypatch.setattr("orchestrator.report.page.write", lambda path, name: done.append("write"))
    (tmp_path / "a").mkdir()
    store = SimpleNamespace(path=tmp_path, experiment=lambda name: tmp_path / name)
    runs = Chosen({"a": [run("x", number, one) for number, one in enumerate(outcomes)]})
    export._renew(store, runs, said.append)
    assert (done, said) == ([], [])  # its list of runs is not there
    (tmp_path / "a" / "campaign.json").touch()
    export._renew(store, runs, said.append)
    assert done == steps and said == (["metrics and report of a"] if steps else [])


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["a"], "name what to export"),
        (["-o", "x"], "name what to export"),
        (["a", "--check", "x"], "leave out names and -o"),
        (["-o", "y", "--check", "x"], "leave out names and -o"),
    ],
)
def test_either_something_is_exported_or_checked(args, told, capsys):
    from orchestrator.cli.app import main

    assert main(["export", *args]) == 2
    assert told in capsys.readouterr().err


def test_damaged_files_are_listed_up_to_a_number(tmp_path, capsys):
    from orchestrator.cli.app import main

    (tmp_path / "x" / "store").mkdir(parents=True)
    for number in range(export._SHOWN + 2):
        (tmp_path / "x" / f"more{number:02}").touch()
    (tmp_path / "x" / pack.CHECKSUMS).touch()
    assert main(["export", "--check", str(tmp_path / "x")]) == 8
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"files: {export._SHOWN + 2} damaged" and lines[1] == "    more00 is not listed"
    assert lines[export._SHOWN + 1] == "    and 2 more"
    (tmp_path / "x" / "more00").unlink()
    (tmp_path / "x" / "more01").unlink()
    assert main(["export", "--check", str(tmp_path / "x")]) == 8
    assert "more\n" not in capsys.readouterr().out


def test_a_zip_that_unpacks_to_more_than_an_artifact_does_is_not_unpacked(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        with packed.open("zeros", "w") as stream:
            for _ in range(1100):
                stream.write(bytes(1 << 20))
    with pytest.raises(StorageFailed, match=r"no artifact unpacks to 1 files and 1,153,433,600 bytes"):
        with pack.opened(tmp_path / "x.zip"):
            pass


def test_names_in_a_foreign_artifact_do_not_command_the_terminal(tmp_path, capsys):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as packed:
        packed.writestr(pack.CHECKSUMS, f"{'0' * 64}  \x1b]0;title\x07\x1b[2J\x9b31m\n")
        packed.writestr("\x1b[31mred", "")
    app.main(["export", "--check", str(tmp_path / "x.zip")])
    said = capsys.readouterr()
    printed = (said.out + said.err).replace("\n", "")
    assert printed.isprintable() and r"\x1b[2J" in printed and r"\x1b[31mred is not listed" in printed
