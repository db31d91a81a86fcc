# SPDX-License-Identifier: Apache-2.0
"""A tiny application and a build cache of its own, so that no test sees the user's."""

import shutil
from pathlib import Path

import pytest

MAKEFILE = """\
LIBNAME ?= build/cooja/tiny.cooja
BUILD_DIR_BOARD = build/cooja
%.cooja: %.c
\t@mkdir -p $(dir $(LIBNAME))
\t$(CC) -shared -fPIC $(EXTRA_CC_ARGS) $(if $(MAC),-DMAC=$(MAC)) -o $(LIBNAME) $<
"""
SOURCE = """\
#ifndef MAC
#define MAC 1
#endif
int table[100], answer = 42;
int cooja_init(void) { return MAC; }
"""


@pytest.fixture
def build_cache(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "orchestrate"


@pytest.fixture
def tiny(tmp_path, build_cache) -> Path:
    """The folder of an application with one C file."""
    if shutil.which("cc") is None and shutil.which("gcc") is None:
        pytest.skip("no C compiler")
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "Makefile").write_text(MAKEFILE)
    (folder / "tiny.c").write_text(SOURCE)
    (folder / "application.yaml").write_text("name: tiny\n")
    return folder
