# SPDX-License-Identifier: Apache-2.0
"""What `orchestrate show` prints of a log written by hand."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

import pytest

from orchestrator.cli.show_tables import of_mote, of_radios, of_run
from orchestrator.cli.tables import Table
from orchestrator.console import show
from orchestrator.inspect.find import Found
from orchestrator.inspect.overview import one_mote, overview
from orchestrator.runs.model import Outcome
from tests.inspect.log_of_a_run import COUNTERS, LINES, log, stored
from tests.runs.conftest import make_result


@pytest.fixture
def found(tmp_path):
    return partial(stored, tmp_path / "store")


def printed(capsys, parts):
    """The lines, with `|` for the gap between columns and `-` for the line below their names."""
    show(*parts)
    return re.sub(r"─+", "-", re.sub(r"(?<=\S) {2,}", "|", capsys.readouterr().out)).splitlines()


HEADER = """\
trial/H5 seed 1|run {}|ok|verdict OK
engine embedded v1, rules 5.0; firmware aggregation ffffffffffff
3.000 s simulated, 0.500 s of wall time, duration and drain, 70.000 s, at 140 times real time, 48 lines
P1: start at 0.000 s, end at 2.000 s

"""
REASONS = """\
Merges that were undone because the merge function broke its contract: 2 at P1

Time in states and the transceiver's energy over the measured 2.000 s
mote|listen, s|transmit, s|off, s|cpu, s|energy, mJ
-
P1|1.500|0.500|0.000|7.000|78.0

"""
COLUMNS = (
    "mote|fwd: timeout|fwd: full|fwd: contained|fwd: frame|lost: queue|lost: channel-access|lost: collision"
)


def test_the_run_as_it_is_printed(found, capsys):
    run = found()
    expected = f"""\
{HEADER.format(run.manifest.run_id[:12])}\
Packets and events by mote
sent, received: frames of the mote's routing layer; overheard: frames for other motes; all others: event \
messages
mote|role|next|sent|received|overheard|published|transmitted|merged|dropped|pending
-
S|subscriber|–|1|8|–|–|–|–|0|–
P1|publisher and relay|S|1,500|4|5|6|9|3|22|1

Why held events were forwarded, and what motes dropped
{COLUMNS}|lost: no-route|lost: malformed
-
S|0|0|0|0|0|0|0|0|0
P1|1|2|3|4|2|3|4|6|7

{REASONS}\
Delivery
publisher|to|published|delivered|duplicates|lost|lost, %
-
P1|S|6|4|2|2|33.33
publisher 9|S|–|1|0|–|–

Event messages, all motes: transmitted 9, queue 2, channel-access 3, collision 4, no-route 6, malformed 7, \
lost on the air 2, still held at the end 1 event

Events per received message
events|messages
-
     1|3,000|{"█" * 40}
     3|30|█
     4|0

Delivery delay of 20 events: mean 4.5 ms, p05 10 ms, p50 10 ms, p95 20 ms, p99 40 ms (upper ends of buckets)

Lines that are no records
mote|lines|first|last
-
P2|3|0.000 s hello|0.000 s ready

Damage of the log
reason|lines|first line|sample
-
own (kept)|1|46|2500000 ID:2 !what

"""
    assert printed(capsys, of_run(overview(run))) == expected.splitlines()


def test_a_mote_as_it_is_printed(found, capsys):
    run = found()
    counters = "".join(f"{name}|{value:,}\n" for name, value in sorted(COUNTERS[2].items()))
    lines = "".join(f"  {time}|ID:{mote}|{text}\n" for time, mote, text in LINES if mote == 2 and time > 2e6)
    expected = f"""\
{HEADER.format(run.manifest.run_id[:12])}\
P1: mote 2, publisher and relay, next hop S
Counters
counter|value
-
{counters}
Why held events were forwarded, and what motes dropped
{COLUMNS}|lost: no-route|lost: malformed
-
P1|1|2|3|4|2|3|4|6|7

