# SPDX-License-Identifier: Apache-2.0
"""A lab as its user describes and uses it: inventory, reservations, deployment, surveys."""
