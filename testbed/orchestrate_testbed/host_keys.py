# SPDX-License-Identifier: Apache-2.0
"""Host keys: the one that a server shows, and those that are recorded of it."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from pathlib import Path

import paramiko

from orchestrate_testbed.model import Endpoint
from orchestrate_testbed.ssh_errors import silent

CONNECT_S = 15.0  # s that a server has for each step until we are logged in


@dataclass(frozen=True)
class ShownKey:
    """A host key as a server showed it; `base64` as known_hosts files have it, `fingerprint` as
    `ssh-keygen -l` prints it (SHA256:...).
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
    """The host key that a server shows, of a preferred type if it has one; nobody logs in.

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


def recorded_keys(endpoint: Endpoint, known_hosts: Path) -> dict[str, str]:
    """The recorded keys of a server: type -> fingerprint."""
    if not known_hosts.exists():
        return {}
    found = paramiko.HostKeys(str(known_hosts)).lookup(endpoint.address)
    return {} if found is None else {kind: key.fingerprint for kind, key in found.items()}
