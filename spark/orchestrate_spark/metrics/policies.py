# SPDX-License-Identifier: Apache-2.0
"""What policies were asked and said, by mote and policy, and what their manager and extensions counted."""

from __future__ import annotations

from orchestrate_spark import functions as F
from orchestrate_spark.log_format import COUNTERS
from orchestrate_spark.metrics.model import Family, Inputs, Metric, counter, named, unpivot

_SAID = ("accepted", "discarded", "no_rule")
COUNTED = tuple(
    name
    for name in COUNTERS
    if name.startswith(("policy_", "updates_", "pushes_", "pulls_", "pulled_", "cpc_", "group_"))
)


def rows(inputs: Inputs) -> F.DataFrame:
    """Compute the metrics of policies."""
    policies = named(inputs, inputs.table("policies"))
    key = F.concat_ws("/", "node", "policy")
    with_policies = policies.select("run_id").distinct()
    totals = inputs.totals.join(with_policies, on="run_id", how="left_semi")
    return unpivot(
        policies,
        *((f"policy_{what}", key, F.col(what)) for what in _SAID),
        ("policy_loaded", key, F.col("loaded")),
    ).union(unpivot(totals, *(("policy_counters", F.lit(name), counter(name)) for name in COUNTED)))


def _said(what: str, title: str, place: int) -> Metric:
    return Metric(
        "events",
        f"events on which the policy was asked and {what}; key: node/policy",
        "policies, section 4.2",
        title=title,
        kind="hidden",
        needs="pol",
        place=place,
    )


FAMILY = Family(
    "policies",
    rows,
    {
        "policy_accepted": _said("accepted", "Accepted by a policy", 330),
        "policy_discarded": _said("discarded", "Discarded by a policy", 331),
        "policy_no_rule": _said("had no rule that matched", "Without a rule that matched", 332),
        "policy_loaded": Metric(
            "motes",
            "1 if the policy was loaded at the run's end, 0 if not; key: node/policy",
            title="Policy loaded",
            kind="hidden",
            needs="pol",
            place=333,
        ),
        "policy_counters": Metric(
            "times",
            "what motes counted about policies and their extensions, all of them; key: the counter",
            title="Policies and their extensions",
            kind="hidden",
            needs="cnt,policy_events",
            place=334,
        ),
    },
    of=("policies",),
)
