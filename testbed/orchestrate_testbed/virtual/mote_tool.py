# SPDX-License-Identifier: Apache-2.0
"""The command `mote-tool reset|on|off|identify DEVICE` of a virtual gateway, as a USB hub's switches."""

import json
import os
import socket
import sys


def main(words: list) -> int:
    """Return exit code 0 if the command was done."""
    if len(words) != 2 or words[0] not in ("reset", "on", "off", "identify"):
        print("usage: mote-tool reset|on|off|identify DEVICE", file=sys.stderr)
        return 2
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(os.environ["ORCHESTRATE_MOTE_HOST"])
        connection.sendall(json.dumps({words[0]: words[1]}).encode() + b"\n")
        answer = json.loads(connection.makefile("rb").readline())
    if "error" in answer:
        print(f"mote-tool: {answer['error']}", file=sys.stderr)
        return 1
    if words[0] == "identify":
        print(answer["platform"], answer["eui64"])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
