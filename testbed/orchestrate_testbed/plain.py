# SPDX-License-Identifier: Apache-2.0
"""A gateway without Python: sshd, a POSIX shell, stty and cat log the motes; tail and head bring the logs.

What is lost against the daemon, and can't be helped: the gateway stamps nothing. The controller fetches what
is new again and again (`pull`), and a line's time lies between the fetch that brought it and the one before.
The files that `pull` writes are segments as the daemon's, with the controller's clock, so that `merge` reads
them. Flashing, forwarding and services need the daemon.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrate_testbed.client import GatewayError, Refused, Unreliable
from orchestrate_testbed.clock_fit import ClockFit
from orchestrate_testbed.gateway import protocol
from orchestrate_testbed.gateway_log import Chunk, Torn, records
from orchestrate_testbed.untrusted import shown

if TYPE_CHECKING:
    from orchestrate_testbed.ssh import Host

BOOT = "controller"  # the owner of the clock in the segments' notes
AT_ONCE = 512 * 1024  # bytes of one fetch

# $1 folder, $2 mote, $3 device, $4 baud. A process that has the device open for reading is named: its flags
# in fdinfo are octal, and 1 at their end is "for writing only". The port is open, as the loop's descriptor 3,
# before this says so: what a mote prints from then on is logged. `stty -F` comes first, as it alone opens
# a line without carrier at once. A subshell opens the port, as a failed `exec` ends its shell.
OPEN = r"""
set -u; umask 077; mkdir -p "$1" || exit 9; cd "$1" || exit 9
[ -e "$3" ] || { printf '%s\n' "no-device $3 isn't there"; exit 3; }
if [ -e "$2.pid" ]; then
  case "$(cat "/proc/$(cat "$2.pid")/cmdline" 2>/dev/null)" in *"$1/$2"*) echo open; exit 0;; esac
fi
for f in /proc/[0-9]*/fd/*; do
  if [ "$f" -ef "$3" ]; then
    p=${f#/proc/}; p=${p%%/*}
    while read -r key value; do case "$key$value" in flags:*[15]) continue 2;; esac; done \
      < "/proc/$p/fdinfo/${f##*/}"
    printf '%s\n' "port-held $3 is in use by process $p ($(cat /proc/$p/comm)); a port has one reader"; exit 3
  fi
done
stty -F "$3" "$4" raw -echo -hupcl clocal || { printf '%s\n' "no-device $3 can't be set to $4 baud"; exit 3; }
( exec 3< "$3" || exit 1
  sh -c '
    trap "" HUP; trap "kill \$!; exit 0" TERM
    cat <&3 >> "$3.raw" & wait $!
    exec 3<&-
    while :; do
      printf '%s\n' "$(date +%s) $1 closed"; sleep 1
      stty -F "$1" "$2" raw -echo -hupcl clocal && { cat "$1" >> "$3.raw" & wait $!; }
    done' sh "$3" "$4" "$1/$2" < /dev/null >> "$2.err" 2>&1 &
  echo $! > "$2.pid"
) || { printf '%s\n' "no-device $3 can't be opened"; exit 3; }
echo open
"""
CLOSE = r"""
cd "$1" 2>/dev/null || exit 0
for f in ${2:-*}.pid; do
  [ -e "$f" ] || continue
  p=$(cat "$f"); m=${f%.pid}
  case "$(cat "/proc/$p/cmdline" 2>/dev/null)" in *"$1/$m"*) kill "$p";; esac
done
"""
# A line for each mote: name, bytes, whether its loop lives, and what went wrong last.
STATUS = r"""
cd "$1" 2>/dev/null || exit 0
for f in *.pid; do
  [ -e "$f" ] || continue
  m=${f%.pid}; p=$(cat "$f"); alive=gone
  case "$(cat "/proc/$p/cmdline" 2>/dev/null)" in *"$1/$m"*) alive=open;; esac
  size=0; [ -e "$m.raw" ] && size=$(wc -c < "$m.raw")
  printf '%s\n' "$m $size $alive $(tail -n 1 "$m.err" 2>/dev/null)"
done
"""
KEEP = 'umask 077; mkdir -p "$1" && cat > "$1/run.json.new" && mv -f "$1/run.json.new" "$1/run.json"'
KEPT = 'cat "$1/run.json" 2>/dev/null; exit 0'
FETCH = 'tail -c "+$2" "$1" | head -c "$3"'


@dataclass(frozen=True)
class PlainPort:
    """A mote's port as the gateway sees it."""

    bytes: int
    open: bool
    said: str  # the last thing that went wrong


