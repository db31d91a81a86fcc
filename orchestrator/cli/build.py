# SPDX-License-Identifier: Apache-2.0
"""orchestrate build: compile an application's firmware, or find it in the cache."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.cli.options import add_firmware, add_sanitize, add_variant, seconds

if TYPE_CHECKING:
    from orchestrator.build.cache import Built
    from orchestrator.scenario.model import FirmwareOptions

DESCRIPTION = """Compile an application's firmware, or find it in the cache.

The firmware is built with the host's compiler or in a container (--builder
docker), from the embedded Contiki or a Contiki-NG tree, and for any target of
such a tree. The command prints the path of the firmware, its sizes and its
key (what it was built from). It writes nothing into the sources' folders."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate build`."""
    parser.add_argument(
        "application",
        nargs="?",
        help="an application's name (in contiki-apps/apps) or folder, or a C file of a Contiki-NG tree",
    )
    parser.add_argument(
        "--sources",
        action="store_true",
        help="print the folder with the build recipe, the embedded Contiki and the middleware "
        "(for Makefiles)",
    )
    parser.add_argument(
        "--eeprom-fields",
        action="store_true",
        help="print the C header by which the application reads its EEPROM image, eeprom-fields.h "
        "(builds make it themselves)",
    )
    parser.add_argument(
        "--event-types",
        action="store_true",
        help="print the C header of the application's types of events, event-types.h, made from its "
        "event-types.yaml (builds make it themselves)",
    )
    add_variant(parser)
    parser.add_argument("--cc", metavar="COMMAND", help="the compiler (default: $CC, cc, gcc or clang)")
    parser.add_argument(
        "--cflags",
        default="",
        metavar="FLAGS",
        help="additional compiler flags, for example --cflags=-O0 (the = is needed)",
    )
    parser.add_argument(
        "--target",
        default="cooja",
        metavar="T",
        help="a platform of Contiki-NG (default: cooja); cooja, zoul, cc2538dk and nrf52840 are tested",
    )
    add_firmware(parser)
    parser.add_argument(
        "--build-memory",
        type=mebibytes,
        metavar="MIB",
        help="memory limit of a build container, MiB (default: 2048)",
    )
    parser.add_argument(
        "--build-time", type=seconds, metavar="S", help="time limit of a build container, s (default: 900)"
    )
    add_sanitize(parser)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def _event_types(application: str) -> str:
    from orchestrator.applications import descriptor
    from orchestrator.applications.extension import extensions
    from orchestrator.errors import NoSuchThing

    folder = descriptor.load(application).file.parent
    headers: dict[str, str] = {}
    for extension in extensions():
        headers |= extension.headers(folder, lambda header, description: (folder / description).is_file())
    if not headers:
        raise NoSuchThing(f"{application} describes no events\n    describe them in event-types.yaml")
    return "".join(headers.values())


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate build`; return the exit code."""
    from orchestrator import resources
    from orchestrator.build import cache, firmware, recipe, sanitizers
    from orchestrator.console import say, stages
    from orchestrator.errors import NoSuchThing
    from orchestrator.execution.progress import Compiling

    if args.sources:
        print(resources.contiki_apps())
        return 0
    if args.application is None:
        raise NoSuchThing("name an application of contiki-apps/apps or its folder; only --sources needs none")
    if args.eeprom_fields:
        from orchestrator.applications import descriptor, eeprom_header

        print(eeprom_header.header(descriptor.load(args.application)), end="")
        return 0
    if args.event_types:
        print(_event_types(args.application), end="")
        return 0
    variant = dict(args.variant)
    cflags = f"{args.cflags} {sanitizers.flags(args.sanitize, args.cc)}".strip()
    with stages(f"{args.application} for {args.target}") as display, cache.watched(Compiling(display)):
        chosen = firmware.builder(options(args), say=say, show=display.line)
        built = chosen.firmware(args.application, variant, target=args.target, cc=args.cc, cflags=cflags)
    by = described(chosen, args)
    if args.json:
        from_what = {"compiler": by.get("compiler"), "built": chosen.described()}
        print(json.dumps(_plain(args, built) | from_what, indent=2))
        return 0
    print(_text(args.target, built, by))
    if args.target not in recipe.TESTED:
        say(
            f"{args.target} is built as its Makefiles say, but orchestrate's applications are not tested on "
            "it"
        )
    return 0


def _plain(args: argparse.Namespace, built: Built) -> dict:
    from orchestrator.build import elf

    return {
        "application": Path(args.application).resolve().name,
        "target": args.target,
        "variant": dict(args.variant),
        "path": str(built.path),
        "sha256": built.sha256,
        "key": built.key,
        "sizes": elf.sizes(built.path),
    }


def _text(target: str, built: Built, by: dict[str, str]) -> str:
    from orchestrator.build import elf
    from orchestrator.cli.numbers import count

    sizes = elf.sizes(built.path)
    if target not in ("cooja", "native"):
        sizes |= {"flash": sizes["text"] + sizes["data"], "RAM": sizes["data"] + sizes["bss"]}
    return "\n".join(
        [
            str(built.path),
            ", ".join(f"{name} {count(size)}" for name, size in sizes.items()) + " bytes",
            f"sha256 {built.sha256}",
            f"key    {built.key}",
            *(f"{name:<6} {value}" for name, value in by.items()),
        ]
    )


def options(args: argparse.Namespace) -> FirmwareOptions:
    """Return what the command line says about source and builder."""
    from orchestrator.scenario.model import CONTIKI_NG, DOCKER, EMBEDDED, FAST, HOST, FirmwareOptions

    on_tree = args.contiki_ng or args.target != "cooja"
    return FirmwareOptions(
        source=CONTIKI_NG if on_tree else EMBEDDED,
        builder=args.builder or (DOCKER if args.image else HOST),
        image=args.image,
        tree=args.contiki_ng,
        compile=args.compile or FAST,
        memory=args.build_memory,
        seconds=args.build_time,
    )


def described(chosen: FirmwareOptions, args: argparse.Namespace) -> dict[str, str]:
    """How it was built, a line for each fact."""
    from orchestrator.build import host

    build = chosen.described()
    description = {"source": build["source"] + (f" {build['tree']}" if "tree" in build else "")}
    if "image" in build:
        return description | {"image": build["image"]}
    return description | {"compiler": host.compiler_for(args.target, args.cc).version}


def mebibytes(text: str) -> int:
    """Return an argparse type: MiB as bytes; an engine wants at least 6."""
    if not text.isdecimal() or not 6 <= int(text) < 1 << 24:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of MiB from 6")
    return int(text) << 20
