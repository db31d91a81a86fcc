# SPDX-License-Identifier: Apache-2.0
"""A record of serial input may come from anywhere: it is sound, or its faults are named."""

from __future__ import annotations

import json

from hypothesis import example, given
from hypothesis import strategies as st

from tools.fuzz.targets import serial_input

HEAD = {"record": "orchestrate serial input", "version": 1, "seed": 1, "rules": "5.0"}
HEAD |= {"simulation": "0", "firmware": {}}
VALUES = st.one_of(st.none(), st.booleans(), st.integers(-5, 1 << 60), st.sampled_from(["", "0", "c0", "zz"]))
LINES = st.lists(st.dictionaries(st.sampled_from(["us", "mote", "hex", "stop", "end"]), VALUES), max_size=8)


@given(LINES, st.integers(0, 40))
@example([{"us": 5, "mote": 0, "hex": "c0"}, {"us": 6, "stop": True}, {"us": 6, "end": True}], 0)
@example([{"us": 1 << 60, "mote": 0, "hex": "c0"}], 0)
def test_a_record_of_any_lines_cut_anywhere_has_an_answer(lines, cut):
    data = "".join(json.dumps(line) + "\n" for line in [HEAD, *lines]).encode()
    serial_input(data[: len(data) - cut])


@given(st.binary(max_size=200))
@example(b"[" * 100_000)
def test_any_bytes_have_an_answer(data):
    serial_input(data)
