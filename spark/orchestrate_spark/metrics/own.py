# SPDX-License-Identifier: Apache-2.0
"""Loads a user's own metrics: files or entry points that define FAMILY, as the built-in ones do (model.py).

Their results are checked, because readers of metrics/ rely on them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pyarrow as pa

from orchestrate_spark import functions as F
from orchestrate_spark import own_code
from orchestrate_spark.errors import Fault, FaultyCode
from orchestrate_spark.metrics import families
from orchestrate_spark.metrics.model import COLUMNS, Family, Inputs, Metric
from orchestrate_spark.own_code import Kind, Own

if TYPE_CHECKING:
    import pandas as pd

_T = TypeVar("_T")
KIND = Kind("metric", "FAMILY", "orchestrate.metrics", "`orchestrate new metric NAME`")
NAME = re.compile(r"[a-z][a-z0-9_]{0,47}", re.ASCII)


def check(given: Sequence[str], folder: Path) -> None:
    """Check everything that can be known without running them. Raises FaultyCode with every flaw."""
    own_code.collect((lambda one=one: own_code.check(KIND, one, folder)) for one in given)


def load(given: Sequence[str], folder: Path) -> list[Own]:
    """Run the code of metrics and return them; each one's value is its Family. Raises FaultyCode."""
    given = list(dict.fromkeys(given))
    found = own_code.collect((lambda one=one: _family(own_code.load(KIND, one, folder))) for one in given)
    own_code.collect([lambda: _names(found)])
    return found


def _family(own: Own) -> Own:
    from pyspark.cloudpickle import register_pickle_by_value

    family, flaws = own.value, []

    def flaw(what: str, remedy: str) -> None:
        flaws.append(Fault(own.file, 0, what, remedy))

    if not isinstance(family, Family):
        flaw(
            f"FAMILY is of type {type(family).__name__}",
            "write FAMILY = Family(name, rows, metrics), of orchestrate_spark.metrics.model",
        )
        raise FaultyCode(flaws)
    if not isinstance(family.name, str) or not NAME.fullmatch(family.name):
        flaw(
            f"{family.name!r} is not a valid name of a family",
            "use small letters, digits and `_`, at most 48",
        )
    if not callable(family.rows):
        flaw(
            "the family's rows is no function",
            "give it a function of one argument, the Inputs, that returns a DataFrame",
        )
    if not isinstance(family.metrics, dict) or not family.metrics:
        flaw(
            "the family names no metrics",
            "write them as {name: (unit, what it is, where from)} or {name: Metric(...)}",
        )
    for name, told in family.metrics.items() if isinstance(family.metrics, dict) else ():
        if not isinstance(name, str) or not NAME.fullmatch(name):
            flaw(f"{name!r} is not a valid name of a metric", "use small letters, digits and `_`, at most 48")
        short = isinstance(told, tuple) and len(told) == 3 and all(isinstance(word, str) for word in told)
        if not short and not isinstance(told, Metric):
            flaw(
                f"metric {name!r} is described by {told!r}",
                "write (unit, what it is, where from), three texts, or a Metric",
            )
    if not flaws and (strange := sorted(set(family.histograms) - set(family.metrics))):
        flaw(f"histograms names {', '.join(strange)}, which metrics does not", "name metrics of this family")
    if flaws:
        raise FaultyCode(flaws)
    if module := sys.modules.get(getattr(family.rows, "__module__", "")):
        register_pickle_by_value(module)  # its functions reach Spark's workers, which do not have the file
    return own


def _names(found: list[Own]) -> None:
    """Check that no family or metric has the name of another one or of a built-in one. Raises FaultyCode."""

    taken = {("family", family.name): "a built-in one" for family in families()}
    taken |= {("metric", name): "a built-in one" for family in families() for name in family.metrics}
    flaws = []
    for own in found:
        for key in (("family", own.value.name), *(("metric", name) for name in own.value.metrics)):
            if key in taken:
                what = f"the {' '.join(key)} already exists: {taken[key]}"
                flaws.append(Fault(own.file, 0, what, "give it another name"))
            taken[key] = f"that of {own.file}"
    if flaws:
        raise FaultyCode(flaws)


