# SPDX-License-Identifier: Apache-2.0
"""SSH to gateways: a connection to each, kept open, behind strict host keys and jump hosts.

Nothing that a server says is trusted: a server without a recorded host key isn't talked to, output is
bounded, and errors have its words in a form that a terminal can show.
"""

from __future__ import annotations

import getpass
import logging
import shlex
import socket
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from orchestrate_testbed.errors import (
    HostKeyUnknown,
    LabError,
    NoConnection,
    RemoteFailed,
)
from orchestrate_testbed.host_keys import CONNECT_S, ShownKey, recorded, recorded_keys, shown_key
from orchestrate_testbed.model import Endpoint
from orchestrate_testbed.ssh_errors import changed, not_in, why
from orchestrate_testbed.ssh_library import paramiko
from orchestrate_testbed.untrusted import shown

# paramiko reports errors to its log as well, with tracebacks; all of them reach us as exceptions.
logging.getLogger("paramiko").addHandler(logging.NullHandler())
logging.getLogger("paramiko").propagate = False

KEEPALIVE_S = 15
MOST_OUTPUT = 1 << 20  # bytes of a command's output, where a caller names no other limit
MOST_AT_ONCE = 32  # servers
SLOWNESS = 3  # a command's whole output may take so many times the time that it may be silent
_CHUNK = 32_768  # bytes: the packet size that OpenSSH uses

_Item = TypeVar("_Item")
_Made = TypeVar("_Made")


@dataclass(frozen=True)
class Ran:
    """A command that ended: its exit code and output."""

    code: int
    out: bytes
    err: bytes

    @property
    def said(self) -> str:
        """Its standard error, escaped so that it can be shown."""
        return shown(self.err.decode("utf-8", "replace").strip())


@dataclass(frozen=True)
class Streams:
    """The streams of a running command. Their names are those of subprocess.Popen."""

    stdin: paramiko.channel.ChannelStdinFile
    stdout: paramiko.ChannelFile
    stderr: paramiko.channel.ChannelStderrFile

    def close(self) -> None:
        """End the channel; the command there gets a hang-up."""
        self.stdout.channel.close()

    def wait(self, timeout_s: float) -> int | None:
        """Return the exit code, or None if the command still runs after that many s."""
        channel = self.stdout.channel
        return channel.recv_exit_status() if channel.status_event.wait(timeout_s) else None


