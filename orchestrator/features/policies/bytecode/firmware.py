# SPDX-License-Identifier: Apache-2.0
"""A firmware's offer to policies in bytecode: its topics, and the functions that programs may call."""

from __future__ import annotations

import binascii
from collections.abc import Iterable
from dataclasses import dataclass

from orchestrator.errors import NoSuchThing, Unsupported
from orchestrator.features.policies.application import subject
from orchestrator.features.policies.extensions import BUILT_IN, Constant, Function, Library
from orchestrator.features.policies.meaning import Application, called
from orchestrator.words import did_you_mean

Callable = Function | Constant


@dataclass(frozen=True)
class Firmware:
    """Its topics, numbered from 1, and its functions and constants by number; names of those are unique."""

    topics: tuple[str, ...]
    functions: tuple[Callable, ...]

    @property
    def fingerprint(self) -> int:
        """16 bits by which a mote knows programs that are for other topics or functions."""
        text = [f"{subject(topic):016x}" for topic in self.topics]
        text += [_signature(function) for function in self.functions]
        return binascii.crc_hqx("\n".join(text).encode(), 0)

    def number(self, wanted: Callable) -> int | None:
        """Return a function's number; None: this firmware doesn't offer it."""
        return self.functions.index(wanted) if wanted in self.functions else None


def _signature(offer: Callable) -> str:
    arguments = ",".join(kind.name for kind in offer.arguments) if isinstance(offer, Function) else "constant"
    return f"{offer.name}({arguments})"


def can_be_offered(offer: Callable) -> bool:
    """Whether all of its values are whole numbers."""
    kinds = (*offer.arguments, offer.result) if isinstance(offer, Function) else (offer.type,)
    return all(kind.is_integer or kind.name == "void" for kind in kinds)


def firmware(application: Application, library: Library, offered: Iterable[str] = ()) -> Firmware:
    """Return the firmware of an application: it offers what its policies call, and more by name.

    Raises NoSuchThing.
    """
    wanted: dict[Callable, None] = {offer: None for _, _, rule in application.rules for offer in called(rule)}
    for name in offered:
        if name in library.constants:
            wanted[library.constants[name]] = None
        elif name in library.functions:
            wanted.update(dict.fromkeys(library.functions[name]))
        else:
            names = [*library.functions, *library.constants]
            raise NoSuchThing(f"no extension declares {name}; {did_you_mean(name, names)}")
    offers = [offer for offer in wanted if can_be_offered(offer) and offer.name not in BUILT_IN]
    if len(offers) > 255:
        raise Unsupported(
            "more than 255 functions are offered to bytecode\n    a program names one in a byte"
        )
    return Firmware(application.topics, tuple(sorted(offers, key=_signature)))
