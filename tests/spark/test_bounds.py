# SPDX-License-Identifier: Apache-2.0
"""The largest and smallest of what a log's line may hold, what is kept of damaged lines, and how files are
read in blocks.
"""

from __future__ import annotations

import pytest
from orchestrate_spark import lines
from orchestrate_spark.lines import Chunk, Found
from test_parse import BEFORE, assert_as_specified, parsed

LAST = 2**63 - 1


@pytest.mark.parametrize(
    ("fits", "does_not", "reason"),
    [
        (b"2\tID:1\t" + b"x" * 4089, b"2\tID:1\t" + b"x" * 4090, "long"),
        (b"%d\tID:1\tx" % LAST, b"%d\tID:1\tx" % (LAST + 1), "time"),
        (b"2\tID:2147483647\tx", b"2\tID:2147483648\tx", "mote"),
        (b"2\tID:1\tx", b"2\tID:0\tx", "mote"),
        (b"2\tID:1\t!cnt," + b"n" * 64 + b",1", b"2\tID:1\t!cnt," + b"n" * 65 + b",1", "type"),
        (b"2\tID:1\t!cnt,n,1", b"2\tID:1\t!cnt,,1", "type"),
        (b"2\tID:1\t!cnt,merged,%d" % LAST, b"2\tID:1\t!cnt,merged,%d" % (LAST + 1), "type"),
        (b"2\tID:1\t!cnt,merged,-%d" % (LAST + 1), b"2\tID:1\t!cnt,merged,-%d" % (LAST + 2), "type"),
        (b"2\tID:1\t!dlv,t,1,2147483647.1", b"2\tID:1\t!dlv,t,1,2147483648.1", "type"),
        (b"2\tID:1\t!dlv,t,1,1.0", b"2\tID:1\t!dlv,t,1,0.1", "type"),
        (b"2\tID:1\t!dlv,t,1,1.%d" % LAST, b"2\tID:1\t!dlv,t,1,1.%d" % (LAST + 1), "type"),
        (b"2\tID:1\t!" + b"k" * 32, b"2\tID:1\t!" + b"k" * 33, "kind"),
        (b"Random seed: " + b"9" * 18, b"Random seed: " + b"9" * 19, "line"),
    ],
)
def test_the_last_that_fits_and_the_first_that_does_not(tmp_path, fits, does_not, reason):
    (tmp_path / "fits").mkdir()
    for folder, line, reasons in ((tmp_path / "fits", fits, set()), (tmp_path, does_not, {reason})):
        rows = parsed(folder, BEFORE + line + b"\n")
        assert {row["reason"] for row in rows["damage"]} == reasons
        assert rows["runs"][0]["malformed"] == (reasons == {reason})
        assert_as_specified(rows, BEFORE + line + b"\n")


def test_three_damaged_lines_of_a_reason_are_shown_in_part(tmp_path):
    """Wherever blocks end: the first three of a log, up to 120 characters of each, on one line."""
    bad = [b"%d%s" % (number, b"\t\x01" + b"y" * 200) for number in range(5)]
    data = BEFORE + b"\n".join(bad) + b"\n" + b"nothing\n"
    for number, block in enumerate((1 << 20, 250)):
        folder = tmp_path / str(number)
        folder.mkdir()
        rows = parsed(folder, data, block=block)
        damage = {row["reason"]: row for row in rows["damage"]}
        assert (damage["junk"]["count"], damage["junk"]["first_line"]) == (5, 2)
        assert damage["junk"]["samples"] == [f"{at} \ufffd{'y' * 117}" for at in range(3)]
        assert (damage["line"]["count"], damage["line"]["first_line"]) == (1, 7)
        assert damage["line"]["samples"] == ["nothing"]
        assert rows["runs"][0]["malformed"] == 6


@pytest.mark.parametrize("length", [4000, 8193, 20000])
def test_what_is_shown_of_a_line_that_was_given_up(tmp_path, length):
    data = BEFORE + b"z" * length + b"\n3\tID:1\tlast\n"
    rows = parsed(tmp_path, data, block=4096)
    (damage,) = rows["damage"]
    assert damage["reason"] == ("line" if length == 4000 else "long") and damage["first_line"] == 2
    assert damage["samples"] == ["z" * 120] and rows["text"][-1]["line"] == rows["runs"][0]["lines"] == 3


def read(tmp_path, *contents: bytes, block: int) -> tuple[list[list[Chunk]], Found]:
    paths = []
    for number, content in enumerate(contents):
        paths.append(tmp_path / str(number))
        paths[-1].write_bytes(content)
    found = Found()
    return list(lines.blocks(paths, found, block)), found


def test_chunks_of_several_files_make_a_block(tmp_path):
    chunks, found = read(tmp_path, b"1234\n5678\n", b"12345\n", b"1\n", b"", block=10)
    assert [[(one.log, one.first_line, one.text) for one in block] for block in chunks] == [
        [(0, 1, "1234\n5678"), (1, 1, "12345")],
        [(2, 1, "1")],
    ]
    assert found.bytes == {0: 10, 1: 6, 2: 2, 3: 0} and found.rows == []


def test_a_block_ends_where_its_chunks_have_as_many_characters(tmp_path):
    texts = [b"1234\n5678\n", b"1\n", b"123456789\n", b"2\n", b"3\n"]
    chunks, _ = read(tmp_path, *texts, block=10)
    assert [[one.log for one in block] for block in chunks] == [[0, 1], [2, 3], [4]]


def test_a_line_may_be_as_long_as_what_is_read_at_once(tmp_path):
    line = b"2\tID:1\t".ljust(4096, b"x")
    chunks, found = read(tmp_path, line + b"\nnext\n", block=4096)
    assert [one.text for block in chunks for one in block] == [f"{line.decode()}\nnext"] and found.rows == []


@pytest.mark.parametrize(("block", "reason"), [(4096, "long"), (1 << 20, "cut")])
def test_of_a_line_that_is_given_up_200_bytes_are_kept(tmp_path, block, reason):
    """Of two bytes each, these are a hundred characters."""
    _, found = read(tmp_path, "\u00fc".encode() * 10_000, block=block)
    assert found.rows == [(0, reason, 1, "\u00fc" * 100)]


def test_a_line_goes_on_in_the_next_block_and_the_last_has_an_end(tmp_path):
    chunks, found = read(tmp_path, b"ab\ncd\nefghij\nkl", block=4)
    texts = [(one.first_line, one.text) for block in chunks for one in block]
    assert texts == [(1, "ab"), (2, "cd"), (3, "efghij")]
    assert found.rows == [(0, "cut", 4, "kl")] and found.bytes == {0: 15}


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        (b" ~\t", True),
        (b"a\nb", True),
        (b"\x08", False),
        (b"\x0b", False),
        (b"\x1f", False),
        (b"\x7f", False),
        (b"\r", False),
        (b"\xc3\xbc", False),
    ],
)
def test_what_is_clean(tmp_path, text, clean):
    ((chunk,),), _ = read(tmp_path, text + b"\n", block=100)
    assert chunk.clean is clean


def test_a_file_that_can_t_be_read_is_damage(tmp_path):
    found = Found()
    assert list(lines.blocks([tmp_path / "none"], found)) == []
    assert found.rows == [(0, "log", 1, "none: No such file or directory")] and found.bytes == {0: 0}
    assert lines.BLOCK == 8 << 20
