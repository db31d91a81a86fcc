# SPDX-License-Identifier: Apache-2.0
"""Makes tables of a record of the air or of a capture: the dissector writes arrays, which become Arrow's.

No Python code sees a frame.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from orchestrate_spark.errors import TablesFailed
from orchestrate_spark.sources import Damaged
from orchestrate_spark.sources.air import program

DEFAULT_PREFIX = bytes.fromhex("fd00000000000000")  # Contiki-NG's context 0
_TYPES = {
    "bool": pa.bool_(),
    "int8": pa.int8(),
    "int16": pa.int16(),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "float32": pa.float32(),
}
_FAULTY = 3  # the dissector's exit code for a file that it can't read


@dataclass(frozen=True)
class Settings:
    """What frames don't say of themselves.

    `prefixes`: by context of the header compression, 8 bytes each. `keys`: of link-layer security, 16 bytes
    each, by index (-1: of frames that name none). `slot_us`: the length of TSCH's time slots. `nullnet`: data
    frames carry an application's bytes and no 6LoWPAN.
    """

    prefixes: Mapping[int, bytes] = field(default_factory=lambda: {0: DEFAULT_PREFIX})
    keys: Mapping[int, bytes] = field(default_factory=dict)
    slot_us: int = 10_000
    nullnet: bool = False

    @classmethod
    def of(cls, plain: Mapping) -> Settings:
        """Return the settings that air.json has."""
        prefixes = {int(number): bytes.fromhex(text) for number, text in plain.get("prefixes", {}).items()}
        return cls(
            {0: DEFAULT_PREFIX, **prefixes},
            {int(index): bytes.fromhex(text) for index, text in plain.get("keys", {}).items()},
            plain.get("slot_us", 10_000),
            plain.get("nullnet", False),
        )

    def plain(self) -> dict:
        """Return them as air.json has them."""
        return {
            "prefixes": {str(number): prefix.hex() for number, prefix in sorted(self.prefixes.items())},
            "keys": {str(index): key.hex() for index, key in sorted(self.keys.items())},
            "slot_us": self.slot_us,
            "nullnet": self.nullnet,
        }

    def words(self) -> list[str]:
        """Return them as arguments of the dissector."""
        words = ["--slot", str(self.slot_us)] + ["--nullnet"] * self.nullnet
        for number, prefix in sorted(self.prefixes.items()):
            words += ["--prefix", str(number), prefix.hex()]
        for index, key in sorted(self.keys.items()):
            words += ["--key", str(index), key.hex()]
        return words


@dataclass(frozen=True)
class Dissected:
    """The tables of a file. `warning`: why the file was not read to its end; "" if it was."""

    tables: dict[str, pa.Table]
    warning: str


def dissect(path: Path, settings: Settings = Settings(), executable: Path | None = None) -> Dissected:
    """Dissect a record of the engine or a capture.

    Raises Damaged for a file that is neither, NoCompiler, and TablesFailed if the dissector itself fails.
    """
    command = [str(executable or program.executable()), str(path)]
    with tempfile.NamedTemporaryFile(prefix="orchestrate-air-") as arrays:
        done = subprocess.run(
            [*command, arrays.name, *settings.words()],
            capture_output=True,
            check=False,
            text=True,
            errors="surrogateescape",  # as a path has bytes that are no UTF-8
        )
        if done.returncode == _FAULTY:
            raise Damaged(done.stderr.strip().removeprefix(f"{path}: "))
        if done.returncode != 0:
            raise TablesFailed(
                f"{path}: the dissector ended with {done.returncode}: {done.stderr.strip()[:500]}\n"
                "    please report it, with the file"
            )
        layout = json.loads(done.stdout)
        content = pa.memory_map(arrays.name).read_buffer() if layout["size"] else pa.py_buffer(b"")
    tables = {name: _table(table, content) for name, table in layout["tables"].items()}
    return Dissected(tables, layout["warning"])


def _table(layout: dict, content: pa.Buffer) -> pa.Table:
    rows = layout["rows"]
    return pa.table({column["name"]: _array(column, rows, content) for column in layout["columns"]})


def _array(layout: dict, rows: int, content: pa.Buffer) -> pa.Array:
    kind = pa.dictionary(pa.int32(), pa.string()) if layout["kind"] == "text" else _TYPES[layout["kind"]]
    if "data" not in layout:
        return pa.nulls(rows, kind)
    valid = content.slice(layout["valid"]) if "valid" in layout else None
    values = content.slice(layout["data"])
    if layout["kind"] != "text":
        return pa.Array.from_buffers(kind, rows, [valid, values], layout["nulls"])
    entries = pa.StringArray.from_buffers(
        layout["entries"],
        content.slice(layout["offsets"]),
        content.slice(layout["text"], layout["length"]),
    )
    indices = pa.Array.from_buffers(pa.int32(), rows, [valid, values], layout["nulls"])
    return pa.DictionaryArray.from_arrays(indices, entries)
