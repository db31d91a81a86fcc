# SPDX-License-Identifier: Apache-2.0
"""Small git repositories for tests."""

from __future__ import annotations

import subprocess
from pathlib import Path

_AS = (
    "-c",
    "user.name=A Tester",
    "-c",
    "user.email=tester@example.org",
    "-c",
    "commit.gpgsign=false",
    "-c",
    "init.defaultBranch=main",
)


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *_AS, *words], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def begin(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q")


def commit(folder: Path, subject: str) -> str:
    """Commit all that is there; the commit's hash."""
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", subject)
    return git(folder, "rev-parse", "HEAD")
