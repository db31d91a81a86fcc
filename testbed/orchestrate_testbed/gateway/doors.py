# SPDX-License-Identifier: Apache-2.0
"""The other users of the motes' ports: forwarders and services, by run. The next daemon opens them again."""

from __future__ import annotations

import json
from contextlib import suppress

from orchestrate_testbed.gateway import kept_file, service
from orchestrate_testbed.gateway.disk import Disk
from orchestrate_testbed.gateway.forwarder import Forwarder
from orchestrate_testbed.gateway.loop import Loop
from orchestrate_testbed.gateway.protocol import Refusal
from orchestrate_testbed.gateway.runs import Runs

KEPT = "doors.json"


class Doors:
    """The forwarders and services of all runs."""

    def __init__(self, loop: Loop, disk: Disk, runs: Runs):
        self._loop = loop
        self._disk = disk
        self._runs = runs
        self._forwarders: dict = {}  # (run, mote) -> Forwarder
        self._services: dict = {}  # (run, name) -> (Place, motes, settings)

    def forward(self, run: str, mote: str, address: str, number: int, manner: str) -> dict:
        """Open a mote's forwarder, or return the status of the one that is open."""
        known = self._forwarders.get((run, mote))
        if known is None:
            port = self._runs.port(run, mote)
            known = self._forwarders[(run, mote)] = Forwarder(self._loop, port, address, number, manner)
            self._keep()
        elif known.manner != manner or number not in (0, known.number):
            raise Refusal("open", f"{mote} is on {known.address}:{known.number} already.")
        return known.status()

    def serve(self, run: str, motes: tuple, name: str, settings: dict) -> None:
        """Start a service of a run; do nothing if it runs with these settings."""
        if (run, name) in self._services:
            _, known_motes, known_settings = self._services[(run, name)]
            if (known_motes, known_settings) != (motes, settings):
                raise Refusal("open", f"The service '{name}' of run {run} runs with other settings.")
            return
        ports = {mote: self._runs.port(run, mote) for mote in motes}
        place = service.Place(self._loop, self._disk, self._runs.path(run), name, ports, settings)
        made = service.made(name, place)
        self._services[(run, name)] = (place, motes, settings)
        place.begin(made)
        self._keep()

    def close(self, run: str, mote: str | None = None) -> None:
        """Close the users of one mote's port, or all of the run."""
        for key in [key for key in self._forwarders if key[0] == run and mote in (None, key[1])]:
            self._forwarders.pop(key).close()
        for key, (place, motes, _) in list(self._services.items()):
            if key[0] == run and (mote is None or mote in motes):
                del self._services[key]
                place.end()
        self._keep()

    def status(self, run: str) -> dict:
        """Return forwarders by mote, services by name."""
        forwarders = {mote: each.status() for (of, mote), each in self._forwarders.items() if of == run}
        services = {
            name: {"motes": list(motes), "error": place.error, "links": [link.peer for link in place.links]}
            for (of, name), (place, motes, _) in self._services.items()
            if of == run
        }
        return {"forwarders": forwarders, "services": services}

    def alarms(self) -> list:
        """Return a sentence for each service that failed, or that a crash of the daemon would set back."""
        found = []
        for (run, name), (place, _, _) in sorted(self._services.items()):
            if place.error:
                found.append(f"the service '{name}' of run {run} ended: {place.error}")
            elif place.unkept:
                found.append(f"the service '{name}' of run {run} would forget what it knows: {place.unkept}")
        return found

    def restore(self) -> None:
        """Open those that were open when the last daemon died; those that can't be opened are left out."""
        kept = kept_file.read_json(KEPT)
        if kept is None:
            return
        for each in kept["forwarders"]:
            with suppress(Refusal):
                self.forward(*each)
        for run, motes, name, settings in kept["services"]:
            with suppress(Refusal):
                self.serve(run, tuple(motes), name, settings)

    def end(self) -> None:
        """Close all; the next daemon opens none."""
        for run in {key[0] for key in [*self._forwarders, *self._services]}:
            self.close(run)

    def _keep(self) -> None:
        kept = {
            "forwarders": [
                [run, mote, each.address, each.number, each.manner]
                for (run, mote), each in self._forwarders.items()
            ],
            "services": [
                [run, list(motes), name, settings]
                for (run, name), (_, motes, settings) in self._services.items()
            ],
        }
        with suppress(Refusal):  # a full disk: it works now, and isn't opened again after a crash
            kept_file.write(KEPT, json.dumps(kept))
