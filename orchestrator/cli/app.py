# SPDX-License-Identifier: Apache-2.0
"""The `orchestrate` command: a table of commands, each in a file of its own, loaded only when it is called."""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module

from orchestrator.cli.guard import guarded

# name -> (module, one line of help). A module has add_arguments(parser) and run(args) -> int (the exit code).
COMMANDS = {
    "run": ("run", "plan, build, simulate, ingest and report a scenario"),
    "simulate": ("simulate", "run one .csc, as a headless Cooja call would"),
    "validate": ("validate", "check a scenario file and list every fault"),
    "init": ("init", "write a commented starter scenario"),
    "new": ("new", "write a small working example of one's own to start from"),
    "topology": ("topology", "draw a topology and write its .csc"),
    "csc": ("csc", "check, fix, draw, compare and open Cooja's simulation files"),
    "build": ("build", "compile an application's firmware"),
    "sizes": ("sizes", "code and RAM of the middleware on a Cortex-M3 and an AVR"),
    "ingest": ("ingest", "read run folders into Spark tables"),
    "metrics": ("metrics", "compute and show an experiment's metrics, also your own"),
    "report": ("report", "write the HTML report of an experiment"),
    "compare": ("compare", "two scenarios or cells, metric by metric"),
    "replay": ("replay", "a traced run as a page to watch"),
    "runs": ("runs", "list, show, verify and remove stored runs"),
    "show": ("show", "what happened in a run, per mote"),
    "pcap": ("pcap", "the frames of a run, for Wireshark"),
    "debug": ("debug", "a mote of a run in gdb, stopped at a simulated time"),
    "trace": ("trace", "one event's way, hop by hop; where it was lost and why"),
    "paper": ("paper", "a paper's experiments, its numbers beside ours"),
    "doctor": ("doctor", "what is here, what is missing, what to do"),
    "schema": ("schema", "the JSON Schema of scenario files, for editors"),
    "completion": ("completion", "the script that makes a shell complete this"),
}

EPILOG = """exit codes:
  0 done (verdict OK)      1 verdict failed          2 wrong usage
  3 faulty input file      4 unsupported input       5 missing tool
  6 build failed           7 run failed              8 storage failed
  9 no such thing (file, experiment, run, cell, application)
  130 interrupted          70 a bug of ours
"""


def _overview() -> argparse.ArgumentParser:
    from orchestrator import __version__

    lines = "\n".join(f"  {name:<10} {text}" for name, (_, text) in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="orchestrate",
        usage="orchestrate COMMAND [OPTION...]",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description=f"Simulate publish/subscribe middleware on Contiki motes.\n\ncommands:\n{lines}",
        epilog=EPILOG + "\n`orchestrate COMMAND --help` tells more of one.",
    )
    parser.add_argument("--version", action="version", version=f"orchestrate {__version__}")
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help=argparse.SUPPRESS)
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser


def main(argv: list[str] | None = None) -> int:
    if "_ARGCOMPLETE" in os.environ:  # a shell asks at Tab
        from orchestrator.cli.completion import complete

        complete(COMMANDS)
    argv = sys.argv[1:] if argv is None else argv
    overview = _overview()
    if not argv:
        overview.print_help()
        return 2
    if not argv[0].startswith("-") and argv[0] not in COMMANDS:
        overview.error(f"no command {argv[0]!r}{_meant(argv[0])}; `orchestrate --help` lists them")
    name = overview.parse_args(argv[:1]).command
    return guarded(lambda: _command(name, argv[1:]))


def _meant(word: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(word, COMMANDS, 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _command(name: str, arguments: list[str]) -> int:
    module_name, text = COMMANDS[name]
    module = import_module(f"orchestrator.cli.{module_name}")
    parser = argparse.ArgumentParser(
        prog=f"orchestrate {name}", description=getattr(module, "DESCRIPTION", text),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.add_arguments(parser)
    return module.run(parser.parse_args(arguments))


if __name__ == "__main__":
    sys.exit(main())
