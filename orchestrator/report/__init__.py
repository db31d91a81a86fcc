# SPDX-License-Identifier: Apache-2.0
"""The HTML report of an experiment and its figures, from the metrics tables and the run manifests; no JVM."""
