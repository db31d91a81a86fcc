# SPDX-License-Identifier: Apache-2.0
"""What is said of files of positions and links that are faulty, word by word."""

from __future__ import annotations

import pytest

from orchestrator.errors import FaultyInput
from orchestrator.scenario.model import Link
from orchestrator.topology import links, positions
from orchestrator.topology.positions import Position

GOOD = "a name is a letter, then letters, digits, `_`, `.` and `-`, at most 32"


def told(call, *given):
    with pytest.raises(FaultyInput) as raised:
        call(*given)
    return [(fault.line, fault.what, fault.remedy) for fault in raised.value.faults]


HEAD = "the first line is: name,role,x,y,parent"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("p.csv", "", [(1, "the file holds no positions", HEAD)]),
        ("p.csv", "name,role\n", [(1, "no column x, y", HEAD)]),
        (
            "p.csv",
            "name,role,x,y,parents\n",
            [(1, "column 'parents' is unknown", "did you mean parent? there are: name, role, x, y, parent")],
        ),
        ("p.csv", "name,role,x,y,y\n", [(1, "a column appears twice", "keep one of them")]),
        (
            "p.csv",
            "name,role,x,y\n\n# x\nS,subscriber,0,0,1\n",
            [(4, "5 fields under 4 columns", "remove the commas too many")],
        ),
        (
            "p.csv",
            "name,role,x,y\nS,subscriber,0,\n,publisher,1,1\n",
            [
                (2, "no y", "every position has name, role, x and y"),
                (3, "no name", "every position has name, role, x and y"),
            ],
        ),
        (
            "p.csv",
            "name,role,x,y\n1,Role,0,0\n",
            [
                (2, "'1' is not a valid name", GOOD),
                (2, "'Role' is not a role", "use subscriber, publisher, relay or a role of the application"),
            ],
        ),
        (
            "p.csv",
            "name,role,x,y\nP,publisher,0,0\nP,publisher,0,0\nP,publisher,0,0\n",
            [
                (3, "P appears twice (first in line 2)", "rename one"),
                (4, "P appears twice (first in line 2)", "rename one"),
            ],
        ),
        (
            "p.csv",
            "name,role,x,y,parent\nS,subscriber,0,0,P\nP,publisher,0,0,Q\nQ,relay,0,0,P\nR,relay,0,0,R2\n",
            [
                (2, "the subscriber has a parent", "leave its parent empty"),
                (3, "the parents of P form a circle", "let them lead to the subscriber"),
                (4, "the parents of Q form a circle", "let them lead to the subscriber"),
                (
                    5,
                    "parent 'R2' is not the name of a node in this file",
                    "did you mean R? there are: S, P, Q, R",
                ),
            ],
        ),
        (
            "p.csv",
            "name,role,x,y\nS,subscriber,0,0\nT,subscriber,0,0\nC,control,0,0\nD,control,0,0\n"
            "P,publisher,0,0\n",
            [
                (3, "a second subscriber", "one node is the subscriber"),
                (5, "a second control", "one node is the control"),
            ],
        ),
        (
            "p.csv",
            "name,role,x,y\nR,relay,0,0\n",
            [
                (2, "no node is the subscriber", "give one node the role subscriber"),
                (2, "no node is a publisher", "give at least one node the role publisher"),
            ],
        ),
        (
            "p.csv",
            "name,role,x,y\n",
            [
                (1, "no node is the subscriber", "give one node the role subscriber"),
                (1, "no node is a publisher", "give at least one node the role publisher"),
            ],
        ),
        (
            "p.yaml",
            "a: b\n",
            [
                (
                    1,
                    "the file is not a list of positions",
                    "write lines like `- {name: S, role: subscriber, x: 0 m, y: 0 m}`",
                )
            ],
        ),
        (
            "p.YML",
            "- a\n- {name: S, role: [x], x: 0, y: 0, z: 1}\n",
            [
                (1, "not a position", "write `- {name: P1, role: publisher, x: 5 m, y: 0 m}`"),
                (2, "no role", "every position has name, role, x and y"),
                (2, "role is not one value", "write one value"),
                (2, "'z' is unknown", "there are: name, role, x, y, parent"),
            ],
        ),
    ],
)
def test_faults_of_positions(tmp_path, name, text, expected):
    (tmp_path / name).write_text(text)
    assert sorted(told(positions.read, tmp_path / name, name)) == sorted(expected)


