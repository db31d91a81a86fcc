# SPDX-License-Identifier: Apache-2.0
"""The jobs; each is a function, and a script for `python -m` or spark-submit."""
