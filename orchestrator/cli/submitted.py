# SPDX-License-Identifier: Apache-2.0
"""The `orchestrate` command as an application of spark-submit, which takes only files named *.py.

spark-submit --master spark://HOST:7077 .../orchestrator/cli/submitted.py campaign verdict nights.yaml
"""

import sys

if __name__ == "__main__":
    del sys.path[0]  # this folder: its `numbers` and others would hide modules of Python
    from orchestrator.cli.app import main

    sys.exit(main())
