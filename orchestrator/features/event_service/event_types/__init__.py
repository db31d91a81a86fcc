# SPDX-License-Identifier: Apache-2.0
"""Typed events, conditions on them, and the terms of their channels, beyond the event service thesis."""
