# SPDX-License-Identifier: Apache-2.0
"""The embedded engine, and other servers of the Spark Connect protocol.

The embedded engine is Sail (package `pysail`): Spark's DataFrames and SQL, executed by threads of this
process. It needs no Java and starts in a fraction of a second. PySpark talks to it over 127.0.0.1.
"""

from __future__ import annotations

import atexit
import os
import signal
import socket
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from orchestrate_spark.errors import NoEngine, NoMaster

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

REMEDY = "install it with `python -m pip install pysail`, or let Apache Spark work: --master local[*]"
CONNECT_MODE = "SPARK_CONNECT_MODE_ENABLED"  # by this variable PySpark chooses what its functions make
NEWEST = (4, 2)  # version of PySpark that Sail 0.7.2 accepts
PORT = 15002  # of a server that names none
# The rows of a batch inside Sail, instead of 8,192: where there are more groups than these, Sail 0.7.2 gives
# wrong maps for map_from_entries(collect_list(...)) (metrics/model.py, collected_map), which a user's own
# metric may use.
BATCH_ROWS = 1 << 21
CONNECT_LIMIT_S = 10
_SESSIONS: dict[str, SparkSession] = {}  # by URL; the embedded engine's is ""


def session(url: str = "") -> SparkSession:
    """Return this process's session of the embedded engine, or of the server at `url` (sc://HOST:PORT).

    Raises NoEngine if the embedded engine can't run here, NoMaster if no server answers at `url`.
    """
    if url not in _SESSIONS:
        _SESSIONS[url] = _connected(url or _start(), url)
    activate(True)
    return _SESSIONS[url]


def another(session: SparkSession) -> SparkSession:
    """Return a new session, whose views are its own, on the server of this one."""
    url = next((url for url, made in _SESSIONS.items() if made is session), None)
    if url is None:  # not made here
        return session.cloneSession()
    made = _connected(url or _server_url(), url)
    if not url:
        _FURTHER.append(made)
    activate(True)
    return made


def running(url: str = "") -> bool:
    """Whether `session` gives its session at once."""
    return url in _SESSIONS


def activate(connect: bool) -> None:
    """Let PySpark's functions make columns for the Spark Connect protocol, or for Apache Spark in a JVM."""
    if connect:
        os.environ[CONNECT_MODE] = "1"
    else:
        os.environ.pop(CONNECT_MODE, None)


@contextmanager
def apache_functions() -> Iterator[None]:
    """Let PySpark's functions be Apache Spark's inside."""
    before = CONNECT_MODE in os.environ
    activate(False)
    try:
        yield
    finally:
        activate(before)


def is_connect(session: object) -> bool:
    """Whether a session speaks the Spark Connect protocol: there is no JVM and no SparkContext behind it."""
    return type(session).__module__.startswith("pyspark.sql.connect.")


def is_embedded(session: object) -> bool:
    """Whether it is the session of the embedded engine."""
    return session is _SESSIONS.get("") or any(session is made for made in _FURTHER)


def version() -> str:
    """Return the version of the embedded engine. Raises NoEngine if it is not installed."""
    try:
        return metadata.version("pysail")
    except metadata.PackageNotFoundError as error:
        raise NoEngine(f"the embedded engine (package pysail) is not installed\n    {REMEDY}") from error


def client_version() -> str:
    """Return the version of PySpark. Raises NoEngine if the embedded engine refuses it or it is in pieces."""
    import pyspark

    there = pyspark.__version__
    if tuple(map(int, there.split(".")[:2])) > NEWEST:
        newest = ".".join(map(str, NEWEST))
        raise NoEngine(
            f"the embedded engine (Sail {version()}) knows PySpark up to {newest}, and {there} is installed\n"
            f"    python -m pip install 'pyspark-client~={newest}.0', or let Apache Spark work: "
            "--master local[*]"
        )
    # pip removes the files that both packages have with either of them
    if not (Path(pyspark.__file__).parent / "sql" / "connect" / "session.py").is_file():
        raise NoEngine(
            f"PySpark {there} is not whole\n    python -m pip install --force-reinstall "
            f"pyspark-client=={there}"
        )
    return there


