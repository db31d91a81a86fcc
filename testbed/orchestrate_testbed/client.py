# SPDX-License-Identifier: Apache-2.0
"""The controller's end of a gateway daemon, over any pair of byte streams.

What a gateway sends is not trusted: its lines are bounded, its answers are checked, and its texts are
escaped before they are shown.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple

from orchestrate_testbed.errors import LabError, Lied, NoConnection
from orchestrate_testbed.gateway import protocol
from orchestrate_testbed.gateway.flashing.tool import Job
from orchestrate_testbed.model import USUAL_BAUD
from orchestrate_testbed.untrusted import shown

ANSWER_S = 30.0  # for an answer; a gateway that writes to a slow card takes some seconds
DIGEST_BYTES_PER_S = 1_000_000  # a slow card; for the digest of a long log
LINK_BYTES_PER_S = 4_000  # a slow link, for a part of a log
IMAGE_S = 600.0  # for an image by the serial line: a mote that doesn't answer is given up after 60 s


class GatewayError(LabError):
    """An error at one gateway; `kind` is a word for programs."""

    def __init__(self, gateway: str, kind: str, text: str):
        super().__init__(f"{gateway}: {shown(text)}")
        self.gateway = gateway
        self.kind = kind if kind.isidentifier() or kind.replace("-", "").isalnum() else "unknown"
        self.text = shown(text)


class Lost(GatewayError, NoConnection):
    """The connection is gone; the daemon may live on."""


class Refused(GatewayError):
    """The daemon can't do what was asked."""


class Unreliable(GatewayError, Lied):
    """An answer that can't be true: a checksum that doesn't fit, a field that is missing."""


@dataclass(frozen=True)
class ClockPair:
    """One question for the time: the controller's clock before and after, the gateway's between, in us."""

    asked_us: int
    received_us: int
    sent_us: int
    answered_us: int
    wall_us: int
    boot: str

    @property
    def delay_us(self) -> int:
        """The delay of the question and its answer together, us."""
        return (self.answered_us - self.asked_us) - (self.sent_us - self.received_us)

    @property
    def offset_us(self) -> float:
        """By how much the gateway's monotonic clock is ahead, us; the error is at most half the delay."""
        return ((self.received_us - self.asked_us) + (self.sent_us - self.answered_us)) / 2


class Segment(NamedTuple):
    """A part of a mote's log on a gateway."""

    mote: str
    number: int  # from 1 on
    size: int  # bytes so far

    @property
    def file(self) -> str:
        """Its name here, once it was fetched."""
        return f"{self.mote}.{self.number}.log"


