# SPDX-License-Identifier: Apache-2.0
"""A gateway while it is in use: its connection, its daemon, and our records there."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from typing import Any

from orchestrate_testbed import plain_flash, zipapp
from orchestrate_testbed.client import Daemon, Lost
from orchestrate_testbed.errors import NoConnection, RemoteFailed
from orchestrate_testbed.gateway.flashing.tool import Job
from orchestrate_testbed.model import Gateway, Mote
from orchestrate_testbed.ssh import Host, Network, Streams
from orchestrate_testbed.transfer import Blob, Delivered, Kept, blob, deliver
from orchestrate_testbed.untrusted import shown

STARTS_S = 5.0  # for a daemon that can't start to end
STORE = "../store"  # the path of our folder, relative to the daemon's
# $1: Python; $2: the daemon; $3: its folder. Ask the one that runs, or start it first.
_ASK = '"$1" "$2" ask "$3" 2>/dev/null || { "$1" "$2" start "$3" >/dev/null && exec "$1" "$2" ask "$3"; }'
# Lines `kind mote json`: each becomes the record of that mote, and those of "flashed" a line of the history.
_RECORD = """
root=$1
umask 077
while read -r kind mote text; do
  if [ -z "$text" ]; then rm -f "$root/state/$kind/$mote"; continue; fi
  printf '%s\\n' "$text" > "$root/state/$kind/.$mote" || exit 1
  mv -f "$root/state/$kind/.$mote" "$root/state/$kind/$mote" || exit 1
  [ "$kind" = flashed ] && printf '%s\\n' "$text" >> "$root/state/history.jsonl"
done
exit 0
"""


@cache
def _program() -> Blob:
    """Return the daemon's program."""
    return blob(zipapp.packed())