def _start() -> str:
    """Start the embedded engine's server in this process; return its URL."""
    from orchestrate_spark.jvm import need_loopback

    version()
    client_version()
    need_loopback()
    os.environ["SAIL_EXECUTION__BATCH_SIZE"] = str(BATCH_ROWS)
    loud = os.environ.get("ORCHESTRATE_SPARK_LOG", "off")
    with _set(RUST_LOG=loud):  # the engine reads it once, as it starts
        try:
            from pysail.spark import SparkConnectServer

            server = SparkConnectServer("127.0.0.1", 0)
            server.start(background=True)
        except (ImportError, OSError, RuntimeError, ValueError) as error:
            raise NoEngine(f"the embedded engine does not start: {error}\n    {REMEDY}") from error
    _SERVERS.append(server)
    return _server_url()


def _server_url() -> str:
    host, port = _SERVERS[0].listening_address
    return f"sc://{host}:{port}"


_SERVERS: list = []  # a server ends when nobody holds it any more
_FURTHER: list[SparkSession] = []  # sessions of the embedded engine beside the first


def _connected(url: str, given: str) -> SparkSession:
    if given:
        _need_server(given)
    # Said once a call with pandas 3; only Arrow's types are used here.
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    warnings.filterwarnings("ignore", r"\[RETRIES_EXCEEDED\]")  # what is wrong is raised
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # what is wrong is raised
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql.connect.client import DefaultChannelBuilder
        from pyspark.sql.connect.client.retries import DefaultPolicy
        from pyspark.sql.connect.session import SparkSession
    except ImportError as error:
        raise NoEngine(f"PySpark can't speak the Spark Connect protocol: {error}\n    {REMEDY}") from error
    try:
        channel = DefaultChannelBuilder(url)
        if not given:
            channel.setChannelOption("grpc.enable_http_proxy", 0)  # it is this process
        made = SparkSession.builder.channelBuilder(channel).create()
        # By default, what the server doesn't answer is tried again for ten minutes, also the end of a job
        # after Ctrl-C. This process itself needn't be asked twice, and a server gets about 20 s.
        made.client.set_retry_policies([DefaultPolicy(max_retries=5 if given else 0)])
        made.range(1).schema  # noqa: B018 - the server is asked for the first time
    except PySparkException as error:
        said = str(error).strip().splitlines()[0]
        if given:
            raise NoMaster(
                f"no Spark session at {url}: {said}\n    correct --master (sc://HOST:PORT), and see that the "
                "server is up"
            ) from error
        raise NoEngine(f"the embedded engine refuses this PySpark: {said}\n    {REMEDY}") from error
    if not given:
        _keep_our_signals()
    with suppress(PySparkException):
        made.conf.set("spark.sql.session.timeZone", "UTC")
    atexit.register(_close, made)
    return made


def _keep_our_signals() -> None:
    """Let signals end this process as before: the engine's server would end itself first, under its jobs."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGINT, signal.SIGTERM):
        if (handler := signal.getsignal(number)) is not None:
            signal.signal(number, handler)


def _need_server(url: str) -> None:
    """Raise NoMaster if nothing listens there; PySpark would try for ten minutes."""
    what = "it names no host"
    with suppress(ValueError):  # a port that is no number
        place = urlsplit(url)
        if place.hostname:
            try:
                socket.create_connection((place.hostname, place.port or PORT), CONNECT_LIMIT_S).close()
                return
            except OSError as error:
                what = error.strerror or str(error)
    raise NoMaster(
        f"no Spark session at {url}: {what}\n    correct --master (sc://HOST:PORT), and see that the server "
        "is up"
    )


def _close(made: SparkSession) -> None:
    with suppress(Exception):  # the server may be gone before
        made.client.close()


class _set:
    """Environment variables inside a block, as they were after it."""

    def __init__(self, **wanted: str):
        self._wanted, self._before = wanted, {}

    def __enter__(self) -> None:
        self._before = {name: os.environ.get(name) for name in self._wanted}
        os.environ.update(self._wanted)

    def __exit__(self, *_: object) -> None:
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
