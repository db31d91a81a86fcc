# SPDX-License-Identifier: Apache-2.0
"""Nothing is compiled again if the content of all files that a build read is unchanged."""

import ctypes
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from orchestrator.build import commands, record
from orchestrator.durable import sha256

MAKEFILE = """\
include ../lib/rules.mk
BUILD_DIR_BOARD = build/cooja
OBJECTS = $(patsubst %.c,build/cooja/%.o,$(wildcard *.c)) build/cooja/shared.o
VERSION := $(shell git --git-dir ../.git --work-tree .. describe --tags --always --dirty 2>/dev/null)
%.cooja: $(OBJECTS)
\t$(CC) -shared -o $(LIBNAME) $^
build/cooja/one.o: CFLAGS += -DVERSION='"$(VERSION)"'
build/cooja/%.o: %.c
\t@mkdir -p build/cooja
\techo $* >> ../../compiled
\t$(CC) -fPIC -Iown -I../lib $(CFLAGS) $(EXTRA_CC_ARGS) -c $< -o $@
vpath %.c ../lib
.SECONDARY:
"""
FILES = {
    "lib/rules.mk": "CFLAGS = -DRULE=1\n",
    "lib/shared.h": "#define SHARED 10\n",
    "lib/shared.c": "int shared(void) { return 3; }\n",
    "lib/apart": "read by nobody\n",
    "app/Makefile": MAKEFILE,
    "app/own/none": "",
    "app/one.c": '#include "shared.h"\nint two(void), shared(void);\nconst char *version(void) { return '
    "VERSION; }\n"
    "int value(void) { return SHARED + RULE + two() + shared(); }\n",
    "app/two.c": '#include "local.h"\nint two(void) { return LOCAL; }\n',
    "app/local.h": "#define LOCAL 100\n",
}


@pytest.fixture
def tree(tmp_path, build_cache, monkeypatch) -> Path:
    """A checkout whose commit is tagged v1, clean, with an application of two sources and a shared one."""
    for name, text in FILES.items():
        (tmp_path / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / name).write_text(text)
    for words in ("init -q", "add .", "-c user.name=a -c user.email=a@b commit -qm first", "tag v1"):
        subprocess.run(["git", *words.split()], cwd=tmp_path / "tree", check=True)
    monkeypatch.setattr(record, "SETTLED_NS", 0)
    return tmp_path / "tree"


def built(
    tree: Path, text: str = "$(MAKE) one.cooja", cflags: str = ""
) -> tuple[int, str, list[str], list[str]]:
    """What the library says, its version, which sources were compiled, which commands ran."""
    # A command's output goes where the copy's ../../ leads: beside the tree's copy, so the list is looked for
    # there.
    cache, shown = Path(os.environ["XDG_CACHE_HOME"]), []
    for old in cache.rglob("compiled"):
        old.unlink()
    library = commands.build(
        tree / "app" / "one.c", "m", text, [], commands.Compilation("gcc", cflags), show=shown.append
    )
    apart = (
        tree.parent / f"{sha256(library)}.so"
    )  # otherwise the loader would take two libraries with one name for the same
    loaded = ctypes.CDLL(str(apart if apart.exists() else shutil.copy(library, apart)))
    loaded.version.restype = ctypes.c_char_p
    compiled = [word for path in cache.rglob("compiled") for word in path.read_text().split()]
    return loaded.value(), loaded.version().decode(), sorted(compiled), shown


ALL = ["one", "shared", "two"]


def test_nothing_runs_again_while_all_is_the_same(tree):
    value, version, compiled, shown = built(tree)
    assert (value, version, compiled) == (114, "v1", ALL), "a clean tree is not dirty"
    assert built(tree) == (114, "v1", [], [])
    assert len(shown) == 1
    (tree / "lib" / "apart").write_text("read by nobody\n")
    os.utime(tree / "lib" / "shared.h")
    (tree / "app" / "COOJA.testlog").write_text("of a run\n")
    assert built(tree)[2:] == ([], []), "content counts, and what was read"


def test_a_file_that_only_moved_is_read_once(tree, monkeypatch):
    """As the compiler's, when packages are installed again."""
    built(tree)
    os.utime(tree / "lib" / "shared.h")
    hashed = []
    monkeypatch.setattr(record, "sha256", lambda path: hashed.append(path) or sha256(path))
    built(tree)
    assert hashed == [tree / "lib" / "shared.h"]
    assert built(tree)[2:] == ([], [])
    assert len(hashed) == 1, "its new time is in the record"


