# SPDX-License-Identifier: Apache-2.0
"""Check whether Cooja loads the radio medium of a .csc."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.csc import classes, media
from orchestrator.csc.document import named
from orchestrator.csc.faults import Faults
from orchestrator.csc.loading.motes import Motes, old_name
from orchestrator.csc.values import (
    LONG,
    check_decimal,
    check_integer,
    decimal_fault,
    integer_fault,
    java_integer,
    own_text,
)

if TYPE_CHECKING:
    from lxml.etree import _Element

_DECIMALS = frozenset((*media.UDGM_FIELDS, *media.OLD_NAMES, *media.LOGISTIC_FIELDS))
_RATIOS = frozenset({"success_ratio", "success_ratio_tx", "success_ratio_rx", "ratio"})
# Of the multi-path ray-tracing medium: any other name stops the load.
_MRM = frozenset(
    """
    apply_random snr_threshold bg_noise_mean bg_noise_var system_gain_mean system_gain_var frequency
    tx_power tx_with_gain rx_sensitivity rx_with_gain rt_disallow_direct_path rt_ignore_non_direct
    rt_fspl_on_total_length rt_max_rays rt_max_refractions rt_max_reflections rt_max_diffractions
    rt_use_scattering rt_refrac_coefficient rt_reflec_coefficient rt_diffr_coefficient
    rt_scatt_coefficient obstacle_attenuation captureEffect captureEffectPreambleDuration
    captureEffectSignalTreshold obstacles wavelength tx_antenna_gain rx_antenna_gain
    """.split()
)


def check(element: _Element, motes: Motes, faults: Faults) -> None:
    """Check whether Cooja loads the radio medium."""
    medium = named(element)
    name = medium.name
    old_name(medium, faults)
    if name not in classes.MEDIA:
        successor = classes.REMOVED_MEDIA.get(name)
        faults.faulty(
            element,
            f"radio medium {name[:80] or '(no class name)'!r} is unknown to Cooja",
            f"use {successor or classes.UDGM}",
        )
        return
    if name == classes.DIRECTED_GRAPH and element.find("edge") is not None:
        faults.note(
            element,
            "a race in Cooja: sometimes it looks for an edge's mote before it has added the mote, and does "
            "not load",
            "start it again then",
        )
    for child in element.iterchildren("*"):
        if name == classes.MRM:
            if child.tag not in _MRM:
                faults.faulty(child, f"<{child.tag[:60]}> is not a parameter of MRM", "remove it")
        elif child.tag in _DECIMALS:
            _decimal(child, faults)
        elif child.tag in ("BaseRSSIConfig", "SendRSSIConfig"):
            _known_mote(child, child.get("Mote") or "", motes, faults)
            _decimal(child, faults)
        elif child.tag == "edge" and name == classes.DIRECTED_GRAPH:
            _edge(child, motes, faults)


def _edge(element: _Element, motes: Motes, faults: Faults) -> None:
    if element.find("src") is not None:
        faults.note(
            element,
            "an edge in the form of before 2009 (<src>): Cooja looks up its motes by their names",
            "save the file with today's Cooja",
        )
        return
    source, destination = element.find("source"), element.find("dest")
    if source is not None:
        _known_mote(source, source.text or "", motes, faults)
    if source is None or destination is None or not own_text(destination):
        faults.note(
            element,
            "an edge without <source> or <dest>: Cooja ignores it and all edges after it",
            "complete or remove it",
        )
        return
    _destination(destination, motes, faults)


def _destination(element: _Element, motes: Motes, faults: Faults) -> None:
    kind = named(element)
    old_name(kind, faults)
    if kind.name != classes.DIRECTED_GRAPH_DESTINATION:
        faults.faulty(
            element,
            f"an edge of the class {kind.written[:80]!r}",
            f"use {classes.DIRECTED_GRAPH_DESTINATION}",
        )
    radio = element.find("radio")
    if radio is None:
        faults.faulty(element, "an edge without <radio>", "name the mote that it leads to")
    else:
        _known_mote(radio, (radio.text or "").strip(), motes, faults)
    for child in element:
        if child.tag in ("ratio", "signal"):
            _decimal(child, faults)
        elif child.tag in ("lqi", "channel"):
            check_integer(child, child.tag, faults)
        elif child.tag == "delay":
            check_integer(child, "delay", faults, LONG)


def _known_mote(element: _Element, text: str, motes: Motes, faults: Faults) -> None:
    fault = integer_fault(text)
    if fault:
        faults.faulty(element, f"mote: {fault}", "write the mote's id")
    elif motes.certain and java_integer(text) not in motes.ids:
        faults.faulty(element, f"mote {text} is not in the simulation", "correct or remove it")


def _decimal(element: _Element, faults: Faults) -> None:
    text = element.text or ""
    check_decimal(element, text, element.tag, faults)
    if element.tag in _RATIOS and decimal_fault(text) is None:
        try:
            if not 0 <= float(text) <= 1:
                faults.note(
                    element, f"{element.tag} {text.strip()} is not a probability", "write a ratio from 0 to 1"
                )
        except ValueError:
            pass  # a form of number that only Java has
