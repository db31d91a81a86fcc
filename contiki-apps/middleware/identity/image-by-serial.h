/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mote's image comes over its serial line where no flashing tool can write it. The lines, each
 * with its answer; numbers are decimal, CRC and data hexadecimal:
 *
 *   image begin SIZE CRC    image ok 0, or image stored CRC if it is there already
 *   image at OFFSET DATA    image ok BYTES: as many are here, the next ones are wanted
 *   image end               image stored CRC, or image no checksum
 *
 * or `image no REASON`. CRC: CRC-32 as in Ethernet, of the whole image. A line that is repeated,
 * because its answer was lost, changes nothing. The image's first two bytes, by which an
 * application knows it, are written last, once what was stored has the right CRC: an image of
 * which a part came is none. The processes of the application then start anew.
 */
#ifndef IMAGE_BY_SERIAL_H_
#define IMAGE_BY_SERIAL_H_

/* Takes a line of the serial port; does nothing if it is another one. */
void image_by_serial_line(const char *line);

#endif