class Host:
    """A server that we are logged in to. Threads may share it: each command has a channel of its own."""

    def __init__(self, name: str, client: paramiko.SSHClient):
        self.name = name
        self._client = client

    @property
    def alive(self) -> bool:
        """Whether the connection is still established, as far as is known."""
        transport = self._client.get_transport()
        return transport is not None and transport.is_active()

    def run(
        self, argv: Sequence[str], given: bytes = b"", timeout_s: float = 60.0, most: int = MOST_OUTPUT
    ) -> Ran:
        """Run a command with `given` as its input.

        Raises RemoteFailed after `timeout_s` s without output, after SLOWNESS times that in all, or beyond
        `most` bytes of output; NoConnection.
        """
        channel = self._channel(argv)
        until = time.monotonic() + SLOWNESS * timeout_s

        def left_s() -> float:
            left = min(timeout_s, until - time.monotonic())
            if left <= 0:
                raise TimeoutError
            return left

        channel.settimeout(timeout_s)
        errors = bytearray()
        threads = [threading.Thread(target=_drain, args=(channel, errors, most), daemon=True)]
        if given:
            threads.append(threading.Thread(target=_feed, args=(channel, given), daemon=True))
        else:
            channel.shutdown_write()
        for thread in threads:
            thread.start()
        out = bytearray()
        try:
            while data := channel.recv(_CHUNK):
                channel.settimeout(left_s())
                out += data
                if len(out) > most:
                    raise RemoteFailed(
                        f"{self.name}: {argv[0]} printed more than {most:,} bytes\n"
                        "    is something else in its place there?"
                    )
            if not channel.status_event.wait(left_s()):
                raise TimeoutError
            threads[0].join(left_s())  # its standard error came before this
            code = channel.recv_exit_status()
            if code == -1:
                raise _lost(self.name, EOFError("before the command's end"))
            return Ran(code, bytes(out), bytes(errors))
        except TimeoutError:
            raise RemoteFailed(
                f"{self.name}: {argv[0]} said nothing for {timeout_s:g} s, or did not end within "
                f"{SLOWNESS * timeout_s:g} s, and was ended\n"
                "    look at the gateway's load and disk"
            ) from None
        finally:
            channel.close()

    def script(
        self,
        text: str,
        *operands: str,
        given: bytes = b"",
        timeout_s: float = 60.0,
        most: int = MOST_OUTPUT,
    ) -> Ran:
        """Run a POSIX shell script with operands ($1, ...); see `run`."""
        return self.run(["sh", "-c", text, "sh", *operands], given, timeout_s, most)

    def streams(self, argv: Sequence[str]) -> Streams:
        """Start a command and talk to it. Raises NoConnection."""
        channel = self._channel(argv)
        return Streams(channel.makefile_stdin("wb"), channel.makefile("rb"), channel.makefile_stderr("rb"))

    def close(self) -> None:
        """End the connection."""
        self._client.close()

    def forward(self, host: str, port: int) -> paramiko.Channel:
        """Return a connection from there to another server. Raises NoConnection."""
        try:
            return self._transport().open_channel(
                "direct-tcpip", (host, port), ("127.0.0.1", 0), timeout=CONNECT_S
            )
        except (paramiko.SSHException, EOFError) as error:
            raise NoConnection(
                f"{self.name} does not reach {host}, port {port}: {shown(error)}\n"
                "    check the address, and that its sshd allows forwarding (AllowTcpForwarding)"
            ) from None

    def _channel(self, argv: Sequence[str]) -> paramiko.Channel:
        try:
            channel = self._transport().open_session(timeout=CONNECT_S)
            timer = threading.Timer(CONNECT_S, channel.close)  # the library would wait for ever
            timer.daemon = True
            timer.start()
            try:
                channel.exec_command(shlex.join(argv))
            finally:
                timer.cancel()
            return channel
        except (paramiko.SSHException, EOFError, OSError) as error:
            raise _lost(self.name, error) from None

    def _transport(self) -> paramiko.Transport:
        transport = self._client.get_transport()  # asked once: another thread may close the client
        if transport is None or not transport.is_active():
            raise EOFError("it was closed")
        return transport


def _lost(name: str, error: Exception) -> NoConnection:
    return NoConnection(
        f"{name}: the connection was lost ({why(error)})\n"
        "    run the same command again: it goes on from there"
    )


def _feed(channel: paramiko.Channel, given: bytes) -> None:
    with suppress(OSError, EOFError):  # the command ended without reading all of it: its exit code says why
        for at in range(0, len(given), _CHUNK):
            channel.sendall(given[at : at + _CHUNK])
        channel.shutdown_write()


def _drain(channel: paramiko.Channel, errors: bytearray, most: int) -> None:
    """Read standard error and keep its beginning, because a full window would stop the command."""
    with suppress(OSError, EOFError):
        while data := channel.recv_stderr(_CHUNK):
            errors += data[: max(0, most - len(errors))]


class Network:
    """The connections to a lab's servers: one to each, opened when it is first needed. A context manager."""

    def __init__(self, known_hosts: Path, connect_s: float = CONNECT_S):
        self.known_hosts, self._connect_s = known_hosts, connect_s
        self._hosts: dict[str, Host] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> Network:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def host(self, endpoint: Endpoint) -> Host:
        """Return the connection to a server, opened anew if it was lost.

        Raises NoConnection and its kinds.
        """
        with self._lock:
            lock = self._locks.setdefault(endpoint.name, threading.Lock())
        with lock:
            found = self._hosts.get(endpoint.name)
            if found is None or not found.alive:
                found = self._hosts[endpoint.name] = connect(
                    endpoint, self.known_hosts, self._through(endpoint), self._connect_s
                )
            return found

    def shown_key(self, endpoint: Endpoint) -> ShownKey:
        """Return the host key that a server shows, whatever is recorded of it.

        Raises NoConnection: also if its jump host isn't trusted.
        """
        types = tuple(recorded_keys(endpoint, self.known_hosts))
        return shown_key(endpoint, self._through(endpoint), self._connect_s, types)

    def close(self) -> None:
        """End all connections, those through jump hosts first."""
        with self._lock:
            hosts, self._hosts = list(self._hosts.values()), {}
        for host in reversed(hosts):
            host.close()

    def _through(self, endpoint: Endpoint) -> paramiko.Channel | None:
        if endpoint.jump is None:
            return None
        return self.host(endpoint.jump).forward(endpoint.host, endpoint.port)


