# SPDX-License-Identifier: Apache-2.0
"""What motes with threads and a blackboard counted: switches, samples, memory, and errors that have a defined result."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql.functions import expr

from orchestrate_spark.log_format import COUNTERS
from orchestrate_spark.metrics.model import TOTAL, Family, Inputs, text, unpivot

WORD = 4  # bytes
_USUAL = ("blackboard_commands", "blackboard_publications", "blackboard_notifications", "blackboard_words_used",
          "blackboard_words")
ERRORS = tuple(name for name in COUNTERS if name.startswith(("blackboard_", "threads_")) and name not in _USUAL)


def rows(inputs: Inputs) -> DataFrame:
    counters = ("context_switches", "samples_taken", "blackboard_words_used", *ERRORS)
    both = inputs.motes.groupingSets([["run_id", "node"], ["run_id"]], "run_id", "node").agg(
        *(expr(f"sum(c['{name}']) as {name}") for name in counters))
    node = f"coalesce(node, {text(TOTAL)})"
    return unpivot(both, ("context_switches", node, "context_switches"), ("samples_taken", node, "samples_taken"),
                   ("blackboard_bytes_high_water", "node", f"if(node is null, null, blackboard_words_used * {WORD})"),
                   *(("counted_errors", text(name), f"if(node is null, {name}, null)") for name in ERRORS))


FAMILY = Family("blackboard", rows, {
    "context_switches": ("switches", "from one thread of the node to another, the idle one included; modelled", "-"),
    "samples_taken": ("samples", "readings that the node's applications took of its sensors", "-"),
    "blackboard_bytes_high_water": ("bytes", "the most of the blackboard's array that was ever in use at once",
                                    "blackboard, section 2.4"),
    "counted_errors": ("errors", "of threads and blackboard, that motes counted, all of them; key: the counter", "-"),
})
