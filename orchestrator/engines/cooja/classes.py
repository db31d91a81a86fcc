# SPDX-License-Identifier: Apache-2.0
"""Reads from a built Cooja's class files which Java it needs and which collision rules it follows.

Class files start with a version (Java Virtual Machine Specification, section 4.1): major 65 is Java 21, and
so on; the minor version 65535 marks a preview feature, and such a class runs only on the Java with this major
version.
"""

from __future__ import annotations

import hashlib
import struct
import zipfile
from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import MissingTool
from orchestrator.vocabulary.simulators import RULES

_JAVA_OF_MAJOR_0 = 44  # major 45 is Java 1
_PREVIEW = 0xFFFF
_PACKAGE = "org/contikios/cooja/"
_MAIN = _PACKAGE + "Main.class"
_VERSIONED = (_MAIN, _PACKAGE + "contikimote/CoreComm.class", _PACKAGE + "contikimote/ContikiMoteType.class")
_UDGM, _MEDIUM = _PACKAGE + "radiomediums/UDGM.class", _PACKAGE + "radiomediums/AbstractRadioMedium.class"
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Classes:
    """What the class files say.

    `java`: the oldest version that loads them. `preview`: only that version loads them, with the preview
    flag. `rules`: one of vocabulary.simulators.RULES, or "unknown" for a Cooja with some of the corrections.
    `digest`: of all class files.
    """

    java: int
    preview: bool
    rules: str
    digest: str


def read(jar: Path) -> Classes:
    """Read a jar of Cooja. Raises MissingTool if it is none."""
    try:
        with zipfile.ZipFile(jar) as archive:
            listed = sorted(
                (entry.filename, entry.CRC)
                for entry in archive.infolist()
                if entry.filename.startswith(_PACKAGE)
            )
            content = {
                name: archive.read(name)
                for name in {*_VERSIONED, _UDGM, _MEDIUM} & {name for name, _ in listed}
            }
        if _MAIN not in content:
            raise ValueError(f"it has no {_MAIN}")
        versions = [_version(content[name]) for name in _VERSIONED if name in content]
        return Classes(
            java=max(major for _, major in versions) - _JAVA_OF_MAJOR_0,
            preview=any(minor == _PREVIEW for minor, _ in versions),
            rules=_rules(content.get(_UDGM), content.get(_MEDIUM)),
            digest=hashlib.sha256(repr(listed).encode()).hexdigest()[:16],
        )
    except (OSError, ValueError, zipfile.BadZipFile, struct.error, EOFError, NotImplementedError) as error:
        raise MissingTool(
            f"{jar} is no Cooja that can be used: {error}\n    build Cooja again (./gradlew fullJar)"
        ) from None


def _version(data: bytes) -> tuple[int, int]:
    magic, minor, major = struct.unpack_from(">IHH", data)
    if magic != 0xCAFEBABE:
        raise ValueError("a class file of it is damaged")
    return minor, major


def _rules(udgm: bytes | None, medium: bytes | None) -> str:
    """Recognise the rule set by its corrections.

    A transmitting receiver is interfered, too (one more call in the unit disk graph medium), and interference
    is asserted again after a reception or a change of channel (a method of all media).
    """
    if udgm is None or medium is None:
        return UNKNOWN
    corrected = {_calls(udgm, b"interfereAnyReception") > 4, b"reassertInterference" in medium}
    return UNKNOWN if len(corrected) > 1 else RULES[corrected.pop()]


def _calls(data: bytes, method: bytes) -> int:
    """Count the invokevirtual instructions of a class file that name this method."""
    pool = _constants(data)
    count = 0
    for index, (tag, *value) in pool.items():
        if tag == 10 and pool[pool[value[1]][1]][1] == method:
            count += data.count(struct.pack(">BH", 0xB6, index))
    return count


def _constants(data: bytes) -> dict[int, tuple]:
    """Return texts (1, bytes) and pairs of references (tag, index, index) of the constant pool."""
    count, at, index, pool = struct.unpack_from(">H", data, 8)[0], 10, 1, {}
    while index < count:
        tag = data[at]
        if tag == 1:
            length = struct.unpack_from(">H", data, at + 1)[0]
            pool[index] = (1, data[at + 3 : at + 3 + length])
            at += 3 + length
        elif tag in (9, 10, 11, 12):
            pool[index] = (tag, *struct.unpack_from(">HH", data, at + 1))
            at += 5
        elif tag in (3, 4, 17, 18):
            at += 5
        elif tag in (5, 6):  # long and double take two places
            at, index = at + 9, index + 1
        elif tag in (7, 8, 16, 19, 20):
            at += 3
        elif tag == 15:
            at += 4
        else:
            raise ValueError(f"a constant of unknown kind {tag}")
        index += 1
    return pool
