# SPDX-License-Identifier: Apache-2.0
"""Lines become typed events, deliveries, values and times in states; nothing unseen is counted."""

from __future__ import annotations

import json
import time
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from orchestrate_spark.sources.log_patterns.nodes import Nodes
from orchestrate_spark.sources.log_patterns.rows import Tried, read
from orchestrate_spark.tables import schema

from orchestrator.features.patterns import load, told

CLIENT_2 = "fd00::202:2:2:2"


def text(*lines: tuple[int, int, str], run: str = "r1", seed: int = 1) -> pa.Table:
    """Return (time in ms, mote, text) as rows of the table `text`."""
    return pa.Table.from_pylist(
        [
            {"experiment": "e", "cell": "c", "seed": seed, "run_id": run, "line": at, "time_us": ms * 1000}
            | {"mote": mote, "text": said}
            for at, (ms, mote, said) in enumerate(lines, 1)
        ],
        schema=schema("text"),
    )


def tried(tmp_path: Path, patterns: str, rows: pa.Table) -> dict[str, list[dict]]:
    """Return what a pattern file makes of lines, by table, and `wrong`, what is said of it."""
    (tmp_path / "p.yaml").write_text(patterns, encoding="utf-8")
    spec = load.load([str(tmp_path / "p.yaml")]).spec
    found = {name: made.to_pylist() for name, made in read(rows, json.dumps(spec).encode())}
    again = Tried(rows, spec)
    deliveries = pl.from_arrow(again.deliveries())
    again.values()
    again.states()
    wrong = told.of_patterns(spec, pl.from_arrow(again.matches()), deliveries, rows.num_rows)
    return found | {"wrong": wrong}


def test_groups_are_typed_and_absent_where_they_matched_nothing(tmp_path):
    patterns = r"""
    events:
      rank:
        match: 'rank (?P<rank>[0-9]+) of 0x(?P<mask>[0-9a-f]+) at (?P<level>-?[0-9.]+)(?: by (?P<who>\w+))?'
        fields: {rank: int, mask: hex, level: float}
    """
    found = tried(
        tmp_path, patterns, text((1, 3, "rank 256 of 0xff at -1.5 by me"), (2, 4, "rank 1 of 0x0 at 2"))
    )
    first, second = found["log_events"]
    assert dict(first["numbers"]) == {"rank": 256, "mask": 255, "level": -1.5}
    assert dict(first["texts"]) == {"who": "me"} and dict(second["texts"]) == {}
    assert (first["mote"], first["time_us"], first["run_id"]) == (3, 1000, "r1")


def test_a_line_whose_group_is_not_of_its_type_is_no_event_and_is_named(tmp_path):
    patterns = "events: {n: {match: 'n=(?P<n>\\S+)', fields: {n: int}}}"
    found = tried(tmp_path, patterns, text((1, 1, "n=12"), (2, 1, "n=1x"), (3, 1, "n=99999999999999999999")))
    assert [dict(row["numbers"]) for row in found["log_events"]] == [{"n": 12}]
    assert {row["result"]: row["lines"] for row in found["log_matches"]} == {"matched": 1, "misfit": 2}
    assert any("p.yaml:1: 2 lines left out" in one and "n=1x" in one for one in found["wrong"])


RATIO = """
events:
  sent: {match: 'send (?P<seq>[0-9]+)', fields: {seq: int}}
  got: {match: 'got (?P<seq>[0-9]+) from (?P<origin>\\S+)', fields: {seq: int, origin: node}}
deliveries:
  hello: {sent: sent, received: got, key: {mote: origin, seq: seq}}
"""


