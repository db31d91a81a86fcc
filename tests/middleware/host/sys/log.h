/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOG_H_
#define LOG_H_

#include <stdio.h>

/* Tests check how often something was logged. */
extern unsigned host_logged;
#define LOG_LEVEL_WARN 2
#define LOG_WARN(...) (host_logged++, fprintf(stderr, __VA_ARGS__))
#define LOG_ERR(...) (host_logged++, fprintf(stderr, __VA_ARGS__))

#endif
