# SPDX-License-Identifier: Apache-2.0
"""A Cooja simulation as plain values, which the .csc reader returns, the writer takes and engines run."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import ClassVar

from orchestrator.csc.mote_type import MoteType, MspType
from orchestrator.csc.serial_socket import SerialSocket
from orchestrator.vocabulary.parameters import Parameter

BIT_RATE = 250.0  # kbit/s, of Cooja's radio where the file names none
QUIET_DBM = -100.0  # a radio's signal strength where nobody sends
FARTHEST = 1e9  # m
DEFAULT_TIMEOUT_MS = 20 * 60 * 1000  # of a script that names none


@dataclass(frozen=True)
class OwnSignal:
    """A mote's own signal strength: when it hears nothing, or, in a directed graph only, while it sends."""

    mote: int
    dbm: float
    sending: bool = False


@dataclass(frozen=True)
class Udgm:
    """Unit disk graph medium: ranges in metres at full power, success ratios 0..1."""

    transmitting_range: float = 50.0
    interference_range: float = 100.0
    success_ratio_tx: float = 1.0
    success_ratio_rx: float = 1.0
    own_signals: tuple[OwnSignal, ...] = ()


@dataclass(frozen=True)
class UdgmConstantLoss(Udgm):
    """The same, but the reception ratio holds everywhere in the range instead of at its edge."""


@dataclass(frozen=True)
class Edge:
    """One direction of a link between two motes' radios (mote ids); the defaults are Cooja's.

    `ratio` of frames received, 0..1; `signal_dbm` their strength; `lqi` their link quality (Cooja cuts it to
    0..255); `delay_us` until the receiver notices anything; `channel` -1 for any.
    """

    source: int
    destination: int
    ratio: float = 1.0
    signal_dbm: float = -10.0
    lqi: int = 105
    delay_us: int = 0
    channel: int = -1


@dataclass(frozen=True)
class DirectedGraph:
    """Directed graph medium (DGRM): edges say who hears whom, whatever the positions.

    An edge's place decides draws.
    """

    edges: tuple[Edge, ...] = ()
    own_signals: tuple[OwnSignal, ...] = ()


@dataclass(frozen=True)
class LogisticLoss:
    """Logistic loss medium; the defaults are Cooja's.

    Path loss grows with the logarithm of the distance (`path_loss_exponent`) to `rx_sensitivity` (dBm) at the
    range (m), with noise of `awgn_sigma` (dB); half the frames are received at `rssi_inflection_point` (dBm).
    With `enable_time_variation` every link's loss walks between the bounds (dB).
    """

    transmitting_range: float = 20.0
    success_ratio_tx: float = 1.0
    rx_sensitivity: float = -100.0
    rssi_inflection_point: float = -92.0
    path_loss_exponent: float = 3.0
    awgn_sigma: float = 3.0
    enable_time_variation: bool = False
    time_variation_min_pl_db: float = -10.0
    time_variation_max_pl_db: float = 10.0
    own_signals: tuple[OwnSignal, ...] = ()
    varies_at: str = field(default="", compare=False)  # where the file switches that on (`file:line`)


@dataclass(frozen=True)
class DeclaredMedium:
    """A medium that Cooja doesn't have; a subclass in orchestrator/media/ says all that others need of it.

    `name`: in scenarios and in the kernel. `csc_class`: in a .csc. `summary`: for the help of `radio.medium`.
    `settings`: of a scenario, in the order of the fields; those of a .csc are named as the fields, which end
    in `_dbm` if they may be negative. `line`: the word before the numbers in the kernel's description.
    `radio_spec`: the class of a scenario's radio. The last field is `own_signals`.
    """

    name: ClassVar[str]
    csc_class: ClassVar[str]
    summary: ClassVar[str]
    settings: ClassVar[tuple[Parameter, ...]]
    line: ClassVar[str]
    radio_spec: ClassVar[type]

    @property
    def horizon(self) -> float:
        """The distance (m) beyond which nobody hears anything."""
        raise NotImplementedError

    def reach(self) -> float:
        """Return the distance (m) at which half of the frames are received."""
        raise NotImplementedError

    @classmethod
    def numbers(cls) -> tuple[str, ...]:
        """Return the names of its fields that are numbers."""
        return tuple(one.name for one in fields(cls) if one.name != "own_signals")


