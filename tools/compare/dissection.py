# SPDX-License-Identifier: Apache-2.0
"""Compares the dissector with tshark, frame by frame and field by field, on captures that the user names.

    python -m tools.compare.dissection CAPTURE|FOLDER... [--key INDEX:HEX]... [--show N]

A folder stands for all captures (*.pcap) below it, so that
`orchestrate simulate TREE/tests --contiki TREE --radio --logdir OUT` and
`python -m tools.compare.dissection OUT` compare on every frame of a Contiki-NG tree's own tests. tshark is
Debian's package of that name. The exit code is 1 if a field differs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from orchestrate_spark.sources.air.dissect import Settings, dissect

AGAIN = "\x1e"  # between several values of a field in one frame
FRAME_TYPES = {"0": "beacon", "1": "data", "2": "ack", "3": "command"}
COAP_TYPES = {"0": "con", "1": "non", "2": "ack", "3": "rst"}
SIXP_TYPES = {"0": "request", "1": "response", "2": "confirmation"}
IP_IN_IP = "41"
AUTHENTICATED = (1, 2, 3)  # levels of security without encryption


class Pair(NamedTuple):
    """A column of ours, tshark's fields (the first that is there counts), and what their text means."""

    column: str
    fields: tuple[str, ...]
    meaning: Callable[[str], Any] = lambda text: int(text, 0)


def _same(text: str) -> str:
    return text


def _flag(text: str) -> bool:
    return text in ("1", "True")


def _colons(text: str) -> str:
    return text.replace(":", "")


def _code(text: str) -> str:
    return f"{int(text) >> 5}.{int(text) & 31:02d}"


def _microseconds(text: str) -> int:
    return int(text)


