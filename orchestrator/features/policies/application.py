# SPDX-License-Identifier: Apache-2.0
"""Reads the policies of an application, binds them to each other, and checks them together."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from orchestrator.errors import Fault, FaultyInput
from orchestrator.features.policies import checks, meaning, model, resolve
from orchestrator.features.policies.checks import firmware
from orchestrator.features.policies.checks.firmware import Components
from orchestrator.features.policies.extensions import Library, built_in
from orchestrator.features.policies.findings import ERROR, Finding, Findings, after_silences
from orchestrator.features.policies.meaning import Application
from orchestrator.features.policies.model import Position, Source
from orchestrator.features.policies.parse import parse
from orchestrator.features.policies.shared import Shared
from orchestrator.vocabulary import document

MOST_BYTES = 1 << 20  # of a file
MOST_TOPICS = 255  # a topic is one byte on a mote; 0 is none


def text(path: Path) -> str:
    """Return the policies in a file. Raises NoSuchThing and FaultyInput."""
    return document.read(path, "file of policies", "name an .escape file", MOST_BYTES)[0]


def read(path: Path) -> tuple[Source, list[Finding]]:
    """Return a file's policies, and its syntax errors."""
    try:
        return parse(text(path), str(path))
    except FaultyInput as faulty:
        return Source(str(path), (), (), ()), [
            Finding("syntax", ERROR, fault.file, Position(fault.line, 0), fault.what, fault.remedy)
            for fault in faulty.faults
        ]


def gather(
    paths: Iterable[Path], library: Library | None = None, components: Components | None = None
) -> tuple[Application, list[Finding]]:
    """Return the policies of files, and all findings except silenced ones.

    `components`: of the application that is to have the policies; None: it is not known.
    """
    sources, faults = [], []
    for path in paths:
        source, findings_of_file = read(path)
        sources.append(source)
        faults += findings_of_file
    return together(sources, faults, library, components)


def together(
    sources: Sequence[Source],
    faults: Iterable[Finding] = (),
    library: Library | None = None,
    components: Components | None = None,
) -> tuple[Application, list[Finding]]:
    """Do the same as gather with sources that were read already."""
    findings = Findings()
    findings.extend(faults)
    library = library or built_in()
    application = _bound(sources, library, findings)
    checks.run(application, findings)
    if components is not None:
        firmware.check(application, library, components, findings)
    by_file: dict[str, list[Finding]] = {source.file: [] for source in sources}
    for finding in findings:
        by_file.setdefault(finding.file, []).append(finding)
    silences = {source.file: source.silences for source in sources}
    unasked = firmware.NAMES if components is None else frozenset()
    left: list[Finding] = []
    for file, findings_of_file in by_file.items():
        left += after_silences(findings_of_file, file, silences.get(file, ()), unasked)
    return application, sorted(left, key=lambda finding: (finding.file, finding.at, finding.name))


def _bound(sources: Sequence[Source], library: Library, findings: Findings) -> Application:
    written = [policy for source in sources for policy in source.policies]
    first: dict[str, model.Policy] = {}
    for policy in written:
        before = first.setdefault(policy.name, policy)
        if before is not policy:
            where = f"{before.file}:{before.at.line}"
            what = f"{policy.name} is the name of two policies"
            findings.add("names", ERROR, policy.file, policy.at, what, f"rename this one or that of {where}")
    shared = Shared(written, findings)
    resolving = [resolve.Resolving(policy, library, shared, findings) for policy in first.values()]
    for resolver in resolving:  # all globals, before any policy uses them
        resolver.declare_shared()
    policies = tuple(policy.meant() for policy in resolving)
    conflicts = [(source.file, conflict) for source in sources for conflict in source.conflicts]
    return Application(
        policies,
        tuple(shared.slots.values()),
        _topics(policies, conflicts, findings),
        tuple(_judged(conflicts, findings)),
    )


def _topics(policies: tuple[meaning.Meant, ...], conflicts: list, findings: Findings) -> tuple[str, ...]:
    topics = meaning.first_uses(policies)
    for file, conflict in conflicts:
        topics.setdefault(conflict.point.topic, (file, conflict.at))
    if len(topics) > MOST_TOPICS:
        file, at = list(topics.values())[MOST_TOPICS]
        what = f"there are {len(topics)} topics"
        findings.add("limits", ERROR, file, at, what, f"at most {MOST_TOPICS} fit into a byte")
    subjects: dict[int, str] = {}
    for topic, (file, at) in topics.items():
        other = subjects.setdefault(subject(topic), topic)
        if other != topic:
            what = f"the topics {other} and {topic} are the same subject on air"
            findings.add("names", ERROR, file, at, what, "rename one of them")
    return tuple(sorted(topics, key=subject))


def _judged(conflicts: list[tuple[str, model.Conflict]], findings: Findings) -> Iterable[model.Conflict]:
    seen: dict[model.Point, model.Conflict] = {}
    for file, conflict in conflicts:

        def tell(name: str, severity: str, at: Position, what: str, remedy: str, file: str = file) -> None:
            findings.add(name, severity, file, at, what, remedy)

        resolve.Resolving.judge_point(conflict.point, tell)
        if conflict.percent > 100:
            tell(
                "limits",
                ERROR,
                conflict.at,
                f"{conflict.percent} % are more than all",
                "0 to 100 % are possible",
            )
        if seen.setdefault(conflict.point, conflict) is not conflict:
            line = seen[conflict.point].at.line
            tell(
                "names",
                ERROR,
                conflict.at,
                f"{conflict.point} has two strategies",
                f"remove this one or that of line {line}",
            )
        else:
            yield conflict


def subject_id(topic: str) -> int:
    """Return the 16 bits by which a pull message knows a topic, as pubsub_subject_id() makes them."""
    value, digest = subject(topic), 0
    while value:
        digest = (digest << 5 & 0xFFFF | digest >> 11) ^ value & 0xFF
        value >>= 8
    return digest


def subject(topic: str) -> int:
    """Return a topic's 64 bits on air: its name as pubsub_subject() makes it.

    A name of more than eight characters becomes its first six and two hexadecimal digits of the CRC-32 of the
    whole name.
    """
    octets = topic.encode()
    if len(octets) > 8:
        octets = octets[:6] + f"{zlib.crc32(octets) & 0xFF:02x}".encode()
    return int.from_bytes(octets.ljust(8, b"\0"), "big")


def sound(paths: Iterable[Path], library: Library | None = None) -> tuple[Application, list[Finding]]:
    """Do the same as gather.

    Raises FaultyInput with all errors, if there are any; the remaining findings are warnings.
    """
    application, findings = gather(paths, library)
    errors = [finding for finding in findings if finding.severity == ERROR]
    if errors:
        raise FaultyInput(
            [
                Fault(f"{error.file}:{error.at.line}:{error.at.column}", 0, error.what, error.remedy)
                for error in errors
            ]
        )
    return application, findings
