# SPDX-License-Identifier: Apache-2.0
"""Figure 26: the program whose execution is measured, what the paper prints, and the costs of a reading."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.features.policies.application import sound, subject
from orchestrator.features.policies.c_code.table import code
from orchestrator.features.policies.extensions import built_in
from orchestrator.resources import contiki_apps

HERE = Path(__file__).with_name("execution")
MODULES = ("pubsub", "cpc", "push-dpc", "pull-dpc", "sampling-buffer")
PUSHED, PULLED = "FATempPolicy (Figure 14)", "ACSTempPolicy (Figure 17)"
# Figure 26: ms without and with the policy manager, and the overhead it prints.
PRINTED = {PUSHED: (2.5, 2.7, 8.0), PULLED: (2.6, 2.9, 11.5)}
_FILES = {PUSHED: "figure-14-rebuilt.escape", PULLED: "figure-17-rebuilt.escape"}
TOPICS = {PUSHED: "TempForFireAlarm", PULLED: "ACSTemp"}
READINGS = (10, 60, 70)  # the second is measured: a reading that is sent, after the first call of everything
_AIR_US_A_BYTE = 32  # IEEE 802.15.4 at 250 kbit/s
FRAME = 48  # bytes on air of a reading: 6 of the PHY, 17 of the MAC (with a source of 8), 25 of ours
AIR_MS = FRAME * _AIR_US_A_BYTE / 1000
_RATE = 4.0  # instructions a microsecond


@dataclass(frozen=True)
class Cost:
    """Instructions of one reading that is sent."""

    without: int
    managed: int

    @property
    def overhead(self) -> float:
        """In percent of the instructions."""
        return 100 * (self.managed / self.without - 1)

    @property
    def whole(self) -> float:
        """In percent of the time until the frame has left."""
        air = FRAME * _AIR_US_A_BYTE
        return 100 * ((self.managed / _RATE + air) / (self.without / _RATE + air) - 1)


def cost_of(measure: Callable[[Path, dict[str, object], bool], list[int]], name: str, managed: bool) -> int:
    """Return what the second reading costs, by `measure` (see costs)."""
    path = contiki_apps() / "policies" / _FILES[name]
    return costs(measure, [path], TOPICS[name], READINGS, managed, name == PULLED)[1]


def costs(
    measure: Callable[[Path, dict[str, object], bool], list[int]],
    policies: Sequence[Path],
    topic: str,
    readings: Sequence[int],
    managed: bool,
    pulled: bool,
) -> list[int]:
    """Return what each reading costs by `measure`, from the component's call until the link has its frame.

    Raises what `measure` raises, which gets a folder with what is generated from the policies, the program's
    defines, and whether there is a manager.
    """
    library = built_in()
    application, _ = sound(policies, library)
    with tempfile.TemporaryDirectory(prefix="orchestrate-executed-") as name:
        folder = Path(name)
        for file, text in code(application, library).items():
            (folder / file).write_text(text)
        values = ", ".join(map(str, readings))
        defines = {
            "MANAGED": int(managed),
            "PULLED": int(pulled),
            "SUBJECT": f"0x{subject(topic):016x}ULL",
            "READINGS": f"{{ {values} }}",
            "PUBSUB_CONF_ENFORCEMENT": int(managed),
        }
        return measure(folder, defines, managed)


def program_parts(folder: Path, defines: dict[str, object], managed: bool) -> tuple[list[Path], list[str]]:
    """Return the C files of a program that measures readings, without those of a machine, and its options.

    `folder` has what is generated from the policies.
    """
    middleware, system = contiki_apps() / "middleware", contiki_apps() / "os"
    modules = [*MODULES, *(["policies"] if managed else [])]
    files = [path for module in modules for path in sorted((middleware / module).glob("*.c"))]
    files = [path for path in files if path.name != "pubsub-link.c"]
    files += [HERE / "mote.c", HERE / "temperature.c", system / "net" / "linkaddr.c"]
    files += [system / "lib" / "list.c", system / "lib" / "memb.c"]
    if managed:
        files.append(folder / "policies-generated.c")
    options = [f"-I{path}" for path in (folder, *_folders())]
    return files, [*options, *(f"-D{key}={value}" for key, value in defines.items())]


def _folders() -> list[Path]:
    middleware = contiki_apps() / "middleware"
    modules = (middleware / module for module in (*MODULES, "diffusion", "policies"))
    return [HERE, contiki_apps() / "os", middleware, *modules]
