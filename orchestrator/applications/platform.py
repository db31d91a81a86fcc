# SPDX-License-Identifier: Apache-2.0
"""Parameters of the embedded Contiki that every application has without declaring them.

No Contiki-NG tree has them.

The parameters are the recipe's (`contiki-apps/Makefile.embedded`). One that is left at its default is not
part of a run's identity.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orchestrator.applications.extension import undeclared
from orchestrator.vocabulary.parameters import Parameter

PLATFORM = "platform"
COOJA, SKY = "cooja", "sky"  # make's targets
PARAMETERS = {
    PLATFORM: Parameter(
        PLATFORM,
        "choice",
        COOJA,
        choices=(COOJA, SKY),
        help="Cooja's motes, compiled for this machine, or emulated Tmote Skys, whose processor executes "
        "each instruction",
    ),
    "clock": Parameter(
        "clock",
        "choice",
        "1000",
        choices=("1000", "128"),
        help="ticks a second of each mote's clock: Cooja's, or as on Contiki's AVR boards; a Tmote Sky's has "
        "128",
    ),
    "clock-phase": Parameter(
        "clock-phase",
        "choice",
        "in-step",
        choices=("in-step", "drawn"),
        help="the ticks of all motes come together, or each mote's part of a tick earlier, drawn from seed "
        "and id",
    ),
    "cca-threshold": Parameter(
        "cca-threshold",
        "choice",
        "-95",
        choices=("-96", "-95", "-76"),
        help="dBm, above which carrier sense finds the channel busy: on UDGM, -96 as far as a sender "
        "interferes, -95 (Cooja's) as far as it is received, -76 over 78 % of that",
    ),
}
BUILD = {
    PLATFORM: {COOJA: {}, SKY: {"TARGET": SKY}},
    "clock": {"1000": {}, "128": {"CLOCK": "128"}},
    "clock-phase": {"in-step": {}, "drawn": {"PHASE": "drawn"}},
    "cca-threshold": {"-96": {"CCA": "-96"}, "-95": {}, "-76": {"CCA": "-76"}},
}
# Make variables that only the embedded Contiki obeys: (variable, value or None for any) -> why.
_EMBEDDED_ONLY = {
    ("MAC", "radio-csma"): "its back-offs of 320 us need waits that Contiki-NG on Cooja has not",
    ("CLOCK", None): "a Contiki-NG tree's clock is its platform's",
    ("PHASE", None): "a Contiki-NG tree's clock is its platform's",
    ("TARGET", None): "a Contiki-NG tree has its own port of the platform",
    ("CCA", None): "the carrier sense of Contiki-NG on Cooja has a fixed threshold of -95 dBm",
}


def target(variant: Mapping[str, str]) -> str:
    """Return make's target of a variant of the firmware."""
    return variant.get("TARGET", COOJA)


def not_on_sky(variant: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the parameters, and why, that a variant's firmware for a Tmote Sky can't have."""
    if target(variant) != SKY:
        return
    for name, parameter, why in (
        ("PHASE", "clock-phase", "each board's clock has its own phase, from its boot"),
        ("CCA", "cca-threshold", "the CC2420 has its own threshold, -77 dBm"),
    ):
        if name in variant:
            yield parameter, why
    if variant.get("MAC") == "radio-csma":
        yield "mac", "the CC2420 doesn't contend by itself, as radio-csma does"


def kept(
    application: str, parameters: Mapping[str, object], declared: Mapping[str, Parameter]
) -> dict[str, object]:
    """Return an application's parameters without the undeclared ones that have their defaults."""
    implied = PARAMETERS | undeclared(application)
    return {
        name: value
        for name, value in parameters.items()
        if declared[name] is not implied.get(name) or value != declared[name].default
    }


def embedded_only(variant: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the make variables, as NAME=VALUE, that no Contiki-NG tree obeys, and why."""
    for name, value in variant.items():
        if why := _EMBEDDED_ONLY.get((name, value)) or _EMBEDDED_ONLY.get((name, None)):
            yield f"{name}={value}", why
