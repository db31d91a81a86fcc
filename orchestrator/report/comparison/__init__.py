# SPDX-License-Identifier: Apache-2.0
"""Two scenarios, or two cells, side by side: metric by metric with difference, interval and effect size.

`sides.py` is what is compared, `cells.py` which cell with which and what differs between them, `rows.py` the
numbers, `page.py` and `written.py` what becomes of them.
"""
