# SPDX-License-Identifier: Apache-2.0
"""Co-simulation orchestrator for publish/subscribe middleware on Contiki motes."""

__version__ = "0.1.0"
