# SPDX-License-Identifier: Apache-2.0
"""Firmware from a real container engine: cached by the image's digest, for Cooja and for microcontrollers."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest

from orchestrator.build import compiler, contiki_ng, docker_build, docker_engine, elf, firmware, host, recipe
from orchestrator.build.docker_container import Limits
from orchestrator.errors import BuildFailed, NoSuchThing, StorageFailed
from orchestrator.scenario.model import FirmwareOptions
from tests import needs
from tests.waiting import HANG_S

pytestmark = pytest.mark.docker
needs.an_engine_and_image()
TREE = os.environ.get("CONTIKI_NG", "")
needs_tree = pytest.mark.skipif(not Path(TREE or "-").is_dir(), reason="CONTIKI_NG names no Contiki-NG tree")
ARM = 40  # e_machine of ELF


@pytest.fixture
def started():
    """How many containers the engine has started since the test began."""
    client = docker_engine.connect().client
    since = time.time()

    def count() -> int:
        events = client.events(
            since=since,
            until=time.time() + 0.01,
            filters={"type": "container", "event": "start"},
            decode=True,
        )
        return len(list(events))

    return count


def builder(**more) -> docker_build.DockerBuilder:
    return docker_build.DockerBuilder(needs.TEST_IMAGE, **more)


def test_a_build_that_nothing_changed_starts_no_container(tiny, started):
    lines = []
    first = builder(show=lines.append).firmware(recipe.recipe(tiny, {}))
    assert started() == 1 and elf.sizes(first.path)["bss"] >= 400
    assert any("tiny" in line for line in lines)
    again = builder().firmware(recipe.recipe(tiny, {}))
    assert again == first and started() == 1
    (tiny / "tiny.c").write_text((tiny / "tiny.c").read_text().replace("42", "43"))
    assert builder().firmware(recipe.recipe(tiny, {})).key != first.key and started() == 2


def test_another_image_is_another_build(tiny, build_cache):
    engine = docker_engine.connect()
    name = f"orchestrate-test-{os.getpid()}"
    container = engine.client.containers.create(needs.TEST_IMAGE, "true")
    try:
        container.commit(name, conf={"Labels": {"org.orchestrate.test": name}})
        other = docker_build.DockerBuilder(name)
        assert other.digest() != builder().digest() and other.digest().startswith("sha256:")
        assert other.firmware(recipe.recipe(tiny)).key != builder().firmware(recipe.recipe(tiny)).key
    finally:
        container.remove()
        engine.client.images.remove(name, force=True)


def test_the_same_bytes_wherever_it_is_built(build_cache, monkeypatch, tmp_path):
    made = {builder().firmware(recipe.recipe("hello-nullnet")).sha256}
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "elsewhere"))
    again = builder().firmware(recipe.recipe("hello-nullnet"))
    assert {again.sha256} == made
    if (
        b"12.2.0-14" in again.path.read_bytes() and "12.2.0-14" in compiler.find().version
    ):  # Debian 12's, inside and outside
        assert host.firmware("hello-nullnet").sha256 == again.sha256


def test_errors_of_the_compiler_are_shown(tiny):
    (tiny / "tiny.c").write_text("int cooja_init(void) { return missing; }\n")
    with pytest.raises(
        BuildFailed, match=r"make failed \(exit 2\)\n.*tiny.c:1:.*error: .missing. undeclared"
    ):
        builder().firmware(recipe.recipe(tiny))


def test_limits_are_said(tiny):
    (tiny / "Makefile").write_text("%.cooja:\n\tpython3 -c 'x = bytearray(300 << 20)'\n")
    with pytest.raises(BuildFailed, match="more than 64 MiB of memory\n    .*--build-memory"):
        builder(limits=Limits(memory=64 << 20)).firmware(recipe.recipe(tiny))
    (tiny / "Makefile").write_text("%.cooja:\n\tsleep 60\n")
    with pytest.raises(BuildFailed, match="not finished after 1 s\n    .*--build-time"):
        builder(limits=Limits(seconds=1)).firmware(recipe.recipe(tiny))


@pytest.mark.root
@pytest.mark.skipif(os.getuid() != 0, reason="only root can mount a small disk")
def test_a_full_disk(tiny, tmp_path, monkeypatch):
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", small], check=True)
    try:
        monkeypatch.setenv("XDG_CACHE_HOME", str(small))
        (tiny / "Makefile").write_text("%.cooja:\n\tdd if=/dev/zero of=big bs=1M count=20\n")
        with pytest.raises(StorageFailed, match="the disk of the build cache .* is full"):
            builder().firmware(recipe.recipe(tiny))
    finally:
        subprocess.run(["umount", small], check=True)


@pytest.mark.root
@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_as_another_user(tiny, tmp_path):
    """A user who may use the engine: what was built is hers."""
    engine = docker_engine.connect()
    place = engine.address.removeprefix("unix://")
    if not Path(place).is_socket() or not Path(place).stat().st_gid:
        pytest.skip("the engine's socket has no group")
    for folder in (tmp_path, *(one for one in tmp_path.parents if "pytest-" in str(one))):
        folder.chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    os.chown(home, 4321, 4321)
    code = (
        "import os, sys\nfrom orchestrator.build import docker_build, docker_container, docker_engine, host, "
        "recipe, sources, cache\n"
        "from orchestrator.applications import descriptor, find, folder\nimport docker, docker.context, "
        "docker.types, docker.utils\n"
        f"os.setgroups([{Path(place).stat().st_gid}]); os.setgid(4321); os.setuid(4321)\n"
        f"print(docker_build.DockerBuilder({needs.TEST_IMAGE!r}).firmware(recipe.recipe({str(tiny)!r})).path)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"XDG_CACHE_HOME": str(home), "HOME": str(home)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).stat().st_uid == 4321


@pytest.mark.contiki_ng
@needs_tree
@pytest.mark.parametrize("target", recipe.TESTED)
def test_targets_of_contiki_ng(target, build_cache):
    try:
        contiki_ng.tree(TREE).check(target)
    except NoSuchThing as lacking:
        pytest.skip(str(lacking))
    chosen = firmware.builder(
        FirmwareOptions(source="contiki-ng", builder="docker", image=needs.TEST_IMAGE, tree=TREE)
    )
    before = {path: path.stat().st_mtime_ns for path in Path(TREE).rglob("*")}
    built = chosen.firmware("hello-nullnet", {"MAC": "nullmac"}, target=target)
    assert {path: path.stat().st_mtime_ns for path in Path(TREE).rglob("*")} == before
    header = built.path.read_bytes()[:20]
    (machine,) = struct.unpack_from("<H", header, 18)
    assert (machine == ARM) == (target != "cooja")
    sizes = elf.sizes(built.path)
    assert sizes["text"] > 10_000 and sizes["bss"] > 1_000
    assert chosen.described()["image"] == builder().digest() and len(chosen.described()["tree"]) == 32
    assert str(build_cache).encode() not in built.path.read_bytes()


@pytest.mark.contiki_ng
@needs_tree
def test_an_application_of_the_tree_itself(build_cache):
    chosen = firmware.builder(
        FirmwareOptions(source="contiki-ng", builder="docker", image=needs.TEST_IMAGE, tree=TREE)
    )
    place = Path(TREE) / "examples" / "rpl-udp"
    with pytest.raises(NoSuchThing, match=r"udp-client\.c, udp-server\.c"):
        chosen.firmware(place)
    assert chosen.firmware(place / "udp-client.c").path.name == "udp-client.cooja"
    assert not (place / "build").exists()


def test_an_image_without_a_tree(build_cache):
    chosen = firmware.builder(
        FirmwareOptions(source="contiki-ng", builder="docker", image=needs.TEST_IMAGE, tree="image")
    )
    with pytest.raises(NoSuchThing, match="holds no Contiki-NG tree at /home/user/contiki-ng"):
        chosen.firmware("hello-nullnet")
