# SPDX-License-Identifier: Apache-2.0
"""A wheel built from the checkout, and a virtual environment with it in which nothing leads back to the
checkout.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrator.build import cache
from tests.waiting import HANG_S

ROOT = Path(__file__).resolve().parents[2]


def _build(source: Path, target: Path) -> Path:
    """The wheel of a source tree, without network: the build backend is the one that is installed here."""
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--no-build-isolation",
            "--no-index",
            "--disable-pip-version-check",
            "--wheel-dir",
            str(target),
            str(source),
        ],
        check=True,
    )
    (made,) = target.glob("*.whl")
    return made


@pytest.fixture(scope="session")
def build():
    """build(source, target) makes a wheel of a source tree in a folder and returns its path."""
    return _build


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def sources(tmp_path_factory) -> Path:
    """A copy of what git has or would take (but docs and tests), so that an editor's work meanwhile is not
    seen.
    """
    done = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        pytest.skip("not a git checkout")
    copy = tmp_path_factory.mktemp("sources")
    for name in done.stdout.decode().split("\0"):
        if name and not name.startswith(("docs/", "tests/")) and (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, copy / name)
    return copy


@pytest.fixture(scope="session")
def wheel(build, sources, tmp_path_factory) -> Path:
    return build(sources, tmp_path_factory.mktemp("dist"))


@dataclass(frozen=True)
class Installed:
    """The command of a virtual environment, called in an empty folder with an empty home."""

    environment: Path
    packages: Path
    work: Path
    home: Path

    def call(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        """Runs `orchestrate` with nothing of this process's environment but the path to tools."""
        clean = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LC_ALL": "C.UTF-8",
            "PYTHONPYCACHEPREFIX": str(
                self.home / "compiled"
            ),  # not beside the modules: nothing is written there
        }
        return subprocess.run(
            [self.environment / "bin" / "orchestrate", *arguments],
            cwd=self.work,
            env=clean | environment,
            capture_output=True,
            text=True,
            timeout=HANG_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )


@pytest.fixture(scope="session")
def installed(wheel, tmp_path_factory) -> Installed:
    """Installed by pip without its dependencies, which are linked from this environment: no download, no
    copy.
    """
    base = tmp_path_factory.mktemp("installed")
    environment = base / "venv"
    venv.create(environment, symlinks=True, with_pip=False)
    packages = Path(
        sysconfig.get_path("purelib", vars={"base": str(environment), "platbase": str(environment)})
    )
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "--python",
            str(environment / "bin" / "python"),
            "install",
            "--quiet",
            "--no-deps",
            "--no-index",
            "--no-compile",
            "--disable-pip-version-check",
            str(wheel),
        ],
        check=True,
    )
    here = {Path(sysconfig.get_path(kind)) for kind in ("purelib", "platlib")}
    for entry in sorted(entry for folder in here for entry in folder.iterdir()):
        # A .pth could lead back to the checkout, and so does the record of an editable install.
        if entry.suffix != ".pth" and "orchestrat" not in entry.name and not (packages / entry.name).exists():
            (packages / entry.name).symlink_to(entry)
    work, home = base / "work", base / "home"
    work.mkdir()
    # Its cache is ours: entries go by the content of what they are built from, so that a file which the wheel
    # lacks or changes has no entry there.
    (home / ".cache").mkdir(parents=True)
    cache.cache_folder().mkdir(parents=True, exist_ok=True)
    (home / ".cache" / "orchestrate").symlink_to(cache.cache_folder())
    yield Installed(environment, packages, work, home)
    (home / ".cache" / "orchestrate").unlink()
    shutil.rmtree(base, ignore_errors=True)
