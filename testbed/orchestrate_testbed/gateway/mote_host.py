# SPDX-License-Identifier: Apache-2.0
"""What `gateway.pyz stand-in` does: it asks the mote host to load firmware into a mote.

It loads nothing of the daemon: it runs once for each mote that is flashed.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import sys

HOST = "ORCHESTRATE_MOTE_HOST"  # the environment variable with the path of the host's socket
LONGEST_ANSWER = 1 << 16


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command line."""
    parser.add_argument("--socket", default=os.environ.get(HOST, ""), help=f"of the host (default: ${HOST})")
    parser.add_argument("--mote", required=True, help="the mote's serial port")
    parser.add_argument("--library", required=True, help="the firmware")
    parser.add_argument("--image", default="", help="the EEPROM image")
    parser.add_argument("--id", type=int, help="the mote's number from then on")


def main(options: argparse.Namespace) -> int:
    """Return exit code 0 if the mote runs the new firmware."""
    image = b""
    if options.image:
        with open(options.image, "rb") as file:
            image = file.read()
    asked = {"flash": options.mote, "library": os.path.abspath(options.library), "image": image.hex()}
    if options.id is not None:
        asked["id"] = options.id
    if not options.socket:
        print(f"stand-in: no host of virtual motes is named (--socket or ${HOST})", file=sys.stderr)
        return 2
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(options.socket)
        connection.sendall(json.dumps(asked).encode("ascii") + b"\n")
        answer = b""
        while not answer.endswith(b"\n") and len(answer) < LONGEST_ANSWER:
            part = connection.recv(4096)
            if not part:
                break
            answer += part
    try:
        found = json.loads(answer.decode("utf-8"))
    except ValueError:
        print("stand-in: the host of the motes gave no answer", file=sys.stderr)
        return 1
    if isinstance(found, dict) and found.get("ok") is True:
        print(f"loaded {options.library} into {options.mote}")
        return 0
    error = found.get("error") if isinstance(found, dict) else found
    print(f"stand-in: {error}", file=sys.stderr)
    return 1
