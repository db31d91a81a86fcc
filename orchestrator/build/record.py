# SPDX-License-Identifier: Apache-2.0
"""Records what a build of a foreign source read, and tells whether all of it is still the same.

Files are compared by content, and folders by the names in them; either is looked into only if its size and
times have changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.durable import SETTLED_NS, mark, rewrite, sha256

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from orchestrator.build.reads import Reads

_FILE = "record.json"
_FORMAT = 2
_OURS = {"build", "COOJA.testlog", "radio"}  # folders that runs and builds leave beside a source
_PASSING = ("/proc/", "/dev/", "/sys/")


@dataclass
class Change:
    """How what a build read differs from its record now.

    `whole`: something has changed that affects more than the objects made from it. `renewed`: marks in the
    record have changed, of files whose content has not.
    """

    objects: set[str] = field(default_factory=set)
    whole: bool = False
    renewed: bool = False

    def __bool__(self) -> bool:
        return self.whole or bool(self.objects)


def load(home: Path) -> dict | None:
    """Load the record of the build in `home`; None if it is missing or has another format."""
    try:
        record = json.loads((home / _FILE).read_text())
    except (OSError, ValueError):
        return None
    return record if record.get("format") == _FORMAT else None


def forget(home: Path) -> None:
    """Remove the record of the build in `home`."""
    (home / _FILE).unlink(missing_ok=True)


def store(home: Path, record: dict) -> None:
    """Store the record of the build in `home`, in one step."""
    rewrite(home / _FILE, json.dumps(record).encode())


def make(
    found: Reads, asked: Path, root: Path, place: Path, products: str, began_ns: int, kept: dict | None
) -> dict | None:
    """Return the record of a build that began then; None if something that it read has changed since.

    None also if something can't be seen from outside of the copy. `kept`: the record of an earlier build
    whose other objects are still there.
    """
    top, outputs = str(root), f"{place}/{products}/"
    passing = (*_PASSING, f"{root.parent}/")

    def plain(path: str) -> str | None:
        """Return the original's path; None for files that exist only during the build."""
        if path.startswith(outputs) or f"{path}/" == outputs:
            return None
        if path.startswith(f"{top}/"):
            return path[len(top) :]
        return None if path.startswith(passing) or path == top else path

    files = _files(found, plain, place, began_ns)
    folders = None if files is None else _folders(found, plain)
    if files is None or folders is None:
        return None

    def known(paths: Iterable[str]) -> list[str]:
        return sorted(filter(files.__contains__, map(plain, paths)))

    record = {
        "format": _FORMAT,
        "files": files,
        "objects": {name: [known(inputs), arguments] for name, (inputs, arguments) in found.objects.items()},
        "otherwise": known(found.otherwise),
        "folders": folders,
        "git": [[question, *_answer(_ask(question))] for question in _questions(asked)],
    }
    if kept is not None:
        _take_over(record, kept)
    return record


def _files(
    found: Reads, plain: Callable[[str], str | None], place: Path, began_ns: int
) -> dict[str, list] | None:
    """Return the marks of the files that were read, None if one is not what was read.

    Folders among them are noted as listed.
    """
    marks = {}
    for path in found.read - found.written:
        original = plain(path)
        if original is None:
            continue
        if os.path.isdir(path):
            found.listed.add(path)
        elif os.path.isfile(original):
            mark = _mark(original, began_ns)
            if mark is None or (path != original and sha256(Path(path)) != mark[0]):
                return None
            marks[original] = mark
        elif os.path.exists(path) and not path.startswith(f"{place}/"):
            return None
    return marks


def _folders(found: Reads, plain: Callable[[str], str | None]) -> dict[str, dict] | None:
    """Return what is known of folders; None if a name that the build did not find is there by now.

    By folder: its `mark`, a hash of its names if the build listed them, and names that were `missing`.
    """
    folders: dict[str, dict] = {}

    def folder(path: str) -> dict:
        # The mark is older than what is seen of the folder, so a later change shows in it.
        return folders.get(path) or folders.setdefault(path, {"mark": _folder_mark(path), "missing": []})

    for path in {plain(path) for path in found.listed} - {None, tempfile.gettempdir()}:
        folder(path)["listing"] = _listing(_names(path))
    for path in found.missing - found.written:
        original = plain(path)
        if original is not None and not os.path.lexists(path):
            folder(os.path.dirname(original))["missing"].append(os.path.basename(original))
            if os.path.lexists(original):
                return None
    return folders