{REASONS}\
Last lines (12)
"""
    assert printed(capsys, of_mote(one_mote(run, "P1"))) == expected.splitlines() + lines.splitlines()[-12:]


def test_a_mote_without_records_as_it_is_printed(found, capsys):
    run = found()
    lines = printed(capsys, of_mote(one_mote(run, "P2")))
    assert lines[5:] == [
        "P2: mote 3, publisher, next hop P1",
        "Last lines (3)",
        "  5|ID:3|hello",
        "  6|ID:3|boot|x",
        "  7|ID:3|ready",
    ]


def test_what_is_not_there_is_said(found, tmp_path, capsys):
    path = tmp_path / "COOJA.testlog"
    path.write_bytes(log((), ""))
    assert printed(capsys, of_run(overview(Found(path, None)))) == [
        f"{path}|unknown|verdict none",
        "no manifest: a log alone",
        "1 line",
        "",
        "No mote printed anything.",
        "",
        "no damaged lines",
    ]
    path = tmp_path / "other.log"
    path.write_bytes(log(((5, 7, "!cnt,packets_sent,1"),), ""))
    assert printed(capsys, of_mote(one_mote(Found(path, None), "7")))[4:] == [
        "mote 7: mote 7, role unknown",
        "Counters",
        "counter|value",
        "-",
        "packets_sent|1",
        "",
        "No merge function held an event, and no mote dropped one of its own frames.",
        "",
        "Last lines (1)",
        "  5|ID:7|!cnt,packets_sent,1",
    ]
    assert printed(capsys, of_mote(one_mote(found(LINES[3:4]), "P2")))[-1] == "It printed nothing."


def test_columns_of_numbers_keys_and_prose(found):
    """Numbers stand to the right, keys in every block of a narrow terminal, prose wraps."""
    tables = [part for part in of_run(overview(found())) if isinstance(part, Table)]
    tables.append(next(part for part in of_mote(one_mote(found(), "P1")) if isinstance(part, Table)))
    kinds = {
        table.title: "".join(
            "n" * one.number + "k" * one.key + "p" * one.prose + " " for one in table.columns
        )
        for table in tables
    }
    assert kinds == {
        "Packets and events by mote": "k p  n n n n n n n n ",
        "Why held events were forwarded, and what motes dropped": "k n n n n n n n n n ",
        "Time in states and the transceiver's energy over the measured 2.000 s": "k n n n n n ",
        "Delivery": "k k n n n n n ",
        "Events per received message": "nk n  ",
        "Lines that are no records": "k n p p ",
        "Damage of the log": "k n n p ",
        "Counters": "k n ",
    }


@pytest.mark.parametrize(("outcome", "style"), [("ok", "green"), ("crash", "red"), ("unknown", "yellow")])
def test_an_outcome_has_its_colour(found, outcome, style):
    shown = overview(found())
    shown["run"]["outcome"] = outcome
    first = next(of_run(shown))
    assert [first.plain[span.start : span.end] for span in first.spans if span.style == style] == [outcome]


def test_events_of_several_motes_and_no_names(found, capsys):
    shown = overview(found())
    shown["delivery"][0]["subscriber"] = None
    shown["links"] |= {"lost_on_air": None, "pending": 2000, "transmitted": 1500, "queue": 0}
    shown["delay_ms"]["mean"] = None
    lines = printed(capsys, of_run(shown))
    assert "P1|–|6|4|2|2|33.33" in lines
    assert any(
        line.startswith("Event messages, all motes: transmitted 1,500, channel-access 3")
        and line.endswith("malformed 7, still held at the end 2,000 events")
        for line in lines
    )
    assert (
        "Delivery delay of 20 events: p05 10 ms, p50 10 ms, p95 20 ms, p99 40 ms (upper ends of buckets)"
        in lines
    )


def test_the_header_of_a_failed_run_and_of_one_on_motes(found, capsys):
    result = replace(make_result(Outcome.CRASH), sim_us=2_000_000, wall_s=0.25)
    shown = overview(found(LINES[:3] + ((9, 3, "!die,planned"),), result))
    lines = printed(capsys, of_run(shown))
    assert lines[0].endswith("|crash|verdict OK")
    assert lines[2].startswith("2.000 s simulated, 0.250 s of wall time, ") and lines[2].endswith(
        "7 lines, with trace"
    )
    assert lines[3] == "  why"
    assert shown["motes"][2]["died_us"] == 9
    shown["run"]["engine"]["name"] = "testbed"
    assert printed(capsys, of_run(shown))[2] == "2.000 s on motes, 0.250 s of wall time, 7 lines, with trace"
    shown["run"]["experiment_us"] = None
    shown["run"]["engine"]["name"] = "cooja"
    assert "wall time, 280 times real time" in printed(capsys, of_run(shown))[2]


@pytest.mark.parametrize(
    ("cut", "measured", "said"),
    [
        (
            True,
            12.0,
            [
                "mote|off, s|on, s|energy, mJ|measured, mJ",
                "-",
                "P1|1.000|2.500|1,234.6|12.0",
                "P2|–|0.500|–|–",
                "",
                "The run stopped before its end; these are the times up to that point.",
                "measured: over the measured time alone, as the motes counted it and `orchestrate show` "
                "has it",
            ],
        ),
        (False, None, ["mote|off, s|on, s|energy, mJ", "-", "P1|1.000|2.500|1,234.6", "P2|–|0.500|–", ""]),
    ],
)
def test_radios_as_they_are_printed(capsys, cut, measured, said):
    motes = [
        {
            "name": "P1",
            "states_us": {"off": 1_000_000, "on": 2_500_000},
            "energy_mj": 1234.56,
            "measured_mj": measured,
            "measured_us": 1 if measured else None,
        },
        {
            "name": "P2",
            "states_us": {"on": 500_000},
            "energy_mj": None,
            "measured_mj": None,
            "measured_us": None,
        },
    ]
    shown = {"motes": motes, "cut": cut, "sim_us": 3_500_000_000, "record": "some/radio"}
    assert printed(capsys, of_radios(shown)) == [
        "Time in states of the radio from boot to the run's end, and the transceiver's energy",
        *said,
        "3,500.000000 s simulated, as each row's states sum up to",
        "frames, events and times: some/radio",
    ]
