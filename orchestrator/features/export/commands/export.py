# SPDX-License-Identifier: Apache-2.0
"""orchestrate export: experiments and campaigns as a research artifact that checks itself."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.cli.options import add_engine, add_store, add_workers
from orchestrator.words import counted

if TYPE_CHECKING:
    from orchestrator.features.export.contents import Chosen
    from orchestrator.runs.store import Store

DESCRIPTION = """Pack experiments or campaigns as a research artifact (an RO-Crate).

It holds the runs (manifests, .csc files, logs), the scenarios, the sources of
the firmware, metrics and reports, versions, LICENSE, CITATION.cff, checksums
and a README with the one command that runs everything again and checks it.
The same store and options give the same bytes.

  orchestrate export chain -o chain.zip --license CC-BY-4.0 \\
      --author "Ada Lovelace <ada@example.org>"
  orchestrate export nightly -o folder --license MIT --citation CITATION.cff
  orchestrate export --check chain.zip
      compare its files with their checksums, then make every run again

exit code: 0 done, everything is the same; 1 a run differs; 2 licence, authors
or target are missing or wrong; 8 damaged runs (nothing is exported) or a
damaged artifact; 9 no such experiment; others as `orchestrate reproduce`."""
_SHOWN = 20  # damaged files that are named


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate export`."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="an experiment or a campaign of the store")
    parser.add_argument("-o", "--out", type=Path, metavar="TARGET", help="the folder or .zip to write")
    parser.add_argument("--license", metavar="ID", help="SPDX identifier of the data's licence")
    parser.add_argument(
        "--author", action="append", default=[], metavar="WHO", help='"Name <email>"; once for each author'
    )
    parser.add_argument(
        "--citation", type=Path, metavar="FILE", help="an existing CITATION.cff or codemeta.json"
    )
    parser.add_argument("--title", help="the artifact's title (default: as the citation says)")
    parser.add_argument(
        "--no-report", action="store_true", help="do not renew metrics and reports; pack them as they are"
    )
    parser.add_argument(
        "--check", type=Path, metavar="ARTIFACT", help="check an artifact's files and make its runs again"
    )
    parser.add_argument(
        "--results", action="store_true", help="with --check: let logs and outcomes alone decide"
    )
    add_store(parser)
    add_engine(parser)
    add_workers(parser, "with --check: runs")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate export`; return the exit code."""
    from orchestrator.errors import WrongUsage

    if args.check is not None:
        if args.names or args.out:
            raise WrongUsage("--check checks an artifact that is there; leave out names and -o")
        return _check(args)
    if not args.names or args.out is None:
        raise WrongUsage("name what to export, and where to with -o FOLDER or -o FILE.zip")
    return _export(args)


def _export(args: argparse.Namespace) -> int:
    from orchestrator.console import stages
    from orchestrator.features.export import citation, contents, pack
    from orchestrator.runs.store import Store, default_store

    of = citation.about(
        args.title, args.license, args.author, args.citation, ", ".join(dict.fromkeys(args.names))
    )
    pack.free(args.out)
    store = Store(default_store(args.store))
    with stages(args.out.name) as display:
        display("checking the runs")
        chosen = contents.choose(store, args.names)
        if not args.no_report:
            _renew(store, chosen, display)
        display("packing")
        archive = pack.artifact(store, chosen, of)
        pack.write(archive, args.out, lambda done, total: display("packing", done, total, "files"))
    content = {
        "artifact": str(args.out),
        "experiments": sorted(chosen.runs),
        "campaigns": list(chosen.campaigns),
        "runs": chosen.count,
        "gone": chosen.gone,
        "files": len(archive),
    }
    if args.json:
        print(json.dumps(content, indent=2))
        return 0
    print(f"{args.out}: {counted(chosen.count, 'run')}, {counted(len(archive), 'file')}")
    for name, number in chosen.gone.items():
        print(f"not in it: {counted(number, 'run')} of {name} that the store no longer has")
    print(f"check it: orchestrate export --check {args.out}")
    return 0


def _renew(store: Store, chosen: Chosen, display: object) -> None:
    """Bring metrics and reports up to date with the runs beside them."""
    from orchestrator.execution.fresh import renew
    from orchestrator.report.page import write

    for name in chosen.runs:
        folder = store.experiment(name)
        if not (folder / "campaign.json").is_file() or all(
            run.outcome.value != "ok" for run in chosen.runs[name]
        ):
            continue
        display(f"metrics and report of {name}")
        if renew(folder) is not None:
            write(store.path, name)


def _check(args: argparse.Namespace) -> int:
    from orchestrator.cli import reproduce
    from orchestrator.cli.guard import worst
    from orchestrator.errors import StorageFailed
    from orchestrator.features.export import contents, pack
    from orchestrator.runs.store import Store

    with pack.opened(args.check) as folder:
        wrong = pack.damage(folder)
        store = Store(folder / contents.STORE)
        runs = [run for name in store.experiments() for run in reproduce.named(store, [name])]
        repetitions, code = reproduce.made(args, runs, args.check.name)
        if args.json:
            content = {
                "damaged": wrong,
                "runs": [reproduce.described(repetition) for repetition in repetitions],
            }
            print(json.dumps(content, indent=2))
        else:
            print(f"files: {'all as their checksums say' if not wrong else f'{len(wrong):,} damaged'}")
            from orchestrator.console import visible

            for what in wrong[:_SHOWN]:
                print(f"    {visible(what)}")
            if len(wrong) > _SHOWN:
                print(f"    and {len(wrong) - _SHOWN:,} more")
            sys.stdout.flush()
            reproduce.show_all(repetitions)
    return worst([code, StorageFailed.exit_code if wrong else 0])
