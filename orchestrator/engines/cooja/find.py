# SPDX-License-Identifier: Apache-2.0
"""Finds Cooja: named by the user, by $COOJA, or in a Contiki-NG tree (tools/cooja)."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import BuildFailed, MissingTool

# The results of `gradlew fullJar`, `gradlew jar` and `gradlew installDist`; an unpacked distribution; older
# builds.
_JARS = (
    "build/libs/cooja-full.jar",
    "build/libs/cooja.jar",
    "build/install/cooja/lib/cooja-full.jar",
    "lib/cooja-full.jar",
    "dist/cooja.jar",
)
_WRAPPER = "gradlew"
_BUILD_LIMIT_S = 1800
_SHOWN = 6


@dataclass(frozen=True)
class Place:
    """A Cooja: a jar and the folder that it calls its own, or a program that takes Cooja's arguments."""

    jar: Path | None
    folder: Path | None
    program: Path | None = None

    def __str__(self) -> str:
        return str(self.program or self.jar)


def find(
    named: str | os.PathLike | None = None, contiki: str | os.PathLike | None = None, *, build: bool = True
) -> Place:
    """Find the Cooja that `named`, else $COOJA, names, else that of the tree `contiki`, else of $CONTIKI_NG.

    It is built if need be and `build`. Raises MissingTool, and BuildFailed if its Gradle wrapper fails.
    """
    for path, origin in (
        (named, "the option or scenario"),
        (os.environ.get("COOJA"), "$COOJA"),
        (_of_tree(contiki), "--contiki"),
        (_of_tree(os.environ.get("CONTIKI_NG")), "$CONTIKI_NG"),
    ):
        if path:
            return _at(Path(path).expanduser().absolute(), origin, build)
    raise MissingTool(
        "no Cooja was named\n    give its folder, its jar or a program that starts it with --cooja, `engine: "
        "{path: ...}` or $COOJA, or a Contiki-NG tree with $CONTIKI_NG; `engine: embedded` needs none"
    )


def _of_tree(tree: str | os.PathLike | None) -> Path | None:
    return Path(tree) / "tools" / "cooja" if tree else None


def _at(path: Path, origin: str, build: bool) -> Place:
    if path.is_file() and path.suffix == ".jar":
        return Place(path, _home(path))
    if path.is_file() and os.access(path, os.X_OK):
        return Place(None, None, path)
    if (path / "tools" / "cooja").is_dir():  # a Contiki-NG tree
        path = path / "tools" / "cooja"
    jar = _jar(path)
    if jar is None and (path / _WRAPPER).is_file():
        if not build:
            raise MissingTool(
                f"Cooja at {path} (by {origin}) is not built yet\n    the first run does: {_WRAPPER} fullJar"
            )
        _build(path)
        jar = _jar(path)
    if jar is not None:
        return Place(jar, path)
    if not path.exists():
        what = "there is no such file or folder"
    elif path.is_file():
        what = "it is neither a jar nor a program that may be run"
    elif not any(path.iterdir()):
        what = (
            "it is empty: a git submodule that was not fetched\n    run `git submodule update --init "
            "tools/cooja` in the tree"
        )
    else:
        what = f"it holds no built Cooja (none of {', '.join(_JARS[:2])}) and no Gradle wrapper"
    raise MissingTool(
        f"Cooja at {path} (by {origin}): {what}\n    name its folder, its jar or a program that starts it"
    )


def _jar(folder: Path) -> Path | None:
    return next((folder / name for name in _JARS if (folder / name).is_file()), None)


def _home(jar: Path) -> Path:
    """Return the folder whose build made a jar; Cooja wants it but reads nothing from it without a window."""
    for name in _JARS:
        if jar.as_posix().endswith("/" + name):
            return jar.parents[name.count("/")]
    return jar.parent


def _build(folder: Path) -> None:
    """Build it with its own Gradle wrapper, in its own build folder."""
    command = [str(folder / _WRAPPER), "--no-daemon", "--quiet", "fullJar"]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            errors="replace",
            timeout=_BUILD_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildFailed(
            f"Cooja in {folder} is not built, and its Gradle wrapper does not start: {error}"
        ) from None
    if done.returncode != 0:
        lines = [
            line for line in done.stdout.splitlines() if line.strip() and not line.lstrip().startswith("at ")
        ][:_SHOWN]
        if any("UnknownHostException" in line for line in lines):
            lines.append(
                "Gradle and Cooja's dependencies come from the network: build it once where there is one, or "
                "name a built Cooja"
            )
        raise BuildFailed(
            f"Cooja in {folder} is not built, and `{_WRAPPER} fullJar` failed:\n    " + "\n    ".join(lines)
        )
