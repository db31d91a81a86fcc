# SPDX-License-Identifier: Apache-2.0
"""What each mote did on the air, for `orchestrate show`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


class AirView:
    """Delivery, latency, radio and parent by mote; nothing for a run without a record of the air."""

    tables = ("radio_states", "traffic", "datagrams", "rpl", "platforms")

    def rows(self, tables: Mapping[str, pa.Table], names: Mapping[int, str]) -> dict[str, list[dict]]:
        """Return a dict for each mote; times in us, what is not known is None."""
        from orchestrate_spark.sources.air import APPLICATIONS, ENDED

        from orchestrator.features.air.routing import announced

        states, traffic, datagrams, rpl, platforms = (tables[name].to_pandas() for name in self.tables)
        sent = datagrams[datagrams["protocol"].isin(APPLICATIONS) & datagrams["fate"].isin(ENDED)]
        changes = announced(rpl)
        chosen = next(platforms[platforms["chosen"].astype(bool)].itertuples(), None)
        motes = []
        for mote in sorted({*states["mote"], *traffic["mote"]}):
            times = states[states["mote"] == mote].groupby("state")["time_us"].sum()
            whole, off, sending = times.sum(), times.get("off", 0), times.get("transmitting", 0)
            listening = whole - off - sending
            mine, own = sent[sent["origin"] == mote], traffic[traffic["mote"] == mote]
            arrived, parents = mine[mine["fate"] == "delivered"], changes[changes["mote"] == mote]["parent"]
            latency = (arrived["end_us"] - arrived["t_us"]).mean()
            charge = None if chosen is None else sending * chosen.transmit_ma + listening * chosen.listen_ma
            motes.append(
                {
                    "mote": names.get(mote, f"mote {mote}"),
                    "datagrams": len(mine),
                    "delivered": len(arrived),
                    "latency_us": float(latency) if len(arrived) else None,
                    "frames": int(own["frames"].sum()),
                    "bytes": int(own["bytes"].sum()),
                    "duty_cycle": float((whole - off) / whole) if whole else None,
                    "energy_mj": None if charge is None or not whole else float(charge * chosen.volts / 1e6),
                    "platform": None if chosen is None else chosen.platform,
                    "parent": names.get(parents.iloc[-1], str(parents.iloc[-1])) if len(parents) else None,
                    "parent_changes": max(len(parents) - 1, 0),
                }
            )
        return {"air": motes}

    def shown(self, rows: Mapping[str, Any]) -> Iterator:
        """Yield the table of these rows."""
        from orchestrator.cli.numbers import count, decimal, milliseconds
        from orchestrator.cli.tables import Column, Table, numbers

        motes = rows["air"]
        if not motes:
            return
        columns = (
            Column("mote", key=True),
            *numbers("datagrams", "delivered", "latency, ms", "frames", "bytes", "radio on, %", "energy, mJ"),
            Column("parent"),
            *numbers("changes"),
        )
        entries = [
            (
                row["mote"],
                count(row["datagrams"]),
                count(row["delivered"]),
                milliseconds(row["latency_us"]),
                count(row["frames"]),
                count(row["bytes"]),
                None if row["duty_cycle"] is None else decimal(100 * row["duty_cycle"], 3),
                decimal(row["energy_mj"], 1),
                row["parent"],
                count(row["parent_changes"]),
            )
            for row in motes
        ]
        platform = motes[0]["platform"]
        note = f"energy: the transceiver's, with the currents of {platform}" if platform else ""
        yield Table("On the air: unicast datagrams by origin, frames by sender", columns, entries, note)


VIEW = AirView()
