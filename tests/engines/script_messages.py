# SPDX-License-Identifier: Apache-2.0
"""What a script and the kernel say to each other (kernel/script/javascript.h)."""

from __future__ import annotations

from enum import IntEnum


class Kind(IntEnum):
    """Of a message; from GENERATE_MOTE on it is a question, which is answered by one of its kind."""

    LINE, TIMEOUT, LINES = range(1, 4)
    WAIT, VERDICT = 10, 11
    LOG, MOVE, SET_ID, APPEND, WRITE_FILE = range(20, 25)
    ADD, REMOVE, WRITE, GENERATE, PRESS, RELEASE, CLICK, SIGNAL_PIR, VIBRATE = range(30, 39)
    GENERATE_MOTE, MOTES, MOTE, IS_PRESSED = range(40, 44)
