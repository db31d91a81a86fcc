# SPDX-License-Identifier: Apache-2.0
"""A lab whose motes a thread plays, for whole runs of the engine `testbed`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import pytest
from orchestrate_testbed.client import Daemon
from orchestrate_testbed.gateway_log import Chunk, records

from orchestrator.csc.model import EndScript, Silent
from orchestrator.engines.deployment import DeployedMote, Deployment, FirmwareSource
from orchestrator.engines.model import Job, on_platform
from orchestrator.features.testbed.engine.engine import TestbedEngine
from tests.features.testbed.lab.boards import Boards

FLASH, RESET = "flash", "reset"  # the events upon which motes speak; a reset is noted as `MOTE reset`

INVENTORY = """\
lab: tiny
known-hosts: {hosts}
defaults:
  gateway: {{user: {user}, key: {key}, python: {python}}}
  mote: {{platform: sky, tool: command, flash: '{flash} {{firmware}} {{device}} {{image}}'}}
"""


def job_of(script: EndScript, roles: dict[int, str], firmware: Path, log: Path) -> Job:
    motes = tuple(DeployedMote(number, f"P{number}", role, 0, 0, b"i") for number, role in roles.items())
    deployment = Deployment("t", 7, 0, Silent(), FirmwareSource("app", "", "", ""), motes, script)
    return Job(deployment, 7, {on_platform("app", "sky"): firmware}, log)


class Bed:
    """A lab of two motes and a spare; `run` makes a run in which motes say what the test wants.

    With `apart` the second mote is behind a gateway of its own.
    """

    def __init__(self, servers, folder: Path, apart: bool = False):
        self.folder, self.apart = folder, apart
        behind = {"G1": ["M1", "S1"], "G2": ["M2"]} if apart else {"G1": ["M1", "M2", "S1"]}
        self.boards = Boards(servers, behind, spares=("S1",))
        self.server = self.boards.servers["G1"]
        self.home = self.server.home
        self.inventory = folder / "lab.yaml"
        self.roles = {1: "publisher", 2: "publisher"}
        text = INVENTORY.format(
            hosts=servers.known_hosts,
            key=servers.key,
            python=sys.executable,
            user=self.server.user,
            flash=self.home / "flash",
        )
        lines = ["gateways:"]
        for name, server in self.boards.servers.items():
            lines.append(f"  {name}: {{host: {server.host}, port: {server.port}}}")
        lines.append("motes:")
        for number, mote in enumerate(("M1", "M2", "S1"), 1):
            gateway = next(name for name, motes in behind.items() if mote in motes)
            spare = ", spare: true" if mote == "S1" else ""
            lines.append(f"  {mote}: {{gateway: {gateway}, eui64: {number:016x}, device: dev/{mote}{spare}}}")
        self.inventory.write_text(text + "\n".join(lines) + "\n")
        (folder / "app.hex").write_text("app")

    def job(self, script: EndScript) -> Job:
        return job_of(script, self.roles, self.folder / "app.hex", self.folder / "COOJA.testlog")

    def run(self, script: EndScript, say: dict[str, bytes], upon: str = FLASH):
        """`say`: what a mote says upon each event of this kind."""
        results = []
        job = self.job(script)
        with self.playing(say, upon):
            TestbedEngine(self.inventory).run([job], lambda _, result: results.append(result))
        return results[0], job.log.read_text() if job.log.exists() else ""

    def killed(self, script: EndScript, say: dict[str, bytes], request: str, number: int = 1) -> None:
        """As `run`, by a process that is killed as it is about to ask the daemon this for that time."""
        told = [self.inventory, self.folder, request, number, json.dumps(asdict(script))]
        command = [sys.executable, "-m", "tests.features.testbed.lab.beds", *map(str, told)]
        with self.playing(say, to_the_end=True):
            ended = subprocess.run(command, capture_output=True, text=True)
        assert ended.returncode == -signal.SIGKILL, ended.stderr

    @contextmanager
    def playing(self, say: dict[str, bytes], upon: str = FLASH, to_the_end: bool = False):
        """Motes speak in a thread; with `to_the_end` all that they had reason to say is said at the end."""
        ended = threading.Event()
        thread = threading.Thread(target=self._play, args=(say, upon, ended, to_the_end), daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def _may_speak(self, name: str, say: dict[str, bytes]) -> bool:
        """Whether those before it are logged: of two gateways' lines, none is known to be the first."""
        before = [*say][: [*say].index(name)] if self.apart else []
        return all(say[each] in self._logged(each) for each in before)

    def _logged(self, name: str) -> bytes:
        homes = [server.home for server in self.boards.servers.values()]
        logs = [path for home in homes for path in home.glob(f"*/daemon/runs/run-*/{name}.*.log")]
        found = [record for path in sorted(logs) for record in records(path.read_bytes())]
        return b"".join(record.content for record in found if isinstance(record, Chunk))

    def _play(self, say, upon, ended, to_the_end) -> None:
        heard = {name: len(self.boards.flashed(name)) for name in self.boards.servers}
        waiting: list[str] = []
        while True:
            last = ended.is_set()
            events = []
            for gateway in heard:
                new = self.boards.flashed(gateway)[heard[gateway] :]
                heard[gateway] += len(new)
                events += new
            for name, kind, *_ in map(str.split, events):
                waiting += [name] if name in say and (kind == RESET) == (upon == RESET) else []
            waiting.sort(key=[*say].index if self.apart else lambda name: 0)
            # What a mote says while nobody has its port open is lost, as with hardware.
            while waiting and self.boards.heard(waiting[0]) and self._may_speak(waiting[0], say):
                self.boards.say(waiting[0], say[waiting[0]])
                waiting.pop(0)
            if last and not (to_the_end and waiting):
                return
            ended.wait(0.01) if not last else time.sleep(0.01)


@pytest.fixture
def two_gateways(servers, tmp_path):
    made = Bed(servers, tmp_path, apart=True)
    yield made
    made.boards.end()


@pytest.fixture
def bed(servers, tmp_path):
    made = Bed(servers, tmp_path)
    yield made
    made.boards.end()


def main(inventory: str, folder: str, request: str, number: str, script: str) -> None:
    """A controller that dies at a request."""
    ask, left = Daemon._ask, [int(number)]

    def dying(daemon, asked, *arguments):
        left[0] -= asked == request
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        return ask(daemon, asked, *arguments)

    Daemon._ask = dying
    roles = {1: "publisher", 2: "publisher"}
    place = Path(folder)
    job = job_of(EndScript(**json.loads(script)), roles, place / "app.hex", place / "COOJA.testlog")
    TestbedEngine(Path(inventory)).run([job], lambda _, result: None)


if __name__ == "__main__":
    main(*sys.argv[1:])
