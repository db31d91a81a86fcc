# SPDX-License-Identifier: Apache-2.0
"""The ground for what runs beside the motes in simulated time; features bring what runs there."""
