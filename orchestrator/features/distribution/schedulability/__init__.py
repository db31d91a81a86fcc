# SPDX-License-Identifier: Apache-2.0
"""Analyses whether all tasks of a system end by their deadlines, by bounds and by simulated schedules."""
