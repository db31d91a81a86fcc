# SPDX-License-Identifier: Apache-2.0
"""What the embedded engine can run of a .csc or .csc.gz, as a Simulation.

It reads today's form, that of 2022 and those before.

Every element is either understood, or known to change nothing in a headless run, or named in the error: no
part of a file is ignored because it is unknown.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.csc import classes, document, media, motes, script
from orchestrator.csc.document import Document, named
from orchestrator.csc.faults import Faults
from orchestrator.csc.model import EndScript, JavaScript, Move, Simulation, Udgm
from orchestrator.csc.paths import resolve
from orchestrator.csc.values import INT_MAX, LONG_MAX, LONG_MIN, integer, own_text
from orchestrator.errors import NoSuchThing

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_SCRIPT_BYTES = 1 << 20
# Of <simulation>; the last two slow a window down.
_SETTINGS = (
    *("title", "randomseed", "motedelay", "motedelay_us", "radiomedium", "events"),
    *("speedlimit", "delaytime"),
)
_SCRIPT_FILE, _POSITIONS = "scriptfile", "positions"  # elements that name a file


def read(path: Path, contiki: Path | None = None, cooja: Path | None = None) -> Simulation:
    """Return the simulation of a file.

    `contiki` and `cooja` resolve [CONTIKI_DIR] and [COOJA_DIR] of script files.

    Raises NoSuchThing (no file), FaultyInput (every fault, with its line) or Unsupported (every part, with
    its line).
    """
    return _sound(*judge(document.read(path), contiki, cooja))


def read_bytes(data: bytes, name: str = "simulation.csc", config_dir: Path = Path()) -> Simulation:
    """Return the simulation of a file's content; `name` is what messages call it."""
    return _sound(*judge(Document.of(data, name, config_dir)))


def _sound(simulation: Simulation | None, faults: Faults) -> Simulation:
    faults.raise_any()
    return simulation


def judge(
    written: Document, contiki: Path | None = None, cooja: Path | None = None
) -> tuple[Simulation | None, Faults]:
    """Return what the embedded engine can run of a .csc; it is sound if there are no faults.

    None without a <simulation>.
    """
    root, part = written.root, written.part
    faults = Faults(written.file)
    if root.tag != "simconf":
        faults.faulty(
            root, f"the outermost element is <{root.tag}>, not <simconf>", "this is not a Cooja simulation"
        )
        return None, faults
    _version(root, faults)
    plugins = _Plugins(faults, lambda text: resolve(text, written.folder, contiki, cooja))
    for child in root:
        if child.tag == "plugin":
            plugins.take(child)
        elif child.tag == "project":
            if own_text(child) not in classes.BUILT_IN_PROJECTS:
                faults.unsupported(
                    child, f"project {own_text(child)[:80]!r} (an extension of Cooja)", "remove it"
                )
        elif child is not part:
            faults.faulty(child, f"unknown element <{child.tag}> in <simconf>", "remove it")
    if part is None:
        faults.faulty(root, "no <simulation> element", "save the simulation from Cooja again")
        return None, faults
    if not plugins.runners:
        faults.faulty(
            root,
            "no ScriptRunner plugin, so nothing would ever end a run without a window",
            "open Tools, Simulation script editor in Cooja, add a script and save",
        )
    fields = _header(part, faults)
    mote_types, all_motes = motes.read(written, faults)
    if part.find("radiomedium") is not None:
        radios = frozenset(kind.identifier for kind in mote_types if "ContikiRadio" in kind.interfaces)
        media.check_motes(part.find("radiomedium"), fields["medium"], all_motes, radios, faults)
    return Simulation(
        mote_types=mote_types,
        motes=all_motes,
        script=plugins.script,
        config_dir=written.folder,
        mobility=tuple(plugins.moves),
        **fields,
    ), faults


class _Plugins:
    """Reads the plugins that matter to a run: its script, and the moves of its motes."""

    def __init__(self, faults: Faults, resolved: Callable[[str], Path]):
        self.runners = 0
        self.script: EndScript | JavaScript | None = None
        self.moves: list[tuple[Move, ...]] = []
        self._faults, self._resolved = faults, resolved

    def take(self, plugin: _Element) -> None:
        """Read one of them."""
        name = named(plugin).name
        if name == classes.SCRIPT_RUNNER:
            self.runners += 1
            if self.runners > 1:
                self._faults.unsupported(plugin, "a second ScriptRunner", "keep one script")
            else:
                self.script = _script(plugin, self._faults, self._resolved)
        elif name == classes.MOBILITY:
            self.moves.append(_moves(plugin, self._faults, self._resolved))
        elif name in classes.OTHER_PLUGINS:
            self._faults.unsupported(plugin, f"plugin {name}", "remove the plugin, or call Cooja itself")
        elif name not in classes.SKIPPED_PLUGINS and name not in classes.DROPPED_PLUGINS:
            renamed = classes.RENAMED_PLUGINS.get(name)
            renamed = None if renamed in classes.OTHER_PLUGINS else renamed  # refused by either name
            self._faults.faulty(
                plugin,
                f"unknown plugin {name[:80]!r}",
                f"it is called {renamed} today (`orchestrate csc fix` renames it)"
                if renamed
                else "remove it; Cooja itself would refuse it as well",
            )


