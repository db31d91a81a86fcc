# SPDX-License-Identifier: Apache-2.0
"""Brings files to gateways by the digest of their content: once, continued after a cut, and proven.

A gateway proves that it has a file by the SHA-256 of a fresh nonce and the content. One that merely repeats
checksums is found out.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from orchestrate_testbed.errors import Lied, RemoteFailed
from orchestrate_testbed.gateway import protocol
from orchestrate_testbed.ssh import Host
from orchestrate_testbed.untrusted import shown

_MOST_VALUE = 2000
_PIECE = 4 << 20  # bytes that are sent before the next look at what arrived
_BEGIN = 'rm -f "$1/store/$2.part" "$1/store/$2"; : > "$1/store/$2.part"'
_APPEND = 'cat >> "$1/store/$2.part"'
_FINISH = 'mv -f "$1/store/$2.part" "$1/store/$2"'
_REMOVE = 'rm -f "$1/store/$2.part" "$1/store/$2"'


@dataclass(frozen=True)
class Blob:
    """A file to send: its content's digest and the ending of its name, which flashing tools go by."""

    path: Path
    sha256: str
    size: int

    @property
    def name(self) -> str:
        """Its name in a gateway's store."""
        return self.sha256 + self.path.suffix.lower()

    def proof(self, nonce: str, length: int | None = None) -> str:
        """Return the answer of a gateway that has the first `length` bytes of it (None: all)."""
        digest = hashlib.sha256(nonce.encode())
        left = self.size if length is None else length
        with self.path.open("rb") as file:
            while left > 0 and (part := file.read(min(left, 1 << 20))):
                digest.update(part)
                left -= len(part)
        return digest.hexdigest()


def blob(path: Path) -> Blob:
    """Return the file as one to send."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return Blob(path, digest, file.tell())


@dataclass
class Kept:
    """What a gateway keeps for us.

    `clock_s`: its own clock. `have`: name of a file -> proof; `part`: name -> size and proof of what has
    arrived. `runs`: whose logs are there. `python`: whether it has the program that was asked for.
    """

    home: str = ""
    python: bool = False
    clock_s: int = 0
    reserved: Mapping[str, Any] | None = None
    flashed: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    failed: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    runs: list[str] = field(default_factory=list)
    have: dict[str, str] = field(default_factory=dict)
    part: dict[str, tuple[int, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Delivered:
    """The result of a transfer to a gateway: bytes that were sent, and what it keeps for us."""

    sent: int
    kept: Kept


def look(
    host: Host, root: str, names: Iterable[str] = (), nonce: str = "", python: str | None = None
) -> Kept:
    """Return what a gateway keeps, in one round trip. Raises RemoteFailed, NoConnection."""
    script = files("orchestrate_testbed").joinpath("look.sh").read_text(encoding="utf-8")
    ran = host.script(script, root, nonce, python or "", *names, timeout_s=120)
    if ran.code == 3:
        raise RemoteFailed(
            f"{host.name}: {root} is a symbolic link there\n    remove it; our folder is a folder of its own"
        )
    if ran.code != 0:
        raise RemoteFailed(
            f"{host.name}: {root} can't be used: {ran.said}\n    look at its disk and its rights"
        )
    return _kept(ran.out)


def _kept(said: bytes) -> Kept:
    kept = Kept()
    for line in said.decode("utf-8", "replace").splitlines():
        word, _, value = line.partition(" ")
        name, _, rest = value.partition(" ")
        if word == "home" and value.startswith("/") and value.isprintable():
            kept.home = value
        elif word == "python":
            kept.python = True
        elif word == "clock" and value.isdecimal():
            kept.clock_s = int(value[:15])
        elif word == "reserved":
            kept.reserved = record(value) or {}
        elif word == "flashed":
            kept.flashed[name] = record(rest)
        elif word == "failed":
            kept.failed[name] = record(rest)
        elif word == "run" and protocol.NAME.match(value):
            kept.runs.append(value)
        elif word == "have":
            kept.have[name] = rest
        elif word == "part":
            size, _, proof = rest.strip().partition(" ")
            kept.part[name] = (int(size[:15]) if size.isdecimal() else 0, proof)
    return kept


def record(text: str) -> Mapping[str, Any]:
    """Return a record of ours, whose texts may be shown; it is empty if this is none."""
    try:
        found = protocol.record(text[:_MOST_VALUE])
    except ValueError:
        return {}
    return {
        shown(key): shown(value) if isinstance(value, str) else value
        for key, value in found.items()
        if isinstance(value, str | int | float | bool)
    }


def deliver(host: Host, root: str, blobs: Iterable[Blob], python: str | None = None) -> Delivered:
    """Bring files into a gateway's store; nothing moves if it has them.

    Raises Lied, RemoteFailed, NoConnection (then the same call goes on with what has arrived).
    """
    wanted = {each.name: each for each in blobs}
    nonce = secrets.token_hex(16)
    kept = look(host, root, wanted, nonce, python)
    sent = 0
    for name, each in wanted.items():
        if kept.have.get(name) == each.proof(nonce):
            continue
        if name in kept.have:
            _run(host, _REMOVE, root, name)
        sent += _send(host, root, each, _arrived(kept, each, nonce))
    if sent:
        again = secrets.token_hex(16)
        kept = look(host, root, wanted, again, python)
        for name, each in wanted.items():
            if kept.have.get(name) != each.proof(again):
                _run(host, _REMOVE, root, name)
                raise Lied(
                    f"{host.name}: it says that it has {each.path.name}, but its answer to a question "
                    "about the content is wrong\n    its disk is faulty, or it lies about checksums"
                )
    return Delivered(sent, kept)


def _arrived(kept: Kept, each: Blob, nonce: str) -> int:
    """Return the number of bytes of an earlier transfer that are right."""
    size, proof = kept.part.get(each.name, (0, ""))
    return size if 0 < size <= each.size and each.proof(nonce, size) == proof else 0


def _send(host: Host, root: str, each: Blob, begun: int) -> int:
    if not begun:
        _run(host, _BEGIN, root, each.name)
    with each.path.open("rb") as file:
        file.seek(begun)
        while part := file.read(_PIECE):
            _run(host, _APPEND, root, each.name, given=part)
        sent = file.tell() - begun
    _run(host, _FINISH, root, each.name)
    return max(sent, 1)  # an empty file was sent too, and is to be proved


def _run(host: Host, script: str, root: str, name: str, given: bytes = b"") -> None:
    ran = host.script(script, root, name, given=given, timeout_s=120)
    if ran.code != 0:
        raise RemoteFailed(
            f"{host.name}: a file could not be written: {ran.said}\n    is its disk full? `df {root}` there"
        )
