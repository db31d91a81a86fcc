# SPDX-License-Identifier: Apache-2.0
"""Writes an application's policies as one C file and one header: functions, and the manager's tables."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from orchestrator.errors import Unsupported
from orchestrator.features.policies import model
from orchestrator.features.policies.application import subject, subject_id
from orchestrator.features.policies.bytecode.firmware import Firmware
from orchestrator.features.policies.c_code import bytecode_place
from orchestrator.features.policies.c_code.files import HEADER, NAMES, SOURCE
from orchestrator.features.policies.c_code.names import Names, variable
from orchestrator.features.policies.c_code.policy import PolicyCode, declaration, first_values
from orchestrator.features.policies.extensions import Library
from orchestrator.features.policies.meaning import Application, called
from orchestrator.features.policies.types import Record, Vector

MOST = 255
MOST_TIMEOUTS = 8  # POLICY_TIMEOUTS_MAX of policy-timeouts.c
_DIRECTIONS = {"C-B": "POLICY_C_B", "B-C": "POLICY_B_C", "B-extB": "POLICY_B_EXTB", "extB-B": "POLICY_EXTB_B"}
_STRATEGIES = {
    "accept": ("TABLE", "POLICY_ACCEPT"),
    "discard": ("TABLE", "POLICY_DISCARD"),
    "tolerate": ("TOLERATE", None),
    "battery": ("BATTERY", None),
}


def code(
    application: Application, library: Library, switched: bool = False, place: Firmware | None = None
) -> dict[str, str]:
    """Return the text of each file by name. Raises Unsupported if the application is too large for a mote.

    The application has no errors. `place`: what the firmware offers to a policy in bytecode; None: it has no
    place for one.
    """
    for what, number, most in (
        ("policies", len(application.policies) + (place is not None), MOST),
        ("time-outs", len(timeouts(application)) + 2 * (place is not None), MOST_TIMEOUTS),
        ("conflict strategies", len(application.conflicts), MOST),
    ):
        if number > most:
            raise Unsupported(
                f"{number} {what} are more than one firmware can have\n"
                f"    compile at most {most} for each firmware"
            )
    names = Names(application, library)
    parts = [PolicyCode(policy, names, library, switched) for policy in application.policies]
    source = [
        *_head(application),
        *_includes(application, place),
        "",
        *_records(application),
        *_shared(application, names),
        *(line for part in parts for line in part.lines()),
        *_tables(application, names, parts, place),
        *(bytecode_place.lines(place, len(application.policies)) if place else ()),
    ]
    texts = {SOURCE: source, HEADER: _header(application, names, place), NAMES: _names(application, place)}
    return {name: "\n".join(lines) + "\n" for name, lines in texts.items()}


def _head(application: Application) -> Iterable[str]:
    files = dict.fromkeys(Path(policy.written.file).name for policy in application.policies)
    listed = list(files) if len(files) <= 8 else [*list(files)[:8], f"and {len(files) - 8} more"]
    yield "/* SPDX-License-Identifier: Apache-2.0 */"
    yield "/* Made by `orchestrate policy compile`; change the policies instead:"
    for name in listed:
        yield f" *   {name}"
    yield " */"


def _includes(application: Application, place: Firmware | None) -> Iterable[str]:
    headers = {function.header for function in place.functions} | {bytecode_place.HEADER} if place else set()
    headers |= {function.header for _, _, rule in application.rules for function in called(rule)}
    yield "#include <string.h>"
    yield '#include "policy.h"'
    yield f'#include "{HEADER}"'
    for header in sorted(headers - {""}):
        yield f'#include "{header}"'


def _header(application: Application, names: Names, place: Firmware | None) -> Iterable[str]:
    guard = HEADER.upper().replace("-", "_").replace(".", "_") + "_"
    yield from _head(application)
    yield f"#ifndef {guard}"
    yield f"#define {guard}"
    yield ""
    yield from _enum(
        "topic",
        [
            f"{topic_name} = {n}, /* {topic} */"
            for n, (topic, topic_name) in enumerate(names.topics.items(), 1)
        ],
    )
    policies = [
        f"POLICY_IS_{names.policies[policy.name].upper()} = {number},"
        for number, policy in enumerate(application.policies)
    ]
    yield from _enum("number", [*policies, *([f"POLICY_IN_BYTECODE = {len(policies)},"] if place else [])])
    yield "#endif"


def _enum(name: str, values: list[str]) -> Iterable[str]:
    if not values:  # C has no empty one
        return
    yield f"enum policy_{name} {{"
    yield from (f"  {value}" for value in values)
    yield "};"
    yield ""


def _names(application: Application, place: Firmware | None) -> Iterable[str]:
    yield from _head(application)
    yield '#include "policy.h"'
    for what, words in (
        ("policy", [*(policy.name for policy in application.policies), *["bytecode"] * (place is not None)]),
        ("policy_topic", ["", *application.topics]),
    ):
        yield ""
        yield f"const char *const {what}_names[] = {{"
        yield from (f'  "{word}",' for word in words or [""])
        yield "};"


def _records(application: Application) -> Iterable[str]:
    """Yield the record types of all variables, inner ones first."""
    seen: dict[str, Record] = {}

    def visit(kind: object) -> None:
        if isinstance(kind, Vector):
            visit(kind.of)
        elif isinstance(kind, Record) and kind.name not in seen:
            for _, inner in kind.fields:
                visit(inner)
            seen[kind.name] = kind

    for slot in (
        *application.shared,
        *(slot for policy in application.policies for slot in policy.variables),
    ):
        visit(slot.type)
    for record in seen.values():
        yield f"struct policy_record_{record.name} {{"
        for name, kind in record.fields:
            yield f"  {declaration(kind, variable(name))}"
        yield "};"
        yield ""


def _shared(application: Application, names: Names) -> Iterable[str]:
    for slot in application.shared:
        first = f" = {first_values(slot)}" if slot.first else ""
        yield "static " + declaration(slot.type, names.shared[slot.name])[:-1] + first + ";"
    if application.shared:
        yield ""


def point(place: model.Point) -> str:
    """Return an enforcement point in C."""
    return f"POLICY_POINT({_DIRECTIONS[place.direction]}, POLICY_{place.operation.upper()})"


def event(place: model.Point, names: Names) -> str:
    """Return what the manager's tables know an event by, in C."""
    return f"POLICY_EVENT({point(place)}, {names.topics[place.topic]})"


