# SPDX-License-Identifier: Apache-2.0
"""A Cooja simulation as plain values: what the .csc reader returns, the writer takes and the engines run."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.csc.mote_type import MoteType
from orchestrator.csc.serial_socket import SerialSocket

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
class LogDistance:
    """A medium that Cooja doesn't have, for labs that were measured; the embedded engine alone runs it.

    A sender at full power is heard with `reference_dbm` at 1 m, and with 10 `path_loss_exponent` dB less at
    each tenfold distance. Every link is shadowed by a normal number of `shadowing_db` standard deviation, and
    each of its directions by another one of `asymmetry_db`, both by the run's seed. Half of the frames are
    received at `sensitivity_dbm`, by a logistic function that `width_db` makes flat. A frame that is stronger
    than every other by `capture_db` is received in spite of them.
    """

    reference_dbm: float = -40.0
    path_loss_exponent: float = 3.0
    shadowing_db: float = 0.0
    asymmetry_db: float = 0.0
    sensitivity_dbm: float = -90.0
    width_db: float = 1.0
    capture_db: float = 3.0
    own_signals: tuple[OwnSignal, ...] = ()

    def reach(self, ratio: float = 0.5) -> float:
        """Return the distance (m) at which this share of the frames is received without shadowing."""
        signal = self.sensitivity_dbm - self.width_db * math.log(1 / ratio - 1)
        return self._distance(signal)

    @property
    def horizon(self) -> float:
        """The distance (m) beyond which nobody hears anything.

        There, five standard deviations of shadowing above the mean, a frame in a million is received, or the
        signal is that of silence.
        """
        deviation = math.hypot(self.shadowing_db, self.asymmetry_db)
        least = min(self.sensitivity_dbm - 14 * self.width_db, QUIET_DBM)
        return self._distance(least - 5 * deviation)

    def _distance(self, signal: float) -> float:
        if self.path_loss_exponent <= 0:
            return FARTHEST
        lost = (self.reference_dbm - signal) / (10 * self.path_loss_exponent)
        return min(10 ** min(lost, 300.0), FARTHEST)


@dataclass(frozen=True)
class Silent:
    """The medium that carries nothing."""


Medium = Udgm | UdgmConstantLoss | DirectedGraph | LogisticLoss | LogDistance | Silent


@dataclass(frozen=True)
class Mote:
    """One mote, in creation order.

    `eeprom` is its whole image (at most 1024 bytes) or None; `bit_rate` of its radio in kbit/s.
    """

    type_identifier: str
    id: int
    x: float
    y: float
    z: float = 0.0
    eeprom: bytes | None = None
    bit_rate: float = BIT_RATE


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

    The embedded engine runs it natively if it can, else in an interpreter.

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
    `speed_limit`: simulated time by real time, None for no limit. `notes`: what of the file was read past, a
    line each.
    """

    title: str
    seed: int | None
    motedelay_us: int
    medium: Medium
    mote_types: tuple[MoteType, ...]
    motes: tuple[Mote, ...]
    script: EndScript | JavaScript
    config_dir: Path = field(default_factory=Path)
    mobility: tuple[tuple[Move, ...], ...] = ()
    serial_sockets: tuple[SerialSocket, ...] = ()
    speed_limit: float | None = None
    notes: tuple[str, ...] = field(default=(), compare=False)
