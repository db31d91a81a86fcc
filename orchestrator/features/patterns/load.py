# SPDX-License-Identifier: Apache-2.0
"""Reads pattern files and ready-made sets into the form in which an experiment keeps its log patterns.

The file's form is described in docs/log-patterns.md; what the compiled form means, in
orchestrate_spark.sources.log_patterns.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from orchestrate_spark.metrics.model import DIRECTIONS
from orchestrate_spark.profiles import STATES, Profile, profiles
from orchestrate_spark.sources.log_patterns import FORMAT, MARKS, NUMBERS, TYPES, expressions
from orchestrate_spark.sources.log_patterns.family import STATISTICS, TOTALS, USUAL_TOTAL, declared

from orchestrator.errors import FaultyInput, NoSuchThing
from orchestrator.features.patterns import lines, platforms
from orchestrator.features.patterns.platforms import MOST_ENTRIES, NAME, NAME_REMEDY
from orchestrator.features.patterns.written import MOTE, text_of
from orchestrator.features.patterns.written import groups as groups_of
from orchestrator.vocabulary import document, units
from orchestrator.vocabulary.document import Mapping, Scalar, wrong_kind
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.fields import entries, known_keys, named
from orchestrator.vocabulary.units import NotAQuantity, short
from orchestrator.words import did_you_mean, enumerated

SETS = Path(__file__).parent / "sets"
KEYS = ("title", "use", "lines", "profile", "profiles", "events", "deliveries", "metrics", "energy")
EVENT_KEYS = ("match", "fields", "mote", "help")
DELIVERY_KEYS = ("sent", "received", "key", "within")
METRIC_KEYS = ("event", "value", "statistic", "total", "unit", "better", "title", "definition")
ENERGY_KEYS = ("event", "states", "whole", "cumulative")
STATE_KEYS = ("event", "value", "whole")


@dataclass
class Patterns:
    """Compiled patterns.

    `spec`: what an experiment keeps (sources/log_patterns). `names`: the sets and files, as they were given.
    `form`: how lines of a log from elsewhere are split, if a file says so.
    """

    spec: dict[str, Any] = field(
        default_factory=lambda: {
            "format": FORMAT,
            "events": {},
            "deliveries": {},
            "values": {},
            "metrics": {},
            "energy": {},
            MARKS: {},
        }
    )
    names: list[str] = field(default_factory=list)
    form: lines.Form | None = None
    profile: str = ""


def sets() -> dict[str, str]:
    """Return the ready-made sets by name, each with its title."""
    return {path.stem: _title(path) for path in sorted(SETS.glob("*.yaml"))}


@cache
def _title(path: Path) -> str:
    root = document.parse(path.read_text(encoding="utf-8"), Faults(path.name))
    title = root.get("title") if isinstance(root, Mapping) else None
    return title.text if isinstance(title, Scalar) else ""


def is_path(given: str) -> bool:
    """Whether this names a file, and not a ready-made set."""
    return given.endswith((".yaml", ".yml")) or "/" in given


def load(given: Sequence[str], folder: Path = Path(), profile: str | None = None) -> Patterns:
    """Return the patterns of files and sets. Raises NoSuchThing, and FaultyInput with all faults of them.

    `folder`: where relative paths start. `profile`: the platform whose currents count, instead of the files'.
    """
    faults = Faults(given[0] if given else "patterns")
    found = gather([Scalar(one, 0) for one in given], folder, faults, profile)
    faults.raise_any()
    return found


def gather(
    given: Iterable[Scalar], folder: Path, faults: Faults, profile: str | None = None, where: int = 0
) -> Patterns:
    """Return the patterns of files and sets that a file names; what is wrong is added to faults.

    Raises NoSuchThing for a name that the command line gave (line 0).
    """
    found = Patterns()
    reader = _Reader(found, faults)
    for one in given:
        reader.take(one, folder)
    reader.resolve(profile, where)
    return found


class _Reader:
    """Reads one file after the other into the same Patterns."""

    def __init__(self, found: Patterns, faults: Faults):
        self._found, self._faults = found, faults
        self._taken: set[str] = set()
        self._profiles: dict[str, Profile] = dict(profiles())
        self._energy: list[tuple[str, Faults, int]] = []
        self._wanted: tuple[str, Faults, int] | None = None

    def take(self, given: Scalar, folder: Path) -> None:
        """Read a file or a set, and what it uses, once."""
        path = (
            Path(os.path.normpath(folder / given.text))
            if is_path(given.text)
            else SETS / f"{given.text}.yaml"
        )
        if str(path.resolve()) in self._taken:
            return
        self._taken.add(str(path.resolve()))
        if not is_path(given.text) and given.text not in sets():
            what = f"no patterns {short(given.text)}"
            remedy = f"{did_you_mean(given.text, sets())}; or name a file, such as ./patterns.yaml"
            if not given.line:
                raise NoSuchThing(f"{what}\n    {remedy}")
            self._faults.add(given.line, what, remedy)
            return
        try:
            text, _, faults = document.read(path, "patterns", "name a file, or a ready-made set")
        except FaultyInput as error:
            self._faults.extend(error.faults)
            return
        except NoSuchThing as error:
            if not given.line:
                raise
            what, _, remedy = str(error).partition("\n    ")
            self._faults.add(given.line, what, remedy)
            return
        if not is_path(given.text):
            faults.file = f"set {given.text}"
        root = document.parse(text, faults)
        if isinstance(root, Mapping):
            self._found.names.append(given.text)
            self._file(root, faults, path)
        elif not len(faults):
            faults.add(1, "the file holds no patterns", "write `events: {NAME: {match: '...'}}`")
        try:
            faults.raise_any()
        except FaultyInput as error:
            self._faults.extend(error.faults)

    def _file(self, root: Mapping, faults: Faults, path: Path) -> None:
        known_keys(root, "", KEYS, faults)
        use = root.get("use")
        if use is not None:
            outer, self._faults = self._faults, faults
            for one in named(use, "use", faults):
                self.take(one, path.parent)
            self._faults = outer
        if (form := root.get("lines")) is not None:
            self._found.form = lines.read(form, faults)
        self._profiles |= platforms.read(root, faults)
        if (profile := root.get("profile")) is not None:
            if isinstance(profile, Scalar):
                self._wanted = (profile.text, faults, profile.line)
            else:
                wrong_kind(profile, "profile", f"name one: {', '.join(self._profiles)}", faults)
        for name, node in entries(root, "events", MOST_ENTRIES, NAME, NAME_REMEDY, faults):
            self._event(name, node, faults)
        for name, node in entries(root, "deliveries", MOST_ENTRIES, NAME, NAME_REMEDY, faults):
            self._delivery(name, node, faults)
        for name, node in entries(root, "metrics", MOST_ENTRIES, NAME, NAME_REMEDY, faults):
            self._metric(name, node, faults)
        for name, node in entries(root, "energy", MOST_ENTRIES, NAME, NAME_REMEDY, faults):
            self._of_energy(name, node, faults)
        if not self._found.spec["events"] and not len(faults):
            faults.add(root.line, "the file holds no patterns", "write `events: {NAME: {match: '...'}}`")

    def _new(self, kind: str, name: str, line: int, faults: Faults) -> bool:
        """Note where something is written; whether its name is free."""
        marks = self._found.spec[MARKS].setdefault(kind, {})
        if name in marks:
            where = f"{marks[name]['file']}:{marks[name]['line']}"
            faults.add(line, f"{kind}: {name} is there already, in {where}", "give it another name")
            return False
        marks[name] = {"file": faults.file, "line": int(line)}
        return True

    # --- events
    def _event(self, name: str, node: Mapping, faults: Faults) -> None:
        if not self._new("events", name, node.line, faults):
            return
        known_keys(node, f"{name}: ", EVENT_KEYS, faults)
        pattern = text_of(node, "match", name, faults, "add `match:`, a regular expression in single quotes")
        fields: dict[str, str] = {}
        if pattern:
            groups = groups_of(pattern, f"{name}: match", node.get("match").line, faults)
            self._found.spec[MARKS]["events"][name]["line"] = int(node.get("match").line)
            fields = dict.fromkeys(groups, "text")
        types = node.get("fields")
        if isinstance(types, Mapping):
            for key, value in types:
                if pattern and key.text not in fields:
                    what = f"{name}: fields: the pattern has no group {short(key.text)}"
                    faults.add(key.line, what, did_you_mean(key.text, fields))
                elif not isinstance(value, Scalar) or value.text not in TYPES:
                    text = short(value.text) if isinstance(value, Scalar) else "this"
                    faults.add(
                        value.line, f"{name}: {key.text}: {text} is no type", f"there are: {', '.join(TYPES)}"
                    )
                else:
                    fields[key.text] = value.text
        elif types is not None:
            wrong_kind(types, f"{name}: fields", "write `fields: {seq: int}`", faults)
        mote = text_of(node, "mote", name, faults) if node.get("mote") is not None else ""
        if mote and fields.get(mote) != "node":
            what = f"{name}: mote: {short(mote)} is not a group of the type node"
            faults.add(node.get("mote").line, what, "name the group that says of which node the line is")
        self._found.spec["events"][name] = {"match": pattern, "fields": fields, "mote": mote}

    # --- deliveries
    def _delivery(self, name: str, node: Mapping, faults: Faults) -> None:
        if not self._new("deliveries", name, node.line, faults):
            return
        known_keys(node, f"{name}: ", DELIVERY_KEYS, faults)
        ends = [self._event_of(node, key, name, faults) for key in ("sent", "received")]
        key = node.get("key")
        pairs: list[tuple[Scalar, Scalar]] = []
        if isinstance(key, Mapping):
            for one, other in key:
                if isinstance(other, Scalar):
                    pairs.append((one, other))
                else:
                    wrong_kind(other, f"{name}: key", "name a group of the event that is received", faults)
        elif isinstance(key, Scalar) and key.text:
            pairs = [(one, one) for one in named(key, f"{name}: key", faults)]
        if not pairs:
            remedy = "add `key: {seq: seq, mote: origin}`: groups of the events sent and received"
            faults.add((key or node).line, f"{name} has no key", remedy)
        for pair in pairs:
            for event, end, group in zip(ends, ("sent", "received"), pair):
                known = [MOTE, *self._found.spec["events"].get(event, {"fields": {}})["fields"]]
                if event and group.text not in known:
                    what = f"{name}: key: the event {event} ({end}) has no group {short(group.text)}"
                    faults.add(group.line, what, did_you_mean(group.text, known))
        within = node.get("within")
        limit = None
        if within is not None:
            try:
                limit = units.parse(within.text if isinstance(within, Scalar) else "", units.TIME)
            except NotAQuantity as wrong:
                faults.add(within.line, f"{name}: within: {wrong.what}", wrong.remedy)
        self._found.spec["deliveries"][name] = {
            "sent": ends[0],
            "received": ends[1],
            "key": [[one.text, other.text] for one, other in pairs],
            "within_us": limit,
        }

    def _event_of(self, node: Mapping, key: str, what: str, faults: Faults) -> str:
        """Return the event that a key names; "" after noting that there is none."""
        events = self._found.spec["events"]
        name = text_of(node, key, what, faults, f"name an event: {', '.join(events) or 'there are none'}")
        if name and name not in events:
            faults.add(node.get(key).line, f"{what}: no event {short(name)}", did_you_mean(name, events))
            return ""
        return name

    def _expression(self, text: str, line: int, event: str, what: str, faults: Faults) -> str:
        """Return an expression over numbers of an event; what is wrong with it is noted."""
        fields = self._found.spec["events"].get(event, {"fields": {}})["fields"]
        try:
            used = expressions.names(text)
        except ValueError as error:
            faults.add(line, f"{what}: {short(text)}: {error}", "write for example `100 * (tx + rx) / total`")
            return ""
        for name in used if event else ():
            if name not in fields:
                faults.add(
                    line, f"{what}: the event {event} has no group {short(name)}", did_you_mean(name, fields)
                )
            elif fields[name] not in NUMBERS:
                what_ = f"{what}: the group {name} of {event} is {fields[name]}, not a number"
                faults.add(line, what_, f"give it a type in `fields:`, {enumerated(NUMBERS)} are numbers")
        return text

    # --- metrics
    def _metric(self, name: str, node: Mapping, faults: Faults) -> None:
        if not self._new("metrics", name, node.line, faults):
            return
        known_keys(node, f"{name}: ", METRIC_KEYS, faults)
        event = self._event_of(node, "event", name, faults)
        texts = {
            key: text_of(node, key, name, faults)
            for key in ("value", "statistic", "total", "unit", "better", "title", "definition")
        }
        value = texts["value"]
        if value:
            value = self._expression(value, node.get("value").line, event, f"{name}: value", faults)
        statistic = texts["statistic"] or ("mean" if value else "count")
        for key, chosen, known in (
            ("statistic", statistic, tuple(STATISTICS)),
            ("total", texts["total"] or TOTALS[0], TOTALS),
            ("better", texts["better"], tuple(filter(None, DIRECTIONS))),
        ):
            if chosen and chosen not in known:
                faults.add(
                    node.get(key).line,
                    f"{name}: {key}: {short(chosen)} is unknown",
                    did_you_mean(chosen, known),
                )
        if not value and statistic not in ("count", "rate"):
            line = (node.get("statistic") or node).line
            faults.add(line, f"{name}: {statistic} is that of a value", "add `value:`, a group of the event")
        if value and statistic == "count":
            faults.add(node.get("value").line, f"{name}: count is the number of events", "remove `value:`")
        spec = self._found.spec
        spec["values"][name] = {"event": event, "value": value}
        spec["metrics"][name] = {
            "statistic": statistic,
            "counts": statistic == "count",
            "total": texts["total"] or USUAL_TOTAL.get(statistic, "mean"),
            "unit": texts["unit"] or ("events" if statistic == "count" else ""),
            "better": texts["better"],
            "title": texts["title"],
            "definition": texts["definition"],
            "of": f"{value} in the event {event}" if value else f"the event {event}",
        }

    # --- energy
    def _of_energy(self, name: str, node: Mapping, faults: Faults) -> None:
        if not self._new("energy", name, node.line, faults):
            return
        known_keys(node, f"{name}: ", ENERGY_KEYS, faults)
        event = self._event_of(node, "event", name, faults) if node.get("event") is not None else ""
        whole = text_of(node, "whole", name, faults)
        states: dict[str, dict[str, str]] = {}
        given = node.get("states")
        if not isinstance(given, Mapping):
            remedy = (
                "add `states: {transmit: tx, listen: rx}`: for each state, the ticks that were spent in it"
            )
            faults.add((given or node).line, f"{name} has no states", remedy)
        for key, value in given if isinstance(given, Mapping) else ():
            what = f"{name}: {key.text}"
            if key.text not in STATES:
                faults.add(key.line, f"{what} is not a state", did_you_mean(key.text, STATES))
                continue
            of = {"event": event, "value": "", "whole": whole}
            if isinstance(value, Mapping):
                known_keys(value, f"{what}: ", STATE_KEYS, faults)
                if value.get("event") is not None:
                    of["event"] = self._event_of(value, "event", what, faults)
                for part in ("value", "whole"):
                    of[part] = text_of(value, part, what, faults) or of[part]
            elif isinstance(value, Scalar):
                of["value"] = value.text
            else:
                wrong_kind(value, what, "write the ticks in this state", faults)
                continue
            for part, remedy in (
                ("event", "add `event:`, the one whose lines say it"),
                ("value", "add `value:`, the ticks in the state"),
                ("whole", "add `whole:`, the ticks that were looked at, such as cpu + lpm"),
            ):
                if not of[part]:
                    faults.add(value.line, f"{what} has no {part}", remedy)
                elif part != "event":
                    self._expression(of[part], value.line, of["event"], f"{what}: {part}", faults)
            states[key.text] = of
        cumulative = text_of(node, "cumulative", name, faults)
        if cumulative not in ("", "true", "false"):
            faults.add(
                node.get("cumulative").line, f"{name}: cumulative: {short(cumulative)}", "write true or false"
            )
        self._energy.append((name, faults, node.line))
        self._found.spec["energy"][name] = {
            "states": states,
            "cumulative": cumulative == "true",
            "profile": None,
        }

    def resolve(self, profile: str | None, where: int) -> None:
        """Give energy the currents of the chosen platform, and check the names of all metrics."""
        from orchestrate_spark.metrics import built_in

        wanted = (profile, self._faults, where) if profile else self._wanted
        if wanted is not None:
            name, faults, line = wanted
            if name not in self._profiles:
                if profile and not where:
                    raise NoSuchThing(f"no profile {short(name)}; {did_you_mean(name, self._profiles)}")
                self._faults.add(
                    line, f"no profile {short(name)}", did_you_mean(name, self._profiles), faults.file
                )
            else:
                chosen = self._profiles[name]
                self._found.profile = name
                for energy in self._found.spec["energy"].values():
                    energy["profile"] = {
                        "title": chosen.title,
                        "volts": chosen.volts,
                        "currents_ma": chosen.currents_ma,
                    }
        marks = self._found.spec[MARKS]
        whole = {**self._found.spec, "metrics": {}}
        derived = declared(whole)
        for name, mark in marks.get("metrics", {}).items():
            if name in built_in() or name in derived:
                what = f"metrics: {name} is " + (
                    "a built-in metric" if name in built_in() else "a derived metric"
                )
                self._faults.add(mark["line"], what, "give it another name", mark["file"])
        for kind in ("deliveries", "energy"):
            for name, mark in marks.get(kind, {}).items():
                if clash := [one for one in derived if one.startswith(f"{name}_") and one in built_in()]:
                    what = f"{kind}: {name} gives the metric {clash[0]}, which is a built-in one"
                    self._faults.add(mark["line"], what, "give it another name", mark["file"])
