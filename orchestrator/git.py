# SPDX-License-Identifier: Apache-2.0
"""Asks git about checkouts. Nothing here changes one."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from orchestrator.errors import MissingTool

# Of a hook that calls us: they would lead git to another repository than the folder's.
_ELSEWHERE = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_COMMON_DIR",
    "GIT_PREFIX",
    "GIT_NAMESPACE",
)


def git(folder: Path, *words: str) -> subprocess.CompletedProcess:
    """Call git there, with its messages in English, without the repository's hooks. Raises MissingTool."""
    environment = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    environment |= {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    try:
        return subprocess.run(
            ["git", "-C", str(folder), "-c", f"core.hooksPath={os.devnull}", *words],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            env=environment,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except OSError as error:
        raise MissingTool(
            f"git can't be called: {error.strerror or error}\n    install git, then do it again"
        ) from error


def top(folder: Path, marker: str) -> Path | None:
    """Return the top of the checkout that has `folder` with the file `marker` under version control.

    None if there is none. A folder that merely lies within one, such as an installed package in its .venv, is
    not of it.
    """
    if not folder.is_dir():
        return None
    try:
        if git(folder, "ls-files", "--error-unmatch", "--", marker).returncode:
            return None
        result = git(folder, "rev-parse", "--show-toplevel")
    except MissingTool:
        return None
    return Path(result.stdout.rstrip("\n")) if not result.returncode else None


def commit(folder: Path, revision: str = "HEAD") -> str | None:
    """Return the hash of a commit that is named anyhow, None if there is none."""
    result = git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    return result.stdout.strip() or None if not result.returncode else None


def described(folder: Path) -> str:
    """Return what `git describe` says of the present commit."""
    return git(folder, "describe", "--always", "--tags").stdout.strip()


def changed(folder: Path, paths: Sequence[str] = (".",)) -> bool:
    """Whether files there are otherwise than in the present commit, or not in it (but for ignored ones)."""
    return bool(git(folder, "status", "--porcelain", "--", *paths).stdout.strip())


def subject(folder: Path, revision: str) -> str:
    """Return the first line of a commit's message."""
    return git(folder, "log", "-1", "--format=%s", revision).stdout.strip()


def files(folder: Path, revision: str) -> tuple[str, ...]:
    """Return the files that a commit changed beside its first parent."""
    result = git(
        folder,
        "diff-tree",
        "-r",
        "-z",
        "--root",
        "--no-commit-id",
        "--name-only",
        "-m",
        "--first-parent",
        revision,
    )
    return tuple(name for name in result.stdout.split("\0") if name)
