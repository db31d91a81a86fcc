# SPDX-License-Identifier: Apache-2.0
"""Reads an experiment's folder: run folders by their manifests, and logs that came without one.

`runs/RUN_ID/{manifest.json, COOJA.testlog}` is a run. `logs/RUN_ID/{source.json, COOJA.testlog}` is the log
of a simulation that another program made (a stock Cooja); its seed and verdict are those in the log.

Manifests have a reader in orchestrator/runs/manifest.py, too. This one is separate because this package works
without orchestrator and may not import it. It takes only the few fields that tables need, from any store of
format 1, whereas the other one checks every field.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import shutil
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from orchestrate_spark import sources
from orchestrate_spark.errors import Fault, FaultyLog, NoRuns

MANIFEST, SOURCE, LOG = "manifest.json", "source.json", "COOJA.testlog"
UNKNOWN = "unknown"  # the outcome of a log that has neither manifest nor verdict
LIMIT = 1 << 63
READERS = 8  # manifests that are read at once
_BLOCK, _MOST_DIGITS = 1 << 20, 64  # bytes read at a time, and kept of a line that two reads share
_LINE = re.compile(rb"\n([0-9]+\tID:[0-9]+\t|Random seed: |\xef\xbb\xbf(?:[0-9]+\tID:|Random seed: ))")


@dataclass(frozen=True)
class Run:
    """One run to ingest.

    `row`: its part of the table `runs`. `motes`: its rows of the table `motes`. `fingerprint`: a digest that
    changes with the manifest and the log's size. `size`: bytes of the log. `sha256`: the log's, if the
    manifest has it. `foreign`: whether the log came without a manifest. `files`: bytes of the files beside
    the log that sources read, by name; those that are not there are left out.
    """

    run_id: str
    experiment: str
    cell: str
    seed: int
    log: str
    size: int
    fingerprint: str
    row: dict[str, Any] = field(default_factory=dict)
    motes: tuple[dict[str, Any], ...] = ()
    foreign: bool = False
    sha256: str | None = None
    files: dict[str, int] = field(default_factory=dict)

    @property
    def work(self) -> int:
        """Bytes of all files that are read for it."""
        return self.size + sum(self.files.values())


@dataclass(frozen=True)
class Skipped:
    """A folder that looks like a run but can't be read as one, and why."""

    folder: str
    why: str


def find_runs(experiment: Path, only: Collection[str] | None = None) -> tuple[list[Run], list[Skipped]]:
    """Return all runs (or those with these ids) by cell, seed and id, and the folders that can't be read.

    Raises NoRuns if the folder is missing or holds no runs.
    """
    if not experiment.is_dir():
        raise NoRuns(
            f"{experiment}: no such experiment folder\n"
            "    name one that holds runs/, or run the scenario first"
        )
    runs: list[Run] = []
    skipped: list[Skipped] = []
    for kind, name, read in (("runs", MANIFEST, read_run), ("logs", SOURCE, read_foreign)):
        if not (experiment / kind).is_dir():
            continue
        names = os.listdir(experiment / kind) if only is None else only
        folders = [experiment / kind / run for run in sorted(names)]

        def tried(folder: Path, name: str = name, read: Callable[[Path], Run] = read) -> Run | Skipped | None:
            if not (folder / name).is_file():
                return None  # not finished, or not ours
            try:
                return read(folder)
            except (OSError, ValueError, RecursionError) as error:
                return Skipped(str(folder), str(error))

        with ThreadPoolExecutor(READERS) as pool:  # a network's file system takes its time for each file
            for found in pool.map(tried, folders):
                if isinstance(found, Skipped):
                    skipped.append(found)
                elif found is not None:
                    runs.append(found)
    if not runs and not skipped and only is None:
        raise NoRuns(f"{experiment}: no finished runs in it\n    run the scenario first")
    return sorted(runs, key=lambda run: (run.experiment, run.cell, run.seed, run.run_id)), skipped


