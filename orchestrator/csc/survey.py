# SPDX-License-Identifier: Apache-2.0
"""What a .csc says, whatever its age and whoever can run it: for drawing and comparing, not for running.

Unlike read(), it takes every mote type, medium and plugin, and a value that is none is kept as the text that it is.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.csc import classes, parse
from orchestrator.csc.loading import names
from orchestrator.csc.values import own_text
from orchestrator.errors import Fault, FaultyInput

_RENAMED = {"contikiapp": "source", "command": "commands", "elf": "firmware", "success_ratio": "success_ratio_tx"}
FARTHEST = 1e9  # metres: beyond, no mote stands and no radio reaches
# A plugin's place in the window.
_WINDOW = frozenset({"bounds", "width", "height", "z", "location_x", "location_y", "minimized"})


@dataclass(frozen=True)
class SeenType:
    """A mote type: class name as of today, its texts, its interfaces in their order."""

    kind: str
    texts: dict[str, str]
    interfaces: tuple[str, ...]

    @property
    def title(self) -> str:
        """What a reader calls it."""
        return self.texts.get("description") or Path(self.texts.get("source") or self.texts.get("firmware") or self.kind).name


@dataclass(frozen=True)
class SeenMote:
    """A mote: `type` is an index into the types, -1 if it has none; `id` a number where it is one, else its text.

    `settings`: interface -> what its configuration says, except for position, id and EEPROM image.
    """

    type: int
    id: int | str
    x: float | str = 0.0
    y: float | str = 0.0
    z: float | str = 0.0
    eeprom: bytes | str | None = None
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def placed(self) -> bool:
        """Whether it stands somewhere that can be drawn."""
        return all(isinstance(axis, float) and abs(axis) <= FARTHEST for axis in (self.x, self.y, self.z))


@dataclass(frozen=True)
class SeenEdge:
    """An edge of the directed graph medium, with the texts of its other values."""

    source: int | str
    destination: int | str
    values: dict[str, float | str]


@dataclass(frozen=True)
class Survey:
    """A whole file. `settings`: title, seed, start delay in us; `medium` its class name, `values` of it."""

    file: str
    settings: dict[str, str]
    medium: str
    values: dict[str, float | str]
    edges: tuple[SeenEdge, ...]
    types: tuple[SeenType, ...]
    motes: tuple[SeenMote, ...]
    scripts: tuple[str, ...]
    plugins: tuple[tuple[str, str], ...]  # without scripts: class name, configuration


def survey(path: Path) -> Survey:
    """Of a .csc or .csc.gz. Raises NoSuchThing, FaultyInput if it is no simulation."""
    root = parse.parse(Path(path))
    part = root.find("simulation")
    if root.tag != "simconf" or part is None:
        raise FaultyInput([Fault(str(path), root.sourceline or 0, "not a Cooja simulation (<simconf> with a <simulation>)",
                                 "name a .csc")])
    medium = part.find("radiomedium")
    types, motes = _motes(part)
    values: dict[str, float | str] = {}
    edges = []
    for child in medium if medium is not None else ():
        if child.tag == "edge":
            edges.append(_edge(child))
        else:
            mote = child.get("Mote")
            values[_RENAMED.get(child.tag, child.tag) + (f" of mote {mote}" if mote else "")] = number(child.text)
    scripts, plugins = _plugins(root)
    return Survey(str(path), _settings(part), "" if medium is None else classes.today(own_text(medium)), values, tuple(edges),
                  types, motes, scripts, plugins)


def number(text: str | None) -> float | str:
    """A decimal number, else the text without surrounding space."""
    text = (text or "").strip()
    try:
        value = float(text)
    except ValueError:
        return text
    return value if abs(value) < float("inf") and "_" not in text else text


def _whole(text: str | None) -> int | str:
    text = (text or "").strip()
    return int(text) if text.lstrip("+-").isdecimal() and text.isascii() and len(text) < 20 and text.count("-") < 2 and "+-" not in text else text


def _settings(part) -> dict[str, str]:
    made = {"title": part.findtext("title") or "", "seed": (part.findtext("randomseed") or "").strip()}
    old = part.findtext("motedelay")
    delay = (part.findtext("motedelay_us") or "").strip() if old is None else old.strip()
    made["start delay"] = str(int(delay) * 1000) if old is not None and delay.isascii() and delay.isdigit() else delay
    return made


def _motes(part) -> tuple[tuple[SeenType, ...], tuple[SeenMote, ...]]:
    types: list[SeenType] = []
    by_identifier: dict[str, int] = {}
    motes: list[SeenMote] = []
    for child in part:
        if child.tag == "motetype":
            types.append(_type(child))
            motes += [_mote(mote, len(types) - 1) for mote in child.findall("mote")]
            if (identifier := child.findtext("identifier")) is not None:
                by_identifier[identifier] = len(types) - 1
        elif child.tag == "mote":
            motes.append(_mote(child, by_identifier.get(child.findtext("motetype_identifier") or "", -1)))
    return tuple(types), tuple(motes)


def _type(element) -> SeenType:
    texts = {}
    listed = []
    for child in element:
        tag = _RENAMED.get(child.tag, child.tag)
        if tag == "moteinterface":
            name = today(child.text or "")
            if name is not None and name not in listed:
                listed.append(name)
        elif tag not in ("mote", "identifier"):
            texts[tag] = (child.text or "").strip()
    return SeenType(classes.today(own_text(element)), texts, tuple(listed))


def today(written: str) -> str | None:
    """An interface's name of today, None for one that is gone."""
    name = classes.today(written)
    return None if name == names.DROPPED_INTERFACE else names.RENAMED_INTERFACES.get(name, name)


