# SPDX-License-Identifier: Apache-2.0
"""Finds the Java runtime that a Cooja needs among those on this machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from orchestrate_spark.jvm import Java, describe

from orchestrator.engines.cooja.classes import Classes
from orchestrator.errors import MissingTool

VARIABLE = "COOJA_JAVA_HOME"  # names a runtime for Cooja only, if JAVA_HOME names another
# The folders of Debian, Fedora, SDKMAN!, Gradle's toolchains and macOS.
_PLACES = (
    "/usr/lib/jvm/*",
    "/opt/java/*",
    "~/.sdkman/candidates/java/*",
    "~/.gradle/jdks/*",
    "~/.gradle/jdks/*/*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
)


def find(classes: Classes) -> Java:
    """Return the first that fits: $COOJA_JAVA_HOME, $JAVA_HOME, `java` on the PATH, the oldest of all others.

    Raises MissingTool.
    """
    seen: dict[Path, Java] = {}
    for first, executable in _candidates():
        java = seen.get(executable) or describe(executable)
        if java is None:
            continue
        seen[executable] = java
        if first and fits(java, classes):
            return java
    fitting = sorted(
        (java for java in seen.values() if fits(java, classes)),
        key=lambda java: (java.version, str(java.executable)),
    )
    if fitting:
        return fitting[0]
    need = f"Java {classes.java}" + ("" if classes.preview else " or newer")
    here = (
        ", ".join(
            sorted({f"Java {java.version} ({java.executable}{_lacks(java)})" for java in seen.values()})
        )
        or "none"
    )
    raise MissingTool(
        f"this Cooja needs {need}; here: {here}\n    install one (on Debian `apt-get install "
        f"openjdk-{classes.java}-jre-headless`, or a Temurin package), or name its folder with ${VARIABLE}"
    )


def fits(java: Java, classes: Classes) -> bool:
    """Say whether a runtime loads a Cooja: classes with preview features need their own version of Java."""
    if _lacks(java):
        return False
    return java.version == classes.java if classes.preview else java.version >= classes.java


def _lacks(java: Java) -> str:
    """Say what a runtime lacks: Cooja needs java.desktop even without a window; small runtimes lack it."""
    return " without java.desktop" if java.modules and "java.desktop" not in java.modules else ""


def _candidates() -> Iterator[tuple[bool, Path]]:
    """Give executables, and for each whether the user chose it."""
    for variable in (VARIABLE, "JAVA_HOME"):
        if home := os.environ.get(variable):
            yield True, Path(home) / "bin" / "java"
    if path := shutil.which("java"):
        yield True, Path(path)
    for pattern in _PLACES:
        expanded = Path(pattern).expanduser()
        for home in sorted(Path("/").glob(str(expanded).lstrip("/"))):
            yield False, home / "bin" / "java"
