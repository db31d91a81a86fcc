# SPDX-License-Identifier: Apache-2.0
"""Loads a user's own Python, by path or by the entry point of an installed package, that defines one value.

Code runs when the user names it, and no other code runs. What it prints, imports and writes is not
restricted; its exceptions become faults with file and line. A file is a single module; whatever it imports
must be installed.
"""

from __future__ import annotations

import ast
import hashlib
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from orchestrate_spark.errors import FaultyCode

MOST_BYTES = 1 << 20
LIMIT_S = (
    60.0  # processor time of loading a file, and of one layout: what takes longer has most likely no end
)
_AGAIN_S = 1.0  # after which the time limit's signal comes again: a bare `except:` in a loop would swallow it


@dataclass(frozen=True)
class Kind:
    """What is looked for.

    `word`: what messages call it. `value`: the name that a module gives it. `group`: the group of entry
    points. `example`: how to get a first one.
    """

    word: str
    value: str
    group: str
    example: str


@dataclass(frozen=True)
class Own:
    """A user's own value.

    `given`: the name that the user gave. `file`: what messages call it, the path or the entry point.
    `digest`: its source's.
    """

    given: str
    file: str
    digest: str
    value: Any


def is_path(given: str) -> bool:
    """Whether this names a file, and not an entry point."""
    return given.endswith(".py") or "/" in given


def installed(kind: Kind) -> list[str]:
    """Return the names of the entry points of installed packages; none of them is loaded."""
    return sorted({point.name for point in metadata.entry_points(group=kind.group)})


def check(kind: Kind, given: str, folder: Path) -> None:
    """Check everything that can be known without running it. Raises FaultyCode."""
    if is_path(given):
        _compiled(kind, folder / given)
    else:
        _entry_point(kind, given)


def load(kind: Kind, given: str, folder: Path) -> Own:
    """Run a user's own code and return its value. Raises FaultyCode.

    `folder`: where a relative path starts.
    """
    return _from_path(kind, given, folder / given) if is_path(given) else _from_package(kind, given)


def guarded(
    file: str,
    what: str,
    call: Callable[[], Any],
    passed: tuple[type[Exception], ...] = (),
    limit_s: float | None = None,
) -> Any:
    """Return the result of `call()`, which runs code of `file`.

    What it raises, except `passed`, becomes FaultyCode with the line in the file. So does taking more than
    `limit_s` seconds of processor time; this limit holds only in a process's main thread.
    """
    try:
        return call() if limit_s is None else _limited(call, limit_s)
    except passed:
        raise
    except _TooLong as error:
        told = f"{what} does not end: it was still running after {limit_s:g} s of processor time"
        remedy = "let it end: look at the loop around that line"
        raise FaultyCode.of(file, line_in(error, file), told, remedy) from None
    except (Exception, SystemExit) as error:
        said = str(error).strip().splitlines()
        told = f"{what} raises {type(error).__name__}" + (f": {said[0][:200]}" if said else "")
        raise FaultyCode.of(file, line_in(error, file), told, MEND) from error


MEND = "mend it in that line, then run the same command again"


class _TooLong(BaseException):
    """The time limit is over. This is no Exception, so that an `except Exception:` does not catch it."""


def _limited(call: Callable[[], Any], seconds: float) -> Any:
    if threading.current_thread() is not threading.main_thread():
        return call()

    def over(*_: object) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN_S)
    try:
        return call()
    finally:
        while signal.getsignal(signal.SIGPROF) is over:
            try:
                signal.setitimer(signal.ITIMER_PROF, 0)
                signal.signal(signal.SIGPROF, before)
            except (
                _TooLong
            ):  # it came between the call's end and here; a timer that is left running would end what follows
                pass


def line_in(error: BaseException, file: str) -> int:
    """Return the last line of `file` that an error went through; 0 if there is none.

    An error of Spark's Python workers has these lines in its message.
    """
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    told = str(error).split(f'File "{file}", line ')
    if len(told) > 1:
        digits = told[-1].split(",")[0].split("\n")[0]
        return int(digits) if digits.isdecimal() else 0
    return lines[-1] or 0 if lines else 0