def _mote(element, kind: int) -> SeenMote:
    made: dict = {"type": kind, "id": "", "settings": {}}
    for config in element.findall("interface_config"):
        name = today(own_text(config))
        short = (name or "").rsplit(".")[-1]
        if name is None:
            continue
        if short == "Position":
            made |= _position(config)
        elif short.endswith(names.MOTE_ID_SUFFIX) and config.find("id") is not None:
            made["id"] = _whole(config.findtext("id"))
        elif short == "ContikiEEPROM" and config.find("eeprom") is not None:
            made["eeprom"] = _image(config.findtext("eeprom") or "")
        else:
            said = _said(config)
            if said:
                made["settings"][short] = said
    return SeenMote(**made)


def _position(config) -> dict[str, float | str]:
    made: dict[str, float | str] = {}
    for child in config:
        if child.tag == "pos":
            made |= {axis: number(text) for axis, text in child.items() if axis in ("x", "y", "z")}
        elif child.tag in ("x", "y", "z"):
            made[child.tag] = number(child.text)
    return made


def _image(text: str) -> bytes | str:
    try:
        return base64.b64decode("".join(text.split()).encode("ascii"), validate=True)
    except (binascii.Error, ValueError):
        return text


def _edge(element) -> SeenEdge:
    destination = element.find("dest")
    inner = {} if destination is None else {child.tag: child.text for child in destination}
    source = element.findtext("source") if element.find("source") is not None else element.findtext("src")
    target = inner.pop("radio", None)
    if target is None and destination is not None:
        target = own_text(destination)
    return SeenEdge(_whole(source), _whole(target), {tag: number(text) for tag, text in inner.items()})


def _plugins(root) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    scripts: list[str] = []
    plugins = []
    for element in root.findall("plugin"):
        name = classes.today(own_text(element))
        name = names.VISUALIZER if name in names.VISUALIZERS else names.RENAMED_PLUGINS.get(name, name)
        if name in names.DROPPED_PLUGINS:
            continue
        if name == classes.SCRIPT_RUNNER:
            for child in element.iterfind("plugin_config/*"):
                if child.tag == "script":
                    scripts.append(child.text or "")
                elif child.tag == "scriptfile":
                    scripts.append(f"scriptfile {(child.text or '').strip()}\n")
        else:
            plugins.append((name, _said(element)))
    return tuple(scripts), tuple(plugins)


def _said(element) -> str:
    """All that an element's children say, but for a window's place, in one line each."""
    lines = []
    for child in element:
        if child.tag in _WINDOW:
            continue
        inner = _said(child)
        attributes = "".join(f" {key}={value}" for key, value in sorted(child.items()))
        own = classes.today(own_text(child))
        lines.append(f"{child.tag}{attributes}{': ' if own or inner else ''}{own}{' {' + inner + '}' if inner else ''}")
    return "; ".join(lines)

