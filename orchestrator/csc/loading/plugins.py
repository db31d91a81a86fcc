# SPDX-License-Identifier: Apache-2.0
"""Check whether Cooja starts the plugins of a .csc without a window, and whether one of them ends the run."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from orchestrator.csc import classes
from orchestrator.csc.document import Document
from orchestrator.csc.faults import Faults
from orchestrator.csc.javascript import Part, lacking
from orchestrator.csc.loading.motes import old_name
from orchestrator.csc.loading.places import Places
from orchestrator.csc.macros import Misread
from orchestrator.csc.needs import of_commands
from orchestrator.csc.values import decimal_fault, integer_fault, java_integer

if TYPE_CHECKING:
    from lxml.etree import _Element

    from orchestrator.errors import Fault

_MOST_POSITIONS = 64 << 20  # bytes of a Mobility file that are looked at
_BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_LINE_COMMENT = re.compile(r"//.*")
_TIMEOUT = re.compile(r"TIMEOUT\(\d+\s*[,)]")
# Nashorn's own: catch (e if ...), new Type() { ... }, function(x) x.
_NASHORN = re.compile(
    r"\bcatch\s*\(\s*[\w$]+\s+if\b|\bnew\s+[\w$.]+\s*\([^()]*\)\s*\{|\bfunction\b[^(){}]*\([^()]*\)\s*[^\s{]"
)
_NATIVE = re.compile(r"\bjava\.lang\.Runtime\b|\bProcessBuilder\b|\.exec\(")


class Plugins:
    """Check plugins. `motes`: the interfaces of each mote. `syntax`, `ends`: as in check.judge()."""

    def __init__(
        self,
        where: Places,
        faults: Faults,
        motes: list[frozenset[str]],
        syntax: Callable[[list[Part]], list[Fault]],
        ends: bool,
    ):
        self.places, self.faults, self.motes, self.syntax, self.ends = where, faults, motes, syntax, ends

    def check(self, written: Document) -> None:
        skipped: dict[str, int] = {}
        runners = 0
        for plugin in written.plugins:
            element, _, name = plugin
            old_name(plugin, self.faults)
            if name in classes.SKIPPED_PLUGINS:
                skipped.setdefault(classes.short(name), element.sourceline or 0)
            elif name in classes.DROPPED_PLUGINS:
                self.faults.note(
                    element,
                    f"plugin {classes.short(name)} is gone; Cooja ignores it",
                    "`orchestrate csc fix` removes it",
                )
            elif name not in classes.ACTING_PLUGINS:
                self._unknown(element, name)
            elif self._faulty_mote(element):
                runners += name == classes.SCRIPT_RUNNER
            elif name == classes.SCRIPT_RUNNER:
                runners += 1
                self._script(element)
            elif name in classes.SERIAL_SOCKETS:
                self._serial_socket(element, name)
            elif name == classes.MOBILITY:
                self._mobility(element)
            elif name == classes.POWER_TRACKER:
                self._power_tracker(element)
        if skipped:
            self.faults.note(min(skipped.values()), f"not started without a window: {', '.join(skipped)}")
        if not runners and not self.ends:
            self.faults.faulty(
                written.root,
                "no ScriptRunner: Cooja starts no run without a window that nothing would end",
                "`orchestrate csc fix` adds one that ends it after some time",
            )

    def _unknown(self, element: _Element, name: str) -> None:
        if name in classes.RENAMED_PLUGINS:
            remedy = f"it is called {classes.RENAMED_PLUGINS[name]} today (`orchestrate csc fix` renames it)"
        elif name in classes.REMOVED_VIEWERS:
            remedy = f"{classes.REMOVED_VIEWERS[name]} (`orchestrate csc fix` removes it)"
        else:
            remedy = classes.REMOVED_PLUGINS.get(name, "remove it, or set up the Cooja extension that has it")
        self.faults.faulty(element, f"plugin {name[:80] or '(no class name)'!r} is unknown to Cooja", remedy)

    def _faulty_mote(self, element: _Element) -> bool:
        for child in element.findall("mote_arg"):
            if fault := integer_fault(child.text or ""):
                self.faults.faulty(
                    child, f"mote_arg: {fault}", "write the place of the mote in the file, from 0"
                )
                return True
        return False

    def _script(self, element: _Element) -> None:
        config = element.find("plugin_config")
        if config is None:
            self.faults.faulty(
                element,
                "a ScriptRunner without <plugin_config>: it loads, has no script and never ends",
                "add <plugin_config> with a <script>",
            )
            return
        parts: list[Part] = []
        for child in config:
            if child.tag == "script":
                parts.append(Part(child.text or "", self.faults.file, child.sourceline or 1))
            elif child.tag == "scriptfile":
                part = self._script_file(child)
                if part is None:
                    return
                parts.append(part)
        if not "".join(part.text for part in parts).strip():
            self.faults.faulty(
                config,
                "the ScriptRunner's script is empty: the run ends at once, as failed",
                "add a <script> that ends the run",
            )
            return
        if self.places.look and self._text(config, "\n".join(part.text for part in parts)):
            self._javascript(config, parts)

    def _javascript(self, config: _Element, parts: list[Part]) -> None:
        """Check whether it is JavaScript.

        Syntax that only Cooja's Nashorn knows can't be told from a fault.
        """
        faults = self.syntax(parts)
        self._lacking(config, parts)
        own = faults and _NASHORN.search(_code("\n".join(part.text for part in parts)))
        for fault in faults:
            what = (
                fault.what
                if fault.file == self.faults.file
                else f"{fault.file}, line {fault.line}: {fault.what}"
            )
            line = fault.line if fault.file == self.faults.file else config
            if own:
                self.faults.note(
                    line, f"{what}; it is not looked at further, as it has JavaScript that only Nashorn knows"
                )
            else:
                self.faults.faulty(line, what, fault.remedy)

    def _lacking(self, config: _Element, parts: list[Part]) -> None:
        """Note functions that Nashorn lacks: Cooja loads the script; the test fails where it calls one."""
        try:
            found = lacking(parts)
        except Misread:
            return  # told as a fault
        for one in found:
            where = "" if one.file == self.faults.file else f"{one.file}, line {one.line}: "
            self.faults.note(
                one.line if one.file == self.faults.file else config,
                f"{where}script: Cooja's interpreter, Nashorn, has no {one.what}; the test fails when it "
                "comes there",
                "write it without",
            )

    def _script_file(self, element: _Element) -> Part | None:
        clean = element.text or ""
        if clean != clean.strip():  # here Cooja does trim
            element = _Trimmed(element)
        path = self.places.find(element, "scriptfile", self.faults)
        if path is None:
            return None
        try:
            with path.open("rb") as stream:
                return Part(stream.read(1 << 20).decode("utf-8", "replace"), str(path), 1)
        except OSError as error:
            self.faults.faulty(
                element.sourceline,
                f"scriptfile {clean[:80]}: {error.strerror}",
                "name a file that can be read",
            )
            return None

    def _text(self, element: _Element, script: str) -> bool:
        """Check a script's text; return False if that found a fault."""
        script = _code(script)
        if len(_TIMEOUT.findall(script)) > 1:
            self.faults.faulty(element, "a script with two TIMEOUT(...): Cooja takes one", "keep one of them")
            return False
        if _NATIVE.search(script):
            self.faults.note(
                element, "the script starts programs on this machine; what they do is not checked"
            )
        return True

    def _serial_socket(self, element: _Element, name: str) -> None:
        kind = classes.short(name)
        named = [java_integer(child.text) for child in element.findall("mote_arg")]
        there = [place for place in named if 0 <= place < len(self.motes)]
        if not there:
            self.faults.faulty(
                element,
                f"a {kind} without an existing mote",
                f"give the mote's place in the file, 0 to {max(len(self.motes) - 1, 0)}, as <mote_arg>",
            )
        elif _lacks_serial_port(self.motes[there[-1]]):
            self.faults.faulty(
                element,
                f"a {kind} for a mote without a serial port",
                "add the interface ContikiRS232 to its mote type",
            )
        config = element.find("plugin_config")
        port = None if config is None else config.findtext("port")
        if port is None:
            if kind == "SerialSocketServer" and config is not None:
                self.faults.faulty(element, "a SerialSocketServer without <port>", "add <port>60001</port>")
            else:
                self.faults.note(element, f"a {kind} without a port does nothing")
            return
        if fault := integer_fault(port):
            self.faults.faulty(element, f"port: {fault}", "write a port's number")
        elif not 0 <= java_integer(port) <= 65535:
            self.faults.faulty(element, f"port {port} is out of range", "write a number from 1024 to 65535")
        elif kind == "SerialSocketServer":
            self.faults.note(
                element,
                f"listens on port {port} of this machine, which must be free; nobody needs to connect",
            )
        else:
            self.faults.note(
                element,
                f"connects to {(config.findtext('host') or 'no host')[:60]}:{port}, where something must "
                "listen",
            )
        commands = config.findtext("commands")
        if kind == "SerialSocketServer" and commands and commands.strip():
            self._commands(element, commands)

    def _commands(self, element: _Element, commands: str) -> None:
        needs = of_commands(commands.split("\n"), self.places.resolved)
        asks = ", as root, with a TUN device" if needs.tun else ""
        programs = ", ".join(name for name, _ in needs.programs)
        self.faults.note(
            element,
            f"runs programs on this machine{asks}: {' '.join(commands.split())[:80]}",
            (f"they call {programs}; " if programs else "")
            + "their end ends the run; `orchestrate simulate --no-commands` runs none",
        )

    def _power_tracker(self, element: _Element) -> None:
        if any(listed and not any(name.endswith("Radio") for name in listed) for listed in self.motes):
            self.faults.faulty(
                element,
                "a PowerTracker beside motes without a radio, at which it fails",
                "remove the plugin, or add the radio interface to their mote type",
            )

    def _mobility(self, element: _Element) -> None:
        positions = element.find("plugin_config/positions")
        if positions is None:
            self.faults.note(element, "Mobility without <positions> moves nothing")
            return
        trial = Faults()
        path = self.places.find(positions, "positions", trial)
        if path is None:  # Cooja says so and runs on without moves
            for one in trial.findings():
                self.faults.note(one.line, f"{one.what}; no mote will move", one.remedy)
            return
        try:
            with path.open("rb") as stream:
                text = stream.read(_MOST_POSITIONS).decode("utf-8", "replace")
        except OSError as error:
            self.faults.note(
                positions, f"positions: {error.strerror}; no mote will move", "name a file that can be read"
            )
            return
        moves = 0
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip() or line.startswith("#"):
                continue
            moves += 1
            words = line.split(" ")
            if len(words) < 4 or integer_fault(words[0]) or any(map(decimal_fault, words[1:4])):
                self.faults.faulty(
                    positions,
                    f"{path.name}, line {number}: not `mote-index seconds x y` with one space between",
                    "correct the line",
                )
                return
        if not moves:
            self.faults.faulty(
                positions,
                f"{path.name} has no moves, which ends the run at once",
                "add some, or remove the plugin",
            )


def _lacks_serial_port(listed: frozenset[str]) -> bool:
    """Whether a Cooja mote has interfaces, and no serial port among them."""
    simple = {classes.short(name) for name in listed}
    return "ContikiClock" in simple and "ContikiRS232" not in simple


def _code(script: str) -> str:
    return _LINE_COMMENT.sub("", _BLOCK_COMMENT.sub("", script))


class _Trimmed:
    """An element with its text as Cooja trims it."""

    def __init__(self, element: _Element):
        self.text, self.sourceline = (element.text or "").strip(), element.sourceline
