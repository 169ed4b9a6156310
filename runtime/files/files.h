// SPDX-License-Identifier: GPL-2.0-or-later
/** The room of files that a script makes: procfs("NAME").read and .write.
 *
 *  The problem. SystemTap's module makes such files in /proc. Here they have to be made by a process, which may have no privileges,
 *  be one of several, and be killed.
 *
 *  The idea. Each session has a folder of its own (files_folder.c). A file system of ours is mounted there (files_fuse.c), whose
 *  requests are answered when the session's loop has time for them. Where that cannot be had the files are FIFOs (files_fifo.c).
 *
 *  The invariant. Whoever lives holds a lock on its folder. A session that is killed has a guard, a process of its own, which takes the
 *  folder away. What has a lock that nobody holds is of a session whose guard was killed, too: the next session that has files does it.
 *
 *  The limits. A FIFO cannot be both read and written, and several writes within a moment come as one text. */
#ifndef SP_RUNTIME_FILES_H
#define SP_RUNTIME_FILES_H

#include "runtime/base/buf.h"
#include "runtime/base/err.h"
#include "runtime/base/log.h"

#include <sys/types.h>

struct files_entry {
	const char *name; // "dir/name"
	unsigned mode; // permissions: with a bit of 0444 it can be read, with one of 0222 written
};

/** Who reads or writes; all 0 when that is not known. */
struct files_peer {
	pid_t pid;
	uid_t uid;
	gid_t gid;
};

struct files_input {
	const char *session; // the name of the folder, which no other session has
	const char *alias; // a name that people know, for a link to that folder; NULL: none
	const struct files_entry *entries;
	unsigned n_entries;
	const struct sp_log *log;
	/** Appends what there is to read of an entry. */
	void (*read)(void *ctx, unsigned entry, const struct files_peer *peer, struct sp_buf *ret);
	/** Takes what was written, or the beginning of it: returns how many bytes; 0: it takes no more. */
	size_t (*write)(void *ctx, unsigned entry, const struct files_peer *peer, const char *text, size_t size);
	void *ctx;
};

struct files;

/** Makes the folder and the files. */
struct sp_err *files_create(const struct files_input *input, struct files **ret);
/** Can be read when there is something to do for files_serve(). */
int files_fd(const struct files *files);
/** False: the files are gone, as somebody has unmounted them. */
bool files_serve(struct files *files);
/** Takes the files and the folder away. NULL is fine. */
void files_destroy(struct files *files);

// ---- how they are made

struct files_system {
	/** Makes the files in `folder`, which is there and empty. */
	struct sp_err *(*create)(const struct files_input *input, const char *folder, void **ret);
	int (*fd)(const void *files);
	bool (*serve)(void *files);
	/** Takes them away; the folder stays. */
	void (*destroy)(void *files);
};

extern const struct files_system files_fuse, files_fifo;

// ---- files_folder.c

struct files_folder {
	char *path;
	char *link; // NULL: none
	char *lock_path;
	int lock;
	pid_t guard; // 0: none
};

/** Takes away what sessions have left that are gone, and makes a folder. */
struct sp_err *files_folder_create(const struct files_input *input, struct files_folder *ret);
/** A zeroed one is fine. */
void files_folder_remove(struct files_folder *folder);

#endif
