# SPDX-License-Identifier: Apache-2.0
"""Reads captures of a sniffer, or of a real Cooja, into an experiment: `orchestrate ingest --pcap FILE`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrate_spark.sources.air.dissect import Dissected


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of captures to `orchestrate ingest`."""
    parser.add_argument(
        "--pcap",
        nargs="+",
        action="extend",
        default=[],
        metavar="FILE",
        help="read these captures of IEEE 802.15.4 (pcap or pcapng; link types 195, 230, 283)",
    )
    parser.add_argument(
        "--air",
        metavar="SETTINGS",
        help="what frames don't say of themselves, as a scenario's key `air` has it: "
        "'{prefix: fd00::/64, keys: {1: KEY}, slot: 10 ms, network: nullnet}'",
    )


def given(args: argparse.Namespace) -> bool:
    """Say whether the command line names captures."""
    return bool(args.pcap)


@contextmanager
def prepared(args: argparse.Namespace, folder: Path, logs: list) -> Iterator[list]:
    """Add the captures that the command line names to the experiment in `folder`, and say what is in them.

    The logs stay as they are. Nothing is added if a capture can't be read. Raises NoSuchThing, and
    FaultyInput with all faults.
    """
    from orchestrator.errors import WrongUsage

    if args.air is not None and not args.pcap:
        raise WrongUsage("--air goes with --pcap; a scenario has the key `air`")
    if args.pcap:
        _add(args, folder)
    yield logs


def _add(args: argparse.Namespace, folder: Path) -> None:
    from orchestrate_spark.experiment import add_beside
    from orchestrate_spark.sources import Damaged
    from orchestrate_spark.sources.air import FILE
    from orchestrate_spark.sources.air.dissect import Settings, dissect

    from orchestrator.console import say
    from orchestrator.errors import Fault, FaultyInput, NoSuchThing
    from orchestrator.features.air import scenario_key
    from orchestrator.words import counted

    paths = [Path(name) for name in args.pcap]
    absent = [f"{path}: {_absence(path)}" for path in paths if not path.is_file()]
    if absent:
        raise NoSuchThing(
            "\n".join(absent) + "\n    name captures after --pcap, and the experiment before it"
        )
    plain = _settings(args.air)
    found: list[Dissected] = []
    faults: list[Fault] = []
    for path in paths:
        try:
            found.append(dissect(path, Settings.of(plain)))
        except Damaged as error:
            what, _, remedy = str(error).partition("\n    ")
            faults.append(Fault(str(path), 0, what, remedy))
    if faults:
        raise FaultyInput(faults)
    for path, dissected in zip(paths, found, strict=True):
        say(f"{path}: {counted(dissected.tables['frames'].num_rows, 'frame')}")
        add_beside(folder, path, FILE, args.cell)
    if args.air is not None:
        scenario_key.keep(plain, folder)


def _absence(path: Path) -> str:
    return "this is a folder" if path.is_dir() else "no such file"


def _settings(text: str | None) -> dict:
    if text is None:
        return {}
    from orchestrator.features.air import scenario_key
    from orchestrator.vocabulary import document
    from orchestrator.vocabulary.faults import Faults

    faults = Faults("--air")
    text = text if text.lstrip().startswith("{") else f"{{{text}}}"
    root = document.mapping(f"air: {text}", faults, "--air is empty", "write 'prefix: fd00::/64'")
    plain = scenario_key.read(root.get("air"), Path(), faults)
    faults.raise_any()
    return plain
