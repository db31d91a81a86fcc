/* SPDX-License-Identifier: Apache-2.0 */
/* Is this an x86-64, for which the kernel has assembly and can rewrite code? -DPORTABLE: behave as on other machines. */
#ifndef MACHINE_H
#define MACHINE_H

#if defined(__x86_64__) && !defined(PORTABLE)
#define ON_X86_64 1
#else
#define ON_X86_64 0
#endif

#endif
