# SPDX-License-Identifier: Apache-2.0
"""The base for programs that run beside the motes in simulated time; features bring these programs."""