def test_files_that_are_not_there(tmp_path):
    for module in (positions, links):
        assert told(module.read, tmp_path / "none.csv", "none.csv") == [
            (0, "cannot be read: No such file or directory", "name a file beside the scenario")
        ]


def test_positions_too_many(tmp_path, monkeypatch):
    monkeypatch.setattr(positions, "MOST_MOTES", 2)
    rows = ["name,role,x,y", "S,subscriber,0,0", "P,publisher,0,0"]
    (tmp_path / "p.csv").write_text("\n".join(rows))
    assert positions.read(tmp_path / "p.csv", "p.csv") == (
        Position("S", "subscriber", 0.0, 0.0),
        Position("P", "publisher", 0.0, 0.0, ""),
    )
    (tmp_path / "p.csv").write_text("\n".join([*rows, "Q,publisher,0,0"]))
    assert told(positions.read, tmp_path / "p.csv", "p.csv") == [(0, "3 nodes", "at most 2 are simulated")]


LINKS_HEAD = "the first line is: from,to,ratio and, if wanted, rssi,lqi,delay,channel"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [(1, "the file holds no links", LINKS_HEAD)]),
        ("from,to,ratio\n# x\n\n", [(1, "the file holds no links", LINKS_HEAD)]),
        ("from\n", [(1, "no column to, ratio", LINKS_HEAD)]),
        (
            "from,to,ratio,ratios\n",
            [
                (
                    1,
                    "column 'ratios' is unknown",
                    "did you mean ratio? there are: from, to, ratio, rssi, lqi, delay, channel",
                )
            ],
        ),
        ("from,to,ratio,to\n", [(1, "a column appears twice", "keep one of them")]),
        (
            "from,to,ratio\nS,,1\nS,S,1\nS,P,1,2\n",
            [
                (2, "no to", "every link has from, to and ratio"),
                (3, "a link from S to itself", "remove it: no radio receives its own frames"),
                (4, "4 fields under 3 columns", "remove the commas too many"),
            ],
        ),
        (
            "from,to,ratio,rssi,lqi,delay,channel\nS,P,1.1,-201,256,1000001,256\n",
            [
                (2, "ratio: '1.1' is out of range", "allowed: 0 % to 100 %"),
                (2, "rssi: '-201' is out of range", "allowed: -200.0 to 50.0"),
                (2, "lqi: '256' is out of range", "allowed: 0 to 255"),
                (2, "delay: '1000001 us' is out of range", "allowed: 0 s to 1 s"),
                (2, "channel: '256' is out of range", "allowed: 0 to 255"),
            ],
        ),
    ],
)
def test_faults_of_links(tmp_path, text, expected):
    (tmp_path / "l.csv").write_text(text)
    assert told(links.read, tmp_path / "l.csv", "l.csv") == expected


def test_limits_of_links_and_bytes(tmp_path, monkeypatch):
    (tmp_path / "l.csv").write_text(
        "from,to,ratio,rssi,lqi,delay,channel\nS,P,0,-200,0,0,0\nP,S,1,50,255,1000000,255\n"
    )
    assert links.read(tmp_path / "l.csv", "l.csv") == (
        Link("S", "P", 0.0, -200.0, 0, 0, 0),
        Link("P", "S", 1.0, 50.0, 255, 1_000_000, 255),
    )
    monkeypatch.setattr(links, "MOST_LINKS", 1)
    assert told(links.read, tmp_path / "l.csv", "l.csv") == [(0, "2 links", "at most 1 are simulated")]
    (tmp_path / "l.csv").write_bytes(b"from,to\n\n\xff")
    assert told(links.read, tmp_path / "l.csv", "l.csv") == [(3, "not UTF-8", "save the file as UTF-8")]
    monkeypatch.setattr(links.document, "MOST_BYTES", 1 << 14)
    (tmp_path / "l.csv").write_bytes(b"x" * ((1 << 20) + 1))
    assert told(links.read, tmp_path / "l.csv", "l.csv") == [
        (0, "larger than 1 MB", "at most 1 links are simulated")
    ]
