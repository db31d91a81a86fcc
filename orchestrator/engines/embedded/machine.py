# SPDX-License-Identifier: Apache-2.0
"""Whether this machine has what the commands of a SerialSocketServer need: programs, and TUN devices."""

from __future__ import annotations

import fcntl
import os
import shutil
import struct
import subprocess

from orchestrator.csc.needs import Needs
from orchestrator.errors import MissingTool

_DEVICE = "/dev/net/tun"
_TUNSETIFF, _IFF_TUN, _IFF_NO_PI = 0x400454CA, 0x0001, 0x1000  # linux/if_tun.h
_REMEDY = (
    "run as root, or in a network of your own: unshare --map-root-user --net sh -c 'ip link set lo up; "
    "orchestrate simulate ...'"
)


def tun_fault() -> str:
    """Return why no TUN device can be made here, "" if one can; it exists for a moment only."""
    try:
        file = os.open(_DEVICE, os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        return f"{_DEVICE}: {error.strerror}"
    try:
        # Without a name, so that the kernel chooses a free one.
        fcntl.ioctl(file, _TUNSETIFF, struct.pack("16sH22x", b"", _IFF_TUN | _IFF_NO_PI))
    except OSError as error:
        return f"a TUN device can't be made: {error.strerror}"
    finally:
        os.close(file)
    return ""


def becomes_root() -> bool:
    """Whether a command can run as root without a password."""
    if os.geteuid() == 0:
        return True
    sudo = shutil.which("sudo")
    if sudo is None:
        return False
    try:
        done = subprocess.run([sudo, "-n", "true"], capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def check(needs: Needs, where: str) -> None:
    """Check that commands find what they need; `where` they stand. Raises MissingTool with all that lacks."""
    lacks = []
    missing = [(name, package) for name, package in needs.programs if shutil.which(name) is None]
    if missing:
        packages = " ".join(dict.fromkeys(package for _, package in missing))
        lacks.append(
            f"{where}: its commands call {', '.join(name for name, _ in missing)}, not installed here\n"
            f"    apt-get install {packages}, or run it without its commands (--no-commands)"
        )
    if needs.tun:
        if not becomes_root():
            lacks.append(
                f"{where}: its commands need root's rights for a TUN device ({needs.shown_by} asks for one)"
                f"\n    {_REMEDY}"
            )
        elif os.geteuid() == 0 and (fault := tun_fault()):
            lacks.append(
                f"{where}: its commands need a TUN device ({needs.shown_by} asks for one), and {fault}\n"
                f"    {_REMEDY}; a container needs --cap-add NET_ADMIN --device {_DEVICE}"
            )
    if lacks:
        raise MissingTool("\n".join(lacks))
