# SPDX-License-Identifier: Apache-2.0
"""orchestrate csc open: a run or a .csc in Cooja's window."""

from __future__ import annotations

import argparse
from pathlib import Path

from orchestrator.cli.options import add_contiki, add_run_or_file, add_store

DESCRIPTION = """Open a simulation in the window of a real Cooja.

  orchestrate csc open chain/3A/1
      a stored run: its .csc, its seed and the firmware that ran
  orchestrate csc open some.csc
      a file, in its place

A run opens as a copy: nothing is compiled, and the store is not changed. To
keep changes, save the file elsewhere (File, Save as). For a file, Cooja builds
the firmware itself, as usual. The command ends when the window is closed.

exit code: 0 the window was closed, 5 Cooja, Java or a display is missing,
7 Cooja failed, 9 no such run or file"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate csc open`."""
    add_run_or_file(parser)
    add_store(parser)
    parser.add_argument(
        "--cooja",
        type=Path,
        metavar="PATH",
        help="a Cooja: its folder, jar or start program (default: $COOJA, or that of --contiki or "
        "$CONTIKI_NG)",
    )
    add_contiki(parser)


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate csc open`; return the exit code."""
    from orchestrator.cli.show import stored
    from orchestrator.console import say
    from orchestrator.engines.cooja.window import Window
    from orchestrator.engines.protocol import engine
    from orchestrator.errors import NoSuchThing
    from orchestrator.execution import again

    file = Path(args.run[0])
    if len(args.run) == 1 and file.name.endswith((".csc", ".csc.gz")):
        if not file.is_file():
            raise NoSuchThing(f"{file}: no such file")
        Window(args.cooja, args.contiki, say).show(file)
        return 0
    stored_run = stored(args)
    window = Window(args.cooja, args.contiki, say)
    repetition = again.again(stored_run.where, stored_run.manifest, say=say)
    for line in repetition.differences(engine(stored_run.manifest.engine.name)):
        say(f"{line}: what you see may differ from what happened in it")
    ran = stored_run.manifest.engine.rules
    if "unknown" not in (window.rules, ran) and window.rules != ran:
        say(
            f"the run followed the rules {ran}, and this Cooja follows {window.rules}: "
            "what you see may differ from what happened in it"
        )
    window.show_run(repetition.simulation, stored_run.manifest.seed, repetition.firmware)
    return 0
