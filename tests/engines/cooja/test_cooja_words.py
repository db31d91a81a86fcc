# SPDX-License-Identifier: Apache-2.0
"""How a run in Cooja is judged, from logs, consoles and exit statuses that a test writes; command lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.csc.model import EndScript
from orchestrator.engines.cooja import batch, find, java
from orchestrator.engines.cooja.classes import Classes
from orchestrator.engines.cooja.command import command, jvm_options
from orchestrator.engines.cooja.console import Console
from orchestrator.engines.cooja.failures import (
    called_by_a_mote,
    plain,
    ran_out_of_events,
    recognise,
    script_error,
)
from orchestrator.engines.cooja.find import Place
from orchestrator.engines.cooja.verdict import judge, vanished
from orchestrator.errors import MissingTool
from orchestrator.runs.model import Outcome

END = "Test ended at simulation time: 5"
SCRIPT = EndScript(1_000_000, success_line="over")
OOM = "java.lang.OutOfMemoryError: Java heap space"
OOM_EVIDENCE = (OOM, "give Cooja a larger heap: `engine: {heap: 4 GB}` or --heap")
CONSOLE = ["", *(f"INFO  [main] [A.java:1] - line {n}" for n in range(7))]
LAST = tuple(f"line {n}" for n in range(2, 7))


@pytest.mark.parametrize(
    ("said_ok", "console", "log", "outcome", "evidence"),
    [
        (True, CONSOLE, f"TEST OK\n{END}\n", Outcome.OK, ()),
        (
            True,
            CONSOLE,
            "TEST OK\n",
            Outcome.TRUNCATED,
            (
                "Cooja says that the test passed, but its log does not end with 'Test ended at simulation "
                "time: '",
                *LAST,
            ),
        ),
        (
            False,
            CONSOLE,
            None,
            Outcome.SETUP_ERROR,
            (
                "Cooja says that the test failed, but its log does not end with 'Test ended at simulation "
                "time: '",
                *LAST,
            ),
        ),
        (False, [OOM], "", Outcome.OUT_OF_MEMORY, OOM_EVIDENCE),
        (
            True,
            CONSOLE,
            f"x\n{END}\n",
            Outcome.TRUNCATED,
            ("the log has its last line, but no verdict before it", *LAST),
        ),
        (True, [OOM], f"x\n{END}\n", Outcome.OUT_OF_MEMORY, OOM_EVIDENCE),
        (
            False,
            CONSOLE,
            f"TEST TIMEOUT\nTEST FAILED\n{END}\n",
            Outcome.NO_VERDICT,
            (
                "TEST TIMEOUT: the script's time ran out, and it has no verdict for that",
                "no line with 'over' came within 1 s",
            ),
        ),
        (
            False,
            CONSOLE,
            f"x\nTEST FAILED\n{END}\n",
            Outcome.FAILED,
            ("the simulation's script says TEST FAILED", "no line with 'over' came within 1 s"),
        ),
        (
            False,
            ["ERROR [x] [y] - Script error: a", "x", "javax.script.ScriptException: b", "ScriptException: c"],
            f"x\nTEST FAILED\n{END}\n",
            Outcome.FAILED,
            ("Script error: a", "javax.script.ScriptException: b"),
        ),
        (
            False,
            CONSOLE,
            f"TEST OK\n{END}\n",
            Outcome.LOST,
            ("the log says TEST OK, Cooja says that the test failed", *LAST),
        ),
        (False, [OOM], f"TEST OK\n{END}\n", Outcome.OUT_OF_MEMORY, OOM_EVIDENCE),
        (
            False,
            ['java.lang.NullPointerException: Cannot read field "time" because "<local4>" is null'],
            f"TEST OK\n{END}\n",
            Outcome.OK,
            (),
        ),
    ],
)
def test_a_run_that_cooja_ended(tmp_path, said_ok, console, log, outcome, evidence):
    path = tmp_path / "log"
    if log is not None:
        path.write_text(log)
    assert judge(said_ok, console, path, SCRIPT) == (outcome, evidence)


@pytest.mark.parametrize(
    ("status", "begun", "outcome", "said"),
    [
        (None, True, Outcome.LOST, "Cooja's JVM closed its console and did not end"),
        (
            137,
            True,
            Outcome.LOST,
            "Cooja's JVM was ended by signal 9 (SIGKILL), sent from outside or by the operating system "
            "because "
            "memory was short",
        ),
        (143, True, Outcome.LOST, "Cooja's JVM was ended by signal 15 (SIGTERM)"),
        (228, True, Outcome.LOST, "Cooja's JVM was ended by signal 100 (100)"),
        (
            134,
            True,
            Outcome.CRASH,
            "SIGABRT without a report of the JVM's: firmware called abort(), or libc found its memory "
            "damaged",
        ),
        (134, False, Outcome.LOST, "Cooja's JVM was ended by signal 6 (SIGABRT)"),
        (
            7,
            True,
            Outcome.CRASH,
            "Cooja's JVM ended with exit code 7 in the middle of a run, as when firmware calls exit()",
        ),
        (128, True, Outcome.CRASH, "Cooja's JVM ended with exit code 128 in the middle of a run, as when firmware calls exit()"),  # noqa: E501
        (7, False, Outcome.LOST, "Cooja's JVM ended with exit code 7"),
        (0, True, Outcome.LOST, "Cooja's JVM ended with exit code 0 in the middle of a run"),
        (1, True, Outcome.LOST, "Cooja's JVM ended with exit code 1 in the middle of a run"),
        (1, False, Outcome.LOST, "Cooja's JVM ended with exit code 1"),
    ],
)  # fmt: skip
def test_a_jvm_that_ended_otherwise(status, begun, outcome, said):
    assert vanished(status, CONSOLE, begun) == (outcome, (said, *LAST))
    assert vanished(status, [OOM], begun) == (Outcome.OUT_OF_MEMORY, OOM_EVIDENCE)


REPORT = [
    "# Problematic frame:",
    "# C  [libc.so.6+0x1] memcpy",
    "Java frames: (J=compiled Java code)",
    "v  ~RuntimeStub::nep_invoker_blob",
    "j  java.lang.X",
    "  ",
    "j  org.contikios.cooja.contikimote.CoreComm.tick()V+1",
]


@pytest.mark.parametrize(
    ("changes", "proves"),
    [
        ({}, True),
        ({1: "# C  [libjvm.so+0x1]"}, False),
        ({1: "# V  [libc.so]"}, False),
        ({3: "j  other"}, False),
        ({6: "j  org.other"}, False),
        ({0: "# x"}, False),
        ({2: "Native frames:"}, False),
        ({3: "", 4: "", 6: ""}, False),
    ],
)
def test_a_crash_in_what_firmware_called(changes, proves):
    report = [changes.get(number, line) for number, line in enumerate(REPORT)]
    expected = ("in code that the firmware called, by the JVM's crash report:", REPORT[3], REPORT[6])
    assert called_by_a_mote(report) == (expected if proves else ())
    assert called_by_a_mote(report[:3]) == () and called_by_a_mote(REPORT[:1]) == ()
    lost = ["# A fatal error has been detected by the Java Runtime Environment:", "#  SIGSEGV (0xb)"]
    outcome, evidence = vanished(134, lost, True, report)
    assert outcome is (Outcome.CRASH if proves else Outcome.LOST)
    assert evidence == (*(line.strip() for line in lost), *(expected if proves else ()))


@pytest.mark.parametrize(
    ("console", "outcome", "evidence"),
    [
        (["a"], None, None),
        (
            ["There is insufficient memory for the Java Runtime Environment to continue.", "x", "error='12'"],
            Outcome.OUT_OF_MEMORY,
            (
                "There is insufficient memory for the Java Runtime Environment to continue.",
                "error='12'",
                "fewer runs at a time (--workers), or a smaller heap (--heap)",
            ),
        ),
        (
            ["No plugin controlling simulation, aborting"],
            Outcome.NO_END,
            (
                "No plugin controlling simulation, aborting",
                "add a ScriptRunner with an active script; `orchestrate csc fix` does",
            ),
        ),
        (["a: Assertion `x' failed."], Outcome.CRASH, ("a: Assertion `x' failed.",)),
        (
            [
                "# C  [mtype1.cooja+0x12] f",
                "#  SIGSEGV (0xb) at pc",
                "A fatal error has been detected by the Java Runtime",
            ],
            Outcome.CRASH,
            ("# C  [mtype1.cooja+0x12] f", "#  SIGSEGV (0xb) at pc"),
        ),
        (
            ["Compilation error: no", *(f"a.c:{n}: error: x" for n in range(20))],
            Outcome.BUILD_ERROR,
            ("Compilation error: no", *(f"a.c:{n}: error: x" for n in range(7))),
        ),
        (
            [
                "Simulation stopped due to error: x",
                "java.lang.IllegalStateException: y",
                "Caused by: z",
                "at a.b",
            ],
            Outcome.CRASH,
            ("Simulation stopped due to error: x", "java.lang.IllegalStateException: y", "Caused by: z"),
        ),
        (
            ["Unknown variable name: simX"],
            Outcome.SETUP_ERROR,
            (
                "Unknown variable name: simX",
                "the firmware lacks a variable of a mote interface: build it for Cooja, or leave that "
                "interface out "
                "of the .csc",
            ),
        ),
    ],
)
def test_what_a_console_proves(console, outcome, evidence):
    assert recognise(console) == (None if outcome is None else (outcome, evidence))


def test_lines_of_a_console():
    assert plain("ERROR [main] [A.java:1] - " + "x" * 400) == "x" * 300 and plain("  a ") == "a"
    assert plain("WARN  [sim] [B.java:2] - ERROR [main] [A.java:1] - y") == "ERROR [main] [A.java:1] - y"
    assert (
        script_error(["a", "Script error"]) == ("Script error",) and script_error(["ScriptException"]) == ()
    )
    assert ran_out_of_events([]) is False


BEGIN = b"INFO  [main] [Cooja.java:9] - Loading x.csc random seed: 1\n"
OK, FAILED = b"INFO  [main] [Cooja.java:9] - TEST OK\n", b"ERROR [main] [Cooja.java:9] - TEST x.csc FAILED\n"


def test_marks_and_lines_that_are_kept():
    console = Console()
    assert list(console.feed(b"before\r\n" + BEGIN + b"a\n\n  \n")) == ["begin"] and console.lines() == ["a"]
    assert list(console.feed(b"INFO  [sim] [LogScriptEngine.java:5] -   7% completed\n" + OK[:-1])) == []
    assert list(console.end()) == ["ok"] and list(console.end()) == []
    assert list(console.feed(FAILED + BEGIN + b"y\n" + OK)) == ["failed", "begin", "ok"]
    assert console.lines() == ["y", OK.decode().rstrip()]
    assert list(console.feed(BEGIN + b"".join(b"%d\n" % n for n in range(350)))) == ["begin"]
    assert console.lines() == [str(n) for n in (*range(100), *range(150, 350))]
    list(console.feed(BEGIN + b"x" * 3000 + b"\n"))
    assert console.lines() == ["x" * 2000]
    assert list(console.feed(b"[main] TEST OK\nINFO  [main] [Cooja.java:9] - TEST OK!\n")) == []


def test_the_last_line_of_a_log(tmp_path):
    log = tmp_path / "log"
    assert batch._last_line(log) == ()
    for text, last in (
        ("", ()),
        ("a", ()),
        ("a\nb\nc", ("last line: b",)),
        ("x\n" * 9000, ("last line: x",)),
    ):
        log.write_text(text)
        assert batch._last_line(log) == last


# --- command lines and runtimes

PLACE = Place(Path("/c/cooja.jar"), Path("/c"))
CLASSES = Classes(21, False, "5.0", "d")


def test_command_lines():
    options = [
        "-Xmx2048k",
        "-XX:+ExitOnOutOfMemoryError",
        "-XX:-CreateCoredumpOnCrash",
        "-XX:ErrorFile=jvm-crash.txt",
    ]
    assert jvm_options(2 << 20) == options
    end = ["--no-gui", "--no-log-color", "--config=no-settings", "--logdir=.", "a.csc"]
    native = ["--enable-native-access=ALL-UNNAMED", "-jar", "/c/cooja.jar", "--cooja=/c"]
    assert command(PLACE, "java", CLASSES, 2 << 20, ["a.csc"]) == ["java", *options, *native, *end]
    assert command(PLACE, "java", None, 2 << 20, ["a.csc"]) == ["java", *options, *native, *end]
    early = Classes(21, True, "5.0", "d")
    assert command(PLACE, "java", early, 2 << 20, ["a.csc"]) == [
        "java",
        *options,
        "--enable-preview",
        *native,
        *end,
    ]
    program = Place(None, None, Path("/p"))
    assert command(program, "java", None, 1, ["a.csc"]) == ["/p", *end]
    assert (str(program), str(PLACE)) == ("/p", "/c/cooja.jar")


class Runtime:
    def __init__(self, version, modules=(), executable="/j"):
        self.version, self.modules, self.executable = version, modules, executable


def test_which_java_fits():
    early = Classes(21, True, "5.0", "d")
    assert [java.fits(Runtime(version), CLASSES) for version in (20, 21, 22)] == [False, True, True]
    assert [java.fits(Runtime(version), early) for version in (20, 21, 22)] == [False, True, False]
    assert java.fits(Runtime(21, ("java.desktop",)), CLASSES) and not java.fits(Runtime(21, ("x",)), CLASSES)


@pytest.mark.parametrize(
    ("classes", "there", "said"),
    [
        (CLASSES, {}, "this Cooja needs Java 21 or newer; here: none"),
        (Classes(21, True, "5.0", "d"), {"/a": 22}, "this Cooja needs Java 21; here: Java 22 (/a)"),
        (
            CLASSES,
            {"/b": 17, "/a": 11},
            "this Cooja needs Java 21 or newer; here: Java 11 (/a without java.desktop), Java 17 (/b)",
        ),
    ],
)
def test_no_java_that_fits(monkeypatch, classes, there, said):
    monkeypatch.setattr(java, "_candidates", lambda: [(False, Path(name)) for name in there])
    monkeypatch.setattr(
        java,
        "describe",
        lambda path: Runtime(there[str(path)], ("x",) if there[str(path)] == 11 else (), path),
    )
    with pytest.raises(MissingTool) as raised:
        java.find(classes)
    assert str(raised.value) == (
        f"{said}\n    install one (on Debian `apt-get install openjdk-21-jre-headless`, or a Temurin "
        f"package), or name "
        "its folder with $COOJA_JAVA_HOME"
    )


def test_the_chosen_java_and_else_the_oldest_that_fits(monkeypatch):
    versions = {"/a": 25, "/b": 21, "/c": 21, "/d": 17}
    monkeypatch.setattr(java, "describe", lambda path: Runtime(versions[str(path)], (), path))
    for chosen, found in ((("/a",), "/a"), (("/d",), "/b"), ((), "/b")):
        monkeypatch.setattr(
            java,
            "_candidates",
            lambda chosen=chosen: [(name in chosen, Path(name)) for name in ("/d", "/c", "/a", "/b")],
        )
        assert java.find(CLASSES).executable == Path(found)


@pytest.mark.parametrize(
    ("made", "what"),
    [
        (None, "there is no such file or folder"),
        ("file", "it is neither a jar nor a program that may be run"),
        ("empty", "it is empty: a git submodule that was not fetched\n    run `git submodule update --init "
        "tools/cooja` in the tree"),  # noqa: E501
        ("full", "it holds no built Cooja (none of build/libs/cooja-full.jar, build/libs/cooja.jar) and no "
        "Gradle wrapper"),  # noqa: E501
    ],
)  # fmt: skip
def test_where_there_is_no_cooja(tmp_path, made, what):
    path = tmp_path / "cooja"
    if made == "file":
        path.write_text("")
    elif made:
        path.mkdir()
        if made == "full":
            (path / "x").write_text("")
    with pytest.raises(MissingTool) as raised:
        find.find(path)
    assert str(raised.value) == (
        f"Cooja at {path} (by the option or scenario): {what}\n    name its folder, its jar or a program "
        f"that starts it"
    )


def test_a_cooja_that_is_not_built_yet(tmp_path):
    (tmp_path / "gradlew").write_text("")
    with pytest.raises(MissingTool) as raised:
        find.find(tmp_path, build=False)
    assert str(raised.value) == (
        f"Cooja at {tmp_path} (by the option or scenario) is not built yet\n    the first run does: "
        f"gradlew fullJar"
    )