def read_run(folder: Path) -> Run:
    """Return the run of a run folder. Raises OSError or ValueError with what is wrong.

    It reads what the tables have of a manifest; orchestrator.runs.manifest, which notebooks and executors do
    without, reads and checks the whole.
    """
    raw = (folder / MANIFEST).read_bytes()
    manifest = json.loads(raw)
    if not isinstance(manifest, dict):
        raise ValueError("manifest.json is not an object")
    if manifest.get("format") != 1:
        raise ValueError(f"manifest.json is of format {manifest.get('format')!r}, known is 1")
    for name, kind in (("run_id", str), ("experiment", str), ("cell", str), ("seed", int), ("outcome", str)):
        if not isinstance(manifest.get(name), kind) or isinstance(manifest.get(name), bool):
            raise ValueError(f"manifest.json has no {name}")
    if manifest["run_id"] != folder.name:
        raise ValueError(f"manifest.json names run {manifest['run_id']!r}: the folder was renamed or copied")
    if not -LIMIT <= manifest["seed"] < LIMIT:
        raise ValueError("manifest.json has a seed of more than 64 bits")
    return Run(
        manifest["run_id"],
        manifest["experiment"],
        manifest["cell"],
        manifest["seed"],
        str(folder / LOG),
        _size(folder / LOG),
        _fingerprint(raw, _size(folder / LOG)),
        _row(manifest),
        _motes(manifest),
        sha256=_text(manifest.get("log_sha256")),
        files=_files(folder),
    )


def read_foreign(folder: Path) -> Run:
    """Read a log that came without a manifest, as a run. Raises ValueError."""
    raw = (folder / SOURCE).read_bytes()
    source = json.loads(raw)
    if not isinstance(source, dict) or not all(
        isinstance(source.get(k), str) for k in ("experiment", "cell")
    ):
        raise ValueError("source.json does not name experiment and cell")
    seed = source.get("seed")
    seed = seed if isinstance(seed, int) and -LIMIT <= seed < LIMIT else 0
    return Run(
        folder.name,
        source["experiment"],
        source["cell"],
        seed,
        str(folder / LOG),
        _size(folder / LOG),
        _fingerprint(raw, _size(folder / LOG)),
        {"outcome": UNKNOWN},
        (),
        foreign=True,
        files=_files(folder),
    )


def damage(run: Run) -> Skipped | None:
    """Return the run as Skipped, with the reason, if its log is not the one that the run wrote."""
    if run.sha256 is None:
        return None
    why = "is not what the run wrote (its SHA-256 is not that of the manifest)"
    try:
        with open(run.log, "rb") as stream:
            if hashlib.file_digest(stream, "sha256").hexdigest() == run.sha256:
                return None
    except OSError as error:
        why = f"cannot be read: {error.strerror or error}"
    return Skipped(str(Path(run.log).parent), f"{LOG} {why}")


def add_logs(experiment: Path, logs: Sequence[Path], cell: str | None = None) -> list[Path]:
    """Copy logs without manifests into the experiment and return their folders.

    The same log again changes nothing. `cell`: the name of their cell in the tables, by default each file's
    name, or its folder's if the file has Cooja's usual name.
    Adds nothing and raises NoRuns if files are missing, FaultyLog if in some of them no line is a log's.
    """
    if absent := [str(log) for log in logs if not log.is_file()]:
        raise NoRuns(
            "\n".join(f"{log}: no such file" for log in absent)
            + "\n    name COOJA.testlog files after --log, and the experiment before it"
        )
    if flaws := [flaw for log in logs if (flaw := _no_log(log)) is not None]:
        raise FaultyLog(flaws)
    return [_added(experiment, log, cell) for log in logs]


def add_beside(experiment: Path, file: Path, name: str, cell: str | None = None) -> Path:
    """Copy a file that is no log, such as a capture, into the experiment as a run of its own with no lines.

    `name`: under which a source finds it in the run's folder (orchestrate_spark.sources). Returns the folder.
    """
    folder = _added(experiment, file, cell, name)
    (folder / LOG).touch()
    return folder


