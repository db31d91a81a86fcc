# SPDX-License-Identifier: Apache-2.0
"""Authors and licence of an artifact; CITATION.cff (Citation File Format 1.2.0).

Authors come from the command line or from a CITATION.cff or codemeta.json that is there already.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orchestrator.errors import Fault, FaultyInput, NoSuchThing, WrongUsage

_AUTHOR = re.compile(r"\s*([^<>]*[^<>\s])\s*(?:<([^<>\s]+@[^<>\s]+)>)?\s*")
_ORCID = re.compile(r"https://orcid\.org/[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X]")
_CFF = {"family": "family-names", "given": "given-names", "email": "email", "orcid": "orcid"}  # of an author
_MESSAGE = "If you use these data, please cite them as below."


@dataclass(frozen=True)
class Author:
    """A person; an unknown detail is an empty text."""

    family: str
    given: str = ""
    email: str = ""
    orcid: str = ""

    @property
    def name(self) -> str:
        """The whole name."""
        return f"{self.given} {self.family}".strip()


@dataclass(frozen=True)
class About:
    """The description of an artifact. `licence`: an SPDX identifier; `cff`: a CITATION.cff, used as is."""

    title: str
    licence: str
    authors: tuple[Author, ...]
    cff: str = ""


def about(
    title: str | None, licence: str | None, authors: Sequence[str], citation: Path | None, subject: str
) -> About:
    """Combine the user's answers. Raises WrongUsage with everything that is missing or wrong.

    `subject`: what the artifact holds, for a title where none was given.
    """
    faults = []
    if licence is None:
        faults.append("the licence of the data: --license with an SPDX identifier, such as CC-BY-4.0")
    elif (what := _unknown(licence)) is not None:
        faults.append(what)
    if citation is not None and authors:
        faults.append("the authors once: --author or --citation, not both")
    people: list[Author] = []
    cited_title, cff = "", ""
    for author in authors:
        match = _AUTHOR.fullmatch(author)
        if match is None:
            faults.append(f'an author that can be read: {author!r} is not "Name <email>"')
            continue
        given, _, family = match[1].rpartition(" ")
        people.append(Author(family, given, match[2] or ""))
    if citation is not None:
        people, cited_title, cff = _read(citation)
    elif not authors:
        faults.append('the authors: --author "Name <email>" (several times), or --citation CITATION.cff')
    if faults:
        raise WrongUsage("\n    ".join(["an artifact needs to say who may use it and who made it:", *faults]))
    return About(title or cited_title or f"Simulation runs of {subject}", licence, tuple(people), cff)


def written(of: About, date: str) -> str:
    """Return the text of CITATION.cff; `date`: when the newest run was made."""
    if of.cff:
        return of.cff
    import yaml

    content = {
        "cff-version": "1.2.0",
        "message": _MESSAGE,
        "type": "dataset",
        "title": of.title,
        "authors": [
            {name: value for field, name in _CFF.items() if (value := getattr(author, field))}
            for author in of.authors
        ],
        "license": of.licence,
        "date-released": date,
    }
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)


def _unknown(licence: str) -> str | None:
    """Return the fault of an SPDX identifier."""
    from license_expression import get_spdx_licensing

    symbols = get_spdx_licensing().known_symbols
    if licence in symbols and not symbols[licence].is_exception:
        return None
    meant = {name.lower(): name for name in symbols}.get(licence.lower())
    hint = f"; did you mean {meant}?" if meant else "; the list is at https://spdx.org/licenses"
    return f"a licence that SPDX knows: {licence!r} is not its identifier{hint}"


def _read(path: Path) -> tuple[list[Author], str, str]:
    """Read authors, title and, of a CITATION.cff, its text. Raises NoSuchThing or FaultyInput."""
    if not path.is_file():
        raise NoSuchThing(f"{path}: no such file\n    --citation names a CITATION.cff or a codemeta.json")
    text = path.read_text(encoding="utf-8", errors="replace")
    return _codemeta(path, text) if path.suffix == ".json" else _cff(path, text)


def _cff(path: Path, text: str) -> tuple[list[Author], str, str]:
    import yaml

    remedy = "see https://citation-file-format.github.io"
    try:
        data = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 0
        raise FaultyInput([Fault(str(path), line, "not YAML", remedy)]) from None
    if not isinstance(data, Mapping):
        raise FaultyInput([Fault(str(path), 1, "not a CITATION.cff", remedy)])
    faults = [
        Fault(str(path), 0, f"no {name}", f"add `{name}:`; {remedy}")
        for name in ("cff-version", "message", "title", "authors")
        if not data.get(name)
    ]
    authors = data.get("authors") or []
    if not isinstance(authors, list) or not all(isinstance(author, Mapping) for author in authors):
        faults.append(Fault(str(path), 0, "authors is not a list of persons", remedy))
    if faults:
        raise FaultyInput(faults)
    people = [
        Author(
            str(author.get("family-names") or author.get("name") or author.get("alias") or ""),
            str(author.get("given-names") or ""),
            str(author.get("email") or ""),
            str(author.get("orcid") or ""),
        )
        for author in authors
    ]
    return people, str(data["title"]), text


def _codemeta(path: Path, text: str) -> tuple[list[Author], str, str]:
    remedy = "see https://codemeta.github.io"
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FaultyInput([Fault(str(path), getattr(error, "lineno", 0), "not JSON", remedy)]) from None
    listed = data.get("author") if isinstance(data, Mapping) else None
    listed = [listed] if isinstance(listed, Mapping) else listed
    people = [_person(person) for person in listed or [] if isinstance(person, Mapping)]
    if not people or not all(person.family for person in people):
        raise FaultyInput([Fault(str(path), 0, "no author with a name", f"add `author`; {remedy}")])
    return people, str(data.get("name") or ""), ""


def _person(entry: Mapping[str, Any]) -> Author:
    name = str(entry.get("id") or entry.get("@id") or "")
    return Author(
        str(entry.get("familyName") or entry.get("name") or ""),
        str(entry.get("givenName") or ""),
        str(entry.get("email") or ""),
        name if _ORCID.fullmatch(name) else "",
    )
