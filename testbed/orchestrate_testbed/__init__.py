# SPDX-License-Identifier: Apache-2.0
"""What touches a testbed: SSH to its gateways, their daemon, flashing, and a virtual testbed.

This package knows nothing of `orchestrator`, as `orchestrate_spark` doesn't: what it needs is handed to it as
the plain values of `orchestrate_testbed.model`.
"""
