# SPDX-License-Identifier: Apache-2.0
"""The words of a scenario: units, YAML with lines, declared parameters, faults. What every other package may
import.
"""