@pytest.mark.parametrize(
    ("name", "text", "value", "compiled"),
    [
        ("app/two.c", "int two(void) { return 200; }\n", 214, ["one", "two"]),
        ("app/local.h", "#define LOCAL 300\n", 314, ["one", "two"]),
        ("lib/shared.c", "int shared(void) { return 7; }\n", 118, ["one", "shared"]),
        ("lib/shared.h", "#define SHARED 20\n", 124, ["one"]),
        ("lib/rules.mk", "CFLAGS = -DRULE=2\n", 115, ALL),
        ("app/own/shared.h", "#define SHARED 30\n", 134, ALL),  # found before the other from now on
        ("app/three.c", "int three;\n", 114, [*ALL[:2], "three", "two"]),
    ],
)
def test_a_change_compiles_what_was_made_of_it(tree, name, text, value, compiled):
    """one.c prints the version, which says -dirty as soon as a file of the checkout has changed."""
    assert built(tree)[0] == 114
    (tree / name).write_text(text)
    version = "v1" if name in ("app/own/shared.h", "app/three.c") else "v1-dirty"
    assert built(tree)[:3] == (value, version, compiled)
    assert built(tree) == (value, version, [], [])
    shutil.rmtree(os.environ["XDG_CACHE_HOME"])
    assert built(tree)[:2] == (value, version), "as a build from nothing"


def test_a_second_change_leaves_the_version_and_compiles_one_source(tree):
    for local, compiled in ((1, ALL), (2, ["two"]), (3, ["two"])):
        (tree / "app" / "local.h").write_text(f"#define LOCAL {local}\n")
        assert built(tree)[:3] == (14 + local, "v1-dirty", compiled)
    (tree / "lib" / "shared.h").write_text("#define SHARED 20\n")
    assert built(tree)[:3] == (27, "v1-dirty", ["one"]), "what was not compiled again is still watched"


def test_a_header_that_a_program_reads_too_decides_about_all(tree):
    makefile = (tree / "app" / "Makefile").read_text()
    (tree / "app" / "Makefile").write_text(f"SEEN := $(shell cat local.h)\n{makefile}")
    built(tree)
    (tree / "app" / "local.h").write_text("#define LOCAL 5\n")
    assert built(tree)[2] == ALL


def test_a_change_that_keeps_size_and_time_is_seen(tree):
    built(tree)
    path = tree / "app" / "local.h"
    before = path.stat()
    path.write_text("#define LOCAL 999\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert built(tree)[0] == 1013


def test_a_source_that_goes_away_is_missed(tree):
    (tree / "app" / "three.c").write_text("int three;\n")
    built(tree)
    (tree / "app" / "three.c").unlink()
    assert built(tree)[2] == ALL


def test_flags_commands_and_compilers_count(tree, monkeypatch):
    built(tree)
    assert built(tree, cflags="-DOTHER")[2] == ALL
    monkeypatch.setenv("EXTRA_CC_ARGS", "-O1")
    assert built(tree)[2] == ALL
    assert built(tree, "$(MAKE) -s one.cooja")[2] == ALL
    monkeypatch.delenv("EXTRA_CC_ARGS")
    assert built(tree)[2:] == ([], [])


def test_a_damaged_library_or_record_is_made_again(tree, build_cache):
    built(tree)
    library = next(build_cache.glob("libraries/*/m.cooja"))
    library.write_bytes(b"")
    assert built(tree)[0] == 114
    next(build_cache.glob("foreign/*/record.json")).write_text("{")
    assert built(tree)[2] == ALL


def test_a_build_that_fails_leaves_no_record(tree):
    (tree / "app" / "two.c").write_text("int two(void) { return 1 }\n")
    for _ in range(2):
        with pytest.raises(commands.BuildFailed, match="expected"):
            built(tree)
    (tree / "app" / "two.c").write_text("int two(void) { return 1; }\n")
    assert built(tree)[0] == 15


def test_what_a_build_leaves_in_the_checkout(tree):
    def state() -> dict[str, str]:
        return {str(path): sha256(path) for path in tree.rglob("*") if path.is_file()}

    before = state()
    built(tree)
    assert state() == before
