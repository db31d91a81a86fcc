/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPIC_H_
#define TOPIC_H_

/* The subject of the experiment's only topic. */
#define TOPIC "reading"

#endif
