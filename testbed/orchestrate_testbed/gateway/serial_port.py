# SPDX-License-Identifier: Apache-2.0
"""Opens a serial port for one reader alone."""

from __future__ import annotations

import errno
import fcntl
import os
import termios

from orchestrate_testbed.gateway.protocol import Refusal

SPEEDS = {
    int(each[1:]): getattr(termios, each) for each in dir(termios) if each[0] == "B" and each[1:].isdigit()
}


def open_port(device: str, baud: int) -> int:
    """Return the descriptor of the port: raw, without hand-shake, non-blocking and ours alone."""
    if baud not in SPEEDS or baud == 0:
        known = ", ".join(str(each) for each in sorted(SPEEDS) if each)
        raise Refusal("baud", f"{baud} baud is no rate of this gateway's serial ports; it has {known}.")
    try:
        descriptor = os.open(device, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.EBUSY:
            raise held(device) from None
        raise Refusal("no-device", f"{device} can't be opened: {error.strerror}.") from None
    try:
        if not os.isatty(descriptor):
            raise Refusal("no-device", f"{device} is no serial port.")
        claim(descriptor, device)
        settle(descriptor, baud)
    except (OSError, termios.error) as error:  # it was just unplugged
        os.close(descriptor)
        raise Refusal("no-device", f"{device} can't be set to {baud} baud: {error}.") from None
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def claim(descriptor: int, device: str) -> None:
    """Make sure that nobody else reads this port, whether or not they use locks.

    `flock` keeps programs away that lock, TIOCEXCL those that only open the port (except root's), and
    programs that had opened it before are found in /proc.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise held(device) from None
    if readers(device):
        raise held(device)
    fcntl.ioctl(descriptor, termios.TIOCEXCL)


def settle(descriptor: int, baud: int) -> None:
    """Set the port to eight bits, no parity, one stop bit and no special characters.

    Closing it then doesn't reset the mote.
    """
    settings = termios.tcgetattr(descriptor)
    settings[0] = termios.IGNBRK | termios.IGNPAR
    settings[1] = 0
    settings[2] = termios.CS8 | termios.CREAD | termios.CLOCAL
    settings[3] = 0
    settings[4] = settings[5] = SPEEDS[baud]
    settings[6][termios.VMIN] = 1
    settings[6][termios.VTIME] = 0
    termios.tcsetattr(descriptor, termios.TCSANOW, settings)


def release(descriptor: int) -> None:
    """Give the port back, so that everybody can open it."""
    try:
        fcntl.ioctl(descriptor, termios.TIOCNXCL)
    except OSError:
        pass  # it was unplugged
    os.close(descriptor)


def held(device: str) -> Refusal:
    """Return the error that names the process that has the port."""
    who = ", ".join(readers(device)) or "another process, which this user may not see"
    return Refusal("port-held", f"{device} is in use by {who}; a port has one reader.")


def readers(device: str) -> list[str]:
    """Return the other processes that have the device open for reading, as far as this user may see them."""
    real = os.path.realpath(device)
    found = []
    for pid in (each for each in os.listdir("/proc") if each.isdigit() and int(each) != os.getpid()):
        try:
            numbers = [
                each
                for each in os.listdir(f"/proc/{pid}/fd")
                if os.readlink(f"/proc/{pid}/fd/{each}") == real and _reads(pid, each)
            ]
            if numbers:
                with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
                    found.append(f"process {pid} ({file.read(64).strip()})")
        except OSError:
            continue  # it ended, or is another user's
    return found


def _reads(pid: str, number: str) -> bool:
    with open(f"/proc/{pid}/fdinfo/{number}", encoding="ascii") as file:
        for each in file:
            if each.startswith("flags:"):
                return int(each.split()[1], 8) & os.O_ACCMODE != os.O_WRONLY
    return True