def entries(application: Application) -> list[tuple[int, model.Point]]:
    """Return (policy's number, event) for all events with rules, in the order of the manager's table."""
    topics = {topic: number for number, topic in enumerate(application.topics)}

    def order(entry: tuple[int, model.Point]) -> tuple[int, ...]:
        number, place = entry
        where = model.DIRECTIONS.index(place.direction), model.OPERATIONS.index(place.operation)
        return (*where, topics[place.topic], number)

    return sorted(
        ((n, trigger) for n, trigger in _triggers(application) if isinstance(trigger, model.Point)), key=order
    )


def timeouts(application: Application) -> list[tuple[int, model.Timeout]]:
    """Return (policy's number, time-out) for all time-outs, in the order of the manager's table."""
    return [
        (number, trigger) for number, trigger in _triggers(application) if isinstance(trigger, model.Timeout)
    ]


def _triggers(application: Application) -> Iterable[tuple[int, model.Point | model.Timeout]]:
    for number, policy in enumerate(application.policies):
        for handler in policy.handlers:
            yield number, handler.trigger


def _tables(
    application: Application, names: Names, parts: list[PolicyCode], place: Firmware | None
) -> Iterable[str]:
    count = len(application.policies) + (place is not None)
    many = max(count, 1)
    yield f"struct policy policies[{many}];"
    yield ""
    yield f"const struct policy_program policy_programs[{many}] = {{"
    for part in parts:
        start = f"{part.name}_start" if part.policy.variables else "NULL"
        rules = min(len(part.policy.written.rules), 255)
        yield f"  {{ {start}, {part.states[0]}, {rules} }}, /* {part.policy.name} */"
    if place:
        yield bytecode_place.PROGRAM
    yield "};"
    yield f"const uint8_t policy_count = {count};"
    yield ""
    events = entries(application)
    yield f"const struct policy_entry policy_entries[{len(events) + 1}] = {{"
    for number, place in events:
        function = names.handlers[application.policies[number].name, place]
        yield f"  {{ {event(place, names)}, {function}, &policies[{number}] }},"
    yield "  { POLICY_NO_EVENT, NULL, NULL }"
    yield "};"
    yield f"const uint16_t policy_entry_count = {len(events)};"
    yield ""
    yield from _counted("timeout", _timeouts(application, names))
    yield from _counted("conflict", _conflicts(application, names))
    yield from _topics(application, names)


def _timeouts(application: Application, names: Names) -> Iterable[str]:
    for number, clock in timeouts(application):
        function = names.handlers[application.policies[number].name, clock]
        kind = "POLICY_IN_STATE" if clock.in_state else "POLICY_IDLE"
        yield f"POLICY_TICKS({clock.period}), {kind}, {function}, &policies[{number}]"


def _conflicts(application: Application, names: Names) -> Iterable[str]:
    for conflict in application.conflicts:
        strategy, outcome = _STRATEGIES[conflict.strategy]
        yield f"{event(conflict.point, names)}, POLICY_STRATEGY_{strategy}, {outcome or conflict.percent}"


def _topics(application: Application, names: Names) -> Iterable[str]:
    yield "/* Topics on air, by their number. */"
    yield f"const uint64_t policy_subjects[{len(application.topics) + 1}] = {{"
    yield "  0,"
    for topic in application.topics:
        yield f"  0x{subject(topic):016x}ULL, /* {topic} */"
    yield "};"
    yield f"const uint8_t policy_topic_count = {len(application.topics) + 1};"
    ids = sorted(application.topics, key=subject_id)
    yield from _array("topic_id", [f"0x{subject_id(topic):04x}, {names.topics[topic]}" for topic in ids])


def _counted(name: str, rows: Iterable[str]) -> Iterable[str]:
    """Yield an array and how many rows it has."""
    rows = list(rows)
    yield from _array(name, rows)
    yield f"const uint8_t policy_{name}_count = {len(rows)};"
    yield ""


def _array(name: str, rows: list[str]) -> Iterable[str]:
    yield f"const struct policy_{name} policy_{name}s[{max(len(rows), 1)}] = {{"
    yield from (f"  {{ {row} }}," for row in rows)
    if not rows:  # an array in C has at least one element
        yield "  { 0 }"
    yield "};"
