# SPDX-License-Identifier: Apache-2.0
"""Jobs: each a function, and a script for `python -m` or spark-submit."""
