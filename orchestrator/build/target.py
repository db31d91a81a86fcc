# SPDX-License-Identifier: Apache-2.0
"""Firmware for Cooja's motes: make's name for it, and the version of the contract that Cooja tells make."""

from orchestrator.applications.platform import COOJA as COOJA
from orchestrator.vocabulary.simulators import COOJA_VERSION as COOJA_VERSION
