# SPDX-License-Identifier: Apache-2.0
"""A container's life and an engine's images, with a client in place of the engine's."""

from __future__ import annotations

import os
import socket
from types import SimpleNamespace

import pytest

from orchestrator.build import docker_container
from orchestrator.build.docker_container import Command, Container, Ended, Limits
from orchestrator.build.docker_engine import LABEL, Engine
from orchestrator.errors import BuildFailed, MissingTool, WrongUsage

errors = pytest.importorskip("docker").errors


class FakeContainer:
    def __init__(self, code=0, state=None, chunks=(b"one\ntwo",), fails=()):
        self.code, self.attrs, self.chunks, self.fails = code, {"State": state or {}}, chunks, fails
        self.done = []

    def _did(self, what):
        self.done.append(what)
        if what in self.fails:
            raise errors.APIError(f"{what} failed")

    def attach(self, **given):
        self._did("attach")
        assert given == {"stream": True, "stdout": True, "stderr": True, "logs": False}
        return iter(self.chunks)

    def start(self):
        self._did("start")

    def wait(self, timeout):
        self._did("wait")
        return {"StatusCode": self.code}

    def reload(self):
        self._did("reload")

    def kill(self):
        self._did("kill")

    def remove(self, force, v):
        assert force and v
        self._did("remove")


@pytest.fixture
def engine():
    def made(container):
        def create(**given):
            if container is None:
                raise errors.APIError("create failed")
            return container

        return SimpleNamespace(
            sweep=lambda: None,
            client=SimpleNamespace(containers=SimpleNamespace(create=create)),
            folder="/docker",
            user="1:1",
            userns="",
            label=dict,
        )

    return made


IMAGE = SimpleNamespace(id="sha256:1")
COMMAND = Command(["make"], "/w")


@pytest.mark.parametrize(
    ("container", "limits", "ended"),
    [
        (FakeContainer(), Limits(), Ended(0, "one\ntwo")),
        (FakeContainer(2), Limits(), Ended(2, "one\ntwo")),
        (FakeContainer(137, {"OOMKilled": True}), Limits(seconds=0), Ended(137, "one\ntwo", True, False)),
        (FakeContainer(0, {"OOMKilled": True}), Limits(), Ended(0, "one\ntwo")),
        (FakeContainer(124), Limits(), Ended(124, "one\ntwo", False, True)),
        (FakeContainer(137), Limits(seconds=0), Ended(137, "one\ntwo", False, True)),
        (FakeContainer(137), Limits(seconds=10_000), Ended(137, "one\ntwo")),
        (FakeContainer(1), Limits(seconds=0), Ended(1, "one\ntwo")),
        (FakeContainer(chunks=(b"a\xff\n",), fails=("remove",)), Limits(), Ended(0, "a\ufffd")),
    ],
)
def test_how_a_container_ended(engine, container, limits, ended):
    shown = []
    assert (
        docker_container.run(engine(container), IMAGE, COMMAND, what="x", limits=limits, show=shown.append)
        == ended
    )
    assert shown == ended.output.split("\n") and container.done[-1] == "remove"
    assert container.done[:3] == ["attach", "start", "wait"]


def test_the_usual_limits_are_a_container_s(engine, monkeypatch):
    seen = []
    monkeypatch.setattr(docker_container, "settings", lambda e, i, c, limits: seen.append(limits) or {})
    docker_container.run(engine(FakeContainer()), IMAGE, COMMAND, what="x")
    assert seen == [Limits()]
    assert Command((), "/") == Command((), "/", {}, {}) and Ended(1, "") == Ended(1, "", False, False)


@pytest.mark.parametrize("fails", [("start",), ("attach",), ("attach", "remove")])
def test_a_container_that_does_not_start_is_removed(engine, fails):
    container = FakeContainer(fails=fails)
    with pytest.raises(BuildFailed, match=f"^x: the container engine refused: {fails[0]} failed$"):
        Container(engine(container), "x", {}, Limits())
    assert container.done[-1] == "remove"


def test_a_container_that_is_not_made(engine):
    with pytest.raises(BuildFailed, match="^x: the container engine refused: create failed$"):
        Container(engine(None), "x", {}, Limits())


