# SPDX-License-Identifier: Apache-2.0
"""The features: a folder each, whose FEATURE says what it brings (orchestrator/feature.py)."""
