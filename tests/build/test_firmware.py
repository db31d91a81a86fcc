# SPDX-License-Identifier: Apache-2.0
"""Firmware builds: what makes another one, what does not, and what is left when a build fails."""

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.build import cache, compiler, elf, host, kernel, sources
from orchestrator.errors import BuildFailed, MissingTool, NoSuchThing, StorageFailed
from tests.waiting import HANG_S, wait_until


def listing(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_a_build_is_cached_and_leaves_the_sources_alone(tiny):
    before = listing(tiny)
    first = host.firmware(tiny, {"MAC": "7"})
    assert ctypes.CDLL(str(first.path)).cooja_init() == 7
    stamp = first.path.stat().st_mtime_ns
    again = host.firmware(tiny, {"MAC": "7"})
    assert again == first
    assert again.path.stat().st_mtime_ns == stamp
    assert listing(tiny) == before


def test_what_makes_another_build(tiny):
    keys = {
        host.firmware(tiny).key,
        host.firmware(tiny, {"MAC": "2"}).key,
        host.firmware(tiny, cflags="-O1").key,
    }
    assert len(keys) == 3
    (tiny / "tiny.c").write_text((tiny / "tiny.c").read_text() + "\nint more;\n")
    assert host.firmware(tiny).key not in keys


def test_what_does_not(tiny, monkeypatch):
    key = host.firmware(tiny).key
    (tiny / "README.md").write_text("words")
    (tiny / "application.yaml").write_text("name: tiny # words\n")
    (tiny / "build").mkdir()
    (tiny / "build" / "tiny.o").write_text("old")
    (tiny / "tiny.c").touch()
    for name, value in (
        ("MAKEFLAGS", "-n"),
        ("CFLAGS", "-O3"),
        ("LANG", "de_DE"),
        ("LIBNAME", "elsewhere.cooja"),
    ):
        monkeypatch.setenv(name, value)
    assert host.firmware(tiny).key == key


def test_the_same_bytes_from_another_folder(tiny, tmp_path, monkeypatch):
    first = host.firmware(tiny)
    shutil.copytree(tiny, tmp_path / "elsewhere" / "tiny")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another cache"))
    second = host.firmware(tmp_path / "elsewhere" / "tiny")
    assert (second.key, second.sha256) == (first.key, first.sha256)
    assert second.path != first.path


@pytest.mark.parametrize("file", ["tiny.cooja", "entry.json"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"rubbish",
        lambda data: data[:-1],
        lambda data: b"",
        lambda data: (
            data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 0x10]) + data[len(data) // 2 + 1 :]
        ),
    ],
    ids=["rubbish", "cut", "empty", "flipped-bit"],
)
def test_a_damaged_entry_is_built_again(damage, file, tiny):
    first = host.firmware(tiny)
    path = first.path.parent / file
    path.write_bytes(damage(path.read_bytes()))
    again = host.firmware(tiny)
    assert again.sha256 == first.sha256
    assert cache.sha256(again.path) == first.sha256


