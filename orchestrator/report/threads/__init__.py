# SPDX-License-Identifier: Apache-2.0
"""Threads and the blackboard of a mote in the report: what a traced run executed when, and the section of its
metrics.
"""
