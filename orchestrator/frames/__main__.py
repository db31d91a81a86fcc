# SPDX-License-Identifier: Apache-2.0
"""`python -m orchestrator.frames --write` makes the C header and the page of the frames' description."""

from __future__ import annotations

import sys

from orchestrator.durable import write
from orchestrator.frames import c_header, description, page

if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python -m orchestrator.frames --write")
    described = description.load()
    write(c_header.file(), c_header.header(described).encode())
    write(page.file(), page.page(described).encode())
