# SPDX-License-Identifier: Apache-2.0
"""Work spread over executors gives what this process gives, in the same order; the executors are stood in for
by this process, as in test_cluster_engine.py."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from orchestrate_spark.errors import NoMaster

from orchestrator.cli import submitted
from orchestrator.cli.spark_options import spread as chosen
from orchestrator.errors import MissingTool, StorageFailed
from orchestrator.execution import remote, spread
from orchestrator.features.campaigns.judging import files, trend, verdict
from tests.execution.test_cluster_engine import Executors
from tests.features.campaigns.nights_store import NAME, Nights


@pytest.fixture
def there(monkeypatch):
    """Executors, and a Spread over them."""
    executors = Executors()
    monkeypatch.setattr(spread, "_executors", lambda session, made: executors)
    return executors, spread.on_session(lambda: pytest.fail("no session is needed"))


def power(exponent: int, base: int) -> int:
    if base == 13:
        raise StorageFailed("13 can't be read")
    return base**exponent


def test_every_item_is_done_once_in_order_and_no_core_waits_for_the_last_group(there):
    executors, each = there
    items = [number for number in range(101) if number != 13]
    assert each(partial(power, 2), items) == [item**2 for item in items]
    sizes = [len(group) for group in executors.groups]
    assert sum(sizes) == 100 and max(sizes) == 13 and len(sizes) == spread.TASKS_A_CORE * executors.cores


def test_the_executors_are_made_once_of_a_session_that_is_started_when_it_is_needed(monkeypatch):
    heard = []

    class Made(Executors):
        def __init__(self, session, contents):
            assert contents == remote.contents()
            heard.append(session)
            super().__init__()

    monkeypatch.setattr("orchestrate_spark.executors.Executors", Made)
    each = spread.on_session(lambda: "the session")
    assert each(partial(power, 2), []) == [] and heard == []
    assert [each(partial(power, 2), [3]) for _ in range(2)] == [[9], [9]] and heard == ["the session"]

    def none():
        raise NoMaster("no master")

    with pytest.raises(MissingTool, match="^no master$"):
        spread.on_session(none)(partial(power, 2), [3])


@pytest.mark.parametrize(
    ("count", "sizes"), [(1, [1]), (8, [1] * 8), (9, [2, 2, 2, 2, 1]), (17, [3] * 5 + [2])]
)
def test_each_core_of_two_gets_four_groups(there, count, sizes):
    executors, each = there
    assert each(partial(power, 1), [5] * count) == [5] * count
    assert [len(group) for group in executors.groups] == sizes


def test_here_one_item_follows_the_other():
    seen = []
    assert spread.here(lambda item: seen.append(item) or -item, [3, 1, 2]) == [-3, -1, -2]
    assert seen == [3, 1, 2]


def test_nothing_to_do_starts_nothing(there):
    executors, each = there
    assert each(partial(power, 2), []) == [] and executors.groups == []


def test_an_error_of_ours_is_raised_here(there):
    with pytest.raises(StorageFailed, match="13 can't be read"):
        there[1](partial(power, 2), [12, 13, 14])


def test_a_worker_with_other_code_is_named(there):
    there[0].code = "0" * 16
    with pytest.raises(MissingTool, match="another version of orchestrate"):
        there[1](partial(power, 2), [1])


def test_a_verdict_is_the_same_wherever_its_tests_are_made(tmp_path, there):
    nights = Nights(tmp_path)
    nights.night()
    nights.verdict()
    nights.promote()
    for loss in (0.10, 0.10, 0.25, 0.25, 0.25):
        nights.night(code=f"b{loss}", loss=loss)
        nights.verdict()
    own = verdict.give(tmp_path, NAME)
    executors, each = there
    spread_out = verdict.give(tmp_path, NAME, spread=each)
    assert repr(spread_out.findings) == repr(own.findings) and len(own.findings) == 6  # they have NaN
    assert spread_out.reasons == own.reasons and spread_out.colour is own.colour
    assert json.dumps(files.plain(spread_out)) == json.dumps(files.plain(own))
    assert any(one.changes for one in own.trends)
    work = [type(item).__name__ for group in executors.groups for item in group]
    assert work.count("Compared") == 2, "each cell's tests are an item"
    sent = [part for group in executors.groups for item in group if isinstance(item, tuple) for part in item]
    assert not any(isinstance(part, trend.Night) for part in sent), "a round's plan is large, and stays here"


def test_where_work_is_done_follows_master_and_spark_submit(monkeypatch):
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    assert chosen("then", print, None) is spread.here
    assert chosen("then", print, "spark://HOST:7077") is not spread.here
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    assert chosen("then", print, None) is not spread.here


def test_the_file_for_spark_submit_is_the_command():
    """Its own folder has a module `numbers`, which would hide Python's from `decimal`."""
    file = Path(submitted.__file__)
    done = subprocess.run(
        [sys.executable, file, "campaign", "verdict", "--help"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and "Give one verdict on a round" in done.stdout, done.stderr
    again = subprocess.run(
        [sys.executable, file, "campaign", "verdict", "no-such.yaml"], capture_output=True, text=True
    )
    assert again.returncode not in (0, 1) and "Traceback" not in again.stderr and "no-such" in again.stderr
