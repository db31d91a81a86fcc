# SPDX-License-Identifier: Apache-2.0
"""The software of a gateway, for Python 3.7 or later; `zipapp` beside this folder packs it.

Nothing in this package imports anything else of the project. A test compiles it as Python 3.7 and checks its
imports (tests/features/testbed/test_python_37.py).
"""
