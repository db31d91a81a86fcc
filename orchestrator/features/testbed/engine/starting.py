# SPDX-License-Identifier: Apache-2.0
"""Begins a run: flashes its motes, replaces those that can't be flashed, and starts all together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from orchestrate_testbed.errors import LabError
from orchestrate_testbed.model import Mote
from orchestrate_testbed.ssh import together
from orchestrate_testbed.transfer import Blob, blob

from orchestrator.build import intel_hex
from orchestrator.engines.model import Job, on_platform
from orchestrator.errors import RunFailed, Unsupported
from orchestrator.features.testbed import twin
from orchestrator.features.testbed.deploy import Wanted, deploy, image_by_serial
from orchestrator.features.testbed.engine.casting import Bed, Cast, enough, replace, start_together
from orchestrator.features.testbed.engine.event_service import EventService
from orchestrator.features.testbed.engine.unfinished import now_us
from orchestrator.features.testbed.engine.watching import Watch, Watched

REPLACEMENTS = 3  # rounds of spares for motes that can't be flashed


class Start:
    """The start of one job with a cast; `watched` makes the log of another gateway, for a spare behind it."""

    def __init__(
        self,
        bed: Bed,
        job: Job,
        parts: Cast,
        watch: Watch,
        folder: Path,
        watched: Callable[[str], Watched],
        event_service: EventService,
    ):
        self.lab, self.places = bed.lab, bed.places
        self.job, self.parts, self.watch = job, parts, watch
        self._folder, self._watched, self._event_service = folder, watched, event_service
        self._images: dict[int, Blob | None] = {}  # by the mote's id
        self.tools: set[str] = set()  # what flashed the motes, with its version

    def begin(self) -> tuple[int, list[int]]:
        """Flash all motes, and start them together if they can be switched or reset.

        Return the epoch, and when the first and the last mote started, in us by our clock. Where motes have
        no such commands, each starts as it is flashed.
        """
        self._refuse_deaf()
        self.watch.open(True)
        epoch_us = now_us()
        boots = self._flash()
        self.watch.open(False)
        self._event_service.begin(self.parts, self.watch)
        motes = self.parts.parts.values()
        if all(mote.power_off and mote.power_on for mote in motes):
            self._command("switched off", lambda mote: mote.power_off)
            self.watch.begin()
            epoch_us = now_us()
            self._in_order("switched on", lambda mote: mote.power_on)
            return epoch_us, [epoch_us, now_us()]
        if all(mote.reset for mote in motes):
            self.watch.begin()
            epoch_us = now_us()
            self._in_order("reset", lambda mote: mote.reset)
            return epoch_us, [epoch_us, now_us()]
        return epoch_us, boots

    def _refuse_deaf(self) -> None:
        """Raise Unsupported if no gateway would hear how a mote starts."""
        motes = self.parts.parts.values()
        if start_together(motes):
            return
        deaf = sorted({mote.gateway for mote in motes if self.places[mote.gateway].plain})
        if deaf:
            raise Unsupported(
                f"{', '.join(deaf)}: without Python nobody listens to a mote while it is flashed, so all "
                "motes of the run need `reset`, or `power-off` and `power-on`, to start again afterwards\n"
                "    add these commands to the inventory, or install Python 3.7 or later there"
            )

    def _in_order(self, done: str, words: Callable[[Mote], tuple[str, ...]]) -> None:
        """Start all motes at once, and then the control node: it looks for the others as soon as it runs."""
        control = {mote.id for mote in self.job.deployment.motes if mote.role == "control"}
        for wanted in (lambda number: number not in control, lambda number: number in control):
            self._command(done, words, wanted)
            self._send_images(wanted)

    def _send_images(self, wanted: Callable[[int], bool]) -> None:
        """Send images to the wanted motes (by id) that have them by the serial line. Raises RunFailed.

        A mote that keeps its image in RAM has lost it as it was started; another one says that it has it.
        """

        def on_gateway(watched: Watched) -> dict[str, str]:
            return {
                mote.name: why
                for number, mote in watched.motes.items()
                if wanted(number)
                and (image := self._images.get(number)) is not None
                and image_by_serial(mote)
                and (why := watched.place.send_image(mote, image.name))
            }

        self._everywhere(on_gateway, "motes without an EEPROM did not get their images")

    def _command(
        self,
        done: str,
        words: Callable[[Mote], tuple[str, ...]],
        wanted: Callable[[int], bool] = lambda number: True,
    ) -> None:
        """Run a command of the wanted motes (by id), all at once. Raises RunFailed."""

        def on_gateway(watched: Watched) -> dict[str, str]:
            place = watched.place
            return place.commands(
                {
                    mote.name: mote.command(words(mote), place.device(mote))
                    for number, mote in watched.motes.items()
                    if wanted(number)
                }
            )

        self._everywhere(on_gateway, f"motes could not be {done}")

    def _everywhere(self, on_gateway: Callable[[Watched], dict[str, str]], what: str) -> None:
        """Do one thing at all gateways at once, which answers mote -> why not.

        Raises RunFailed with `what` and all these motes, or the error of a gateway.
        """
        failed: dict[str, str] = {}
        for answer in together(self.watch.gateways.values(), on_gateway):
            if isinstance(answer, LabError):
                raise answer
            failed |= answer
        if failed:
            raise RunFailed(f"{what}:\n" + "\n".join(f"    {name}: {why}" for name, why in failed.items()))

    def _flash(self) -> list[int]:
        """Flash all motes; spares take the places of those that can't be flashed."""
        parts = self.parts
        images = {mote.id: mote.image for mote in self.job.deployment.motes}
        firmware = {mote.platform: self._firmware(mote.platform) for mote in parts.parts.values()}
        todo = dict(parts.parts)
        boots: list[int] = []
        out: set[str] = set()
        for _ in range(REPLACEMENTS + 1):
            self._images |= {number: self._image(number, images[number]) for number in todo}
            wanted = [
                Wanted(mote, firmware[mote.platform], self._images[number], number)
                for number, mote in todo.items()
            ]
            loaded = deploy(self.lab, self.places, wanted, again=True)
            boots += [mote.at_us for mote in loaded.motes.values() if mote.good]
            self.tools |= {mote.tool for mote in loaded.motes.values() if mote.tool}
            failed = {failure.mote.name: failure.why for failure in loaded.failures()}
            if not failed:
                return boots
            out |= set(failed)
            todo = {}
            for number, mote in list(parts.parts.items()):
                if mote.name in failed:
                    replace(parts, self.lab, number, failed[mote.name], out)
                    if number in parts.parts:
                        todo[number] = parts.parts[number]
            enough(parts)
            self._follow(todo)
        raise RunFailed(f"motes can't be flashed: {', '.join(sorted(out))}")

    def _follow(self, new: Mapping[int, Mote]) -> None:
        """Log the spares in place of the motes whose parts they took."""
        for watched in self.watch.gateways.values():
            watched.motes = {
                number: mote for number, mote in watched.motes.items() if self.parts.parts.get(number) is mote
            }
        for number, mote in new.items():
            if mote.gateway not in self.watch.gateways:
                self.watch.gateways[mote.gateway] = self._watched(mote.gateway)
            watched = self.watch.gateways[mote.gateway]
            watched.motes[number] = mote
        self.watch.open(True)

    def _firmware(self, platform: str) -> Blob:
        """Return what flashes motes of a platform: Intel HEX for a microcontroller. Raises RunFailed."""
        identifier = self.job.deployment.firmware.identifier
        image = self.job.firmware.get(on_platform(identifier, platform))
        if image is None:
            if platform not in twin.SIMULATED:
                raise RunFailed(f"there is no firmware for the platform {platform}: it was built without it")
            return blob(self.job.firmware[identifier])
        with image.open("rb") as file:
            if file.read(len(intel_hex.MAGIC)) != intel_hex.MAGIC:
                return blob(image)
        path = self._folder / f"{identifier}.{platform}.hex"
        intel_hex.write(image, path)
        return blob(path)

    def _image(self, number: int, image: bytes) -> Blob | None:
        if not image:
            return None
        path = self._folder / f"image-{number}"
        path.write_bytes(image)
        return blob(path)
