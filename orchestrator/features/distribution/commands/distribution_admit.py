# SPDX-License-Identifier: Apache-2.0
"""orchestrate distribution admit: one more target, while the system runs."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator.features.distribution.admission import Admission
    from orchestrator.features.distribution.model import System, Timing

DESCRIPTION = """Judge whether a running system can take one more target: the new deadline of the
distribution, and whether all deadlines are still held. The deadline OV_i - P_i,
which is safe for any target, is shown beside the exact one. The exit code is 1
if the target is not admitted.

  orchestrate distribution admit system.yaml --target Torpedo \\
      --distribution data-1-to-targets --node node-2 --period "300 ms" \\
      --target-release "80 ms" --deadline "30 ms" --execution "1 ms"

The steps of the path are taken as they are; those with `each-target` run once
more."""
_TIMES = {
    "period": "its period",
    "target-release": "its release in the period (default: 0 us)",
    "deadline": "its deadline from the release",
    "execution": "its worst-case execution time",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `orchestrate distribution admit`."""
    parser.add_argument("--target", required=True, metavar="NAME", help="the new target's name")
    parser.add_argument("--distribution", required=True, metavar="NAME", help="from which it gets its data")
    parser.add_argument("--node", required=True, metavar="NAME", help="the node that it runs on")
    for name, text in _TIMES.items():
        parser.add_argument(
            f"--{name}",
            metavar="TIME",
            help=text,
            **({"default": "0 us"} if name == "target-release" else {"required": True}),
        )


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate distribution admit`; return 1 if the target is refused."""
    from orchestrator.features.distribution.admission import admit
    from orchestrator.features.distribution.commands.distribution_common import described, reading, us
    from orchestrator.features.distribution.load import load
    from orchestrator.features.distribution.model import Target

    system = load(args.file)
    timing = _timing(args, system)
    distribution = system.distributions[args.distribution]
    admission = admit(
        system, Target(args.target, args.node, distribution.object, timing), distribution.name, reading(args)
    )
    late = (
        []
        if admission.verdict is None or admission.verdict.impossible
        else [bound.task.name for bound in admission.verdict.bounds if not bound.held]
    )
    if args.json:
        content = {
            "admitted": admission.admitted,
            "deadline_before": admission.before,
            "quick_deadline": admission.exact.quick,
            "deadline": described(admission.exact),
            "overloaded": list(admission.overloaded),
            "not_held": late,
        }
        print(json.dumps(content, indent=2))
    else:
        print(
            f"The deadline of {distribution.name} was {us(admission.before)} us; with {args.target} it is "
            f"{us(admission.exact.deadline) or 'none'}{' us' if admission.exact.deadline else ''}. The quick "
            f"one, OV_i - P_i, would be {us(admission.exact.quick)} us."
        )
        print(f"{args.target} is {_decided(admission, late)}.")
    return 0 if admission.admitted else 1


def _decided(admission: Admission, late: list[str]) -> str:
    if admission.admitted:
        return "admitted: all deadlines are held"
    if admission.overloaded:
        return f"refused: {', '.join(admission.overloaded)} would have more to do than time"
    if late:
        return f"refused: {', '.join(late[:5])} would not be shown to hold their deadlines"
    return "refused: no deadline would keep its data valid"


def _timing(args: argparse.Namespace, system: System) -> Timing:
    """Return the scheduling parameters of the command line. Raises WrongUsage with all faults."""
    from orchestrator.features.distribution import settings
    from orchestrator.features.distribution.judge import timing_faults
    from orchestrator.features.distribution.model import Timing
    from orchestrator.vocabulary.document import Scalar
    from orchestrator.vocabulary.faults import Faults
    from orchestrator.vocabulary.parameters import check
    from orchestrator.words import did_you_mean

    faults = Faults("")
    for what, name, names in (
        ("node", args.node, system.nodes),
        ("distribution", args.distribution, system.distributions),
    ):
        if name not in names:
            faults.add(0, f"there is no {what} {name!r}", did_you_mean(name, names))
    if not settings.NAME.fullmatch(args.target):
        faults.add(0, f"--target: {args.target!r} is not a valid name", settings.NAME_REMEDY)
    elif args.target in system.lines:
        faults.add(0, f"--target: {args.target} is in the file already", "give it another name")
    values = {}
    for declared in settings.TIMING:
        option = "target-release" if declared.name == "release" else declared.name
        written = getattr(args, option.replace("-", "_"))
        values[declared.name] = check(declared, Scalar(written, 0), f"--{option}", faults)
    faults.raise_usage()
    timing = Timing(values["period"], values["release"], values["deadline"], values["execution"])
    for what, remedy in timing_faults(timing, f"target {args.target}"):
        faults.add(0, what, remedy)
    faults.raise_usage()
    return timing