def _compiled(kind: Kind, path: Path) -> tuple[CodeType, bytes]:
    try:
        with path.open("rb") as stream:
            source = stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FaultyCode.of(
            path, 0, f"cannot be read: {reason}", f"name a Python file; {kind.example} writes one"
        ) from None
    if len(source) > MOST_BYTES:
        raise FaultyCode.of(path, 0, "has more than 1 MB", "is it the right file?")
    try:
        tree = ast.parse(source, str(path))
        code = compile(tree, str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        raise FaultyCode.of(
            path, error.lineno or 0, f"not Python: {error.msg}", "look at this line and the one before"
        ) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise FaultyCode.of(path, 0, f"not Python: {error}", "save it as plain text") from None
    if kind.value not in _assigned(tree):
        raise FaultyCode.of(
            path,
            0,
            f"defines no {kind.value}",
            f"a {kind.word} is what the file calls {kind.value}; {kind.example} writes one",
        )
    return code, source


def _assigned(tree: ast.Module) -> set[str]:
    """Return the names that a module binds at its top level, also inside `if` and `try`."""
    names = {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    return names


def _from_path(kind: Kind, given: str, path: Path) -> Own:
    code, source = _compiled(kind, path)
    digest = hashlib.sha256(source).hexdigest()
    module = ModuleType(f"own_{kind.word}_{hashlib.sha256(str(path.absolute()).encode()).hexdigest()[:12]}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # where dataclasses look for the names in annotations
    try:
        guarded(str(path), "loading it", lambda: exec(code, module.__dict__), limit_s=LIMIT_S)  # noqa: S102 - what the user asked for
    except FaultyCode:
        del sys.modules[module.__name__]
        raise
    if kind.value not in vars(module):
        raise FaultyCode.of(
            path, 0, f"leaves {kind.value} undefined", f"define {kind.value} whatever it was loaded by"
        )
    return Own(given, str(path), digest, vars(module)[kind.value])


def _entry_point(kind: Kind, given: str) -> metadata.EntryPoint:
    found = [point for point in metadata.entry_points(group=kind.group) if point.name == given]
    where = f"entry point {given}"
    if not found:
        known = ", ".join(installed(kind)) or "none"
        raise FaultyCode.of(
            where,
            0,
            f"no installed package has a {kind.word} of that name",
            f"name a file, such as ./{given[:40]}.py, or install its package (group {kind.group}: {known})",
        )
    if len({(point.value, _package(point)) for point in found}) > 1:
        packages = ", ".join(sorted(_package(point) for point in found))
        raise FaultyCode.of(
            where,
            0,
            f"several installed packages have a {kind.word} of that name: {packages}",
            "uninstall all but one",
        )
    return found[0]


def _package(point: metadata.EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else "?"


def _from_package(kind: Kind, given: str) -> Own:
    point = _entry_point(kind, given)
    value = guarded(
        f"entry point {given} ({point.value} of {_package(point)})", "loading it", point.load, limit_s=LIMIT_S
    )
    module = sys.modules.get(point.module)
    file = getattr(module, "__file__", None) or ""
    source = Path(file).read_bytes() if file.endswith(".py") and Path(file).is_file() else b""
    digest = hashlib.sha256(f"{point.value} {_package(point)}\n".encode() + source).hexdigest()
    return Own(given, file or f"entry point {given}", digest, value)


def collect(calls: Iterable[Callable[[], Any]]) -> list[Any]:
    """Return the results of all calls. Raises FaultyCode with the flaws of all of them."""
    made, flaws = [], []
    for call in calls:
        try:
            made.append(call())
        except FaultyCode as faulty:
            flaws += faulty.faults
    if flaws:
        raise FaultyCode(flaws)
    return made