LINK = (
    Pair("type", ("wpan.frame_type",), lambda text: FRAME_TYPES.get(str(int(text, 0)), "other")),
    Pair("version", ("wpan.version",)),
    Pair("seq", ("wpan.seq_no",)),
    Pair("pan", ("wpan.dst_pan", "wpan.src_pan")),
    Pair("src", ("wpan.src64", "wpan.src16"), _same),
    Pair("dst", ("wpan.dst64", "wpan.dst16"), _same),
    Pair("ack_request", ("wpan.ack_request",), _flag),
    Pair("pending", ("wpan.pending",), _flag),
    Pair("key_index", ("wpan.aux_sec.key_index",)),
    Pair("frame_counter", ("wpan.aux_sec.frame_counter",)),
    Pair("command", ("wpan.cmd",)),
    Pair("asn", ("wpan.tsch.asn",)),
    Pair("join_metric", ("wpan.tsch.join_metric",)),
    Pair("time_correction_us", ("wpan.header_ie.time_correction.value",), _microseconds),
    Pair("sixp_type", ("wpan.6top_type",), lambda text: SIXP_TYPES.get(str(int(text, 0)), "reserved")),
    Pair("sixp_code", ("wpan.6top_code",)),
    Pair("sixp_sfid", ("wpan.6top_sfid",)),
    Pair("sixp_seq", ("wpan.6top_seqnum",)),
    Pair("frag_tag", ("6lowpan.frag.tag",)),
    Pair("frag_size", ("6lowpan.frag.size",)),
)
INTERNET = (
    Pair("ip_src", ("ipv6.src",), _same),
    Pair("ip_dst", ("ipv6.dst",), _same),
    Pair("hop_limit", ("ipv6.hlim",)),
    Pair("next_header", ("ipv6.nxt",)),
    Pair("ip_length", ("ipv6.plen",)),
    Pair("segments_left", ("ipv6.routing.segleft",)),
    Pair("sender_rank", ("ipv6.opt.rpl.sender_rank",)),
    Pair("rpl_flags", ("ipv6.opt.rpl.flag",)),
    Pair("src_port", ("udp.srcport", "tcp.srcport")),
    Pair("dst_port", ("udp.dstport", "tcp.dstport")),
    Pair("icmp_type", ("icmpv6.type",)),
    Pair("icmp_code", ("icmpv6.code",)),
    Pair("echo_id", ("icmpv6.echo.identifier",)),
    Pair("echo_seq", ("icmpv6.echo.sequence_number",)),
    Pair(
        "nd_target",
        ("icmpv6.nd.ns.target_address", "icmpv6.nd.na.target_address"),
        _same,
    ),
    Pair("rank", ("icmpv6.rpl.dio.rank",)),
    Pair("tcp_seq", ("tcp.seq_raw",)),
    Pair("tcp_ack", ("tcp.ack_raw",)),
    Pair("tcp_flags", ("tcp.flags",)),
    Pair("coap_type", ("coap.type",), lambda text: COAP_TYPES[text]),
    Pair("coap_code", ("coap.code",), _code),
    Pair("coap_mid", ("coap.mid",)),
    Pair("coap_token", ("coap.token",), _colons),
)
RPL = (
    Pair("instance", ("icmpv6.rpl.dio.instance", "icmpv6.rpl.dao.instance", "icmpv6.rpl.daoack.instance")),
    Pair("version", ("icmpv6.rpl.dio.version",)),
    Pair("rank", ("icmpv6.rpl.dio.rank",)),
    Pair("dtsn", ("icmpv6.rpl.dio.dtsn",)),
    Pair("grounded", ("icmpv6.rpl.dio.flag.g",), _flag),
    Pair("mop", ("icmpv6.rpl.dio.flag.mop",)),
    Pair("preference", ("icmpv6.rpl.dio.flag.preference",)),
    Pair("dodag", ("icmpv6.rpl.dio.dagid", "icmpv6.rpl.dao.dodagid", "icmpv6.rpl.daoack.dodagid"), _same),
    Pair("sequence", ("icmpv6.rpl.dao.sequence", "icmpv6.rpl.daoack.sequence")),
    Pair("ack_request", ("icmpv6.rpl.dao.flag.k",), _flag),
    Pair("status", ("icmpv6.rpl.daoack.status",)),
    Pair("target_length", ("icmpv6.rpl.opt.target.prefix_length",)),
    Pair("parent", ("icmpv6.rpl.opt.transit.parent",), _same),
    Pair("path_sequence", ("icmpv6.rpl.opt.transit.pathseq",)),
    Pair("path_lifetime", ("icmpv6.rpl.opt.transit.pathlifetime",)),
    Pair("interval_doublings", ("icmpv6.rpl.opt.config.interval_double",)),
    Pair("interval_min", ("icmpv6.rpl.opt.config.interval_min",)),
    Pair("redundancy", ("icmpv6.rpl.opt.config.redundancy",)),
    Pair("max_rank_increase", ("icmpv6.rpl.opt.config.max_rank_inc",)),
    Pair("min_hop_rank_increase", ("icmpv6.rpl.opt.config.min_hop_rank_inc",)),
    Pair("ocp", ("icmpv6.rpl.opt.config.ocp",)),
    Pair("default_lifetime", ("icmpv6.rpl.opt.config.def_lifetime",)),
    Pair("lifetime_unit", ("icmpv6.rpl.opt.config.lifetime_unit",)),
    Pair("prefix_length", ("icmpv6.rpl.opt.prefix.length",)),
)
FIELDS = sorted({name for pair in (*LINK, *INTERNET, *RPL) for name in pair.fields})


class Difference(NamedTuple):
    """A field of which tshark says something else; `frame`: from 1, as tshark counts."""

    frame: int
    column: str
    ours: Any
    theirs: Any


