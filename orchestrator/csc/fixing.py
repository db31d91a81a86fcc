# SPDX-License-Identifier: Apache-2.0
"""Brings a .csc of any age to today's form, so that Cooja loads it headless.

What is not understood stays as it is.

The file's own text, comments and layout stay where nothing had to change. The same fix again changes nothing.
"""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lxml import etree

from orchestrator.csc import classes, faults, fixing_motes, parse, script
from orchestrator.csc.edit import Edits
from orchestrator.csc.model import EndScript
from orchestrator.csc.values import own_text

if TYPE_CHECKING:
    from lxml.etree import _Element

DEFAULT_SECONDS = 600
_WHOLE = ("randomseed", "motedelay", "motedelay_us")
_ASCII_BASED = ("UTF-8", "US-ASCII", "ASCII", "ISO-8859-1")
_PROLOGUE = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s+|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)
_OPAQUE = re.compile(rb"(<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>)", re.DOTALL)
_EMPTY = re.compile(rb"<([A-Za-z_][^<>]*?)/>")
# The extensions of older Coojas, and the folders in which they were: [APPS_DIR], tools/cooja/apps of a tree,
# and that of SICS in contikiprojects. Others in these folders are users' own.
_OWN_EXTENSION = re.compile(
    r"(?:.*/)?(?:\[APPS_DIR\]|apps|sics\.se)/"
    r"(?:avrora|collect-view|mobility|mrm|mspsim|native_gateway|powertracker|serial_socket)/?"
)
# The elements in which a Cooja of before 2022 described a plugin's window.
_BOUNDS = {
    "location_x": "x",
    "location_y": "y",
    **{tag: tag for tag in ("height", "width", "z", "minimized")},
}


@dataclass(frozen=True)
class Change:
    """A change, or (`done` False) an oddity that was left as it was.

    `line` of the original file.
    """

    line: int
    what: str
    done: bool = True


@dataclass(frozen=True)
class Fixed:
    """A .csc brought to today's form, and what was changed in it.

    `data`: the file's new content, compressed if its name ends so; equal to the old one if nothing was done.
    """

    data: bytes
    changes: tuple[Change, ...]

    @property
    def changed(self) -> bool:
        return any(change.done for change in self.changes)


def fix(path: Path, seconds: int = DEFAULT_SECONDS, remove_unknown: bool = False) -> Fixed:
    """Return a .csc or .csc.gz brought up to date.

    `seconds` of simulated time until an added controller ends the run. `remove_unknown`: without the
    plugins and mote interfaces that Cooja doesn't know, which stop it from loading the file.

    Raises NoSuchThing, or FaultyInput for what is no XML or no simulation.
    """
    path = Path(path)
    before = path.read_bytes() if path.is_file() else b""
    plain = parse.content(path)
    after, changes = fix_bytes(plain, str(path), seconds, remove_unknown)
    if after == plain:
        return Fixed(before, changes)
    return Fixed(gzip.compress(after, mtime=0) if path.name.endswith(".gz") else after, changes)


def fix_bytes(
    data: bytes,
    name: str = "simulation.csc",
    seconds: int = DEFAULT_SECONDS,
    remove_unknown: bool = False,
) -> tuple[bytes, tuple[Change, ...]]:
    """Return the same, of a file's content; `name` is what messages call it."""
    root = parse.parse(data, name, comments=True)
    if root.tag != "simconf":
        what = f"the outermost element is <{root.tag}>, not <simconf>"
        raise faults.only(name, root.sourceline or 0, what, "this is not a Cooja simulation")
    edits = Edits(remove_unknown)
    _class_names(root, edits)
    _projects(root, edits)
    part = root.find("simulation")
    if part is not None:
        _header(part, edits)
        fixing_motes.fix(part, edits)
    else:
        edits.left(root, "no <simulation> element: nothing can be added to it")
    _plugins(root, edits)
    add_controller(root, seconds, edits)
    if root.get("version") != classes.VERSION:
        old = root.get("version")
        if old is None or classes.is_older(old):
            root.set("version", classes.VERSION)
            edits.done(root, f"version {classes.VERSION} instead of {old or 'none'}")
        else:
            edits.left(root, f"version {old[:40]} is unknown")
    changes = tuple(Change(*edit) for edit in edits.all())
    if not any(change.done for change in changes):
        return data, changes
    return _written(root, data), changes


