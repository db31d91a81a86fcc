# SPDX-License-Identifier: Apache-2.0
"""Policies as bytecode, which a mote gets while it runs. It goes beyond the paper."""