def frame(own: Own, inputs: Inputs) -> F.DataFrame:
    """Return the DataFrame that a metric gives, with checked columns. Raises FaultyCode."""
    from pyspark.sql.types import NumericType, StringType

    short = inputs.motes.withColumns(
        {"c": F.col("counters"), "s": F.col("states")}
    )  # earlier names, which users' own metrics may still have
    made = own_code.guarded(
        own.file, f"metric {own.value.name}", lambda: own.value.rows(replace(inputs, motes=short))
    )
    wrong = []
    if isinstance(made, F.DataFrame):
        types = {field.name: field.dataType for field in made.schema}
        wrong += [f"no column {name}" for name in COLUMNS if name not in types]
        wrong += [f"a column {name} too many" for name in made.columns if name not in COLUMNS]
        wrong += [
            f"{name} is {types[name].simpleString()}"
            for name in COLUMNS
            if name in types and not isinstance(types[name], NumericType if name == "value" else StringType)
        ]
        if not wrong and len(made.columns) != len(COLUMNS):
            wrong.append("a column twice")
    else:
        wrong.append(f"a {type(made).__name__}, no DataFrame")
    if wrong:
        remedy = (
            "give run_id, metric and key as strings and value as a number, as unpivot() of "
            "orchestrate_spark.metrics.model does"
        )
        what = f"metric {own.value.name} gives {', '.join(wrong)}"
        raise FaultyCode.of(own.file, line_of(own), what, remedy)
    return made.select("run_id", "metric", "key", F.col("value").cast("double"))


def checked(own: Own, rows: pa.Table, runs: Iterable[str]) -> pa.Table:
    """Return the rows that have a value. Raises FaultyCode if one of them is not what metrics/ may hold.

    A null value means that the metric is not defined for that run and key; its row is left out.
    """
    import numpy as np

    frame = rows.filter(rows.column("value").is_valid()).to_pandas()
    flaws = []

    def flaw(bad: pd.Series, what: str, remedy: str) -> None:
        if bad.any():
            first = frame[bad].iloc[0]
            where = (
                f"run {first['run_id']}, metric {first['metric']}, key {first['key']}, value {first['value']}"
            )
            more = f" ({int(bad.sum())} rows)" if bad.sum() > 1 else ""
            flaws.append(
                Fault(own.file, line_of(own), f"metric {own.value.name} {what}: {where}{more}", remedy)
            )

    flaw(
        frame[["run_id", "metric", "key"]].isna().any(axis=1),
        "gives a row without run_id, metric or key",
        "leave such rows out",
    )
    flaw(
        ~frame["run_id"].isin(list(runs)),
        "gives a run that is not among those it was given",
        "take run_id from the tables",
    )
    flaw(
        ~frame["metric"].isin(list(own.value.metrics)),
        "gives a metric that FAMILY does not name",
        "name it in FAMILY's metrics, with its unit",
    )
    flaw(
        ~np.isfinite(frame["value"]),
        "gives a value that is no finite number",
        "leave it out, or divide by nullif(..., 0)",
    )
    flaw(
        frame.duplicated(["run_id", "metric", "key"]),
        "gives a run, metric and key twice",
        "sum or average them: one value for each",
    )
    if flaws:
        raise FaultyCode(flaws)
    return pa.Table.from_pandas(frame, schema=rows.schema, preserve_index=False)


def computed(own: Own, call: Callable[[], _T]) -> _T:
    """Return `call()`, in which Spark executes the metric. What it raises becomes the metric's FaultyCode."""
    return own_code.guarded(own.file, f"metric {own.value.name}", call, passed=(FaultyCode,))


def line_of(own: Own) -> int:
    """Return the line where its function begins; 0 if that is in another file."""
    code = getattr(own.value.rows, "__code__", None)
    return code.co_firstlineno if code is not None and code.co_filename == own.file else 0
