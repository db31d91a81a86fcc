# SPDX-License-Identifier: Apache-2.0
"""The record of a run on its gateways, from which another controller can go on with it or collect it.

It has who plays what, when the run began, when it is over, and how the gateway's clock ran against that of
the controller. It is beside the run's logs and is removed with them. Its form is checked when it is read,
because it comes from a gateway.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from orchestrate_testbed.client import ClockPair
from orchestrate_testbed.gateway import clocks, protocol

from orchestrator.csc.model import EndScript
from orchestrator.engines.model import Job
from orchestrator.features.testbed.reservation import me

PREFIX = "run"
_KEY = 16  # digits of a job's key in the name of its runs


@dataclass(frozen=True)
class Record:
    """The record of a run.

    `parts`: mote id, name, gateway, EUI-64. `epoch_us`: time 0 of the run by the monotonic clock of the
    controller, whose boot is `boot`; None while motes are being flashed. `epoch_wall_us`: the same by its
    wall clock. `first_us`, `last_us`: when the first and the last mote started. `process`: the process that
    made it. `tools`: what flashed the motes. `services`: what runs on gateways beside the logging: gateway,
    name, and the id of the mote as which it is logged.
    """

    key: str
    title: str
    seed: int
    lab: str
    layout: str
    parts: tuple[tuple[int, str, str, str], ...]
    replaced: tuple[str, ...]
    ends: EndScript
    who: str = ""
    process: str = ""
    boot: str = ""
    epoch_us: int | None = None
    epoch_wall_us: int = 0
    first_us: int = 0
    last_us: int = 0
    tools: tuple[str, ...] = ()
    services: tuple[tuple[str, str, int], ...] = ()

    def begun(self, epoch_us: int, boots: Iterable[int], tools: Iterable[str] = ()) -> Record:
        """Return the record of the run once its motes run."""
        started = list(boots) or [epoch_us]
        wall_us = time.time_ns() // 1000 - (now_us() - epoch_us)
        return replace(
            self,
            epoch_us=epoch_us,
            epoch_wall_us=wall_us,
            first_us=min(started),
            last_us=max(started),
            tools=tuple(sorted(tools)),
        )

    @property
    def same_clock(self) -> bool:
        """Whether the controller's monotonic clock is still that of the record."""
        return self.boot == clocks.boot()

    def shift_us(self) -> int:
        """By how much our monotonic clock is ahead of the record's.

        After a reboot, this is known only as exactly as the wall clock tells.
        """
        if self.same_clock or self.epoch_us is None:
            return 0
        return (time.monotonic_ns() - time.time_ns()) // 1000 + self.epoch_wall_us - self.epoch_us

    def alive(self) -> bool:
        """Whether the process that made it still runs on this machine, and is another one than this."""
        host, _, rest = self.process.partition(" ")
        pid, _, began = rest.partition(" ")
        if pid == str(os.getpid()):
            return False
        return host == os.uname().nodename and pid.isdecimal() and began != "" and _began(pid) == began


def now_us() -> int:
    """Return our monotonic clock."""
    return time.monotonic_ns() // 1000


def new(
    job: Job,
    key: str,
    lab: str,
    layout: str,
    parts: Iterable[tuple[int, str, str, str]],
    replaced: Iterable[str],
) -> Record:
    """Return the record of a run that begins now."""
    pid = str(os.getpid())
    return Record(
        key,
        job.deployment.title,
        job.seed,
        lab,
        layout,
        tuple(parts),
        tuple(replaced),
        job.deployment.ends,
        me(),
        f"{os.uname().nodename} {pid} {_began(pid)}",
        clocks.boot(),
    )


def key_of(job: Job, version: str) -> str:
    """Return what tells a job from all others, so that a second call of the same scenario finds its run."""
    digest = hashlib.sha256(f"{version}\n{job.seed}\n{job.deployment!r}".encode())
    for name, path in sorted(job.firmware.items()):
        digest.update(f"\n{name} {hashlib.sha256(path.read_bytes()).hexdigest()}".encode())
    return digest.hexdigest()


def name_of(key: str) -> str:
    """Return a new run's name on the gateways."""
    return f"{PREFIX}-{key[:_KEY]}-{time.time_ns() // 1000}"


def is_run(name: str, key: str | None = None) -> bool:
    """Return whether a name is that of a run of ours. `key`: of this job only; None for any."""
    return name.startswith(f"{PREFIX}-" if key is None else f"{PREFIX}-{key[:_KEY]}-")


def text_of(record: Record, pairs: Iterable[ClockPair]) -> str:
    """Return the text for a gateway: the record, and its own clock's comparisons."""
    listed = [[getattr(pair, field.name) for field in fields(ClockPair)] for pair in pairs]
    return json.dumps({**asdict(record), "pairs": listed}, sort_keys=True)


def read(text: str) -> tuple[Record, list[ClockPair]] | None:
    """Return the record and comparisons in a text; None if it is no record."""
    try:
        content = protocol.record(text)
        pairs = [ClockPair(*_pair(each)) for each in content.pop("pairs")]
        ends = EndScript(**content.pop("ends"))
        parts = tuple(_part(each) for each in content.pop("parts"))
        services = tuple(_service(each) for each in content.pop("services"))
        replaced, tools = (tuple(str(each) for each in content.pop(name)) for name in ("replaced", "tools"))
        record = Record(**content, ends=ends, parts=parts, replaced=replaced, tools=tools, services=services)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    numbers = (record.seed, record.epoch_wall_us, record.first_us, record.last_us, ends.timeout_us)
    texts = (record.key, record.title, record.lab, record.layout, record.who, record.process, record.boot)
    lines = (ends.success_line, ends.fail_line)
    if not all(_number(each) for each in numbers) or not all(isinstance(each, str) for each in texts):
        return None
    if not (record.epoch_us is None or _number(record.epoch_us)):
        return None
    if not all(each is None or isinstance(each, str) for each in lines):
        return None
    return record, pairs


def _pair(given: Any) -> list[Any]:
    *numbers, boot = given
    if len(numbers) != 5 or not all(_number(each) for each in numbers) or not isinstance(boot, str):
        raise ValueError("no comparison of clocks")
    return given


def _part(given: Any) -> tuple[int, str, str, str]:
    number, name, gateway, eui64 = given
    if not _number(number) or not all(isinstance(each, str) for each in (name, gateway, eui64)):
        raise ValueError("no part")
    return number, name, gateway, eui64


def _service(given: Any) -> tuple[str, str, int]:
    gateway, service, number = given
    if not _number(number) or not isinstance(gateway, str) or not isinstance(service, str):
        raise ValueError("no service")
    return gateway, service, number


def _number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 62


def _began(pid: str) -> str:
    """Return when a process began, in ticks since the boot; "" if there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
