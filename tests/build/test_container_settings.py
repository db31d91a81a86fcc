# SPDX-License-Identifier: Apache-2.0
"""What a container is asked for, by builds as well, and how its output becomes lines; no engine is needed."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from orchestrator.build.docker_container import Command, Limits, lines, settings


@pytest.mark.parametrize(
    ("chunks", "wanted"),
    [
        ([b"one\ntw", b"o\n"], [b"one", b"two"]),
        ([b"one\n", b"no end"], [b"one", b"no end"]),
        ([b"one\r\n", b"two\r"], [b"one", b"two"]),
        ([], []),
    ],
)
def test_pieces_become_lines_and_an_end_without_a_newline_is_one(chunks, wanted):
    assert list(lines(chunks)) == wanted


def test_a_container_has_no_rights_and_all_limits():
    engine = SimpleNamespace(user="1000:1000", userns="host", label=lambda: {"ours": "1"})
    command = Command(
        ["make", "all"], "/open", {Path("/in"): ("/sealed", True), Path("/out"): ("/open", False)}, {"A": "b"}
    )
    given = settings(engine, SimpleNamespace(id="sha256:1"), command, Limits(1 << 30, 7, 1 << 20, 2.5))
    assert given["entrypoint"] == ["timeout", "-k", "5", "2.500"] and given["command"] == ["make", "all"]
    assert given["working_dir"] == "/open" and given["environment"]["A"] == "b"
    assert [(one["Source"], one["Target"], one["ReadOnly"]) for one in given["mounts"]] == [
        ("/in", "/sealed", True),
        ("/out", "/open", False),
    ]
    assert given["cap_drop"] == ["ALL"] and given["security_opt"] == ["no-new-privileges"]
    assert given["read_only"] is True and given["network_mode"] == "none"
    assert (given["mem_limit"], given["memswap_limit"], given["pids_limit"]) == (1 << 30, 1 << 30, 7)
    assert given["user"] == "1000:1000" and given["userns_mode"] == "host" and given["image"] == "sha256:1"
    assert given["labels"] == {"ours": "1"}
