# SPDX-License-Identifier: Apache-2.0
"""Firmware from a container, with a stand-in for the engine: what runs in it, and what becomes of its end."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from orchestrator.build import docker_build, recipe
from orchestrator.build.docker_build import DockerBuilder
from orchestrator.build.docker_container import Ended, Limits
from orchestrator.errors import BuildFailed, NoSuchThing

DIGEST = "sha256:" + "a" * 64


class Engine:
    """An engine of one image, whose containers leave a file and end so; what they were asked to run."""

    def __init__(self, monkeypatch):
        self.calls, self.connected, self.ended = [], 0, Ended(0, "")
        self.environment, self.leaves = {"CONTIKI_NG": "/home/user/contiki-ng"}, b"firmware"
        monkeypatch.setattr(docker_build.docker_engine, "connect", self.connect)
        monkeypatch.setattr(docker_build.docker_container, "run", self.run)

    def connect(self):
        self.connected += 1
        return self

    def image(self, reference, say):
        say(f"pulling {reference}")
        return SimpleNamespace(digest=f"{reference}@{DIGEST}", environment=self.environment)

    def run(self, engine, image, command, *, what, limits, show):
        assert engine is self
        self.calls.append((command, what, limits))
        show("a line")
        (work,) = [path for path, (place, sealed) in command.mounts.items() if not sealed]
        if self.leaves is not None:
            product = work / "apps" / "hello-nullnet" / "build" / "cooja" / "hello-nullnet.cooja"
            product.parent.mkdir(parents=True, exist_ok=True)
            product.write_bytes(self.leaves)
        return self.ended


@pytest.fixture
def engine(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Engine(monkeypatch)


def test_firmware_is_built_once_in_a_container_that_sees_its_work_alone(engine):
    said, shown = [], []
    builder = DockerBuilder("theirs:1", limits=Limits(seconds=5), say=said.append, show=shown.append)
    made = recipe.recipe("hello-nullnet")
    built = builder.firmware(made)
    assert built.path.read_bytes() == b"firmware" and builder.firmware(made) == built
    ((command, what, limits),) = engine.calls
    assert command.words == ["make", *made.arguments(docker_build.WORK, docker_build.TREE, os.cpu_count())]
    assert command.folder == made.folder(docker_build.WORK, docker_build.TREE)
    assert command.environment == made.environment(docker_build.WORK, docker_build.TREE)
    assert list(command.mounts.values()) == [(docker_build.WORK, False)]
    assert what == "firmware hello-nullnet for cooja in theirs:1" and limits == Limits(seconds=5)
    assert (said, shown) == (["pulling theirs:1"], ["a line"]) and engine.connected == 1
    assert builder.described() == {"builder": "docker", "image": f"theirs:1@{DIGEST}"}
    assert builder.identity() == {"image": DIGEST} and builder.digest() == f"theirs:1@{DIGEST}"
    assert DockerBuilder("theirs:1")._limits == Limits()


def test_another_image_is_another_build(engine):
    made = recipe.recipe("hello-nullnet")
    one, other = (DockerBuilder(f"theirs@sha256:{letter * 64}") for letter in "bc")
    assert engine.connected == 0 and one.digest() == f"theirs@sha256:{'b' * 64}", "it says it itself"
    keys = {builder.firmware(made).key for builder in (one, other)}
    assert len(keys) == len(engine.calls) == 2
    DockerBuilder(f"theirs@sha256:{'b' * 64}").firmware(made)
    assert len(engine.calls) == 2


def test_the_images_own_tree_and_what_it_lacks(engine):
    made = recipe.recipe("hello-nullnet", from_image=DIGEST)
    builder = DockerBuilder("theirs:1")
    engine.leaves = None
    tree = "/home/user/contiki-ng"
    engine.ended = Ended(2, f"Makefile:3: {tree}/Makefile.include': No such file or directory")
    with pytest.raises(NoSuchThing) as raised:
        builder.firmware(made)
    assert str(raised.value) == (
        f"the image theirs:1 holds no Contiki-NG tree at {tree}\n    name a tree of this machine with "
        "--contiki-ng, or an image that has one"
    )
    command = engine.calls[0][0]
    assert command.words[1:] == made.arguments(docker_build.WORK, tree, os.cpu_count())
    assert len(command.mounts) == 1
    engine.ended = Ended(2, "x.c:1:2: error: odd")
    with pytest.raises(BuildFailed, match="error: odd"):
        builder.firmware(made)
    engine.environment = {}
    with pytest.raises(NoSuchThing) as raised:
        DockerBuilder("theirs:2").firmware(made)
    assert str(raised.value) == (
        "the image theirs:2 does not say where its Contiki-NG tree is ($CONTIKI_NG)\n    name a tree of this "
        "machine with --contiki-ng"
    )


def test_a_tree_of_this_machine_is_mounted_sealed(engine, tmp_path):
    tree = SimpleNamespace(
        folder=tmp_path / "tree", digest="d" * 32, holds=lambda path: False, check=lambda target: None
    )
    made = recipe.recipe("hello-nullnet", tree=tree)
    DockerBuilder("theirs:1").firmware(made)
    command = engine.calls[0][0]
    assert command.mounts[Path(tmp_path / "tree")] == (docker_build.TREE, True)
    assert command.words[1:] == made.arguments(docker_build.WORK, docker_build.TREE, os.cpu_count())


@pytest.mark.parametrize(
    ("ended", "said"),
    [
        (Ended(137, "", out_of_memory=True), "needed more than 2048 MiB of memory"),
        (Ended(124, "", out_of_time=True), "not finished after 900 s"),
        (Ended(2, "x.c:1:2: error: 'a' undeclared"), r"x\.c:1:2: error: 'a' undeclared"),
    ],
)
def test_a_build_that_fails_says_why_and_leaves_nothing(engine, ended, said):
    engine.ended = ended
    with pytest.raises(BuildFailed, match=said):
        DockerBuilder("theirs:1").firmware(recipe.recipe("hello-nullnet"))
    engine.ended = Ended(0, "")
    assert DockerBuilder("theirs:1").firmware(recipe.recipe("hello-nullnet")).path.is_file()
