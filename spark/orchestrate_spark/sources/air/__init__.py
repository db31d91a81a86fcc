# SPDX-License-Identifier: Apache-2.0
"""The tables of the air: frames, receptions, RPL messages, radio states, datagrams and their hops.

A run's file `air` is the engine's record (kernel/observation/observer.h) or a capture. EXPERIMENT/air.json
has what frames don't say of themselves: {"prefixes": {context: hex}, "keys": {index: hex}, "slot_us": number,
"nullnet": bool, "hopping": [channel], "slotframes": {kind of frame: length in slots}, "platform": name,
"profiles": {name: a profile's fields}}, all of which may be absent.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from orchestrate_spark.profiles import Profile, profiles
from orchestrate_spark.sources import Damaged, Source

FILE, SETTINGS = "air", "air.json"
PLATFORM = "cc2420"  # whose currents count if the scenario names no other: Cooja's first motes had it
# Protocols of applications' datagrams; the others control the network. What can't be read may be anybody's.
APPLICATIONS = ("udp", "tcp", "echo", "nullnet", "secured", "opaque")
# Fates of unicast datagrams that count in delivery ratios: the others left the air, or are under way.
ENDED = ("delivered", "lost", "not-forwarded")
_INT8, _INT16, _INT32, _INT64 = pa.int8(), pa.int16(), pa.int32(), pa.int64()
_BOOL, _REAL, _TEXT = pa.bool_(), pa.float32(), pa.string()

TABLES = {
    # one row for each transmission, in the order of their beginnings; of what several frames carry together,
    # only what this one shows by itself
    "frames": (
        ("frame", _INT32),
        ("t_us", _INT64),
        ("end_us", _INT64),
        ("mote", _INT32),
        ("channel", _INT16),
        ("power", _INT16),
        ("power_dbm", _REAL),
        ("rssi_dbm", _REAL),
        ("length", _INT16),
        ("beyond", _INT16),
        ("type", _TEXT),
        ("version", _INT8),
        ("seq", _INT16),
        ("pan", _INT32),
        ("src", _TEXT),
        ("dst", _TEXT),
        ("ack_request", _BOOL),
        ("pending", _BOOL),
        ("security_level", _INT8),
        ("key_index", _INT16),
        ("frame_counter", _INT64),
        ("command", _INT16),
        ("asn", _INT64),
        ("join_metric", _INT16),
        ("time_correction_us", _INT16),
        ("nack", _BOOL),
        ("sixp_type", _TEXT),
        ("sixp_code", _INT16),
        ("sixp_sfid", _INT16),
        ("sixp_seq", _INT16),
        ("network", _TEXT),
        ("frag_tag", _INT32),
        ("frag_size", _INT32),
        ("frag_offset", _INT32),
        ("first_frame", _INT32),
        ("ip_src", _TEXT),
        ("ip_dst", _TEXT),
        ("final_dst", _TEXT),
        ("hop_limit", _INT16),
        ("next_header", _INT16),
        ("transport", _INT16),
        ("ip_length", _INT32),
        ("segments_left", _INT16),
        ("sender_rank", _INT32),
        ("rpl_flags", _INT16),
        ("src_port", _INT32),
        ("dst_port", _INT32),
        ("icmp_type", _INT16),
        ("icmp_code", _INT16),
        ("echo_id", _INT32),
        ("echo_seq", _INT32),
        ("nd_target", _TEXT),
        ("rpl_kind", _TEXT),
        ("rank", _INT32),
        ("tcp_seq", _INT64),
        ("tcp_ack", _INT64),
        ("tcp_flags", _INT16),
        ("coap_type", _TEXT),
        ("coap_code", _TEXT),
        ("coap_mid", _INT32),
        ("coap_token", _TEXT),
        ("coap_path", _TEXT),
        ("payload_length", _INT32),
        ("payload_hash", _INT64),
        ("flaw", _TEXT),
    ),
    # one row for each transmission and other radio that it could have reached
    "receptions": (
        ("frame", _INT32),
        ("mote", _INT32),
        ("outcome", _TEXT),
        ("rssi_dbm", _REAL),
        ("t_us", _INT64),
    ),
    # one row for each message of RPL that was sent
    "rpl": (
        ("frame", _INT32),
        ("t_us", _INT64),
        ("mote", _INT32),
        ("ip_src", _TEXT),
        ("ip_dst", _TEXT),
        ("kind", _TEXT),
        ("instance", _INT16),
        ("version", _INT16),
        ("rank", _INT32),
        ("dtsn", _INT16),
        ("grounded", _BOOL),
        ("mop", _INT8),
        ("preference", _INT8),
        ("dodag", _TEXT),
        ("sequence", _INT16),
        ("ack_request", _BOOL),
        ("status", _INT16),
        ("target", _TEXT),
        ("target_length", _INT16),
        ("targets", _INT16),
        ("parent", _TEXT),
        ("path_sequence", _INT16),
        ("path_lifetime", _INT16),
        ("interval_doublings", _INT16),
        ("interval_min", _INT16),
        ("redundancy", _INT16),
        ("max_rank_increase", _INT32),
        ("min_hop_rank_increase", _INT32),
        ("ocp", _INT32),
        ("default_lifetime", _INT16),
        ("lifetime_unit", _INT32),
        ("prefix", _TEXT),
        ("prefix_length", _INT16),
    ),
    # the time that a mote's radio spent in a state, minute by minute; minutes without a change are one row
    "radio_states": (
        ("mote", _INT32),
        ("state", _TEXT),
        ("from_us", _INT64),
        ("to_us", _INT64),
        ("time_us", _INT64),
    ),
    # the time that the processor of an emulated mote spent in a mode, from its boot to the end of the run
    "processor_modes": (("mote", _INT32), ("mode", _TEXT), ("time_us", _INT64)),
    # one row for each platform by whose currents the radios' states become energy; `chosen` is the scenario's
    "platforms": (
        ("platform", _TEXT),
        ("volts", pa.float64()),
        ("transmit_ma", pa.float64()),
        ("listen_ma", pa.float64()),
        ("cpu_ma", pa.float64()),
        ("lpm_ma", pa.float64()),
        ("deep_lpm_ma", pa.float64()),
        ("chosen", _BOOL),
    ),
    # one row for each mote of a TSCH network; `associated_us` is null at a coordinator
    "tsch_motes": (("mote", _INT32), ("coordinator", _BOOL), ("associated_us", _INT64)),
    # one row for each cell of TSCH in which frames were sent: frames by kind without acknowledgements, slots
    # with a frame, how often the cell came up, and senders; what can't be derived is null
    "tsch_cells": (
        ("slotframe", _INT64),
        ("timeslot", _INT64),
        ("channel_offset", _INT16),
        ("beacons", _INT32),
        ("broadcast", _INT32),
        ("unicast", _INT32),
        ("slots", _INT32),
        ("occurrences", _INT64),
        ("senders", _INT32),
    ),
    # one row for each datagram that was on the air, in the order of its first frame; what has no IPv6 header
    # that can be read is one for each hop
    "datagrams": (
        ("datagram", _INT32),
        ("protocol", _TEXT),
        ("origin", _INT32),
        ("destination", _INT32),
        ("ip_src", _TEXT),
        ("ip_dst", _TEXT),
        ("link_dst", _TEXT),
        ("transport", _INT16),
        ("src_port", _INT32),
        ("dst_port", _INT32),
        ("icmp_type", _INT16),
        ("rpl_kind", _TEXT),
        ("coap_type", _TEXT),
        ("coap_code", _TEXT),
        ("coap_path", _TEXT),
        ("payload_length", _INT32),
        ("payload_hash", _INT64),
        ("first_frame", _INT32),
        ("t_us", _INT64),
        ("end_us", _INT64),
        ("last_us", _INT64),
        ("hops", _INT16),
        ("transmissions", _INT32),
        ("delivered", _INT32),
        ("duplicates", _INT32),
        ("answers", _INT32),
        ("fate", _TEXT),
        ("fate_mote", _INT32),
        ("cause", _TEXT),
    ),
    # one row for each datagram that a mote's link layer sent, with its retransmissions and fragments
    "hops": (
        ("datagram", _INT32),
        ("hop", _INT16),
        ("mote", _INT32),
        ("to", _INT32),
        ("link_dst", _TEXT),
        ("first_frame", _INT32),
        ("frames", _INT32),
        ("t_us", _INT64),
        ("last_us", _INT64),
        ("end_us", _INT64),
        ("receivers", _INT32),
        ("repeats", _INT32),
        ("acked", _BOOL),
        ("cause", _TEXT),
    ),
    # what each mote sent, for which protocol, on which channel
    "traffic": (
        ("mote", _INT32),
        ("protocol", _TEXT),
        ("channel", _INT16),
        ("frames", _INT32),
        ("bytes", _INT64),
        ("air_us", _INT64),
    ),
    # unicast from one mote to another: datagrams, and what became of their frames there
    "links": (
        ("mote", _INT32),
        ("to", _INT32),
        *(
            (name, _INT32)
            for name in (
                *("hops", "received", "acked", "frames", "frames_received", "collided", "below_sensitivity"),
                *(
                    "radio_off",
                    "busy_sending",
                    "wrong_channel",
                    "lost_by_chance",
                    "cut_short",
                    "missed",
                    "out_of_range",
                ),
            )
        ),
    ),
}

SOURCE = Source(
    "air",
    TABLES,
    "orchestrate_spark.sources.air:read",
    file=FILE,
    settings="orchestrate_spark.sources.air:settings",
    modules=("profiles",),
    encodings={
        "frames": {
            "frame": "DELTA_BINARY_PACKED",
            "t_us": "DELTA_BINARY_PACKED",
            "end_us": "DELTA_BINARY_PACKED",
            "payload_hash": "PLAIN",
        },
        "receptions": {
            "frame": "DELTA_BINARY_PACKED",
            "mote": "BYTE_STREAM_SPLIT",
            "rssi_dbm": "BYTE_STREAM_SPLIT",
            "t_us": "PLAIN",
        },
        "rpl": {"frame": "DELTA_BINARY_PACKED", "t_us": "DELTA_BINARY_PACKED"},
        "datagrams": {
            "payload_hash": "PLAIN",
            **dict.fromkeys(("datagram", "first_frame", "t_us", "end_us", "last_us"), "DELTA_BINARY_PACKED"),
        },
        "hops": dict.fromkeys(
            ("datagram", "first_frame", "t_us", "last_us", "end_us"), "DELTA_BINARY_PACKED"
        ),
    },
)


def settings(experiment: Path) -> bytes:
    """Return what the rows depend on besides the records: the dissector, air.json, and currents."""
    from orchestrate_spark.sources.air import program

    currents = json.dumps([vars(profile) for profile in profiles().values()], sort_keys=True)
    made_by = f"{program.digest()} {hashlib.sha256(currents.encode()).hexdigest()[:20]}"
    return made_by.encode() + b"\n" + _settings_file(experiment)


def _settings_file(experiment: Path) -> bytes:
    file = experiment / SETTINGS
    return file.read_bytes() if file.is_file() else b"{}"


def platform(experiment: Path) -> Profile:
    """Return the platform by whose currents an experiment's motes take energy."""
    return _platforms(plain := json.loads(_settings_file(experiment)))[plain.get("platform", PLATFORM)]


