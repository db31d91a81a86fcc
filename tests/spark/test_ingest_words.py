# SPDX-License-Identifier: Apache-2.0
"""What `orchestrate ingest` does with its operands, asks of the jobs, prints and warns of; stand-ins take the
places of the jobs.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from pathlib import Path

import orchestrate_spark.experiment
import orchestrate_spark.jobs.ingest
import orchestrate_spark.jobs.metrics
import orchestrate_spark.jobs.stream
import orchestrate_spark.load
import pyarrow
import pytest
from orchestrate_spark import errors
from orchestrate_spark.experiment import Skipped
from orchestrate_spark.jobs.ingest import Ingested
from orchestrate_spark.jobs.metrics import Computed

import orchestrator.report.page
from orchestrator.cli import ingest as command
from orchestrator.cli.app import main
from orchestrator.errors import FaultyInput, MissingTool, NoSuchThing, StorageFailed, WrongUsage
from orchestrator.execution import fresh
from orchestrator.runs import campaign as campaigns
from orchestrator.runs.store import Store
from tests.recorded import same

RECORDED = Path(__file__).parent / "recorded"
BAD = "b" * 20
DONE = Ingested(
    1200,
    ("a", "b"),
    ("c",),
    (Skipped("there/runs/odd", "is of format 2"),),
    3,
    (Skipped(f"there/runs/{BAD}", "COOJA.testlog is not what the run wrote"),),
    ("runs/x.parquet",),
    ("aa", "bb"),
)
QUIET = Ingested(1, ("a",), (), (), 1)
COMPUTED = Computed(4, dropped=("own", "mine"))


def lines(cell, run, reason, count, first, samples, kept=False) -> dict:
    return {
        "cell": cell,
        "run_id": run,
        "reason": reason,
        "kept": kept,
        "count": count,
        "first_line": first,
        "samples": samples,
    }


DAMAGE = [
    lines("A", BAD, "clock", 50, 7, ["x"], kept=True),
    lines("B", "aa", "junk", 2, 3, []),
    lines("A", "aa", "junk", 3, 9, ["one", "two"]),
    lines("B", "bb", "junk", 1, 4, ["y" * 70, "z"]),
    lines("B", "bb", "time", 1000, 4, ["t"]),
]


@pytest.fixture
def heard() -> list:
    return []


@pytest.fixture
def store(tmp_path) -> Store:
    (tmp_path / "store" / "exp" / "runs").mkdir(parents=True)
    campaigns.keep(tmp_path / "store" / "exp", campaigns.Campaign("exp", ("a", "b")), "")
    return Store(tmp_path / "store")


@pytest.fixture
def jobs(monkeypatch, heard, store):
    """A function that runs the command on the store; the jobs end so, and the logs have this damage."""

    def call(*words, done=DONE, computed=COMPUTED, damage=DAMAGE):
        def ingest(folder, spark, *, told):
            heard.append(("ingest", folder, spark()))
            told(1, 2)
            return done

        def compute(folder, run_ids, spark, *, told):
            heard.append(("compute", folder, run_ids, spark()))
            told(3, 4, "families")
            return computed

        def load(folder, form, tables):
            assert (form, tables) == ("arrow", ["damage"])
            return {"damage": pyarrow.Table.from_pylist(damage)}

        monkeypatch.setattr(orchestrate_spark.jobs.ingest, "ingest", ingest)
        monkeypatch.setattr(orchestrate_spark.jobs.metrics, "compute", compute)
        monkeypatch.setattr(orchestrate_spark.load, "load", load)
        monkeypatch.setattr(command, "session_before", Sessions)
        clock = iter([10.0, 12.34567])
        monkeypatch.setattr(command, "time", argparse.Namespace(monotonic=lambda: next(clock)))
        return main(["ingest", *words, "--store", str(store.path)])

    return call


def squeezed(text: str) -> list[str]:
    return re.sub(r"─+", "-", re.sub(r"(?<=\S) {2,}", "|", text)).split("\n")[:-2]


WARNINGS = """\
orchestrate: FOLDER/tables/runs/x.parquet: not what was written (cut short or changed)
    its runs were read again from their logs
