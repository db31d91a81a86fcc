/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a script writes (log.append, log.writeFile), in a folder beside the log; no name leads out of it. */
#ifndef SCRIPT_FILES_H
#define SCRIPT_FILES_H

#include "motes/simulation.h"

/* The folder is `script-files` beside this log; it is made when a script writes. */
struct script_files *script_files_beside(const char *log);

/* `bytes`: the file's name, a slash, and the content. A file is emptied at its first use in the run, and if `anew`. Counts
   towards the log's limit. */
void script_files_write(struct simulation *simulation, const char *bytes, size_t length, bool anew);

#endif
