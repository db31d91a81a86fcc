# SPDX-License-Identifier: Apache-2.0
"""Reads the part of a .csc or .csc.gz that the embedded engine can run, as a Simulation.

It reads today's form, that of 2022 and those before.

What Cooja itself reads past without a window (an unknown element, a plugin that only watches) changes nothing
here either, and is a note. What Cooja refuses is refused (loading/), and so is what only the embedded engine
does not run.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.csc import classes, document, javascript, macros, media, motes, script, sky, tracker
from orchestrator.csc.document import Document, named
from orchestrator.csc.faults import Faults
from orchestrator.csc.loading import check
from orchestrator.csc.loading.check import Syntax
from orchestrator.csc.model import EndScript, JavaScript, Move, Simulation, Udgm
from orchestrator.csc.mote_type import MspType
from orchestrator.csc.paths import note_of_relative, resolve
from orchestrator.csc.serial_socket import SerialSocket
from orchestrator.csc.values import (
    INT_MAX,
    INT_MIN,
    LONG_MAX,
    LONG_MIN,
    decimal_value,
    integer,
    integer_fault,
    java_integer,
    own_text,
)
from orchestrator.errors import NoSuchThing
from orchestrator.media import of_class
from orchestrator.vocabulary.simulators import DEFAULT_RULES

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_SCRIPT_BYTES = 1 << 20
MOST_PORT = 65535
# Of <simulation>; the last two slow a window down.
_SETTINGS = (
    *("title", "randomseed", "motedelay", "motedelay_us", "radiomedium", "events"),
    *("speedlimit", "delaytime"),
)
_SCRIPT_FILE, _POSITIONS = "scriptfile", "positions"  # elements that name a file
_OF_SKYS = re.compile(r"\b(getMemory|getLED)\b")  # calls that Cooja motes don't have here


def read(
    path: Path,
    contiki: Path | None = None,
    cooja: Path | None = None,
    seconds: int | None = None,
    syntax: Syntax = lambda _: [],
) -> Simulation:
    """Return the simulation of a file.

    `contiki` and `cooja` resolve [CONTIKI_DIR] and [COOJA_DIR] of script files. `seconds` of simulated time
    end a file without a script, as `csc fix --seconds` would; else such a file is faulty. `syntax` returns
    the faults of a script that may be no JavaScript.

    Raises NoSuchThing (no file), FaultyInput (every fault, with its line) or Unsupported (every part, with
    its line).
    """
    return _sound(*judge(document.read(path), contiki, cooja, seconds, syntax))


def read_bytes(data: bytes, name: str = "simulation.csc", config_dir: Path = Path()) -> Simulation:
    """Return the simulation of a file's content; `name` is what messages call it."""
    return _sound(*judge(Document.of(data, name, config_dir)))


def _sound(simulation: Simulation | None, faults: Faults) -> Simulation:
    faults.raise_any()
    return simulation


def judge(
    written: Document,
    contiki: Path | None = None,
    cooja: Path | None = None,
    seconds: int | None = None,
    syntax: Syntax = lambda _: [],
) -> tuple[Simulation | None, Faults]:
    """Return the part of a .csc that the embedded engine can run; it is sound if there are no faults.

    None without a <simulation>. Whether sources exist is not looked at: they are needed only to build.
    """
    simulation, faults = _judge(written, contiki, cooja, seconds, syntax)
    _add_refusals(written, contiki, cooja, seconds, faults)
    if simulation is not None:
        simulation = replace(simulation, notes=faults.notes())
    return simulation, faults


def _add_refusals(
    written: Document, contiki: Path | None, cooja: Path | None, seconds: int | None, faults: Faults
) -> None:
    """Add Cooja's reasons not to load the file, except for lines that have a fault already."""
    medium = None if written.part is None else written.part.find("radiomedium")
    ours = medium is not None and of_class(classes.today(own_text(medium))) is not None
    known = {one.line for one in faults.listed() if one.file == written.file}
    known |= {medium.sourceline} if ours else set()
    for one in check.judge(
        written, DEFAULT_RULES, contiki, cooja, files=False, ends=seconds is not None
    ).findings:
        if one.fatal and one.line not in known:
            faults.faulty(one.line, one.what, one.remedy)


