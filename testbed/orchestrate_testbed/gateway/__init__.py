# SPDX-License-Identifier: Apache-2.0
"""What runs on a gateway: standard library only, in the syntax of Python 3.7."""
