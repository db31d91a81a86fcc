# SPDX-License-Identifier: Apache-2.0
"""How many builds (compilers x optimisations) give the same log of the same scenario and seed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.same_bytes import builds, log_hashes
from tools.bench.row import Row


def rows(folder: Path, seeds: str) -> Iterator[Row]:
    results = [log_hashes(*build, folder) for build in builds()]
    same = sum(result == results[0] for result in results)
    names = ", ".join("".join(build) for build in builds())
    yield Row(f"builds with the same bytes ({names})", same, "", len(results), at_least=True)
