// SPDX-License-Identifier: GPL-2.0-or-later
/** Files that are written: whole or not at all, and never through a name that somebody else could have made before. */
#ifndef SP_BASE_FILE_H
#define SP_BASE_FILE_H

#include "runtime/base/buf.h"
#include "runtime/base/err.h"

#include <stdio.h>
#include <sys/types.h>

/** Writes all, after interruptions, too. `name` is for the error. */
struct sp_err *sp_file_write(int fd, const char *name, const void *bytes, size_t size);
/** What keeps a relative path from leading to a place below the folder that it begins at; NULL: nothing. */
const char *sp_file_path_fault(const char *path);
/** write(2) that raises no SIGPIPE: a reader that has gone is EPIPE. */
ssize_t sp_file_write_quietly(int fd, const void *bytes, size_t size);
/** Makes `path` (in `folder`, or AT_FDCWD) a file of these bytes. A file that is there is replaced by the whole new one, at once; a
 *  symbolic link is replaced itself. Devices and pipes are written to. `mode` is subject to the umask. */
struct sp_err *sp_file_replace(int folder, const char *path, const void *bytes, size_t size, mode_t mode);
/** The same without waiting for the disk: when the machine crashes soon after, the file may have any bytes. For what has a checksum
 *  and can be made again. */
struct sp_err *sp_file_replace_unsynced(int folder, const char *path, const void *bytes, size_t size, mode_t mode);
/** Waits until no other process holds this lock of the file that is called `path`, which others may have replaced meanwhile. Closing the
 *  descriptor gives it back. */
struct sp_err *sp_file_lock(const char *path, int *fd_ret);
// Offsets in a script have 32 bits; no script comes near this.
#define SP_FILE_MAX_SCRIPT (64u << 20)

/** Opens a regular file for reading; -1 with errno, which is ENOEXEC for anything else. For paths that others can shape, as the owner of
 *  a program can those of its files: a pipe would be waited for, and a device may have no end. */
int sp_file_open_regular(const char *path);
/** Reads a whole file of at most `max` bytes ("-": standard input). */
struct sp_err *sp_file_read(const char *path, size_t max, struct sp_buf *ret);
/** When getline(3), fgets(3) or fread(3) has given nothing more: NULL at the end of the file, else why it cannot be read. */
struct sp_err *sp_file_end(FILE *file, const char *path);
/** What messages call a script: its path, or "<input>" when it comes from standard input. */
const char *sp_file_script_name(const char *path);
/** Opens a file for output that is added to as it comes, and empties it. When somebody else empties it later, what
 *  follows begins at its start. A link is followed when it is root's or the user's own. */
struct sp_err *sp_file_open_output(const char *path, int *fd_ret);
/** A line on standard error, which a pipe without a reader holds up for a second at most: then it is lost, and so is what follows until
 *  there is room, in front of which `lost`, their number, is told. */
void sp_file_say(unsigned *lost, const char *prefix, const char *text);
/** The name with %Y and the like replaced as by strftime(3), for the local time that it is. */
void sp_file_dated_name(const char *format, char *ret, size_t size);
/** Closes all descriptors from `first` on that are below `end`. */
void sp_file_close_range(unsigned first, unsigned end);
/** At the start of a program: takes the numbers of standard descriptors that are closed, so that no other file gets them. Reading
 *  and writing them fails as before. */
bool sp_file_take_standard(void);

#endif
