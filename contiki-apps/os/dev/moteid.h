/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MOTEID_H_
#define MOTEID_H_

extern __attribute__((visibility("default"))) int simMoteID;

#endif
