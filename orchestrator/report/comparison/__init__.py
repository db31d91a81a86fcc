# SPDX-License-Identifier: Apache-2.0
"""Compares two scenarios or two cells, metric by metric, with differences, intervals and effect sizes.

`sides.py` reads what is compared, `cells.py` matches cells and finds what differs between them, `rows.py` has
the numbers, `page.py` and `written.py` write them.
"""
