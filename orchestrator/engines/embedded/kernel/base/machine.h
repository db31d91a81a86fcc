/* SPDX-License-Identifier: Apache-2.0 */
/* Is this an x86-64, for which there is assembly and code that is rewritten? -DPORTABLE: do as on any other machine. */
#ifndef MACHINE_H
#define MACHINE_H

#if defined(__x86_64__) && !defined(PORTABLE)
#define ON_X86_64 1
#else
#define ON_X86_64 0
#endif

#endif
