# SPDX-License-Identifier: Apache-2.0
"""The settings that every scenario has, whatever its topology and application: the radio's, the run's."""

from __future__ import annotations

from orchestrator import feature
from orchestrator.scenario.model import AS_IS, CONTIKI_NG, DOCKER, EMBEDDED, FAST, HOST
from orchestrator.vocabulary.parameters import Parameter
from orchestrator.vocabulary.simulators import DEFAULT_RULES, RULES, engines

_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
_FAR = 100_000.0

# Cooja's unit disk graph medium; the defaults are Cooja's own.
RADIO = {
    "radio.medium": Parameter(
        "medium",
        "choice",
        "udgm",
        choices=("udgm", "udgm-constant-loss", "directed-graph", "log-distance"),
        help="unit disk graph, the same with constant loss, measured links, or (no medium of Cooja's; the "
        "embedded engine alone has it) log-distance path loss with shadowing and capture",
    ),
    "radio.links": Parameter(
        "links", "file", "", help="of the directed graph: CSV of from,to,ratio[,rssi,lqi,delay,channel]"
    ),
    "radio.range": Parameter("range", "length", 50.0, 0.01, _FAR, help="frames arrive up to here"),
    "radio.interference": Parameter(
        "interference", "length", 100.0, 0.0, _FAR, help="frames disturb up to here"
    ),
    "radio.tx": Parameter("tx", "ratio", 1.0, 0.0, 1.0, help="chance that a frame leaves the sender"),
    "radio.rx": Parameter(
        "rx",
        "ratio",
        1.0,
        0.0,
        1.0,
        help="chance of reception at the edge of the range (constant loss: within it)",
    ),
    "radio.reference": Parameter(
        "reference", "number", -40.0, -200.0, 50.0, help="of log-distance: dBm received at 1 m, at full power"
    ),
    "radio.exponent": Parameter(
        "exponent", "number", 3.0, 0.1, 20.0, help="of log-distance: of the path loss"
    ),
    "radio.shadowing": Parameter(
        "shadowing", "number", 0.0, 0.0, 40.0, help="of log-distance: dB, standard deviation between links"
    ),
    "radio.asymmetry": Parameter(
        "asymmetry",
        "number",
        0.0,
        0.0,
        40.0,
        help="of log-distance: dB, standard deviation of each direction of a link, beside that",
    ),
    "radio.sensitivity": Parameter(
        "sensitivity", "number", -90.0, -200.0, 50.0, help="of log-distance: dBm, half the frames arrive"
    ),
    "radio.width": Parameter(
        "width",
        "number",
        1.0,
        0.0,
        40.0,
        help="of log-distance: dB, how slowly reception grows with the signal",
    ),
    "radio.capture": Parameter(
        "capture",
        "number",
        3.0,
        0.0,
        100.0,
        help="of log-distance: dB, a frame stronger by this than all others is received in spite of them",
    ),
    "radio.bitrate": Parameter("bitrate", "rate", 250_000, 250_000, 250_000, help="fixed in Cooja's radio"),
}
# The settings that only some media have; what none of them lists, all have.
OF_MEDIUM = {
    "udgm": frozenset({"radio.range", "radio.interference", "radio.tx", "radio.rx"}),
    "udgm-constant-loss": frozenset({"radio.range", "radio.interference", "radio.tx", "radio.rx"}),
    "directed-graph": frozenset({"radio.links"}),
    "log-distance": frozenset(
        f"radio.{name}"
        for name in ("reference", "exponent", "shadowing", "asymmetry", "sensitivity", "width", "capture")
    ),
}
RUN = {
    "duration": Parameter("duration", "time", None, _SECOND, 45 * _DAY, help="measured time"),
    "drain": Parameter(
        "drain", "time", 10 * _SECOND, 0, _DAY, help="after it: nothing new, frames under way arrive"
    ),
    # Cooja draws each mote's start with nextInt(motedelay), a Java int.
    "start-delay": Parameter(
        "start-delay", "time", _SECOND, 0, 2_147 * _SECOND, help="motes boot at random within it"
    ),
    "engine.name": Parameter("engine", "choice", "embedded", choices=tuple(engines()), help="what simulates"),
    "engine.rules": Parameter(
        "rules",
        "choice",
        DEFAULT_RULES,
        choices=RULES,
        help="the Cooja whose rules it follows; a real one follows its own",
    ),
    "trace": Parameter("trace", "bool", False, help="print every event instead of counters after the run"),
}
FIXED = RADIO | RUN
# Of the machine, not of an experiment: nothing of a run's identity.
ENGINE = {
    "engine.path": Parameter(
        "path", "text", "", help="the Cooja: its folder, its jar or a program that starts it"
    ),
    "engine.image": Parameter(
        "image", "text", "", help="run Cooja in a container of this image, with its Java"
    ),
    "engine.plain": Parameter(
        "plain", "bool", False, help="the embedded engine without what makes it fast: slower, the same bytes"
    ),
    "engine.heap": Parameter("heap", "size", 2_000_000_000, 64_000_000, 10**12, help="of Cooja's JVM"),
}
FIRMWARE = {
    "firmware.source": Parameter(
        "source", "choice", EMBEDDED, choices=(EMBEDDED, CONTIKI_NG), help="what firmware is made of"
    ),
    "firmware.builder": Parameter(
        "builder", "choice", HOST, choices=(HOST, DOCKER), help="the host's compiler or a container's"
    ),
    "firmware.image": Parameter(
        "image", "text", "", help="of the builder docker (default: contiker/contiki-ng)"
    ),
    "firmware.tree": Parameter(
        "tree", "text", "", help="the Contiki-NG tree's folder, or `image` (default: $CONTIKI_NG)"
    ),
    "firmware.compile": Parameter(
        "compile",
        "choice",
        FAST,
        choices=(FAST, AS_IS),
        help="our way, or by the Contiki-NG tree's own flags",
    ),
    "firmware.memory": Parameter(
        "memory", "size", None, 64_000_000, 10**12, help="of one build in a container"
    ),
    "firmware.time": Parameter("time", "time", None, _SECOND, _DAY, help="of one build in a container"),
}
MACHINE = ENGINE | FIRMWARE
# What an axis may set: of firmware, what is compared; where trees and images are holds for all cells.
AXES = FIXED | {path: FIRMWARE[path] for path in ("firmware.source", "firmware.builder")}


