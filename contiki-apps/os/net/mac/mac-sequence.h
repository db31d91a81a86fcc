/* SPDX-License-Identifier: Apache-2.0 */
/* Sequence numbers of frames: one's own, and those heard last of each sender, so
   that a frame repeated for want of its ACK is delivered once. */
#ifndef MAC_SEQUENCE_H_
#define MAC_SEQUENCE_H_

void mac_sequence_init(void);
void mac_sequence_set_dsn(void);        /* the next one, into the packet buffer */
int mac_sequence_is_duplicate(void);    /* of what is in the packet buffer */
void mac_sequence_register_seqno(void); /* likewise */

#endif
