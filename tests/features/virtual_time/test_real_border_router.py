# SPDX-License-Identifier: Apache-2.0
"""Contiki-NG's own border router: set CONTIKI_NG to its tree."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.cli.app import main
from orchestrator.csc.model import EndScript
from orchestrator.csc.write import write
from orchestrator.features.virtual_time import mote_address
from tools.bench.virtual_time import CLIENT, MOTES, network

TREE = os.environ.get("CONTIKI_NG")
pytestmark = [
    pytest.mark.contiki_ng,
    pytest.mark.skipif(TREE is None, reason="CONTIKI_NG isn't set"),
]

SERVER = """
  <plugin>
    org.contikios.cooja.serialsocket.SerialSocketServer
    <mote_arg>0</mote_arg>
    <plugin_config><port>60001</port><bound>true</bound><commands>sh tcp.sh</commands></plugin_config>
  </plugin>
</simconf>"""
TCP = """\
TREE/tools/serial-io/tunslip6 -a 127.0.0.1 -p 60001 fd00::1/64 > /dev/null &
sleep 5
exec PYTHON -c "
import asyncio

async def main():
    reader, writer = await asyncio.open_connection('fd00::201:1:1:1', 80)
    writer.write(b'GET / HTTP/1.0\\r\\n\\r\\n')
    print((await reader.read()).decode())

asyncio.run(main())"
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """A copy of the tree, in which firmware is built, and the network beside it."""
    folder = tmp_path_factory.mktemp("tree")
    shutil.copytree(TREE, folder / "tree", symlinks=True, ignore=shutil.ignore_patterns(".git", "build"))
    (folder / "network.csc").write_bytes(write(network(folder / "tree")))
    return folder


def test_a_coap_client_gets_from_25_motes_the_same_bytes_every_time(place, tmp_path, capfd):
    (tmp_path / "client.py").write_text(CLIENT)
    addresses = [mote_address(2 + number) for number in range(MOTES)]
    seen = set()
    for name in ("one", "two"):
        words = ["live", "--border-router", "1", "--logdir", str(tmp_path / name), str(place / "network.csc")]
        assert main([*words, str(tmp_path / "client.py"), "1", *addresses]) == 0
        seen.add((capfd.readouterr().out, (tmp_path / name / "COOJA.testlog").read_bytes()))
    ((printed, _),) = seen
    assert printed.count(",") >= MOTES - 1


def test_tcp_works_in_real_time_through_a_tun_device(place, tmp_path):
    """As docs/virtual-time.md says."""
    if os.geteuid() or not shutil.which("unshare") or not Path("/dev/net/tun").exists():
        pytest.skip("no root, unshare or TUN device here")
    subprocess.run(["make", "-s", "-C", place / "tree" / "tools" / "serial-io", "tunslip6"], check=True)
    longer = replace(network(place / "tree"), script=EndScript(120_000_000))
    (place / "tcp.csc").write_text(write(longer).decode().replace("</simconf>", SERVER))
    (place / "tcp.sh").write_text(TCP.replace("TREE", str(place / "tree")).replace("PYTHON", sys.executable))
    ours = ["-m", "orchestrator.cli.app", "simulate", place / "tcp.csc", f"--logdir={tmp_path}", "--speed=1"]
    done = subprocess.run(
        ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", sys.executable, *ours],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "HTTP/1.0 200 OK" in (tmp_path / "commands.log").read_text(), done.stderr
