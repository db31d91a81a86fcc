# SPDX-License-Identifier: Apache-2.0
"""The C header by which an application reads its EEPROM image by name, made from its application.yaml.

Builds put it beside the application's sources, so that image and firmware can't disagree. The applications of
contiki-apps also have it in their folders, for those who call make there themselves.
"""

from __future__ import annotations

import re

from orchestrator.applications.model import Application, EepromField
from orchestrator.errors import Fault, FaultyInput

FILE = "eeprom-fields.h"
_C_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_KEYWORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int "
    "long register restrict return short signed sizeof static struct switch typedef union unsigned void "
    "volatile while bool true false".split()
)

_HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The EEPROM image of {name}, field by field. Made from application.yaml by
 * `orchestrate build --eeprom-fields`; whatever is changed here is lost.
 */
#ifndef EEPROM_FIELDS_H_
#define EEPROM_FIELDS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "contiki.h"
#include "dev/eeprom.h"

/* The fields in the image's order, an array as its number of items. */
struct eeprom_fields {{
"""
_ITEM = """
/* Where the items of {name} begin, and item i of them. */
static inline eeprom_addr_t
eeprom_fields_{name}_at(void)
{{
  return {at};
}}
static inline {type}
eeprom_fields_{name}(uint8_t i)
{{
  {type} item = 0;

  eeprom_read(eeprom_fields_{name}_at() + {size} * i, (unsigned char *)&item, {size});
  return item;
}}
static inline uint8_t
eeprom_fields_{name}_count(void)
{{
  unsigned char count = 0;

  eeprom_read(eeprom_fields_{name}_at() - 1, &count, 1);
  return count;
}}
"""
_SIZE = """
/* Bytes of the image; more than EEPROM_SIZE: its last items are not there. */
static inline unsigned
eeprom_fields_size(void)
{{
  return {size};
}}

/* Read the fields. False if this is no image of the application's, or it is cut short. */
static inline bool
eeprom_fields_read(struct eeprom_fields *fields)
{{
{reads}
  return {constants};
}}

#endif
"""


def header(application: Application) -> str:
    """Return the whole text. Fields after an array begin where its items end, so the image is read in parts.

    Raises FaultyInput with every field whose name can't be one in C.
    """
    _check(application)
    names = {field.name: c_name(field.name) for field in application.eeprom}
    members, asserts, constants, words, accessors, reads = [], [], [], [], [], []
    at = begun = 0  # in the struct: the next field; the first that is not read yet
    before = ""  # where that field is in the image: behind the items of the last array
    for field in application.eeprom:
        name = names[field.name]
        member, size = (f"{name}_count", 1) if field.array else (name, _size(field))
        kind = "uint8_t" if field.array else c_type(field)
        members.append(f"  {kind} {member};")
        asserts.append(
            f'_Static_assert(offsetof(struct eeprom_fields, {member}) == {at}, "{member} is not at {at}");'
        )
        at += size
        if field.value is not None:
            constants.append((name, field.value))
        words += [
            (f"EEPROM_FIELDS_{name}_{c_name(word)}".upper(), number) for word, number in field.map.items()
        ]
        if field.array:
            reads.append(_read(before, begun, at))
            accessors.append(
                _ITEM.format(name=name, at=_sum(before, at - begun), type=c_type(field), size=_size(field))
            )
            before = f"eeprom_fields_{name}_at() + {_size(field)} * eeprom_fields_{name}_count()"
            begun = at
    if at > begun:
        reads.append(_read(before, begun, at))
    text = [_HEAD.format(name=application.name), *(f"{line}\n" for line in members)]
    text.append("} __attribute__((packed));\n\n")
    text.append(
        f'_Static_assert(sizeof(struct eeprom_fields) == {at}, "struct eeprom_fields is not packed");\n'
    )
    text += [f"{line}\n" for line in asserts]
    text.append('_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the image is little-endian");\n')
    if words:
        text.append("\n/* The numbers of words. */\nenum {\n")
        text += [f"  {name} = {number},\n" for name, number in words]
        text.append("};\n")
    text += accessors
    checked = "\n    && ".join(f"fields->{name} == {_number(number)}" for name, number in constants) or "true"
    text.append(_SIZE.format(size=_sum(before, at - begun), reads="\n".join(reads), constants=checked))
    return "".join(text)


def _check(application: Application) -> None:
    """Names of fields are C names, each once."""
    faults, seen = [], set()
    for field in application.eeprom:
        name = c_name(field.name)
        if not _C_NAME.fullmatch(name) or name in _KEYWORDS or name in seen:
            why = "is there twice" if name in seen else "is not a C identifier"
            what = f"the EEPROM's field {field.name} {why}, so that {FILE} can't have it"
            faults.append(Fault(str(application.file), field.line, what, "give the field another name"))
        seen.add(name)
    if faults:
        raise FaultyInput(faults)


def c_name(text: str) -> str:
    """Return a C name of a field's or a word's."""
    return re.sub(r"\W", "_", text, flags=re.ASCII)


def c_type(field: EepromField) -> str:
    """Return the C type of a field, or of an array's items."""
    return f"{'u' if field.type[0] == 'u' else ''}int{field.type[1:]}_t"


def _size(field: EepromField) -> int:
    return int(field.type[1:]) // 8


def _number(value: int) -> str:
    return str(value) if value <= 0x7FFFFFFF else f"{value}U"


def _sum(before: str, more: int) -> str:
    return f"{before} + {more}" if before and more else before or str(more)


def _read(before: str, begun: int, at: int) -> str:
    call = f"eeprom_read({before or 0}, (unsigned char *)fields + {begun}, {at - begun})"
    return f"  if(!{call}) {{\n    return false;\n  }}"
