# SPDX-License-Identifier: Apache-2.0
"""Options that several commands have, and the types of their values."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from orchestrator.vocabulary.simulators import engines as known_engines

_VARIABLE = r"([A-Z][A-Z0-9_]{0,63})=([A-Za-z0-9_.,:+-]{0,64})"
_LEAST_HEAP = 64_000_000


def add_store(
    parser: argparse.ArgumentParser,
    meaning: str = "the store's folder (default: $ORCHESTRATE_STORE, then ./orchestrate-store)",
) -> None:
    """Add the option --store; `meaning` is its help."""
    parser.add_argument("--store", metavar="DIR", help=meaning)


def add_workers(parser: argparse.ArgumentParser, of: str = "number of runs") -> None:
    """Add the option --workers; `of`: begins its help."""
    parser.add_argument(
        "--workers", type=positive, metavar="N", help=f"{of} at a time (default: one per core)"
    )


def add_wall_limit(parser: argparse.ArgumentParser, default: str = "") -> None:
    """Add the option --wall-limit; `default`: what its help says of that."""
    parser.add_argument(
        "--wall-limit",
        type=seconds,
        metavar="S",
        help=f"end a run that takes longer than S seconds{default}",
    )


def add_sanitize(parser: argparse.ArgumentParser) -> None:
    """Add the option --sanitize."""
    parser.add_argument(
        "--sanitize",
        default="",
        metavar="KINDS",
        help="compile firmware with these sanitizers: address, undefined or address,undefined (gcc, x86-64)",
    )


def add_contiki(parser: argparse.ArgumentParser, of: str = "") -> None:
    """Add the option --contiki; `of`: begins its help."""
    parser.add_argument(
        "--contiki",
        type=Path,
        metavar="DIR",
        help=f"{of}the Contiki-NG folder, which the file calls [CONTIKI_DIR]",
    )


def add_run_or_file(parser: argparse.ArgumentParser) -> None:
    """Add the operand that names a run of the store, or a .csc."""
    parser.add_argument(
        "run",
        nargs="+",
        metavar="RUN|FILE",
        help="EXPERIMENT RUN, EXPERIMENT/CELL/SEED, a run folder, or a .csc or .csc.gz",
    )


def add_engine(parser: argparse.ArgumentParser, cooja: bool = True, engines: Sequence[str] = ()) -> None:
    """Add the options that choose one of the engines and its settings; --cooja only if it is free there."""
    default, *between, last = engines or known_engines()
    listed = ", ".join([f"{default} (default)", *between])
    parser.add_argument("--engine", metavar="NAME", help=f"the engine: {listed} or {last}")
    if cooja:
        parser.add_argument(
            "--cooja",
            metavar="PATH",
            help="for the engine cooja: its folder, its jar or a program that starts it (default: "
            "$COOJA, then tools/cooja in $CONTIKI_NG)",
        )
    parser.add_argument("--engine-image", metavar="I", help="run Cooja in a container of this image")
    parser.add_argument(
        "--heap", type=heap, metavar="SIZE", help="heap size of Cooja's JVM, such as 4GB (default: 2 GB)"
    )
    parser.add_argument(
        "--plain",
        action="store_true",
        help="switch off the optimisations of the embedded engine (shared code, skipped ticks, "
        "native scripts); slower, with the same results: use it if you doubt one",
    )


def add_firmware(parser: argparse.ArgumentParser) -> None:
    """Add the options that say from which source and where firmware is built."""
    parser.add_argument(
        "--builder",
        choices=("host", "docker"),
        help="where firmware is built (default: as the scenario says, otherwise on the host; "
        "docker if --image is given)",
    )
    parser.add_argument(
        "--image", metavar="I", help="the image for --builder docker (default: contiker/contiki-ng)"
    )
    parser.add_argument(
        "--contiki-ng",
        metavar="TREE",
        help="build firmware on this Contiki-NG tree; `image`: on the tree inside the image",
    )
    add_compile(
        parser,
        "how a Contiki-NG tree's firmware for Cooja's motes is compiled: fast (default), or as-is by the "
        "tree's own flags",
    )


def add_compile(parser: argparse.ArgumentParser, meaning: str) -> None:
    """Add the option --compile; `meaning` is its help."""
    parser.add_argument("--compile", choices=("fast", "as-is"), help=meaning)


def add_variant(parser: argparse.ArgumentParser, of: str = "") -> None:
    """Add the option --variant; `of`: whose variables they are."""
    parser.add_argument(
        "--variant",
        action="append",
        default=[],
        type=variable,
        metavar="NAME=VALUE",
        help=f"set a make variable{of}, for example MAC=nullmac; may be repeated",
    )


FIGURES = ("svg", "csv")  # formats of figures' files that a report has by default


def add_figures(parser: argparse.ArgumentParser) -> None:
    """Add the option --figures."""
    parser.add_argument(
        "--figures",
        metavar="FORMATS",
        type=formats,
        default=FIGURES,
        help="file formats of the figures: any of svg,pdf,pgf,csv (default: svg,csv)",
    )


def variable(text: str) -> tuple[str, str]:
    """Return an argparse type: NAME=VALUE without anything that a shell or make could take for more."""
    match = re.fullmatch(_VARIABLE, text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE (letters, digits and _.,:+-)")
    return match[1], match[2]


def formats(text: str) -> tuple[str, ...]:
    """Return an argparse type: file formats of figures, separated by commas."""
    from orchestrator.report.drawing import FORMATS

    wanted = {name.lower() for name in names(text)}
    if unknown := sorted(wanted - set(FORMATS)):
        raise argparse.ArgumentTypeError(f"no format {', '.join(unknown)}; there are {','.join(FORMATS)}")
    return tuple(name for name in FORMATS if name in wanted)


def names(text: str) -> tuple[str, ...]:
    """Return an argparse type: names, separated by commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def quantity(text: str, dimension: str, remedy: str = "") -> int | float:
    """Return a quantity in the inner unit of its dimension (vocabulary/units.py).

    `remedy`: what to write instead, if the dimension's own remedy says too little.
    """
    from orchestrator.vocabulary.units import NotAQuantity, parse

    try:
        return parse(text, dimension)
    except NotAQuantity as wrong:
        raise argparse.ArgumentTypeError(f"{wrong.what}; {remedy or wrong.remedy}") from None


