# SPDX-License-Identifier: Apache-2.0
"""Motes that did not live through a run are named, by the log alone."""

from __future__ import annotations

import json

import pytest
from orchestrate_spark.end_records import unfinished
from orchestrate_spark.load import load

END = "9000000\tID:1\t!cnt,packets_received,4\n9000001\tID:1\t!run,end,0\n"
DONE = "8000000\tID:2\t!node,publisher,1,1,1\n"
BOOT = "\tID:2\t[INFO: Main      ] Starting Contiki-NG-release/v5.0\n"


@pytest.mark.parametrize(
    ("log", "named"),
    [
        ("", []),
        ("1\tID:1\thello\n1\tID:2\thello\n", []),  # an application without such records
        (DONE + END, []),
        ("1\tID:2\thello\n" + END, [2]),
        ("1\tID:1\t!job,a,1,2,3,4\n" + END, []),  # no node of the system
        ("1\tID:2\tsays\t!cnt,packets_received,1\n" + END, [2]),
        ("1\tID:2\t!die,planned\n" + END, []),
        ("1\tID:2\t!die,planned\n2\tID:2\t!rev,1\n" + END, [2]),
        ("1" + BOOT + "7000000" + BOOT + DONE + END, [2]),
        ("1" + BOOT + "900000" + BOOT + DONE + END, []),  # as it was flashed
        ("1\tID:1\t!run,init,1\n7000000\tID:1\t!run,init,1\n" + DONE + END, [1]),
        ("1\tID:2\t!pub,t,1,1,0\n2\tID:2\t!pub,t,1,2,0\n3\tID:2\t!pub,t,1,1,0\n" + DONE + END, [2]),
        ("1\tID:2\t!pub,t,1,1,0\n2\tID:2\t!pub,u,1,1,0\n" + DONE + END, []),
    ],
)
def test_motes_that_died_or_booted_in_the_middle_of_a_run_are_found(tmp_path, log, named):
    path = tmp_path / "COOJA.testlog"
    path.write_text(log)
    assert [one.mote for one in unfinished(path, (1, 2))] == named


@pytest.mark.parametrize("made_by", ["ours", "another program"])
def test_a_mote_that_died_in_a_run_is_named_and_a_log_alone_is_truncated(tmp_path, made_by):
    folder = tmp_path / "ab"
    folder.mkdir()
    (folder / "COOJA.testlog").write_text(
        f"Random seed: 1\n1\tID:2\thello\n{END}TEST OK\nTest ended at simulation time: 9000001\n"
    )
    if made_by == "ours":
        motes = [{"mote": 1, "name": "S"}, {"mote": 2, "name": "P1"}]
        manifest = {"format": 1, "run_id": "ab", "experiment": "e", "cell": "c", "seed": 1, "outcome": "ok"}
        (folder / "manifest.json").write_text(json.dumps({**manifest, "motes": motes}))
    else:
        (folder / "source.json").write_text(json.dumps({"experiment": "e", "cell": "c", "seed": 1}))
    found = load(folder, as_="polars")
    assert found["runs"]["outcome"].to_list() == ["ok" if made_by == "ours" else "truncated log"]
    (damage,) = found["damage"].to_dicts()
    assert damage["reason"] == "ended" and "mote 2" in damage["samples"][0]