def tshark(capture: Path, settings: Settings) -> Iterable[dict[str, str]]:
    """Return what tshark says of each frame: the first value of each field, of an inner packet its own."""
    command = [
        "tshark",
        "-r",
        str(capture),
        "-T",
        "fields",
        "-E",
        f"aggregator={AGAIN}",
        "-E",
        "occurrence=a",
    ]
    for number, prefix in settings.prefixes.items():
        digits = prefix.hex()
        text = ":".join(digits[i : i + 4] for i in range(0, 16, 4))
        command += ["-o", f"6lowpan.context{number}:{text}::/64"]
    for index, key in settings.keys.items():
        command += ["-o", f'uat:ieee802154_keys:"{key.hex()}","{max(index, 0)}","No hash"']
    for name in FIELDS:
        command += ["-e", name]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    for line in done.stdout.splitlines():
        values = dict(zip(FIELDS, (text.split(AGAIN) for text in line.split("\t")), strict=True))
        inner = values["ipv6.nxt"].index(IP_IN_IP) + 1 if IP_IN_IP in values["ipv6.nxt"] else 0
        yield {
            name: several[inner] if name.startswith("ipv6.") and len(several) > inner else several[0]
            for name, several in values.items()
        }


def differences(capture: Path, settings: Settings) -> tuple[int, list[Difference]]:
    """Return how many frames the capture has, and in what tshark differs.

    Of a datagram in fragments tshark shows the headers in the frame that completes it, and ours in the first.
    """
    dissected = dissect(capture, settings).tables
    frames = dissected["frames"].to_pylist()
    messages = {row["frame"]: row for row in dissected["rpl"].to_pylist()}
    found: list[Difference] = []
    number = 0
    for number, theirs in enumerate(tshark(capture, settings), 1):
        row = frames[number - 1]
        found += _differing(number, LINK, row, theirs)
        whole = row
        if row["frag_size"] is not None:
            if not theirs["ipv6.src"] or row["first_frame"] is None:
                continue
            whole = frames[row["first_frame"]]
        found += _differing(number, INTERNET, whole, theirs)
        if whole["rpl_kind"] not in (None, "other-rpl"):
            found += _differing(number, RPL, messages.get(whole["frame"], {}), theirs)
    if number != len(frames):
        found.append(Difference(0, "frames", len(frames), number))
    return number, found


def _differing(
    number: int, pairs: Iterable[Pair], row: Mapping[str, Any], theirs: Mapping[str, str]
) -> Iterable[Difference]:
    for pair in pairs:
        text = next((theirs[name] for name in pair.fields if theirs[name]), "")
        expected = pair.meaning(text) if text else None
        if expected is None and row.get("security_level") in AUTHENTICATED:
            continue  # tshark shows no more of such a frame if it can't check its MIC
        if row.get(pair.column) != expected:
            yield Difference(number, pair.column, row.get(pair.column), expected)


def main(arguments: list[str] | None = None) -> int:
    """Compare on the captures that the command line names; return the exit code."""
    parser = argparse.ArgumentParser(prog="dissection", description=__doc__.splitlines()[0])
    parser.add_argument("capture", nargs="+", type=Path)
    parser.add_argument("--key", action="append", default=[], metavar="INDEX:HEX")
    parser.add_argument("--show", type=int, default=3, metavar="N", help="differences of each column to show")
    args = parser.parse_args(arguments)
    keys = {int(index): bytes.fromhex(key) for index, _, key in (one.partition(":") for one in args.key)}
    total = differing = 0
    for given in args.capture:
        for capture in sorted(given.rglob("*.pcap")) if given.is_dir() else [given]:
            count, found = differences(capture, Settings(keys=keys))
            total += count
            differing += len({one.frame for one in found})
            print(f"{capture}: {count} frames, {len(found)} differences", flush=True)
            shown: Counter[str] = Counter()
            for one in found:
                shown[one.column] += 1
                if shown[one.column] <= args.show:
                    print(f"    frame {one.frame}, {one.column}: {one.ours!r}, tshark {one.theirs!r}")
    print(f"{total} frames, {differing} of them differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