def _version(root: _Element, faults: Faults) -> None:
    version = root.get("version")
    for attribute in root.attrib:
        if attribute != "version":
            faults.faulty(root, f"unknown attribute {attribute!r} of <simconf>", "remove it")
    if version is not None and integer(root, version, faults, "version", 0, LONG_MAX) > int(classes.VERSION):
        faults.unsupported(
            root, f"version {version}, newer than {classes.VERSION}", "save it with Cooja of Contiki-NG 5.0"
        )


def _settings(part: _Element, faults: Faults) -> dict[str, _Element]:
    """Return the elements of <simulation> beside types and motes, by their tags; each is there once."""
    seen: dict[str, _Element] = {}
    for child in part:
        if child.tag in ("motetype", "mote"):
            continue
        if child.tag not in _SETTINGS:
            faults.faulty(child, f"unknown element <{child.tag}> in <simulation>", "remove it")
        elif child.tag in seen:
            faults.faulty(child, f"a second <{child.tag}>", "keep one of them")
        else:
            seen[child.tag] = child
    for tag in ("title", "randomseed", "radiomedium"):
        if tag not in seen:
            faults.faulty(part, f"no <{tag}> element in <simulation>", f"add <{tag}>")
    for child in seen.get("events", ()):
        if child.tag != "logoutput":  # how many lines the window keeps
            faults.faulty(child, f"unknown element <{child.tag}> in <events>", "remove it")
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
        delay = 1000 * whole("motedelay", 0, INT_MAX // 1000)
    elif "motedelay_us" in seen:
        delay = whole("motedelay_us", 0, INT_MAX)
    else:
        faults.faulty(
            part, "no <motedelay_us> element in <simulation>", "add <motedelay_us>1000000</motedelay_us>"
        )
    title = (seen["title"].text or "") if "title" in seen else ""
    medium = media.read(seen["radiomedium"], faults) if "radiomedium" in seen else Udgm()
    return {"title": title, "seed": seed, "motedelay_us": delay, "medium": medium}


def _text_file(path: Path, most: int) -> str:
    if not path.is_file():  # nor a device that never ends
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    if path.stat().st_size > most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return path.read_text(encoding="utf-8", errors="replace")


def _named_file(child: _Element, faults: Faults, resolved: Callable[[str], Path], most: int) -> str | None:
    """Return the text of a file that an element names; None after a fault."""
    try:
        return _text_file(resolved((child.text or "").strip()), most)
    except OSError as error:
        faults.faulty(
            child,
            f"{child.tag} {child.text!r}: {error.strerror}",
            "correct the path, or name the Contiki-NG folder with --contiki",
        )
    except NoSuchThing as error:
        faults.faulty(child, f"{child.tag}: {error}", "then run the same command again")
    return None


def named_files(written: Document) -> list[str]:
    """Return the files that a document's plugins name, as they are written. `judge` reads no others."""
    return [(child.text or "").strip() for child in written.root.iter(_SCRIPT_FILE, _POSITIONS)]


def _moves(element: _Element, faults: Faults, resolved: Callable[[str], Path]) -> tuple[Move, ...]:
    """Return the moves in the Mobility plugin's file."""
    from orchestrator.csc import mobility

    for child in element.iterfind("plugin_config/*"):
        if child.tag == _POSITIONS:
            text = _named_file(child, faults, resolved, mobility.MAX_BYTES)
            return () if text is None else mobility.read(text, faults, child)
        faults.faulty(child, f"unknown element <{child.tag}> of the Mobility plugin", "remove it")
    faults.faulty(
        element, "a Mobility plugin without <positions>", "name its file of positions, or remove the plugin"
    )
    return ()


def _script(
    element: _Element, faults: Faults, resolved: Callable[[str], Path]
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
                faults.faulty(child, f"unknown element <{child.tag}> of the ScriptRunner", "remove it")
    if not parts:
        faults.faulty(element, "the ScriptRunner has no <script>", "add one that ends the run")
        return None
    try:
        return script.read("\n".join(text for text, _, _ in parts))
    except script.UnknownScript:
        return _javascript(parts, faults)


def _javascript(parts: list[tuple[str, str, int]], faults: Faults) -> JavaScript | None:
    """Return a script that runs in an interpreter, if it can."""
    from orchestrator.csc import javascript, macros

    try:
        found, missing = javascript.read([javascript.Part(*part) for part in parts])
    except macros.Misread as misread:
        faults.faulty(
            parts[0][2] + misread.line - 1,
            f"script: {misread.what}",
            "Cooja itself would refuse it; correct it",
        )
        return None
    except javascript.Refused as refused:
        for one in refused.found:
            faults.faulty(one.line, f"script: {one.what}", "write it in another way", one.file)
        return None
    for what in missing:
        faults.unsupported(
            what.line, f"script: {what.what}", "leave it out, or run the file with Cooja", what.file
        )
    return found
