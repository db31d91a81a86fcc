# SPDX-License-Identifier: Apache-2.0
"""What `simulate`, `runs`, `query`, `build`, `doctor` and the overview print, as it was last looked at."""

from __future__ import annotations

import hashlib
import json
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest
from rich.text import Text

from orchestrator import doctor
from orchestrator.build import elf
from orchestrator.cli import build, query, simulate, simulate_results
from orchestrator.cli.app import main
from orchestrator.cli.simulate_results import described, not_run, row, summary, table
from orchestrator.engines.log import SCRIPT_ERROR
from orchestrator.errors import BuildFailed, MissingTool, RunFailed, Unsupported, WrongUsage
from orchestrator.execution.simulations import Ended, Task
from orchestrator.runs.model import Outcome, RunResult
from tests import manifests, recorded

RECORDED = Path(__file__).with_name("recorded_results")


def known(text: str, name: str) -> None:
    recorded.same(text, RECORDED / f"{name}.txt")


def printed(*parts: object) -> str:
    """As it is shown in a wide terminal, with the marks of its colours."""
    lines = [
        line
        for part in parts
        for line in ([Text(part)] if isinstance(part, str) else part.lines(110))
    ]  # fmt: skip
    return "".join(line.markup + "\n" for line in lines)


def task(name: str, seed: int | None = None) -> Task:
    return Task(Path(f"suite/{name}.csc"), seed, Path("out") / name, name)


def ended(name: str, outcome: Outcome, *evidence: str, sim_us: int = 2_500_000, events: int = 1234) -> Ended:
    return Ended(task(name), 7, RunResult(outcome, sim_us, 12.3456789, events, 3 << 19, evidence))


ROWS = [
    row(ended("a/ok", Outcome.OK)),
    row(ended("a/b/failed", Outcome.FAILED, "the script says so", f"{SCRIPT_ERROR} x is not defined")),
    row(ended("a/b/timed-out", Outcome.NO_VERDICT, "no verdict", sim_us=3_600_000_000)),
    row(ended("crashed", Outcome.CRASH, "mote 3: SIGSEGV", "its last line", events=0)),
    row(Ended(task("unsupported", 5), error=Unsupported("no sky\n    use another"))),
    row(Ended(task("unbuilt"), error=BuildFailed("make: failed"))),
    row(Ended(task("c/wrong"), error=WrongUsage("wrong"))),
    row(Ended(task("c/lost"), error=RunFailed("lost"))),
    row(Ended(task("c/nothing"))),
    row(Ended(task("c/no-tool"), error=MissingTool("no gcc"))),
    row(Ended(task("c/full"), error=OSError(28, "No space left on device"))),
    not_run(task("z/left", 9)),
]


def test_the_end_of_several_simulations():
    known(printed(*table(ROWS, 4000.0)), "simulations")
    known(printed(*table([ROWS[0]], 0.5)), "simulation-alone")
    known(
        "".join(f"{one.line()}\n  {one.told()} {one.code} {one.failed}\n" for one in ROWS), "simulation-lines"
    )
    known(json.dumps([described(one) for one in ROWS], indent=1) + "\n", "simulations-json")
    assert summary([], 0.0) == "0 simulations: ; 0.0 simulated minutes in 0.0 s"


def test_how_far_several_simulations_are():
    told = simulate._progress(ROWS, 20, 60.0)
    assert (told.total, told.found, told.made, told.failed) == (20, 0, 12, 11)
    assert told.sim_us == 3 * 2_500_000 + 3_600_000_000 and told.elapsed_s == 60.0
    assert simulate_results.worst(ROWS[:-1]) == 8


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
    text = f"{said.out}--\n{said.err}"
    for run, run_id in ids.items():
        for length in (20, 12, 8):
            text = text.replace(run_id[:length], run * length)
    known(text, f"runs-{name}")


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


ANSWER = pa.table(
    {
        "cell": ["a", None],
        "n": pa.array([1063, None], pa.int64()),
        "share": [0.5, float("nan")],
        "price": pa.array([Decimal("1.50"), None]),
        "day": [date(2026, 1, 2), None],
        "events": [[{"publisher": 3, "day": date(2026, 1, 2)}], []],
        "yes": [True, False],
    }
)


