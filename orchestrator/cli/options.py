# SPDX-License-Identifier: Apache-2.0
"""Options that several commands have, and the types of their values."""

from __future__ import annotations

import argparse
from pathlib import Path

_LEAST_HEAP = 64_000_000


def add_store(parser: argparse.ArgumentParser) -> None:
    """Add the option --store."""
    parser.add_argument(
        "--store",
        metavar="DIR",
        help="the store's folder (default: $ORCHESTRATE_STORE, then ./orchestrate-store)",
    )


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Add the option --workers."""
    parser.add_argument(
        "--workers", type=positive, metavar="N", help="number of runs at a time (default: one per core)"
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


def add_engine(parser: argparse.ArgumentParser, cooja: bool = True) -> None:
    """Add the options that choose an engine and its settings; --cooja only if it is still free there."""
    parser.add_argument("--engine", metavar="NAME", help="the engine: embedded (default), cooja or testbed")
    if cooja:
        parser.add_argument(
            "--cooja",
            metavar="PATH",
            help="for the engine cooja: its folder, its jar or a program that starts it (default: "
            "$COOJA, then tools/cooja in $CONTIKI_NG)",
        )
    parser.add_argument("--engine-image", metavar="I", help="run Cooja in a container of this image")
    parser.add_argument(
        "--heap", type=size, metavar="SIZE", help="heap size of Cooja's JVM, such as 4GB (default: 2 GB)"
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


def size(text: str) -> int:
    """Return an argparse type: bytes, with a unit."""
    from orchestrator.vocabulary.units import SIZE, NotAQuantity, parse

    try:
        value = parse(text, SIZE)
    except NotAQuantity as wrong:
        raise argparse.ArgumentTypeError(f"{wrong.what}; {wrong.remedy}") from None
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
