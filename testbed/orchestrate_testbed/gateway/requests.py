# SPDX-License-Identifier: Apache-2.0
"""The requests of the controller, one function each, which checks its arguments."""

from __future__ import annotations

import hashlib
import os
import platform

from orchestrate_testbed.gateway import clocks, flash, forwarder, protocol, service
from orchestrate_testbed.gateway.daemon import Daemon
from orchestrate_testbed.gateway.protocol import Refusal


def hello(daemon: Daemon, asked: dict) -> dict:
    """Tell who answers."""
    return {
        "protocol": protocol.VERSION,
        "daemon": daemon.digest,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "system": platform.release(),
        "pid": os.getpid(),
        "boot": clocks.boot(),
        "started_us": daemon.started_us,
        "tools": flash.tools(),
    }


def clock(daemon: Daemon, asked: dict) -> dict:
    """Return both clocks when the request came; the answer's `sent_us` is added when it is sent."""
    return {
        "received_us": daemon.received_us,
        "wall_us": clocks.wall_us(),
        "boot": clocks.boot(),
        "sent_us": clocks.monotonic_us(),
    }


def open_(daemon: Daemon, asked: dict) -> dict:
    """Log a mote."""
    run, mote = protocol.name(asked, "run"), protocol.name(asked, "mote")
    device = protocol.text(asked, "device")
    return daemon.runs.open(run, mote, device, protocol.number(asked, "baud", 1, 1 << 24))


def close(daemon: Daemon, asked: dict) -> dict:
    """End the logging of a mote, or of a whole run."""
    run, mote = protocol.name(asked, "run"), protocol.name(asked, "mote") if "mote" in asked else None
    daemon.doors.close(run, mote)
    daemon.runs.close(run, mote)
    return {}


def status(daemon: Daemon, asked: dict) -> dict:
    """Return the status of a run, or the list of runs, with the alarms."""
    if "run" in asked:
        run = protocol.name(asked, "run")
        found = dict(daemon.doors.status(run), motes=daemon.runs.status(run))
    else:
        found = {"runs": daemon.runs.on_disk()}
    return dict(found, alarms=daemon.alarms(), free=daemon.disk.free, used=daemon.disk.used)


def write(daemon: Daemon, asked: dict) -> dict:
    """Send bytes to a mote, and note this in its log."""
    content = protocol.data(asked, "data")
    port = daemon.runs.port(protocol.name(asked, "run"), protocol.name(asked, "mote"))
    port.write(content)
    port.log.note(event="written", bytes=len(content), data=protocol.packed(content[:256]))
    return {"written": len(content)}


def fetch(daemon: Daemon, asked: dict) -> dict:
    """Return a part of a mote's log, with its checksum."""
    run, mote = protocol.name(asked, "run"), protocol.name(asked, "mote")
    number = protocol.number(asked, "segment", 1, 999999)
    offset = protocol.number(asked, "offset", 0, 1 << 62)
    length = protocol.number(asked, "length", 1, protocol.MOST_FETCHED)
    content = daemon.runs.read(run, mote, number, offset, length)
    return {"data": protocol.packed(content), "sha256": hashlib.sha256(content).hexdigest()}


def digest(daemon: Daemon, asked: dict) -> dict:
    """Return the SHA-256 of the beginning of a mote's log."""
    run, mote = protocol.name(asked, "run"), protocol.name(asked, "mote")
    number = protocol.number(asked, "segment", 1, 999999)
    return {"sha256": daemon.runs.digest(run, mote, number, protocol.number(asked, "length", 0, 1 << 62))}


def remove(daemon: Daemon, asked: dict) -> dict:
    """Remove a run and its logs."""
    run = protocol.name(asked, "run")
    daemon.doors.close(run)
    daemon.runs.remove(run)
    return {}


def keep(daemon: Daemon, asked: dict) -> dict:
    """Keep a text with a run: whoever collects the run gets it back. It goes with the run's logs."""
    daemon.runs.keep(protocol.name(asked, "run"), protocol.text(asked, "text", longest=protocol.MOST_KEPT))
    return {}


def kept(daemon: Daemon, asked: dict) -> dict:
    """Return what was kept with a run, or an empty text."""
    return {"text": daemon.runs.kept(protocol.name(asked, "run"))}


def forward(daemon: Daemon, asked: dict) -> dict:
    """Offer a mote's port on TCP."""
    run, mote = protocol.name(asked, "run"), protocol.name(asked, "mote")
    manner = protocol.text(asked, "manner", "raw")
    if manner not in forwarder.MANNERS:
        text = "'manner' has to be one of: {}.".format(", ".join(forwarder.MANNERS))
        raise Refusal("malformed", text)
    address = protocol.text(asked, "address", "127.0.0.1")
    return daemon.doors.forward(run, mote, address, protocol.number(asked, "port", 0, 65535, 0), manner)


def serve(daemon: Daemon, asked: dict) -> dict:
    """Start a service on base stations of a run."""
    daemon.doors.serve(*service.named(asked))
    return {}


def stop(daemon: Daemon, asked: dict) -> dict:
    """End the daemon; the logs stay."""
    daemon.stop()
    return {}


TABLE = {
    "hello": hello,
    "clock": clock,
    "open": open_,
    "close": close,
    "status": status,
    "write": write,
    "fetch": fetch,
    "digest": digest,
    "remove": remove,
    "keep": keep,
    "kept": kept,
    "forward": forward,
    "serve": serve,
    "flash": flash.request,
    "image": flash.send_image,
    "stop": stop,
}
