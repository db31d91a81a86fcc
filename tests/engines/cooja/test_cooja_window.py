# SPDX-License-Identifier: Apache-2.0
"""Cooja's window: its command line, what it needs, and how it ends; without any Cooja."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from orchestrator.engines.cooja import classes, find, java, window
from orchestrator.engines.cooja.classes import Classes
from orchestrator.engines.cooja.command import MAIN
from orchestrator.engines.cooja.find import Place
from orchestrator.engines.cooja.window import Window
from orchestrator.errors import MissingTool, RunFailed, Unsupported


@pytest.fixture
def opened(monkeypatch, tmp_path):
    """Processes that were started, as (words, options); a window is there, and ends with `status`."""
    home = tmp_path / "java"
    (home / "lib").mkdir(parents=True)
    (home / "lib" / "libawt_xawt.so").touch()
    there = SimpleNamespace(calls=[], status=0, place=Place(None, None, Path("/bin/cooja")), preview=False)
    there.home, there.terminated = home, 0

    class Process:
        def __init__(self, words, **options):
            there.calls.append((words, options))

        def wait(self):
            if isinstance(there.status, BaseException) and not there.terminated:
                raise there.status
            return there.status

        def terminate(self):
            there.terminated += 1

    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(window.subprocess, "Popen", Process)
    system = SimpleNamespace(platform="linux", stderr=SimpleNamespace(fileno=lambda: 2))
    monkeypatch.setattr(window, "sys", system)
    monkeypatch.setattr(find, "find", lambda named, contiki: there.place)
    monkeypatch.setattr(classes, "read", lambda jar: Classes(21, there.preview, "5.0", ""))
    monkeypatch.setattr(java, "find", lambda said: SimpleNamespace(executable=home / "bin" / "java"))
    return there


QUIET = {"cwd": None, "stdin": subprocess.DEVNULL, "stdout": 2}


def test_a_program_that_takes_cooja_s_arguments(opened, tmp_path):
    shown = Window()
    shown.show(tmp_path / "a.csc")
    assert shown.rules == "unknown"
    assert opened.calls == [(["/bin/cooja", "--gui", str(tmp_path.resolve() / "a.csc")], QUIET)]


@pytest.mark.parametrize(("preview", "words"), [(False, []), (True, ["--enable-preview"])])
def test_a_jar_with_its_java(opened, tmp_path, monkeypatch, preview, words):
    monkeypatch.chdir(tmp_path)
    opened.place, opened.preview = Place(Path("/c/dist/cooja.jar"), Path("/c")), preview
    shown = Window(contiki=Path("tree"))
    shown.show(Path("a.csc"))
    assert shown.rules == "5.0"
    command = [str(opened.home / "bin" / "java"), *words, "--enable-native-access=ALL-UNNAMED"]
    command += [
        "-cp",
        "/c/dist/cooja.jar:/c/tools/coffee-manager",
        MAIN,
        "--cooja=/c",
        "--gui",
        f"--contiki={tmp_path / 'tree'}",
    ]
    assert opened.calls == [([*command, str(tmp_path / "a.csc")], QUIET)]


def test_a_run_is_shown_in_a_folder_of_its_own(opened, monkeypatch):
    made = []

    class Stage:
        def __init__(self, folder, *given):
            assert folder.is_dir() and folder.name.startswith("orchestrate-cooja-")
            made.append((folder, given))
            self.folder = folder / "stage"

        def other_firmware(self):
            return ["mote type1: other"]

    monkeypatch.setattr(window, "Stage", Stage)
    said: list[str] = []
    Window(say=said.append).show_run("simulation", 7, {"a": "firmware"})
    ((folder, given),) = made
    words = ["/bin/cooja", "--gui", "--logdir=.", str(folder / "stage" / "simulation.csc")]
    assert opened.calls == [(words, QUIET | {"cwd": folder / "stage"})]
    assert given == ("simulation", 7, {"a": "firmware"}) and said == ["mote type1: other"]
    assert not folder.exists()
    Window().show_run("simulation", 7, {})  # says it to nobody


def test_a_window_that_ends_otherwise(opened):
    opened.status = 3
    with pytest.raises(RunFailed, match="^Cooja ended with status 3; see its messages above$"):
        Window().show(Path("a.csc"))
    opened.status = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        Window().show(Path("a.csc"))
    assert opened.terminated == 1


def test_what_is_refused(opened, monkeypatch):
    words = "/a,b/c.csc: Cooja takes what follows a comma for settings\n    rename the file or its folder"
    with pytest.raises(Unsupported, match=f"^{re.escape(words)}$"):
        Window().show(Path("/a,b/c.csc"))
    opened.place = Place(Path("/c/cooja.jar"), Path("/c"))
    (opened.home / "lib" / "libawt_xawt.so").unlink()
    words = (
        f"the Java at {opened.home.resolve()} can't open windows (it has no libawt_xawt.so)\n    install "
        "one that can (on Debian the package without -headless), or name its folder with "
        f"${java.VARIABLE}"
    )
    with pytest.raises(MissingTool, match=f"^{re.escape(words)}$"):
        Window()
    for place in ("jre/lib/amd64", "lib/amd64"):
        (opened.home / place).mkdir(parents=True)
        (opened.home / place / "libawt_xawt.so").touch()
        assert Window().rules == "5.0"
        (opened.home / place / "libawt_xawt.so").unlink()
    monkeypatch.delenv("DISPLAY")
    monkeypatch.setattr(window.sys, "platform", "darwin")
    assert Window().rules == "5.0"
    monkeypatch.setattr(window.sys, "platform", "linux")
    words = (
        "no display for Cooja's window (DISPLAY is not set)\n"
        "    use a desktop or `ssh -X`; `orchestrate csc show` draws a .csc without one"
    )
    with pytest.raises(MissingTool, match=f"^{re.escape(words)}$"):
        Window()
    assert not opened.calls