class AtGateway:
    """One gateway with our daemon. This is a context manager; the daemon goes on after it."""

    def __init__(self, gateway: Gateway, network: Network):
        self.gateway, self._network = gateway, network
        self.plain = gateway.python is None  # sshd, stty and cat then do what they can of the daemon's work
        self._daemon: Daemon | None = None
        self._streams: Streams | None = None
        self.kept = Kept()

    def __enter__(self) -> AtGateway:
        return self

    def __exit__(self, *_: object) -> None:
        self.disconnect()

    @property
    def host(self) -> Host:
        """The connection, opened anew if it was lost. Raises NoConnection."""
        return self._network.host(self.gateway.ssh)

    @property
    def root(self) -> str:
        return self.gateway.root

    @property
    def found_plain(self) -> bool:
        """Whether it turned out to have no Python, though the inventory names one."""
        return self.plain and self.gateway.python is not None

    def deliver(self, blobs: Iterable[Blob]) -> Delivered:
        """Bring files and the daemon there, and find out whether it has Python; see transfer.deliver."""
        wanted = [*blobs] if self.plain else [*blobs, _program()]
        try:
            done = deliver(self.host, self.root, wanted, self.gateway.python)
        # a broken connection is opened again, and the transfer goes on with what has arrived
        except NoConnection:
            done = deliver(self.host, self.root, wanted, self.gateway.python)
        self.kept = done.kept
        self.plain = self.plain or not done.kept.python
        return done

    def device(self, mote: Mote) -> str:
        """Return the path of a mote's device, as any program there sees it."""
        return mote.device if mote.device.startswith("/") else f"{self.kept.home}/{mote.device}"

    @property
    def daemon(self) -> Daemon:
        """Return the gateway's daemon, started if it doesn't run or has another version. Raises LabError."""
        if self._daemon is None:
            self._daemon = self._connected()
        return self._daemon

    def call(self, word: str) -> Streams:
        """Start our program there, with that word of its command line. Raises LabError."""
        return self.host.streams([*self._program(), word])

    def _program(self) -> list[str]:
        """Return what runs our program there, which is brought there first. Raises LabError."""
        python = self.gateway.python
        if not self.kept.home:
            self.deliver([])
        if self.plain or python is None:
            raise RemoteFailed(
                f"{self.gateway.name} has no Python, so our program can't run there, which forwards ports "
                "and runs services\n    install Python 3.7 or later on it, or take another gateway for that"
            )
        # Absolute, as the daemon stands in a folder of its own.
        return [python, f"{self.kept.home}/{self.root}/store/{_program().name}"]

    def _connected(self) -> Daemon:
        packed = _program()
        operands = [*self._program(), f"{self.kept.home}/{self.root}/daemon"]
        for last in (False, True):
            self._streams = self.host.streams(["sh", "-c", _ASK, "sh", *operands])
            streams = self._streams
            daemon = Daemon(streams.stdout, streams.stdin, self.gateway.name, streams.close)  # type: ignore[arg-type]
            try:
                digest = daemon.ask("hello").get("daemon")
            except Lost as lost:
                if lost.kind == "late":
                    raise
                streams.wait(STARTS_S)  # then its standard error has come
                streams.close()
                output = streams.stderr.read(4096).decode("utf-8", "replace").strip()
                raise RemoteFailed(
                    f"{self.gateway.name}: the daemon does not start: {shown(output)}\n"
                    f"    look at {self.root}/daemon/daemon.errors there"
                ) from None
            if last or digest == packed.sha256:
                daemon.hello()
                return daemon
            daemon.stop()  # of another version; its logs stay
            self._streams.close()
        raise AssertionError

    def disconnect(self) -> None:
        """Leave the daemon alone; the next use connects again."""
        self._daemon = None
        if self._streams is not None:
            self._streams.close()
            self._streams = None

    def again(self) -> Daemon:
        """Return the daemon over a new connection, after one was lost. Raises LabError."""
        self.disconnect()
        return self.daemon

    def end(self) -> None:
        """Stop the daemon if one is connected and has no logs that are still to be collected."""
        if self._daemon is not None:
            with suppress(Lost):  # it ended before it could answer
                if not self._daemon.runs():
                    self._daemon.stop()
        self.disconnect()

    def flash(
        self, tool: str, mote: Mote, firmware: str, image: str, options: dict[str, Any]
    ) -> dict[str, Any]:
        """Load files of the store into a mote; the answer's `failure` is empty if that worked.

        Raises LabError.
        """
        store = f"{self.kept.home}/{self.root}/store" if self.plain else STORE
        device = self.device(mote)
        job = Job(f"{store}/{firmware}", device, f"{store}/{image}" if image else "", options)
        if self.plain:
            return plain_flash.flash(self.host, tool, job)
        sha256 = firmware.partition(".")[0]  # files of the store are named by their content
        return self.daemon.flash(tool, job, sha256, baud=mote.baud)

    def send_image(self, mote: Mote, image: str) -> str:
        """Send a mote an image of the store by its serial line; return why that failed, or "".

        Raises LabError.
        """
        return self.daemon.image(self.device(mote), f"{STORE}/{image}", mote.baud)

    def record(self, records: Iterable[tuple[str, str, Mapping[str, Any] | None]]) -> None:
        """Keep records there: (kind, mote, values; None removes the record). Raises LabError."""
        lines = "".join(
            f"{kind} {mote} {'' if values is None else json.dumps(values, sort_keys=True)}\n"
            for kind, mote, values in records
        )
        if not lines:
            return
        ran = self.host.script(_RECORD, self.root, given=lines.encode("ascii"))
        if ran.code != 0:
            raise RemoteFailed(
                f"{self.gateway.name}: our records could not be written: {ran.said}\n    is its disk full?"
            )

    def commands(self, calls: Mapping[str, list[str]], timeout_s: float = 60) -> dict[str, str]:
        """Run a command for each of several motes, all at once; return why it failed, by mote."""
        if not calls:
            return {}
        text = "".join(
            f'( {shlex.join(words)} >/dev/null 2>&1; echo "{mote} $?" ) &\n' for mote, words in calls.items()
        )
        ran = self.host.script(text + "wait\n", timeout_s=timeout_s)
        lines = ran.out.decode("utf-8", "replace").splitlines()
        codes = dict(line.split(" ", 1) for line in lines if " " in line)
        return {mote: f"exit code {shown(codes.get(mote, '?'))}" for mote in calls if codes.get(mote) != "0"}
