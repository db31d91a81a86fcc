# SPDX-License-Identifier: Apache-2.0
"""Simulations whose motes' serial lines are at sockets, run in a thread of their own."""

from __future__ import annotations

import contextlib
import queue
import socket
import threading
import time
from dataclasses import replace

from engine_firmware import simulation

from orchestrator.csc.serial_socket import SerialSocket
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import run_one

PATIENCE_S = 60.0  # ends only what hangs
# A mote says its serial input back, after it has counted it; "quit" ends the simulation by its script.
ECHO = """
char simSerialReceivingFlag, simSerialReceivingData[2048];
int simSerialReceivingLength;
static int taken, sum;
void cooja_tick(void) {
  int quits = 0;
  if(first()) etimer(100);
  if(due()) etimer(100);
  if(simSerialReceivingFlag) {
    for(int i = 0; i < simSerialReceivingLength; i++) {
      taken++;
      sum = sum * 31 + (unsigned char)simSerialReceivingData[i];
    }
    quits = simSerialReceivingLength >= 4 && memcmp(simSerialReceivingData + simSerialReceivingLength - 4, "quit", 4) == 0;
    if(!quits) print(simSerialReceivingData, simSerialReceivingLength);
    simSerialReceivingFlag = 0; simSerialReceivingLength = 0;
  }
  if(quits) SAY("\\n%d got %d sum %u\\nbye\\n", simMoteID, taken, (unsigned)sum);
}"""  # noqa: E501
# Motes that talk to each other and print what they hear.
TALK = """
char simSerialReceivingFlag, simSerialReceivingData[2048];
int simSerialReceivingLength;
void cooja_tick(void) {
  if(first()) { etimer(simMoteID); return; }
  if(simSerialReceivingFlag) { SAY("input\\n"); simSerialReceivingFlag = 0; simSerialReceivingLength = 0; }
  if(!simReceiving && simInSize > 0) { SAY("from %d\\n", simInDataBuffer[0]); simInSize = 0; }
  if(due()) { etimer(20); simOutSize = 20; simOutDataBuffer[0] = simMoteID; }
}"""
PRINTS = """
char simSerialReceivingFlag, simSerialReceivingData[2048];
int simSerialReceivingLength;
static int rounds, goes;
void cooja_tick(void) {
  static char line[30001];
  if(first()) etimer(1);
  goes |= simSerialReceivingFlag;
  simSerialReceivingFlag = 0; simSerialReceivingLength = 0;
  if(due()) {
    etimer(1);
    if(!goes) return;
    memset(line, 'x', 30000); line[15000] = line[30000] = '\\n';
    if(rounds++ < 1000) print(line, 30001); else SAY("bye\\n");
  }
}"""
# After its first input a mote waits for half of a millisecond and then for its end, so that what ends the
# run there comes after the beat of that time, which was queued before.
ENDS_AFTER_A_BEAT = """
char simSerialReceivingFlag, simSerialReceivingData[2048];
int simSerialReceivingLength;
static int64_t half;
void cooja_tick(void) {
  if(simSerialReceivingFlag && !half) {
    half = simRtimerCurrentTicks / 1000 * 1000 + 1500;
    simRtimerNextExpirationTime = half;
    simRtimerPending = 1;
  }
  simSerialReceivingFlag = 0; simSerialReceivingLength = 0;
  if(half && simRtimerCurrentTicks == half) simRtimerNextExpirationTime = half + 500;
  if(half && simRtimerCurrentTicks == half + 500) SAY("bye\\n");
}"""


class Session:
    """A run in a thread of its own, and what it says."""

    def __init__(self, engine, job: Job) -> None:
        self._said: queue.Queue[str] = queue.Queue()
        self.told: list[str] = []
        self.job = replace(job, outside=replace(job.outside, say=self._said.put))
        self._engine, self._result = engine, None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._result = run_one(self._engine, self.job)
        except Exception as error:  # noqa: BLE001 - raised again by end()
            self._result = error

    def hear(self, part: str) -> str:
        """The next line with this part."""
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            with contextlib.suppress(queue.Empty):
                self.told.append(self._said.get(timeout=0.1))
                if part in self.told[-1]:
                    return self.told[-1]
            assert self._thread.is_alive() or not self._said.empty(), (part, self.told, self._result)
        raise AssertionError(f"nobody said {part!r}: {self.told}")

    def connect(self) -> socket.socket:
        port = (
            int(self.hear("is the serial line").split(" port ")[1].split()[0]) if not self.told else self.port
        )
        self.port = port
        return socket.create_connection(("127.0.0.1", port), PATIENCE_S)

    @property
    def ended(self) -> bool:
        return not self._thread.is_alive()

    def end(self):
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()
        while not self._said.empty():
            self.told.append(self._said.get())
        if isinstance(self._result, Exception):
            raise self._result
        return self._result


def exactly(connection: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        assert part, data
        data += part
    return data


def served(motes: int = 2, *sockets: SerialSocket, **options):
    """Motes in a row, the first one's serial line at a free port; the first "bye" ends the run."""
    places = [(10 * number, 0) for number in range(motes)]
    given = {"success": "bye", "at_once": True} | options
    made = simulation(places, 600, **given)
    return replace(made, serial_sockets=sockets or (SerialSocket(7, 0, 0),))
