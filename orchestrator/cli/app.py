# SPDX-License-Identifier: Apache-2.0
"""The `orchestrate` command: a table of commands, modules that are loaded only when called."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from orchestrator import feature
from orchestrator.cli.guard import guarded

if TYPE_CHECKING:  # a short simulation begins before they are loaded (ahead.py)
    import argparse

# The user's purpose -> name -> (module, one line of help); feature.Command says what a module has. Features
# bring further commands.
GROUPS = {
    "begin": {
        "init": ("init", "write a commented starter scenario"),
        "validate": ("validate", "check a scenario file and list every fault"),
        "topology": ("topology", "draw a topology and write its .csc"),
        "schema": ("schema", "print the JSON Schema of scenario files, for editors"),
    },
    "run": {
        "run": ("run", "plan, build, simulate, ingest and report a scenario"),
        "paper": ("paper", "repeat a paper's experiments and compare the numbers"),
        "simulate": ("simulate", "run .csc files and folders, as Cooja does without a window"),
        "build": ("build", "compile an application's firmware"),
    },
    "results of an experiment": {
        "report": ("report", "write the HTML report of an experiment"),
        "compare": ("compare", "compare two experiments or cells, metric by metric"),
        "metrics": ("metrics", "compute and show an experiment's metrics"),
        "ingest": ("ingest", "read run folders into Spark tables"),
        "query": ("query", "answer SQL over a store's tables and metrics"),
        "runs": ("runs", "list, show, verify and remove stored runs"),
        "reproduce": ("reproduce", "make stored runs again and compare every byte"),
    },
    "inside one run": {
        "show": ("show", "show what happened in a run, mote by mote"),
        "trace": ("trace", "follow one event hop by hop: where was it lost, and why?"),
        "replay": ("replay", "write a page that plays a traced run"),
        "pcap": ("pcap", "write the frames of a run for Wireshark"),
        "debug": ("debug", "stop a mote of a run in gdb at a simulated time"),
    },
    "Cooja's files, this machine": {
        "csc": ("csc", "check, fix, draw, compare and open Cooja's simulation files"),
        "sizes": ("sizes", "print code size and RAM of the middleware's modules"),
        "doctor": ("doctor", "check what this machine has and what it lacks"),
        "completion": ("completion", "print the script for completion in a shell"),
    },
}
# How many more objects may be made than freed before Python looks for cycles. Imports make thousands that
# stay; with the default of 700, looking for cycles took a seventh of the time of a short run.
_COLLECT_AFTER = 50_000

EPILOG = """exit codes:
  0 done (verdict OK)      1 verdict failed          2 wrong usage
  3 faulty input file      4 unsupported input       5 missing tool
  6 build failed           7 run failed              8 storage failed
  9 no such thing (file, experiment, run, cell, application)
  130 interrupted          70 a bug in orchestrate
"""


def commands() -> dict[str, dict[str, tuple[str, str]]]:
    """Return all commands, by group: name -> (module, one line of help)."""
    groups = {
        group: {name: (f"orchestrator.cli.{module}", text) for name, (module, text) in those.items()}
        for group, those in GROUPS.items()
    }
    for name, command in feature.named("commands").items():
        groups.setdefault(command.group, {}).setdefault(name, (command.module, command.help))
    return groups


def every_command() -> dict[str, tuple[str, str]]:
    """Return all commands: name -> (module, one line of help)."""
    return {name: command for group in commands().values() for name, command in group.items()}


def _overview() -> argparse.ArgumentParser:
    import argparse

    from orchestrator import __version__
    from orchestrator.cli.usage import Help, Parser

    lines = "\n\n".join(
        f"{group}:\n" + "\n".join(f"  {name:<12} {text}" for name, (_, text) in those.items())
        for group, those in commands().items()
    )
    parser = Parser(
        prog="orchestrate",
        usage="orchestrate COMMAND [OPTION...]",
        formatter_class=Help,
        description=f"Simulate publish/subscribe middleware on Contiki motes.\n\n{lines}",
        epilog=EPILOG + "\n`orchestrate COMMAND --help` explains a command.",
    )
    parser.add_argument("--version", action="version", version=f"orchestrate {__version__}")
    parser.add_argument("command", choices=every_command(), metavar="COMMAND", help=argparse.SUPPRESS)
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    if "_ARGCOMPLETE" in os.environ:  # a shell asks at Tab
        from orchestrator.cli.completion import complete

        complete(every_command())
    gc.set_threshold(_COLLECT_AFTER)
    atexit.register(gc.freeze)  # or it looks through all objects for cycles once more before it ends
    argv = sys.argv[1:] if argv is None else argv
    if not argv:
        _overview().print_help()
        return 2
    if argv[0] != "simulate":
        return guarded(lambda: _command(_named(argv[0]), argv[1:]))
    from orchestrator.engines.embedded import ahead

    ahead.begin(argv)
    try:
        return guarded(lambda: _command("simulate", argv[1:]))
    finally:
        ahead.drop()


def _named(word: str) -> str:
    """Return the command of that name. Raises WrongUsage; --help and --version end here."""
    known = every_command()
    if word in known:
        return word
    overview = _overview()
    if word.startswith("-"):
        overview.parse_args([word, "doctor"])  # --help and --version end here, other options are refused
    from orchestrator.words import nearest

    meant = nearest(word, known)
    overview.error(f"no command {word!r}" + (f"; did you mean {meant!r}?" if meant else ""))


def _command(name: str, arguments: list[str]) -> int:
    from orchestrator.cli.usage import Help, Parser

    module_name, text = every_command()[name]
    module = import_module(module_name)
    parser = Parser(
        prog=f"orchestrate {name}", description=getattr(module, "DESCRIPTION", text), formatter_class=Help
    )
    module.add_arguments(parser)
    return module.run(parser.parse_args(arguments))


if __name__ == "__main__":
    sys.exit(main())
