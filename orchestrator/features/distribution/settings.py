# SPDX-License-Identifier: Apache-2.0
"""Declares the keys of a system's file, section by section, for its reader and its JSON Schema."""

from __future__ import annotations

import re

from orchestrator.vocabulary.parameters import Parameter, by_name

NAME = re.compile(r"[A-Za-z][A-Za-z0-9._/-]{0,63}", re.ASCII)
NAME_REMEDY = "a name is a letter, then letters, digits, `_`, `.`, `/` and `-`, at most 64"
MOST = 10_000  # entries of a section
LONGEST = 10**15  # us, some thirty years

SECTIONS = {
    "distribution": "the system's name",
    "table": "a file with the rows of a table as a paper prints it; entries take their times from it",
    "nodes": "the computers and motes, a list of names",
    "networks": "what joins nodes, and how long a transmission takes it",
    "objects": "the data, and how long it stays valid",
    "sources": "who produces data, periodically",
    "targets": "who reads data, periodically",
    "steps": "what a distribution passes: suppliers, event channels, consumers",
    "distributions": "which object goes to which targets, and by which steps",
    "loads": "tasks that only take processor time",
}
_NODE = Parameter("node", "text", help="the node that it runs on")
_OBJECT = Parameter("object", "text", help="the data object")
_ROW = Parameter("row", "text", "", help="its row in the table, if that is not named as the entry is")
_PERIOD = Parameter("period", "time", None, 1, LONGEST, help="its period P")
_RELEASE = Parameter("release", "time", 0, 0, LONGEST, help="its release R, from the start of its period")
_DEADLINE = Parameter("deadline", "time", None, 1, LONGEST, help="its deadline D, from its release")
_EXECUTION = Parameter("execution", "time", None, 1, LONGEST, help="its worst-case execution time E")
TIMING = (_PERIOD, _RELEASE, _DEADLINE, _EXECUTION)


NETWORK = by_name(Parameter("delay", "time", None, 1, LONGEST, help="how long a transmission takes it"))
OBJECT = by_name(
    Parameter("validity", "time", None, 1, LONGEST, help="how long a value is valid after its update (OV)")
)
SOURCE = by_name(_OBJECT, _NODE, *TIMING, _ROW)
TARGET = by_name(_OBJECT, _NODE, *TIMING, _ROW)
STEP = by_name(
    _NODE,
    _EXECUTION,
    Parameter("each-target", "bool", False, help="it and the steps after it run once for each target"),
    _ROW,
)
LOAD = by_name(_NODE, *TIMING, _ROW)
DISTRIBUTION = by_name(_OBJECT, Parameter("network", "text", "", help="what carries it between nodes"))
TARGETS, PATH = "targets", "path"
LISTS = {
    TARGETS: "the targets that it goes to; by default all of its object",
    PATH: "the steps that it passes, in their order",
}