def length(text: str) -> float:
    """Return an argparse type: a length with its unit, in m."""
    return quantity(text, "length")


def share(text: str) -> float:
    """Return an argparse type: a share above 0 and below 100 %, as a fraction."""
    value = quantity(text, "ratio", "write a share, such as 1%")
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0% and 100%")
    return value


def duration(text: str) -> float:
    """Return an argparse type: a time with its unit, in s."""
    value = quantity(text, "time")
    if value <= 0:
        raise argparse.ArgumentTypeError(f"the time must be greater than 0, got {text!r}")
    return value / 1e6


def size(text: str) -> int:
    """Return an argparse type: bytes, with a unit."""
    value = quantity(text, "size")
    if value <= 0:
        raise argparse.ArgumentTypeError(f"the size must be greater than 0, got {text!r}")
    return value


def heap(text: str) -> int:
    """Return an argparse type: bytes that a JVM can start with, with a unit."""
    value = size(text)
    if value < _LEAST_HEAP:
        raise argparse.ArgumentTypeError(f"{text!r} is too little for a JVM; give 64 MB or more")
    return value


def whole(text: str) -> int:
    """Return an argparse type: a whole number from 0."""
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0")
    return int(text)


def positive(text: str) -> int:
    """Return an argparse type: a whole number from 1."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return value


def seconds(text: str) -> float:
    """Return an argparse type: seconds, more than 0."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return value


def speed(text: str) -> float | str:
    """Return an argparse type: simulated time by real time; 0 for no limit, "file" for the .csc's own."""
    from orchestrator.engines.model import AS_FILE

    words = {"realtime": 1.0, "max": 0.0, AS_FILE: AS_FILE}
    if text in words:
        return words[text]
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 1e-6 <= value <= 1e6:
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither a factor from 0.000001 to 1000000 nor realtime, file or max"
        )
    return value


def seed(text: str) -> int:
    """Return an argparse type: a Java long, decimal or 0x... as Cooja's option takes it."""
    negative = text.startswith("-")
    digits = text[1:] if text[:1] in ("-", "+") else text
    base = 16 if digits.lower().startswith(("0x", "#")) else 10
    try:
        value = int(digits.removeprefix("#"), base) * (-1 if negative else 1)
    except ValueError:
        value = 2**63
    if not digits[:1].isalnum() and digits[:1] != "#" or "_" in text or not -(2**63) <= value < 2**63:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 64 bits")
    return value


def whole_seconds(text: str) -> int:
    """Return an argparse type: whole seconds of simulated time, at least one."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 10**9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 1 to {10**9}")
    return int(text)
