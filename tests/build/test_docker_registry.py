# SPDX-License-Identifier: Apache-2.0
"""Images from a registry (Debian's docker-registry, on loopback): pulled once, known by their digest from
then on.
"""

from __future__ import annotations

import io
import os
import shutil
import signal
import socket
import subprocess
import tarfile
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from orchestrator.build import docker_build, docker_engine
from orchestrator.errors import MissingTool, StorageFailed, WrongUsage
from tests import needs
from tests.waiting import HANG_S, wait_until

pytestmark = pytest.mark.docker
needs.a_program("docker-registry")
try:
    ENGINE = docker_engine.connect()
except MissingTool as missing:
    pytest.skip(str(missing), allow_module_level=True)
MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"


def answers(place: str) -> bool:
    try:
        urllib.request.urlopen(f"http://{place}/v2/", timeout=HANG_S).close()
    except OSError:
        return False
    return True


@pytest.fixture(scope="module")
def registry(tmp_path_factory):
    """HOST:PORT of a registry with nothing in it."""
    folder = tmp_path_factory.mktemp("registry")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{free.getsockname()[1]}"
    (folder / "config.yml").write_text(
        "version: 0.1\nlog: {level: error}\nstorage: {filesystem: {rootdirectory: "
        f"{folder}/data}}}}\nhttp: {{addr: '{place}'}}\n"
    )
    process = subprocess.Popen(
        ["docker-registry", "serve", folder / "config.yml"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: answers(place))
        yield place
    finally:
        process.kill()
        process.wait()


def push(name: str, tag: str, content: bytes, engine=ENGINE) -> None:
    """An image of one file, in the registry and not in the engine."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as tar:
        entry = tarfile.TarInfo("file")
        entry.size = len(content)
        tar.addfile(entry, io.BytesIO(content))
    engine.client.api.import_image_from_data(data.getvalue(), repository=name, tag=tag)
    said = engine.client.images.push(name, tag=tag)
    assert '"error"' not in said, said
    engine.client.images.remove(f"{name}:{tag}", force=True)


def digest_at(registry: str, name: str, tag: str) -> str:
    """What the registry itself says."""
    asked = urllib.request.Request(
        f"http://{registry}/v2/{name}/manifests/{tag}", headers={"Accept": MANIFEST}, method="HEAD"
    )
    with urllib.request.urlopen(asked, timeout=HANG_S) as answer:
        return answer.headers["Docker-Content-Digest"]


@pytest.fixture
def image(registry, request):
    """The name of an image that only the registry has, with the tags 1 and latest."""
    short = f"test-{os.getpid()}-{abs(hash(request.node.name)) % 100_000}"
    name = f"{registry}/{short}"
    push(name, "1", short.encode())
    push(name, "latest", b"latest" + short.encode())
    yield name
    for left in ENGINE.client.images.list(name):
        ENGINE.client.images.remove(left.id, force=True)


def test_the_first_pull_resolves_the_digest(image, registry):
    said = []
    found = ENGINE.image(f"{image}:1", said.append)
    assert said[0] == f"pulling the image {image}:1" and said[-1].startswith(f"{image}:1: layers 1 of 1")
    assert found.digest == f"{image}@{digest_at(registry, image.split('/')[1], '1')}"
    again = []
    assert ENGINE.image(f"{image}:1", again.append) == found and again == []
    builder = docker_build.DockerBuilder(f"{image}:1")
    assert builder.described() == {"builder": "docker", "image": found.digest}


def test_without_a_tag_it_is_the_latest(image, registry):
    assert ENGINE.image(image).digest.endswith(digest_at(registry, image.split("/")[1], "latest"))


def test_a_tag_that_moves_changes_nothing_here(image, registry):
    before = ENGINE.image(f"{image}:1")
    short = image.split("/")[1]
    data = urllib.request.Request(
        f"http://{registry}/v2/{short}/manifests/latest", headers={"Accept": MANIFEST}
    )
    with urllib.request.urlopen(data, timeout=HANG_S) as answer:
        moved = answer.read()
    put = urllib.request.Request(
        f"http://{registry}/v2/{short}/manifests/1",
        data=moved,
        method="PUT",
        headers={"Content-Type": MANIFEST},
    )
    urllib.request.urlopen(put, timeout=HANG_S).close()
    assert digest_at(registry, short, "1") != before.digest.rpartition("@")[2]
    assert ENGINE.image(f"{image}:1") == before


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("{image}:nine", "does not have it"),
        ("{registry}/nothing-of-that-name:1", "does not have it"),
        ("{image}@sha256:" + "0" * 64, "does not have it"),
        ("127.0.0.1:1/x/y:1", "can't be reached"),
    ],
)
def test_images_that_are_not_to_be_had(image, registry, reference, words):
    with pytest.raises(MissingTool, match="docker build -t orchestrate-contiki-ng") as raised:
        ENGINE.image(reference.format(image=image, registry=registry))
    assert words in str(raised.value)


@pytest.mark.parametrize("reference", ["UPPER/Case", "a b", "x:y:z", "-", ":", ""])
def test_names_that_are_none(reference):
    with pytest.raises((WrongUsage, MissingTool)):
        ENGINE.image(reference)


@pytest.mark.root
@pytest.mark.skipif(
    os.getuid() != 0 or shutil.which("dockerd") is None,
    reason="only root can start an engine on a small disk",
)
def test_an_engine_whose_disk_is_full(image, tmp_path, monkeypatch):
    small = tmp_path / "small"
    small.mkdir()
    short = Path("/tmp") / f"orchestrate-test-{os.getpid()}"  # a socket's path must be short
    short.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", small], check=True)
    push(image, "big", os.urandom(40 << 20))
    process = subprocess.Popen(
        [
            "dockerd",
            "--iptables=false",
            "--ip6tables=false",
            "--bridge=none",
            "--data-root",
            small,
            "--exec-root",
            short / "exec",
            "--pidfile",
            short / "pid",
            "--host",
            f"unix://{short}/docker.sock",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        wait_until((short / "docker.sock").exists)
        monkeypatch.setenv("DOCKER_HOST", f"unix://{short}/docker.sock")
        with pytest.raises(StorageFailed, match="docker system prune"):
            docker_engine.connect().image(f"{image}:big")
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(HANG_S)
        subprocess.run(["umount", "-R", small], check=False)
        shutil.rmtree(short, ignore_errors=True)
