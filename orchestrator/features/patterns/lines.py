# SPDX-License-Identifier: Apache-2.0
"""Reads logs from elsewhere: splits their lines into time, mote and text, and writes them as Cooja does.

Lines that don't have the form stay as they are, and are counted as damage when the log is ingested.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.errors import Fault, FaultyInput, NoSuchThing
from orchestrator.vocabulary.document import Mapping, Node, Scalar, wrong_kind
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.fields import known_keys
from orchestrator.vocabulary.units import short
from orchestrator.words import did_you_mean

if TYPE_CHECKING:
    import polars as pl

TIMES = {
    "us": "microseconds since the begin",
    "ms": "milliseconds since the begin",
    "s": "seconds since the begin",
    "clock": "[[hours:]minutes:]seconds since the begin",
    "epoch": "seconds since 1970",
    "epoch-ms": "milliseconds since 1970",
    "epoch-us": "microseconds since 1970",
}  # or a format of strftime, with a %
_SINCE_BEGIN = ("us", "ms", "s", "clock")  # for the others, the earliest line is the begin
_SCALE = {"us": 1, "ms": 1_000, "s": 1_000_000, "epoch": 1_000_000, "epoch-ms": 1_000, "epoch-us": 1}
KEYS = ("match", "time", "mote")
MOST_BYTES = 4 << 30
_SAMPLE = 1 << 20  # bytes in which a form is looked for
_LEAST = 0.5  # of the lines that a form has to split to be recognised
_MOST_US = (1 << 63) - 1


@dataclass(frozen=True)
class Form:
    """How a line is split: a pattern with the groups `text`, `time` and, unless `mote` is given, `mote`.

    `time`: one of TIMES, or a format of strftime. `mote`: the one that prints all of the lines. `typical`:
    a narrower pattern by which this form is recognised, if `match` also fits lines of other forms.
    """

    name: str
    match: str
    time: str
    mote: int | None = None
    typical: str = ""


FORMS = {
    form.name: form
    for form in (
        Form("cooja", r"^(?P<time>[0-9]+)\tID:(?P<mote>[0-9]+)\t(?P<text>.*)$", "us"),
        # what Cooja's log listener saves and shows
        Form(
            "log-listener",
            r"^(?P<time>(?:[0-9]+:)+[0-9]+\.[0-9]+)\s+ID:(?P<mote>[0-9]+)\s+(?P<text>.*)$",
            "clock",
        ),
        # Contiki-NG's benchmarks (parse.py), and scripts that divide Cooja's times
        Form(
            "seconds",
            r"^\s*(?P<time>[0-9]+(?:\.[0-9]+)?)\tID:(?P<mote>[0-9]+)\t(?P<text>.*)$",
            "s",
            typical=r"^\s*[0-9]+\.[0-9]+\tID:[0-9]+\t",
        ),
        Form("iot-lab", r"^(?P<time>[0-9]{9,}\.[0-9]+);(?P<mote>[A-Za-z0-9_-]*[0-9]);(?P<text>.*)$", "epoch"),
        Form(
            "serialdump",
            r"^\[?(?P<time>[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2})\]? (?P<text>.*)$",
            "%Y-%m-%d %H:%M:%S",
            1,
        ),
    )
}


def read(node: Node, faults: Faults) -> Form | None:
    """Return the form that a pattern file gives; None after noting what is wrong with it."""
    before = len(faults)
    if isinstance(node, Scalar):
        if node.text not in FORMS:
            remedy = f"{did_you_mean(node.text, FORMS)}; or write `lines: {{match: '...', time: s}}`"
            faults.add(node.line, f"lines: {short(node.text)} is no known form", remedy)
        return FORMS.get(node.text)
    if not isinstance(node, Mapping):
        wrong_kind(node, "lines", f"name a form: {', '.join(FORMS)}", faults)
        return None
    known_keys(node, "lines: ", KEYS, faults)
    texts: dict[str, str] = {}
    for key, value in node:
        if isinstance(value, Scalar):
            texts[key.text] = value.text
        else:
            wrong_kind(value, f"lines: {key.text}", "write one value", faults)
    match, time, mote = texts.get("match", ""), texts.get("time", ""), texts.get("mote", "")
    line = (node.get("match") or node).line
    groups = _groups(match, line, faults) if match else []
    if not match:
        faults.add(
            node.line,
            "lines has no match",
            "add `match: '^(?P<time>[0-9.]+);(?P<mote>[0-9]+);(?P<text>.*)$'`",
        )
    for name in ("time", "text", *(() if mote else ("mote",))):
        if match and len(faults) == before and name not in groups:
            remedy = f"add (?P<{name}>...)" + (
                ", or `mote: 1` if all lines are of one mote" if name == "mote" else ""
            )
            faults.add(line, f"lines: match has no group {name}", remedy)
    if time not in TIMES and "%" not in time:
        remedy = f"write a format of strftime, such as %Y-%m-%d %H:%M:%S.%f, or one of {', '.join(TIMES)}"
        faults.add((node.get("time") or node).line, f"lines: time: {short(time)} is no form of times", remedy)
    if mote and not re.fullmatch("[1-9][0-9]{0,8}", mote):
        faults.add(
            node.get("mote").line, f"lines: mote: {short(mote)} is no mote", "write a number from 1 on"
        )
    if len(faults) > before:
        return None
    return Form("of the pattern file", match, time, int(mote) if mote else None)


def _groups(match: str, line: int, faults: Faults) -> list[str]:
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        return [one.name for one in pc.extract_regex(pa.array([], pa.string()), match).type]
    except pa.ArrowInvalid as error:
        said = str(error).removeprefix("Invalid regular expression: ")
        remedy = "write (?P<name>...) or (?:...): https://github.com/google/re2/wiki/Syntax"
        faults.add(line, f"lines: match is not a pattern: {said}", remedy)
        return []


def form_of(log: Path) -> Form | None:
    """Return the form that most lines at the begin of a log have; None if none has half of them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        with open(log, "rb") as stream:
            data = stream.read(_SAMPLE)
    except OSError as error:
        raise NoSuchThing(f"{log}: {error.strerror or error}\n    name a log") from None
    found = [one for one in data.decode("utf-8", "replace").replace("\r", "").split("\n") if one]
    texts = pa.array(found, pa.string())
    shares = {
        form: pc.sum(pc.match_substring_regex(texts, form.typical or form.match)).as_py() or 0
        for form in FORMS.values()
    }
    best = max(shares, key=lambda form: shares[form])
    return best if found and shares[best] >= _LEAST * len(found) else None


