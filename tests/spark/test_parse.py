# SPDX-License-Identifier: Apache-2.0
"""The vectorised parser against the specification, line by line."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from orchestrate_spark.experiment import Run
from orchestrate_spark.frames import read
from orchestrate_spark.log_format import DAMAGE, RECORDS
from orchestrate_spark.tables import COLUMNS, TARGETS, schema
from reference import read as slowly
from synthetic import Chain, log_lines

from tests.tier import examples

BEFORE = b"1\tID:1\tfirst\n"
KEYS = ("experiment", "cell", "seed", "run_id")


def parsed(tmp_path, *logs: bytes, block: int = 1 << 20) -> dict[str, list[dict]]:
    """table -> rows of these logs, run ids "0", "1", ..."""
    runs = []
    for number, data in enumerate(logs):
        path = tmp_path / f"{number}.log"
        path.write_bytes(data)
        runs.append(Run(str(number), "e", "c", number, str(path), len(data), "", {"outcome": "ok"}))
    rows: dict[str, list[dict]] = {name: [] for name in COLUMNS}
    for table, part in read(runs, block):
        assert part.schema.equals(schema(table))
        rows[table] += part.to_pylist()
    return rows


def bare(rows: list[dict]) -> list[dict]:
    """Without keys and nulls."""
    return [
        {name: value for name, value in row.items() if name not in KEYS and value is not None} for row in rows
    ]


def assert_as_specified(rows: dict[str, list[dict]], data: bytes, run_id: str = "0") -> None:
    expected = slowly(data)
    mine = {table: [row for row in part if row["run_id"] == run_id] for table, part in rows.items()}
    for table in COLUMNS:
        if table not in ("runs", "motes", "damage"):
            assert bare(mine[table]) == expected["rows"].get(table, []), table
    assert {row["reason"]: row["count"] for row in mine["damage"]} == expected["damage"]
    (run,) = mine["runs"]
    assert run["lines"] == expected["lines"] and run["log_bytes"] == len(data)
    assert run["malformed"] == sum(n for reason, n in expected["damage"].items() if not DAMAGE[reason][0])
    assert run["clock_jumps"] == expected["damage"].get("clock", 0)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"2\tID:1\t" + b"x" * 5000, "long"),
        (b"2\tID:1\tnul \x00 in it", "junk"),
        (b"2\tID:1\t!cnt,\x01,1", "junk"),
        (b"\xff\xfe\x80\x81", "junk"),
        (b"2\tID:1\tlone \r return", "junk"),
        (b"", "line"),
        (b"words without tabs", "line"),
        (b"2\tID:1", "line"),
        (b"Random seed: x", "line"),
        (b"TEST OK again", "line"),
        (b"\tID:1\tx", "time"),
        (b"-2\tID:1\tx", "time"),
        (b"+2\tID:1\tx", "time"),
        (b"2.5\tID:1\tx", "time"),
        (b" 2\tID:1\tx", "time"),
        (b"9223372036854775808\tID:1\tx", "time"),
        (b"2\t1\tx", "mote"),
        (b"2\tID:\tx", "mote"),
        (b"2\tID:0\tx", "mote"),
        (b"2\tID:-1\tx", "mote"),
        (b"2\tID:2147483648\tx", "mote"),
        (b"2\tID:1\t!", "kind"),
        (b"2\tID:1\t!9lives,1", "kind"),
        (b"2\tID:1\t!CNT,merged,1", "kind"),
        (b"2\tID:1\t!cnt", "few"),
        (b"2\tID:1\t!cnt,merged", "few"),
        (b"2\tID:1\t!cnt,merged,1,2", "many"),
        (b"2\tID:1\t!cnt,merged,1,", "many"),
        (b"2\tID:1\t!cnt,,1", "type"),
        (b"2\tID:1\t!cnt,merged,", "type"),
        (b"2\tID:1\t!cnt,merged,-1", "type"),
        (b"2\tID:1\t!cnt,merged,+1", "type"),
        (b"2\tID:1\t!cnt,merged,1.0", "type"),
        (b"2\tID:1\t!cnt,merged,9223372036854775808", "type"),
        (b"2\tID:1\t!cnt," + b"n" * 65 + b",1", "type"),
        ("2\tID:1\t!cnt,m\u00e9,1".encode(), "type"),
        (b"2\tID:1\t!cnt,a\tb,1", "type"),
        (b"2\tID:1\t!dlv,t,1,", "type"),
        (b"2\tID:1\t!dlv,t,1,1.2+", "type"),
        (b"2\tID:1\t!dlv,t,1,0.2", "type"),
        (b"2\tID:1\t!dlv,t,1,1.-2", "type"),
        (b"2\tID:1\t!dlv,t,1,2147483648.1", "type"),
        (b"0\tID:1\tearlier", "clock"),
    ],
)
def test_a_line_that_does_not_fit_is_counted_by_its_reason(tmp_path, line, reason):
    data = BEFORE + line + b"\n3\tID:1\tlast\n"
    rows = parsed(tmp_path, data)
    (damage,) = rows["damage"]
    assert (damage["reason"], damage["count"], damage["first_line"]) == (reason, 1, 2)
    assert damage["kept"] is DAMAGE[reason][0]
    assert len(damage["samples"]) == 1 and len(damage["samples"][0]) <= 120
    assert [row["text"] for row in rows["text"]][:: len(rows["text"]) - 1] == ["first", "last"]
    assert_as_specified(rows, data)


@pytest.mark.parametrize(
    ("line", "table"),
    [
        (b"!nosuch,1", "records"),
        (b"!battery", "records"),
        (b"!battery,", "records"),
        (b"!battery,3.1,V,,", "records"),
        (b"!cnt,not_listed,1", "counters"),
    ],
)
def test_a_record_of_the_users_own_is_kept_and_is_no_damage(tmp_path, line, table):
    data = BEFORE + b"2\tID:1\t" + line + b"\n3\tID:1\tlast\n"
    rows = parsed(tmp_path, data)
    assert rows["damage"] == [] and len(rows[table]) == 1
    (run,) = rows["runs"]
    assert (run["malformed"], run["lines"]) == (0, 3)
    assert_as_specified(rows, data)


def test_every_reason_is_documented_and_can_happen(tmp_path):
    assert {"cut", "repeated", "log", "ended"} | {
        mark.args[1][i][1]
        for mark in test_a_line_that_does_not_fit_is_counted_by_its_reason.pytestmark
        for i in range(len(mark.args[1]))
    } == set(DAMAGE)


def test_a_last_line_without_end_is_not_trusted(tmp_path):
    rows = parsed(tmp_path, BEFORE + b"2\tID:1\t!cnt,packets_sent,12")
    assert rows["counters"] == [] and rows["damage"][0]["reason"] == "cut"
    assert rows["runs"][0]["lines"] == 2 and rows["runs"][0]["malformed"] == 1


def test_a_value_that_is_dumped_again_replaces_the_first(tmp_path):
    rows = parsed(tmp_path, b"1\tID:1\t!cnt,merged,5\n2\tID:2\t!cnt,merged,1\n3\tID:1\t!cnt,merged,7\n")
    assert [(row["mote"], row["value"]) for row in rows["counters"]] == [(2, 1), (1, 7)]
    assert rows["damage"][0]["reason"] == "repeated" and rows["damage"][0]["samples"] == [
        "1 ID:1 !cnt,merged,5"
    ]


@pytest.mark.parametrize("data", [b"", b"\n", b"\r\n", b"\x00" * 100, b"x", bytes(range(256)) * 3])
def test_logs_that_are_none_are_counted_and_break_nothing(tmp_path, data):
    assert_as_specified(parsed(tmp_path, data), data)


def test_a_missing_log_is_damage_of_its_run(tmp_path):
    runs = [Run("0", "e", "c", 1, str(tmp_path / "none"), 0, "", {"outcome": "ok"})]
    rows = {table: part.to_pylist() for table, part in read(runs)}
    assert rows["damage"][0]["reason"] == "log" and rows["runs"][0]["log_bytes"] == 0


def test_a_line_longer_than_a_block_costs_no_memory_and_no_other_line(tmp_path):
    data = BEFORE + b"2\tID:1\t" + b"x" * 300_000 + b"\n3\tID:1\tlast\n"
    rows = parsed(tmp_path, data, block=8192)
    assert [row["text"] for row in rows["text"]] == ["first", "last"]
    assert [(row["reason"], row["count"], row["first_line"]) for row in rows["damage"]] == [("long", 1, 2)]
    assert rows["runs"][0]["lines"] == 3 and rows["text"][1]["line"] == 3


def test_cooja_frames_are_recognised(tmp_path):
    data = b"Random seed: -7\n" + BEFORE + b"TEST FAILED\nTest ended at simulation time: 99\n"
    (run,) = parsed(tmp_path, data)["runs"]
    assert (run["log_seed"], run["verdict"], run["ended_us"], run["malformed"]) == (-7, "FAILED", 99, 0)


@pytest.mark.parametrize(("latest", "jumps"), [(99, 0), (100, 1), (9_000_000, 1)])
def test_a_clock_that_jumped_ahead_of_the_end_is_counted(tmp_path, latest, jumps):
    data = BEFORE + b"%d\tID:1\tlater\nTest ended at simulation time: 99\n" % latest
    rows = parsed(tmp_path, data)
    assert rows["runs"][0]["clock_jumps"] == jumps and rows["runs"][0]["malformed"] == 0
    assert [row["first_line"] for row in rows["damage"]] == [2] * jumps
    assert_as_specified(rows, data)


def test_the_latest_line_is_told_wherever_it_stands(tmp_path):
    """Of each log of a block, and of a log that several blocks share."""
    logs = [
        b"5\tID:1\ta\n%d\tID:1\tlatest of %d\n7\tID:1\tb\n8\tID:1\tc\n" % (90 + log, log)
        + b"Test ended at simulation time: 50\n"
        for log in range(3)
    ]
    for block in (1 << 20, 24):
        folder = tmp_path / str(block)
        folder.mkdir()
        rows = parsed(folder, *logs, block=block)
        for log, row in enumerate(rows["damage"]):
            assert (row["run_id"], row["reason"], row["count"]) == (str(log), "clock", 2)
            assert row["first_line"] == 2 and f"{90 + log} ID:1 latest of {log}" in row["samples"]
        assert len(rows["damage"]) == 3
        assert [row["log_bytes"] for row in rows["runs"]] == [len(log) for log in logs]


def test_every_record_of_the_format_has_its_table(tmp_path):
    values = {"int": "5", "str": "word", "events": "3.17+4.18"}
    assert set(TARGETS) == set(RECORDS)
    for kind, fields in RECORDS.items():
        data = ("1\tID:3\t!" + ",".join([kind, *(values[type_] for _, type_ in fields)]) + "\r\n").encode()
        rows = parsed(tmp_path, data)
        assert len(rows[TARGETS[kind].table]) == 1 and rows["runs"][0]["malformed"] == 0
        assert_as_specified(rows, data)


def test_a_whole_run_is_as_specified(tmp_path):
    for chain in (Chain("A", 3, True, 4, trace=True), Chain("B", 5)):
        data = ("\n".join(log_lines(chain, 1)) + "\n").encode()
        assert_as_specified(parsed(tmp_path, data), data)


number = st.one_of(
    st.integers(-3, 300).map(str), st.sampled_from(["", "+1", "0x1", "1e3", "9" * 18, "9" * 19, "007", "-0"])
)
word = st.one_of(
    st.sampled_from(["merged", "packets_sent", "temp", "", "a b", "\u00fc", "x" * 64, "x" * 65, "\x7f"])
)
events = st.one_of(
    st.lists(st.tuples(number, number).map(".".join), min_size=1, max_size=4).map("+".join), word
)
field = {"int": number, "str": word, "events": events}


@st.composite
def record(draw):
    kind = draw(st.sampled_from([*RECORDS, "zzz", ""]))
    texts = [draw(field[type_]) for _, type_ in RECORDS.get(kind, ())]
    extra = draw(st.sampled_from([None, None, None, None, "less", "more"]))
    return "!" + ",".join(
        [kind, *(texts[:-1] if extra == "less" else texts), *(["1"] if extra == "more" else [])]
    )


line = st.one_of(
    st.builds(
        "{}\tID:{}\t{}{}".format,
        st.one_of(st.integers(0, 50).map(str), number),
        st.one_of(st.integers(1, 4).map(str), number),
        st.one_of(record(), st.text(max_size=10)),
        st.sampled_from(["", "", "\r"]),
    ).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.sampled_from([b"TEST OK", b"Random seed: 12", b"Test ended at simulation time: 4", b"\r"]),
    st.binary(max_size=20),
)
log = st.tuples(st.lists(line, max_size=25), st.booleans()).map(
    lambda made: b"\n".join(made[0]) + b"\n" * made[1]
)


@settings(max_examples=examples(120), deadline=None)
@given(logs=st.lists(log, min_size=1, max_size=3), block=st.sampled_from([8, 40, 1 << 20]))
def test_any_logs_in_any_blocks_are_as_specified(tmp_path_factory, logs, block):
    rows = parsed(tmp_path_factory.mktemp("logs"), *logs, block=block)
    for number, data in enumerate(logs):
        assert_as_specified(rows, data, str(number))
