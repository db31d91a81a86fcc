# SPDX-License-Identifier: Apache-2.0
"""Parts without a mote around them, on the host under the sanitizers, with random input."""

import subprocess

import pytest
from os_builds import HERE, OS, compile_host

SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
SOURCES = {
    "format_check": [OS / "lib/format.c"],
    "framer_check": [
        OS / "net/mac/framer/frame802154.c",
        OS / "net/mac/framer/framer-802154.c",
        OS / "net/packetbuf.c",
        OS / "net/linkaddr.c",
        OS / "sys/log.c",
    ],
}


@pytest.mark.parametrize("name", SOURCES)
def test_properties(name, work):
    program = compile_host(HERE / f"{name}.c", work / name, *SANITIZERS, *SOURCES[name])
    for seed in ("1", "20261121"):
        ran = subprocess.run([str(program), "20000", seed], check=False, capture_output=True, text=True)
        assert (ran.returncode, ran.stdout) == (0, "20000 rounds\n"), ran.stdout + ran.stderr
