# SPDX-License-Identifier: Apache-2.0
"""A test in the place of a script: the kernel at the other end of its socket, and their messages."""

from __future__ import annotations

import json
import socket
import subprocess
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from engine_firmware import simulation
from engine_harness import SANITIZED, build_kernel
from script_messages import Kind

from orchestrator.csc import javascript
from orchestrator.engines.embedded.description import describe
from orchestrator.engines.embedded.script.host import MESSAGE
from tests.waiting import HANG_S

TIME, STORAGE, KERNEL, ABANDONED = 5, 6, 8, "script"  # how the kernel ends
LONGEST = 1 << 26  # bytes behind a message
# Every 100 ms a mote says which of its ticks that is, and at once what happens to it.
BODY = """
char simButtonChanged, simButtonIsActive = 1, simButtonIsDown, simPirChanged, simPirIsActive = 1, simVibChanged, simVibIsActive = 1;
char simSerialReceivingFlag, simSerialReceivingData[2048];
int simSerialReceivingLength;
static int ticks;
void cooja_tick(void) {
  if(first()) { etimer(100); SAY("up %d\\n", simMoteID); }
  if(simButtonChanged) { simButtonChanged = 0; SAY("button %d\\n", simButtonIsDown); }
  if(simPirChanged) { simPirChanged = 0; SAY("pir\\n"); }
  if(simVibChanged) { simVibChanged = 0; SAY("vib\\n"); }
  if(simSerialReceivingFlag) {
    SAY("got %d %.*s\\n", simSerialReceivingLength, simSerialReceivingLength, simSerialReceivingData);
    simSerialReceivingFlag = 0;
    simSerialReceivingLength = 0;
  }
  if(due()) { etimer(100); SAY("tick %d%s\\n", ++ticks, MORE); }
}
"""  # noqa: E501
PLACES = [(0, 0), (10, 2.5), (-20, 0)]


class Script:
    """The other end, and what it is told."""

    def __init__(self, own: socket.socket, process: subprocess.Popen):
        self.socket, self.process = own, process
        self.stream = own.makefile("rb")

    def say(self, kind, mote=0, number=0, x=0.0, y=0.0, z=0.0, text=b"", length=None) -> None:
        self.send(
            MESSAGE.pack(kind, mote, number, x, y, z, len(text) if length is None else length, 0) + text
        )

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def told(self) -> tuple:
        """kind, mote, number, (x, y, z), text; None when the kernel has ended."""
        head = self.stream.read(MESSAGE.size)
        if len(head) < MESSAGE.size:
            return None
        kind, mote, number, x, y, z, length, zero = MESSAGE.unpack(head)
        assert zero == 0
        return kind, mote, number, (x, y, z), self.stream.read(length)

    def wait(self) -> tuple:
        self.say(Kind.WAIT)
        return self.told()

    def until(self, *text: bytes) -> list[tuple]:
        """The lines up to one of these, each with its time and mote."""
        found = []
        while not found or not found[-1][2].startswith(text):
            kind, mote, number, (x, _, _), said = self.wait()
            assert kind == Kind.LINE and mote < 4 and x
            found.append((number, mote, said))
        return found

    def ask(self, kind, mote=0, number=0) -> tuple:
        self.say(kind, mote, number)
        answer = self.told()
        assert answer[0] == kind
        return answer[1:]

    def ends(self) -> tuple[int, dict]:
        """The exit code and the report."""
        out, _ = self.process.communicate(timeout=HANG_S)
        return self.process.returncode, json.loads(out)


def conversations(firmware, log: Path):
    """conversation(seconds) -> the script's end; the log is at `log`."""
    kernel = build_kernel(SANITIZED)

    @contextmanager
    def start(
        seconds=1.0, *arguments, more='""', adds=False, places=PLACES, name=log, room=None, **process_options
    ):
        library = firmware(BODY.replace("MORE", more))
        script, _ = javascript.read([javascript.Part("sim.getMotes();", "s.js", 1)])
        script = replace(script, timeout_us=int(seconds * 1_000_000), adds_motes=adds)
        of = replace(simulation(places), script=script)
        own, theirs = socket.socketpair()
        if room is not None:
            theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, room)
        command = [kernel, "--log", name, "--limit", "100", "--script", str(theirs.fileno()), *arguments]
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=[theirs.fileno()],
            **process_options,
        )
        theirs.close()
        process.stdin.write(describe(of, 3, {"t": library}, "2026.07"))
        process.stdin.close()
        process.stdin = None
        try:
            yield Script(own, process)
        finally:
            process.kill()
            process.wait()
            own.close()

    start.log = log
    return start


def logged(conversation) -> list[str]:
    lines = conversation.log.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "Random seed: 3"
    return lines[1:]
