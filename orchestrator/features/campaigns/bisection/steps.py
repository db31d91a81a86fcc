# SPDX-License-Identifier: Apache-2.0
"""`git bisect` in a worktree of its own: git chooses the commits, we say good, bad or skip.

The user's checkout is not touched: the worktree and its bisection have their own HEAD and refs.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from orchestrator import git
from orchestrator.errors import StorageFailed, Unsupported

GOOD, BAD, SKIP = "good", "bad", "skip"
_FOUND = re.compile(r"^([0-9a-f]{40,64}) is the first bad commit$", re.MULTILINE)
_ONLY_SKIPPED = "only 'skip'ped commits left"
_HASH = re.compile(r"^([0-9a-f]{40,64})$", re.MULTILINE)


@dataclass(frozen=True)
class Step:
    """Git's answer: the commit to try next, the first bad commit, or all candidates.

    The last is said when only skipped commits are left.
    """

    commit: str = ""
    first_bad: str = ""
    candidates: tuple[str, ...] = ()


class Bisection:
    """A bisection in its worktree."""

    def __init__(self, folder: Path):
        self.folder = folder

    def start(self, good: str, bad: str, paths: Sequence[str]) -> Step:
        """Start git's bisection.

        Raises Unsupported with git's words where it can't search between the two.
        """
        return self._step("start", bad, good, "--", *paths)

    def mark(self, verdict: str) -> Step:
        """GOOD, BAD or SKIP of the present commit."""
        return self._step(verdict)

    def show(self, commit: str) -> None:
        """Check out a commit, before the bisection has started."""
        self._call("checkout", "-q", "--detach", commit)

    def _step(self, *words: str) -> Step:
        output = self._call("bisect", *words, fine=(0, 2))
        if match := _FOUND.search(output):
            return Step(first_bad=match[1])
        if _ONLY_SKIPPED in output:
            return Step(candidates=tuple(_HASH.findall(output)))
        return Step(commit=git.commit(self.folder) or "")

    def _call(self, *words: str, fine: tuple[int, ...] = (0,)) -> str:
        # If the worktree had been removed, git would look for a repository around it.
        top = git.git(self.folder, "rev-parse", "--show-toplevel") if self.folder.is_dir() else None
        if top is None or top.returncode or Path(top.stdout.rstrip("\n")).resolve() != self.folder.resolve():
            raise StorageFailed(
                f"{self.folder} is no longer a worktree\n    run the command again: it continues"
            )
        done = git.git(self.folder, *words)
        if done.returncode not in fine:
            reply = "\n    ".join((done.stderr or done.stdout).strip().splitlines()) or "it says nothing"
            raise Unsupported(f"git {' '.join(words[:2])} failed:\n    {reply}")
        return done.stdout


@contextmanager
def worktree(repository: Path, folder: Path, commit: str) -> Iterator[Bisection]:
    """Provide a worktree of the repository in `folder` at a commit, which is removed in the end.

    One that a kill left there is removed first. Raises StorageFailed.
    """
    _remove(repository, folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    result = git.git(
        repository, "worktree", "add", "--quiet", "--force", "--detach", str(folder.resolve()), commit
    )
    if result.returncode:
        _remove(repository, folder)
        raise StorageFailed(
            f"git can't make a worktree of {repository} in {folder}: {result.stderr.strip()}\n"
            "    make the repository's .git and the store writable, or name a clone with --repository"
        )
    try:
        yield Bisection(folder.resolve())
    finally:
        _remove(repository, folder)


def _remove(repository: Path, folder: Path) -> None:
    if folder.exists():
        git.git(repository, "worktree", "remove", "--force", "--force", str(folder.resolve()))
        shutil.rmtree(folder, ignore_errors=True)
    git.git(repository, "worktree", "prune")
