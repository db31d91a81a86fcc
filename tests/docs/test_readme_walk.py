# SPDX-License-Identifier: Apache-2.0
"""README's walk, typed: every command that it prints is one, and those that need no Spark do what it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from orchestrator.applications import descriptor
from orchestrator.cli.app import every_command, main
from tests import needs

needs.a_compiler()

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
WALK = README[README.index("## Ten minutes") : README.index("## Where to read on")]
TYPED = [" ".join(command.split()) for command in re.findall(r"`(orchestrate [^`]+)`", WALK)]


def test_every_command_that_it_prints_is_one():
    assert len(TYPED) > 10 and {command.split()[1] for command in TYPED} <= set(every_command())


def test_every_application_has_its_page_and_the_list_of_pages_links_it():
    listed = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for name in descriptor.names():
        page = f"contiki-apps/apps/{name}/README.md"
        assert (ROOT / page).is_file() and f"](../{page})" in listed


def test_the_list_of_pages_has_every_page_of_the_folder_docs():
    docs = ROOT / "docs"
    listed = (docs / "README.md").read_text(encoding="utf-8")
    pages = {str(path.relative_to(docs)) for path in docs.rglob("*.md")} - {"README.md"}
    assert {page for page in pages if f"]({page})" not in listed} == set()


def test_the_walk(tmp_path, monkeypatch, capsys):

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ORCHESTRATE_STORE", raising=False)
    monkeypatch.setenv("COLUMNS", "80")

    def typed(*beginning: str) -> str:
        command = next(one for one in TYPED if one.startswith("orchestrate " + " ".join(beginning)))
        assert main(shlex.split(command)[1:]) == 0, command
        return capsys.readouterr().out

    typed("init")
    assert "4 cells x 3 seeds" in typed("validate")
    assert main(["run", "chain.yaml", "--no-report"]) == 0  # as printed, without Spark
    capsys.readouterr()
    assert "seed" in typed("runs list")
    assert "Packets and events by mote" in typed("show")
    assert "P3/17" in typed("trace")
    assert "frames" in typed("pcap")
    assert "connected" in typed("topology")
