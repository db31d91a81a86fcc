# SPDX-License-Identifier: Apache-2.0
"""orchestrate schema: the JSON Schema of the files that a user writes."""

from __future__ import annotations

import argparse
from pathlib import Path

from orchestrator import feature

DESCRIPTION = """Print the JSON Schema (2020-12) of scenario files, for the installed shapes and
applications, of campaign files, of inventories of testbeds, or of systems that
distribute data.

  orchestrate schema --out scenario.schema.json
  orchestrate schema campaign --out campaign.schema.json

An editor with a YAML language server then completes and checks scenarios in
the same folder whose first line is
  # yaml-language-server: $schema=scenario.schema.json
`orchestrate init` writes that line if the schema file exists. `orchestrate
validate` checks more than a schema can, and decides."""
FILE = "scenario.schema.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate schema`."""
    kinds = tuple(feature.named("schemas"))
    parser.add_argument(
        "of",
        nargs="?",
        choices=kinds,
        default="scenario",
        metavar="FILES",
        help=f"of which files: {', '.join(kinds)} (default: scenario)",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help=f"write it there, for example {FILE}")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate schema`; return the exit code."""
    import json

    from orchestrator.cli import files

    schema = feature.resolve(feature.named("schemas")[args.of]).schema()
    text = json.dumps(schema, indent=1, ensure_ascii=False) + "\n"
    if args.out is None:
        print(text, end="")
    else:
        files.write(args.out, text.encode())
        print(f"{args.out} written")
    return 0
