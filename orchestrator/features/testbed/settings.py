# SPDX-License-Identifier: Apache-2.0
"""Declares the keys of each section of an inventory, for its reader and its JSON Schema."""

from __future__ import annotations

import re

from orchestrate_testbed.model import SSH_PORT, USUAL_BAUD, USUAL_ROOT

from orchestrator.topology.shape import FAR
from orchestrator.vocabulary.parameters import Parameter, by_name

LAB = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,31}", re.ASCII)
LAB_REMEDY = "use letters, digits, `-`, `_` and `.`, at most 32"
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}", re.ASCII)  # also a file's name on gateways: no dots
HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9.:_-]{0,252}", re.ASCII)
PLATFORM = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}", re.ASCII)
EUI64 = re.compile(r"(?:[0-9A-Fa-f]{2}[:.-]?){7}[0-9A-Fa-f]{2}", re.ASCII)
ROOT = re.compile(r"(?!.*\.\.)[A-Za-z0-9._][A-Za-z0-9._/-]{0,127}", re.ASCII)
PATH = re.compile(r"(?!.*\.\.)[A-Za-z0-9_/.][A-Za-z0-9_/.:,+@%=-]{0,254}", re.ASCII)
NUMBERED = re.compile(r"(?:.*/)?(?:tty(?:USB|ACM|S|AMA|O)|cuaU|hidraw)[0-9]+", re.ASCII)
SIZE = re.compile(r"([1-9][0-9]?)\s*x\s*([1-9][0-9]?)", re.ASCII)  # rows x columns
PLACE = re.compile(r"([1-9][0-9]?)\s*,\s*([1-9][0-9]?)", re.ASCII)  # row, column
SPACING = re.compile(r"\s*x\s*")  # one length, or two: between columns x between rows

NO_PYTHON = "none"
MOST_GATEWAYS, MOST_MOTES = 1000, 10_000

SECTIONS = {
    "lab": "its name",
    "known-hosts": "the file with the host keys of its gateways",
    "failures": "a mote that failed so many times in a row leaves the pool",
    "defaults": "what gateways and motes have in common",
    "jump-hosts": "servers through which gateways are reached",
    "gateways": "the computers that motes are plugged into",
    "boards": "boards with places for motes",
    "motes": "the motes",
    "layouts": "which motes take part, and how their boards stand",
}
FAILURES = Parameter(
    "failures",
    "int",
    3,
    1,
    1000,
    help="a mote that failed so many times in a row leaves the pool",
)
KNOWN_HOSTS = Parameter(
    "known-hosts", "text", help="beside this file; by default the lab's name with .known_hosts"
)


SERVER = by_name(
    Parameter("host", "text", help="its name or address"),
    Parameter("port", "int", SSH_PORT, 1, 65535, help="of its sshd"),
    Parameter("user", "text", "", help="by default who runs the command"),
    Parameter("key", "text", "", help="a private key's file; by default those of the agent and in ~/.ssh"),
    Parameter("jump", "text", "", help="the jump host through which it is reached"),
)
GATEWAY = SERVER | by_name(
    Parameter("root", "text", USUAL_ROOT, help="the one folder that is written to, in the user's home there"),
    Parameter("python", "text", "python3", help="runs the daemon there; none: sshd, stty and cat do"),
    Parameter("spare", "bool", False, help="takes part only in the place of another one"),
)
BOARD = by_name(
    Parameter("gateway", "text", help="the gateway that its motes are plugged into"),
    Parameter("size", "text", help="rows x columns, such as 2 x 4"),
    Parameter("spacing", "text", help="between motes, such as 228.6 mm, or 20 cm x 30 cm (columns x rows)"),
)
MOTE = by_name(
    Parameter("board", "text", "", help="the board that it is on"),
    Parameter("place", "text", "", help="its row and column there, such as 1, 3"),
    Parameter("gateway", "text", "", help="of a mote on no board: the gateway that it is plugged into"),
    Parameter("x", "length", 0.0, -FAR, FAR, help="of a mote on no board"),
    Parameter("y", "length", 0.0, -FAR, FAR, help="of a mote on no board"),
    Parameter("platform", "text", help="as Contiki names it, such as sky"),
    Parameter("device", "text", help="its serial device by id: /dev/serial/by-id/..."),
    Parameter("eui64", "text", help="its EUI-64: 16 hexadecimal digits, with or without colons"),
    Parameter("movable", "bool", False, help="it may stand elsewhere than here"),
    Parameter("spare", "bool", False, help="takes part only in the place of another one"),
    Parameter("baud", "int", USUAL_BAUD, 1200, 4_000_000, help="bit/s of its serial line"),
    Parameter("tool", "text", "", help="what flashes it; by default the usual one of its platform"),
)
OF_ONE = ("host", "device", "eui64", "place")  # keys that no two entries have in common
COMMANDS = {
    "flash": "the tool command's command on the gateway, with {device}, {firmware}, {image} (of its EEPROM)",
    "reset": "the command on the gateway that resets it",
    "power-on": "the command on the gateway that switches it on",
    "power-off": "the command on the gateway that switches it off",
}
OPTIONS = "options"
OPTIONS_HELP = "what its flashing tool gets, such as {part: atmega128rfa1, programmer: jtag2}"
LAYOUT = {
    "boards": "rows of boards in their places, each a list or names with spaces between them",
    "motes": "instead of boards: these motes, where they stand on their own board",
    "without": "motes of these boards that don't take part",
    "at": "where movable motes stand in this layout: NAME: X, Y",
}
