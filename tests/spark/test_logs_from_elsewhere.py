# SPDX-License-Identifier: Apache-2.0
"""`orchestrate ingest --log`: damaged logs are ingested and the damage is counted and shown; what is no log
is refused.
"""

from __future__ import annotations

import json

import pytest

from orchestrator.cli import app

GOOD = b"Random seed: 5\n" + b"".join(
    b"%d\tID:%d\thello %d\n" % (1000 * i, 1 + i % 3, i) for i in range(1, 40)
)
END = b"TEST OK\nTest ended at simulation time: 100000\n"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "the file is empty"),
        (b"Dear all,\n12\tapples\n" * 30, "not a log: no line of it has time, tab, ID:mote, tab and text"),
        (bytes(range(256)) * 8000, "not a log"),
        ((GOOD + END).decode().encode("utf-16"), "iconv -f UTF-16 -t UTF-8"),
        (b"x" * ((1 << 20) - 3) + b"\nID:3\t12\n", "not a log"),
    ],
)
def test_what_is_no_log_is_refused_and_leaves_nothing(data, said, tmp_path, capsys):
    (tmp_path / "some.log").write_bytes(data)
    assert app.main(["ingest", "--log", str(tmp_path / "some.log"), "--store", str(tmp_path / "store")]) == 3
    told = capsys.readouterr().err
    assert said in told and "some.log" in told
    assert not (tmp_path / "store").exists()


def test_one_log_is_none_and_one_is_not_there_and_so_no_log_is_taken(tmp_path, capsys):
    for name, data in (("good.log", GOOD + END), ("a.log", b""), ("b.log", b"Dear all,\n")):
        (tmp_path / name).write_bytes(data)
    logs = [str(tmp_path / name) for name in ("good.log", "a.log", "b.log")]
    assert app.main(["ingest", "--log", *logs, "--store", str(tmp_path / "store")]) == 3
    said = capsys.readouterr().err
    assert "a.log" in said and "b.log" in said
    assert app.main(["ingest", "--log", logs[0], "typed", "--store", str(tmp_path / "store")]) == 9
    assert "the experiment before it" in capsys.readouterr().err
    assert not (tmp_path / "store").exists()


@pytest.mark.spark
def test_damage_of_every_origin_is_counted_and_shown(tmp_path, spark, capsys):
    logs = {
        "junk": GOOD + b"\x00\x01\xfe\xff" * 20 + b"\n" + b"50000\tID:2\tafter the junk\n" + END,
        "cut": GOOD + b"50000\tID:",
        "inside": GOOD[:100] + b"50000\tI\n" + GOOD[100:] + END,
        "clocks": GOOD + b"90000000\tID:3\tfar ahead\n7\tID:3\tback\n" + END,
        "latin": GOOD + "50000\tID:3\tm\u00fcde, 5 \u00b0C\n".encode("latin-1") + END,
        "commas": GOOD + b"50,5\tID:3\thello\n50.500\tID:3\thello\n" + END,
        "digits": GOOD + "\u0661\u0662\tID:3\thello\n".encode() + END,
        "long": b"x" * ((1 << 20) + 5) + b"\n" + b"5\tID:3\thello\n",
    }
    for name, data in logs.items():
        (tmp_path / f"{name}.log").write_bytes(data)
    call = [
        "ingest",
        "--log",
        *(str(tmp_path / f"{name}.log") for name in logs),
        "--store",
        str(tmp_path / "store"),
    ]
    assert app.main([*call, "--json"]) == 0
    done = json.loads(capsys.readouterr().out)
    assert done["runs"] == len(logs)
    assert {(entry["cell"], entry["reason"], entry["lines"]) for entry in done["damage"]} == {
        ("junk", "junk", 1),
        ("cut", "cut", 1),
        ("inside", "line", 1),
        ("clocks", "clock", 2),
        ("latin", "junk", 1),
        ("commas", "time", 2),
        ("digits", "time", 1),
        ("long", "long", 1),
    }
    assert all(entry["meaning"] and entry["first"] for entry in done["damage"])
    assert app.main(call) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    for entry in done["damage"]:
        kept = ["(kept)"] if entry["kept"] else []
        assert any(row[: len(kept) + 2] == [entry["cell"], entry["reason"], *kept] for row in rows), entry
