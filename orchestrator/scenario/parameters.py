# SPDX-License-Identifier: Apache-2.0
"""Re-exports Parameter for users' own topologies that were written when it was defined here."""

from orchestrator.vocabulary.parameters import Parameter

__all__ = ["Parameter"]