@pytest.mark.parametrize(("name", "words"), [("shown", []), ("csv", ["--csv"]), ("json", ["--json"])])
def test_rows_of_a_query(name, words, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(query, "_asked", lambda args, text: ANSWER)
    assert main(["query", "select 1", *words]) == 0
    known(capsys.readouterr().out, f"query-{name}")


@pytest.mark.parametrize(("count", "note"), [(0, "no rows"), (1, ""), (200, ""), (201, "the first 200 rows")])
def test_how_many_rows_are_shown(count, note, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(
        query, "_asked", lambda args, text: pa.table({"n": pa.array(range(count), pa.int64())})
    )
    assert main(["query", "select 1"]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 3 + min(count, 200) + bool(note)
    assert out.endswith(
        f"{note}; --csv, --json or --out FILE gives all\n" if count > 200 else f"\n{note}\n" if note else "\n"
    )
    assert main(["query", "select 1", "--out", str(tmp_path / "rows.csv")]) == 0
    assert capsys.readouterr().out == f"{count} row{'s' * (count != 1)} in {tmp_path / 'rows.csv'}\n"
    assert (tmp_path / "rows.csv").read_text().count("\n") == count + 1


def test_the_tables_that_can_be_asked(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    fields = pa.schema([("cell", pa.string()), ("seed", pa.int64())])
    monkeypatch.setattr("orchestrate_spark.stores.names", lambda: {"runs": fields, "nodes": fields})
    said = ""
    for words in ([], ["runs"], ["--json"], ["nodes", "--json"]):
        assert main(["query", "--tables", *words]) == 0
        said += capsys.readouterr().out
    assert main(["query", "--tables", "node"]) == 9
    known(said + capsys.readouterr().err, "query-tables")


def test_the_overview(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    assert main([]) == 2
    overview = capsys.readouterr().out
    known(overview, "overview")
    for word in ("--help", "-h"):
        with pytest.raises(SystemExit) as end:
            main([word])
        assert end.value.code == 0 and capsys.readouterr().out == overview


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


def test_what_this_machine_has(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "60")
    told = [
        doctor.Check("gcc", "ok", "14.2", ""),
        doctor.Check(
            "a JVM", "missing", "none of at least 17", "apt-get install one of several packages of it"
        ),
        doctor.Check(
            "Docker", "absent", "/a/path/without/blanks/that/is/longer/than/the/terminal/is", "none"
        ),
    ]
    asked = []
    monkeypatch.setattr(doctor, "checks", lambda *where: asked.append(where) or told)
    assert main(["doctor", "--store", "here"]) == 5
    known(capsys.readouterr().out, "doctor")
    ((store, cache),) = asked
    assert store == Path("here") and cache.name == "orchestrate"


@pytest.mark.parametrize(
    ("target", "sizes"),
    [("cooja", "text 1,000, data 20, bss 3"), ("native", "text 1,000, data 20, bss 3"),
     ("zoul", "text 1,000, data 20, bss 3, flash 1,020, RAM 23")],
)  # fmt: skip
def test_what_was_built(target, sizes, monkeypatch):
    monkeypatch.setattr(elf, "sizes", lambda path: {"text": 1000, "data": 20, "bss": 3})
    made = SimpleNamespace(path=Path("a.cooja"), sha256="f00", key="b4a")
    said = build._text(target, made, {"source": "embedded", "compiler": "gcc 14"})
    assert said == f"a.cooja\n{sizes} bytes\nsha256 f00\nkey    b4a\nsource embedded\ncompiler gcc 14"
    args = SimpleNamespace(application="apps/../hello", target=target, variant=[("MAC", "csma")])
    assert build._plain(args, made) == {
        "application": "hello",
        "target": target,
        "variant": {"MAC": "csma"},
        "path": "a.cooja",
        "sha256": "f00",
        "key": "b4a",
        "sizes": {"text": 1000, "data": 20, "bss": 3},
    }


def test_a_query_needs_words(capsys, monkeypatch):
    for words in (["query"], ["query", " "]):
        assert main(words) == 2
        assert "no query" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(read=lambda: "\n"))
    assert main(["query", "-"]) == 2
