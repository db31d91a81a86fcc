/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a script writes (log.append, log.writeFile): in a folder of their own beside the log, which no name leaves. */
#ifndef SCRIPT_FILES_H
#define SCRIPT_FILES_H

#include "motes/simulation.h"

/* The folder is `script-files` beside this log; it is made when a script writes. */
struct script_files *script_files_beside(const char *log);

/* `bytes`: the file's name, a slash, and what to write. A file is emptied at its first use in this run, and if it is to
   be written `anew`. Counts against the log's limit. */
void script_files_write(struct simulation *simulation, const char *bytes, size_t length, bool anew);

#endif
