/* SPDX-License-Identifier: Apache-2.0 */
/* The motes' images (eeprom.c): those of IMAGES, a file, or none. */
#define ROOM 0x1000 /* bytes; sky.ld */

        .section .images, "a"
        .globl  images
        .type   images, @object
        .size   images, ROOM
images:
#ifdef IMAGES_FILE
        .incbin IMAGES_FILE
#endif
        .fill   ROOM - (. - images), 1, 0
