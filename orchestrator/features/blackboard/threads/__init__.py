# SPDX-License-Identifier: Apache-2.0
"""The report on threads and the blackboard: the section of their metrics, and the run-time diagram."""