@dataclass(frozen=True)
class Silent:
    """The medium that carries nothing."""


Medium = Udgm | UdgmConstantLoss | DirectedGraph | LogisticLoss | DeclaredMedium | Silent


@dataclass(frozen=True)
class Mote:
    """One mote, in creation order.

    `eeprom` is its whole image (at most 1024 bytes) or None; `bit_rate` of its radio in kbit/s. `deviation`:
    the speed of an emulated mote's clock by that of the simulation, above 0 and up to 1.
    """

    type_identifier: str
    id: int
    x: float
    y: float
    z: float = 0.0
    eeprom: bytes | None = None
    bit_rate: float = BIT_RATE
    deviation: float = 1.0


@dataclass(frozen=True)
class EndScript:
    """The scripts of our own templates: log every line, end at a time or at a line with a verdict.

    The run ends at `timeout_us`. Its verdict is OK if `success_line` is None or some mote has printed a line
    that contains it by then, else FAILED. A line that contains `fail_line` makes it FAILED (also at the
    time-out): the run goes on to its time-out, and the log's last lines are `TEST OK` or `TEST FAILED`, then
    `Test ended at ...`.

    `verdict_at_timeout` False is Cooja's plain script without a verdict: at the time-out it logs `TEST
    TIMEOUT`, then `TEST FAILED`, and the run has failed, whatever was printed (`success_line` and `fail_line`
    are None).

    `ends_at_verdict` True ends the run with the first line that decides: `fail_line` makes it FAILED,
    `success_line` OK (a line that contains both is FAILED). No line follows it, whatever else was printed in
    that tick; the log's last lines are the verdict and the time of that line. Cooja's own time there is a
    race and differs from run to run. A run without a deciding line ends at the time-out: OK without a
    `success_line`, else FAILED; with `verdict_at_timeout` False by Cooja's `TEST TIMEOUT`, `TEST FAILED`
    (here `success_line` is not None).
    """

    timeout_us: int
    success_line: str | None = None
    fail_line: str | None = None
    verdict_at_timeout: bool = True
    ends_at_verdict: bool = False


@dataclass(frozen=True)
class JavaScript:
    """A script of an existing .csc of any other form.

    The embedded engine runs it in an interpreter.

    `text` as it stands in the file. `code` and `timeout_code` are what is left after Cooja's textual
    replacements (csc/macros.py); `lines` has for each line of `code`, and then for `timeout_code`, where it
    stands (`file:line`). `adds_motes`: it may generate motes. `calls`: where it calls what, for the texts of
    errors (csc/nashorn.py).
    """

    text: str
    code: str
    timeout_us: int
    timeout_code: str
    lines: tuple[str, ...]
    adds_motes: bool = False
    calls: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Move:
    """One line of the Mobility plugin's file: a mote's place among all (from 0), a time in us, metres."""

    place: int
    time_us: int
    x: float
    y: float


@dataclass(frozen=True)
class Simulation:
    """A whole .csc.

    `seed` None means `generated`. `config_dir` resolves [CONFIG_DIR]. `mobility`: the moves of each Mobility
    plugin, which begin again at their end. `serial_sockets`: at motes' serial lines, in the file's order.
    `speed_limit`: simulated time by real time, None for no limit. `power_tracker`: Cooja's plugin is
    there, and the script may ask it for the radios' times. `notes`: what of the file was read past, a
    line each.
    """

    title: str
    seed: int | None
    motedelay_us: int
    medium: Medium
    mote_types: tuple[MoteType | MspType, ...]
    motes: tuple[Mote, ...]
    script: EndScript | JavaScript
    config_dir: Path = field(default_factory=Path)
    mobility: tuple[tuple[Move, ...], ...] = ()
    serial_sockets: tuple[SerialSocket, ...] = ()
    speed_limit: float | None = None
    power_tracker: bool = False
    notes: tuple[str, ...] = field(default=(), compare=False)

    @property
    def emulated(self) -> bool:
        """Whether some of its motes are emulated microcontrollers."""
        return any(isinstance(one, MspType) for one in self.mote_types)
