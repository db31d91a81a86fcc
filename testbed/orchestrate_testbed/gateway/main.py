# SPDX-License-Identifier: Apache-2.0
"""The command line on a gateway: `python3 gateway.pyz start|ask|stop ROOT`."""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import os
import shutil
import signal
import socket
import stat
import sys
import time
from contextlib import suppress
from typing import Callable

from orchestrate_testbed.gateway import mote_host, protocol

LOCK = "daemon.lock"  # the daemon holds it as long as it lives, and its process number is in it
RESERVE = 32 << 20  # bytes of the disk that stay the system's
PATIENCE_S = 14 * 24 * 3600


def main(arguments: list | None = None) -> int:
    """Return the exit code: 0, 1 if something failed, 2 for a wrong call."""
    sys.argv[0] = os.path.abspath(sys.argv[0])  # it is started again as a tool, from another folder
    parser = argparse.ArgumentParser(prog="gateway.pyz", description="The gateway daemon of a testbed.")
    actions = parser.add_subparsers(dest="action", required=True)
    start = actions.add_parser("start", help="start the daemon of a folder, if it isn't running")
    start.add_argument("--quota", type=int, default=0, help="bytes that all logs may have (0: no quota)")
    start.add_argument("--reserve", type=int, default=RESERVE, help="bytes of the disk that stay free")
    start.add_argument("--patience", type=int, default=PATIENCE_S, help="seconds without a request")
    ask = actions.add_parser("ask", help="pass requests and answers between the daemon and this terminal")
    stop = actions.add_parser("stop", help="stop the daemon of a folder")
    stop.add_argument("--remove", action="store_true", help="remove the folder, logs and all")
    for each in (start, ask, stop):
        each.add_argument("root")
    actions.add_parser("distribute", help="run a node of a system that distributes data")
    mote_host.add_arguments(actions.add_parser("stand-in", help="load firmware into a virtual mote"))
    options = parser.parse_args(arguments)
    act = {
        "start": _start, "ask": _ask, "stop": _stop, "stand-in": mote_host.main, "distribute": _distribute
    }[options.action]  # fmt: skip
    try:
        return act(options)
    except (OSError, protocol.Refusal) as error:
        print(f"gateway.pyz: {error}", file=sys.stderr)
        return 1


def _start(options: argparse.Namespace) -> int:
    # Only here, as Python compiles what a zipapp imports each time; and before it stands in another folder,
    # as the zipapp's name may be relative.
    from orchestrate_testbed.gateway.daemon import Daemon
    from orchestrate_testbed.gateway.requests import TABLE

    enter(options.root)
    while True:
        lock = _open_lock()
        began = _locked(lock, fcntl.LOCK_EX)
        if began:
            _detach(lock, options, lambda *given: Daemon(*given, TABLE))
        os.close(lock)
        try:
            _await()
            break
        except protocol.Refusal:
            if began:
                raise  # else the one that had the lock was ending
    print(json.dumps({"protocol": protocol.VERSION, "started": began}))
    return 0


def _detach(lock: int, options: argparse.Namespace, daemon: Callable) -> None:
    """Start the daemon: it has no parent and no terminal, and holds the lock that it inherits."""
    if os.fork():
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    nothing = os.open(os.devnull, os.O_RDWR)
    errors = os.open("daemon.errors", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    for number, into in ((0, nothing), (1, nothing), (2, errors)):
        os.dup2(into, number)
    os.pwrite(lock, b"%-10d\n" % os.getpid(), 0)  # as long as the last one's, so that a full disk has room
    code = 1
    try:
        daemon(os.getcwd(), digest(), options.quota, options.reserve, options.patience).serve()
        code = 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        os._exit(code)


def _distribute(_: argparse.Namespace) -> int:
    from orchestrate_testbed.gateway.distribution import node

    return node.main(by_ssh=True)


def _ask(options: argparse.Namespace) -> int:
    """Pass bytes in both directions until one side ends. The daemon goes on when this process is gone."""
    enter(options.root)
    try:
        connection = _connect()
    except OSError:
        raise _down() from None
    reader = os.fork()
    if reader == 0:
        _copy(lambda: os.read(0, 65536), connection.sendall)
        connection.shutdown(socket.SHUT_WR)
        os._exit(0)
    _copy(lambda: connection.recv(65536), _write_out)
    os.kill(reader, signal.SIGKILL)
    return 0


def _copy(read: Callable, write: Callable) -> None:
    with suppress(OSError):  # one side is gone
        content = read()
        while content:
            write(content)
            content = read()


def _write_out(content: bytes) -> None:
    while content:
        content = content[os.write(1, content) :]


def _stop(options: argparse.Namespace) -> int:
    if not os.path.lexists(options.root):
        return 0
    enter(options.root)
    lock = _open_lock()
    for attempt in range(1200):
        if _locked(lock, fcntl.LOCK_EX):
            break
        number = os.pread(lock, 32, 0).strip()
        if number.isdigit() and attempt in (0, 600):  # half a minute: a busy machine is no fault
            os.kill(int(number), signal.SIGTERM if attempt == 0 else signal.SIGKILL)
        time.sleep(0.05)
    else:
        print("gateway.pyz: the daemon doesn't end", file=sys.stderr)
        return 1
    if options.remove:
        root = os.getcwd()
        os.chdir("/")
        shutil.rmtree(root)
    return 0


def enter(root: str) -> None:
    """Make the folder, for this user alone, and make it the working directory."""
    os.umask(0o077)
    with suppress(FileExistsError):
        os.makedirs(root, mode=0o700)
    found = os.lstat(root)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        text = f"{root} has to be a folder of this user's that nobody else may enter (chmod 700)."
        raise protocol.Refusal("root", text)
    os.chdir(root)


def _await() -> None:
    """Wait until the daemon of the present folder takes connections; while it lives, it holds its lock."""
    while True:
        try:
            _connect().close()
            return
        except OSError:
            if not _lives():
                raise _down() from None
        time.sleep(0.05)


def _lives() -> bool:
    with open(LOCK, "rb") as lock:
        return not _locked(lock.fileno(), fcntl.LOCK_SH)


def _open_lock() -> int:
    return os.open(LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def _locked(lock: int, how: int) -> bool:
    """Take the lock, if nobody else has it; return whether that was so."""
    try:
        fcntl.flock(lock, how | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _connect() -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(protocol.SOCKET)
    except OSError:
        connection.close()
        raise
    return connection


def _down() -> protocol.Refusal:
    return protocol.Refusal("down", f"No daemon runs in {os.getcwd()}.")


def digest() -> str:
    """Return the SHA-256 of the running zipapp, which tells versions apart; empty if it runs from source."""
    try:
        with open(sys.argv[0], "rb") as file:
            return hashlib.sha256(file.read()).hexdigest() if sys.argv[0].endswith(".pyz") else ""
    except OSError:
        return ""
