# SPDX-License-Identifier: Apache-2.0
"""The C header of an application's types of events, made from its event-types.yaml.

Builds put it beside the application's sources, as they do eeprom-fields.h.
"""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.features.event_service.event_types.description import EventType

_HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The types of the application's events. Made from event-types.yaml by
 * `orchestrate build --event-types`; whatever is changed here is lost.
 */
#ifndef EVENT_TYPES_H_
#define EVENT_TYPES_H_

#include <stdbool.h>
#include <stdint.h>
"""
_OF_ONE = """
#define {upper}_EVENT_TYPE 0x{digest:04x} /* the description's digest: EVENT_TERMS_TYPE */
#define {upper}_EVENT_SIZE {size}

struct {name}_event {{
{members}
}};
static inline void
{name}_event_encode(const struct {name}_event *event, uint8_t data[{upper}_EVENT_SIZE])
{{
{writes}
}}
/* False for data of another length. */
static inline bool
{name}_event_decode(struct {name}_event *event, const uint8_t *data, uint8_t length)
{{
  if(length != {upper}_EVENT_SIZE) {{
    return false;
  }}
{reads}
  return true;
}}
"""


def header(types: Iterable[EventType]) -> str:
    """Return the whole text."""
    return _HEAD + "".join(map(_of_one, types)) + "\n#endif\n"


def _of_one(event_type: EventType) -> str:
    members, writes, reads = [], [], []
    for field in event_type.fields:
        bits = int(field.type[1:])
        sign = "" if field.type[0] == "i" else "u"
        unit = f"{_number(field.scale)} {field.unit}".strip() if field.unit or field.scale != 1 else ""
        note = ", ".join(filter(None, (unit, field.help))).replace("*/", "* /")
        members.append(f"  {sign}int{bits}_t {field.name};" + (f" /* {note} */" if note else ""))
        octets = [(field.offset + place, 8 * place) for place in range(bits // 8)]
        value = f"(uint{bits}_t)event->{field.name}"
        writes += [f"  data[{at}] = (uint8_t)({value} >> {shift});" for at, shift in octets]
        whole = " | ".join(f"(uint{bits}_t)data[{at}] << {shift}" for at, shift in octets)
        reads.append(f"  event->{field.name} = ({sign}int{bits}_t)(uint{bits}_t)({whole});")
    return _OF_ONE.format(
        name=event_type.name,
        upper=event_type.name.upper(),
        digest=event_type.digest,
        size=event_type.size,
        members="\n".join(members),
        writes="\n".join(writes),
        reads="\n".join(reads),
    )


def _number(scale: object) -> str:
    return f"{float(scale):.12g}"  # type: ignore[arg-type]
