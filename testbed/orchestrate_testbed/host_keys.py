# SPDX-License-Identifier: Apache-2.0
"""Host keys: the one that a server shows, and those that are recorded for it."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from pathlib import Path

from orchestrate_testbed.model import Endpoint
from orchestrate_testbed.ssh_errors import silent
from orchestrate_testbed.ssh_library import paramiko

HostKeyEntry = paramiko.hostkeys.HostKeyEntry
InvalidHostKey = paramiko.hostkeys.InvalidHostKey

CONNECT_S = 15.0  # seconds for each step of a server until we are logged in


@dataclass(frozen=True)
class ShownKey:
    """A host key as a server showed it.

    `base64` as known_hosts files have it, `fingerprint` as `ssh-keygen -l` prints it (SHA256:...).
    """

    type: str
    base64: str
    fingerprint: str


def shown_key(
    endpoint: Endpoint,
    through: paramiko.Channel | None = None,
    connect_s: float = CONNECT_S,
    preferred: tuple[str, ...] = (),
) -> ShownKey:
    """Return the host key that a server shows, of a preferred type if it has one; nobody logs in.

    Raises NoConnection.
    """
    transport = None
    try:
        link = through or socket.create_connection((endpoint.host, endpoint.port), connect_s)
        transport = paramiko.Transport(link)
        transport.banner_timeout = connect_s
        options = transport.get_security_options()
        options.key_types = sorted(options.key_types, key=lambda kind: not _of_type(kind, preferred))
        transport.start_client(timeout=connect_s)
        key = transport.get_remote_server_key()
    except (paramiko.SSHException, OSError, EOFError) as error:
        raise silent(endpoint, error) from None
    finally:
        if transport is not None:
            transport.close()
    return ShownKey(key.get_name(), key.get_base64(), key.fingerprint)


def _of_type(algorithm: str, types: tuple[str, ...]) -> bool:
    """Whether a signature algorithm is one of these types of keys; ssh-rsa keys sign with rsa-sha2-*."""
    return algorithm in types or (algorithm.startswith("rsa-sha2-") and "ssh-rsa" in types)


def recorded(endpoint: Endpoint, known_hosts: Path) -> dict[str, paramiko.PKey]:
    """Return the recorded keys of a server, by type.

    Lines of other servers are not parsed: of many gateways that would take a time which grows with the square
    of their number.
    """
    if not known_hosts.exists():
        return {}
    address, found = endpoint.address, {}
    for line in known_hosts.read_text(encoding="utf-8", errors="replace").splitlines():
        names = (line.split(maxsplit=1) or [""])[0].split(",")
        if not any(
            name == address or (name.startswith("|1|") and paramiko.HostKeys.hash_host(address, name) == name)
            for name in names
        ):
            continue
        try:
            entry = HostKeyEntry.from_line(line.strip())
        except (paramiko.SSHException, InvalidHostKey):
            continue
        if entry is not None:
            found.setdefault(entry.key.get_name(), entry.key)
    return found


def recorded_keys(endpoint: Endpoint, known_hosts: Path) -> dict[str, str]:
    """Return the recorded keys of a server: type -> fingerprint."""
    return {kind: key.fingerprint for kind, key in recorded(endpoint, known_hosts).items()}
