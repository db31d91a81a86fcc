# SPDX-License-Identifier: Apache-2.0
"""Gives a virtual gateway a disk of its own, in memory, which can be really full.

It is a tmpfs, for which the user needs the right to mount.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from orchestrate_testbed.errors import LabError

BALLAST = ".ballast"  # the file that fills it


class NoDisk(LabError):
    """The user may not mount a file system here."""


def mount(home: Path, size: int) -> None:
    """Let a folder be a file system of that many bytes. Raises NoDisk."""
    options = f"size={size},mode=755,nosuid,nodev"
    command = ["mount", "-t", "tmpfs", "-o", options, "orchestrate-virtual", os.fspath(home)]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        said = ran.stderr.strip() if ran.returncode else ""
    except OSError as error:
        said = f"mount: {error.strerror}"
    if said:
        raise NoDisk(
            f"a gateway's disk can't be mounted: {said}"
            "\n    leave out --disk: then `break disk` limits the size of files instead"
        )


def is_mounted(home: Path) -> bool:
    """Return whether the folder is a file system of its own."""
    return os.path.ismount(home)


def unmount(home: Path) -> None:
    """Remove the file system with all that is in it. Raises LabError."""
    ran = subprocess.run(["umount", os.fspath(home)], capture_output=True, text=True)
    if ran.returncode:
        raise LabError(f"{home} can't be unmounted: {ran.stderr.strip()}")


def fill(home: Path, room: int) -> None:
    """Leave that many bytes, to the next whole page."""
    free(home)
    found = os.statvfs(home)
    ballast = found.f_bavail * found.f_frsize - room
    if ballast > 0:
        with (home / BALLAST).open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, ballast)


def free(home: Path) -> None:
    """Give the room back."""
    (home / BALLAST).unlink(missing_ok=True)
