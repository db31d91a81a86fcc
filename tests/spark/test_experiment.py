# SPDX-License-Identifier: Apache-2.0
"""What is taken of manifests and of logs without one: every field, and what does not fit."""

from __future__ import annotations

import hashlib
import json

import pytest
from orchestrate_spark import experiment
from orchestrate_spark.errors import Fault, FaultyLog
from orchestrate_spark.experiment import Run, Skipped

MANIFEST = {
    "format": 1,
    "run_id": "ab",
    "trend_id": "cd",
    "experiment": "exp",
    "cell": "A",
    "seed": 7,
    "outcome": "ok",
    "finished": "2026-01-02T03:04:05.678+00:00",
    "settings": {"b": 1, "a": [2]},
    "parameters": {"name": "A", "application": {"name": "x", "parameters": {"aggregate": True, "rate": 1}}},
    "statistics": {"sim_us": 5, "wall_s": 1.5},
    "engine": {"name": "embedded", "version": "v1", "rules": "5.0"},
    "motes": [
        {"mote": 1, "name": "S", "role": "subscriber", "x": 0, "y": 1.5, "parent": 0},
        {"mote": 2, "name": "", "role": 5, "x": "far", "y": True, "parent": None},
    ],
    "log_sha256": "0" * 64,
}


@pytest.fixture
def read(tmp_path):
    """A function that reads a run whose manifest has these changes."""

    def made(**changes) -> Run:
        folder = tmp_path / "ab"
        folder.mkdir(exist_ok=True)
        content = {**MANIFEST, **changes}
        text = json.dumps({name: value for name, value in content.items() if value is not ...})
        (folder / "manifest.json").write_text(text)
        (folder / "COOJA.testlog").write_bytes(b"12345")
        return experiment.read_run(folder)

    return made


def test_everything_of_a_manifest(read, tmp_path):
    run = read()
    text = (tmp_path / "ab" / "manifest.json").read_bytes()
    row = run.row
    assert replaced(run) == Run(
        "ab",
        "exp",
        "A",
        7,
        str(tmp_path / "ab" / "COOJA.testlog"),
        5,
        hashlib.sha256(text + b"5").hexdigest()[:20],
        {},
        (
            {"mote": 1, "name": "S", "role": "subscriber", "x": 0.0, "y": 1.5, "parent": 0},
            {"mote": 2, "name": "mote 2", "role": None, "x": None, "y": None, "parent": None},
        ),
        False,
        "0" * 64,
    )
    assert {name: value for name, value in row.items() if name not in ("pair", "parameters")} == {
        "trend_id": "cd",
        "outcome": "ok",
        "finished": MANIFEST["finished"],
        "aggregate": True,
        "settings": '{"a":[2],"b":1}',
        "statistics": '{"sim_us":5,"wall_s":1.5}',
        "engine": "embedded",
        "engine_version": "v1",
        "rules": "5.0",
        "sim_us": 5,
        "wall_s": 1.5,
    }
    assert json.loads(row["parameters"]) == MANIFEST["parameters"] and len(row["pair"]) == 16


def replaced(run: Run) -> Run:
    from dataclasses import replace

    return replace(run, row={})


def pair(read, **changes) -> str:
    return read(parameters={**MANIFEST["parameters"], **changes}).row["pair"]


NEEDED = ("run_id", "experiment", "cell", "seed", "outcome")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"format": 2}, "manifest.json is of format 2, known is 1"),
        *(({name: ...}, f"manifest.json has no {name}") for name in NEEDED),
        ({"cell": 5}, "manifest.json has no cell"),
        ({"seed": True}, "manifest.json has no seed"),
        ({"seed": 2**63}, "manifest.json has a seed of more than 64 bits"),
        ({"seed": -(2**63) - 1}, "manifest.json has a seed of more than 64 bits"),
        ({"run_id": "cd"}, "manifest.json names run 'cd': the folder was renamed or copied"),
        ({"motes": [{"name": "S"}]}, "manifest.json has a mote without a number"),
        ({"motes": [5]}, "manifest.json has a mote without a number"),
    ],
)
def test_what_no_table_can_be_made_of(read, changes, said):
    with pytest.raises(ValueError, match=f"^{said}$"):
        read(**changes)


# --- logs without a manifest


@pytest.mark.parametrize(
    ("source", "seed"),
    [
        ({"experiment": "e", "cell": "c", "seed": 5}, 5),
        ({"experiment": "e", "cell": "c", "seed": None}, 0),
        ({"experiment": "e", "cell": "c", "seed": 2**63}, 0),
        ({"experiment": "e", "cell": "c", "seed": -(2**63)}, -(2**63)),
        ({"experiment": "e", "cell": "c"}, 0),
    ],
)
def test_a_log_of_another_program_is_a_run(tmp_path, source, seed):
    (tmp_path / "source.json").write_text(json.dumps(source))
    (tmp_path / "COOJA.testlog").write_bytes(b"123")
    run = experiment.read_foreign(tmp_path)
    assert (run.run_id, run.experiment, run.cell, run.seed) == (tmp_path.name, "e", "c", seed)
    assert (run.size, run.row, run.motes, run.foreign, run.sha256) == (
        3,
        {"outcome": "unknown"},
        (),
        True,
        None,
    )


