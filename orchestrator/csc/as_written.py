# SPDX-License-Identifier: Apache-2.0
"""A .csc for real Cooja alone: it has parts that the embedded engine does not run, and they stay as written.

Only what must differ in a run's own folder is changed: the seed, the firmware that was built or found, and
paths that start at the .csc's folder or a token's.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lxml import etree

from orchestrator.csc import classes, document, fixing, motes
from orchestrator.csc.document import RENAMED, Document, MoteType
from orchestrator.csc.edit import Edits
from orchestrator.csc.faults import Faults
from orchestrator.csc.model import JavaScript, Simulation, Udgm
from orchestrator.csc.mote_type import MspType
from orchestrator.csc.paths import TOKENS, resolve
from orchestrator.csc.read import judge
from orchestrator.vocabulary.simulators import RULES

if TYPE_CHECKING:
    from lxml.etree import _Element

_FILES = frozenset({"scriptfile", "positions", "motepath", "obstacles"})  # elements that may name a file
_NO_SCRIPT = JavaScript("", "", 0, "", ("",))


@dataclass(frozen=True)
class AsWritten(Simulation):
    """A simulation as its file has it; of Simulation's values only those that any engine needs are set."""

    document: Document | None = None
    contiki: Path | None = None
    cooja: Path | None = None

    def staged(self, seed: int, sources: dict[str, tuple[str, str]], firmware: dict[str, str]) -> bytes:
        """Return the .csc of a run.

        `sources`: of each Cooja mote type, by its identifier, the source and the commands that put its
        library in place. `firmware`: of each other mote type its file. Paths are as a .csc has them.
        """
        root = deepcopy(self.document.root)
        copied = self.document._replace(root=root)
        copied.part.find("randomseed").text = str(seed)
        for mote_type in copied.population():
            if isinstance(mote_type, MoteType):
                _place(mote_type, sources.get(_identifier(mote_type)), firmware.get(_identifier(mote_type)))
        for element in root.iter(etree.Element):
            if element.tag in _FILES and not len(element) and (element.text or "").strip():
                text = element.text.strip() if element.tag == "scriptfile" else element.text
                element.text = str(resolve(text, self.config_dir, self.contiki, self.cooja))
            elif element.tag == "commands" and element.getparent().tag == "plugin_config":
                element.text = (element.text or "").replace("[CONFIG_DIR]", str(self.config_dir))
        return etree.tostring(root.getroottree(), xml_declaration=True, encoding="UTF-8")


def read(
    path: Path, contiki: Path | None = None, cooja: Path | None = None, seconds: int | None = None
) -> AsWritten:
    """Return a file that Cooja loads, whatever of it the embedded engine does not run.

    The arguments are those of read.read, which has judged the file before.
    """
    written = document.read(path)
    if seconds is not None:
        fixing.add_controller(written.root, seconds, Edits())
    checked, faults = judge(written, contiki, cooja, seconds)
    cooja_motes = {mote.identifier: mote for mote in motes.read(written, Faults())[0]}
    kinds = classes.mote_types(RULES[-1])
    types = []
    for written_type in written.population():
        if not isinstance(written_type, MoteType):
            continue
        kind = kinds.get(written_type.named.name)
        if (known_type := cooja_motes.get(_identifier(written_type))) is not None:
            types.append(known_type)
        elif kind is not None:
            texts = {tag: element.text or "" for tag, element in written_type.children}
            types.append(
                MspType(
                    _identifier(written_type),
                    texts.get("source", ""),
                    texts.get("commands", ""),
                    texts.get("firmware", ""),
                    kind.target,
                    kind.compiler or "",
                    texts.get("description", ""),
                )
            )
    for token, folder in zip(TOKENS, (contiki, cooja)):
        if folder is None:  # raised here, and not in the middle of a run
            _need(written.root, token, written.folder)
    return AsWritten(
        title=checked.title,
        seed=checked.seed,
        motedelay_us=checked.motedelay_us,
        medium=Udgm(),
        mote_types=tuple(types),
        motes=(),
        script=checked.script or _NO_SCRIPT,
        config_dir=written.folder,
        serial_sockets=checked.serial_sockets,
        notes=faults.notes(),
        document=written,
        contiki=contiki,
        cooja=cooja,
    )


def _need(root: _Element, token: str, config_dir: Path) -> None:
    for element in root.iter(*_FILES):
        if (element.text or "").strip().startswith(token):
            resolve(element.text.strip(), config_dir)  # raises NoSuchThing, which names the option


def _identifier(written: MoteType) -> str:
    return written.identifier or f"mtype{written.number}"


def _place(written: MoteType, source: tuple[str, str] | None, firmware: str | None) -> None:
    """Set the sources of a mote type's firmware."""
    if source is None and firmware is None:
        return
    element = written.named.element
    for child in list(element):
        if RENAMED.get(child.tag, child.tag) in ("source", "commands", "firmware"):
            Edits().remove(child)
    texts = {"firmware": firmware} if source is None else dict(zip(("source", "commands"), source))
    for place, (tag, text) in enumerate(texts.items()):
        new_element = etree.Element(tag)
        new_element.text = text
        Edits().insert(element, place, new_element)