def may_vary(path: str) -> bool:
    """Whether a matrix may set it. Parameters of shapes and applications are checked in their cells."""
    section, _, name = path.partition(".")
    nested = ("topology", "application", *feature.named("subjects"))
    return path in AXES or path == "engine" or (section in nested and bool(name))


SECTIONS = (
    "experiment",
    "topology",
    "radio",
    "application",
    "duration",
    "drain",
    "start-delay",
    "seeds",
    "engine",
    "firmware",
    "trace",
    "metrics",
    "spark",
    "matrix",
)


def sections() -> tuple[str, ...]:
    """Return the keys that a scenario may have, with those that features bring."""
    return (*SECTIONS, *feature.named("subjects"))


# Beside the experiments, a store has the folders `campaigns` and `firmware` (runs/store.py).
EXPERIMENT = r"(?!(?:campaigns|firmware)$)[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
EXPERIMENT_REMEDY = (
    "use letters, digits, `-`, `_` and `.`, at most 64, and neither `campaigns` nor `firmware`"
)
# What computes tables and metrics (orchestrate_spark.engines), for a scenario and for a campaign.
MASTER = (
    r"embedded|yarn|local(?:\[(?:\*|[1-9][0-9]*)(?:,[1-9][0-9]*)?\])?"
    r"|(?:spark|sc|k8s)://[A-Za-z0-9_.:,;=/\[\]-]+"
)
MASTER_REMEDY = "write embedded, local[*], spark://HOST:7077 or sc://HOST"
MASTER_HELP = "what computes tables and metrics; by default the quickest engine here"
MOST_SEED = 2**31 - 1
MOST_RUNS = 100_000
MOST_CELLS = 2_000
