# SPDX-License-Identifier: Apache-2.0
"""SSH servers in this process, each with a home folder of its own: gateways for tests that need no sshd."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from pathlib import Path

import paramiko
from orchestrate_testbed.model import Endpoint

from tests.waiting import HANG_S

USER = "lab"


class Server:
    """One server on 127.0.0.1. `received`: bytes of standard input of its commands; `commands`: what ran."""

    user, host = USER, "127.0.0.1"

    def __init__(self, home: Path, allowed: paramiko.PKey, name: str = "G1"):
        self.home, self.allowed, self.name = home, allowed, name
        home.mkdir(parents=True, exist_ok=True)
        self.key = paramiko.ECDSAKey.generate()
        self.received = 0
        self.path = ""  # a folder that comes first on the PATH of its commands
        self.commands: list[str] = []
        self.cut_after: int | None = None  # bytes of standard input, after which the connection is lost
        self.refuses = 0  # so many of the next connections
        self.silent = False
        self.processes: list[subprocess.Popen] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.transports: list[paramiko.Transport] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def endpoint(self, key: Path, jump: Endpoint | None = None) -> Endpoint:
        return Endpoint(self.name, "127.0.0.1", self.port, USER, key, jump)

    def close(self) -> None:
        try:
            self._socket.shutdown(socket.SHUT_RDWR)  # or a thread that waits in accept takes one more
        except OSError:
            pass
        self._socket.close()
        for transport in self.transports:
            transport.close()

    def cut(self, refused: int = 0) -> None:
        """Break all connections off; so many new ones fail."""
        self.refuses = refused
        transports, self.transports = self.transports, []
        for transport in transports:
            transport.close()

    def falls_silent(self, silent: bool = True) -> None:
        """Let nobody in any more, until it is mended; what runs there goes on."""
        self.silent = silent
        self.cut()

    def power_fails(self) -> None:
        """End all that runs there for a session; files stay."""
        for process in self.processes:
            if process.poll() is None:
                process.kill()
        self.cut()

    def known(self) -> str:
        """Its line in a known_hosts file."""
        return f"[127.0.0.1]:{self.port} {self.key.get_name()} {self.key.get_base64()}\n"

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            if self.silent or self.refuses:
                self.refuses -= not self.silent
                connection.close()
                continue
            transport = _Transport(connection)
            transport.add_server_key(self.key)
            self.transports.append(transport)
            try:
                transport.start_server(threading.Event(), _Interface(self, transport))
            except (paramiko.SSHException, EOFError):
                transport.close()

    def execute(self, channel: paramiko.Channel, command: str) -> None:
        self.commands.append(command)
        process = subprocess.Popen(
            ["sh", "-c", command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.home,
            env={**os.environ, "HOME": str(self.home), "PATH": f"{self.path}:{os.environ['PATH']}"},
        )
        self.processes.append(process)
        threads = [
            threading.Thread(daemon=True, target=_copy, args=(process.stdout, channel.sendall)),
            threading.Thread(daemon=True, target=_copy, args=(process.stderr, channel.sendall_stderr)),
        ]
        threading.Thread(target=self._feed, args=(channel, process), daemon=True).start()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        code = process.wait()
        transport = channel.get_transport()
        transport.said_yes(channel)
        try:
            channel.send_exit_status(code if code >= 0 else 128 - code)  # ended by a signal
            channel.close()
        except (OSError, EOFError, paramiko.SSHException):
            pass

    def _feed(self, channel: paramiko.Channel, process: subprocess.Popen) -> None:
        try:
            while data := channel.recv(32_768):
                self.received += len(data)
                process.stdin.write(data)
                process.stdin.flush()
                if self.cut_after is not None and self.received >= self.cut_after:
                    self.cut_after = None
                    channel.get_transport().close()
                    break
        except OSError:
            pass
        try:
            process.stdin.close()
        except OSError:
            pass


class _Transport(paramiko.Transport):
    """Knows which requests were granted: a command may end before paramiko has said yes to it."""

    def __init__(self, connection: socket.socket):
        super().__init__(connection)
        self._yes = threading.Condition()
        self._granted: set[int] = set()

    def _send_user_message(self, data: paramiko.Message) -> None:
        super()._send_user_message(data)
        sent = paramiko.Message(data.asbytes())
        if sent.get_byte() == paramiko.common.cMSG_CHANNEL_SUCCESS:
            with self._yes:
                self._granted.add(sent.get_int())
                self._yes.notify_all()

    def said_yes(self, channel: paramiko.Channel) -> None:
        """Wait until the request of a channel has its answer, or the connection is lost."""
        with self._yes:
            while channel.remote_chanid not in self._granted and self.is_active():
                self._yes.wait(0.1)


def _copy(stream, send) -> None:
    """Send what a command prints. When nobody reads it any more, its pipe is closed, as sshd does.

    A command that prints without end ends by that; else it would print until the last test has ended.
    """
    with stream:
        try:
            while data := os.read(stream.fileno(), 32_768):
                send(data)
        except OSError:
            pass


class _Interface(paramiko.ServerInterface):
    def __init__(self, server: Server, transport: paramiko.Transport):
        self.server, self.transport = server, transport

    def get_allowed_auths(self, username):
        return "publickey"

    def check_auth_publickey(self, username, key):
        good = username == USER and key == self.server.allowed
        return paramiko.AUTH_SUCCESSFUL if good else paramiko.AUTH_FAILED

    def check_channel_request(self, kind, chanid):
        return paramiko.OPEN_SUCCEEDED

    def check_channel_direct_tcpip_request(self, chanid, origin, destination):
        threading.Thread(target=self._forward, args=(chanid, destination), daemon=True).start()
        return paramiko.OPEN_SUCCEEDED

    def _forward(self, chanid, destination) -> None:
        channel = self.transport.accept(HANG_S)
        while channel is not None and channel.get_id() != chanid:  # of a command
            channel = self.transport.accept(HANG_S)
        link = socket.create_connection(destination)
        threading.Thread(target=_pump, args=(channel, link), daemon=True).start()
        _pump(link, channel)

    def check_channel_exec_request(self, channel, command):
        threading.Thread(target=self.server.execute, args=(channel, command.decode()), daemon=True).start()
        return True


def keypair(folder: Path) -> tuple[Path, paramiko.PKey]:
    """A user's private key in a file."""
    key = paramiko.ECDSAKey.generate()
    path = folder / "user-key"
    key.write_private_key_file(str(path))
    return path, key


def _pump(one, other) -> None:
    try:
        while data := one.recv(32_768):
            other.sendall(data)
    except OSError:
        pass
    finally:
        other.close()
