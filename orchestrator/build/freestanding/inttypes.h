/* SPDX-License-Identifier: Apache-2.0 */
/* For a compiler without a C library, which is to measure sizes and links nothing. The
   macros are those that clang knows of its target. */
#ifndef INTTYPES_H_
#define INTTYPES_H_

#include <stdint.h>

#define PRId8 __INT8_FMTd__
#define PRIu8 __UINT8_FMTu__
#define PRIx8 __UINT8_FMTx__
#define PRId16 __INT16_FMTd__
#define PRIu16 __UINT16_FMTu__
#define PRIx16 __UINT16_FMTx__
#define PRId32 __INT32_FMTd__
#define PRIu32 __UINT32_FMTu__
#define PRIx32 __UINT32_FMTx__
#define PRId64 __INT64_FMTd__
#define PRIu64 __UINT64_FMTu__
#define PRIx64 __UINT64_FMTx__

#endif
