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
# A network namespace keeps the machine's own network as it is. In one of an ordinary user sudo does not work.
AS_ROOT = "run it as root: sudo unshare --net sh -c 'ip link set lo up; orchestrate simulate ...'"


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


def sudo_works() -> bool:
    """Whether `sudo` makes root of this user without a password; also root's own may be refused."""
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
        root = os.geteuid() == 0
        through_sudo = any(name == "sudo" for name, _ in needs.programs) or not root
        if through_sudo and not any(name == "sudo" for name, _ in missing) and not sudo_works():
            lacks.append(
                f"{where}: its commands need root's rights for a TUN device ({needs.shown_by} asks for one)"
                f"\n    {AS_ROOT}"
            )
        elif root and (fault := tun_fault()):
            lacks.append(
                f"{where}: its commands need a TUN device ({needs.shown_by} asks for one), and {fault}\n"
                f"    {AS_ROOT}; a container needs --cap-add NET_ADMIN --device {_DEVICE}"
            )
    if lacks:
        raise MissingTool("\n".join(lacks))
