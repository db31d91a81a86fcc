# SPDX-License-Identifier: Apache-2.0
"""A campaign's record: what is kept of it, and of those before it."""

import json
import os
from datetime import UTC, datetime, timedelta

import pytest

from orchestrator.errors import StorageFailed
from orchestrator.runs import run_list as run_lists
from orchestrator.runs.run_list import RunList

AT = datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)
FIRST = RunList("trial", ("aa", "bb"))
SECOND = RunList("trial", ("bb", "cc", "aa"), {"mine": "/here/mine"}, "/there/contiki-ng")


def test_without_a_record_all_runs_count(tmp_path):
    assert run_lists.read(tmp_path) is None and run_lists.runs(tmp_path) is None
    assert run_lists.readable(tmp_path).runs == () and run_lists.history(tmp_path) == []


def test_what_is_kept_is_read(tmp_path):
    run_lists.keep(tmp_path, SECOND, "experiment: trial\n", AT)
    assert run_lists.read(tmp_path) == run_lists.readable(tmp_path) == SECOND
    assert run_lists.runs(tmp_path) == ("bb", "cc", "aa")
    assert (tmp_path / "scenario.yaml").read_text() == "experiment: trial\n"
    assert json.loads((tmp_path / "campaign.json").read_text()) == {
        "format": 1,
        "experiment": "trial",
        "applications": {"mine": "/here/mine"},
        "runs": ["bb", "cc", "aa"],
        "contiki_ng": "/there/contiki-ng",
    }
    assert list(tmp_path.glob("**/.tmp-*")) == []


def test_every_campaign_stays_in_the_history_once(tmp_path):
    for minutes, (campaign, scenario) in enumerate(
        [(FIRST, "a"), (FIRST, "a"), (SECOND, "b"), (SECOND, "c"), (FIRST, "a")]
    ):
        run_lists.keep(tmp_path, campaign, scenario, AT + timedelta(minutes=minutes))
    assert run_lists.history(tmp_path) == [
        (AT + timedelta(minutes=minutes), campaign, scenario)
        for minutes, campaign, scenario in [
            (0, FIRST, "a"),
            (2, SECOND, "b"),
            (3, SECOND, "c"),
            (4, FIRST, "a"),
        ]
    ]
    assert run_lists.read(tmp_path) == FIRST


@pytest.mark.parametrize("content", ["{", "[]", '{"format": 1}', '{"runs": 7}', "\xff"])
def test_a_record_that_can_t_be_read(content, tmp_path):
    (tmp_path / "campaign.json").write_bytes(content.encode("latin-1"))
    for call in (run_lists.read, run_lists.runs):
        with pytest.raises(StorageFailed, match="campaign.json: not a readable list of runs"):
            call(tmp_path)
    assert run_lists.readable(tmp_path) == RunList(tmp_path.name, ())


def test_paths_that_are_not_absolute_are_nobody_s(tmp_path):
    (tmp_path / "campaign.json").write_text(
        json.dumps({"runs": [], "applications": {"a": "a", "b": "/b", "c": 7}, "contiki_ng": "../tree"})
    )
    assert run_lists.read(tmp_path) == RunList(tmp_path.name, (), {"b": "/b"})


def test_what_is_damaged_in_the_history_is_left_out_and_not_taken_for_the_last(tmp_path):
    run_lists.keep(tmp_path, FIRST, "a", AT)
    (tmp_path / "campaigns" / "2026-01-02T030500.000000Z.json").write_text("{")
    (tmp_path / "campaigns" / "notes.json").write_text("{}")
    assert [campaign for _, campaign, _ in run_lists.history(tmp_path)] == [FIRST]


def test_a_damaged_last_entry_is_no_reason_to_keep_nothing(tmp_path):
    (tmp_path / "campaigns").mkdir()
    (tmp_path / "campaigns" / "2026-01-02T030000.000000Z.json").write_text("{")
    run_lists.keep(tmp_path, FIRST, "a", AT)
    assert run_lists.history(tmp_path) == [(AT, FIRST, "a")]


def test_a_disk_that_is_full_says_so(tmp_path):
    (tmp_path / "campaigns").write_text("a file in the way")
    with pytest.raises(StorageFailed, match="can't be written"):
        run_lists.keep(tmp_path, FIRST, "a", AT)


def test_what_could_not_be_put_in_its_place_is_not_left_beside_it(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, os.strerror(28))))
    with pytest.raises(StorageFailed, match="No space left"):
        run_lists.keep(tmp_path, FIRST, "a", AT)
    assert [path.name for path in tmp_path.rglob("*")] == ["campaigns"]