LOG = b"Random seed: 17\n1\tID:3\thello\n"


@pytest.mark.parametrize(
    ("name", "cell", "called"),
    [
        ("COOJA.testlog", None, "some"),
        ("mine.log", None, "mine"),
        ("mine.log", "B", "B"),
    ],
)
def test_a_log_is_copied_with_the_name_of_its_cell(tmp_path, name, cell, called):
    log = tmp_path / "some" / name
    log.parent.mkdir()
    log.write_bytes(LOG)
    (folder,) = experiment.add_logs(tmp_path / "exp", [log], cell)
    assert folder == tmp_path / "exp" / "logs" / hashlib.sha256(LOG).hexdigest()[:20]
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        "COOJA.testlog": LOG,
        "source.json": json.dumps(
            {"experiment": "exp", "cell": called, "seed": 17, "log": name}, indent=2
        ).encode()
        + b"\n",
    }


BLOCK = 1 << 20
NO_LINE = "not a log: no line of it has time, tab, ID:mote, tab and text"


@pytest.mark.parametrize(
    ("data", "line", "what"),
    [
        (b"", 0, "the file is empty"),
        (b"words\n", 0, NO_LINE),
        (b"5\tID:x\thello\n", 0, NO_LINE),
        (b" 5\tID:1\thello\n", 0, NO_LINE),
        ("5\tID:1\thello\n".encode("utf-16-le"), 0, NO_LINE),
        ("5\tID:1\thello\n".encode("utf-16"), 1, "the file is in UTF-16, no log of Cooja's is"),
        (b"\xfe\xff" + b"x" * BLOCK, 1, "the file is in UTF-16, no log of Cooja's is"),
        (b"x" * BLOCK + b"5\tID:1\thello\n", 0, NO_LINE),
    ],
)
def test_what_is_no_log_says_why(tmp_path, data, line, what):
    (tmp_path / "log").write_bytes(data)
    with pytest.raises(FaultyLog) as raised:
        experiment.add_logs(tmp_path / "exp", [tmp_path / "log"])
    ((flaw),) = raised.value.faults
    remedies = {
        "the file is empty": "was the simulation ended before it began? name another COOJA.testlog",
        "the file is in UTF-16, no log of Cooja's is": "convert it: iconv -f UTF-16 -t UTF-8 FILE > NEW",
        NO_LINE: "name a COOJA.testlog, as `orchestrate simulate` and Cooja's script runner write it",
    }
    assert flaw == Fault(str(tmp_path / "log"), line, what, remedies[what])
    assert not (tmp_path / "exp").exists()


# --- which logs are what their runs wrote


@pytest.mark.parametrize(
    ("sha256", "log", "why"),
    [
        (None, "other", None),
        (hashlib.sha256(b"log").hexdigest(), "log", None),
        (
            "0" * 64,
            "log",
            "COOJA.testlog is not what the run wrote (its SHA-256 is not that of the manifest)",
        ),
        ("0" * 64, None, "COOJA.testlog cannot be read: No such file or directory"),
    ],
)
def test_a_log_that_is_not_its_run_s(tmp_path, sha256, log, why):
    path = tmp_path / "ab" / "COOJA.testlog"
    path.parent.mkdir()
    if log is not None:
        path.write_text(log)
    found = experiment.damage(Run("ab", "e", "c", 1, str(path), 3, "", sha256=sha256))
    assert found == (None if why is None else Skipped(str(path.parent), why))


def test_only_runs_that_are_named_are_looked_for(tmp_path):
    for run_id, cell, seed in (("aa", "B", 1), ("bb", "A", 2), ("cc", "A", 1)):
        folder = tmp_path / "runs" / run_id
        folder.mkdir(parents=True)
        content = {**MANIFEST, "run_id": run_id, "cell": cell, "seed": seed}
        (folder / "manifest.json").write_text(json.dumps(content))
    (tmp_path / "runs" / "ab").mkdir()  # a run that is not finished is passed over
    (tmp_path / "runs" / "a file").touch()
    found, skipped = experiment.find_runs(tmp_path)
    assert [run.run_id for run in found] == ["cc", "bb", "aa"] and skipped == [], "by cell and seed"
    assert [run.run_id for run in experiment.find_runs(tmp_path, ["ab", "bb"])[0]] == ["bb"]
    assert [run.run_id for run in experiment.find_runs(tmp_path, ["aa", "none"])[0]] == ["aa"]
    assert experiment.find_runs(tmp_path, []) == ([], []), "none is no fault if none was asked for"
    (tmp_path / "runs" / "bb" / "manifest.json").write_text("{}")
    found, skipped = experiment.find_runs(tmp_path)
    assert [run.run_id for run in found] == ["cc", "aa"]
    assert skipped == [Skipped(str(tmp_path / "runs" / "bb"), "manifest.json is of format None, known is 1")]
