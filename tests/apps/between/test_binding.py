# SPDX-License-Identifier: Apache-2.0
"""Subjects bound to events, in both directions, on simulated motes; and what the compiler refuses."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from board_runs import board_run

from orchestrator.build import host
from orchestrator.errors import BuildFailed
from tests import needs

needs.a_compiler()
APP = Path(__file__).parent / "binding"
NEAR, FAR = 2, 3
EVENTS = (
    "BYTE",
    "WORD",
    "REAL",
    "HEAT",
    "ODD",
    "RING",
    "BYTE_IN",
    "WORD_IN",
    "WIDE_IN",
    "REAL_IN",
    "HEAT_IN",
    "ODD_IN",
    "RING_IN",
    "SAMPLED_IN",
)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    run, texts = board_run(
        tmp_path_factory.mktemp("binding"),
        "pubsub-hello",
        shape="chain, publishers: 2, spacing: 30 m",
        duration="30 s",
        firmware=host.firmware(APP).path,
    )
    assert texts == []
    return run


def _written(run, mote: int, event: str) -> list[int]:
    return [
        record.values[1]
        for record in run.of("bpb")
        if record.mote == mote and EVENTS[record.values[0]] == event
    ]


def test_values_come_out_as_they_went_in(run):
    assert _written(run, 1, "BYTE_IN") == [0, 255]
    assert _written(run, 1, "WORD_IN") == [-1, -32768, 32767]
    assert _written(run, 1, "REAL_IN") == [-98304, -(2**31)]


def test_one_event_goes_out_to_two_subjects(run):
    assert _written(run, 1, "WIDE_IN") == [-1, -32768, 32767, 40000]


def test_what_the_octets_cannot_hold_does_not_go_out(run):
    assert 256 in _written(run, FAR, "BYTE") and 40000 in _written(run, FAR, "WORD")
    assert run.counters[FAR]["bindings_range"] == 2


def test_data_of_another_length_is_counted_and_not_taken(run):
    assert _written(run, FAR, "ODD") == [7] and _written(run, 1, "ODD_IN") == []
    assert run.counters[1]["bindings_length"] == 1


def test_a_relay_takes_in_what_passes_and_nobody_what_it_sent(run):
    assert _written(run, 1, "RING_IN") == _written(run, NEAR, "RING_IN") == [11]
    assert _written(run, FAR, "RING_IN") == [] and run.counters[FAR]["bindings_returned"] == 1
    assert "bindings_returned" not in run.counters[NEAR]


def test_a_sampled_value_is_shared_inside_its_own_node(run):
    assert _written(run, FAR, "SAMPLED_IN") == [-5]


def test_an_aggregate_comes_in_once_with_its_value(run):
    assert _written(run, FAR, "HEAT") == [30] and _written(run, NEAR, "HEAT") == [10]
    assert _written(run, 1, "HEAT_IN") == [20]


def test_what_goes_out_unmerged_waits_for_no_merge_function_on_its_way(run):
    """The near publisher has one for words: none of them waits there for the next word or a time-out."""
    times = {
        mote: [
            record.time_us
            for record in run.of("bpb")
            if (record.mote, EVENTS[record.values[0]]) == (mote, event)
            and record.values[1] in (-1, -32768, 32767)
        ]
        for mote, event in ((FAR, "WORD"), (1, "WORD_IN"))
    }
    delays = [came - went for went, came in zip(times[FAR], times[1], strict=True)]
    assert len(delays) == 3 and max(delays) < 240_000  # a quarter of a second is between two words


def test_nothing_was_refused_or_lost(run):
    assert not [
        name
        for counters in run.counters.values()
        for name in counters
        if name.endswith(("refused", "outrun", "full", "busy"))
    ]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("X(OUT, light, 0, 2) X(IN, light, 0, 2)", "BLACKBOARD_BINDING_light_0"),  # a loop
        ("X(IN, light, 0, 2) X(IN, light, 0, 4)", "BLACKBOARD_BINDING_light_0"),
        ("X(OUT, light, 0, 2) X(OUT_MERGED, light, 1, 2)", "BLACKBOARD_GOES_OUT_light"),
        ("X(OUT, light, 0, 3)", "subject light: 1, 2 or 4 octets"),
        ("X(OUT, lightness, 0, 2)", "subject lightness: at most eight characters"),
        ("X(OUT, light, DARK, 2)", "EVENT_DARK"),
    ],
)
def test_the_compiler_refuses(tmp_path, lines, said):
    folder = tmp_path / "pubsub-hello"
    shutil.copytree(Path(__file__).parents[3] / "contiki-apps" / "apps" / "pubsub-hello", folder)
    (folder / "Makefile").write_text(
        "CONTIKI_PROJECT = pubsub-hello\nMODULES = pubsub identity threads blackboard blackboard-binding\n"
        "include ../../Makefile.embedded\n"
    )
    (folder / "project-conf.h").write_text(f"#define BLACKBOARD_CONF_BINDINGS(X) {lines}\n")
    with pytest.raises(BuildFailed) as failed:
        host.firmware(folder)
    assert said in str(failed.value)
