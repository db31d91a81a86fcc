/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that mspgcc's header of this name has is in target.h. */