def test_an_interruption_while_it_starts_removes_it(engine, monkeypatch):
    container = FakeContainer()
    monkeypatch.setattr(container, "start", lambda: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        Container(engine(container), "x", {}, Limits())
    assert container.done[-1] == "remove"


def test_what_fails_while_its_lines_are_shown_ends_it(engine):
    container = FakeContainer(137, chunks=(b"one\n", b"two\n"))

    def show(line):
        raise ValueError(line)

    with pytest.raises(ValueError, match="one"):
        docker_container.run(engine(container), IMAGE, COMMAND, what="x", show=show)
    assert container.done[-1] == "remove"


def an_engine(info=None, **client):
    return Engine(SimpleNamespace(**client), "unix:///s", info or {})


def test_whose_files_a_container_writes():
    ours = f"{os.getuid()}:{os.getgid()}"
    for options, user, userns, rootless in (
        (None, ours, "", False),
        (["name=seccomp"], ours, "", False),
        (["name=rootless"], "0:0", "", True),
        (["name=seccomp", "name=userns"], ours, "host", False),
    ):
        one = an_engine({"SecurityOptions": options})
        assert (one.user, one.userns, one.rootless) == (user, userns, rootless)
    assert (one.folder, one.version, one.address) == ("?", "?", "unix:///s")
    known = an_engine({"DockerRootDir": "/d", "ServerVersion": 24})
    assert (known.folder, known.version) == ("/d", "24")
    assert known.label() == {LABEL: f"{socket.gethostname()} {os.getpid()}"}


def an_image(digests, variables=None):
    return SimpleNamespace(id="sha256:id", attrs={"RepoDigests": digests, "Config": {"Env": variables}})


@pytest.mark.parametrize(
    ("digests", "digest"),
    [
        (["b/c@sha256:2", "docker.io/a/b@sha256:3", "a/a@sha256:1"], "docker.io/a/b@sha256:3"),
        (["z@sha256:2", "b@sha256:1"], "b@sha256:1"),
        ([], "sha256:id"),
        (None, "sha256:id"),
    ],
)
def test_an_image_is_named_by_its_digest(digests, digest):
    got = an_image(digests, ["A=b=c", "odd"])
    found = an_engine(images=SimpleNamespace(get=lambda name: got)).image("a/b:tag")
    assert (found.reference, found.id, found.digest) == ("a/b:tag", "sha256:id", digest)
    assert found.environment == {"A": "b=c"}
    got.attrs["Config"] = None
    assert an_engine(images=SimpleNamespace(get=lambda name: got)).image("a/b").environment == {}


def test_an_image_that_is_not_here_is_pulled():
    there, asked, said = [], [], []

    def get(name):
        if not there:
            raise errors.ImageNotFound("no")
        return there[0]

    def pull(name, **given):
        asked.append((name, given))
        there.append(an_image([]))
        return iter([{"id": "x", "status": "Pull complete"}])

    engine = an_engine(images=SimpleNamespace(get=get), api=SimpleNamespace(pull=pull))
    assert engine.image("a/b", said.append).id == "sha256:id"
    assert asked == [("a/b", {"tag": "latest", "stream": True, "decode": True})]
    assert said == ["pulling the image a/b", "a/b: layers 1 of 1"]
    there.clear()
    engine.image("a/b:c")
    assert asked[-1] == ("a/b", {"tag": "c", "stream": True, "decode": True})


def test_an_image_that_can_t_be_had():
    def missing(name):
        raise errors.ImageNotFound("no")

    def failing(*_, **__):
        raise errors.APIError("x", explanation="denied: no")

    images = SimpleNamespace(get=missing)
    with pytest.raises(MissingTool, match="its registry refuses it"):
        an_engine(images=images, api=SimpleNamespace(pull=failing)).image("a/b")
    event = SimpleNamespace(pull=lambda *_, **__: iter([{"error": "manifest unknown"}]))
    with pytest.raises(MissingTool, match="its registry does not have it"):
        an_engine(images=images, api=event).image("a/b")

    def invalid(name):
        raise errors.APIError("x", explanation="invalid reference format")

    with pytest.raises(WrongUsage, match="^'A!' is not the name of an image: invalid reference format$"):
        an_engine(images=SimpleNamespace(get=invalid)).image("A!")


def test_containers_of_processes_that_are_gone_are_removed():
    def one(label, fails=()):
        made = FakeContainer(fails=fails)
        made.labels = {LABEL: label} if label is not None else {}
        return made

    here = socket.gethostname()
    gone, racing = one(f"{here} 999999999"), one(f"{here} 999999998", ("remove",))
    others = [
        one(f"{here} {os.getpid()}"),
        one("elsewhere 999999999"),
        one(f"{here} x"),
        one(None),
        one(here),
    ]
    asked = []

    def listed(**given):
        asked.append(given)
        return [racing, gone, *others]

    an_engine(containers=SimpleNamespace(list=listed)).sweep()
    assert gone.done == racing.done == ["remove"] and all(other.done == [] for other in others)
    assert asked == [{"all": True, "filters": {"label": LABEL}, "ignore_removed": True}]
