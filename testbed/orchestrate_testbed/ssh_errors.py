# SPDX-License-Identifier: Apache-2.0
"""Turns errors of paramiko and sockets into messages that say why a server can't be used, and what to do."""

from __future__ import annotations

import getpass
import os
import socket

from orchestrate_testbed.errors import HostKeyChanged, NoConnection
from orchestrate_testbed.model import Endpoint
from orchestrate_testbed.ssh_library import paramiko
from orchestrate_testbed.untrusted import shown


def not_in(endpoint: Endpoint, error: Exception, locked: bool) -> NoConnection:
    """Return why nobody is logged in. `locked`: the key that the inventory names has a passphrase."""
    if isinstance(error, paramiko.PasswordRequiredException) or (locked and _unauthorised(error)):
        return NoConnection(
            f"{endpoint.name}: the private key {endpoint.key or 'in ~/.ssh'} has a passphrase, "
            "and no key of the agent is let in\n    give it to the agent: ssh-add"
        )
    if _unauthorised(error):
        return NoConnection(
            f"{endpoint.name}: {endpoint.user or getpass.getuser()} isn't let in ({why(error)})\n"
            "    put the public key into ~/.ssh/authorized_keys there (ssh-copy-id), or name `user` and `key`"
        )
    return silent(endpoint, error)


def _unauthorised(error: Exception) -> bool:
    return isinstance(error, paramiko.AuthenticationException) or "No authentication methods" in str(error)


def changed(endpoint: Endpoint, error: paramiko.BadHostKeyException) -> HostKeyChanged:
    """Return the error of a server with another host key than the recorded one."""
    return HostKeyChanged(
        f"{endpoint.name} ({endpoint.address}) shows another host key than the recorded one: "
        f"{error.key.get_name()} {error.key.fingerprint}, not {error.expected_key.fingerprint}\n"
        "    somebody may be in between. If it was set up anew, compare that fingerprint with what "
        f"`ssh-keygen -lf` prints on it, then run `orchestrate testbed trust --replace {endpoint.name}`"
    )


def silent(endpoint: Endpoint, error: Exception) -> NoConnection:
    """Return the error of a server that does not answer."""
    return NoConnection(
        f"{endpoint.name} ({endpoint.address}) does not answer: {why(error)}\n"
        "    check its power, its cable and `host` in the inventory"
    )


def why(error: BaseException) -> str:
    """Return the reason that an exception of sockets or paramiko gives, in few words."""
    if isinstance(error, TimeoutError | socket.timeout):
        return "nothing came in time"
    if isinstance(error, paramiko.ssh_exception.NoValidConnectionsError):
        return "; ".join(sorted({os.strerror(each.errno) for each in error.errors.values() if each.errno}))
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return shown(text[:200].strip()) or type(error).__name__
