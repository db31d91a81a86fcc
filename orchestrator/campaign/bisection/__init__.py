# SPDX-License-Identifier: Apache-2.0
"""Which commit it was: `git bisect` over a checkout, by runs of one cell."""
