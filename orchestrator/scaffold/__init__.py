# SPDX-License-Identifier: Apache-2.0
"""Small working examples to start from: `orchestrate new KIND NAME`."""
