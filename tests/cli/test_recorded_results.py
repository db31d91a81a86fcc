# SPDX-License-Identifier: Apache-2.0
"""What `simulate`, `runs`, `query`, `build`, `doctor` and the overview print, as it was last looked at."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from orchestrator.cli.app import main
from tests import manifests

MOTE = {"mote": 1, "name": "S", "role": "subscriber", "x": 0.0, "y": 1.5, "parent": 0}
RUNS = {
    "a": {"cell": "H5", "seed": 2, "outcome": "crash", "evidence": ["mote 3\tread " + "x" * 80]},
    "b": {"cell": "H5", "seed": 1, "settings": {"load": "H", "publishers": 5}},
    "c": {"cell": "L5", "engine": {"name": "cooja", "version": "2", "rules": "2026.07"}},
    "d": {"experiment": "other", "seed": 3, "motes": [MOTE]},
}


@pytest.fixture(scope="module")
def ids() -> dict[str, str]:
    """The runs' ids, which are made of what their manifests say."""
    return {name: manifests.manifest(**content(run)).expected_run_id() for name, run in RUNS.items()}


def content(run: dict) -> dict:
    log, csc = (hashlib.sha256(text).hexdigest() for text in (LOG, CSC))
    return {"log_sha256": log, "csc_sha256": csc, "firmware": {}, "trend_id": "7" * 20} | run


LOG, CSC = b"1\tID:1\ta\n", b"<simconf/>"


@pytest.fixture(scope="module")
def store(tmp_path_factory, ids) -> Path:
    """A store with three runs of two cells, and another experiment; the log of one run is damaged."""
    folder = tmp_path_factory.mktemp("stored") / "store"
    for name, run in RUNS.items():
        made = manifests.content(ids[name], **content(run))
        place = folder / made["experiment"] / "runs" / ids[name]
        place.mkdir(parents=True)
        (place / "manifest.json").write_text(json.dumps(made))
        (place / "COOJA.testlog").write_bytes(LOG + (b"more" if name == "c" else b""))
        (place / "simulation.csc").write_bytes(CSC)
    return folder


@pytest.mark.parametrize(
    ("name", "words", "code"),
    [
        ("list", ["list"], 0),
        ("list-json", ["list", "--json"], 0),
        ("list-trial", ["list", "trial"], 0),
        ("list-trial-json", ["list", "trial", "--json"], 0),
        ("list-one", ["list", "trial", "B"], 0),
        ("list-cell", ["list", "trial/H5"], 0),
        ("show", ["show", "trial", "A", "B"], 0),
        ("show-json", ["show", "trial", "A", "--json"], 0),
        ("show-motes", ["show", "other/base/3"], 0),
        ("verify", ["verify"], 8),
        ("verify-json", ["verify", "--json"], 8),
        ("verify-good", ["verify", "trial", "A", "B"], 0),
        ("verify-other", ["verify", "other"], 0),
        ("show-nothing", ["show", "trial"], 2),
        ("show-no-experiment", ["show"], 2),
        ("remove-unasked", ["remove", "trial/H5"], 2),
        ("remove-unasked-one", ["remove", "trial", "A"], 2),
        ("of-two", ["show", "trial/H5/1", "other/base/3", "trial/L5/1"], 2),
    ],
)
def test_stored_runs(name, words, code, store, ids, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    words = [ids[word.lower()] if word in "ABCD" else word for word in words]
    monkeypatch.chdir(store.parent)  # the folder's name is as long everywhere
    assert main(["runs", *words, "--store", "store"]) == code
    said = capsys.readouterr()
    assert (said.out if code in (0, 8) else said.err).strip()
    if "--json" in words:
        json.loads(said.out)


@pytest.mark.parametrize(
    ("answer", "left", "code"), [("y", 0, 0), (" YES ", 0, 0), ("", 2, 130), ("yess", 2, 130), ("n", 2, 130)]
)
def test_what_is_removed_after_asking(answer, left, code, tmp_path, monkeypatch, capsys):
    for run in ("a", "b"):
        (tmp_path / "e" / "runs" / (run * 20)).mkdir(parents=True)
        (tmp_path / "e" / "runs" / (run * 20) / "manifest.json").write_text("{}")
    asked = []
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("builtins.input", lambda question: asked.append(question) or answer)
    assert main(["runs", "remove", "e", "--store", str(tmp_path)]) == code
    assert asked == [f"remove 2 runs of e from {tmp_path}? [y/N] "]
    assert len(list((tmp_path / "e").glob("runs/*/manifest.json"))) == left
    assert capsys.readouterr().out == ("nothing removed\n" if code else "2 removed\n")
    if left:
        assert main(["runs", "remove", "e", "aa", "--store", str(tmp_path), "--yes", "--json"]) == 0
        assert json.loads(capsys.readouterr().out) == {"removed": ["a" * 20]} and len(asked) == 1
        assert main(["runs", "remove", "e", "--store", str(tmp_path)]) == code
        assert asked[1] == f"remove 1 run of e from {tmp_path}? [y/N] "


def test_a_store_without_experiments(tmp_path, capsys):
    for words, out in (([], ""), (["--json"], "[]\n")):
        assert main(["runs", "list", "--store", str(tmp_path), *words]) == 0
        said = capsys.readouterr()
        told = f"no experiments in {tmp_path}; `orchestrate run SCENARIO` makes some, --store names another "
        told += "folder\n"
        assert said.out == out and said.err == ("" if words else told)
    assert main(["runs", "remove", "--store", str(tmp_path)]) == 2
    assert capsys.readouterr().err == "orchestrate: name an experiment; there are: none\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rnu"], "no command 'rnu'; did you mean 'run'?"),
        (["xyzzy"], "no command 'xyzzy'"),
        (["--versoin"], "unrecognized arguments: --versoin; did you mean --version?"),
        (["doctor", "--jsn"], "unrecognized arguments: --jsn; did you mean --json?"),
        (["doctor", "--xyzzy=3"], "unrecognized arguments: --xyzzy=3"),
        (["doctor", "more"], "unrecognized arguments: more"),
        (
            ["completion", "bsh"],
            "argument shell: invalid choice: 'bsh'; did you mean bash? there are: bash, zsh, fish",
        ),
    ],
)
def test_words_that_are_not_known(words, said, capsys):
    assert main(words) == 2
    program = " ".join(["orchestrate", *words[:1]]) if len(words) > 1 else "orchestrate"
    assert capsys.readouterr().err == f"orchestrate: {said}\n    `{program} --help` lists what it accepts\n"


def test_a_query_needs_words(capsys, monkeypatch):
    for words in (["query"], ["query", " "]):
        assert main(words) == 2
        assert "no query" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(read=lambda: "\n"))
    assert main(["query", "-"]) == 2
