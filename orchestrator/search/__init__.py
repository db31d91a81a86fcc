# SPDX-License-Identifier: Apache-2.0
"""Search: which parameters of a scenario meet a goal."""