class Daemon:
    """A gateway daemon at the other end of `reader` and `writer` (of `gateway.pyz ask ROOT`).

    Requests of several threads are sent one after the other; for requests side by side, open another
    connection. `hang_up` ends the connection from any thread; it is called when a whole answer has not come
    within its time, however much of it has. Without it, answers may take for ever.
    """

    def __init__(
        self,
        reader: BinaryIO,
        writer: BinaryIO,
        name: str = "gateway",
        hang_up: Callable[[], object] | None = None,
    ):
        self.name = name
        self._hang_up = hang_up
        self._reader = reader
        self._writer = writer
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def hello(self) -> dict[str, Any]:
        """Ask who answers. Another version of the protocol is refused."""
        found = self.ask("hello")
        if found.get("protocol") != protocol.VERSION:
            text = (
                f"its daemon speaks version {found.get('protocol')} of the protocol, not {protocol.VERSION}"
            )
            raise Refused(self.name, "version", text)
        return found

    def clock(self) -> ClockPair:
        """Return one pair for a clock fit (clock_fit.py)."""
        with self._lock:
            asked = time.monotonic_ns() // 1000
            found = self._ask("clock", {})
            answered = time.monotonic_ns() // 1000
        times = [self._number(found, key) for key in ("received_us", "sent_us", "wall_us")]
        if times[1] < times[0] or times[1] - times[0] > answered - asked:
            raise Unreliable(
                self.name, "clock", "its clock went backwards, or slower than ours, in one answer"
            )
        return ClockPair(asked, times[0], times[1], answered, times[2], self._text(found, "boot"))

    def open(self, run: str, mote: str, device: str, baud: int) -> dict[str, Any]:
        """Begin to log a mote; nothing changes if it is logged already."""
        return self.ask("open", run=run, mote=mote, device=device, baud=baud)

    def close(self, run: str, mote: str | None = None) -> None:
        """End the logging of a mote, or of the run."""
        self.ask("close", run=run, **({} if mote is None else {"mote": mote}))

    def status(self, run: str | None = None) -> dict[str, Any]:
        """Return `alarms`, `free` and `used` bytes, and `runs`; of one run its `motes` (ports, segments)."""
        return self.ask("status", **({} if run is None else {"run": run}))

    def segments(self, run: str) -> list[Segment]:
        """Return the parts of all logs of a run."""
        found = []
        motes = self.status(run).get("motes")
        for mote, of in (motes if isinstance(motes, dict) else {}).items():
            listed = of.get("segments") if isinstance(of, dict) else None
            for each in listed if isinstance(listed, list) else ():
                if not (
                    protocol.NAME.match(mote)
                    and isinstance(each, list)
                    and [type(one) for one in each] == [int, int]
                    and 0 < each[0] < 10**6
                    and each[1] >= 0
                ):
                    raise Unreliable(self.name, "status", "its list of logs has no names and sizes")
                found.append(Segment(mote, *each))
        return sorted(found)

    def unwritten(self, run: str) -> dict[str, int]:
        """Return the bytes of closed logs that the gateway's disk never took, by mote."""
        motes = self.status(run).get("motes")
        found = motes.items() if isinstance(motes, dict) else ()
        lost = {mote: of.get("unwritten") for mote, of in found if isinstance(of, dict)}
        return {mote: each for mote, each in lost.items() if isinstance(each, int) and each > 0}

    def write(self, run: str, mote: str, content: bytes) -> None:
        """Send bytes to a mote's serial port."""
        self.ask("write", run=run, mote=mote, data=protocol.packed(content))

    def fetch(
        self, run: str, mote: str, segment: int, offset: int, length: int = protocol.MOST_FETCHED
    ) -> bytes:
        """Return bytes of a log from an offset on, with a verified checksum; empty at its present end."""
        asked = {"run": run, "mote": mote, "segment": segment, "offset": offset, "length": length}
        found = self.ask("fetch", ANSWER_S + length / LINK_BYTES_PER_S, **asked)
        try:
            content = base64.b64decode(self._text(found, "data"), validate=True)
        except (ValueError, binascii.Error):
            content = None
        digest = hashlib.sha256(content or b"").hexdigest()
        if content is None or len(content) > length or digest != found.get("sha256"):
            text = (
                f"the checksum of {mote}'s log isn't that of what it sent (segment {segment}, byte {offset})"
            )
            raise Unreliable(self.name, "checksum", text)
        return content

    def digest(self, run: str, mote: str, segment: int, length: int) -> str:
        """Return the SHA-256 of the first bytes of a log, as the gateway computes it."""
        limit_s = ANSWER_S + length / DIGEST_BYTES_PER_S
        found = self.ask("digest", limit_s, run=run, mote=mote, segment=segment, length=length)
        return self._text(found, "sha256")

    def remove(self, run: str) -> None:
        """Remove a run's logs from the gateway."""
        self.ask("remove", run=run)

    def runs(self) -> list[str]:
        """Return the runs of which the gateway has logs or a kept text."""
        found = self.status().get("runs")
        if not isinstance(found, list) or not all(
            isinstance(e, str) and protocol.NAME.match(e) for e in found
        ):
            raise Unreliable(self.name, "status", "its list of runs has no names")
        return found

    def keep(self, run: str, text: str) -> None:
        """Keep a text with a run, until the run is removed."""
        self.ask("keep", run=run, text=text)

    def kept(self, run: str) -> str:
        """Return what was kept with a run; empty if nothing was."""
        return self._text(self.ask("kept", run=run), "text")

    def forward(
        self, run: str, mote: str, port: int = 0, manner: str = "raw", address: str = "127.0.0.1"
    ) -> dict[str, Any]:
        """Offer a mote's port on TCP; the answer has its `port`."""
        return self.ask("forward", run=run, mote=mote, port=port, manner=manner, address=address)

    def serve(self, run: str, motes: list[str], service: str, settings: dict[str, Any]) -> None:
        """Start a service (`event-service`) on base stations of a run; it ends with the run's logging."""
        self.ask("serve", run=run, motes=motes, service=service, settings=settings)

    def flash(
        self, tool: str, job: Job, sha256: str, timeout_s: int = 300, baud: int = USUAL_BAUD
    ) -> dict[str, Any]:
        """Load firmware into a mote; `failure` is empty if that worked. `sha256`: of the firmware.

        An image that the tool can't write goes by the serial line, at `baud`.
        """
        asked = {**job._asdict(), "sha256": sha256, "timeout_s": timeout_s, "baud": baud}
        found = self.ask("flash", 2 * timeout_s + IMAGE_S, tool=tool, **asked)
        self._text(found, "failure")
        return found

    def image(self, device: str, image: str, baud: int = USUAL_BAUD) -> str:
        """Send a mote its image (a path on the gateway) by the serial line; return why that failed, or ""."""
        return self._text(self.ask("image", IMAGE_S, device=device, image=image, baud=baud), "failure")

    def stop(self) -> None:
        """End the daemon; its logs stay."""
        self.ask("stop")

    def ask(self, request: str, limit_s: float | None = None, /, **arguments: object) -> dict[str, Any]:
        """Return the answer to a request, which is to come within that many s (None: ANSWER_S)."""
        with self._lock:
            return self._ask(request, arguments, limit_s)

    def _ask(
        self, request: str, arguments: dict[str, object], limit_s: float | None = None
    ) -> dict[str, Any]:
        number = next(self._numbers)
        with self._within(ANSWER_S if limit_s is None else limit_s, request):
            return self._answered(number, request, arguments)

    @contextmanager
    def _within(self, limit_s: float, request: str) -> Iterator[None]:
        """Hang up if this takes longer. Raises Lost then."""
        late = threading.Event()

        def over() -> None:
            late.set()
            if self._hang_up is not None:
                self._hang_up()

        timer = threading.Timer(limit_s, over)
        timer.daemon = True
        if self._hang_up is not None:
            timer.start()
        try:
            yield
        except Lost:
            if late.is_set():
                text = f"its daemon gave no whole answer to {request!r} within {limit_s:.0f} s"
                raise Lost(self.name, "late", text) from None
            raise
        finally:
            timer.cancel()

    def _answered(self, number: int, request: str, arguments: dict[str, object]) -> dict[str, Any]:
        try:
            self._writer.write(protocol.line({"id": number, "ask": request, **arguments}))
            self._writer.flush()
            while True:
                line = self._reader.readline(protocol.LONGEST_LINE + 1)
                if not line.endswith(b"\n"):
                    break
                answer = self._answer(number, line)
                if answer is not None:
                    return answer
        except (OSError, ValueError, EOFError) as error:  # ValueError: the stream is closed
            raise Lost(self.name, "lost", f"the connection broke: {error}") from None
        if len(line) > protocol.LONGEST_LINE:
            raise Unreliable(self.name, "long", "an answer was longer than any may be")
        raise Lost(self.name, "lost", "the connection ended")

    def _answer(self, number: int, line: bytes) -> dict[str, Any] | None:
        """Return the answer in a line; None if it belongs to an earlier request, which was given up."""
        try:
            message = protocol.message(line)
        except protocol.Refusal:
            raise Unreliable(self.name, "malformed", "an answer was no line of the protocol") from None
        if message.get("id") != number:
            return None
        error = message.get("error")
        if isinstance(error, dict):
            raise Refused(self.name, str(error.get("kind")), str(error.get("text")))
        if not isinstance(message.get("answer"), dict):
            raise Unreliable(self.name, "malformed", "an answer had neither an answer nor an error in it")
        return message["answer"]

    def _number(self, found: dict[str, Any], key: str) -> int:
        value = found.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= 1 << 62:
            raise Unreliable(self.name, "malformed", f"its answer lacks the number {key}")
        return value

    def _text(self, found: dict[str, Any], key: str) -> str:
        value = found.get(key)
        if not isinstance(value, str):
            raise Unreliable(self.name, "malformed", f"its answer lacks the text {key}")
        return value
