# SPDX-License-Identifier: Apache-2.0
"""Topologies that a paper draws. A scenario selects them by name as any other: topology/shapes.py lists them.

They need topologies alone, so that a scenario can be read without the papers' results.
"""
