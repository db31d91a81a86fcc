# SPDX-License-Identifier: Apache-2.0
"""What the other packages read users' files with: units, YAML with lines, declared parameters, faults."""
