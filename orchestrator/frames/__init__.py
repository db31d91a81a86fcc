# SPDX-License-Identifier: Apache-2.0
"""The middleware's frames: their one description, which C and Python share, and a reader and writer by it."""
