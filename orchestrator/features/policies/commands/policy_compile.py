# SPDX-License-Identifier: Apache-2.0
"""orchestrate policy compile: policies to C."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator.features.policies.bytecode.firmware import Firmware
    from orchestrator.features.policies.extensions import Library
    from orchestrator.features.policies.meaning import Application

DESCRIPTION = """Compile the policies of an application to C.

Writes policies-generated.c and policies-generated.h, which a firmware links with
contiki-apps/middleware/policies. Warnings are shown; with errors nothing is written.

With --bytecode, compile one policy for motes that run already: NAME.bytecode, and
NAME.lines, the lines that bring it to them by a mote's serial port. --for names the
policies that their firmware was compiled from, with --bytecode-place."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--out", type=Path, default=Path(), metavar="DIR", help="where to write (default: here)"
    )
    parser.add_argument(
        "--switched-rules",
        action="store_true",
        help="single rules can be switched off while running (POLICY_CONF_SWITCHED_RULES)",
    )
    parser.add_argument(
        "--bytecode-place",
        action="store_true",
        help="the firmware has a place for a policy in bytecode (POLICY_CONF_BYTECODE)",
    )
    parser.add_argument(
        "--offer",
        action="append",
        default=[],
        metavar="FUNCTION",
        help="a function that bytecode may call, beside those that the firmware's policies call",
    )
    parser.add_argument("--bytecode", action="store_true", help="compile one policy to bytecode")
    parser.add_argument(
        "--for",
        dest="firmware",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="with --bytecode: all policies of the firmware, in the order in which it was compiled",
    )
    parser.add_argument(
        "--version",
        type=int,
        default=1,
        metavar="N",
        help="with --bytecode: 1 to 255; motes take a program of a newer version than theirs (default: 1)",
    )
    parser.set_defaults(usage_error=parser.error)


def run(args: argparse.Namespace) -> int:
    """Compile; return the exit code."""
    from orchestrator.features.policies import extensions
    from orchestrator.features.policies.application import sound
    from orchestrator.features.policies.bytecode.firmware import firmware

    if args.bytecode != bool(args.firmware):
        args.usage_error("--bytecode and --for belong together")
    if not 1 <= args.version <= 255:
        args.usage_error("--version is 1 to 255")
    library = extensions.with_more(args.extensions)
    application, findings = sound(args.files, library)
    for finding in findings:
        print(finding, file=sys.stderr)
    args.out.mkdir(parents=True, exist_ok=True)
    if args.bytecode:
        of, _ = sound(args.firmware, library)
        return _bytecode(args, application, firmware(of, library, args.offer), library)
    from orchestrator.features.policies.c_code.table import code

    place = firmware(application, library, args.offer) if args.bytecode_place else None
    for name, text in code(application, library, args.switched_rules, place).items():
        _write(args.out / name, text.encode())
    return 0


def _bytecode(args: argparse.Namespace, application: Application, of: Firmware, library: Library) -> int:
    from orchestrator.features.policies.bytecode.compiler import compiled
    from orchestrator.features.policies.bytecode.lines import lines

    if len(application.policies) != 1:
        args.usage_error(
            f"a mote has a place for one policy in bytecode, not for {len(application.policies)}"
        )
    policy = application.policies[0]
    program = compiled(policy, of, library)
    _write(args.out / f"{policy.name}.bytecode", program)
    _write(
        args.out / f"{policy.name}.lines",
        "".join(f"{line}\n" for line in lines(program, args.version)).encode(),
    )
    print(f"{policy.name}: {len(program)} bytes for the firmware {of.fingerprint:04x}")
    return 0


def _write(path: Path, data: bytes) -> None:
    from orchestrator.cli import files

    files.write(path, data)
    print(f"written: {path}")