@dataclass
class Plain:
    """Logging on one gateway, in its own folder there (an absolute path)."""

    host: Host
    root: str
    baud: dict[str, int] = field(default_factory=dict)
    _slowest_us: int = 0  # the longest time between two fetches of a mote
    _last_us: dict[str, int] = field(default_factory=dict)

    def open(self, run: str, mote: str, device: str, baud: int) -> None:
        """Begin to log a mote; nothing changes if it is logged already."""
        said = self._script(OPEN, self._folder(run), _name(mote), device, str(baud))
        kind, _, text = said.partition(" ")
        if kind != "open":
            raise Refused(self.host.name, kind or "shell", text or "its shell can't log")
        self.baud[mote] = baud
        self._last_us[mote] = _now_us()

    def close(self, run: str, mote: str | None = None) -> None:
        """End the logging of a mote, or of the run; the logs stay."""
        self._script(CLOSE, self._folder(run), *([] if mote is None else [_name(mote)]))

    def status(self, run: str) -> dict[str, PlainPort]:
        """Return the motes that are being logged."""
        found = {}
        for line in self._script(STATUS, self._folder(run)).splitlines():
            match = re.fullmatch(r"(\S+) (\d{1,18}) (open|gone) ?(.*)", line)
            if match is None or not protocol.NAME.match(match[1]):
                raise Unreliable(self.host.name, "status", f"its list of motes can't be read: {line}")
            found[match[1]] = PlainPort(int(match[2]), match[3] == "open", match[4])
        return found

    def pull(self, run: str, folder: Path, motes: Iterable[str] | None = None) -> int:
        """Fetch what is new into segments of the folder; return how many bytes came."""
        folder.mkdir(parents=True, exist_ok=True)
        came = 0
        for mote, port in self.status(run).items():
            if motes is None or mote in motes:
                came += self._pull(run, mote, port.bytes, folder)
        return came

    def missing(self, run: str) -> list[str]:
        """Return what the logs can't show: a sentence for each mote whose port was closed."""
        end = "a line that this cut was joined with the next"
        return [
            f"{mote}'s port was closed at least once, and {end}: {shown(port.said)}."
            for mote, port in self.status(run).items()
            if port.said
        ]

    def keep(self, run: str, text: str) -> None:
        """Keep a text with a run, until the run is removed."""
        if self.host.script(KEEP, self._folder(run), given=text.encode("ascii")).code != 0:
            raise Refused(self.host.name, "disk", "the record of a run can't be written")

    def kept(self, run: str) -> str:
        """Return what was kept with a run; empty if nothing was."""
        return self._script(KEPT, self._folder(run))

    def remove(self, run: str) -> None:
        """End all logging of a run, and remove its logs from the gateway."""
        self.close(run)
        self._script('rm -rf "$1"', self._folder(run))

    def clock(self) -> ClockFit:
        """Return the segments' clock, the controller's; lines are off by the time between two fetches."""
        return ClockFit(BOOT, 0, 1 << 62, 0.0, 0.0, float(self._slowest_us), 0)

    def _pull(self, run: str, mote: str, size: int, folder: Path) -> int:
        have = came = 0
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        path = folder / f"{_name(mote)}.1.log"
        with os.fdopen(os.open(path, flags, 0o644), "r+b", buffering=0) as file:
            content, cut = file.read(), 0
            for record in records(content):
                have += len(record.content) if isinstance(record, Chunk) else 0
                cut += len(record.content) if isinstance(record, Torn) else 0  # by a crash of the controller
            file.seek(len(content) - cut)
            file.truncate()
            if not content:
                baud = self.baud.get(mote, 0)
                file.write(b'!%d %d {"baud":%d,"boot":"controller","event":"open"}\n' % (*_clocks(), baud))
            while have + came < size:
                place = f"{self._folder(run)}/{mote}.raw"
                part = self._bytes(FETCH, place, str(have + came + 1), str(AT_ONCE))
                if not part:
                    break
                file.write(b"@%d %d %d\n%b\n" % (*_clocks(), len(part), part))
                came += len(part)
        now = _now_us()
        self._slowest_us = max(self._slowest_us, now - self._last_us.get(mote, now))
        self._last_us[mote] = now
        return came

    def _folder(self, run: str) -> str:
        return f"{self.root}/{_name(run)}"

    def _script(self, text: str, *operands: str) -> str:
        return self._bytes(text, *operands, codes=(0, 3)).decode("utf-8", "replace").rstrip("\n")

    def _bytes(self, text: str, *operands: str, codes: tuple[int, ...] = (0,)) -> bytes:
        ran = self.host.script(text, *operands)
        if ran.code not in codes:
            raise GatewayError(self.host.name, "shell", f"its shell ended with exit code {ran.code}")
        return ran.out


def _name(of: str) -> str:
    if not protocol.NAME.match(of):
        raise ValueError(f"{of!r} is no name of a run or a mote")
    return of


def _now_us() -> int:
    return time.monotonic_ns() // 1000


def _clocks() -> tuple[int, int]:
    return _now_us(), time.time_ns() // 1000
