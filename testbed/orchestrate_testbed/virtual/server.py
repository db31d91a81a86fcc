# SPDX-License-Identifier: Apache-2.0
"""One sshd with its own configuration, keys, folder and address, started under our own user id."""

from __future__ import annotations

import getpass
import os
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from orchestrate_testbed.errors import LabError
from orchestrate_testbed.gateway.clocks import VARIABLE as CLOCK
from orchestrate_testbed.gateway.mote_host import HOST as MOTE_HOST
from orchestrate_testbed.virtual import clock, namespaces, processes

FIRST_PORT, LAST_PORT = 2200, 2299
START_S = 60.0  # until it answers
_SBIN = ("/usr/sbin", "/usr/local/sbin", "/sbin")
_SFTP = ("/usr/lib/openssh/sftp-server", "/usr/libexec/openssh/sftp-server", "/usr/lib/ssh/sftp-server",
         "/usr/libexec/sftp-server")  # fmt: skip
_TOOL = Path(__file__).with_name("mote_tool.py")


class NotStarted(LabError):
    """A server of the virtual testbed can't be started."""


@dataclass(frozen=True)
class Server:
    """A gateway or a jump host. `folder`: everything of it is in there.

    `namespace`: its network; "" if it has a loopback address of this machine.
    """

    name: str
    address: str
    port: int
    folder: Path
    testbed: Path
    namespace: str = ""

    @property
    def home(self) -> Path:
        """The folder where its users are after they have logged in."""
        return self.folder / "home"

    @property
    def devices(self) -> Path:
        """The folder in place of /dev/serial/by-id."""
        return self.folder / "dev" / "serial" / "by-id"

    @property
    def clock(self) -> Path:
        """The file that says how far its clocks are off (clock.py)."""
        return self.folder / "clock"

    @property
    def file_limit(self) -> Path:
        """The file with the largest size of new files, in blocks of 512 bytes.

        It exists while the disk is broken.
        """
        return self.folder / "file-limit"

    @property
    def host_key(self) -> Path:
        """The host key of its sshd."""
        return self.folder / "host_key"

    def known_as(self) -> str:
        """Return its line for known_hosts."""
        kind, key, *_ = self.host_key.with_suffix(".pub").read_text().split()
        return f"[{self.address}]:{self.port} {kind} {key}"


def sshd() -> str:
    """Return the path of the program. Raises NotStarted."""
    found = shutil.which("sshd", path=os.pathsep.join((*_SBIN, os.environ.get("PATH", ""))))
    if found is None or shutil.which("ssh-keygen") is None:
        raise NotStarted(
            "a virtual testbed needs OpenSSH's sshd and ssh-keygen, which are not here"
            "\n    install them, e.g. apt-get install openssh-server"
        )
    return found


def make_key(path: Path, comment: str) -> None:
    """Make a pair of keys without a passphrase."""
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", os.fspath(path)],
        check=True,
        stdin=subprocess.DEVNULL,
    )


def free_port(address: str) -> int:
    """Return a port of a loopback address that nobody listens at. Raises NotStarted."""
    for port in range(FIRST_PORT, LAST_PORT + 1):
        with socket.socket() as probe:
            try:
                probe.bind((address, port))
                return port
            except OSError as error:
                last = error
    raise NotStarted(f"no port from {FIRST_PORT} to {LAST_PORT} of {address} can be had: {last.strerror}")


def prepare(server: Server, authorized: str, mote_host: Path, zipapp: Path) -> None:
    """Write everything that the server needs."""
    for each in (server.home, server.devices, server.folder / "bin"):
        each.mkdir(parents=True)
    make_key(server.host_key, f"virtual {server.name}")
    (server.folder / "authorized_keys").write_text(authorized)
    clock.write(server.clock)
    _tools(server.folder / "bin", zipapp)
    login = server.folder / "login"
    login.write_text(_login(server, mote_host))
    (server.folder / "sshd_config").write_text(_config(server, login))