def _judge(
    written: Document, contiki: Path | None, cooja: Path | None, seconds: int | None, syntax: Syntax
) -> tuple[Simulation | None, Faults]:
    root, part = written.root, written.part
    faults = Faults(written.file)
    if root.tag != "simconf":
        faults.faulty(
            root, f"the outermost element is <{root.tag}>, not <simconf>", "this is not a Cooja simulation"
        )
        return None, faults
    _version(root, faults)
    plugins = _Plugins(faults, lambda text: resolve(text, written.folder, contiki, cooja), syntax)
    for child in root:
        if child.tag == "plugin":
            plugins.take(child)
        elif child.tag == "project":
            if own_text(child) not in classes.BUILT_IN_PROJECTS:
                faults.note(
                    child,
                    f"project {own_text(child)[:80]!r} is left out: no class of the file needs an extension",
                )
        elif child.tag != "simulation":
            faults.ignored(child, "<simconf>")
    if part is None:
        faults.faulty(root, "no <simulation> element", "save the simulation from Cooja again")
        return None, faults
    if not plugins.runners:
        plugins.without_script(root, seconds)
    fields = _header(part, faults)
    mote_types, all_motes = motes.read(written, faults)
    plugins.check(len(all_motes), any(isinstance(kind, MspType) for kind in mote_types))
    if part.find("radiomedium") is not None:
        radios = frozenset(
            kind.identifier for kind in mote_types if {"ContikiRadio", *sky.RADIOS} & {*kind.interfaces}
        )
        media.check_motes(part.find("radiomedium"), fields["medium"], all_motes, radios, faults)
    return Simulation(
        mote_types=mote_types,
        motes=all_motes,
        script=plugins.script,
        config_dir=written.folder,
        mobility=tuple(plugins.moves),
        power_tracker=plugins.power_tracker,
        serial_sockets=tuple(plugins.sockets),
        **fields,
    ), faults


class _Plugins:
    """Reads the plugins that matter to a run: its script, and the moves of its motes."""

    def __init__(self, faults: Faults, resolved: Callable[[str], Path], syntax: Syntax):
        self.runners = 0
        self.power_tracker = False
        self.script: EndScript | JavaScript | None = None
        self._tracker: _Element | None = None
        self.moves: list[tuple[Move, ...]] = []
        self.sockets: list[SerialSocket] = []
        self._socket_plugins: list[tuple[_Element, str]] = []
        self._faults, self._resolved, self._syntax = faults, resolved, syntax

    def take(self, plugin: _Element) -> None:
        """Read one of them."""
        name = named(plugin).name
        if name == classes.SCRIPT_RUNNER:
            self.runners += 1
            if self.runners > 1:
                self._faults.unsupported(plugin, "a second ScriptRunner", "keep one script")
            else:
                self._runner = plugin
                self.script = _script(plugin, self._faults, self._resolved, self._syntax)
        elif name == classes.MOBILITY:
            if moves := _moves(plugin, self._faults, self._resolved):
                self.moves.append(moves)
        elif name == classes.POWER_TRACKER:
            self._tracker = plugin
        elif name in classes.SERIAL_SOCKETS:
            self._socket_plugins.append((plugin, classes.short(name)))
        elif name not in classes.SKIPPED_PLUGINS and name not in classes.DROPPED_PLUGINS:
            renamed = classes.RENAMED_PLUGINS.get(name)
            self._faults.faulty(
                plugin,
                f"unknown plugin {name[:80]!r}",
                f"it is called {renamed} today (`orchestrate csc fix` renames it)"
                if renamed
                else "remove it; Cooja itself would refuse it as well",
            )

    def without_script(self, root: _Element, seconds: int | None) -> None:
        """End a file without a script after so many seconds of simulated time; None: it has a fault."""
        if seconds is None:
            self._faults.faulty(
                root,
                "no ScriptRunner plugin, so nothing would ever end a run without a window",
                "end it after N simulated seconds with `orchestrate simulate --seconds N`, or let "
                "`orchestrate csc fix` add a script",
            )
        else:
            self.script = EndScript(timeout_us=seconds * 1_000_000)
            self._faults.note(
                root, f"no script: the run ends after {seconds} s of simulated time (--seconds)"
            )

    def check(self, motes: int, emulated: bool) -> None:
        """Check what depends on several plugins, and on the motes; `emulated`: some are Tmote Skys."""
        for plugin, kind in self._socket_plugins:
            self._serial_socket(plugin, kind, motes)
        self.power_tracker = tracker.counts(self._tracker, self.script, self._faults)
        asks = isinstance(self.script, JavaScript) and _OF_SKYS.search(self.script.code)
        if asks and not emulated:
            what = f"the script calls {asks[1]}() of Cooja motes"
            self._faults.unsupported(self._runner, what, "run the file with --engine cooja")

    def _serial_socket(self, plugin: _Element, kind: str, motes: int) -> None:
        """Read a serial socket. Without a mote or a port it does nothing, or Cooja refuses it (loading/)."""
        places = [
            java_integer(text)
            for child in plugin.findall("mote_arg")
            if not integer_fault(text := child.text or "")
        ]
        mote = next((place for place in reversed(places) if 0 <= place < motes), None)
        config = plugin.find("plugin_config")
        port = "" if config is None else config.findtext("port") or ""
        if mote is None or integer_fault(port) or not 0 <= java_integer(port) <= MOST_PORT:
            return
        server = kind == "SerialSocketServer"
        host = "" if server else config.findtext("host")
        if host is None or (host == "" and not server):
            self._faults.note(plugin, f"a {kind} without a host connects to nothing")
            return
        text = (config.findtext("commands") or "") if server else ""
        commands = tuple(line for line in text.split("\n") if line.strip())
        self.sockets.append(SerialSocket(plugin.sourceline or 0, mote, java_integer(port), host, commands))


