# SPDX-License-Identifier: Apache-2.0
"""Defines what a metric declares, what it is computed from and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from orchestrate_spark import functions as F

TOTAL = "total"
COLUMNS = ("run_id", "metric", "key", "value")  # what a family gives: value is a double
SHARE = "share"  # the unit of a value from 0 to 1, which readers see in %
QUANTILES = {"p05": 5, "p50": 50, "p95": 95}  # per cent
KINDS = ("", "total", "node", "histogram", "quantiles", "cumulative", "table", "hidden")
DIRECTIONS = ("", "higher", "lower")


@dataclass(frozen=True)
class Metric:
    """The declaration of a metric: everything that tables, pages and comparisons know about it.

    `definition`: what it is exactly; `paper`: where a paper defines it. `title`: its name for readers
    (default: its name). `better`: the better direction (default: neither). `meaning`: what captions add to
    the title. `needs`: the records that it is made from; `cnt,NAME` is a counter, and ` or ` stands between
    alternatives. `kind`: total (one number for each run), node, histogram (an absent key is a zero, in
    summaries too), quantiles, cumulative (a histogram by upper bound), table (one column for each key) or
    hidden; by default the keys decide. `by`: what the keys beside "total" are, if they are not nodes; a total
    with such keys gets its own figure. `axis`: the label of that figure. `apart`: shown in its own section
    only. `least`: the smallest possible value, None if unknown. The ranks `place` (among figures and in
    comparisons), `column` (in the table of all cells), `step` (among what an axis changes) and `expected`
    (among what any application with events may have) order metrics. Rank 0 comes last in the first of these,
    and is left out of the others.
    """

    unit: str
    definition: str
    paper: str = "-"
    title: str = ""
    kind: str = ""
    better: str = ""
    decimals: int = 0
    meaning: str = ""
    needs: str = "-"
    by: str = ""
    axis: str = ""
    apart: bool = False
    least: float | None = 0.0
    place: int = 0
    column: int = 0
    step: int = 0
    expected: int = 0

    def __post_init__(self) -> None:
        for name, known in (("kind", KINDS), ("better", DIRECTIONS)):
            if getattr(self, name) not in known:
                raise ValueError(
                    f"{name} is {getattr(self, name)!r}; there are: {', '.join(filter(None, known))}"
                )

    @property
    def histogram(self) -> bool:
        return self.kind in ("histogram", "cumulative")

    @classmethod
    def of(cls, told: Metric | Mapping[str, Any] | tuple[str, str, str]) -> Metric:
        """Return a Metric for a declaration, its fields, or the short form (unit, what it is, where from)."""
        if isinstance(told, Metric):
            return told
        if isinstance(told, Mapping):
            return cls(**told)
        unit, definition, paper = told
        return cls(
            unit,
            definition,
            paper,
            decimals=3,
            meaning=definition,
            by="key",
            axis="key",
            least=0.0 if unit == SHARE else None,
        )


@dataclass(frozen=True)
class Inputs:
    """The runs that count (one for each cell and seed, ended well) and what their motes dumped after the run.

    `motes`: one row for each mote with run_id, mote, node (its name), role, index (of a publisher, otherwise
    0), publishers (of its run), subscribers (of its run), counters (map: name -> value), states (map: state
    of energest -> us). `totals`: run_id and counters, each summed over the run's motes; a counter that no
    mote printed is absent. `owed`: what subscribers were owed according to the trace (metrics/owed.py), for
    runs whose motes print `sub`. `runs`, `deliveries`, `aggregates`, `delays`, `events`: the tables
    (orchestrate_spark.tables). `table(name)`: any table, such as `records`, which holds what only a user's
    own application prints, or one of a source (orchestrate_spark.sources). All of them lack
    experiment, cell and seed, except `runs`.
    """

    runs: F.DataFrame
    motes: F.DataFrame
    totals: F.DataFrame
    deliveries: F.DataFrame
    aggregates: F.DataFrame
    delays: F.DataFrame
    events: F.DataFrame
    owed: F.DataFrame
    table: Callable[[str], F.DataFrame]


@dataclass(frozen=True)
class Family:
    """Metrics that are computed together, by name: each a Metric, or short (unit, what it is, where from).

    `rows(inputs)`: the transform, which returns run_id, metric, key and value. `histograms`: which of the
    short ones are histograms. `of`: tables that it needs; if all of them are empty it is not asked, because
    each family costs Spark time.

    A built-in family computes the values of a run from that run's rows alone, so that those of further runs
    can be added to what is there. There are two exceptions, which a family declares: `compared`, columns of
    the table `runs`, if it compares runs that agree in them; `printed`, a table, if a run's values depend on
    whether some run of the same application has rows in it.
    """

    name: str
    rows: Callable[[Inputs], F.DataFrame]
    metrics: Mapping[str, Metric | tuple[str, str, str]]
    histograms: tuple[str, ...] = ()
    of: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    printed: str = ""

    @property
    def declared(self) -> dict[str, Metric]:
        found = {name: Metric.of(told) for name, told in self.metrics.items()}
        return found | {name: replace(found[name], kind="histogram") for name in self.histograms}


def unpivot(frame: F.DataFrame, *rows: tuple[str, F.Column | str, F.Column | str]) -> F.DataFrame:
    """Return run_id, metric, key and value: for each row of `frame`, one row for each (metric, key, value).

    Key and value are columns, or SQL expressions as text. Null values are left out.
    """
    structs = (
        F.struct(
            F.lit(metric).alias("metric"),
            _column(key).alias("key"),
            _column(value).cast("double").alias("value"),
        )
        for metric, key, value in rows
    )
    return frame.select("run_id", F.inline(F.array(*structs))).where(F.col("value").isNotNull())


def _column(told: F.Column | str) -> F.Column:
    return F.expr(told) if isinstance(told, str) else told


def text(value: str) -> str:
    """Return a string literal, for SQL expressions as text. Users' own metrics call it."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def quantile(ascending: F.Column | str, share: int) -> F.Column:
    """Return the least value of a sorted array that `share` per cent of its values do not exceed."""
    return F.get(ascending, F.ceil(F.size(ascending) * share / 100).cast("int") - 1)


