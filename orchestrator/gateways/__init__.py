# SPDX-License-Identifier: Apache-2.0
"""Simulated motes and gateways in one virtual time: the engine's clock drives the gateways' own code."""
