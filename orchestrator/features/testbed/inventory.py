# SPDX-License-Identifier: Apache-2.0
"""Reads an inventory, or reports all of its faults at once, each with its line."""

from __future__ import annotations

from pathlib import Path

from orchestrate_testbed.model import Board, Endpoint, Gateway, Lab, Mote

from orchestrator.features.testbed import settings
from orchestrator.features.testbed.fields import Fields, entries, lengths
from orchestrator.features.testbed.layouts import layouts
from orchestrator.vocabulary import document
from orchestrator.vocabulary.document import Mapping, Node, wrong_kind
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.fields import known_keys, own_name
from orchestrator.vocabulary.parameters import check
from orchestrator.vocabulary.units import short
from orchestrator.words import did_you_mean

MOST_BYTES, MOST_NODES = 4 << 20, 250_000  # 10,000 motes of some 300 bytes and 20 values
_REMEDY = "`orchestrate testbed init` writes one; docs/testbed.md describes it"


def load(path: Path) -> Lab:
    """Return the lab that an inventory describes. Raises NoSuchThing, or FaultyInput with all faults."""
    path = Path(path)
    text, _, faults = document.read(path, "inventory", _REMEDY, MOST_BYTES)
    nothing = "the file holds no inventory"
    root = document.mapping(text, faults, nothing, _REMEDY, MOST_BYTES, MOST_NODES)
    lab = _Reader(path, root, faults).lab()
    faults.raise_any()
    return lab


