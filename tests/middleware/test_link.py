# SPDX-License-Identifier: Apache-2.0
"""What the publish/subscribe link makes of packets, and of what the MAC says of them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import c_tests
import pytest

OS = c_tests.ROOT / "contiki-apps" / "os"
PUBSUB = c_tests.MIDDLEWARE / "pubsub"


@pytest.mark.parametrize("mac", ["CSMA", "NULLMAC"])
def test_the_link(mac, tmp_path):
    program = tmp_path / "link"
    built = subprocess.run(
        [
            c_tests.compiler(),
            *c_tests.WARNINGS,
            "-g",
            "-O1",
            *c_tests.SANITIZE,
            f"-DMAC_CONF_WITH_{mac}=1",
            f"-I{OS}",
            f"-I{PUBSUB}",
            Path(__file__).parent / "unit" / "link_main.c",
            PUBSUB / "pubsub-link.c",
            OS / "net" / "link-filter.c",
            OS / "net" / "packetbuf.c",
            OS / "net" / "linkaddr.c",
            "-o",
            program,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