@pytest.mark.full(instead="a firmware with a flipped bit, from the same cache")
def test_a_kernel_with_a_flipped_bit_is_built_again(build_cache):
    first = kernel.built()
    data = bytearray(first.path.read_bytes())
    data[len(data) // 2] ^= 1
    first.path.write_bytes(data)
    again = kernel.built()
    assert again.sha256 == first.sha256 == cache.sha256(again.path)


def test_a_compile_error_names_the_compiler_s_first_errors(tiny, build_cache):
    (tiny / "tiny.c").write_text("int broken(void) { return nothing; }\n" + "int again = nowhere;\n" * 20)
    with pytest.raises(BuildFailed) as raised:
        host.firmware(tiny)
    message = str(raised.value)
    assert "tiny.c:1" in message
    assert "nothing" in message
    assert len(message.split("\n")) <= 7
    assert not [path for path in listing(build_cache) if not path.endswith(".lock") and path != "firmware"]


def test_a_makefile_that_ignores_libname(tiny):
    (tiny / "Makefile").write_text("%.cooja: %.c\n\t@touch $@\n")
    with pytest.raises(BuildFailed, match="left no build/cooja/tiny.cooja"):
        host.firmware(tiny)


def test_without_a_compiler_or_make(tiny, monkeypatch, tmp_path):
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    with pytest.raises(MissingTool, match="no C compiler .looked for cc, gcc, clang.\n.*build-essential"):
        host.firmware(tiny)
    with pytest.raises(MissingTool, match="no make"):
        compiler.make()
    monkeypatch.setenv("CC", "no-such-cc -m32")
    with pytest.raises(MissingTool, match="looked for no-such-cc"):
        kernel.executable()


def test_an_unknown_application():
    with pytest.raises(NoSuchThing, match="there are: .*aggregation"):
        sources.application_folder("aggregatoin")


def test_a_cache_that_cannot_be_written(tiny, build_cache):
    build_cache.parent.mkdir()
    build_cache.write_text("a file where the folder should be")
    with pytest.raises(StorageFailed, match="XDG_CACHE_HOME"):
        host.firmware(tiny)


def test_a_full_disk_leaves_no_entry(tiny, build_cache, monkeypatch):
    def full(*_args, **_keywords):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(cache.shutil, "copy2", full)
        with pytest.raises(StorageFailed, match="No space left"):
            host.firmware(tiny)
    assert not list(build_cache.rglob("*.cooja"))
    assert host.firmware(tiny).path.is_file()


def test_builders_of_the_same_key_wait_for_each_other(tiny, tmp_path):
    (tiny / "Makefile").write_text((tiny / "Makefile").read_text() + f"\t@echo built >> {tmp_path}/count\n")
    program = "import sys; from orchestrator.build import host; print(host.firmware(sys.argv[1]).sha256)"
    processes = [
        subprocess.Popen([sys.executable, "-c", program, str(tiny)], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    hashes = {process.communicate(timeout=HANG_S)[0] for process in processes}
    assert len(hashes) == 1
    assert (tmp_path / "count").read_text() == "built\n"


def test_a_killed_builder_leaves_nothing_that_looks_built(tiny, build_cache):
    makefile = (tiny / "Makefile").read_text()
    (tiny / "Makefile").write_text(makefile + "\t@sleep 3600\n")
    program = "import sys; from orchestrator.build import host; host.firmware(sys.argv[1])"
    process = subprocess.Popen([sys.executable, "-c", program, str(tiny)], start_new_session=True)
    wait_until(lambda: list(build_cache.rglob("build/cooja/*.cooja")) or process.poll() is not None)
    os.killpg(process.pid, 9)
    process.wait()
    assert list(build_cache.glob("firmware/.tmp-*"))
    (tiny / "Makefile").write_text(makefile)
    built = host.firmware(tiny)
    assert built.path.is_file()
    assert not list(build_cache.glob("firmware/.tmp-*"))


def test_sizes_are_those_of_size(tiny):
    built = host.firmware(tiny)
    if shutil.which("size") is None:
        pytest.skip("no size")
    line = subprocess.run(["size", str(built.path)], capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )[1]
    assert [int(word) for word in line.split()[:3]] == list(elf.sizes(built.path).values())


def test_what_is_no_elf_file(tmp_path):
    (tmp_path / "a").write_bytes(b"\x7fELF" + bytes(10))
    with pytest.raises(BuildFailed, match="not an object"):
        elf.sizes(tmp_path / "a")


def test_a_cache_whose_path_has_blanks_holds_the_same_bytes(tmp_path, monkeypatch):
    digests = []
    for folder in ("cache", "my own cache"):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / folder))
        built = host.firmware("hello-nullnet")
        assert tmp_path / folder in built.path.parents
        assert not [path.name for path in built.path.parents[1].iterdir() if path.name.startswith(".tmp")]
        digests.append(built.sha256)
    assert digests[0] == digests[1]
