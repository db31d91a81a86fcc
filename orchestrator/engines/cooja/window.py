# SPDX-License-Identifier: Apache-2.0
"""Opens a simulation in Cooja's window and waits until the user closes it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from orchestrator.csc.model import Simulation
from orchestrator.engines.cooja import classes, find, java
from orchestrator.engines.cooja.command import start
from orchestrator.engines.cooja.stage import SIMULATION, Stage
from orchestrator.errors import MissingTool, RunFailed, Unsupported

_TOOLKIT = "libawt_xawt.so"  # the part of Java that opens windows; the -headless packages leave it out


class Window:
    """The window of the Cooja that `named`, $COOJA or the Contiki-NG tree `contiki` gives.

    Raises MissingTool and BuildFailed as find does, and MissingTool without a display or a Java that opens
    windows.
    """

    def __init__(
        self,
        named: Path | None = None,
        contiki: Path | None = None,
        say: Callable[[str], None] = lambda _: None,
    ):
        if sys.platform != "darwin" and not os.environ.get("DISPLAY"):
            raise MissingTool(
                "no display for Cooja's window (DISPLAY is not set)\n"
                "    use a desktop or `ssh -X`; `orchestrate csc show` draws a .csc without one"
            )
        self._place = find.find(named, contiki)
        self._contiki, self._say = contiki, say
        read_classes = None if self._place.jar is None else classes.read(self._place.jar)
        self.rules = classes.UNKNOWN if read_classes is None else read_classes.rules
        executable = "" if read_classes is None else _drawing(java.find(read_classes).executable)
        self._command = start(self._place, executable, read_classes, None)

    def show(self, file: Path) -> None:
        """Open a .csc in its place until the window is closed; Cooja builds firmware beside its sources."""
        if "," in str(file):
            raise Unsupported(
                f"{file}: Cooja takes what follows a comma for settings\n    rename the file or its folder"
            )
        self._open(file.resolve(), None)

    def show_run(self, simulation: Simulation, seed: int, firmware: dict[str, Path]) -> None:
        """Open a copy of a run with this firmware (mote type -> library) until the window is closed."""
        with TemporaryDirectory(prefix="orchestrate-cooja-", ignore_cleanup_errors=True) as folder:
            stage = Stage(Path(folder), simulation, seed, firmware)
            self._open(stage.folder / SIMULATION, stage.folder)
            for line in stage.other_firmware():
                self._say(line)

    def _open(self, file: Path, folder: Path | None) -> None:
        contiki = [] if self._contiki is None else [f"--contiki={self._contiki.absolute()}"]
        logs = [] if folder is None else ["--logdir=."]
        process = subprocess.Popen(
            [*self._command, "--gui", *contiki, *logs, str(file)],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr.fileno(),
        )
        try:
            status = process.wait()
        except BaseException:  # Ctrl-C ends the window, too
            process.terminate()
            process.wait()
            raise
        if status != 0:
            raise RunFailed(f"Cooja ended with status {status}; see its messages above")


def _drawing(executable: Path) -> str:
    """Return a Java's path. Raises MissingTool if it can't open windows."""
    home = Path(executable).resolve().parent.parent
    if sys.platform == "linux" and not any(
        (home / place / _TOOLKIT).is_file() for place in ("lib", "lib/amd64", "jre/lib/amd64")
    ):
        raise MissingTool(
            f"the Java at {home} can't open windows (it has no {_TOOLKIT})\n    install one that can (on "
            f"Debian the package without -headless), or name its folder with ${java.VARIABLE}"
        )
    return str(executable)