class _Reader:
    """Reads one file; what is wrong goes to `faults`."""

    def __init__(self, path: Path, root: Mapping, faults: Faults):
        self.path, self.root, self.faults = path, root, faults
        self.jumps: dict[str, Fields] = {}
        self.gateways: dict[str, Gateway] = {}
        self.boards: dict[str, Board] = {}
        self.motes: dict[str, Mote] = {}

    def lab(self) -> Lab:
        root, faults = self.root, self.faults
        known_keys(root, "", settings.SECTIONS, faults)
        name = own_name(
            root, "lab", settings.LAB, settings.LAB_REMEDY, faults, "its records are kept under it"
        )
        self.defaults = self.read_defaults()
        for jump, node in entries(root, "jump-hosts", settings.MOST_GATEWAYS, faults):
            self.jumps[jump] = Fields(f"jump host {jump}", node, None, settings.SERVER, {}, faults)
        self.read_gateways()
        self.read_boards()
        self.read_motes()
        placed = layouts(root, self.boards, self.motes, faults)
        failures, hosts = root.get("failures"), root.get("known-hosts")
        given = None if hosts is None else check(settings.KNOWN_HOSTS, hosts, "known-hosts", faults)
        return Lab(
            name,
            tuple(self.gateways.values()),
            tuple(self.motes.values()),
            tuple(self.boards.values()),
            tuple(placed),
            self.path.parent / (Path(given).expanduser() if given else f"{name}.known_hosts"),
            settings.FAILURES.default
            if failures is None
            else check(settings.FAILURES, failures, "failures", faults),
        )

    def read_defaults(self) -> dict[str, Mapping | None]:
        """Return the keys that all entries of a kind have in common, by kind."""
        section = self.root.get("defaults")
        defaults = dict.fromkeys(("gateway", "mote"))
        if isinstance(section, Mapping):
            known_keys(section, "defaults: ", defaults, self.faults)
            return {kind: self.default(kind, section.get(kind)) for kind in defaults}
        if section is not None:
            wrong_kind(section, "defaults", "write `gateway:` below it", self.faults)
        return defaults

    def default(self, kind: str, node: Node | None) -> Mapping | None:
        if node is None:
            return None
        allowed = dict.fromkeys(
            settings.GATEWAY if kind == "gateway" else [*settings.MOTE, *settings.COMMANDS, settings.OPTIONS],
            "",
        )
        for own in settings.OF_ONE:
            allowed.pop(own, None)
        if not isinstance(node, Mapping):
            wrong_kind(node, f"defaults: {kind}", "write `{KEY: VALUE}`", self.faults)
            return None
        known_keys(node, f"defaults: {kind}: ", allowed, self.faults)
        return Mapping(tuple(pair for pair in node if pair[0].text in allowed), node.line)

    # -- servers

    def read_gateways(self) -> None:
        faults = self.faults
        ends = {name: self.endpoint(name, fields, (name,)) for name, fields in self.jumps.items()}
        addresses: dict[tuple[str, int, str], str] = {}
        for name, node in entries(self.root, "gateways", settings.MOST_GATEWAYS, faults):
            if name in self.jumps:
                faults.add(node.line, f"gateway {name} has a jump host's name", "give one of them another")
            fields = Fields(f"gateway {name}", node, self.defaults["gateway"], settings.GATEWAY, {}, faults)
            root = fields.formed("root", settings.ROOT, "name a folder in the user's home, without `..`")
            address = (fields["host"], fields["port"], fields["jump"])
            if fields["host"] and address in addresses:
                fields.fault(
                    "host",
                    f"gateway {addresses[address]} has the same address",
                    "list each gateway once",
                )
            addresses.setdefault(address, name)
            python = fields["python"]
            if python and python != settings.NO_PYTHON:
                fields.formed("python", settings.PATH, "name a program, such as python3, or none")
            self.gateways[name] = Gateway(
                name,
                self.endpoint(name, fields, (), ends),
                root[0].rstrip("/") if root else settings.USUAL_ROOT,
                None if python == settings.NO_PYTHON else python,
                bool(fields["spare"]),
            )
        if self.root.get("gateways") is None:
            faults.add(self.root.line, "no gateways", "add `gateways:` and below it `G1: {host: ADDRESS}`")

    def endpoint(
        self,
        name: str,
        fields: Fields,
        through: tuple[str, ...],
        endpoints: dict[str, Endpoint] | None = None,
    ) -> Endpoint:
        """Return the server of an entry.

        `through`: the jump hosts on the way, none of which may come again.
        """
        jump = None
        named = fields["jump"]
        if named and named not in self.jumps:
            if self.jumps:
                remedy = did_you_mean(named, self.jumps)
            else:
                remedy = "add `jump-hosts:` with it"
            fields.fault("jump", f"jump host {short(named)} isn't in the inventory", remedy)
        elif named in through:
            fields.fault(
                "jump", f"{' -> '.join((*through, named))} comes back to itself", "one of them needs no jump"
            )
        elif named:
            jump = (
                endpoints[named] if endpoints else self.endpoint(named, self.jumps[named], (*through, named))
            )
        fields.formed("host", settings.HOST, "write a host's name or address, without user or port")
        user = fields.formed("user", settings.NAME, "write a user's name on that server")
        key = fields["key"]
        return Endpoint(
            name,
            fields["host"] or "",
            fields["port"] or settings.SSH_PORT,
            user[0] if user else None,
            self.path.parent / Path(key).expanduser() if key else None,
            jump,
        )

    # -- boards and motes

    def read_boards(self) -> None:
        for name, node in entries(self.root, "boards", settings.MOST_GATEWAYS, self.faults):
            fields = Fields(f"board {name}", node, None, settings.BOARD, {}, self.faults)
            self.known_gateway(fields)
            size = fields.formed("size", settings.SIZE, "write rows x columns, such as 2 x 4")
            spacing = fields["spacing"] or ""
            between = (
                lengths(
                    spacing, fields.at("spacing"), f"board {name}: spacing", settings.SPACING, self.faults
                )
                if spacing
                else []
            )
            if len(between) > 2 or any(not 0 < each <= settings.FAR for each in between):
                fields.fault(
                    "spacing", f"spacing {short(spacing)} is not valid", "write 20 cm, or 20 cm x 30 cm"
                )
                between = []
            if size and between:
                self.boards[name] = Board(
                    name, fields["gateway"] or "", int(size[1]), int(size[2]), (between[0], between[-1])
                )

    def known_gateway(self, fields: Fields) -> None:
        gateway = fields["gateway"]
        if gateway and gateway not in self.gateways:
            fields.fault(
                "gateway",
                f"gateway {short(gateway)} isn't in the inventory",
                did_you_mean(gateway, self.gateways),
            )

    def read_motes(self) -> None:
        by_eui: dict[str, str] = {}
        by_device: dict[tuple[str, str], str] = {}
        by_place: dict[tuple[str, tuple[int, int]], str] = {}
        for name, node in entries(self.root, "motes", settings.MOST_MOTES, self.faults):
            fields = Fields(
                f"mote {name}", node, self.defaults["mote"], settings.MOTE, settings.COMMANDS, self.faults
            )
            mote = self.motes[name] = self.mote(name, fields)
            for key, what, seen, twice in (
                ("eui64", "EUI-64", by_eui, mote.eui64),
                ("device", "device", by_device, (mote.gateway, mote.device) if mote.device else None),
                ("place", "place", by_place, (mote.board, mote.place) if mote.place else None),
            ):
                if not twice:
                    continue
                if twice in seen:
                    fields.fault(key, f"mote {seen[twice]} has the same {what}", "list each mote once")
                seen.setdefault(twice, name)
        if self.root.get("motes") is None:
            self.faults.add(self.root.line, "no motes", "add `motes:` and below it `M1: {...}`")

    def mote(self, name: str, fields: Fields) -> Mote:
        board, place, x, y = self.position(fields)
        self.known_gateway(fields)
        gateway = self.boards[board].gateway if board in self.boards else fields["gateway"]
        if not board and not gateway:
            fields.fault("gateway", "neither on a board nor behind a gateway", "add `board:` and `place:`")
        platform = fields.formed("platform", settings.PLATFORM, "name it as Contiki does, such as sky")
        eui = fields.formed("eui64", settings.EUI64, "write eight bytes, such as 00:12:74:00:0e:d1:ab:01")
        eui64 = "".join(digit for digit in eui[0].lower() if digit.isalnum()) if eui else ""
        if eui64 in ("0" * 16, "f" * 16):
            fields.fault("eui64", f"eui64 {eui64} is no mote's", "write the one on its label")
        self.device(fields)
        tool = fields.formed("tool", settings.NAME, "name a flashing tool")
        if tool and tool[0] == "command" and not fields["flash"]:
            fields.fault("tool", "the tool command needs one", "add `flash: TOOL {device} {firmware}`")
        return Mote(
            name,
            gateway or "",
            platform[0] if platform else "",
            fields["device"] or "",
            eui64,
            board or None,
            place,
            x,
            y,
            bool(fields["movable"]),
            bool(fields["spare"]),
            fields["baud"] or settings.USUAL_BAUD,
            tool[0] if tool else None,
            fields.options(),
            fields["flash"],
            fields["reset"],
            fields["power-on"],
            fields["power-off"],
        )

    def device(self, fields: Fields) -> None:
        path = fields["device"]
        if path and settings.NUMBERED.fullmatch(path):
            fields.fault(
                "device",
                f"{path} is a number, which changes when motes are plugged",
                "write the device by id: `ls /dev/serial/by-id` on the gateway lists them",
            )
        else:
            fields.formed("device", settings.PATH, "write a path such as /dev/serial/by-id/usb-XBOW_...-if00")

    def position(self, fields: Fields) -> tuple[str, tuple[int, int] | None, float, float]:
        """Return a mote's board, its place there, and its coordinates in m."""
        named = fields["board"] or ""
        if not named:
            if fields["place"]:
                fields.fault("place", "a place without a board", "add `board:`")
            return "", None, fields["x"] or 0.0, fields["y"] or 0.0
        if fields.given("gateway") and named in self.boards:
            if self.boards[named].gateway != fields["gateway"]:
                fields.fault(
                    "gateway",
                    f"gateway {fields['gateway']}, but board {named} is behind {self.boards[named].gateway}",
                    "remove one of them",
                )
        for key in ("x", "y"):
            if fields.given(key):
                fields.fault(key, f"{key} of a mote on a board", "its place there says where it stands")
        board = self.boards.get(named)
        if board is None:
            section = self.root.get("boards")
            written = isinstance(section, Mapping) and section.get(named) is not None
            if not written:  # a faulty board is noted already
                fields.fault(
                    "board", f"board {short(named)} isn't in the inventory", did_you_mean(named, self.boards)
                )
            return named, None, 0.0, 0.0
        place = fields.formed("place", settings.PLACE, "write row, column, such as 1, 3")
        if place is None:
            if not fields["place"]:
                fields.fault("place", f"no place on board {named}", "add `place: ROW, COLUMN`")
            return named, None, 0.0, 0.0
        row, column = int(place[1]), int(place[2])
        if row > board.rows or column > board.columns:
            fields.fault(
                "place",
                f"board {named} has no place {row}, {column}",
                f"it has {board.rows} x {board.columns}",
            )
        return named, (row, column), (column - 1) * board.spacing[0], (row - 1) * board.spacing[1]
