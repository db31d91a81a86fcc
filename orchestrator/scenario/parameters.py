# SPDX-License-Identifier: Apache-2.0
"""Where topologies of users' own written before vocabulary/ import Parameter from."""

from orchestrator.vocabulary.parameters import Parameter

__all__ = ["Parameter"]
