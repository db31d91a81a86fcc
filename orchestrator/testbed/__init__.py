# SPDX-License-Identifier: Apache-2.0
"""A lab as its user writes it: inventory, reservation, what was flashed, surveys."""
