# SPDX-License-Identifier: Apache-2.0
"""Survey the values of a .csc of any age, for drawing and comparing; whether it can run does not matter.

Unlike read(), it covers every mote type, medium and plugin, and keeps an invalid value as the text that it
is.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.csc import classes, document, faults
from orchestrator.csc.document import Document, Mote, MoteType, named
from orchestrator.csc.model import FARTHEST
from orchestrator.csc.values import number, own_text, whole

if TYPE_CHECKING:
    from lxml.etree import _Element

# A plugin's place in the window.
_WINDOW = frozenset({"bounds", "width", "height", "z", "location_x", "location_y", "minimized"})


@dataclass(frozen=True)
class SeenType:
    """A mote type: its current class name, its texts, and its interfaces in their order."""

    kind: str
    texts: dict[str, str]
    interfaces: tuple[str, ...]

    @property
    def made_of(self) -> tuple[str, str | None]:
        """Its class and source, which distinguish it from types with other firmware."""
        return self.kind, self.texts.get("source")

    @property
    def title(self) -> str:
        """Its name for readers."""
        return (
            self.texts.get("description")
            or Path(self.texts.get("source") or self.texts.get("firmware") or self.kind).name
        )


@dataclass(frozen=True)
class SeenMote:
    """A mote; `type`: an index into the types, -1 if it has none; `id`: a number, or its text if it is none.

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
    written = document.read(path)
    part = written.part
    if written.root.tag != "simconf" or part is None:
        what = "not a Cooja simulation (<simconf> with a <simulation>)"
        raise faults.only(written.file, written.root.sourceline or 0, what, "name a .csc")
    medium = part.find("radiomedium")
    values: dict[str, float | str] = {}
    edges = []
    for child in medium if medium is not None else ():
        if child.tag == "edge":
            edges.append(_edge(child))
        else:
            mote = child.get("Mote")
            tag = "success_ratio_tx" if child.tag == "success_ratio" else child.tag  # its name before 2010
            values[tag + (f" of mote {mote}" if mote else "")] = number(child.text)
    population = list(written.population())
    types = [child for child in population if isinstance(child, MoteType)]
    scripts, plugins = _plugins(written)
    return Survey(
        written.file,
        _settings(part),
        "" if medium is None else named(medium).name,
        values,
        tuple(edges),
        tuple(map(_type, types)),
        tuple(_mote(child) for child in population if isinstance(child, Mote)),
        scripts,
        plugins,
    )


def _settings(part: _Element) -> dict[str, str]:
    settings = {"title": part.findtext("title") or "", "seed": (part.findtext("randomseed") or "").strip()}
    old = part.findtext("motedelay")
    delay = (part.findtext("motedelay_us") or "").strip() if old is None else old.strip()
    milliseconds = delay if old is None else whole(delay)
    settings["start delay"] = str(milliseconds * 1000) if isinstance(milliseconds, int) else delay
    return settings


def _type(written: MoteType) -> SeenType:
    listed = (
        classes.interface_today(own_text(child)) for tag, child in written.children if tag == "moteinterface"
    )
    texts = {
        tag: (child.text or "").strip()
        for tag, child in written.children
        if tag not in ("moteinterface", "identifier")
    }
    return SeenType(
        written.named.name, texts, tuple(dict.fromkeys(name for name in listed if name is not None))
    )


def _mote(mote: Mote) -> SeenMote:
    description: dict = {
        "type": mote.type.number - 1 if mote.type is not None else -1,
        "id": "",
        "settings": {},
    }
    for config in mote.element.findall("interface_config"):
        name = classes.interface_today(own_text(config))
        if name is None:
            continue
        short = classes.short(name)
        if short == "Position":
            description |= _position(config)
        elif short.endswith(classes.MOTE_ID_SUFFIX) and config.find("id") is not None:
            description["id"] = whole(config.findtext("id"))
        elif short == "ContikiEEPROM" and config.find("eeprom") is not None:
            description["eeprom"] = _image(config.findtext("eeprom") or "")
        else:
            text = _content(config)
            if text:
                description["settings"][short] = text
    return SeenMote(**description)


def _position(config: _Element) -> dict[str, float | str]:
    position: dict[str, float | str] = {}
    for child in config:
        if child.tag == "pos":
            position |= {axis: number(text) for axis, text in child.items() if axis in ("x", "y", "z")}
        elif child.tag in ("x", "y", "z"):
            position[child.tag] = number(child.text)
    return position


def _image(text: str) -> bytes | str:
    try:
        return base64.b64decode("".join(text.split()).encode("ascii"), validate=True)
    except (binascii.Error, ValueError):
        return text


def _edge(element: _Element) -> SeenEdge:
    destination = element.find("dest")
    inner = {} if destination is None else {child.tag: child.text for child in destination}
    source = element.findtext("source") if element.find("source") is not None else element.findtext("src")
    target = inner.pop("radio", None)
    if target is None and destination is not None:
        target = own_text(destination)
    return SeenEdge(whole(source), whole(target), {tag: number(text) for tag, text in inner.items()})


def _plugins(written: Document) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    scripts: list[str] = []
    plugins = []
    for element, _, old in written.plugins:
        name = classes.plugin_today(old)
        if name == classes.SCRIPT_RUNNER:
            for child in element.iterfind("plugin_config/*"):
                if child.tag == "script":
                    scripts.append(child.text or "")
                elif child.tag == "scriptfile":
                    scripts.append(f"scriptfile {(child.text or '').strip()}\n")
        elif name not in classes.DROPPED_PLUGINS:
            plugins.append((name, _content(element)))
    return tuple(scripts), tuple(plugins)


def _content(element: _Element) -> str:
    """Return the content of an element's children, except windows' places, in one line each."""
    lines = []
    for child in element:
        if child.tag in _WINDOW:
            continue
        inner = _content(child)
        attributes = "".join(f" {key}={value}" for key, value in sorted(child.items()))
        own = named(child).name
        lines.append(
            f"{child.tag}{attributes}{': ' if own or inner else ''}{own}{' {' + inner + '}' if inner else ''}"
        )
    return "; ".join(lines)
