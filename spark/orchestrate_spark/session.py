# SPDX-License-Identifier: Apache-2.0
"""Apache Spark's session, on the cores of this machine or on a cluster by `master` (engines.py chooses)."""

from __future__ import annotations

import atexit
import logging
import os
import re
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from orchestrate_spark import embedded, jvm
from orchestrate_spark.errors import NoJava, NoMaster, by_ctrl_c

if TYPE_CHECKING:
    from py4j.protocol import Py4JJavaError
    from pyspark.sql import SparkSession

FACTORY = "spark.sql.codegen.factoryMode"
_LOCAL = re.compile(r"local\[([1-9][0-9]*|\*)\]")
RETRIES = 4  # local[N] without a second number fails a job at its first lost task
MANY_ROWS = 50_000  # of all tables; below this, compiling expressions takes longer than evaluating them
BIG = 20_000_000  # rows of tables from which Spark chooses joins and partitions by what it measures (AQE)
ROWS_A_PARTITION = 2_000_000  # of an exchange of so many rows
REMEDY = "install it with `python -m pip install 'cooja-orchestrate[spark]'`"
LOCAL = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
COMMON = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.files.openCostInBytes": "65536",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.execution.pyspark.udf.faulthandler.enabled": "false",
    # it asks the JVM seven times for each column, to say where a query was written
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    "spark.sql.adaptive.enabled": "false",  # its stages are jobs of their own; these tables are small
    # Above 128 groups a task, collect_list would sort its rows by group instead of hashing them: of 10,000
    # runs with seven motes each, that was most of the time. A task's groups are those of its share of runs.
    "spark.sql.objectHashAggregate.sortBased.fallbackThreshold": "1000000",
    # What is kept between two uses of it is used twice: packing it took an eighth of the time of 10,000 runs.
    "spark.sql.inMemoryColumnarStorage.compressed": "false",
    "spark.speculation": "false",
}


def running() -> bool:
    """Whether there is a session, so that `session` gives it at once."""
    if not installed():
        return False
    from pyspark.sql import SparkSession

    with embedded.apache_functions():
        return SparkSession.getActiveSession() is not None


def installed() -> bool:
    """Whether Apache Spark itself is installed, and not only PySpark's Spark Connect client."""
    return find_spec("pyspark.core") is not None


def need() -> None:
    """Raise NoSpark, with the remedy, if Apache Spark can't start on this machine."""
    if not installed():
        raise NoJava(f"Apache Spark is not installed\n    {REMEDY}")
    jvm.find_java()
    jvm.need_loopback()


def submitted() -> bool:
    """Whether spark-submit started this process, and the JVM before it."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def session(
    cores: int | None = None, master: str | None = None, *, memory: str = "2g", short_jobs: bool = True
) -> SparkSession:
    """Return the running session, or a new one; PySpark's functions then make columns for it.

    `cores`: of this machine, all by default. `master`: a Spark master's URL instead of this machine's cores.
    `memory`: the driver's heap. `short_jobs`: start fast at the price of 1.5 to 2 times in jobs of minutes.
    Raises NoJava with the way to get one, NoLoopback with the way to switch it on,
    NoMaster if `master` takes no application (Spark tries for a minute).
    """
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # Said once a call with pandas 3; only Arrow's types are used here.
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    if not installed():
        raise NoJava(f"Apache Spark is not installed\n    {REMEDY}")
    embedded.activate(False)
    from py4j.protocol import Py4JJavaError
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    _keep_quiet()
    if running():
        return SparkSession.getActiveSession()
    cores = cores or _cores(master)
    url = _url(master, cores)
    settings = _settings(cores, url, short_jobs)
    by_submit = submitted()
    if by_submit:
        settings = {key: value for key, value in settings.items() if key.startswith("spark.sql.")}
    elif SparkContext._gateway is None:
        _gateway(memory, url, short_jobs)
    builder = SparkSession.builder.appName("orchestrate")
    if master or not by_submit:
        builder = builder.master(url)
    for key, value in settings.items():
        builder = builder.config(key, value)
    try:
        with _our_ctrl_c():
            made = builder.getOrCreate()
        if by_submit:  # the JVM isn't ours to end, so the application must be
            atexit.register(made.stop)
        return made
    except Py4JJavaError as error:
        raise _no_master(url, error) from error
    finally:
        if not by_submit:
            os.environ.pop("PYSPARK_GATEWAY_PORT", None)
            os.environ.pop("PYSPARK_GATEWAY_SECRET", None)


def _cores(master: str | None) -> int:
    """Return how many cores local[N] names, or how many this machine has."""
    named = _LOCAL.fullmatch(master or "")
    return int(named.group(1)) if named and named.group(1) != "*" else len(os.sched_getaffinity(0))


def _url(master: str | None, cores: int) -> str:
    """Return the master's URL; a local one gets its number of tries."""
    return f"local[{cores},{RETRIES}]" if master is None or _LOCAL.fullmatch(master) else master


