/* SPDX-License-Identifier: Apache-2.0 */
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : abort())
void abort(void);
#endif
#define static_assert _Static_assert
