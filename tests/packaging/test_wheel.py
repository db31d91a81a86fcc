# SPDX-License-Identifier: Apache-2.0
"""What is in the wheel, and that the same sources make the same bytes."""

from __future__ import annotations

import os
import re
import shutil
import zipfile
from email.parser import Parser
from pathlib import Path

# A folder of the repository -> where the wheel has it.
FOLDERS = {
    "orchestrator/": "orchestrator/",
    "spark/orchestrate_spark/": "orchestrate_spark/",
    "testbed/orchestrate_testbed/": "orchestrate_testbed/",
    "contiki-apps/": "orchestrator/_data/contiki-apps/",
    "csc-templates/": "orchestrator/_data/csc-templates/",
}
LEFT_OUT = "contiki-apps/probes/"
MOST_BYTES = 3_300_000  # source text, deflated; a firmware or a library that slipped in would show


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def names(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_it_holds_what_the_command_needs_and_nothing_else(wheel, sources):
    expected = {
        there + source.removeprefix(here)
        for source in files(sources)
        if not source.startswith(LEFT_OUT)
        for here, there in FOLDERS.items()
        if source.startswith(here)
    }
    found = [name for name in names(wheel) if ".dist-info/" not in name]
    assert sorted(found) == sorted(expected)
    assert {
        "orchestrator/engines/embedded/kernel/run/main.c",
        "orchestrator/report/templates/report.css",
        "orchestrator/features/aggregation/paper/published.yaml",
        "orchestrator/_data/contiki-apps/Makefile.embedded",
        "orchestrator/_data/contiki-apps/os/platform/main.c",
        "orchestrator/_data/contiki-apps/apps/aggregation/application.yaml",
        "orchestrator/_data/csc-templates/scripts/pass.js",
        "orchestrate_spark/log_format.py",
    } <= set(found)


def test_it_holds_no_junk(wheel):
    junk = re.compile(r"(^|/)(tests?|__pycache__|build/cooja|\.[^/]*)/|\.(pyc|o|d|so|cooja|whl|log)$|(^|/)\.")
    assert [name for name in names(wheel) if junk.search(name)] == []
    assert wheel.stat().st_size < MOST_BYTES


def test_its_metadata(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (folder,) = {name.split("/")[0] for name in archive.namelist() if ".dist-info/" in name}
        metadata = Parser().parsestr(archive.read(f"{folder}/METADATA").decode())
        assert (
            "orchestrate = orchestrator.cli.app:main" in archive.read(f"{folder}/entry_points.txt").decode()
        )
        assert archive.read(f"{folder}/licenses/LICENSE").strip().startswith(b"Apache License")
    assert wheel.name == f"cooja_orchestrate-{metadata['Version']}-py3-none-any.whl"
    needed = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    assert any(line.startswith("pyspark") for line in needed)
    assert not any(line.startswith(("pytest", "hypothesis", "hatchling", "jsonschema")) for line in needed)


def test_the_same_sources_make_the_same_bytes(wheel, sources, build, tmp_path):
    copy = tmp_path / "elsewhere"
    for number, source in enumerate(reversed(files(sources))):  # other place, order, times and modes
        (copy / source).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(sources / source, copy / source)
        os.utime(copy / source, (1_000_000_000 + number,) * 2)
        (copy / source).chmod(0o600)
    for junk in (
        "contiki-apps/apps/aggregation/build/cooja/aggregation.cooja",
        "contiki-apps/os/sys/process.o",
        "orchestrator/__pycache__/errors.cpython-311.pyc",
        "spark/orchestrate_spark/metastore_db/log",
    ):
        (copy / junk).parent.mkdir(parents=True, exist_ok=True)
        (copy / junk).write_bytes(b"junk")
    again = build(copy, tmp_path / "dist")
    assert again.name == wheel.name
    assert names(again) == names(wheel)
    assert again.read_bytes() == wheel.read_bytes()