def _written(root: _Element, data: bytes) -> bytes:
    """XML with the encoding, the line ends, the look of empty elements and the surroundings of before."""
    tree = root.getroottree()
    encoding = tree.docinfo.encoding or "UTF-8"
    if encoding.upper() not in _ASCII_BASED:
        return etree.tostring(tree, encoding=encoding, xml_declaration=True)
    output = etree.tostring(root, encoding=encoding, xml_declaration=False, with_tail=False)
    if b" />" in data and not re.search(rb"[^\s]/>", data):
        output = b"".join(
            _EMPTY.sub(rb"<\1 />", piece) if number % 2 == 0 else piece
            for number, piece in enumerate(_OPAQUE.split(output))
        )
    if b"\r\n" in data:
        output = output.replace(b"\n", b"\r\n")
    return _PROLOGUE.match(data)[0] + output + data[_end(data) :]


def _end(data: bytes) -> int:
    """Return the end of the root element, which only comments and white space follow."""
    end, place = len(data), 0
    for number, piece in enumerate(_OPAQUE.split(data)):
        if number % 2 == 0 and (last := piece.rfind(b">")) >= 0:
            end = place + last + 1
        place += len(piece)
    return end


def _class_names(root: _Element, edits: Edits) -> None:
    """se.sics... is org.contikios... since 2013; Cooja translates most of them, its window's skins not."""
    for element in root.iter(
        "radiomedium", "motetype", "moteinterface", "interface_config", "plugin", "dest", "skin", "interface"
    ):
        written = own_text(element)
        if written.startswith("se.sics."):
            text = "class names org.contikios... instead of se.sics..."
            edits.own_text(element, written, classes.today(written), text)


def _projects(root: _Element, edits: Edits) -> None:
    for project in root.findall("project"):
        text = (project.text or "").strip()
        if _OWN_EXTENSION.fullmatch(text.replace("\\", "/")):
            edits.remove(
                project, f"project {text[:60]} removed: Cooja's own extensions are part of Cooja now"
            )
        else:
            edits.left(
                project,
                f"project {text[:60]!r}: not one of Cooja's own extensions; Cooja warns if it is not set up",
            )


def _header(part: _Element, edits: Edits) -> None:
    for tag in _WHOLE:
        element = part.find(tag)
        if element is not None and not len(element) and (element.text or "") != (element.text or "").strip():
            element.text = element.text.strip()
            edits.done(element, f"white space round the number of <{tag}> removed")
    old = part.find("motedelay")
    if old is not None and not len(old) and re.fullmatch("[0-9]{1,19}", old.text or ""):
        for useless in part.findall("motedelay_us"):  # <motedelay> was the one that counted
            edits.remove(useless)
        old.tag, old.text = "motedelay_us", str(int(old.text) * 1000)
        edits.done(old, "<motedelay_us> in microseconds instead of <motedelay>")
    elif old is not None:
        edits.left(old, "<motedelay> is not a number of milliseconds")
    for element in part.findall("delaytime"):
        edits.remove(element, "<delaytime> removed: Cooja no longer has this setting")
    _needed(part, edits)
    _medium(part, edits)


def _needed(part: _Element, edits: Edits) -> None:
    """Add the elements without which Cooja does not load a file."""
    after = None
    for tag, value in (("title", "Simulation"), ("randomseed", "1"), ("motedelay_us", "1000000")):
        element_ = part.find(tag)
        if tag == "motedelay_us" and part.find("motedelay") is not None:
            element_ = part.find("motedelay")
        if element_ is None:
            element = etree.Element(tag)
            element.text = value
            edits.insert(part, 0 if after is None else part.index(after) + 1, element)
            edits.done(part, f"<{tag}>{value}</{tag}> added: Cooja does not load without")
            element_ = element
        after = element_


