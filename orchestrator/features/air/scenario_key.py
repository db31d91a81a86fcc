# SPDX-License-Identifier: Apache-2.0
"""The scenario's key `air`: what frames don't say of themselves.

air: {prefix: fd00::/64, keys: {1: 32 hexadecimal digits}, slot: 10 ms, network: nullnet, platform: cc2538}
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping as Settings
from pathlib import Path
from typing import Any

from orchestrate_spark.profiles import profiles
from orchestrate_spark.sources.air import PLATFORM, SETTINGS
from orchestrate_spark.sources.air.tsch import HOPPING, KINDS

from orchestrator import feature
from orchestrator.durable import rewrite
from orchestrator.vocabulary import json_schema
from orchestrator.vocabulary.document import Mapping, Node, Scalar, Sequence, wrong_kind
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.parameters import Parameter, check
from orchestrator.vocabulary.units import short
from orchestrator.words import did_you_mean

_FORM = (
    "{prefix: fd00::/64, keys: {1: 32 hexadecimal digits}, slot: 10 ms, network: nullnet, platform: cc2538}"
)
_PREFIX = re.compile(r"([0-9a-fA-F:]+)(?:/64)?")
_KEY = re.compile(r"[0-9a-fA-F]{32}")
_INDEX = re.compile(r"implicit|[0-9]{1,3}")
_KEYS = ("prefix", "keys", "slot", "hopping", "slotframes", "network", "platform", "profiles")
_RADIO = ("transmit", "listen")
_SLOT = Parameter("slot", "time", 10_000, 1, 1_000_000, help="the length of TSCH's time slots")
_LENGTH = Parameter("slotframe", "int", 0, 1, 65_535, help="the length of a slotframe, in slots")
_NETWORKS = ("6lowpan", "nullnet")


def read(node: Node, _folder: Path, faults: Faults) -> dict[str, Any]:
    """Return the settings of the frames' tables, as EXPERIMENT/air.json has them."""
    if not isinstance(node, Mapping):
        wrong_kind(node, "air", f"write `air: {_FORM}`", faults)
        return {}
    found: dict[str, Any] = {}
    for key, value in node:
        if key.text not in _KEYS:
            faults.add(key.line, f"air.{short(key.text)} is unknown", did_you_mean(key.text, _KEYS))
        elif key.text == "keys":
            found["keys"] = _keys(value, faults)
        elif key.text == "hopping":
            found["hopping"] = _hopping(value, faults)
        elif key.text == "slotframes":
            found["slotframes"] = _slotframes(value, faults)
        elif key.text == "profiles":
            found["profiles"] = _profiles(node, faults)
        elif not isinstance(value, Scalar):
            wrong_kind(value, f"air.{key.text}", f"write `air: {_FORM}`", faults)
        elif key.text == "prefix":
            found["prefixes"] = {"0": _prefix(value, faults)}
        elif key.text == "slot":
            found["slot_us"] = _slot(value, faults)
        elif key.text == "platform":
            found["platform"] = value.text
        elif value.text in _NETWORKS:
            found["nullnet"] = value.text == "nullnet"
        else:
            faults.add(
                value.line, f"air.network: {short(value.text)} is unknown", f"write {' or '.join(_NETWORKS)}"
            )
    known = profiles().keys() | found.get("profiles", {}).keys()
    if "platform" in found and found["platform"] not in known:
        name = node.get("platform")
        faults.add(
            name.line, f"air.platform: {short(name.text)} is unknown", did_you_mean(name.text, sorted(known))
        )
    return found


def _profiles(node: Mapping, faults: Faults) -> dict[str, Any]:
    """Return the scenario's own platforms, in the form that pattern files have for them."""
    platforms = feature.offered("platform-profiles").read(node, faults)
    for name, profile in platforms.items():
        if missing := [state for state in _RADIO if state not in profile.currents_ma]:
            faults.add(
                node.get("profiles").line,
                f"air.profiles: {name} has no current of {' and '.join(missing)}",
                f"name both states of a transceiver under currents-ma: {', '.join(_RADIO)}",
            )
    return {name: vars(profile) for name, profile in platforms.items()}


def _prefix(value: Scalar, faults: Faults) -> str:
    from ipaddress import AddressValueError, IPv6Address

    matched = _PREFIX.fullmatch(value.text)
    try:
        packed = IPv6Address(matched[1] if matched else "").packed
    except AddressValueError:
        packed = b"\1" * 16
    if any(packed[8:]):
        faults.add(value.line, f"air.prefix: {short(value.text)} is no prefix of 64 bits", "write fd00::/64")
    return packed[:8].hex()