def converted(logs: Sequence[tuple[Path, Form]]) -> Iterator[bytes]:
    """Yield the parts of one run's logs as Cooja writes a log: time, mote and text, sorted by time.

    If there are several and their lines name no mote, the digits that end a file's name are its mote.

    Raises NoSuchThing if one can't be read, FaultyInput if one has no line of its form, if two motes share a
    number, or if the times of one begin with the run and those of another don't.
    """
    import polars as pl

    relative = {form.time in _SINCE_BEGIN for _, form in logs}
    if len(relative) > 1:
        what = "times that begin with the run, and those of another log of the run don't"
        raise FaultyInput([Fault(str(logs[0][0]), 0, what, "read logs with one form of times together")])
    parts = []
    for place, (log, form) in enumerate(logs):
        mote = form.mote
        if mote is not None and len(logs) > 1:
            digits = re.search("([0-9]{1,9})$", log.stem)
            mote = int(digits[1]) if digits and int(digits[1]) else place + 1
        parts.append(_split(_read(log), form, mote).with_columns(pl.lit(place).alias("log")))
        _need_lines(log, form, parts[-1])
    lines = pl.concat(parts)
    good = lines.filter(pl.col("time_us").is_not_null())
    _check_motes(logs[0][0], good)
    begin = 0 if relative == {True} else good["time_us"].min()
    at = pl.col("time_us").forward_fill().over("log").fill_null(begin)
    lines = lines.with_columns(at.alias("_at")).sort("_at", maintain_order=True)
    written = pl.concat_str(
        (pl.col("time_us") - begin).cast(pl.String),
        pl.lit("\tID:"),
        pl.col("number").cast(pl.String),
        pl.lit("\t"),
        "text",
    )
    for part in lines.select(written.fill_null(pl.col("raw")).alias("line")).iter_slices(1 << 18):
        yield ("\n".join(part["line"]) + "\n").encode()


def _need_lines(log: Path, form: Form, lines: pl.DataFrame) -> None:
    if lines["time_us"].drop_nulls().len():
        return
    sample = next((one for one in lines["raw"].head(100) if one), "")
    what = f"no line has the form {form.name}: {short(sample, 80)}" if sample else "the file is empty"
    remedy = f"name another form ({', '.join(FORMS)}), or write it as `lines:` of a pattern file"
    raise FaultyInput([Fault(str(log), 1 if sample else 0, what, remedy)])


