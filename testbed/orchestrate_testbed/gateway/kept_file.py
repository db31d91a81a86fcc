# SPDX-License-Identifier: Apache-2.0
"""Files in which the daemon keeps what the next one has to know.

A power failure or a full disk leaves the earlier text in the place of the new one, whole.
orchestrator.durable does the same elsewhere; a gateway has only this package.
"""

from __future__ import annotations

import json
import os

from orchestrate_testbed.gateway.protocol import Refusal


def write(path: str, text: str) -> None:
    """Put a text into a file in the place of an earlier one. Raises Refusal if the disk doesn't take it."""
    draft = path + ".new"
    try:
        with open(draft, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except OSError as error:
        try:
            os.unlink(draft)  # a full disk has use for its room
        except OSError:
            pass
        raise Refusal("disk", f"{path} can't be written: {error.strerror}.") from None


def read_json(path: str) -> object:
    """Return the JSON value in a file; None if there is none."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError, RecursionError):
        return None
