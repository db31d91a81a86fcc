# SPDX-License-Identifier: Apache-2.0
"""Turns linked firmware (ELF, 32 bits) into Intel HEX, which flashing tools of all our platforms take.

objcopy of the GNU binutils does it: those of this machine know every 32-bit ELF file, whatever its processor.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from orchestrator.errors import BuildFailed, MissingTool

MAGIC = b"\x7fELF"
_DATA = re.compile("^:.{6}00", re.MULTILINE)  # a record of data


def write(elf: Path, path: Path) -> None:
    """Write what an ELF file loads, where it lies in flash, as Intel HEX. Raises BuildFailed, MissingTool."""
    objcopy = shutil.which("objcopy")
    if objcopy is None:
        raise MissingTool("no objcopy, so no firmware to flash\n    apt-get install binutils")
    with elf.open("rb") as file:
        order = "big" if file.read(6)[5:] == b"\x02" else "little"
    call = [objcopy, "-I", f"elf32-{order}", "-O", "ihex", str(elf), str(path)]
    done = subprocess.run(call, capture_output=True, errors="replace")
    if done.returncode:
        raise BuildFailed(f"{elf} is not a microcontroller's firmware\n    {done.stderr.strip()}")
    records = path.read_text(encoding="ascii")
    if not _DATA.search(records):
        raise BuildFailed(f"{elf} is not a microcontroller's firmware: nothing in it is loaded")
    path.write_text(records, encoding="ascii")  # without the carriage returns of objcopy