def together(
    items: Iterable[_Item], work: Callable[[_Item], _Made], most: int = MOST_AT_ONCE
) -> list[_Made | LabError]:
    """Call `work` for each item, many at a time; return its results or LabErrors in the items' order.

    Any other exception is raised, when all have ended.
    """
    listed = list(items)

    def one(item: _Item) -> _Made | LabError:
        try:
            return work(item)
        except LabError as error:
            return error

    with ThreadPoolExecutor(max(1, min(most, len(listed)))) as pool:
        return list(pool.map(one, listed))


def connect(
    endpoint: Endpoint,
    known_hosts: Path,
    through: paramiko.Channel | None = None,
    connect_s: float = CONNECT_S,
) -> Host:
    """Log in to a server whose host key is recorded. Raises NoConnection and its kinds."""
    client = paramiko.SSHClient()
    for kind, each in recorded(endpoint, known_hosts).items():
        client.get_host_keys().add(endpoint.address, kind, each)
    client.set_missing_host_key_policy(_Refuse(endpoint, known_hosts))
    key, locked = _private(endpoint)
    try:
        if through is None:
            through = socket.create_connection((_ascii(endpoint.host), endpoint.port), connect_s)
        client.connect(
            endpoint.host,
            endpoint.port,
            endpoint.user or getpass.getuser(),
            pkey=key,
            look_for_keys=endpoint.key is None,
            sock=through,
            timeout=connect_s,
            banner_timeout=connect_s,
            auth_timeout=connect_s,
            channel_timeout=connect_s,
        )
    except paramiko.BadHostKeyException as error:
        client.close()
        raise changed(endpoint, error) from None
    except LabError:
        client.close()
        raise
    except (paramiko.SSHException, OSError, EOFError) as error:
        client.close()
        raise not_in(endpoint, error, locked) from None
    transport = client.get_transport()
    assert transport is not None
    transport.set_keepalive(KEEPALIVE_S)
    return Host(endpoint.name, client)


def _ascii(host: str) -> str | bytes:
    """Return the name in a form for which Python loads no international names, which takes 50 ms."""
    return host.encode("ascii") if host.isascii() else host


def _private(endpoint: Endpoint) -> tuple[paramiko.PKey | None, bool]:
    """Return the inventory's private key, and whether it has a passphrase, so that the agent must have it."""
    if endpoint.key is None:
        return None, False
    try:
        return paramiko.PKey.from_path(endpoint.key), False
    except (
        paramiko.PasswordRequiredException,
        TypeError,
    ):  # the library cryptography raises it for a passphrase
        return None, True
    except OSError as error:
        why = error.strerror or "it can't be read"
    except (paramiko.SSHException, paramiko.pkey.UnknownKeyType, ValueError):
        why = "it isn't a private key"
    raise NoConnection(
        f"{endpoint.name}: the private key {endpoint.key}: {why}\n    correct `key` in the inventory"
    ) from None


class _Refuse(paramiko.MissingHostKeyPolicy):
    """Refuses servers without a recorded key before the login."""

    def __init__(self, endpoint: Endpoint, known_hosts: Path):
        self.endpoint, self.known_hosts = endpoint, known_hosts

    def missing_host_key(self, client: paramiko.SSHClient, hostname: str, key: paramiko.PKey) -> None:
        raise HostKeyUnknown(
            f"{self.endpoint.name} ({self.endpoint.address}) has a host key that nobody has recorded: "
            f"{key.get_name()} {key.fingerprint}\n    compare it with what `ssh-keygen -lf` prints on it, "
            "then run `orchestrate testbed trust --record`"
        )
