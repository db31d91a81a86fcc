# SPDX-License-Identifier: Apache-2.0
"""Turns a container engine's errors into messages for the user, each with its remedy."""

from __future__ import annotations

import re

from orchestrator.errors import BuildFailed, MissingTool, OrchestrateError, StorageFailed

HOST_REMEDY = "or build without it: --builder host, `firmware: {builder: host}`"
OWN_IMAGE = (
    'docker build -t orchestrate-contiki-ng "$(orchestrate build --sources)/docker", then name it with '
    "--image orchestrate-contiki-ng"
)
# As make says it (before 4.3: `Command not found`) and the shells: `make: msp430-gcc: No such file or
# directory`, `sh: 1: msp430-gcc: not found`.
_NO_COMPILER = re.compile(
    r"^(?:make|\S*sh)\S* (?:(?:line )?\d+: )?(\S*(?:cc|clang)): (?:[Cc]ommand )?(?:not found|No such file)",
    re.MULTILINE,
)
# Of what builds for Tmote Skys (os/sky/Makefile.compiler); shells of a parallel make may write into one line.
_NO_LLVM = re.compile(r"\b((?:clang|ld\.lld)-\d+): (?:[Cc]ommand )?not found")
_FULL = "no space left on device"
_DENIED = ("pull access denied", "unauthorized", "authentication required", "denied:", "insufficient_scope")
_UNKNOWN = ("manifest unknown", "not found", "repository does not exist", "name unknown")
_UNREACHABLE = (
    "no such host",
    "network is unreachable",
    "connection refused",
    "i/o timeout",
    "timeout",
    "temporary failure",
    "server misbehaving",
    "tls:",
    "x509",
    "no route to host",
    "eof",
    "proxyconnect",
)


def no_connection(error: BaseException, address: str) -> MissingTool:
    """Return the error for an engine that did not answer at `address`."""
    causes = list(_causes(error))
    text = " ".join(str(cause) for cause in causes)
    if any(isinstance(cause, PermissionError) for cause in causes) or "Permission denied" in text:
        return MissingTool(
            f"the container engine at {address} denies permission\n"
            "    add yourself to its group (sudo usermod -aG docker $USER) and log in again, or use a "
            f"rootless engine, {HOST_REMEDY}"
        )
    if any(isinstance(cause, FileNotFoundError) for cause in causes) or "No such file" in text:
        return MissingTool(
            f"no container engine: there is no {address}\n"
            f"    install and start one (docker.io or podman), or name it with $DOCKER_HOST, {HOST_REMEDY}"
        )
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes) or "Connection refused" in text:
        return MissingTool(
            f"the container engine at {address} is not running: nothing listens there\n"
            f"    start it (sudo systemctl start docker), {HOST_REMEDY}"
        )
    return MissingTool(
        f"the container engine at {address} does not answer: {_last(causes)}\n"
        f"    look at it with `docker version`, {HOST_REMEDY}"
    )


def no_image(reference: str, text: str, engine_folder: str) -> OrchestrateError:
    """Return the error for an image that is not here and was not pulled; `text` is what was said."""
    message = text.lower()
    if _FULL in message:
        return disk_full(f"pulling the image {reference}", engine_folder)
    if any(word in message for word in _DENIED):
        why = (
            "its registry refuses it: a private image, or none of that name; for a private one: docker login"
        )
    elif any(word in message for word in _UNKNOWN):
        why = "its registry does not have it: look for a slip in name, tag or digest"
    elif any(word in message for word in _UNREACHABLE):
        why = (
            "its registry can't be reached from here; pull it where there is a network (docker save, docker "
            "load)"
        )
    else:
        why = "it was not pulled"
    return MissingTool(
        f"the image {reference} is not here, and {why}\n    {_short(text)}\n    without a registry: "
        f"{OWN_IMAGE}"
    )


def disk_full(what: str, folder: str) -> StorageFailed:
    """Say that the disk of the container engine is full, and how to free space."""
    return StorageFailed(
        f"{what}: no space left on the container engine's disk ({folder})\n"
        "    free space there: `docker system df` shows what takes it, `docker system prune` removes what "
        "nothing uses"
    )


def no_compiler(what: str, output: str) -> MissingTool | None:
    """Return the error for a compiler that the image lacks, if make's output names one."""
    if match := _NO_LLVM.search(output):
        has = f"the image that we have a Dockerfile of has it: {OWN_IMAGE}"
        return MissingTool(f"{what}: the image has no {match[1]}\n    {has}")
    match = _NO_COMPILER.search(output)
    if match is None or "Error 127" not in output:  # a Makefile may also just ask for one
        return None
    return MissingTool(
        f"{what}: the image has no {match[1]}\n    name an image with it by --image (contiker/contiki-ng "
        "has those of Contiki-NG's targets), or install it in yours"
    )


def no_container(error: BaseException, what: str, engine_folder: str) -> OrchestrateError:
    """Return the error for a container that was not made or started."""
    text = _short(str(getattr(error, "explanation", None) or error))
    if _FULL in text.lower():
        return disk_full(what, engine_folder)
    if "bind source path does not exist" in text:
        return MissingTool(
            f"{what}: the container engine does not see this machine's folders: {text}\n"
            f"    use an engine on this machine (unset DOCKER_HOST), {HOST_REMEDY}"
        )
    if "executable file not found" in text or "no such file or directory" in text.lower():
        return MissingTool(
            f"{what}: the image lacks a program: {text}\n"
            f"    an image needs make, a compiler and timeout (coreutils); {OWN_IMAGE}"
        )
    return BuildFailed(f"{what}: the container engine refused: {text}")


def _causes(error: BaseException | None):
    """Return the error, its causes and errors among their arguments, where requests has the socket's."""
    seen: list[BaseException] = []
    waiting = [error]
    while waiting:
        cause = waiting.pop(0)
        if not isinstance(cause, BaseException) or any(cause is other for other in seen):
            continue
        seen.append(cause)
        waiting += [cause.__cause__, cause.__context__, getattr(cause, "reason", None), *cause.args]
    return seen


def _last(causes: list[BaseException]) -> str:
    return _short(str(causes[-1]) or type(causes[-1]).__name__)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 300 else line[:297] + "..."
