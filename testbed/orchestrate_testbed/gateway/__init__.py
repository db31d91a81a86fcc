# SPDX-License-Identifier: Apache-2.0
"""What runs on a gateway: Python 3.7 or later and its standard library, packed by `zipapp` beside it.

Nothing in here imports anything of the project outside of this package. A test compiles it as Python 3.7 and
checks what it imports (tests/testbed/test_python_37.py).
"""