orchestrate: there/runs/odd: is of format 2
    not read; remove the run and make it again
orchestrate: there/runs/BAD: COOJA.testlog is not what the run wrote
    not read; remove it with `orchestrate runs remove exp BAD` and run the scenario again
orchestrate: 2 runs of exp without a log, first aa
    the rows that the tables have of them stay
""".replace("BAD", BAD)


def test_what_was_read_and_what_was_wrong_with_it(jobs, store, heard, capsys):
    assert jobs("exp", "--master", "spark://h") == 8
    folder = store.path / "exp"
    out, err = capsys.readouterr()
    assert squeezed(out) == [
        f"1,200 runs in {folder}/tables: 2 read, 1 dropped (2.3 s)",
        "cell|reason|lines|runs|what|first|sample",
        "-",
        f"B|time|1,000|1|{meaning('time')}|run bb line 4|t",
        f"A|junk|3|1|{meaning('junk')}|run aa line 9|one",
        f"B|junk|3|2|{meaning('junk')}|run aa line 3|{'y' * 60}",
        f"A|clock (kept)|50|1|{meaning('clock')}|run {'b' * 12} line 7|x",
    ]
    assert err.endswith(WARNINGS.replace("FOLDER", str(folder)))
    assert heard == [("ingest", folder, ("ingesting the logs", "spark://h"))]


@pytest.mark.parametrize("words", [(), ("--metrics",)])
def test_what_was_read_is_told_before_what_was_wrong_with_it(jobs, store, in_one_file, words):
    """Also where both go to one file."""
    code, text = in_one_file(lambda: jobs("exp", *words, computed=Computed(4)))
    folder = store.path / "exp"
    first = f"1,200 runs in {folder}/tables: 2 read, 1 dropped (2.3 s)\n"
    if words:
        first += f"metrics of 4 runs in {folder}/metrics\n"
    assert code == 8 and first + WARNINGS.replace("FOLDER", str(folder)) in text


def meaning(reason: str) -> str:
    from orchestrate_spark.log_format import DAMAGE

    return DAMAGE[reason][1]


def test_in_a_terminal_the_table_is_as_wide_as_it(jobs, store, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    assert jobs("exp") == 8
    out = capsys.readouterr().out
    same(out[out.index("\n") + 1 :], RECORDED / "damage-in-60-columns.txt")


def test_with_metrics_of_the_present_campaign_s_runs(jobs, store, heard, capsys):
    assert jobs("exp", "--metrics", done=QUIET, damage=[]) == 0
    folder = store.path / "exp"
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        f"1 run in {folder}/tables: 1 read, 0 dropped (2.3 s)",
        f"metrics of 4 runs in {folder}/metrics",
        "no damaged lines",
    ]
    assert err.endswith(
        "".join(
            f"orchestrate: the metric {name} of your own is left out, because its values belong to other "
            "runs\n    compute it with `orchestrate metrics exp --metric FILE.py`\n"
            for name in ("own", "mine")
        )
    )
    assert heard == [
        ("ingest", folder, ("ingesting the logs", None)),
        ("compute", folder, ("a", "b"), ("computing metrics", None)),
    ]


def test_as_plain_values(jobs, store, capsys):
    assert jobs("exp", "--metrics", "--json") == 8
    out = capsys.readouterr().out
    found = json.loads(out)
    assert out == json.dumps(found, indent=2) + "\n"
    damage = found.pop("damage")
    assert found == {
        "experiment": str(store.path / "exp"),
        "runs": 1200,
        "added": ["a", "b"],
        "dropped": ["c"],
        "skipped": [{"folder": "there/runs/odd", "why": "is of format 2"}],
        "damaged": [
            {
                "run_id": BAD,
                "folder": f"there/runs/{BAD}",
                "why": "COOJA.testlog is not what the run wrote",
            }
        ],
        "torn": ["runs/x.parquet"],
        "without_log": ["aa", "bb"],
        "runs_in_metrics": 4,
        "seconds": 2.346,
    }
    assert [(one["cell"], one["reason"], one["lines"], one["runs"]) for one in damage] == [
        ("B", "time", 1000, 1),
        ("A", "junk", 3, 1),
        ("B", "junk", 3, 2),
        ("A", "clock", 50, 1),
    ]
    assert damage[2] == {
        "cell": "B",
        "reason": "junk",
        "meaning": meaning("junk"),
        "kept": False,
        "lines": 3,
        "runs": 2,
        "first": "run aa line 3",
        "sample": "y" * 70,
    }
    assert jobs("exp", "--json", done=QUIET) == 0
    assert json.loads(capsys.readouterr().out)["runs_in_metrics"] is None


@pytest.mark.parametrize(
    ("error", "ours"),
    [
        (errors.FaultyLog([errors.Flaw("a.log", 3, "no log", "name one")]), FaultyInput),
        (errors.NoJava("no Java"), MissingTool),
        (errors.NoRuns("no runs"), NoSuchThing),
        (errors.TablesFailed("full"), StorageFailed),
    ],
)
def test_errors_of_the_jobs_are_ours(monkeypatch, error, ours):
    def fails(_args):
        raise error

    monkeypatch.setattr(command, "_run", fails)
    with pytest.raises(ours) as raised:
        command.run(argparse.Namespace())
    assert str(raised.value) == str(error)


# --- which experiment


def arguments(**given) -> argparse.Namespace:
    return argparse.Namespace(**{"experiment": None, "log": [], "cell": None, "store": None} | given)


def test_an_experiment_by_name_or_folder(store, tmp_path, monkeypatch):
    def folder(**given):
        return command._folder(arguments(store=str(store.path), **given))

    assert folder(experiment="exp") == store.path / "exp"
    for kind in ("runs", "logs"):
        (tmp_path / kind / kind).mkdir(parents=True)
        assert folder(experiment=str(tmp_path / kind)) == tmp_path / kind
    assert folder(experiment="new", log=["a.log"], cell="A") == store.path / "new", "logs make it"
    assert folder(log=["a.log"]) == store.path / "logs"
    with pytest.raises(NoSuchThing, match="no experiment 'exq' in .*exp"):
        folder(experiment="exq")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "exp").mkdir()
    assert folder(experiment="exp") == store.path / "exp", "a folder without runs and logs is none"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "name an experiment; there are: exp"),
        ({"cell": "A"}, "--cell names the logs of --log; the runs of an experiment have their cells' names"),
        ({"cell": "A", "experiment": "exp"}, "--cell names the logs of --log; .*"),
    ],
)
def test_what_goes_together(store, given, said):
    with pytest.raises(WrongUsage, match=f"^{said}$"):
        command._folder(arguments(store=str(store.path), **given))


def test_an_empty_store_has_no_experiments(tmp_path):
    with pytest.raises(WrongUsage, match="there are: none$"):
        command._folder(arguments(store=str(tmp_path)))


def test_logs_are_added_before_they_are_read(jobs, heard, store, monkeypatch, tmp_path):
    monkeypatch.setattr(orchestrate_spark.experiment, "add_log", lambda *log: heard.append(log))
    assert jobs("exp", "--log", "a.log", "--log", "b.log", "--cell", "A", done=QUIET, damage=[]) == 0
    folder = store.path / "exp"
    assert heard[:2] == [(folder, Path("a.log"), "A"), (folder, Path("b.log"), "A")]
    assert heard[2][0] == "ingest"


def test_tables_and_metrics_are_renewed_with_a_word_of_how_far_they_are(monkeypatch):
    said, asked = [], []

    def renew(folder, spark, own, told):
        asked.append((folder, spark(), own))
        told(1, 2, "tasks")
        return 7

    monkeypatch.setattr(fresh, "renew", renew)
    monkeypatch.setattr(command, "session_before", lambda then, stage, master: lambda: (then, master))
    assert command.renewed(Path("e"), lambda *far: said.append(far), "spark://h", ["own"]) == 7
    assert asked == [(Path("e"), ("computing metrics", "spark://h"), ["own"])]
    assert said == [("computing metrics", 1, 2, "tasks")]


# --- while it is running


class Sessions:
    """Stands in for those of a command; a call gives what it was asked for."""

    spreads = True

    def __init__(self, then, stage, master):
        self.asked = then, master

    def __call__(self, rows=0):
        return self.asked


@pytest.fixture
def followed(monkeypatch, store, heard):
    """A function that follows the experiment until something has come; metrics are computed so."""

    def call(*words, computed=lambda: Computed(2), done=QUIET):
        def follow(folder, session, told, *, over):
            assert session() == ("ingesting the logs", "spark://h") and not over.is_set()
            heard.append(("follow", folder))
            told(done)

        def compute(folder, run_ids, spark):
            heard.append(("compute", folder, run_ids, spark()))
            return computed()

        def write(path, experiment, *, replays):
            heard.append(("write", path, experiment, replays))
            return path / "page"

        monkeypatch.setattr(orchestrate_spark.jobs.stream, "follow", follow)
        monkeypatch.setattr(orchestrate_spark.jobs.metrics, "compute", compute)
        monkeypatch.setattr(orchestrator.report.page, "write", write)
        monkeypatch.setattr(command, "session_before", Sessions)
        clock = iter([10.0, 12.34567])
        stand_in = argparse.Namespace(
            monotonic=lambda: next(clock), strftime=lambda form: time.strftime(form, AT)
        )
        monkeypatch.setattr(command, "time", stand_in)
        words = ["ingest", "exp", "--follow", "--master", "spark://h", *words, "--store", str(store.path)]
        return main(words), store.path / "exp"

    return call


AT = time.struct_time((2026, 1, 2, 3, 4, 5, 0, 2, 0))
END = "exp: what has come is in the tables\n"


def test_what_has_come_is_told(followed, heard, capsys):
    code, folder = followed(done=DONE)
    out, err = capsys.readouterr()
    assert (code, out) == (0, f"03:04:05 exp: 1,200 runs, 2 new (2.3 s)\n{END}")
    assert err.endswith(WARNINGS.replace("FOLDER", str(folder))) and heard == [("follow", folder)]


def test_what_has_come_is_told_at_once_and_before_what_was_wrong_with_it(followed, in_one_file):
    (_, folder), text = in_one_file(lambda: followed(done=DONE))
    wanted = f"03:04:05 exp: 1,200 runs, 2 new (2.3 s)\n{WARNINGS.replace('FOLDER', str(folder))}"
    assert wanted in text


@pytest.mark.parametrize(("word", "page"), [("--metrics", False), ("--report", True)])
def test_metrics_and_report_follow_as_well(followed, heard, capsys, word, page):
    code, folder = followed(word)
    compute = ("compute", folder, ("a", "b"), ("ingesting the logs", "spark://h"))
    written = [("write", folder.parent, "exp", False)] * page
    assert code == 0 and heard == [("follow", folder), compute, *written]
    more = f"; {folder.parent / 'page'}" if page else ""
    assert capsys.readouterr().out == f"03:04:05 exp: 1 run, 1 new; metrics of 2 runs{more} (2.3 s)\n{END}"


def test_without_a_run_in_the_tables_there_is_no_report(followed, heard, capsys):
    def none():
        raise errors.NoRuns("none of them")

    code, _ = followed("--report", computed=none)
    assert code == 0 and [word for word, *_ in heard] == ["follow", "compute"]
    assert capsys.readouterr().out == f"03:04:05 exp: 1 run, 1 new (2.3 s)\n{END}"
