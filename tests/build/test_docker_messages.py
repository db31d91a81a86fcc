# SPDX-License-Identifier: Apache-2.0
"""The container engine's errors, each with the message and remedy that it becomes."""

from __future__ import annotations

import pytest

from orchestrator.build import docker_errors
from orchestrator.errors import BuildFailed, MissingTool, StorageFailed

HOST = "or build without it: --builder host, `firmware: {builder: host}`"
DENIED = (
    "the container engine at unix:///s denies permission\n    add yourself to its group (sudo usermod -aG "
    "docker "
    f"$USER) and log in again, or use a rootless engine, {HOST}"
)
ABSENT = (
    "no container engine: there is no unix:///s\n    install and start one (docker.io or podman), or name "
    "it with "
    f"$DOCKER_HOST, {HOST}"
)
SILENT = (
    "the container engine at unix:///s is not running: nothing listens there\n    start it (sudo systemctl "
    "start "
    f"docker), {HOST}"
)


def caused(error, cause):
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (PermissionError(), DENIED),
        (OSError("Permission denied"), DENIED),
        (FileNotFoundError(), ABSENT),
        (OSError("('x', 'No such file or directory')"), ABSENT),
        (ConnectionRefusedError(), SILENT),
        (OSError("Connection refused"), SILENT),
        (caused(ValueError("x"), PermissionError()), DENIED),
        (ValueError("x", FileNotFoundError()), ABSENT),
    ],
)
def test_an_engine_that_can_t_be_reached(error, said):
    made = docker_errors.no_connection(error, "unix:///s")
    assert type(made) is MissingTool and str(made) == said


@pytest.mark.parametrize(
    ("error", "last"),
    [
        (ValueError("odd"), "odd"),
        (caused(ValueError("odd"), KeyError()), "KeyError"),
        (ValueError("x " * 200), None),
    ],
)
def test_an_engine_that_answers_oddly(error, last):
    said = str(docker_errors.no_connection(error, "tcp://h"))
    last = last or ("x " * 200)[:297] + "..."
    assert said == (
        f"the container engine at tcp://h does not answer: {last}\n    look at it with `docker version`, "
        f"{HOST}"
    )


def test_errors_that_cause_each_other_are_no_circle():
    one, two = ValueError("one"), ValueError("two")
    one.__cause__, two.__cause__ = two, one
    assert "does not answer: two" in str(docker_errors.no_connection(one, "x"))


REFUSED = "its registry refuses it: a private image, or none of that name; for a private one: docker login"
LACKS = "its registry does not have it: look for a slip in name, tag or digest"
AWAY = "its registry can't be reached from here; pull it where there is a network (docker save, docker load)"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        *((word.upper(), REFUSED) for word in docker_errors._DENIED),
        *((word, LACKS) for word in docker_errors._UNKNOWN),
        *((word, AWAY) for word in docker_errors._UNREACHABLE),
        ("unauthorized: not found", REFUSED),
        ("not found: timeout", LACKS),
        ("something   else\n", "it was not pulled"),
    ],
)
def test_an_image_that_does_not_come(text, why):
    made = docker_errors.no_image("a/b", text, "/var/docker")
    assert type(made) is MissingTool
    assert str(made) == (
        f"the image a/b is not here, and {why}\n    {' '.join(text.split())}\n    without a registry: "
        'docker build -t orchestrate-contiki-ng "$(orchestrate build --sources)/docker", then name it with '
        "--image "
        "orchestrate-contiki-ng"
    )


@pytest.mark.parametrize(("length", "kept"), [(300, "x" * 300), (301, "x" * 297 + "...")])
def test_long_messages_are_cut(length, kept):
    assert docker_errors._short("x" * length) == kept


def test_a_full_disk():
    made = docker_errors.no_image("a/b", "No Space Left On Device", "/var/docker")
    assert type(made) is StorageFailed
    assert str(made) == (
        "pulling the image a/b: no space left on the container engine's disk (/var/docker)\n    free space "
        "there: "
        "`docker system df` shows what takes it, `docker system prune` removes what nothing uses"
    )


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        (
            "write x: no space left on device",
            StorageFailed,
            "what: no space left on the container engine's disk (/d)\n    free space there: `docker system "
            "df` shows "
            "what takes it, `docker system prune` removes what nothing uses",
        ),
        (
            "bind source path does not exist: /no such file or directory",
            MissingTool,
            "what: the container engine does not see this machine's folders: bind source path does not "
            "exist: /no "
            f"such file or directory\n    use an engine on this machine (unset DOCKER_HOST), {HOST}",
        ),
        (
            "x: No such file or directory",
            MissingTool,
            "what: the image lacks a program: x: No such file or directory\n    an image needs make, a "
            "compiler and "
            f"timeout (coreutils); {docker_errors.OWN_IMAGE}",
        ),
        (
            "x: executable file not found in $PATH",
            MissingTool,
            "what: the image lacks a program: x: executable file not found in $PATH\n    an image needs "
            "make, a "
            f"compiler and timeout (coreutils); {docker_errors.OWN_IMAGE}",
        ),
        ("bad CPU", BuildFailed, "what: the container engine refused: bad CPU"),
    ],
)
def test_a_container_that_does_not_start(text, kind, said):
    explained = ValueError("other")
    explained.explanation = text
    for error in (ValueError(text), explained):
        made = docker_errors.no_container(error, "what", "/d")
        assert (type(made), str(made)) == (kind, said)
    explained.explanation = None
    assert "refused: other" in str(docker_errors.no_container(explained, "what", "/d"))


@pytest.mark.parametrize(
    ("line", "compiler"),
    [
        ("make: msp430-gcc: No such file or directory", "msp430-gcc"),
        ("make[2]: /opt/arm-gcc: Command not found", "/opt/arm-gcc"),
        ("make: /opt/arm-gcc: command not found", "/opt/arm-gcc"),
        ("sh: 1: msp430-gcc: not found", "msp430-gcc"),
        ("/bin/bash: line 1: clang: command not found", "clang"),
        ("make: python3: No such file or directory", None),
    ],
)
def test_a_compiler_that_the_image_lacks(line, compiler):
    assert docker_errors.no_compiler("what", line) is None
    made = docker_errors.no_compiler("what", f"some\n{line}\nmake: *** [x] Error 127\n")
    assert (str(made) if made else None) == (
        compiler
        and f"what: the image has no {compiler}\n    name one that has it with --image (contiker/contiki-ng "
        "has those of Contiki-NG's targets), or install it in yours"
    )