def _added(experiment: Path, log: Path, cell: str | None, kept: str = LOG) -> Path:
    with open(log, "rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()[:20]
    folder = experiment / "logs" / digest
    name = cell or (log.resolve().parent.name if log.name == LOG else log.stem) or "log"
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f".{kept}.{os.getpid()}"
    shutil.copyfile(log, draft)
    draft.replace(folder / kept)
    source = {
        "experiment": experiment.name,
        "cell": name,
        "seed": seed_of(log) if kept == LOG else None,
        "log": log.name,
    }
    write_atomic(folder / SOURCE, (json.dumps(source, indent=2) + "\n").encode())
    return folder


def _no_log(log: Path) -> Fault | None:
    """Return what is wrong with a file in which no line is a log's; None if one is."""
    rest = start = b""
    with open(log, "rb") as stream:
        while data := stream.read(_BLOCK):
            start = start or data[:2]
            if _LINE.search(b"\n" + rest + data):
                return None
            rest = data[-_MOST_DIGITS:].rpartition(b"\n")[2]
    line, what = 0, "not a log: no line of it has time, tab, ID:mote, tab and text"
    remedy = "name a COOJA.testlog, as `orchestrate simulate` and Cooja's script runner write it"
    if not start:
        what = "the file is empty"
        remedy = "was the simulation ended before it began? name another COOJA.testlog"
    elif start in (b"\xff\xfe", b"\xfe\xff"):
        line, what = 1, "the file is in UTF-16, no log of Cooja's is"
        remedy = "convert it: iconv -f UTF-16 -t UTF-8 FILE > NEW"
    return Fault(str(log), line, what, remedy)


def seed_of(log: Path) -> int | None:
    """Return the seed in a COOJA.testlog's first line."""
    with open(log, "rb") as stream:
        found = re.fullmatch(rb"Random seed: (-?[0-9]{1,18})\r?\n", stream.readline(200))
    return int(found.group(1)) if found else None


def write_atomic(path: Path, data: bytes) -> None:
    """Write a file in one step: readers see the old content or the new one.

    orchestrator.durable does the same; this package runs without it.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with open(draft, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(path)


def _size(log: Path) -> int:
    try:
        return log.stat().st_size
    except OSError:
        return 0


def _files(folder: Path) -> dict[str, int]:
    sizes = {}
    for name in sources.files():
        with suppress(OSError):
            sizes[name] = (folder / name).stat().st_size
    return sizes


def _fingerprint(manifest: bytes, size: int) -> str:
    return hashlib.sha256(manifest + b"%d" % size).hexdigest()[:20]


def _row(manifest: dict) -> dict[str, Any]:
    engine, statistics = _dict(manifest.get("engine")), _dict(manifest.get("statistics"))
    parameters = _dict(manifest.get("parameters"))
    return {
        "trend_id": _text(manifest.get("trend_id")),
        "outcome": manifest["outcome"],
        "finished": _text(manifest.get("finished")),
        "aggregate": _aggregate(parameters),
        "pair": _pair(parameters),
        "settings": _json(_dict(manifest.get("settings"))),
        "parameters": _json(parameters),
        "statistics": _json(statistics),
        "engine": _text(engine.get("name")),
        "engine_version": _text(engine.get("version")),
        "rules": _text(engine.get("rules")),
        "sim_us": _int(statistics.get("sim_us")),
        "wall_s": _float(statistics.get("wall_s")),
    }


def _aggregate(parameters: dict) -> bool | None:
    value = _dict(_dict(parameters.get("application")).get("parameters")).get("aggregate")
    return value if isinstance(value, bool) else None


def _pair(parameters: dict) -> str:
    """Return what two cells share that differ in application.aggregate only, whatever they are called."""
    rest = {key: value for key, value in parameters.items() if key not in ("name", "settings", "trace")}
    application = _dict(rest.get("application"))
    chosen = {key: value for key, value in _dict(application.get("parameters")).items() if key != "aggregate"}
    shared = {**rest, "application": {**application, "parameters": chosen}}
    return hashlib.sha256(_json(shared).encode()).hexdigest()[:16]


def _motes(manifest: dict) -> tuple[dict[str, Any], ...]:
    motes = manifest.get("motes")
    rows = []
    for mote in motes if isinstance(motes, list) else ():
        number = _int(_dict(mote).get("mote"))
        if number is None:
            raise ValueError("manifest.json has a mote without a number")
        rows.append(
            {
                "mote": number,
                "name": _text(mote.get("name")) or f"mote {number}",
                "role": _text(mote.get("role")),
                "x": _float(mote.get("x")),
                "y": _float(mote.get("y")),
                "parent": _int(mote.get("parent")),
            }
        )
    return tuple(rows)


def _dict(value: Any) -> dict:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _int(value: Any) -> int | None:
    return (
        value if isinstance(value, int) and not isinstance(value, bool) and -LIMIT <= value < LIMIT else None
    )


def _float(value: Any) -> float | None:
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or abs(value) > 1e300
        or not math.isfinite(value)
    ):
        return None
    return float(value)


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
