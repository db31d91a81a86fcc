# SPDX-License-Identifier: Apache-2.0
"""Writes the batches of an ingestion on this machine: in this process, or in one process a core.

A worker is `python -m orchestrate_spark.workers`. It takes batches from its standard input, answers each on
its standard output and ends with its input. If the process that started it is killed, it therefore outlives
that process by one batch at most, whose files nobody links to.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any

from orchestrate_spark.batches import Batch, Beside, Merge, write

ALONE = 16 << 20  # bytes of logs up to which a second process costs more (imports of a second) than it saves
_LENGTH = struct.Struct(">Q")


def write_all(
    todo: Sequence[Batch | Merge | Beside],
    folder: Path,
    cores: int,
    told: Callable[[int, int], None] | None = None,
) -> None:
    """Write all batches into `folder`. `told(done, total)` is called after each.

    Raises OSError if the file system refuses, RuntimeError if a worker ends.
    """
    tell = told or (lambda done, total: None)
    workers = min(cores, len(todo))
    if workers < 2 or sum(batch.size for batch in todo) <= ALONE:
        for done, batch in enumerate(todo, 1):
            write(batch, folder)
            tell(done, len(todo))
        return
    waiting: SimpleQueue = SimpleQueue()
    for batch in sorted(todo, key=lambda batch: -batch.size):  # no core waits long for the last one
        waiting.put(batch)
    processes = [_started() for _ in range(workers)]
    finished: list[str] = []

    def serve(process: subprocess.Popen) -> None:
        while True:
            try:
                batch = waiting.get_nowait()
            except Empty:
                return
            _send(process.stdin, (batch, folder))
            error = _received(process.stdout)
            if error is not None:
                raise error
            finished.append(batch.name)
            tell(len(finished), len(todo))

    try:
        with ThreadPoolExecutor(workers) as pool:
            try:
                for future in [pool.submit(serve, process) for process in processes]:
                    future.result()
            except BaseException:
                _end(processes)  # the threads that wait for an answer get none
                raise
    finally:
        _end(processes)


def _started() -> subprocess.Popen:
    from orchestrate_spark.jvm import python_path

    environment = {**os.environ, "PYTHONPATH": python_path()}
    return subprocess.Popen(
        [sys.executable, "-m", "orchestrate_spark.workers"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
    )


def _end(processes: Sequence[subprocess.Popen]) -> None:
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.wait()


def _send(stream: IO[bytes], value: Any) -> None:
    content = pickle.dumps(value)
    try:
        stream.write(_LENGTH.pack(len(content)) + content)
        stream.flush()
    except BrokenPipeError as error:
        raise RuntimeError("a process that parses logs has ended") from error


def _received(stream: IO[bytes]) -> Any:
    """Return what the other end has sent. Raises RuntimeError if it sent nothing whole."""
    head = stream.read(_LENGTH.size)
    size = _LENGTH.unpack(head)[0] if len(head) == _LENGTH.size else -1
    content = stream.read(size) if size >= 0 else b""
    if len(content) != size:
        raise RuntimeError("a process that parses logs has ended; was it killed, or is the memory used up?")
    return pickle.loads(content)


def main() -> None:
    """Write batches until the standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the starting process's, which ends this one
    source, answers = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing that prints may spoil an answer
    while True:
        try:
            batch, folder = _received(source)
        except RuntimeError:
            return
        error: Exception | None = None
        try:
            write(batch, folder)
        except OSError as failed:
            error = failed
        except Exception as failed:  # noqa: BLE001 - some exceptions can't be sent
            error = RuntimeError(f"{type(failed).__name__}: {failed}")
        try:
            _send(answers, error)
        except RuntimeError:
            return


if __name__ == "__main__":
    main()
