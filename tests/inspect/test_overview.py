# SPDX-License-Identifier: Apache-2.0
"""What `orchestrate show` says of a log written by hand: as values, and as it is printed."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from orchestrator.cli.show_tables import of_mote, of_radios, of_run
from orchestrator.cli.tables import Table
from orchestrator.console import show
from orchestrator.errors import NoSuchThing
from orchestrator.inspect.find import Found, find
from orchestrator.inspect.overview import last_lines, one_mote, overview
from orchestrator.runs.model import Outcome
from orchestrator.runs.store import Store
from orchestrator.topology.model import Node
from tests.runs.conftest import make_result, make_spec, put

MOTES = (
    Node(1, "S", "subscriber", 0, 0),
    Node(2, "P1", "publisher", 5, 0, 1, also="relay"),
    Node(3, "P2", "publisher", 9, 0, 2),
)
COUNTERS = {
    1: {"packets_sent": 1, "packets_received": 8, "event_packets_received": 7, "delay_total_ms": 90},
    2: {
        "packets_sent": 1500,
        "packets_received": 4,
        "packets_off_topology": 5,
        "events_published": 6,
        "events_transmitted": 9,
        "event_packets_received": 2,
        "mac_sent": 11,
        "merged": 3,
        "events_pending": 1,
        "merges_undone": 2,
        "queue_dropped": 2,
        "mac_channel_access_failure": 3,
        "mac_collision": 4,
        "pool_exhausted": 0,
        "no_route": 6,
        "packets_malformed": 7,
        "forward_timeout": 1,
        "forward_full": 2,
        "forward_contained": 3,
        "forward_frame": 4,
    },
}
LINES = (
    (5, 3, "hello"),
    (6, 3, "boot\tx"),
    (7, 3, "ready"),
    (10, 1, "!node,subscriber,0,0,0"),
    (10, 2, "!node,publisher,1,1,2"),
    (11, 2, "!run,start,2"),
    (2_000_000, 2, "!run,end,0"),
    *(
        (2_500_000, mote, f"!cnt,{name},{value}")
        for mote, those in COUNTERS.items()
        for name, value in those.items()
    ),
    (2_500_000, 1, "!from,1,4,2"),
    (2_500_000, 1, "!from,9,1,0"),
    (2_500_000, 1, "!agg,1,1500"),
    (2_500_000, 2, "!agg,1,1500"),
    (2_500_000, 1, "!agg,3,30"),
    (2_500_000, 1, "!agg,4,0"),
    (2_500_000, 1, "!dly,10,18"),
    (2_500_000, 1, "!dly,20,1"),
    (2_500_000, 1, "!dly,40,1"),
    (2_500_000, 2, "!nrg,listen,1500000"),
    (2_500_000, 2, "!nrg,transmit,500000"),
    (2_500_000, 2, "!nrg,off,0"),
    (2_500_000, 2, "!nrg,cpu,7000000"),
    (2_500_000, 2, "!what"),
)
ENDS = "TEST OK\nTest ended at simulation time: 3000000\n"


def log(lines=LINES, ends=ENDS) -> bytes:
    return (
        "Random seed: 1\n" + "".join(f"{time}\tID:{mote}\t{text}\n" for time, mote, text in lines) + ends
    ).encode()


@pytest.fixture
def found(tmp_path):
    def made(lines=LINES, result=None):
        store = Store(tmp_path / "store")
        result = result or replace(make_result(), sim_us=3_000_000, wall_s=0.5)
        put(store, replace(make_spec(), motes=MOTES), result, log(lines))
        return find(store, ["trial"])

    return made


def a_mote(number, name, role, **known):
    nothing = dict.fromkeys(
        (
            "parent index sent received overheard published transmitted events_received on_air merged "
            "pending undone measured_us energy_mj text also died_us"
        ).split()
    )
    return {
        "mote": number,
        "name": name,
        "role": role,
        **nothing,
        "dropped": {},
        "forwarded": {},
        "states_us": {},
    } | known


def test_the_motes(found):
    assert overview(found())["motes"] == [
        a_mote(1, "S", "subscriber", sent=1, received=8, events_received=7),
        a_mote(
            2,
            "P1",
            "publisher",
            parent="S",
            index=1,
            sent=1500,
            received=4,
            overheard=5,
            published=6,
            transmitted=9,
            events_received=2,
            on_air=11,
            merged=3,
            pending=1,
            undone=2,
            dropped={"queue": 2, "channel-access": 3, "collision": 4, "no-route": 6, "malformed": 7},
            forwarded={"timeout": 1, "full": 2, "contained": 3, "frame": 4},
            states_us={"cpu": 7_000_000, "listen": 1_500_000, "off": 0, "transmit": 500_000},
            measured_us=2_000_000,
            energy_mj=pytest.approx(3.0 * (12.5 * 1.5 + 14.5 * 0.5)),
            also="relay",
        ),
        a_mote(
            3,
            "P2",
            "publisher",
            parent="P1",
            text={"lines": 3, "first_us": 5, "first": "hello", "last_us": 7, "last": "ready"},
        ),
    ]


def test_what_the_run_delivered(found):
    shown = overview(found())
    assert shown["delivery"] == [
        {"subscriber": "S", "publisher": "P1", "published": 6, "delivered": 4, "duplicates": 2, "lost": 2},
        {
            "subscriber": "S",
            "publisher": "publisher 9",
            "published": None,
            "delivered": 1,
            "duplicates": 0,
            "lost": None,
        },
    ]
    assert shown["aggregate_sizes"] == {"1": 3000, "3": 30, "4": 0}
    assert shown["delay_ms"] == {
        "events": 20,
        "mean": 4.5,
        "quantiles": {"p05": 10, "p50": 10, "p95": 20, "p99": 40},
        "buckets": {"10": 18, "20": 1, "40": 1},
    }
    assert shown["links"] == {
        "transmitted": 9,
        "on_air": 11,
        "events_received": 9,
        "pending": 1,
        "queue": 2,
        "channel-access": 3,
        "collision": 4,
        "pool": 0,
        "no-route": 6,
        "malformed": 7,
        "lost_on_air": 2,
    }
    assert shown["damage"] == [
        {
            "reason": "own",
            "kept": True,
            "count": 1,
            "first_line": len(LINES) + 1,
            "samples": ["2500000 ID:2 !what"],
        }
    ]
    assert shown["threads"] == [] and shown["notifications"] == []


def test_what_was_lost_on_the_air_is_unknown_where_events_are_diffused(found):
    shown = overview(found((*LINES, (2_500_000, 1, "!cnt,interests_received,0"))))
    assert shown["links"]["lost_on_air"] is None


def test_a_log_without_counts_knows_no_sums(found):
    shown = overview(found(LINES[:3]))
    assert shown["links"]["transmitted"] is None and shown["links"]["lost_on_air"] is None
    assert shown["delay_ms"] == {"events": 0, "mean": None, "quantiles": {}, "buckets": {}}
    assert shown["run"]["trace"] is False


def test_delays_without_their_sum_have_no_mean(found):
    assert (
        overview(found([line for line in LINES if "delay_total_ms" not in line[2]]))["delay_ms"]["mean"]
        is None
    )


def test_the_header(found):
    run = found()
    header = overview(run)["run"]
    assert {
        name: header[name] for name in header if name not in ("folder", "run_id", "firmware", "finished")
    } == {
        "experiment": "trial",
        "cell": "H5",
        "seed": 1,
        "outcome": "ok",
        "verdict": "OK",
        "evidence": [],
        "engine": {"name": "embedded", "version": "v1", "rules": "5.0"},
        "application": "aggregation",
        "experiment_us": 70_000_000,
        "sim_us": 3_000_000,
        "wall_s": 0.5,
        "speed": 140.0,
        "phases_of": ["P1"],
        "phases": {"start": 11, "end": 2_000_000},
        "lines": len(LINES) + 3,
        "trace": False,
        "settings": {"topology.publishers": 5},
        "statistics": {"sim_us": 3_000_000, "wall_s": 0.5, "events": 4711, "peak_memory": 30_000_000},
    }
    assert header["folder"] == str(run.where) and header["run_id"] == run.manifest.run_id
    assert header["firmware"] == {"aggregation": "f" * 64} and header["finished"] == run.manifest.finished


def test_a_log_alone_and_one_that_tells_deaths(tmp_path):
    path = tmp_path / "COOJA.testlog"
    path.write_bytes(log(((5, 7, "!cnt,packets_sent,1"), (6, 9, "!die,planned"), (7, 9, "x"))))
    shown = overview(Found(path, None))
    assert (shown["run"]["sim_us"], shown["run"]["speed"], shown["run"]["engine"]) == (3_000_000, None, None)
    assert (shown["run"]["experiment_us"], shown["run"]["trace"]) == (None, True)
    assert [(mote["name"], mote["role"], mote["died_us"]) for mote in shown["motes"]] == [
        ("mote 7", None, None),
        ("mote 9", None, 6),
    ]


def test_one_mote_by_name_and_number(found):
    run = found()
    shown = one_mote(run, "P1")
    assert shown == one_mote(run, "2")
    assert shown["mote"] == overview(run)["motes"][1] and shown["run"] == overview(run)["run"]
    assert shown["counters"] == COUNTERS[2] and list(shown["counters"]) == sorted(COUNTERS[2])
    assert shown["last_lines"][-1] == "2500000\tID:2\t!what" and len(shown["last_lines"]) == 12
    assert shown["trace_records"] == {} and shown["threads"] == [] and shown["notifications"] == []
    with pytest.raises(NoSuchThing, match="no mote 'P3' in this run; there are: S, P1, P2$"):
        one_mote(run, "P3")


def test_one_mote_s_trace_records(found):
    lines = (
        (1, 2, "!pub,a,1,1,5"),
        (2, 2, "!pub,a,1,2,5"),
        (2, 2, "!sch,idle,start"),
        (3, 3, "!pub,a,2,2,5"),
    )
    assert one_mote(found(lines), "P1")["trace_records"] == {"pub": 2, "sch": 1}


def test_last_lines_are_what_a_terminal_can_show(tmp_path):
    path = tmp_path / "some.log"
    path.write_bytes(
        b"1\tID:1\ta\x1b[2J\tb\xff\r\n2\tID:12\tother\n3\tID:1\tc\n"
        + b"4\tID:2\t"
        + b"x" * 90
        + b"\tID:1\t\n"
    )
    assert last_lines(Found(path, None), 1) == ["1\tID:1\ta\ufffd[2J\tb\ufffd", "3\tID:1\tc"]
    assert last_lines(Found(path, None), 1, 1) == ["3\tID:1\tc"]


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