def _platforms(plain: dict) -> dict[str, Profile]:
    return profiles() | {name: Profile(**given) for name, given in plain.get("profiles", {}).items()}


def read(path: Path, settings: bytes) -> Iterator[tuple[str, pa.Table]]:
    """Yield the rows of a record or a capture by table. Raises Damaged."""
    from orchestrate_spark.sources.air import tsch
    from orchestrate_spark.sources.air.dissect import Settings, dissect

    plain = json.loads(settings.partition(b"\n")[2])
    made = dissect(path, Settings.of(plain))
    yield from made.tables.items()
    yield from tsch.tables(made.tables["frames"], made.tables["receptions"], plain).items()
    if made.tables["radio_states"].num_rows:
        chosen = plain.get("platform", PLATFORM)
        rows = [
            {
                "platform": profile.name,
                "volts": profile.volts,
                **{f"{state}_ma": profile.currents_ma.get(state, 0.0) for state in ("transmit", "listen")},
                **{f"{state}_ma": profile.currents_ma.get(state) for state in ("cpu", "lpm", "deep_lpm")},
                "chosen": profile.name == chosen,
            }
            for profile in _platforms(plain).values()
        ]
        schema = pa.schema([(name, kind) for name, kind in TABLES["platforms"]])
        yield "platforms", pa.Table.from_pylist(rows, schema)
    if made.warning:
        raise Damaged(made.warning.removeprefix(f"{path}: "))  # who catches it names the file
