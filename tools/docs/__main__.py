# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation site: `python -m tools.docs [--out site]` stages all pages, then runs MkDocs.

The pages stand beside what they describe, so they are staged into one folder with their paths as they are. A
broken link between pages ends the build.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.docs import reference

ROOT = Path(__file__).resolve().parents[2]
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|mailto:|#)([^)\s#]+)(#[^)\s]*)?\)")


def pages() -> list[str]:
    """Return the tracked Markdown files, by their paths in the repository."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.decode()
    # A template's page is for the file that `orchestrate new` writes.
    return sorted(name for name in listed.split("\0") if name and "/templates/" not in name)


def staged(text: str, page: str, known: set[str]) -> str:
    """Return a page's text whose links to files that are no pages are plain text."""

    def link(match: re.Match[str]) -> str:
        target = os.path.normpath(os.path.join(os.path.dirname(page), match[2]))
        if target in known or not (ROOT / target).exists():
            return match[0]  # MkDocs reports what does not exist
        return f"`{match[1].strip('`')}`"

    return _LINK.sub(link, text)


def stage(folder: Path) -> None:
    """Write all pages and pictures into a folder."""
    names = pages()
    made = reference.pages()
    known = {*names, *made}
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(staged((ROOT / name).read_text(encoding="utf-8"), name, known), encoding="utf-8")
    for name, text in made.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for picture in (ROOT / "docs").rglob("*.png"):
        path = folder / picture.relative_to(ROOT)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture.read_bytes())


def main() -> int:
    """Build the site; return MkDocs's exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.docs", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "site", metavar="DIR", help="default: site")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="orchestrate-docs-") as folder:
        stage(Path(folder))
        command = [
            sys.executable,
            "-m",
            "mkdocs",
            "build",
            "--strict",
            "--quiet",
            "--site-dir",
            str(args.out.absolute()),
        ]
        done = subprocess.run(
            [*command, "--config-file", str(ROOT / "tools" / "docs" / "mkdocs.yml")],
            env={**os.environ, "DOCS_FOLDER": folder, "NO_MKDOCS_2_WARNING": "1"},
            check=False,
        )
    if done.returncode == 0:
        print(f"{args.out / 'index.html'} written")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
