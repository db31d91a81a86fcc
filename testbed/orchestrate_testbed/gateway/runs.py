# SPDX-License-Identifier: Apache-2.0
"""The runs whose motes are logged, and their files on the disk."""

from __future__ import annotations

import hashlib
import json
import os
import shutil

from orchestrate_testbed.gateway import kept_file, protocol
from orchestrate_testbed.gateway.disk import Disk
from orchestrate_testbed.gateway.loop import Loop
from orchestrate_testbed.gateway.mote_log import MoteLog, open_segment, segments
from orchestrate_testbed.gateway.mote_port import MotePort
from orchestrate_testbed.gateway.protocol import Refusal

KEPT = "run.json"  # what the controller keeps with a run, beside its logs
US_PER_PORT = 50  # processor time of a small machine for a read and a write; a pass takes it for each port


class Runs:
    """Ports by run and mote. What was open when the daemon died is opened again by the next one."""

    def __init__(self, loop: Loop, disk: Disk, root: str):
        self._loop = loop
        self._disk = disk
        self._folder = os.path.join(root, "runs")
        self._state = os.path.join(root, "ports.json")
        self.ports: dict = {}
        self._unwritten: dict = {}  # bytes of closed logs that the disk never took, by run and mote
        self._to_open: list = []  # what was open when the daemon died, until the disk has room for a log
        self._kept = True  # whether the file has what is open
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        disk.used = sum(size for run in self.on_disk() for _, _, size in segments(self.path(run)))

    def restore(self) -> None:
        """Open the ports that were open; ports that can't be opened now are tried again."""
        self._to_open = kept_file.read_json(self._state) or []
        self._reopen()

    def open(self, run: str, mote: str, device: str, baud: int) -> dict:
        """Begin to log a mote; change nothing if it is logged already."""
        known = self.ports.get((run, mote))
        if known is not None:
            if (known.device, known.baud) != (device, baud):
                text = f"{mote} of run {run} is logged already, from {known.device}."
                raise Refusal("open", text)
            return known.status()
        for (other_run, other), port in self.ports.items():
            if os.path.realpath(port.device) == os.path.realpath(device):
                text = "%s is logged already, as %s of run %s; a port has one reader."
                raise Refusal("port-held", text % (device, other, other_run))
        os.makedirs(self.path(run), mode=0o700, exist_ok=True)
        port = self._new(run, mote, device, baud)
        try:
            port.open()
        except Refusal:
            port.close()
            os.unlink(port.log.path)
            del self.ports[(run, mote)]
            if not os.listdir(self.path(run)):
                os.rmdir(self.path(run))  # a run of which nothing is here is none
            raise
        self._keep()
        return port.status()

    def close(self, run: str, mote: str | None = None) -> None:
        """End the logging of a mote, or of the whole run; change nothing if it has ended already."""
        for key in [key for key in self.ports if key[0] == run and mote in (None, key[1])]:
            lost = self.ports.pop(key).close()
            if lost:
                self._unwritten[key] = self._unwritten.get(key, 0) + lost
        self._to_open = [each for each in self._to_open if each[0] != run or mote not in (None, each[1])]
        self._keep_when_possible()

    def port(self, run: str, mote: str) -> MotePort:
        """Return the port of a mote that is being logged."""
        found = self.ports.get((run, mote))
        if found is None:
            raise Refusal("not-open", f"{mote} of run {run} is not being logged.")
        return found

    def on_device(self, device: str) -> MotePort | None:
        """Return the open port of this device."""
        real = os.path.realpath(device)
        return next((each for each in self.ports.values() if os.path.realpath(each.device) == real), None)

    def on_disk(self) -> list:
        """Return the names of all runs that have logs here."""
        return sorted(each for each in os.listdir(self._folder) if protocol.NAME.match(each))

    def status(self, run: str) -> dict:
        """Return the segments of each mote, and its port while it is logged."""
        motes: dict = {}
        if os.path.isdir(self.path(run)):
            for mote, number, size in segments(self.path(run)):
                motes.setdefault(mote, {"segments": []})["segments"].append([number, size])
        for (of_run, mote), port in self.ports.items():
            if of_run == run:
                motes.setdefault(mote, {"segments": []})["port"] = port.status()
        for (of_run, mote), lost in self._unwritten.items():
            if of_run == run:
                motes.setdefault(mote, {"segments": []})["unwritten"] = lost
        return motes

    def read(self, run: str, mote: str, number: int, offset: int, length: int) -> bytes:
        """Return a part of a segment."""
        descriptor = self._segment(run, mote, number)
        try:
            return os.pread(descriptor, length, offset)
        finally:
            os.close(descriptor)

    def digest(self, run: str, mote: str, number: int, length: int) -> str:
        """Return the SHA-256 of the first bytes of a segment."""
        found = hashlib.sha256()
        with open(self._segment(run, mote, number), "rb") as file:
            while length > 0:
                part = file.read(min(length, 1 << 18))
                if not part:
                    raise Refusal("short", f"Segment {number} of {mote} has fewer bytes.")
                found.update(part)
                length -= len(part)
        return found.hexdigest()

    def remove(self, run: str) -> None:
        """Close the run's ports, and remove its logs."""
        self.close(run)
        self._unwritten = {key: lost for key, lost in self._unwritten.items() if key[0] != run}
        if os.path.isdir(self.path(run)):
            self._disk.used -= sum(size for _, _, size in segments(self.path(run)))
            shutil.rmtree(self.path(run))

    def keep(self, run: str, text: str) -> None:
        """Keep a text with a run in the place of an earlier one. A power failure leaves one of the two."""
        os.makedirs(self.path(run), mode=0o700, exist_ok=True)
        kept_file.write(os.path.join(self.path(run), KEPT), text)

    def kept(self, run: str) -> str:
        """Return the text, or an empty one."""
        try:
            with open(os.path.join(self.path(run), KEPT), encoding="utf-8") as file:
                return file.read()
        except OSError:
            return ""

    def flush(self) -> None:
        """Write what waits for the disk."""
        for port in self.ports.values():
            port.log.flush()
        self._reopen()
        if not self._kept:
            self._keep_when_possible()

    def end(self) -> None:
        """Close all ports; the next daemon opens none."""
        for run in {run for run, _ in self.ports}:
            self.close(run)

    def _new(self, run: str, mote: str, device: str, baud: int) -> MotePort:
        log = MoteLog(self.path(run), mote, self._disk)
        port = self.ports[(run, mote)] = MotePort(self._loop, log, device, baud)
        self._loop.tick_us = max(1000, US_PER_PORT * len(self.ports))
        return port

    def _segment(self, run: str, mote: str, number: int) -> int:
        try:
            return open_segment(self.path(run), mote, number)
        except OSError as error:
            text = "Segment %s of %s, run %s, can't be read: %s."
            raise Refusal("no-log", text % (number, mote, run, error.strerror)) from None

    def path(self, run: str) -> str:
        """Return the folder of a run's logs."""
        return os.path.join(self._folder, run)

    def _reopen(self) -> None:
        """Log what an earlier daemon logged, as far as the disk has room for new segments."""
        waiting, self._to_open = self._to_open, []
        for run, mote, device, baud in waiting:
            if not os.path.isdir(self.path(run)):
                continue  # it was removed while the disk was too full to keep that
            try:
                port = self._new(run, mote, device, baud)
            except OSError:
                self._to_open.append([run, mote, device, baud])
                continue
            try:
                port.open()
            except Refusal as refusal:
                port.await_device(refusal.text)

    def _keep(self) -> None:
        kept = [[run, mote, port.device, port.baud] for (run, mote), port in sorted(self.ports.items())]
        kept_file.write(self._state, json.dumps(kept + self._to_open))
        self._kept = True

    def _keep_when_possible(self) -> None:
        """Keep what is open. A full disk mustn't hinder the end of a run, whose logs may be what fills it."""
        try:
            self._keep()
        except Refusal:
            self._kept = False