def _version(root: _Element, faults: Faults) -> None:
    version = root.get("version")
    if (
        version is not None
        and version.isdigit()
        and not classes.is_older(version)
        and version != classes.VERSION
    ):
        faults.note(
            root, f"version {version[:40]} is newer than {classes.VERSION}; Cooja does not look at it"
        )


def _settings(part: _Element, faults: Faults) -> dict[str, _Element]:
    """Return the elements of <simulation> beside types and motes, by their tags; each is there once."""
    seen: dict[str, _Element] = {}
    for child in part:
        if child.tag in ("motetype", "mote"):
            continue
        if child.tag not in _SETTINGS:
            faults.ignored(child, "<simulation>")
        elif child.tag in seen:
            faults.note(child, f"a second <{child.tag}>: Cooja takes the first")
        else:
            seen[child.tag] = child
    for tag in ("title", "randomseed", "radiomedium"):
        if tag not in seen:
            faults.faulty(part, f"no <{tag}> element in <simulation>", f"add <{tag}>")
    for child in seen.get("events", ()):
        if child.tag != "logoutput":  # how many lines the window keeps
            faults.ignored(child, "<events>")
    return seen


def _header(part: _Element, faults: Faults) -> dict:
    """Title, seed, start delay and medium."""
    seen = _settings(part, faults)

    def whole(tag: str, low: int, high: int) -> int:
        return integer(seen[tag], seen[tag].text or "", faults, tag, low, high)

    seed, delay = None, 0
    if "randomseed" in seen and (seen["randomseed"].text or "").strip() != "generated":
        seed = whole("randomseed", LONG_MIN, LONG_MAX)
    if "motedelay" in seen:  # ms, before 2010; it wins, as in Cooja
        delay = max(0, 1000 * whole("motedelay", INT_MIN, INT_MAX // 1000))
    elif "motedelay_us" in seen:
        delay = max(0, whole("motedelay_us", INT_MIN, INT_MAX))  # as Cooja does
    else:
        faults.faulty(
            part, "no <motedelay_us> element in <simulation>", "add <motedelay_us>1000000</motedelay_us>"
        )
    title = (seen["title"].text or "") if "title" in seen else ""
    medium = media.read(seen["radiomedium"], faults) if "radiomedium" in seen else Udgm()
    limit = decimal_value(seen["speedlimit"].text or "") if "speedlimit" in seen else None
    return {
        "title": title,
        "seed": seed,
        "motedelay_us": delay,
        "medium": medium,
        "speed_limit": limit if limit is not None and limit > 0 else None,
    }


def _text_file(path: Path, most: int) -> str:
    if not path.is_file():  # nor a device that never ends
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    if path.stat().st_size > most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return path.read_text(encoding="utf-8", errors="replace")


def _named_file(child: _Element, faults: Faults, resolved: Callable[[str], Path], most: int) -> str | None:
    """Return the text of a file that an element names; None after a fault."""
    text = _named(child)
    if note := note_of_relative(text, resolved("[CONFIG_DIR]")):
        faults.note(child, f"{child.tag} {note[0]}", note[1])
    try:
        return _text_file(resolved(text), most)
    except OSError as error:
        if child.tag == _POSITIONS:
            faults.note(
                child,
                f"{child.tag} {text[:120]!r}: {error.strerror}; no mote moves, as in Cooja",
                "correct the path, or bring the file there",
            )
        else:
            faults.faulty(
                child,
                f"{child.tag} {text[:120]!r}: {error.strerror}",
                "correct the path, or name the Contiki-NG folder with --contiki",
            )
    except NoSuchThing as error:
        faults.faulty(child, f"{child.tag}: {error}", "then run the same command again")
    return None


def named_files(written: Document) -> list[str]:
    """Return the files that a document's plugins name, as they are written. `judge` reads no others."""
    return [_named(child) for child in written.root.iter(_SCRIPT_FILE, _POSITIONS)]


def _named(child: _Element) -> str:
    """Return the path that an element names; Cooja takes white space off a script's alone."""
    text = child.text or ""
    return text.strip() if child.tag == _SCRIPT_FILE else text


def _moves(element: _Element, faults: Faults, resolved: Callable[[str], Path]) -> tuple[Move, ...]:
    """Return the moves in the Mobility plugin's file."""
    from orchestrator.csc import mobility

    for child in element.iterfind("plugin_config/*"):
        if child.tag == _POSITIONS:
            text = _named_file(child, faults, resolved, mobility.MAX_BYTES)
            return () if text is None else mobility.read(text, faults, child)
        faults.ignored(child, "the Mobility plugin")
    faults.note(element, "a Mobility plugin without <positions> moves nothing")
    return ()


def _script(
    element: _Element, faults: Faults, resolved: Callable[[str], Path], syntax: Syntax
) -> EndScript | JavaScript | None:
    """Return the joined scripts of a ScriptRunner."""
    parts: list[tuple[str, str, int]] = []  # text, file, line
    for config in element:
        if config.tag != "plugin_config":
            continue  # the window's place and size
        for child in config:
            if child.tag == "script":
                parts.append((child.text or "", faults.file, child.sourceline or 1))
            elif child.tag == _SCRIPT_FILE:
                text = _named_file(child, faults, resolved, MAX_SCRIPT_BYTES)
                if text is None:
                    return None
                parts.append((text, str(resolved((child.text or "").strip())), 1))
            elif child.tag != "active":
                faults.ignored(child, "the ScriptRunner")
    if not parts:
        faults.faulty(element, "the ScriptRunner has no <script>", "add one that ends the run")
        return None
    return script_of(parts, faults, syntax)


def script_of(
    parts: list[tuple[str, str, int]], faults: Faults, syntax: Syntax = lambda _: []
) -> EndScript | JavaScript | None:
    """Return the script whose parts are (text, file, line at which it begins); None after a fault."""
    try:
        return script.read("\n".join(text for text, _, _ in parts))
    except script.UnknownScript:
        return _javascript(parts, faults, syntax)


def _javascript(parts: list[tuple[str, str, int]], faults: Faults, syntax: Syntax) -> JavaScript | None:
    """Return a script that runs in an interpreter, if it can."""

    joined = [javascript.Part(*part) for part in parts]
    try:
        found, missing = javascript.read(joined)
    except macros.Misread as misread:
        faults.faulty(parts[0][2] + misread.line - 1, f"script: {misread.what}", misread.remedy)
        return None
    except javascript.Refused as refused:
        for one in refused.found:
            faults.faulty(one.line, f"script: {one.what}", "write it in another way", one.file)
        return None
    if missing and javascript.odd(joined) and (wrong := syntax(joined)):
        for one in wrong:
            faults.faulty(one.line, one.what, one.remedy, one.file)
        return None
    for one in missing:
        if one.nowhere:
            faults.faulty(
                one.line,
                f"script: {one.what}: Cooja's interpreter, Nashorn, has no such function",
                "to write files, use log.append(FILE, TEXT) or log.writeFile(FILE, TEXT)",
                one.file,
            )
        else:
            remedy = "leave it out, or run the file with --engine cooja"
            faults.unsupported(one.line, f"script: {one.what}", remedy, one.file)
    return found
