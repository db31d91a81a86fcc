/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RANDOM_H_
#define RANDOM_H_

unsigned short random_rand(void);

#endif
