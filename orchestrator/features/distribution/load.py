# SPDX-License-Identifier: Apache-2.0
"""Reads the file of a system, or reports all of its faults at once, each with its line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from orchestrator.features.distribution import settings, tables
from orchestrator.features.distribution.judge import judge
from orchestrator.features.distribution.model import Distribution, Load, Source, Step, System, Target, Timing
from orchestrator.vocabulary import document
from orchestrator.vocabulary.document import Mapping, Scalar, wrong_kind
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.fields import Fields, entries, known_keys, named, own_name
from orchestrator.vocabulary.parameters import Parameter
from orchestrator.vocabulary.units import short
from orchestrator.words import did_you_mean

MOST_BYTES, MOST_NODES = 4 << 20, 250_000
_REMEDY = "docs/distribution.md shows one; `orchestrate schema distribution` has all keys"


def load(path: Path) -> System:
    """Read a system. Raises NoSuchThing, FaultyInput with all faults."""
    path = Path(path)
    text, _, faults = document.read(path, "file", _REMEDY, MOST_BYTES)
    return loads(text, path, faults)


def loads(text: str, path: Path, faults: Faults | None = None) -> System:
    """Read a system from its text; `path`: its file, beside which a table is looked for."""
    faults = faults or Faults(str(path))
    nothing = "the file describes no system"
    reader = _Reader(path, document.mapping(text, faults, nothing, _REMEDY, MOST_BYTES, MOST_NODES), faults)
    system = reader.system()
    if reader.whole():
        judge(system, faults)
    faults.raise_any()
    return system


class _Reader:
    """Reads one file and adds its faults to `faults`. An incomplete entry is left out."""

    def __init__(self, path: Path, root: Mapping, faults: Faults):
        self.path, self.root, self.faults = path, root, faults
        self.lines: dict[str, int] = {}
        self.before = len(faults)

    def whole(self) -> bool:
        """Whether everything that was written could be read, so that its meaning can be judged."""
        return len(self.faults) == self.before

    def system(self) -> System:
        root, faults = self.root, self.faults
        known_keys(root, "", settings.SECTIONS, faults)
        name = own_name(root, "distribution", settings.NAME, settings.NAME_REMEDY, faults)
        self.rows = self.table()
        self.nodes = self.read_nodes()
        networks = {name: fields["delay"] for name, fields in self.section("networks", settings.NETWORK)}
        objects = {name: fields["validity"] for name, fields in self.section("objects", settings.OBJECT)}
        self.known = {"object": objects, "network": networks, "node": dict.fromkeys(self.nodes)}
        sources, targets = {}, {}
        for key, fields in self.section("sources", settings.SOURCE):
            sources[key] = Source(key, self.of(fields, "node"), self.of(fields, "object"), _timing(fields))
        for key, fields in self.section("targets", settings.TARGET):
            targets[key] = Target(key, self.of(fields, "node"), self.of(fields, "object"), _timing(fields))
        self.known["target"] = targets
        steps = {}
        for key, fields in self.section("steps", settings.STEP):
            row = self.rows.get(fields["row"] or key)
            steps[key] = Step(
                key,
                self.of(fields, "node"),
                fields["execution"],
                fields["each-target"],
                tables.timing(row) if row else None,
            )
        self.known["step"] = steps
        distributions = {
            name: self.distribution(name, fields, targets)
            for name, fields in self.section("distributions", settings.DISTRIBUTION, settings.LISTS)
        }
        loads = {
            name: Load(name, self.of(fields, "node"), _timing(fields))
            for name, fields in self.section("loads", settings.LOAD)
        }
        return System(
            name, self.nodes, networks, objects, sources, targets, steps, distributions, loads, self.lines
        )

    def table(self) -> dict[str, Mapping]:
        node = self.root.get("table")
        if node is None:
            return {}
        if not isinstance(node, Scalar) or not node.text:
            wrong_kind(node, "table", "name key file", self.faults)
            return {}
        return tables.read(self.path.parent / node.text, node.line, self.faults)

    def read_nodes(self) -> tuple[str, ...]:
        node = self.root.get("nodes")
        if node is None:
            self.faults.add(self.root.line, "no nodes", "add `nodes: [node-1, node-2]`")
            return ()
        names: dict[str, None] = {}
        for scalar in named(node, "nodes", self.faults):
            if not settings.NAME.fullmatch(scalar.text):
                self.faults.add(
                    scalar.line, f"nodes: {short(scalar.text)} is not a valid name", settings.NAME_REMEDY
                )
            elif scalar.text in names:
                self.faults.add(scalar.line, f"nodes: {scalar.text} is there twice", "name it once")
            names[scalar.text] = None
            self.lines.setdefault(scalar.text, scalar.line)
        return tuple(names)

    def section(
        self, section: str, declared: dict[str, Parameter], others: Iterable[str] = ()
    ) -> Iterator[tuple[str, Fields]]:
        """Yield the entries of a section with their values; names are not given twice in a file."""
        what = section.removesuffix("s")
        for name, node in entries(
            self.root, section, settings.MOST, settings.NAME, settings.NAME_REMEDY, self.faults
        ):
            if name in self.lines:
                self.faults.add(
                    node.line, f"{what} {name}: line {self.lines[name]} has that name", "give it another"
                )
            self.lines[name] = node.line
            row = self.row(what, name, node) if "row" in declared else None
            defaults = row and Mapping(tuple(pair for pair in row if pair[0].text in declared), row.line)
            yield name, Fields(f"{what} {name}", node, defaults, declared, self.faults, others)

    def row(self, what: str, name: str, node: Mapping) -> Mapping | None:
        asked = node.get("row")
        if isinstance(asked, Scalar) and asked.text and asked.text not in self.rows:
            self.faults.add(
                asked.line,
                f"{what} {name}: the table has no row {short(asked.text)}",
                did_you_mean(asked.text, self.rows),
            )
        return self.rows.get(asked.text if isinstance(asked, Scalar) and asked.text else name)

    def of(self, fields: Fields, kind: str) -> str:
        """Return the name of another entry that a key has."""
        name = fields[kind]
        if name and name not in self.known[kind]:
            fields.fault(kind, f"there is no {kind} {short(name)}", did_you_mean(name, self.known[kind]))
        return name or ""

    def distribution(self, name: str, fields: Fields, targets: dict[str, Target]) -> Distribution:
        of = self.of(fields, "object")
        listed = self.listed(fields, settings.TARGETS, "target")
        if listed is None:
            listed = tuple(target.name for target in targets.values() if target.object == of)
        return Distribution(
            name, of, listed, self.listed(fields, settings.PATH, "step") or (), self.of(fields, "network")
        )

    def listed(self, fields: Fields, key: str, kind: str) -> tuple[str, ...] | None:
        node = fields.node(key)
        if node is None:
            return None
        names: dict[str, None] = {}
        for scalar in named(node, f"{fields.what}: {key}", self.faults):
            if scalar.text not in self.known[kind]:
                self.faults.add(
                    scalar.line,
                    f"{fields.what}: there is no {kind} {short(scalar.text)}",
                    did_you_mean(scalar.text, self.known[kind]),
                )
            elif scalar.text in names:
                self.faults.add(
                    scalar.line, f"{fields.what}: {scalar.text} is in {key} twice", "name it once"
                )
            names[scalar.text] = None
        return tuple(names)


def _timing(fields: Fields) -> Timing:
    return Timing(fields["period"], fields["release"], fields["deadline"], fields["execution"])
