# SPDX-License-Identifier: Apache-2.0
"""Colours that stand beside each other are told apart by every common colour vision, computed; and never by
colour alone.
"""

import itertools
import re
import xml.etree.ElementTree as etree
from importlib.resources import files

import numpy as np
import pytest

from orchestrator.report import charts, quantiles, style, theme
from orchestrator.statistics.estimates import estimate
from orchestrator.topology import draw, marks
from orchestrator.topology.model import Layout, Node

# Machado, Oliveira and Fernandes (2009), A physiologically-based model for simulation of color vision
# deficiency: full deficiency, on linear RGB.
VISIONS = {
    "common": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
APART = 10  # in CIELAB (delta E, 1976), where about 2.3 is just noticeable


def replay(*names: str) -> dict[str, list[str]]:
    """A replay's colours of these names, in the light and in the dark."""
    css = (
        files("orchestrator").joinpath("report/replay/replay.css").read_text(encoding="utf-8").split("@media")
    )
    themes = [dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", text)) for text in css[:2]]
    return {
        f"{names[0]} {which}": [theme[name] for name in names]
        for which, theme in zip(("light", "dark"), themes, strict=True)
    }


OWN = {
    "series": style.SERIES,
    "roles": [colour for colour, _ in (*marks.LOOKS.values(), marks.OTHER)],
    "with and without": [style.PLAIN, style.AGGREGATED, style.PUBLISHED, style.IDEAL],
    "quantiles": [style.FAINT, style.INK, style.VERMILLION],
}
PALETTES = {
    **OWN,
    **{f"{name} dark": [theme.DARK[colour] for colour in colours] for name, colours in OWN.items()},
    **replay("pub", "snd", "rcv", "mrg", "fwd", "drp", "dlv"),
    **replay("one", "few", "many", "lost"),
}


def lab(colour: str, vision: str) -> np.ndarray:
    rgb = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    linear = np.clip(np.array(VISIONS[vision]) @ linear, 0, 1)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ linear
    f = np.cbrt(xyz / [0.9505, 1.0, 1.089])
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distance(one: str, other: str, vision: str) -> float:
    return float(np.linalg.norm(lab(one, vision) - lab(other, vision)))


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("name", PALETTES)
def test_colours_differ_for_every_colour_vision(name, vision):
    apart = {(a, b): distance(a, b, vision) for a, b in itertools.combinations(PALETTES[name], 2)}
    assert min(apart.values()) > APART, sorted(apart.items(), key=lambda item: item[1])[:3]


def test_the_measure_tells_what_red_green_blindness_mixes_up():
    assert distance("#ff0000", "#00aa00", "common") > 100
    assert distance("#cc0000", "#666600", "protanopia") < distance("#cc0000", "#666600", "common") / 2
    assert distance("#a05000", "#607800", "deuteranopia") < APART < distance("#a05000", "#607800", "common")


def test_no_series_is_told_by_colour_alone():
    assert len(set(style.MARKERS)) == len(set(style.HATCHES)) == len(set(style.SERIES)) == 6
    assert len({marks.form(role, 0, 0, 1).svg().split(" fill=")[0] for role in marks.LOOKS}) == 4
    series = [
        charts.Series(f"s{i}", [estimate([1.0, 2.0]), estimate([2.0, 2.5])], cell=f"s{i}") for i in range(6)
    ]
    shapes = re.findall(
        r"<(circle|rect|polygon)[^>]*fill=\"(#\w+)\"", charts.profile(["a", "b"], series, "x").svg.decode()
    )
    assert {colour for _, colour in shapes} >= set(style.SERIES)
    dashes = re.findall(
        r"stroke=\"(#\w+)\"[^>]*?(?:stroke-dasharray=\"([^\"]*)\")?/>",
        quantiles.curves([(f"s{i}", [0.0, 1.0], [0.0, 1.0]) for i in range(6)], "x", "y").svg.decode(),
    )
    assert len({dash for colour, dash in dashes if colour in style.SERIES}) == 6


def test_a_picture_in_the_page_follows_the_readers_preference_and_its_file_does_not():
    series = [charts.Series(f"s{i}", [estimate([1.0, 2.0])]) for i in range(6)]
    layout = Layout(
        "x",
        (
            Node(1, "S", "subscriber", 0.0, 0.0, 0),
            Node(2, "P1", "publisher", 5.0, 0.0, 1),
            Node(3, "C", "control", 9.0, 9.0, 0),
        ),
    )
    for plain in (
        charts.bars(["a"], series, "x").svg,
        charts.profile(["a"], series, "x").svg,
        draw.picture(layout, 7.0).svg().encode(),
    ):
        assert b"var(" not in plain and b"prefers-color-scheme" not in plain
        dark = theme.themed(plain).decode()
        etree.fromstring(dark)
        light_of, dark_of = (
            dict(re.findall(r"--(c\d+):(#[0-9a-fA-F]{6});", block))
            for block in re.findall(r"svg\{(.*?)\}", dark)
        )
        assert (
            set(light_of) == set(dark_of) == set(re.findall(r"var\(--(c\d+)\)", dark))
            and "@media screen and (prefers-color-scheme:dark)" in dark
        )
        assert (
            re.sub(
                r"var\(--(c\d+)\)",
                lambda one, of=light_of: of[one[1]],
                re.sub(r"<style>.*?</style>", "", dark),
            ).encode()
            == plain
        )
        left = set(re.findall(r'(?:fill|stroke)="(#[0-9a-fA-F]{6})"', dark))
        assert left <= {"#ffffff"}, left  # the letters on a node's own colour


def test_letters_and_lines_can_be_read_in_the_dark():
    ground = theme.DARK["#ffffff"]
    assert ground in files("orchestrator").joinpath("report/templates/report.css").read_text(encoding="utf-8")
    for colour in (*style.SERIES, style.INK, style.SOFT, "#333333", "#5c6370", "#b00020"):
        assert contrast(theme.DARK[colour], ground) > (
            4.5 if colour in (style.INK, style.SOFT, "#333333", "#5c6370") else 3
        ), colour


def contrast(one: str, other: str) -> float:
    """As WCAG 2.2 has it."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        return sum(
            share * (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)
            for share, part in zip((0.2126, 0.7152, 0.0722), parts)
        )

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)
