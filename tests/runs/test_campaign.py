# SPDX-License-Identifier: Apache-2.0
"""A campaign's record: what is kept of it, and of those before it."""

import json
import os
from datetime import UTC, datetime, timedelta

import pytest

from orchestrator.errors import StorageFailed
from orchestrator.runs import campaign as campaigns
from orchestrator.runs.campaign import Campaign

AT = datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)
FIRST = Campaign("trial", ("aa", "bb"))
SECOND = Campaign("trial", ("bb", "cc", "aa"), {"mine": "/here/mine"}, "/there/contiki-ng")


def test_without_a_record_all_runs_count(tmp_path):
    assert campaigns.read(tmp_path) is None and campaigns.runs(tmp_path) is None
    assert campaigns.readable(tmp_path).runs == () and campaigns.history(tmp_path) == []


def test_what_is_kept_is_read(tmp_path):
    campaigns.keep(tmp_path, SECOND, "experiment: trial\n", AT)
    assert campaigns.read(tmp_path) == campaigns.readable(tmp_path) == SECOND
    assert campaigns.runs(tmp_path) == ("bb", "cc", "aa")
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
        campaigns.keep(tmp_path, campaign, scenario, AT + timedelta(minutes=minutes))
    assert campaigns.history(tmp_path) == [
        (AT + timedelta(minutes=minutes), campaign, scenario)
        for minutes, campaign, scenario in [
            (0, FIRST, "a"),
            (2, SECOND, "b"),
            (3, SECOND, "c"),
            (4, FIRST, "a"),
        ]
    ]
    assert campaigns.read(tmp_path) == FIRST


@pytest.mark.parametrize("content", ["{", "[]", '{"format": 1}', '{"runs": 7}', "\xff"])
def test_a_record_that_can_t_be_read(content, tmp_path):
    (tmp_path / "campaign.json").write_bytes(content.encode("latin-1"))
    for call in (campaigns.read, campaigns.runs):
        with pytest.raises(StorageFailed, match="campaign.json: not a readable list of runs"):
            call(tmp_path)
    assert campaigns.readable(tmp_path) == Campaign(tmp_path.name, ())


def test_paths_that_are_not_absolute_are_nobody_s(tmp_path):
    (tmp_path / "campaign.json").write_text(
        json.dumps({"runs": [], "applications": {"a": "a", "b": "/b", "c": 7}, "contiki_ng": "../tree"})
    )
    assert campaigns.read(tmp_path) == Campaign(tmp_path.name, (), {"b": "/b"})


def test_what_is_damaged_in_the_history_is_left_out_and_not_taken_for_the_last(tmp_path):
    campaigns.keep(tmp_path, FIRST, "a", AT)
    (tmp_path / "campaigns" / "2026-01-02T030500.000000Z.json").write_text("{")
    (tmp_path / "campaigns" / "notes.json").write_text("{}")
    assert [campaign for _, campaign, _ in campaigns.history(tmp_path)] == [FIRST]


def test_a_damaged_last_entry_is_no_reason_to_keep_nothing(tmp_path):
    (tmp_path / "campaigns").mkdir()
    (tmp_path / "campaigns" / "2026-01-02T030000.000000Z.json").write_text("{")
    campaigns.keep(tmp_path, FIRST, "a", AT)
    assert campaigns.history(tmp_path) == [(AT, FIRST, "a")]


def test_a_disk_that_is_full_says_so(tmp_path):
    (tmp_path / "campaigns").write_text("a file in the way")
    with pytest.raises(StorageFailed, match="can't be written"):
        campaigns.keep(tmp_path, FIRST, "a", AT)


def test_what_could_not_be_put_in_its_place_is_not_left_beside_it(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, os.strerror(28))))
    with pytest.raises(StorageFailed, match="No space left"):
        campaigns.keep(tmp_path, FIRST, "a", AT)
    assert [path.name for path in tmp_path.rglob("*")] == ["campaigns"]