def test_two_kinds_of_events_with_a_key_are_deliveries(tmp_path):
    rows = text(
        (0, 2, "send 1"),
        (10, 1, f"got 1 from {CLIENT_2}"),
        (15, 1, f"got 1 from {CLIENT_2}"),  # a duplicate
        (20, 3, "send 1"),  # another origin, lost
        (30, 2, "send 2"),
        (45, 1, f"got 2 from {CLIENT_2}"),
        (50, 1, f"got 9 from {CLIENT_2}"),  # never sent
        (60, 2, "send 1"),  # the counter began anew: no duplicate of the first
        (61, 1, f"got 1 from {CLIENT_2}"),
    )
    found = tried(tmp_path, RATIO, rows)["log_deliveries"]
    told_of = [
        (row["mote"], row["sent_us"], row["receiver"], row["latency_us"], row["copies"]) for row in found
    ]
    assert told_of == [
        (2, 0, 1, 10_000, 2),
        (3, 20_000, None, None, None),
        (2, 30_000, 1, 15_000, 1),
        (2, 60_000, 1, 1_000, 1),
        (None, None, 1, None, 1),
    ]


def test_what_is_received_before_it_is_sent_or_in_another_run_is_no_delivery(tmp_path):
    early = text((5, 1, f"got 1 from {CLIENT_2}"), (10, 2, "send 1"))
    other = text((20, 1, f"got 1 from {CLIENT_2}"), run="r2", seed=2)
    found = tried(tmp_path, RATIO, pa.concat_tables([early, other]))
    assert all(row["latency_us"] is None for row in found["log_deliveries"])


def test_the_limit_of_a_delivery_parts_what_is_too_late(tmp_path):
    late = text((0, 2, "send 1"), (5_000, 1, f"got 1 from {CLIENT_2}"))
    limited = RATIO.replace("seq: seq}}", "seq: seq}, within: 1 s}")
    assert tried(tmp_path, RATIO, late)["log_deliveries"][0]["receiver"] == 1
    assert tried(tmp_path, limited, late)["log_deliveries"][0]["receiver"] is None


def test_a_key_that_fits_no_line_is_named_with_an_example_of_both_ends(tmp_path):
    rows = text((0, 2, "send 1"), (5, 1, "got 1 from fd00::205:5:5:5"))
    (wrong,) = tried(tmp_path, RATIO, rows)["wrong"]
    assert "p.yaml:6" in wrong and "'5 1'" in wrong and "'2 1'" in wrong


def test_a_node_that_is_not_known_is_in_no_delivery_and_is_named(tmp_path):
    rows = text((0, 2, "send 1"), (5, 1, "got 1 from fd00::1234:5678:9abc:def0"))
    found = tried(tmp_path, RATIO, rows)
    assert [row["receiver"] for row in found["log_deliveries"]] == [None]
    assert any("a node that is not known" in one for one in found["wrong"])


def test_nodes_are_known_by_the_addresses_that_they_print(tmp_path):
    patterns = RATIO.replace("events:", "use: addresses\nevents:")
    rows = text(
        (0, 7, "[INFO: Main      ] Link-layer address: 0012.4b00.14b5.d967"),
        (1, 7, "send 4"),
        (9, 1, "got 4 from fd00::212:4b00:14b5:d967"),
    )
    assert [row["receiver"] for row in tried(tmp_path, patterns, rows)["log_deliveries"]] == [1]


@pytest.mark.parametrize(
    ("address", "mote"),
    [
        ("fd00::202:2:2:2", 2),
        ("fe80::20a:a:a:a", 10),
        ("fd00::32c:12c:12c:12c", 300),  # mote 300 of Cooja
        ("0003.0003.0003.0003", 3),
        ("aaaa::212:7405:5:505", 5),  # an emulated Sky mote
        ("6G-000b", 11),
        ("LL-0002", 2),
        ("7.1", 263),
        ("12", 12),
        ("fd00::212:4b00:14b5:d967", None),
        ("(NULL IP addr)", None),
        ("ffff.ffff.ffff.ffff", None),  # broadcast
        ("0000.0000.0000.0000", None),
        ("LL-ffff", None),
        ("fd00::1::2", None),
    ],
)
def test_addresses_that_nobody_printed_are_resolved_as_cooja_makes_them(address, mote):
    assert Nodes().mote(address) == mote