def _take_over(record: dict, kept: dict) -> None:
    """Add the objects of an earlier record that this build did not make, with what they were made of."""
    for name, (inputs, arguments) in kept["objects"].items():
        if name not in record["objects"]:
            record["objects"][name] = [inputs, arguments]
            for path in inputs:
                record["files"].setdefault(path, kept["files"][path])
    for folder, was in kept["folders"].items():
        now = record["folders"].setdefault(folder, {"missing": []})
        now["mark"] = []  # the names of before have not been looked for since this build began
        now["missing"] = sorted({*was["missing"], *now["missing"]})


def change(record: dict) -> Change:
    """Renew the record's marks of files that moved and have the same content."""
    found = Change()
    asked = [_ask(question) for question, _, _ in record["git"]]  # git looks while we do
    for path, was in record["files"].items():
        if _same(path, was):
            continue
        now = _mark(path, 0)
        if now is None or now[0] != was[0]:
            _changed(record, path, found)
        elif now != was:
            record["files"][path], found.renewed = now, True
    for folder, was in record["folders"].items():
        if _same(folder, [None, *was["mark"]]):
            continue
        mark = _folder_mark(folder)
        names = _names(folder)
        found.whole |= "listing" in was and _listing(names) != was["listing"]
        found.whole |= not names.isdisjoint(was["missing"])
        if mark != was["mark"]:
            was["mark"], found.renewed = mark, True
    for process, (_, answer, text) in zip(asked, record["git"], strict=True):
        if _answer(process)[0] != answer and not found.whole:
            named = [name for name, (_, arguments) in record["objects"].items() if text and text in arguments]
            found.objects.update(named)
            found.whole = not named
    return found


def _changed(record: dict, path: str, found: Change) -> None:
    named = [name for name, (inputs, _) in record["objects"].items() if path in inputs]
    found.objects.update(named)
    found.whole = found.whole or not named or path in record["otherwise"]


def _same(path: str, known: list) -> bool:
    try:
        status = os.stat(path)
    except OSError:
        return False
    return known[1:] == mark(status)


def _mark(path: str, began_ns: int) -> list | None:
    """Hash, size and times; None if it is gone or changed after that time.

    Without times it is always read.
    """
    try:
        status = os.stat(path)
        digest = sha256(Path(path))
    except OSError:
        return None
    if began_ns and status.st_ctime_ns > began_ns:
        return None
    return [digest, *_settled(status)]


def _folder_mark(folder: str) -> list[int]:
    try:
        return _settled(os.stat(folder))
    except OSError:
        return []


def _settled(status: os.stat_result) -> list[int]:
    """Return the mark of what has not changed just now; without one it is looked into every time."""
    settled = time.time_ns() - max(status.st_ctime_ns, status.st_mtime_ns) > SETTLED_NS
    return mark(status) if settled else []


def _names(folder: str) -> set[str]:
    try:
        return set(os.listdir(folder))
    except OSError:
        return set()


def _listing(names: set[str]) -> str:
    text = "\0".join(sorted(names - _OURS))
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()


def _questions(asked: Path) -> list[list[str]]:
    """Working folder and arguments of each call of git, once."""
    lines = asked.read_text(errors="surrogateescape").splitlines() if asked.is_file() else []
    return [line.split("\x1f")[:-1] for line in dict.fromkeys(lines)]


def _ask(question: list[str]) -> subprocess.Popen | None:
    try:
        return subprocess.Popen(
            ["git", *question[1:]],
            cwd=question[0],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"GIT_OPTIONAL_LOCKS": "0"},
        )
    except OSError:
        return None


def _answer(asked: subprocess.Popen | None) -> tuple[str, str]:
    """Hash and text of git's answer."""
    if asked is None:
        return "", ""
    said, _ = asked.communicate()
    return hashlib.sha256(said + b"\0%d" % asked.returncode).hexdigest(), said.decode(
        errors="replace"
    ).strip()[:200]