def _slot(value: Scalar, faults: Faults) -> int:
    found = check(_SLOT, value, "air.slot", faults)
    return 10_000 if found is None else found


def _hopping(node: Node, faults: Faults) -> list[int]:
    items = node.items if isinstance(node, Sequence) else ()
    channels = [each.text if isinstance(each, Scalar) else "" for each in items]
    good = all(channel.isdecimal() and int(channel) <= 26 for channel in channels)
    if not channels or not good or len(set(channels)) < len(channels):
        remedy = "list each channel once, in their order, such as [15, 25, 26, 20]"
        faults.add(node.line, "air.hopping is no sequence of channels from 0 to 26", remedy)
        return []
    return [int(channel) for channel in channels]


def _slotframes(node: Node, faults: Faults) -> dict[str, int]:
    """Return the length of the slotframe in which frames of each kind are sent."""
    given = dict.fromkeys(KINDS, node) if isinstance(node, Scalar) else {}
    for key, value in node if isinstance(node, Mapping) else ():
        if key.text in KINDS:
            given[key.text] = value
        else:
            faults.add(
                key.line, f"air.slotframes.{short(key.text)} is unknown", did_you_mean(key.text, KINDS)
            )
    if not given and not faults:
        wrong_kind(node, "air.slotframes", f"write a length in slots, or one for {', '.join(KINDS)}", faults)
    lengths = {
        name: check(_LENGTH, value, f"air.slotframes: {name}", faults) for name, value in given.items()
    }
    return {name: length for name, length in lengths.items() if length}


def _keys(node: Node, faults: Faults) -> dict[str, str]:
    found: dict[str, str] = {}
    remedy = "write `keys: {1: 32 hexadecimal digits}`; `implicit` is the key of frames that name none"
    if not isinstance(node, Mapping):
        wrong_kind(node, "air.keys", remedy, faults)
        return {}
    for index, value in node:
        text = value.text if isinstance(value, Scalar) else ""
        if not _INDEX.fullmatch(index.text) or (index.text.isdecimal() and int(index.text) > 255):
            faults.add(index.line, f"air.keys: {short(index.text)} is no index of a key (0 to 255)", remedy)
        elif not _KEY.fullmatch(text):
            faults.add(value.line, f"air.keys: key {index.text} has not 16 bytes in hexadecimal", remedy)
        else:
            found["-1" if index.text == "implicit" else index.text] = text.lower()
    return found


def keep(value: Settings[str, Any] | None, folder: Path) -> None:
    """Write the settings into the experiment's folder; without the key, what is there is removed."""
    if value:
        rewrite(folder / SETTINGS, json.dumps(value, sort_keys=True).encode())
    else:
        (folder / SETTINGS).unlink(missing_ok=True)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the key."""
    return json_schema.only(
        {
            "prefix": {
                "type": "string",
                "description": "the prefix of context 0 of 6LoWPAN's header compression",
                "default": "fd00::/64",
            },
            "keys": {
                "type": "object",
                "propertyNames": {"pattern": f"^(?:{_INDEX.pattern})$"},
                "additionalProperties": {"type": "string", "pattern": f"^{_KEY.pattern}$"},
                "description": "keys of link-layer security by their index, 16 bytes in hexadecimal",
            },
            "slot": json_schema.value(_SLOT),
            "hopping": {
                "type": "array",
                "items": {"type": "integer", "minimum": 0, "maximum": 26},
                "uniqueItems": True,
                "minItems": 1,
                "description": "TSCH's hopping sequence, which channel offsets rest on",
                "default": list(HOPPING),
            },
            "slotframes": {
                "anyOf": [
                    json_schema.value(_LENGTH),
                    json_schema.only({kind: json_schema.value(_LENGTH) for kind in KINDS}),
                ],
                "description": "the length of TSCH's slotframe in slots, or one for each kind of frame",
            },
            "network": {
                "enum": list(_NETWORKS),
                "description": "what data frames carry: 6LoWPAN (default), or an application's own bytes",
            },
            "platform": {
                "type": "string",
                "description": "the platform by whose currents a mote's radio takes energy: "
                f"{', '.join(profiles())}, or one of `profiles`",
                "default": PLATFORM,
            },
            "profiles": {
                **feature.offered("platform-profiles").schema(_RADIO),
                "description": "platforms of your own: supply in V, and currents in mA by state",
            },
        }
    )
