# SPDX-License-Identifier: Apache-2.0
"""How metrics are computed by a session: which families are asked, how their rows are put together, what is
made of a user's own and of Spark's failures. Stand-ins take the places of the session and of its frames.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from types import SimpleNamespace

import orchestrate_spark.jvm
import orchestrate_spark.session
import pyarrow as pa
import pyspark.sql
import pytest
from orchestrate_spark.errors import FaultyCode, Flaw, TablesFailed
from orchestrate_spark.jobs import metrics as job
from orchestrate_spark.metrics.model import Family
from orchestrate_spark.own_code import Own
from pyspark.errors import PySparkException


class Frame:
    """A Spark DataFrame that knows what it was made from."""

    def __init__(self, name: str, parallel: int = 0):
        self.name, self.parallel = name, parallel

    def coalesce(self, tasks):
        return Frame(f"{self.name} in {tasks} tasks")


CHOSEN = {"a": ("exp", "A"), "b": ("exp", "A"), "c": ("exp", "B")}
MADE = (job.PER_RUN.empty_table(), job.SUMMARY.empty_table())
FLAW = Flaw("bad.py", 3, "raises KeyError", "mend it")


@pytest.fixture
def computed(monkeypatch):
    """A function that computes with these families, tables of these lengths and own metrics; it gives what
    came, the flaws, and what was heard.
    """

    def call(families=(), rows=None, own=(), usual=True, error=None):
        heard, flaws = [], []

        @contextlib.contextmanager
        def interpreted(session, little):
            heard.append(("little", little))
            yield
            heard.append("as before")

        @contextlib.contextmanager
        def summed(found, runs):
            heard.append(("summed", found, runs))
            yield

        def both(session, found, rows, chosen, of, told):
            heard.append((rows.name, [one.name for one in of]))
            if error is not None:
                raise error
            return MADE

        def of_a_user(session, found, one, chosen, told):
            if one.value.name == "bad":
                raise FaultyCode([FLAW])
            heard.append((one.value.name, found, chosen))
            return MADE

        for name, stand_in in {
            "read": lambda session, folder, runs: f"{len(runs)} runs of {folder}",
            "families": lambda: list(families),
            "_rows": lambda folder, table: (rows or {}).get(table, 0),
            "_both": both,
            "_own": of_a_user,
            "summed_meanwhile": summed,
        }.items():
            monkeypatch.setattr(job, name, stand_in)
        monkeypatch.setattr(pyspark.sql.DataFrame, "union", lambda a, b: Frame(f"{a.name}+{b.name}"))
        monkeypatch.setattr(orchestrate_spark.session, "interpreted", interpreted)
        monkeypatch.setattr(orchestrate_spark.jvm, "keep_classes", lambda: heard.append("classes are kept"))
        session = SimpleNamespace(
            catalog=SimpleNamespace(clearCache=lambda: heard.append("cache is cleared")),
            sparkContext=SimpleNamespace(defaultParallelism=3),
        )
        try:
            found = list(
                job._compute(
                    Path("exp"), CHOSEN, lambda: session, usual, own, flaws, lambda *far: heard.append(far)
                )
            )
        except TablesFailed as failed:
            found = str(failed)
        return found, flaws, heard

    return call


def family(name: str, *of: str) -> Family:
    return Family(name, lambda found: Frame(f"{name} of {found}"), {}, (), of)


def own(name: str) -> Own:
    return Own(f"{name}.py", f"{name}.py", "1", family(name))


ALL = [family("one"), family("two", "jobs", "ages"), family("three", "policies")]
AFTER = ["as before", "cache is cleared"]


def test_families_whose_tables_are_all_empty_are_not_asked(computed):
    found, flaws, heard = computed(ALL, {"ages": 1, "counters": 7})
    assert found == [(None, MADE)] and flaws == []
    assert heard == [
        ("little", True),
        ("summed", "3 runs of exp", 3),
        (0, 2, "families planned"),
        (1, 2, "families planned"),
        ("one of 3 runs of exp+two of 3 runs of exp in 12 tasks", ["one", "two", "three"]),
        *AFTER,
        "classes are kept",
    ]


@pytest.mark.parametrize(("rows", "little"), [(24_999, True), (25_000, False)])
def test_expressions_of_many_rows_of_all_tables_are_compiled(computed, rows, little):
    _, _, heard = computed(ALL[:1], {"events": rows, "counters": 25_000})
    assert heard[0] == ("little", little)


def test_own_metrics_are_computed_alone_and_one_that_fails_keeps_no_other(computed):
    found, flaws, heard = computed(ALL, own=[own("bad"), own("good")], usual=False)
    assert [(one.value.name, made) for one, made in found] == [("good", MADE)] and flaws == [FLAW]
    assert heard == [("little", True), ("good", "3 runs of exp", CHOSEN), *AFTER, "classes are kept"]
    found, _, _ = computed(ALL, own=[own("good")])
    assert [one and one.value.name for one, _ in found] == [None, "good"]


def test_what_spark_says_is_told_in_three_lines_and_nothing_is_left_in_memory(computed):
    found, _, heard = computed(ALL[:1], error=PySparkException("\none\ntwo\nthree\nfour"))
    assert found == "Spark could not compute the metrics:\n    one\n    two\n    three"
    assert heard[-1] == "cache is cleared" and "classes are kept" not in heard


# --- a user's own, and the rows of a run


def test_rows_of_a_user_s_own_are_summed_up_unless_there_are_none(monkeypatch):
    heard = []
    monkeypatch.setattr(job, "followed", lambda session: contextlib.nullcontext())
    monkeypatch.setattr(job.own_metrics, "frame", lambda own, found: SimpleNamespace(toArrow=lambda: found))
    monkeypatch.setattr(job.own_metrics, "checked", lambda own, made, chosen: heard.append(chosen) or made)
    monkeypatch.setattr(job, "_both", lambda *given: given)
    session = SimpleNamespace(createDataFrame=lambda rows: f"frame of {rows.num_rows}")
    one, rows = own("good"), pa.table({"value": [1.0, 2.0]})
    assert job._own(session, rows, one, CHOSEN, print) == (
        (session, rows, "frame of 2", CHOSEN, [one.value], print)
    )
    assert job._own(session, rows.slice(0, 0), one, CHOSEN, print) == MADE and heard == [CHOSEN, CHOSEN]
