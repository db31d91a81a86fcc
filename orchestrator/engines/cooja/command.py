# SPDX-License-Identifier: Apache-2.0
"""The command line of a headless Cooja for several simulations."""

from __future__ import annotations

from orchestrator.engines.cooja.classes import Classes
from orchestrator.engines.cooja.find import Place

HEAP = 2 << 30  # bytes, as in Cooja's own start script
CRASH_REPORT = "jvm-crash.txt"  # of the JVM, in the working folder
# There is no file with this name: the user's settings of Cooja's window would change what a run does.
_NO_SETTINGS = "no-settings"
MAIN = "org.contikios.cooja.Main"
# Tmote Skys want the settings of their file system on the class path; Cooja's own start puts them there.
_COFFEE = "tools/coffee-manager"


def jvm_options(heap: int) -> list[str]:
    """Return the JVM's options; it ends when the heap is exhausted, because Cooja is undefined then."""
    return [
        f"-Xmx{heap // 1024}k",
        "-XX:+ExitOnOutOfMemoryError",
        "-XX:-CreateCoredumpOnCrash",
        f"-XX:ErrorFile={CRASH_REPORT}",
    ]


def command(place: Place, java: str, classes: Classes | None, heap: int, files: list[str]) -> list[str]:
    """Return the command line for simulations.

    `files`: in Cooja's form, `x.csc,logdir=DIR`, with paths relative to the working folder and without
    commas.
    """
    cooja = ["--no-gui", "--no-log-color", f"--config={_NO_SETTINGS}", "--logdir=.", *files]
    return [*start(place, java, classes, heap), *cooja]


def start(place: Place, java: str, classes: Classes | None, heap: int | None) -> list[str]:
    """Return the command line up to Cooja's own arguments; without a heap the JVM's options are its own."""
    if place.program is not None:
        return [str(place.program)]
    preview = ["--enable-preview"] if classes is not None and classes.preview else []
    return [
        java,
        *([] if heap is None else jvm_options(heap)),
        *preview,
        "--enable-native-access=ALL-UNNAMED",
        "-cp",
        f"{place.jar}:{place.folder / _COFFEE}",
        MAIN,
        f"--cooja={place.folder}",
    ]