def _read(log: Path) -> pl.Series:
    import polars as pl

    try:
        if log.stat().st_size > MOST_BYTES:
            what = f"has more than {MOST_BYTES >> 30} GB"
            raise FaultyInput([Fault(str(log), 0, what, "split it; logs in Cooja's own form may be larger")])
        text = log.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise NoSuchThing(f"{log}: {error.strerror or error}\n    name a log") from None
    lines = pl.Series("raw", text.split("\n"))
    lines = lines.str.strip_suffix("\r")
    return lines.head(len(lines) - 1) if text.endswith("\n") else lines


def _split(raw: pl.Series, form: Form, mote: int | None) -> pl.DataFrame:
    """Return raw, time_us, mote (as written), number and text of each line; null if it lacks the form."""
    import polars as pl
    import pyarrow.compute as pc

    groups = pc.extract_regex(raw.to_arrow(compat_level=pl.CompatLevel.oldest()), form.match)
    found = pl.from_arrow(groups).struct.unnest()
    lines = pl.DataFrame({"raw": raw, "time": found["time"], "text": found["text"]})
    lines = lines.with_columns(
        found["mote"].alias("mote") if mote is None else pl.lit(str(mote)).alias("mote"),
        _time_us(pl.col("time"), form.time).alias("time_us"),
    )
    number = pl.col("mote").str.extract(r"([0-9]{1,9})$").cast(pl.Int64)
    lines = lines.with_columns(pl.when(number > 0).then(number).alias("number"))
    there = pl.col("time_us").is_not_null() & pl.col("number").is_not_null() & pl.col("text").is_not_null()
    return lines.with_columns(pl.when(there).then(pl.col("time_us")).alias("time_us"))


def _time_us(text: pl.Expr, form: str) -> pl.Expr:
    import polars as pl

    if form in _SCALE:
        whole = text.str.extract(r"^([0-9]{1,18})(?:\.|$)").cast(pl.Int64, strict=False)
        digits = text.str.extract(r"^[0-9]+\.([0-9]+)$").fill_null("0")
        scale = _SCALE[form]
        part = (("0." + digits).cast(pl.Float64, strict=False) * scale).round().cast(pl.Int64)
        value = pl.when(whole <= _MOST_US // scale).then(whole * scale + part)
        return pl.when(text.str.contains(r"^[0-9]+(\.[0-9]+)?$")).then(value)
    if form == "clock":
        parts = [
            text.str.extract(r"^(?:([0-9]{1,6}):)?[0-9]+:[0-9.]+$"),
            text.str.extract(r"([0-9]{1,6}):[0-9.]+$"),
        ]
        hours, minutes = (part.fill_null("0").cast(pl.Int64, strict=False) for part in parts)
        seconds = text.str.extract(r"([0-9.]+)$").cast(pl.Float64, strict=False)
        return (hours * 3600 + minutes * 60) * 1_000_000 + (seconds * 1e6).round().cast(
            pl.Int64, strict=False
        )
    comma = ",%f" in form
    written = text.str.replace_all(",", ".", literal=True) if comma else text
    chrono = form.replace(",%f", "%.f").replace(".%f", "%.f").replace("%f", "%6f").replace("%.6f", "%.f")
    if not re.search("%[cdeDFjsx]", form):  # a time of day
        written, chrono = "1970-01-01 " + written, f"%Y-%m-%d {chrono}"
    return written.str.to_datetime(chrono, time_unit="us", strict=False, exact=True).cast(pl.Int64)


def _check_motes(log: Path, lines: pl.DataFrame) -> None:
    """Refuse a log in which two names of motes end in the same number."""
    names = lines.select("mote", "number").unique(maintain_order=True)
    twice = names.filter(names["number"].is_duplicated()).sort("number", "mote")
    plain = twice["mote"].str.strip_chars_start("0") if twice.height else twice["mote"]
    if twice.height and plain.n_unique() > twice["number"].n_unique():
        two = " and ".join(twice.filter(twice["number"] == twice["number"][0])["mote"].head(2))
        what = f"{two} have the same number; a mote is known by its number"
        raise FaultyInput(
            [Fault(str(log), 0, what, "split the log by kinds of motes, and read each part by itself")]
        )
