# SPDX-License-Identifier: Apache-2.0
"""Versions the tables' columns: each state of `tables` names its version, and older rows are migrated.

Version 1 had the columns of 2 and named no version; version 3 has the tables of policies besides, and version
4 those of jobs and ages, which older runs have no rows for. A table that was ingested by another parser is
read again from its runs' logs; only rows whose log is gone are migrated.
"""

from __future__ import annotations

from pathlib import Path

from orchestrate_spark import snapshot
from orchestrate_spark.errors import TablesFailed

SCHEMA = 4  # one more with each change of tables.COLUMNS; a test has the digest of this one's
KEY = "schema"  # in the index of a state of `tables`
UNNAMED = 1  # the version of tables that do not name one


def check(experiment: Path) -> None:
    """Raise TablesFailed if the tables were made by a later version, which may mean other things by them."""
    found = snapshot.index(experiment, "tables").get(KEY, UNNAMED)
    if not isinstance(found, int) or found > SCHEMA:
        raise TablesFailed(
            f"{experiment}/tables: of schema {found}, known are those to {SCHEMA}; nothing was changed\n"
            "    update orchestrate on this machine, or ingest into a store of its own"
        )