def _tools(folder: Path, zipapp: Path) -> None:
    python = Path(os.path.realpath(sys.executable))
    (folder / "python3").symlink_to(python)
    own = folder / zipapp.name
    shutil.copyfile(zipapp, own)
    shutil.copyfile(_TOOL, folder / "mote-tool.py")
    for name, script in (("stand-in", f"{shlex.quote(str(own))} stand-in"),
                         ("mote-tool", shlex.quote(str(folder / "mote-tool.py")))):  # fmt: skip
        tool = folder / name
        # -I -S: no packages; to look for them takes most of the time of so small a program.
        tool.write_text(f'#!/bin/sh\nexec {shlex.quote(str(python))} -I -S {script} "$@"\n')
        tool.chmod(0o755)


def _login(server: Server, mote_host: Path) -> str:
    """Return the shell text with which every session begins: the folders and variables of this gateway."""
    variables = {
        "HOME": server.home,
        "PATH": f"{server.folder / 'bin'}:/usr/local/bin:/usr/bin:/bin",
        MOTE_HOST: mote_host,
        CLOCK: server.clock,
        **processes.mark(server.testbed, server.name),
    }
    limit = shlex.quote(str(server.file_limit))
    return "\n".join(
        [
            *(f"export {name}={shlex.quote(str(value))}" for name, value in variables.items()),
            'cd "$HOME" || exit 1',
            f'[ -r {limit} ] && ulimit -S -f "$(cat {limit})"',
            'exec /bin/sh -c "${SSH_ORIGINAL_COMMAND:-exec /bin/sh -i}"',
            "",
        ]
    )


def _config(server: Server, login: Path) -> str:
    sftp = next((each for each in _SFTP if os.access(each, os.X_OK)), "internal-sftp")
    lines = [
        f"ListenAddress {server.address}:{server.port}",
        f'HostKey "{server.host_key}"',
        f'AuthorizedKeysFile "{server.folder / "authorized_keys"}"',
        f"AllowUsers {getpass.getuser()}",
        "PermitRootLogin prohibit-password",
        "PasswordAuthentication no",
        "KbdInteractiveAuthentication no",
        "StrictModes no",  # the folder may be below one that others may write to, as /tmp is
        "UsePAM no",
        "UseDNS no",
        "PidFile none",
        "MaxSessions 200",
        "MaxStartups 200",
        "X11Forwarding no",
        f"Subsystem sftp {sftp}",
        # Its users' shell reads what the gateway's home has (~/.bashrc), not what this machine's has.
        f'SetEnv "HOME={server.home}"',
        f"ForceCommand /bin/sh {shlex.quote(str(login))}",
    ]
    return "\n".join(lines) + "\n"


def start(server: Server) -> None:
    """Start the server; it answers when this returns. Raises NotStarted."""
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # which sshd wants to be empty when root starts it
    log = Path(processes.log_of(server.testbed, server.name))
    files = ["-f", os.fspath(server.folder / "sshd_config"), "-E", os.fspath(log)]
    run(
        [*namespaces.inside(server.namespace), sshd(), "-D", *files],
        processes.mark(server.testbed, server.name),
        subprocess.DEVNULL,
        log,
        lambda: answers(server),
        f"sshd of {server.name} doesn't answer at {server.address}:{server.port}",
    )


def run(
    command: list[str],
    marked: dict[str, str],
    output: IO[bytes] | int,
    log: Path,
    answers: Callable[[], bool],
    why: str,
) -> None:
    """Start a process that goes on when this one ends, and wait until it answers.

    `marked`: more of its environment. Raises NotStarted with `why` and the last line of its log.
    """
    process = subprocess.Popen(
        command,
        env={**os.environ, **marked},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,
    )
    until = time.monotonic() + START_S
    while not answers():
        if process.poll() is not None or time.monotonic() > until:
            said = log.read_text(errors="replace").strip().splitlines() if log.exists() else []
            raise NotStarted(f"{why}\n    it said: {said[-1] if said else 'nothing'}")
        time.sleep(0.02)
    process.returncode = 0  # it continues when this process ends


def answers(server: Server, wait_s: float = 10.0) -> bool:
    """Return whether an SSH server says its version there."""
    try:
        with socket.create_connection((server.address, server.port), wait_s) as connection:
            connection.settimeout(wait_s)
            return connection.recv(4) == b"SSH-"
    except OSError:
        return False
