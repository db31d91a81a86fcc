# SPDX-License-Identifier: Apache-2.0
"""Just-in-time data distribution: deadlines that keep data valid, and whether a system can hold them.

After Uvarov, DiPippo, Fay-Wolfe, Bryan, Gadrow, Henry, Murphy, Work and DiPalma (2004), Static Real-Time
Data Distribution.
"""
