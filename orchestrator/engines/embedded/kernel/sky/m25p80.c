/* SPDX-License-Identifier: Apache-2.0 */
#include "sky/m25p80.h"

#include "base/memory.h"

#include <string.h>

enum { SPI = 0 }; /* the USART that it is connected to */
enum { /* commands; others do nothing */
  WRITE_STATUS = 0x01, PROGRAM_PAGE = 0x02, READ = 0x03, WRITE_DISABLE = 0x04, READ_STATUS = 0x05, WRITE_ENABLE = 0x06,
  READ_IDENTITY = 0x9f, ERASE_SECTOR = 0xd8
};
enum { STATUS_BITS = 0x9c, WRITE_ENABLED = 2, WRITING = 1 };
enum { ADDRESS_BYTES = 3, PAGE_BITS = 0xfff00, SECTOR_BITS = 0xf0000, SECTOR = 0x10000 };
static const double PROGRAM_MS = 1, ERASE_MS = 800;
static const uint8_t IDENTITY[20] = {0x20, 0x20, 0x14, 0x10};

static void
answer(struct m25p80 *flash, uint8_t byte)
{
  msp430_usart_receive(flash->mcu, SPI, byte);
}

static void
end_writing(struct msp430_event *event, int64_t time)
{
  (void)time;
  MSP430_AROUND(event, struct m25p80, written)->writing = false;
}

static void
begin_writing(struct m25p80 *flash, double ms)
{
  flash->writing = true;
  msp430_in_ms(flash->mcu, &flash->written, ms);
}

/* Programming clears bits. */
static void
program_page(struct m25p80 *flash)
{
  begin_writing(flash, PROGRAM_MS);
  for(unsigned i = 0; i < M25P80_PAGE; i++) {
    flash->content[flash->page_address + i] |= (uint8_t)~flash->page[i];
  }
}

static void
erase_sector(struct m25p80 *flash)
{
  begin_writing(flash, ERASE_MS);
  memset(flash->content + (flash->address & SECTOR_BITS), 0, SECTOR);
  memset(flash->page, 0xff, sizeof(flash->page)); /* what a command without data would program, and where */
  flash->page_address = ((flash->address & SECTOR_BITS) + SECTOR) & PAGE_BITS;
}

/* Returns true when the address has just become complete. */
static bool
take_address(struct m25p80 *flash, uint8_t byte)
{
  flash->address = flash->address << 8 | byte;
  answer(flash, 0);
  return ++flash->position == ADDRESS_BYTES;
}

static void
begin_command(struct m25p80 *flash, uint8_t command)
{
  switch(command) {
  case WRITE_ENABLE:
  case WRITE_DISABLE:
    flash->write_enabled = command == WRITE_ENABLE;
    break;
  case READ:
  case PROGRAM_PAGE:
    flash->address = 0;
    flash->position = 0;
    flash->command = command;
    break;
  case READ_IDENTITY:
  case ERASE_SECTOR:
    flash->position = 0;
    flash->command = command;
    break;
  case READ_STATUS:
  case WRITE_STATUS:
    flash->command = command;
    break;
  }
  answer(flash, 0);
}

static void
read_byte(struct m25p80 *flash, uint8_t byte)
{
  if(flash->position < ADDRESS_BYTES) {
    take_address(flash, byte);
    return;
  }
  answer(flash, (uint8_t)~flash->content[flash->address % M25P80_SIZE]);
  flash->address = flash->address + 1 >= M25P80_SIZE ? 0 : flash->address + 1;
}

static void
program_byte(struct m25p80 *flash, uint8_t byte)
{
  if(flash->position < ADDRESS_BYTES) {
    if(take_address(flash, byte)) {
      memset(flash->page, 0xff, sizeof(flash->page));
      flash->page_address = flash->address & PAGE_BITS;
    }
    return;
  }
  answer(flash, 0);
  flash->page[flash->address++ % M25P80_PAGE] = byte;
}

void
m25p80_command(struct m25p80 *flash, uint8_t byte)
{
  if(!flash->selected) {
    return;
  }
  switch(flash->command) {
  case READ_STATUS:
    answer(flash, (uint8_t)(flash->status | (flash->write_enabled ? WRITE_ENABLED : 0) | (flash->writing ? WRITING : 0)));
    break;
  case READ_IDENTITY:
    answer(flash, IDENTITY[flash->position++ % sizeof(IDENTITY)]);
    break;
  case WRITE_STATUS:
    flash->status = byte & STATUS_BITS;
    answer(flash, 0);
    break;
  case READ:
    read_byte(flash, byte);
    break;
  case PROGRAM_PAGE:
    program_byte(flash, byte);
    break;
  case ERASE_SECTOR:
    if(flash->position < ADDRESS_BYTES && take_address(flash, byte)) {
      erase_sector(flash);
    }
    break;
  default:
    begin_command(flash, byte);
  }
}

void
m25p80_select(struct m25p80 *flash, bool selected)
{
  if(flash->selected && !selected && flash->command == PROGRAM_PAGE) {
    program_page(flash);
  }
  flash->selected = selected;
  flash->command = 0;
}

void
m25p80_write_id(struct m25p80 *flash, int id)
{
  const uint8_t header[] = {0xad, 0xde, (uint8_t)(id >> 8), (uint8_t)id};

  memcpy(flash->content, header, sizeof(header));
}

void
m25p80_init(struct m25p80 *flash)
{
  flash->content = allocate(M25P80_SIZE, 1); /* lazily: it is zero pages at first */
  flash->written.run = end_writing;
}