def each_and_all(frame: F.DataFrame, column: str) -> F.DataFrame:
    """Return each row twice: as it is, and with TOTAL in the string column.

    Grouped by that column, the rows give the values of each group and those over all of them. It does what
    `groupingSets` does, which the embedded engine doesn't have.
    """
    others = [name for name in frame.columns if name != column]
    return frame.select(*others, F.explode(F.array(F.col(column), F.lit(TOTAL))).alias(column))


def exact_sum(column: str) -> F.Column:
    """Return the sum of a group's doubles in sorted order, so that engines agree on the last bit."""
    return F.aggregate(F.array_sort(F.collect_list(column)), F.lit(0.0), lambda total, value: total + value)


def collected_map(name: str, value: str, where: F.Column | None = None) -> F.Column:
    """Return a group's values by name, as a map; of the rows `where` only.

    Sail 0.7.2 gives groups the entries of others if `map_from_entries` gets a grouping's lists as they are,
    and there are more groups than a batch has rows; what a function has made of the lists is right.
    """
    pair = F.struct(name, value)
    pairs = F.collect_list(pair if where is None else F.when(where, pair))
    return F.map_from_entries(F.filter(pairs, lambda one: one.isNotNull()))


def counter(name: str) -> F.Column:
    """Return a counter of a mote or of a whole run; null if no mote printed it."""
    return F.col("counters")[name]


def named(inputs: Inputs, rows: F.DataFrame) -> F.DataFrame:
    """Add the column `node` with the name of each row's mote."""
    return with_names(rows, inputs.table("motes"), "node")


def with_names(rows: F.DataFrame, motes: F.DataFrame, column: str) -> F.DataFrame:
    """Add a column with each mote's name; `mote N` if it has none."""
    names = motes.select("run_id", "mote", F.col("name").alias("node_name"))
    known = rows.join(F.broadcast(names), on=["run_id", "mote"], how="left")
    return known.withColumn(column, F.coalesce("node_name", F.concat(F.lit("mote "), "mote"))).drop(
        "node_name"
    )


def between(rows: F.DataFrame, sender: str, receiver: str, motes: F.DataFrame) -> F.DataFrame:
    """Add the column `pair`, "A > B": the names of the motes whose ids two columns have."""
    others = [name for name in rows.columns if name not in (sender, receiver)]
    first = with_names(rows.select(*others, F.col(sender).alias("mote"), receiver), motes, "a")
    both = first.select(*others, "a", F.col(receiver).alias("mote"))
    return with_names(both, motes, "b").select(*others, F.concat_ws(" > ", "a", "b").alias("pair"))
