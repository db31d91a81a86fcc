# SPDX-License-Identifier: Apache-2.0
"""Why a metric is missing: in the words of the records that the motes should have printed."""

from __future__ import annotations

from types import SimpleNamespace

import page_text
import pytest
from test_recorded_pages import results

from orchestrator.report import missing
from orchestrator.report.missing import DIFFUSED, Missing
from orchestrator.report.model import Section

NODE = "!node,role,index,parent,publishers_through"
LINE = [("retries", "total", 1.0)]


@pytest.mark.parametrize(
    ("needs", "there", "why"),
    [
        ("node", set(), f"no mote printed {NODE}"),
        ("cnt,retries", {"node"}, "no mote printed !cnt,retries,value"),
        ("node cnt,retries", {"node"}, "no mote printed !cnt,retries,value"),
        ("node dly", set(), f"no mote printed {NODE} and !dly,upper_ms,count"),
        (
            "node dly or nrg",
            {"node"},
            "no mote printed !dly,upper_ms,count (or else !nrg,state,time_us)",
        ),
        (
            "node dly or nrg",
            set(),
            f"no mote printed {NODE} and !dly,upper_ms,count (or else !nrg,state,time_us)",
        ),
        (
            "nrg or node dly or node sch",
            {"node"},
            f"no mote printed !dly,upper_ms,count (or else !nrg,state,time_us; {NODE} and !sch,thread,why)",
        ),
        (
            "node",
            {"node"},
            "the records are there, but nothing could be counted (no event, or motes without the record)",
        ),
    ],
)
def test_the_records_that_are_missing(needs, there, why, monkeypatch):
    monkeypatch.setattr(missing, "built_in", lambda: {"m": SimpleNamespace(needs=needs)})
    assert missing._why("m", there, results({"a": {1: LINE}}), "a") == why


def test_what_no_record_would_help_with():
    found = results({"a": {1: LINE}}, cells=("a", "b"))
    assert missing._why("packets_sent", set(), found, "b") == "none of its runs is in the numbers"
    diffused = "not defined with diffusion, which sends an event again if it is not acknowledged"
    assert missing._why("packet_loss_rate", {DIFFUSED}, found, "a") == diffused
    assert missing._why("packet_loss_rate", set(), found, "a").startswith("no mote printed ")
    assert missing._why("packets_sent", {DIFFUSED}, found, "a").startswith("no mote printed ")


def test_metrics_are_grouped_by_cells_and_reason(monkeypatch):
    there = {"a": {"node"}, "c": {"node", "cnt,packets_sent"}}
    monkeypatch.setattr("orchestrate_spark.printed.printed", lambda folder, runs: there)
    monkeypatch.setattr(
        missing, "ranked", lambda rank: ["packets_sent", "packets_received", "retries", "events_transmitted"]
    )
    line = [*LINE, ("packets_received", "S", 1.0)]
    found = missing.missing(results({"a": {1: LINE}, "b": {1: line}, "c": {1: LINE}}))
    assert found == [
        Missing(("Packets sent",), ("a", "b"), "no mote printed !cnt,packets_sent,value"),
        Missing(
            ("Packets sent",),
            ("c",),
            "the records are there, but nothing could be counted (no event, or motes without the record)",
        ),
        Missing(("Packets received",), ("a", "c"), "no mote printed !cnt,packets_received,value"),
        Missing(("Transmitted events",), ("a", "b", "c"), "no mote printed !cnt,events_transmitted,value"),
    ]
    monkeypatch.setattr(missing, "ranked", lambda rank: ["retries"])
    assert missing.missing(results({"a": {1: LINE}})) == []


def test_the_table_names_the_cells_unless_it_is_all_of_them():
    whole = results({cell: {1: LINE} for cell in "abcdefgh"})
    found = [Missing(("A", "B"), whole.cells, "why"), Missing(("C",), whole.cells[:7], "because")]
    assert page_text.of_section(Section("m", "M", (missing.table(found, whole),))) == (
        "\n== M #m\n\n-- Not measured (cards)\nMetric | Cells | Why\nA, B | all | why\n"
        "C | a, b, c, d, e, f and 1 more | because\n"
        "Metrics are made from records that the motes print; spark/README.md describes the records.\n"
    )
