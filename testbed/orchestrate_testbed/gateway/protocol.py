# SPDX-License-Identifier: Apache-2.0
"""The control protocol: a line of JSON asks, a line of JSON answers.

A request is `{"id": NUMBER, "ask": NAME, ...arguments}`. Its answer is `{"id": NUMBER, "answer": {...}}` or
`{"id": NUMBER, "error": {"kind": WORD, "text": SENTENCE}}`. Answers may come in another order than requests,
because flashing takes a while. Bytes travel as base64.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re

VERSION = 1
SOCKET = "control"  # in the daemon's folder
LONGEST_LINE = 1 << 20  # bytes of a request or an answer, its line end included
MOST_KEPT = 256 * 1024  # characters of a text that is kept with a run
MOST_FETCHED = 256 * 1024  # bytes of a log in one answer; base64 makes 4/3 of it
_MOST_DIGITS = 19  # of a whole number: 64 bits have no more
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")


class Refusal(Exception):
    """A request that can't be fulfilled: a word for programs and a sentence for people."""

    def __init__(self, kind: str, text: str):
        super().__init__(text)
        self.kind = kind
        self.text = text


def line(message: dict) -> bytes:
    """Return the line of a message."""
    return json.dumps(message, separators=(",", ":"), sort_keys=True).encode("ascii") + b"\n"


def message(received: bytes) -> dict:
    """Return the message of a received line."""
    try:
        return record(received)
    except ValueError:
        raise Refusal("malformed", "The line is not a JSON object.") from None


def record(received: bytes | str) -> dict:
    """Return the JSON object in a text from another machine; the only reader of such texts.

    Raises ValueError if it isn't one: also for brackets that nest too deep for this process, for whole
    numbers of more than 19 digits and for numbers that are infinite or none.
    """
    try:
        text = received.decode("utf-8") if isinstance(received, bytes) else received
        value = json.loads(text, parse_int=_whole, parse_float=_finite, parse_constant=_finite)
    except RecursionError:
        raise ValueError("its brackets nest too deep") from None
    if not isinstance(value, dict):
        raise ValueError("it is no JSON object")  # noqa: TRY004 - of a text's content
    return value


def _whole(digits: str) -> int:
    if len(digits.lstrip("-")) > _MOST_DIGITS:
        raise ValueError("a number has too many digits")
    return int(digits)


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError("a number is infinite or none")
    return value


def name(of: dict, key: str) -> str:
    """Return the name of a run or a mote.

    It becomes part of a path, so it has no slash and doesn't begin with a dot.
    """
    value = of.get(key)
    if not isinstance(value, str) or not NAME.match(value):
        raise Refusal("malformed", f"'{key}' has to be 1 to 64 letters, digits, '.', '_', '-'.")
    return value


def text(of: dict, key: str, default: str | None = None, longest: int = 4096) -> str:
    """Return a string without control characters."""
    value = of.get(key, default)
    if not isinstance(value, str) or len(value) > longest or not value.isprintable():
        raise Refusal("malformed", f"'{key}' has to be a string of printable characters.")
    return value


def number(of: dict, key: str, least: int, most: int, default: int | None = None) -> int:
    """Return a whole number within bounds."""
    value = of.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise Refusal("malformed", f"'{key}' has to be a number from {least} to {most}.")
    return value


def data(of: dict, key: str, longest: int = MOST_FETCHED) -> bytes:
    """Return bytes, from base64."""
    value = of.get(key)
    try:
        found = base64.b64decode(value, validate=True)
    except (TypeError, ValueError, binascii.Error):
        raise Refusal("malformed", f"'{key}' has to be base64.") from None
    if len(found) > longest:
        raise Refusal("malformed", f"'{key}' has more than {longest} bytes.")
    return found


def packed(of: bytes) -> str:
    """Return the bytes in base64."""
    return base64.b64encode(of).decode("ascii")