def test_firmware_with_deployed_numbers_prints_them_in_decimal_digits(tmp_path):
    rows = text((0, 10, "send 1"), (1, 5, "via LL-0010"), (9, 1, "got 1 from 6G-010"))
    assert [row["receiver"] for row in tried(tmp_path, RATIO, rows)["log_deliveries"]] == [1]
    assert (Nodes().mote("LL-0010"), Nodes(deployment=True).mote("LL-0010")) == (16, 10)


def test_an_address_that_two_motes_claim_is_nobodys():
    nodes = Nodes()
    for mote in (4, 5):
        assert nodes.learn("fe80::1", mote)
    assert nodes.mote("fd00::1") is None
    assert not nodes.learn("6", 4) and nodes.mote("6") == 6  # a number is no address


STATES = """
events:
  power:
    match: 'tx (?P<tx>[0-9]+) cpu (?P<cpu>[0-9]+) lpm (?P<lpm>[0-9]+)'
    fields: {tx: int, cpu: int, lpm: int}
energy:
  power: {event: power, whole: cpu + lpm, cumulative: CUMULATIVE, states: {transmit: tx, cpu: cpu}}
"""


def test_times_in_states_are_summed_by_mote_with_seconds_by_the_logs_clock(tmp_path):
    rows = text((10_000, 1, "tx 5 cpu 10 lpm 90"), (20_000, 1, "tx 20 cpu 30 lpm 70"))
    found = {
        row["state"]: row
        for row in tried(tmp_path, STATES.replace("CUMULATIVE", "false"), rows)["log_states"]
    }
    assert (found["transmit"]["ticks"], found["cpu"]["ticks"], found["cpu"]["whole"]) == (25, 40, 200)
    assert found["cpu"]["seconds"] == pytest.approx(20.0)  # 100 ticks in the 10 s between the lines


def test_counters_since_the_boot_may_begin_anew(tmp_path):
    rows = text((10, 1, "tx 5 cpu 10 lpm 90"), (20, 1, "tx 7 cpu 20 lpm 180"), (30, 1, "tx 1 cpu 4 lpm 96"))
    found = {
        row["state"]: row for row in tried(tmp_path, STATES.replace("CUMULATIVE", "true"), rows)["log_states"]
    }
    assert (found["transmit"]["ticks"], found["cpu"]["whole"]) == (8, 300)


def test_a_value_that_cannot_be_computed_is_left_out_and_named(tmp_path):
    patterns = """
    events: {e: {match: 'a (?P<a>[0-9]+) b (?P<b>[0-9]+)', fields: {a: int, b: int}}}
    metrics: {share: {event: e, value: 100 * a / (a + b)}}
    """
    found = tried(tmp_path, patterns, text((1, 1, "a 1 b 3"), (2, 1, "a 0 b 0")))
    assert [(row["metric"], row["value"]) for row in found["log_values"]] == [("share", 25.0)]
    assert any("divided by zero" in one and "a 0 b 0" in one for one in found["wrong"])


def test_patterns_that_match_nothing_or_everything_are_named_with_file_and_line(tmp_path):
    patterns = "events:\n  none: {match: 'no such'}\n  all: {match: 'li'}\n  some: {match: 'line 3'}\n"
    rows = text(*((at, 1, f"line {at}") for at in range(30)))
    wrong = tried(tmp_path, patterns, rows)["wrong"]
    assert len(wrong) == 2
    assert "p.yaml:2: none matches none of 30 lines" in "".join(wrong)
    assert "p.yaml:3: all matches all of 30 lines" in "".join(wrong)
    assert tried(tmp_path, patterns, text())["wrong"] == []  # an empty log shows nothing


