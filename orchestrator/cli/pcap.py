# SPDX-License-Identifier: Apache-2.0
"""orchestrate pcap: the frames of a run, for Wireshark."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path

DESCRIPTION = """Write the frames of a run as a capture for Wireshark or tshark.

Times are those of the log. There is one packet for each transmission, at its
begin, with its FCS (link type 195, IEEE 802.15.4).

  orchestrate pcap chain/H10A/7
      write radio.pcap into the run's folder
  orchestrate pcap chain/H10A/7 -o chain.pcap
      write another file
  orchestrate pcap chain/H10A/7 --mote P3 -o p3.pcap
      what P3 sent and what it received undamaged, with signal strength and
      channel (link type 283, TAP)

The run is simulated once more with the capture on, and its log must equal the
stored one byte for byte. So every stored run can be captured, and campaigns
lose no time on it.

exit code: 0 done, 4 this engine cannot do it, 7 the repeated run differs from
the stored one, 9 no such run or mote"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate pcap`."""
    from orchestrator.cli.show import add_run

    add_run(parser)
    parser.add_argument(
        "--mote", metavar="NAME", help="capture what this mote sent and received (name or number)"
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write to this file (default: in the run's folder)"
    )


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate pcap`; return the exit code."""
    from orchestrator.cli.show import recorded
    from orchestrator.execution.again import FRAMES
    from orchestrator.inspect import pcap, radio
    from orchestrator.inspect.find import mote_number
    from orchestrator.words import counted

    stored_run, record = recorded(args)
    number = None if args.mote is None else mote_number(stored_run, args.mote)
    target = record / FRAMES
    if number is not None:
        target = args.output or stored_run.where / f"radio-{args.mote}.pcap"
        _write(target, pcap.tap(radio.capture_of(record, number)))
    elif args.output is not None:
        target = args.output
        _write(target, iter([(record / FRAMES).read_bytes()]))
    count = sum(1 for _ in (pcap.read(target) if number is None else radio.capture_of(record, number)))
    print(
        json.dumps({"pcap": str(target), "frames": count, "run_id": stored_run.manifest.run_id}, indent=2)
        if args.json
        else f"{target}: {counted(count, 'frame')}"
    )
    return 0


def _write(target: Path, pieces: Iterable[bytes]) -> None:
    from orchestrator.durable import replacing
    from orchestrator.errors import writing

    with writing(target, "name another file with -o"), replacing(target) as draft, draft.open("wb") as stream:
        for piece in pieces:
            stream.write(piece)
