# SPDX-License-Identifier: Apache-2.0
"""Checks whether this machine has what the tool needs: one function for each check, with its remedy."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from orchestrator.build import compiler
from orchestrator.build.machines import MACHINES, Machine
from orchestrator.errors import MissingTool

# Below this the runs of the aggregation paper (about 100 MB) and a cold build cache may not fit.
_FREE_BYTES_WANTED = 1 << 30


@dataclass(frozen=True)
class Check:
    """`state` is "ok", "missing" (needed, not here) or "absent" (optional, not here)."""

    name: str
    state: str
    found: str
    remedy: str = ""


def _first_line(*command: str) -> str | None:
    """Return the first line that a program prints of its version, None if it isn't here or is silent."""
    program = shutil.which(command[0])
    if program is None:
        return None
    try:
        done = subprocess.run(
            [program, *command[1:]], capture_output=True, text=True, timeout=300, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = (done.stdout + done.stderr).strip().splitlines()
    return lines[0] if done.returncode == 0 and lines else None


def _python() -> Check:
    return Check("Python", "ok", f"{platform.python_version()}, {sys.executable}")


def _compiler() -> Check:
    try:
        return Check("C compiler", "ok", compiler.find().version)
    except MissingTool as error:
        what, _, remedy = str(error).partition("\n")
        return Check("C compiler", "missing", what, remedy.strip())


def _machine(machine: Machine) -> Check:
    try:
        return Check(machine.title, "ok", machine.compiler().version)
    except MissingTool:
        return Check(
            machine.title,
            "absent",
            "no compiler for it",
            f"needed only for `orchestrate sizes`: apt-get install {machine.packages}",
        )


def _sky() -> Check:
    """Check what builds firmware of emulated Tmote Skys."""
    from orchestrator.build import msp430

    if line := _first_line(msp430.PROGRAM, "--version"):
        return Check("Tmote Sky", "ok", line)
    purpose = "needed only to build firmware for Sky motes of .csc files: "
    try:
        return Check("Tmote Sky", "ok", f"{msp430.version()} in the place of {msp430.PROGRAM}")
    except MissingTool as error:
        what, _, remedy = str(error).partition("\n")
        return Check("Tmote Sky", "absent", what, purpose + remedy.strip())


def _make() -> Check:
    line = _first_line("make", "--version")
    return Check("make", "ok", line) if line else Check("make", "missing", "", "apt-get install make")


def _packages() -> Check:
    missing = []
    for requirement in metadata.requires("cooja-orchestrate") or []:
        name = requirement.split(";")[0].split("<")[0].split(">")[0].split("=")[0].strip()
        try:
            metadata.version(name)
        except metadata.PackageNotFoundError:
            if "extra ==" not in requirement:
                missing.append(name)
    if missing:
        return Check(
            "Python packages",
            "missing",
            "without " + ", ".join(missing),
            "make setup, or install the wheel again with its dependencies",
        )
    there = ", ".join(f"{name} {metadata.version(name)}" for name in ("pyarrow", "lxml"))
    return Check("Python packages", "ok", there)


def _engine() -> Check:
    """Check the engine that computes tables and metrics by default."""
    from orchestrate_spark import embedded
    from orchestrate_spark.engines import VARIABLE
    from orchestrate_spark.errors import NoSpark

    named = os.environ.get(VARIABLE)
    try:
        version = f"embedded: Sail {embedded.version()} with PySpark {embedded.client_version()}"
    except NoSpark as error:
        what, _, remedy = str(error).partition("\n")
        return Check("engine of metrics", "missing", what, remedy.strip())
    return Check("engine of metrics", "ok", f"{VARIABLE}={named}; {version}" if named else version)


def _apache_spark() -> Check:
    """Check Apache Spark, for what the embedded engine can't do and for clusters."""
    from orchestrate_spark import jvm, session
    from orchestrate_spark.errors import NoSpark

    purpose = "not needed: the embedded engine computes; for large experiments and clusters, "
    try:
        session.need()
        java = jvm.find_java()
    except NoSpark as error:
        what, _, remedy = str(error).partition("\n")
        return Check("Apache Spark", "absent", what, purpose + remedy.strip())
    return Check(
        "Apache Spark",
        "ok",
        f"{metadata.version('pyspark')} on Java {java.version}, {java.executable}",
    )


def _loopback() -> Check:
    from orchestrate_spark.errors import NoLoopback
    from orchestrate_spark.jvm import need_loopback

    try:
        need_loopback()
    except NoLoopback as error:
        what, _, remedy = str(error).partition("\n")
        return Check("loopback", "missing", what, remedy.strip())
    return Check("loopback", "ok", "127.0.0.1 answers")


def _folder(name: str, path: Path) -> Check:
    existing = path
    while not existing.exists():
        existing = existing.parent
    if not os.access(existing, os.W_OK):
        return Check(
            name, "missing", f"{path} can't be written", "choose another folder, or change its permissions"
        )
    free = shutil.disk_usage(existing).free
    space = f"{path}, {free / 2**30:.1f} GiB free"
    if free < _FREE_BYTES_WANTED:
        return Check(name, "missing", space, "free some space")
    return Check(name, "ok", space)


def _docker() -> Check:
    from orchestrator.build import docker_engine

    try:
        engine = docker_engine.connect()
    except MissingTool as error:
        what, _, remedy = str(error).partition("\n")
        return Check(
            "container engine",
            "absent",
            what,
            f"not needed: the host compiler builds firmware; else {remedy.strip()}",
        )
    kind = ", rootless" if engine.rootless else ""
    return Check("container engine", "ok", f"{engine.version}{kind}, {engine.address}")


def _cooja() -> Check:
    """Without running a Gradle wrapper: that is for `prepare`."""
    from orchestrator.engines.cooja import classes, find, java

    purpose = (
        "not needed: the embedded engine runs; for `--engine cooja`, set COOJA to its folder, its jar or a "
        "program"
    )
    try:
        place = find.find(build=False)
        if place.jar is None:
            return Check("Cooja", "ok", f"{place}, a program; its rules and its Java are its own business")
        java_classes = classes.read(place.jar)
        runtime = java.find(java_classes)
    except MissingTool as missing:
        what, *rest = str(missing).split("\n")
        named = os.environ.get("COOJA") or os.environ.get("CONTIKI_NG")
        return Check("Cooja", "absent", what, " ".join(line.strip() for line in rest) if named else purpose)
    return Check(
        "Cooja",
        "ok",
        f"{place}, rules {java_classes.rules}, on Java {runtime.version} ({runtime.executable})",
    )


def _contiki_ng() -> Check:
    value = os.environ.get("CONTIKI_NG")
    if value and (Path(value) / "Makefile.include").exists():
        return Check("Contiki-NG", "ok", value)
    reason = f"CONTIKI_NG={value} has no Makefile.include" if value else "CONTIKI_NG is not set"
    return Check("Contiki-NG", "absent", reason, "not needed: the embedded Contiki builds; set it to compare")


def _border_routers() -> Check:
    """Check what the commands of border routers' simulations call, and TUN devices."""
    from orchestrator.csc import needs
    from orchestrator.engines.embedded import machine

    missing = [(name, package) for name, package in needs.every_program() if shutil.which(name) is None]
    fault = machine.tun_fault() if os.geteuid() == 0 else ""
    found = [f"without {', '.join(name for name, _ in missing)}"] if missing else []
    found += [fault] if fault else [] if machine.sudo_works() else ["no root's rights without a password"]
    if not found:
        return Check("border routers", "ok", "TUN devices, and all programs of Contiki-NG's tests")
    packages = " ".join(dict.fromkeys(package for _, package in missing))
    remedies = [f"apt-get install {packages}"] if missing else []
    remedies += [machine.AS_ROOT] if len(found) > bool(missing) else []
    return Check(
        "border routers",
        "absent",
        "; ".join(found),
        "not needed, but for .csc files whose commands make a border router: " + "; ".join(remedies),
    )


def checks(store: Path, cache: Path) -> list[Check]:
    """All checks, the needed ones first.

    `store` and `cache`: the folders that runs and builds would go to.
    """
    return [
        _python(),
        _packages(),
        _compiler(),
        _make(),
        _engine(),
        _loopback(),
        _folder("store", store),
        _folder("build cache", cache),
        _apache_spark(),
        _docker(),
        *map(_machine, MACHINES.values()),
        _sky(),
        _cooja(),
        _contiki_ng(),
        _border_routers(),
    ]
