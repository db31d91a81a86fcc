# SPDX-License-Identifier: Apache-2.0
"""Would Cooja read the radio medium of a .csc?"""

from __future__ import annotations

from orchestrator.csc import classes
from orchestrator.csc.loading import names
from orchestrator.csc.loading.motes import Motes, old_name
from orchestrator.csc.loading.numbers import LONG, decimal_fault, integer_fault, whole
from orchestrator.csc.loading.report import Findings
from orchestrator.csc.values import own_text

_DECIMALS = frozenset({
    "transmitting_range", "interference_range", "success_ratio", "success_ratio_tx", "success_ratio_rx", "rx_sensitivity",
    "rssi_inflection_point", "path_loss_exponent", "awgn_sigma", "time_variation_min_pl_db", "time_variation_max_pl_db",
})
_RATIOS = frozenset({"success_ratio", "success_ratio_tx", "success_ratio_rx", "ratio"})
# Of the multi-path ray-tracing medium: any other name stops the load.
_MRM = frozenset("""apply_random snr_threshold bg_noise_mean bg_noise_var system_gain_mean system_gain_var frequency tx_power
    tx_with_gain rx_sensitivity rx_with_gain rt_disallow_direct_path rt_ignore_non_direct rt_fspl_on_total_length rt_max_rays
    rt_max_refractions rt_max_reflections rt_max_diffractions rt_use_scattering rt_refrac_coefficient rt_reflec_coefficient
    rt_diffr_coefficient rt_scatt_coefficient obstacle_attenuation captureEffect captureEffectPreambleDuration
    captureEffectSignalTreshold obstacles wavelength tx_antenna_gain rx_antenna_gain""".split())


def check(element, motes: Motes, findings: Findings) -> None:
    written = own_text(element)
    name = classes.today(written)
    old_name(element, written, findings)
    if name not in names.MEDIA:
        successor = names.REMOVED_MEDIA.get(name)
        findings.fault(element, f"radio medium {name[:80] or '(no class name)'!r} is unknown to Cooja",
                       f"use {successor or classes.UDGM}")
        return
    if name == classes.DIRECTED_GRAPH and element.find("edge") is not None:
        findings.note(element, "a race in Cooja: now and then it looks for an edge's mote before it has it, and does not load",
                      "start it again then")
    for child in element.iterchildren("*"):
        if name == names.MRM:
            if child.tag not in _MRM:
                findings.fault(child, f"<{child.tag[:60]}> is no parameter of MRM", "remove it")
        elif child.tag in _DECIMALS:
            _decimal(child, findings)
        elif child.tag in ("BaseRSSIConfig", "SendRSSIConfig"):
            _known_mote(child, child.get("Mote") or "", motes, findings)
            _decimal(child, findings)
        elif child.tag == "edge" and name == classes.DIRECTED_GRAPH:
            _edge(child, motes, findings)


def _edge(element, motes: Motes, findings: Findings) -> None:
    if element.find("src") is not None:
        findings.note(element, "an edge in the form of before 2009 (<src>): Cooja looks its motes up by what they are called",
                      "save the file with today's Cooja")
        return
    source, destination = element.find("source"), element.find("dest")
    if source is not None:
        _known_mote(source, source.text or "", motes, findings)
    if source is None or destination is None or not own_text(destination):
        findings.note(element, "an edge without <source> or <dest>: Cooja takes neither it nor any edge after it",
                      "complete or remove it")
        return
    _destination(destination, motes, findings)


def _destination(element, motes: Motes, findings: Findings) -> None:
    written = own_text(element)
    old_name(element, written, findings)
    if classes.today(written) != classes.DIRECTED_GRAPH_DESTINATION:
        findings.fault(element, f"an edge of the class {written[:80]!r}", f"use {classes.DIRECTED_GRAPH_DESTINATION}")
    radio = element.find("radio")
    if radio is None:
        findings.fault(element, "an edge without <radio>", "name the mote that it leads to")
    else:
        _known_mote(radio, (radio.text or "").strip(), motes, findings)
    for child in element:
        if child.tag in ("ratio", "signal"):
            _decimal(child, findings)
        elif child.tag in ("lqi", "channel"):
            whole(child, child.tag, findings)
        elif child.tag == "delay":
            whole(child, "delay", findings, LONG)


def _known_mote(element, text: str, motes: Motes, findings: Findings) -> None:
    fault = integer_fault(text)
    if fault:
        findings.fault(element, f"mote: {fault}", "write the mote's id")
    elif motes.certain and int(text) not in motes.ids:
        findings.fault(element, f"mote {text} is not in the simulation", "correct or remove it")


def _decimal(element, findings: Findings) -> None:
    text = element.text or ""
    fault = decimal_fault(text)
    if fault:
        findings.fault(element, f"{element.tag}: {fault}", "write it like 12.5")
    elif element.tag in _RATIOS:
        try:
            if not 0 <= float(text) <= 1:
                findings.note(element, f"{element.tag} {text.strip()} is no probability", "write a ratio from 0 to 1")
        except ValueError:
            pass  # a form of number that only Java has
