# SPDX-License-Identifier: Apache-2.0
"""Finds the commit that changed results: `git bisect` over a checkout, by runs of one cell."""