def _no_master(url: str, error: Py4JJavaError) -> NoMaster:
    told = str(error.java_exception.getMessage()).splitlines()[0]  # the rest is where Java stood
    return NoMaster(
        f"no Spark session at {url}: {told}\n    correct --master (local[2], spark://HOST:7077), and see "
        "that the master is up; what Spark says of it: ORCHESTRATE_SPARK_LOG=warn before the same command"
    )


def _keep_quiet() -> None:
    """Stop PySpark's loggers from printing what is raised as well, with hundreds of Java frames."""
    from pyspark.logger import PySparkLogger

    if "ORCHESTRATE_SPARK_LOG" not in os.environ:
        PySparkLogger.getLogger("SQLQueryContextLogger").setLevel(100)
    for name in (None, "py4j.clientserver"):
        logging.getLogger(name).addFilter(_not_an_interrupt)


def _settings(cores: int, url: str, short_jobs: bool) -> dict[str, str]:
    settings = dict(COMMON)
    if url.startswith("local"):
        # A cluster's number of partitions is Spark's own default, for it may have any number of cores.
        settings.update(LOCAL)
        settings["spark.sql.shuffle.partitions"] = str(min(cores, 8))
        settings["spark.default.parallelism"] = str(cores)
    else:
        settings["spark.sql.adaptive.enabled"] = "true"  # few rows don't take as many tasks as many do
    # Compiling costs more than it saves on small tables, and at 10,000 runs it saves nothing yet: the metrics
    # took 108 s of the JVM's processor time so, 111 s with code generation, 137 s with the C2 compiler too.
    if short_jobs:
        settings["spark.sql.codegen.wholeStage"] = "false"
    return settings


@contextmanager
def _our_ctrl_c() -> Iterator[None]:
    """Inside, Ctrl-C stays what it was before Spark.

    PySpark's handler has the JVM cancel all jobs, in the middle of another call to it, which then fails; in a
    command the JVM ends with it anyway. A notebook or a shell, which goes on, keeps that handler.
    """
    shell = hasattr(sys, "ps1") or "ipykernel" in sys.modules
    if shell or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


@contextmanager
def fitted(session: SparkSession, rows: int) -> Iterator[None]:
    """Let Spark plan for so many rows of tables.

    Of few, it evaluates expressions as they stand; otherwise it writes Java for each of them and compiles
    it, which took a third of the processor time of twelve small runs' metrics. Of many (BIG), it chooses
    joins and partitions by the sizes that it measures, and no join is a broadcast because a family says so.
    """
    if embedded.is_connect(session):
        yield
        return
    wanted = {}
    if rows < MANY_ROWS:
        wanted[FACTORY] = "NO_CODEGEN"
    elif rows >= BIG:
        parallel = session.sparkContext.defaultParallelism
        wanted = {
            "spark.sql.adaptive.enabled": "true",
            "spark.sql.optimizer.disableHints": "true",
            "spark.sql.codegen.wholeStage": "true",
            "spark.sql.shuffle.partitions": str(max(parallel, -(-rows // ROWS_A_PARTITION))),
        }
    before = {name: session.conf.get(name, None) for name in wanted}
    try:
        for name, value in wanted.items():
            session.conf.set(name, value)
        yield
    finally:
        for name, value in before.items():
            session.conf.unset(name) if value is None else session.conf.set(name, value)


def _not_an_interrupt(record: logging.LogRecord) -> bool:
    """Whether a message is worth printing: py4j logs Ctrl-C with its Python frames, and raises it as well."""
    return not (record.exc_info and by_ctrl_c(record.exc_info[1]))


def _gateway(memory: str, url: str, short_jobs: bool) -> None:
    java = jvm.find_java()
    jvm.need_loopback()
    if url.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    port, secret = jvm.start_gateway(java, memory, short_jobs)
    # PySpark takes a running gateway from these two, as it does under spark-submit.
    os.environ["PYSPARK_GATEWAY_PORT"] = str(port)
    os.environ["PYSPARK_GATEWAY_SECRET"] = secret
