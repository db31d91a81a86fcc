# SPDX-License-Identifier: Apache-2.0
"""Research artifacts: experiments and campaigns of a store, packed so that others can run and check them."""
