# SPDX-License-Identifier: Apache-2.0
"""What is said where no container engine, no image or no room is: each its own message, with the remedy."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import subprocess
import sys
import threading

import docker
import pytest
import requests

from orchestrator.build import docker_engine, docker_errors
from orchestrator.errors import BuildFailed, MissingTool, StorageFailed
from tests.waiting import HANG_S


def said(monkeypatch, address: str) -> str:
    monkeypatch.setenv("DOCKER_HOST", address)
    with pytest.raises(MissingTool) as raised:
        docker_engine.connect()
    assert "--builder host" in str(raised.value)
    return str(raised.value)


def test_no_engine(monkeypatch, tmp_path):
    assert "no container engine: there is no unix://" in said(monkeypatch, f"unix://{tmp_path}/docker.sock")


def test_an_engine_that_does_not_run(monkeypatch, tmp_path):
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(f"{tmp_path}/docker.sock")  # nobody listens, as after a kill -9
    text = said(monkeypatch, f"unix://{tmp_path}/docker.sock")
    assert "is not running" in text and "systemctl start docker" in text


@pytest.mark.root
@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_an_engine_that_does_not_let_us_in(tmp_path):
    tmp_path.chmod(0o755)
    place = f"{tmp_path}/docker.sock"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(place)
        listening.listen()
        os.chmod(place, 0o600)
        # The packages may lie where only root reads: import first, then become somebody.
        code = (
            "import os\nfrom orchestrator.build import docker_engine\nimport docker, docker.context, "
            "docker.utils\n"
            "from orchestrator.errors import MissingTool\nos.setgroups([]); os.setgid(4321); "
            "os.setuid(4321)\n"
            "try:\n    docker_engine.connect()\nexcept MissingTool as error:\n    print(error)\n"
        )
        for parent in (one for one in tmp_path.parents if "pytest-" in str(one)):
            parent.chmod(0o755)
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"DOCKER_HOST": f"unix://{place}"},
            capture_output=True,
            text=True,
            timeout=HANG_S,
            check=False,
        )
    assert "denies permission" in done.stdout and "usermod -aG docker" in done.stdout, (
        done.stdout + done.stderr
    )


def test_something_else_listens(monkeypatch, tmp_path):
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"{tmp_path}/docker.sock")
        listening.listen()

        def answer() -> None:
            peer, _ = listening.accept()
            with peer:
                peer.recv(4096)
                peer.sendall(b"220 mail.example.org ESMTP\r\n")

        threading.Thread(target=answer, daemon=True).start()
        assert "does not answer" in said(monkeypatch, f"unix://{tmp_path}/docker.sock")


@pytest.mark.parametrize("address", ["nonsense", "ftp://host", "tcp://"])
def test_an_address_that_is_none(monkeypatch, address):
    said(monkeypatch, address)


def contexts(monkeypatch, folder, **addresses: str) -> None:
    """Docker's settings as `docker context create` and `use` write them, the last one chosen."""
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.delenv("DOCKER_CONTEXT", raising=False)
    monkeypatch.setenv("DOCKER_CONFIG", str(folder))
    for name, address in addresses.items():
        place = folder / "contexts" / "meta" / hashlib.sha256(name.encode()).hexdigest()
        place.mkdir(parents=True)
        endpoint = {"docker": {"Host": address, "SkipTLSVerify": False}}
        (place / "meta.json").write_text(json.dumps({"Name": name, "Metadata": {}, "Endpoints": endpoint}))
        (folder / "config.json").write_text(json.dumps({"currentContext": name}))


def test_the_context_that_the_user_chose(monkeypatch, tmp_path):
    contexts(monkeypatch, tmp_path, other="unix:///other.sock", rootless="unix:///nowhere/docker.sock")
    with pytest.raises(MissingTool, match="there is no unix:///nowhere/docker.sock"):
        docker_engine.connect()
    monkeypatch.setenv("DOCKER_CONTEXT", "other")
    with pytest.raises(MissingTool, match="there is no unix:///other.sock"):
        docker_engine.connect()


def test_no_such_context(monkeypatch, tmp_path):
    contexts(monkeypatch, tmp_path, rootless="unix:///nowhere/docker.sock")
    monkeypatch.setenv("DOCKER_CONTEXT", "gone")
    with pytest.raises(MissingTool, match="no context gone"):
        docker_engine.connect()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "pull access denied for nobody/none, repository does not exist or may require 'docker login'",
            "docker login",
        ),
        ("manifest for contiker/contiki-ng:nine not found: manifest unknown", "does not have it"),
        (
            'Get "https://registry.example.org/v2/": dial tcp: lookup registry.example.org: no such host',
            "can't be reached",
        ),
        ("net/http: TLS handshake timeout", "can't be reached"),
        ("toomanyrequests: You have reached your pull rate limit", "it was not pulled"),
    ],
)
def test_images_that_do_not_come(text, words):
    error = docker_errors.no_image("contiker/contiki-ng", text, "/var/lib/docker")
    assert isinstance(error, MissingTool) and words in str(error) and "docker build -t" in str(error)


def test_no_space_for_an_image():
    error = docker_errors.no_image(
        "i", "failed to register layer: write /usr/lib/x: no space left on device", "/var/lib/docker"
    )
    assert isinstance(error, StorageFailed)
    assert "/var/lib/docker" in str(error) and "docker system prune" in str(error)


@pytest.mark.parametrize(
    ("explanation", "kind", "words"),
    [
        ("mkdir /var/lib/docker/overlay2/x: no space left on device", StorageFailed, "docker system prune"),
        (
            'invalid mount config for type "bind": bind source path does not exist: /home/me',
            MissingTool,
            "does not see this machine's",
        ),
        ('exec: "timeout": executable file not found in $PATH: unknown', MissingTool, "lacks a program"),
        ("Range of CPUs is from 0.01 to 2.00", BuildFailed, "refused: Range of CPUs"),
    ],
)
def test_containers_that_do_not_start(explanation, kind, words):
    error = docker.errors.APIError("500 Server Error", requests.Response(), explanation)
    made = docker_errors.no_container(error, "firmware x", "/var/lib/docker")
    assert type(made) is kind and words in str(made) and str(made).startswith("firmware x: ")


@pytest.mark.parametrize(
    ("reference", "repository"),
    [
        ("contiker/contiki-ng", "docker.io/contiker/contiki-ng"),
        ("debian:bookworm", "docker.io/library/debian"),
        ("localhost:5000/a/b:c", "localhost:5000/a/b"),
        ("docker.io/contiker/contiki-ng@sha256:00", "docker.io/contiker/contiki-ng"),
        ("registry.example.org/x", "registry.example.org/x"),
        ("localhost/x", "localhost/x"),
    ],
)
def test_repositories_of_references(reference, repository):
    assert docker_engine.repository(reference) == repository


def test_an_image_without_the_compiler_for_tmote_skys_is_told_of_one_that_has_it():
    output = "/bin/sh: 1: /bin/sh: 1: clang-19: not found\nclang-19: not found\nmake: *** [leds.o] Error 1\n"
    missing = docker_errors.no_compiler("firmware lorry for sky in IMAGE", output)
    assert isinstance(missing, MissingTool) and "the image has no clang-19" in str(missing)
    assert "docker build -t orchestrate-contiki-ng" in str(missing)
    assert docker_errors.no_compiler("firmware", "/bin/sh: 1: gcc: not found\nError 1") is None
