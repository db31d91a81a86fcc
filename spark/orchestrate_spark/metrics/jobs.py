# SPDX-License-Identifier: Apache-2.0
"""Completion times of tasks against their deadlines, and ages of data against its validity.

The run time of data distribution logs them (contiki-apps/middleware/distribution).
"""

from __future__ import annotations

from orchestrate_spark import functions as F
from orchestrate_spark.metrics.model import Family, Inputs, Metric, each_and_all, named, unpivot


def rows(inputs: Inputs) -> F.DataFrame:
    """Compute the metrics of jobs and of the values that targets used."""
    late = F.sum((F.col("response_us") > F.col("deadline_us")).cast("int"))
    jobs = named(inputs, inputs.table("jobs"))
    of_task = jobs.groupBy("run_id", "node", "task", "kind", "deadline_us").agg(
        F.max("response_us").alias("largest"), F.count("*").alias("jobs")
    )
    missed = each_and_all(jobs, "task").groupBy("run_id", "task").agg(late.alias("missed"))
    outdated = F.sum((F.col("age_us") > F.col("validity_us")).cast("int"))
    ages = named(inputs, inputs.table("ages"))
    of_target = ages.groupBy("run_id", "node", "target", "validity_us").agg(
        F.max("age_us").alias("oldest"), F.max("error_us").alias("error"), F.count("*").alias("reads")
    )
    old = each_and_all(ages, "target").groupBy("run_id", "target").agg(outdated.alias("outdated"))
    task = F.concat_ws("/", "node", "task", "kind", "deadline_us")
    target = F.concat_ws("/", "node", "target", "validity_us")
    return (
        unpivot(of_task, ("completion_us", task, "largest"), ("jobs_ended", task, "jobs"))
        .union(unpivot(missed, ("deadlines_missed", F.col("task"), "missed")))
        .union(
            unpivot(
                of_target,
                ("data_age_us", target, "oldest"),
                ("clock_error_us", target, "error"),
                ("values_used", target, "reads"),
            )
        )
        .union(unpivot(old, ("outdated_reads", F.col("target"), "outdated")))
    )


_TASK = "key: node/task/kind/deadline in us"
_TARGET = "key: node/target/validity in us"

FAMILY = Family(
    "jobs",
    rows,
    {
        "completion_us": Metric(
            "us",
            f"the longest time from a job's release, its path's if it is part of one, to its end; {_TASK}",
            title="Completion time",
            kind="hidden",
            better="lower",
            needs="job",
            place=320,
        ),
        "jobs_ended": Metric(
            "jobs", f"jobs that ended; {_TASK}", title="Jobs", kind="hidden", needs="job", place=330
        ),
        "deadlines_missed": Metric(
            "jobs",
            "jobs that ended after their deadline; key: task, and total",
            title="Missed deadlines",
            kind="total",
            better="lower",
            needs="job",
            by="task",
            axis="task",
            apart=True,
            place=340,
        ),
        "data_age_us": Metric(
            "us",
            "the largest age of a value as its target had used it, the error of the clocks added; " + _TARGET,
            title="Age of data as it is used",
            kind="hidden",
            better="lower",
            needs="age",
            place=350,
        ),
        "clock_error_us": Metric(
            "us",
            "the most by which clocks can be wrong about an age; " + _TARGET,
            title="Error of the clocks",
            kind="hidden",
            better="lower",
            needs="age",
            place=360,
        ),
        "values_used": Metric(
            "values",
            "times that a target used a value; " + _TARGET,
            title="Values used",
            kind="hidden",
            needs="age",
            place=370,
        ),
        "outdated_reads": Metric(
            "values",
            "values that were older than their validity as a target had used them; key: target, and total",
            title="Outdated values used",
            kind="total",
            better="lower",
            needs="age",
            by="target",
            axis="target",
            apart=True,
            place=380,
        ),
    },
    of=("jobs", "ages"),
)