def _medium(part: _Element, edits: Edits) -> None:
    medium = part.find("radiomedium")
    if medium is None:
        edits.left(part, "no <radiomedium>: the medium is unknown")
        return
    name = own_text(medium)
    if (successor := classes.REMOVED_MEDIA.get(name)) is not None:
        edits.own_text(medium, name, successor, f"radio medium {successor} instead of {name}")
    elif name not in classes.MEDIA:
        edits.left(medium, f"radio medium {name[:60]!r} is unknown to Cooja, and no successor is known")
    new = medium.find("success_ratio_tx")
    for ratio in medium.findall("success_ratio"):
        if new is None:
            ratio.tag, new = "success_ratio_tx", ratio
            edits.done(ratio, "<success_ratio_tx> instead of <success_ratio>")
        else:
            edits.left(ratio, "<success_ratio> beside <success_ratio_tx>: the last one counts")


def _plugins(root: _Element, edits: Edits) -> None:
    for plugin in root.findall("plugin"):
        name = own_text(plugin)
        if name in classes.DROPPED_PLUGINS or name in classes.REMOVED_VIEWERS:
            why = classes.REMOVED_VIEWERS.get(name, "Cooja has dropped it")
            edits.remove(plugin, f"plugin {classes.short(name)} removed: {why}")
            continue
        current = classes.plugin_today(name)
        if current != name:
            edits.own_text(plugin, name, current, f"plugin {current} instead of {name}")
        elif name not in classes.ACTING_PLUGINS | classes.SKIPPED_PLUGINS:
            remedy = classes.REMOVED_PLUGINS.get(name, "remove it if you can do without")
            edits.unknown(plugin, f"plugin {name[:60]!r} is unknown to Cooja", remedy)
        _bounds(plugin, edits)


def _bounds(plugin: _Element, edits: Edits) -> None:
    """Write a plugin's place in the window as one element."""
    old = [child for child in plugin if child.tag in _BOUNDS]
    if not old or plugin.find("bounds") is not None:
        return
    values = {child.tag: (child.text or "").strip() for child in old}
    if (
        len(values) < len(old)
        or any(map(len, old))
        or not all(value.lstrip("-").isdigit() or tag == "minimized" for tag, value in values.items())
    ):
        edits.left(old[0], "a plugin's place and size that are not numbers")
        return
    bounds = etree.Element("bounds", {_BOUNDS[tag]: values[tag] for tag in _BOUNDS if tag in values})
    edits.insert(plugin, plugin.index(old[0]), bounds)
    for child in old:
        edits.remove(child)
    edits.done(old[0], "a plugin's place and size as <bounds>")


def add_controller(root: _Element, seconds: int, edits: Edits) -> None:
    """Add a script that ends the run, if the file has none."""
    text = script.write(EndScript(timeout_us=seconds * 1_000_000)).strip()
    purpose = f"that logs every line and ends the run after {seconds} s of simulated time"
    runners = (plugin for plugin in root.findall("plugin") if own_text(plugin) == classes.SCRIPT_RUNNER)
    if (first := next(runners, None)) is not None:
        if first.find("plugin_config") is None:
            edits.insert(first, 0, _config(text))
            edits.done(first, f"a script for the ScriptRunner {purpose}")
        return
    runner = etree.Element("plugin")
    runner.text = classes.SCRIPT_RUNNER
    runner.append(_config(text))
    etree.SubElement(runner, "bounds", x="0", y="0", height="400", width="600")
    edits.insert(root, len(root), runner)
    edits.done(0, f"a ScriptRunner {purpose}")


def _config(text: str):
    config = etree.Element("plugin_config")
    etree.SubElement(config, "script").text = text
    etree.SubElement(config, "active").text = "true"
    return config
