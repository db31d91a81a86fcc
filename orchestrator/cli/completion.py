# SPDX-License-Identifier: Apache-2.0
"""orchestrate completion: the script that makes a shell complete this command, and the words that fit.

The shell calls `orchestrate` itself at every Tab (argcomplete's protocol, in the environment), so that what
is offered is what is there now: applications, experiments and runs of the store.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.feature import Command

if TYPE_CHECKING:
    from orchestrator.runs.store import Store

DESCRIPTION = """Print the script that makes a shell complete `orchestrate`.

  bash    echo 'eval "$(orchestrate completion bash)"' >> ~/.bashrc
  zsh     echo 'eval "$(orchestrate completion zsh)"' >> ~/.zshrc
          (after compinit)
  fish    orchestrate completion fish \\
            > ~/.config/fish/completions/orchestrate.fish"""
# runs to choose among: of more ids none is offered until some of one is typed, of more seeds the first
MOST_IDS = 20
SHORT_ID = 12  # characters, as in `runs list`
SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate completion`."""
    parser.add_argument("shell", choices=SHELLS, help="the shell")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate completion`; return the exit code."""
    import argcomplete

    # Without readline's own completion: where nothing is known (a number), no file's name is offered.
    print(
        argcomplete.shellcode(["orchestrate"], shell=args.shell, complete_arguments=["-o", "nospace"]).strip()
    )
    return 0


# -- what a shell asks at Tab


def complete(commands: Mapping[str, Command]) -> None:
    """Answers the shell's question in the environment and ends the process.

    `commands`: by name.
    """
    import argcomplete

    words = os.environ.get("COMP_LINE", "").split()
    parser = argparse.ArgumentParser(prog="orchestrate")
    parser.add_argument("--version", action="store_true", help="which version this is")
    subparsers = parser.add_subparsers(dest="command")
    for name, declared in commands.items():
        command = subparsers.add_parser(name, help=declared.help)
        if name in words[1:2]:  # the others' modules need not be loaded
            import_module(declared.module).add_arguments(command)
            _complete_with(name, command)
    argcomplete.autocomplete(parser, always_complete_options=False)


def _complete_with(name: str, parser: argparse.ArgumentParser) -> None:
    """Set what completes each argument of a command and of its actions."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                _complete_with(name, inner)
        else:
            action.completer = _completer(name, action)


def _completer(command: str, action: argparse.Action):
    """Return what completes an argument.

    By name, as the commands name alike what is alike; a free text completes to nothing.
    """
    from argcomplete.completers import DirectoriesCompleter, FilesCompleter

    if action.choices is not None or action.nargs == 0:
        return None  # argcomplete's own
    by_name = {
        "scenario": FilesCompleter(("yaml", "yml", "csc", "csc.gz") if command == "run" else ("yaml", "yml")),
        "files": FilesCompleter(("csc", "csc.gz")),
        "csc": FilesCompleter(("csc",)),
        **({"file": FilesCompleter(("csc", "csc.gz"))} if command == "csc" else {}),
        "out": FilesCompleter(),
        "log": FilesCompleter(),
        "p_file": FilesCompleter(("csv", "yaml", "yml")),
        "application": _either(_applications, DirectoriesCompleter() if command == "build" else None),
        "experiment": _experiment_or_run
        if command == "runs"
        else _either(
            _experiments, FilesCompleter(("yaml", "yml")) if command in ("report", "metrics") else None
        ),
        "runs": _runs,
        "sql": _sql,
        "tables": _tables,
        "run": _any_run,
        **dict.fromkeys(("a", "b"), _either(_cells, FilesCompleter(("yaml", "yml")))),
        "paper": _papers,
        "only": _paper_results,
        "engine": _engines,
        **dict.fromkeys(("store", "logdir", "contiki", "cooja", "folder"), DirectoriesCompleter()),
    }
    return by_name.get(action.dest, lambda prefix, **options: [])


def _either(
    names: Callable[..., list[str]], files: Callable[..., list[str]] | None
) -> Callable[..., list[str]]:
    return (
        names
        if files is None
        else lambda prefix, **options: [*names(prefix, **options), *files(prefix, **options)]
    )


def _applications(prefix: str, **options: object) -> list[str]:
    from orchestrator.applications import descriptor

    return descriptor.names()


def _tables(prefix: str, **options: object) -> list[str]:
    from orchestrate_spark.stores import names

    return list(names())


def _sql(prefix: str, **options: object) -> list[str]:
    """Return the query so far with its last word completed, to a table or a column of those it names."""
    import re

    from orchestrate_spark.stores import names

    before, word = re.fullmatch(r"(?s)(.*?)(\w*)", prefix).groups()
    tables = names()
    named = set(re.findall(r"\w+", before)) & set(tables)
    columns = [
        field.name for name, schema in tables.items() if not named or name in named for field in schema
    ]
    return [before + name for name in dict.fromkeys([*tables, *columns]) if word and name.startswith(word)]


def _papers(prefix: str, **options: object) -> list[str]:
    from orchestrator.papers.table import papers

    return ["list", *papers()]


def _paper_results(prefix: str, parsed_args: argparse.Namespace, **options: object) -> list[str]:
    from orchestrator.papers.table import papers, results

    paper = getattr(parsed_args, "paper", None)
    return [result.name for result in results(paper)] if paper in papers() else []


def _engines(prefix: str, parser: argparse.ArgumentParser, **options: object) -> list[str]:
    from orchestrator.vocabulary.simulators import SIMULATORS, engines

    return list(SIMULATORS if parser.prog.endswith("simulate") else engines())


def _store(parsed_args: argparse.Namespace):
    from orchestrator.runs.store import Store, default_store

    return Store(Path(default_store(getattr(parsed_args, "store", None))).expanduser())


def _experiments(prefix: str, parsed_args: argparse.Namespace, **options: object) -> list[str]:
    return _store(parsed_args).experiments()


def _cells(prefix: str, parsed_args: argparse.Namespace, **options: object) -> list[str]:
    """Experiments, and once one is written, EXPERIMENT/CELL."""
    store, (experiment, deeper, _) = _store(parsed_args), prefix.partition("/")
    if not deeper:
        return store.experiments()
    return [
        f"{experiment}/{cell}" for cell in dict.fromkeys(run.cell for run in _readable(store, experiment))
    ]


def _any_run(prefix: str, parsed_args: argparse.Namespace, **options: object) -> list[str]:
    """EXPERIMENT/, its cells, and a cell's first seeds; or EXPERIMENT and a run's id (as inspect/find.py)."""
    before, store = getattr(parsed_args, "run", None) or [], _store(parsed_args)
    if before and before[0] != prefix:
        return _ids(prefix, store, before[0])
    return _in_cells(prefix, store) if "/" in prefix else [f"{name}/" for name in store.experiments()]


def _experiment_or_run(prefix: str, parsed_args: argparse.Namespace, **options: object) -> list[str]:
    """Experiments; once a / is written, cells, then seeds."""
    store = _store(parsed_args)
    return _in_cells(prefix, store) if "/" in prefix else store.experiments()


def _in_cells(prefix: str, store: Store) -> list[str]:
    experiment, _, rest = prefix.partition("/")
    cell, deeper, _ = rest.rpartition("/")
    runs = _readable(store, experiment)
    if deeper:
        seeds = [
            f"{experiment}/{cell}/{seed}" for seed in sorted({run.seed for run in runs if run.cell == cell})
        ]
        return [seed for seed in seeds if seed.startswith(prefix)][:MOST_IDS]
    return [f"{experiment}/{name}/" for name in dict.fromkeys(run.cell for run in runs)]


def _readable(store: Store, experiment: str) -> list:
    return store.readable(experiment)[0] if experiment in store.experiments() else []


def _ids(prefix: str, store: Store, experiment: str | None) -> list[str]:
    """Ids that begin so, shortened as `runs list` shows them, once they are few enough to choose among."""
    ids = (
        [run for run in store.ids(experiment) if run.startswith(prefix)]
        if experiment in store.experiments()
        else []
    )
    return [run[:SHORT_ID] for run in ids] if len(ids) <= MOST_IDS else []


def _runs(prefix: str, parsed_args: argparse.Namespace, **options: object) -> list[str]:
    return _ids(prefix, _store(parsed_args), getattr(parsed_args, "experiment", None))
