# SPDX-License-Identifier: Apache-2.0
"""orchestrate build: compile an application's firmware, or find it in the cache."""

from __future__ import annotations

import argparse
import json
import re

DESCRIPTION = """Compile an application's firmware with the host compiler, or find it in the cache.

Prints where the library is, its sizes and its key (what it was built from). Nothing is written where the sources are."""
_VARIABLE = re.compile(r"([A-Z][A-Z0-9_]{0,63})=([A-Za-z0-9_.,:+-]{0,64})")


def add_arguments(parser) -> None:
    parser.add_argument("application", nargs="?", help="its name (a folder of contiki-apps/apps) or its folder")
    parser.add_argument("--sources", action="store_true",
                        help="print the folder of the build recipe, the embedded Contiki and the middleware, for Makefiles")
    parser.add_argument("--variant", action="append", default=[], type=variable, metavar="NAME=VALUE",
                        help="a make variable, for example MAC=nullmac; may be repeated")
    parser.add_argument("--cc", metavar="COMMAND", help="the compiler (default: $CC, cc, gcc or clang)")
    parser.add_argument("--cflags", default="", metavar="FLAGS", help="more flags, for example=-O0 (with the =)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(args) -> int:
    from orchestrator import resources
    from orchestrator.build import compiler, elf, host, sources
    from orchestrator.errors import NoSuchThing

    if args.sources:
        print(resources.contiki_apps())
        return 0
    if args.application is None:
        raise NoSuchThing("which application? name one of contiki-apps/apps, or its folder; --sources needs none")
    variant = dict(args.variant)
    built = host.firmware(args.application, variant, cc=args.cc, cflags=args.cflags)
    sizes = elf.sizes(built.path)
    chosen = compiler.find(args.cc)
    name = sources.application_folder(args.application).name
    if args.json:
        print(json.dumps({
            "application": name, "variant": variant, "path": str(built.path), "sha256": built.sha256, "key": built.key,
            "sizes": sizes, "compiler": chosen.version,
        }, indent=2))
        return 0
    print(built.path)
    print(f"{'text':>9} {'data':>9} {'bss':>9}  bytes")
    print(f"{sizes['text']:>9} {sizes['data']:>9} {sizes['bss']:>9}")
    print(f"sha256 {built.sha256}\nkey    {built.key}\nby     {chosen.version}")
    return 0


def variable(text: str) -> tuple[str, str]:
    """An argparse type: NAME=VALUE without anything that a shell or make could take for more."""
    found = _VARIABLE.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE (letters, digits and _.,:+-)")
    return found[1], found[2]
