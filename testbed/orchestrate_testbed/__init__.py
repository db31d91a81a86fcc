# SPDX-License-Identifier: Apache-2.0
"""Everything that touches a testbed: SSH to its gateways, their daemon, flashing, and a virtual testbed.

Like `orchestrate_spark`, this package knows nothing of `orchestrator`: its callers hand it the plain values
of `orchestrate_testbed.model`.
"""
