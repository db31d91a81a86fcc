# SPDX-License-Identifier: Apache-2.0
"""The compiler's flags for firmware with sanitizers, which calls kernel/sanitizers/sanitizer.h.

The compiler is told to instrument as for a kernel, which brings no library: our loader loads a mote many
times in a process, and AddressSanitizer's own library exists once in a process and is bound to the system's
loader.
"""

from __future__ import annotations

from orchestrator.build import compiler
from orchestrator.errors import Unsupported, WrongUsage
from orchestrator.words import did_you_mean

KINDS = {
    # Each access is checked by a call, because a check that is compiled in place could not report anything.
    # The offset is the one in kernel/sanitizers/address.c.
    "address": (
        "-fsanitize=kernel-address -fasan-shadow-offset=0x7fff8000 "
        "--param=asan-instrumentation-with-call-threshold=0 "
        "--param=asan-globals=1 --param=asan-stack=1 --param=asan-use-after-return=1 "
        "-fsanitize-address-use-after-scope"
    ),
    "undefined": "-fsanitize=undefined",
}
_ALWAYS = "-fno-sanitize-recover=all -fno-lto -g"


def flags(kinds: str, cc: str | None = None) -> str:
    """Return the flags for kinds named as `address,undefined`; none for no kinds.

    Raises WrongUsage, Unsupported (the compiler).
    """
    if not kinds:
        return ""
    wanted = [kind.strip() for kind in kinds.split(",")]
    if unknown := [kind for kind in wanted if kind not in KINDS]:
        raise WrongUsage(f"--sanitize {kinds}: no kind {unknown[0]!r}; {did_you_mean(unknown[0], KINDS)}")
    chosen = compiler.find(cc)
    if not (chosen.machine.startswith("x86_64") and "linux" in chosen.machine) or "clang" in chosen.version:
        raise Unsupported(
            f"firmware with sanitizers needs gcc for x86-64 Linux, not {chosen.version}\n    set CC=gcc, or "
            "--cc gcc"
        )
    return " ".join([*(KINDS[kind] for kind in KINDS if kind in wanted), _ALWAYS])


def make_flags(cflags: str) -> list[str]:
    """Variables that let Contiki-NG's Makefiles link without what sanitizers call: the engine has that."""
    return ["TARGET_STARTFILES=-Wl,-z,undefs"] if "-fsanitize=" in cflags else []