@pytest.mark.parametrize("pattern", ["(?P<x>(?:a+)+)$", "(?:.*a){20}c", "(?:a|aa)+$"])
def test_no_pattern_takes_exponential_time(tmp_path, pattern):
    patterns = f"events: {{e: {{match: '{pattern}'}}}}"
    rows = text(*((at, 1, "a" * 4000 + "b") for at in range(50)))
    begin = time.process_time()
    tried(tmp_path, patterns, rows)
    assert time.process_time() - begin < 20  # one backtracking line alone would take longer than anyone waits


def test_the_rows_of_a_sink_are_those_of_the_node_that_they_are_about():
    spec = load.load(["collect-view"]).spec
    line = "30 0 60 0 9 4 2 0 22 7680 0 100 900 5 15 3 16 512 4 61440 " + " ".join("0" * 10)
    tried = Tried(text((1, 1, line)), spec)
    (row,) = tried.events["collected"].to_dicts()
    assert (row["mote"], row["seq"], row["hops"], row["parent"], row["metric"]) == (9, 4, 2, 3, 512)
    sky = line.replace(" 9 4 2 ", " 514 4 2 ")  # 02:02, the last bytes of the address of Sky mote 2
    assert Tried(text((1, 1, sky), (2, 2, "hello")), spec).events["collected"]["mote"].to_list() == [2]


# What the printf of powertrace, print_stats and simple-energest give, with numbers of ours.
POWERTRACE = (
    "#P 7680 P 2.0 0 1000 9000 30 70 0 0 {cpu} {lpm} {tx} {rx} 0 0 "
    "(radio 1.00% / 1.00% tx 0.30% / 0.30% listen 0.70% / 0.70%)"
)
STATS = (
    "E 2.0 clock {clock} cpu {cpu} lpm {lpm} irq 0 gled 0 yled 0 rled 0 tx {tx} listen {rx} "
    "sensors 0 serial 0"
)


@pytest.mark.parametrize(
    ("name", "lines", "ticks", "whole"),
    [
        (
            "powertrace",
            [POWERTRACE.format(cpu=1, lpm=9, tx=2, rx=3), POWERTRACE.format(cpu=2, lpm=8, tx=1, rx=1)],
            {"cpu": 3, "lpm": 17, "transmit": 3, "listen": 4},
            20,
        ),
        (
            "energest",  # since the boot
            [
                STATS.format(clock=5, cpu=1, lpm=9, tx=2, rx=3),
                STATS.format(clock=9, cpu=3, lpm=17, tx=3, rx=4),
            ],
            {"cpu": 3, "lpm": 17, "transmit": 3, "listen": 4},
            20,
        ),
        (
            "simple-energest",
            [
                f"[INFO: Energest  ] {state:12}: {ticks:10}/        20 ({ticks * 50} permil)"
                for state, ticks in (
                    ("CPU", 3),
                    ("LPM", 16),
                    ("Deep LPM", 1),
                    ("Radio Tx", 3),
                    ("Radio Rx", 4),
                    ("Radio total", 7),
                )
            ],
            {"cpu": 3, "lpm": 16, "deep_lpm": 1, "transmit": 3, "listen": 4},
            20,
        ),
    ],
)
def test_sets_read_what_contiki_prints_of_energy(name, lines, ticks, whole):
    spec = load.load([name]).spec
    states = Tried(text(*((at * 1000, 2, line) for at, line in enumerate(lines))), spec).states().to_pylist()
    assert {row["state"]: row["ticks"] for row in states} == ticks
    assert {row["whole"] for row in states} == {whole}


def test_sets_read_what_contiki_2_and_3_print_of_rpl_udp():
    rows = text((0, 3, "DATA send to 1 'Hello 7'"), (9, 1, "DATA recv 'Hello 7 from the client' from 3"))
    (row,) = Tried(rows, load.load(["rpl-udp-contiki"]).spec).deliveries().to_pylist()
    assert (row["mote"], row["receiver"], row["latency_us"]) == (3, 1, 9000)
