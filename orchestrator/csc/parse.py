# SPDX-License-Identifier: Apache-2.0
"""From untrusted bytes to an XML tree: no entities, no DTD, no network, bounded in size and depth.

libxml2 itself bounds depth (256 elements) and a text's length (10 MB) as long as `huge_tree` is off.
"""

from __future__ import annotations

import re
import zlib
from pathlib import Path

from lxml import etree

from orchestrator.csc import faults
from orchestrator.errors import NoSuchThing

_LIBXML_ADVICE = re.compile(
    r", (use|try) XML_PARSE_HUGE( option)?|, line \d+, column \d+"
)  # of no use to a user
MAX_BYTES = 256 * 1024 * 1024  # a .csc of 100,000 motes with full EEPROM images has about 200 MB


def parse(data: bytes, name: str, comments: bool = False) -> etree._Element:
    """Return the root element; `name` is what messages call the file.

    `comments` keeps those, and CDATA sections, for writing.
    """
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=not comments,
        remove_pis=not comments,
        strip_cdata=not comments,
        recover=False,
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        line = error.lineno or 0
        what = _LIBXML_ADVICE.sub("", (error.msg or "empty").split("\n")[0])
        raise faults.only(name, line, f"not XML: {what}", _remedy(data)) from None
    if root.getroottree().docinfo.internalDTD is not None:
        what = "has a document type (DOCTYPE), which can define entities"
        raise faults.only(name, 1, what, "remove the <!DOCTYPE ...> part; no .csc needs one")
    return root


def _remedy(data: bytes) -> str:
    if not data.lstrip().startswith(b"<"):
        return "this is not a .csc; save the simulation from Cooja again"
    return (
        "correct this line, or save the simulation from Cooja again (in text, & is written &amp; and < is "
        "&lt;)"
    )


def content(path: Path) -> bytes:
    """Return the XML text of a .csc or .csc.gz. Raises NoSuchThing or FaultyInput."""
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
        if path.name.endswith(".gz"):
            data = _gunzip(data, path)
    except FileNotFoundError:
        raise NoSuchThing(f"{path}: no such file") from None
    except IsADirectoryError:
        raise NoSuchThing(f"{path} is a folder; name a .csc file") from None
    except PermissionError:
        raise NoSuchThing(f"{path}: no permission to read it") from None
    if len(data) > MAX_BYTES:
        remedy = "split the simulation; this is far more than 100,000 motes need"
        raise faults.only(str(path), 0, f"larger than {MAX_BYTES >> 20} MB", remedy)
    return data


def _gunzip(data: bytes, path: Path) -> bytes:
    try:
        return zlib.decompressobj(wbits=31).decompress(data, MAX_BYTES + 1)
    except zlib.error as error:
        remedy = "compress it again, or rename it to .csc if it is plain XML"
        raise faults.only(str(path), 0, f"not a gzip file: {error}", remedy) from None
