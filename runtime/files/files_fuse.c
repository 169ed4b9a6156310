// SPDX-License-Identifier: GPL-2.0-or-later
// The files as a file system of ours, by libfuse3, which is loaded when a script has such files.
#include "runtime/files/files.h"

#ifndef FUSE_SONAME

static struct sp_err *fuse_create(const struct files_input *input, const char *folder, void **ret)
{
	(void)input, (void)folder, (void)ret;
	return sp_err_new(SP_ERR_PRIVILEGE, "this build of spile has no libfuse3");
}

const struct files_system files_fuse = { .create = fuse_create };

#else

#define FUSE_USE_VERSION 35

#include "runtime/base/cleanup.h"
#include "runtime/base/vec.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse_lowlevel.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define KNOWN_SECONDS 1.0 // how long the kernel may remember names and permissions, which never change
#define MANY 100 // requests in a row: those who read all the time must not keep a signal from being seen

// fuse_session_new(), which is a macro in newer headers.
typedef struct fuse_session *new_session(struct fuse_args *args, const struct fuse_lowlevel_ops *ops, size_t size, void *userdata);

#define FUNCTIONS(F)                                                                                                              \
	F(fuse_session_mount) F(fuse_session_unmount) F(fuse_session_destroy) F(fuse_session_fd) F(fuse_session_receive_buf)            \
	F(fuse_session_process_buf) F(fuse_session_exited) F(fuse_req_ctx) F(fuse_reply_err) F(fuse_reply_entry) F(fuse_reply_attr)     \
	F(fuse_reply_open) F(fuse_reply_buf) F(fuse_reply_write) F(fuse_add_direntry) F(fuse_set_log_func) F(fuse_opt_free_args)

struct node {
	char *name;
	unsigned parent; // index; the root is 0
	bool is_folder;
	unsigned entry;
};

struct fuse_files {
	void *library;
	new_session *new_session;
#define MEMBER(name) __typeof__(name) *name;
	FUNCTIONS(MEMBER)
#undef MEMBER
	struct files_input input;
	SP_VEC(struct node) nodes; // node i is inode i + 1
	SP_VEC(struct opened *) opened; // files that somebody has open
	struct fuse_session *session;
	bool is_mounted;
	struct fuse_buf request;
};

// A file that somebody has open, and what it was when it was read from its start, or for the first time.
struct opened {
	struct sp_buf text;
	bool is_read;
};

// A request is all that the library hands over, so the function that tells whose it is has to be found by its name.
static struct fuse_files *files_of(fuse_req_t req)
{
	__typeof__(fuse_req_userdata) *userdata = (__typeof__(fuse_req_userdata) *)dlsym(RTLD_DEFAULT, "fuse_req_userdata");

	return userdata(req);
}

static struct files_peer peer_of(const struct fuse_files *f, fuse_req_t req)
{
	const struct fuse_ctx *ctx = f->fuse_req_ctx(req);

	return (struct files_peer){ ctx->pid, ctx->uid, ctx->gid };
}

// ---- the tree -------------------------------------------------------------------------------------------------------

static bool find_child(const struct fuse_files *f, unsigned parent, const char *name, size_t len, unsigned *ret)
{
	for (unsigned i = 1; i < f->nodes.n; i++)
		if (f->nodes.v[i].parent == parent && sp_is_word(name, len, f->nodes.v[i].name)) {
			*ret = i;
			return true;
		}
	return false;
}

static struct sp_err *add_entry(struct fuse_files *f, unsigned entry)
{
	const char *name = f->input.entries[entry].name, *part = name;
	unsigned parent = 0, at;

	for (;; part++) {
		size_t len = strcspn(part, "/");
		bool is_folder = part[len], is_there = find_child(f, parent, part, len, &at);

		if (is_there && (!is_folder || !f->nodes.v[at].is_folder))
			return sp_err_new(SP_ERR_USAGE, "procfs(\"%s\") is both a file and a folder", name);
		if (!is_there) {
			at = (unsigned)f->nodes.n;
			sp_vec_push(&f->nodes, ((struct node){ sp_strndup(part, len), parent, is_folder, entry }));
		}
		if (!is_folder)
			return NULL;
		parent = at;
		part += len;
	}
}

static bool is_for_others(const struct files_input *input)
{
	for (unsigned i = 0; i < input->n_entries; i++)
		if (input->entries[i].mode & 077)
			return true;
	return false;
}

static bool describe(const struct fuse_files *f, fuse_ino_t ino, struct stat *ret)
{
	const struct node *node = ino >= 1 && ino <= f->nodes.n ? &f->nodes.v[ino - 1] : NULL;

	if (!node)
		return false;
	*ret = (struct stat){ .st_ino = ino, .st_nlink = 1, .st_uid = geteuid(), .st_gid = getegid() };
	ret->st_mode = node->is_folder ? S_IFDIR | (is_for_others(&f->input) ? 0755 : 0700) : S_IFREG | f->input.entries[node->entry].mode;
	return true;
}

// ---- requests -------------------------------------------------------------------------------------------------------

static void do_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fuse_files *f = files_of(req);
	struct fuse_entry_param entry = { .attr_timeout = KNOWN_SECONDS, .entry_timeout = KNOWN_SECONDS };
	unsigned at;

	if (!find_child(f, (unsigned)parent - 1, name, strlen(name), &at)) {
		f->fuse_reply_err(req, ENOENT);
		return;
	}
	entry.ino = at + 1;
	describe(f, entry.ino, &entry.attr);
	f->fuse_reply_entry(req, &entry);
}

static void do_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *info)
{
	struct fuse_files *f = files_of(req);
	struct stat st;

	(void)info;
	if (describe(f, ino, &st))
		f->fuse_reply_attr(req, &st, KNOWN_SECONDS);
	else
		f->fuse_reply_err(req, ENOENT);
}

// `echo 1 >FILE` makes the file empty before it writes.
static void do_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *wanted, int what, struct fuse_file_info *info)
{
	struct fuse_files *f = files_of(req);

	(void)wanted;
	if (what & (FUSE_SET_ATTR_MODE | FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID))
		f->fuse_reply_err(req, EPERM);
	else
		do_getattr(req, ino, info);
}

static void do_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *info)
{
	struct fuse_files *f = files_of(req);
	const struct files_entry *entry = &f->input.entries[f->nodes.v[ino - 1].entry];
	int access = info->flags & O_ACCMODE;
	struct opened *opened;

	// Root may open what nobody can read or write.
	if ((access != O_WRONLY && !(entry->mode & 0444)) || (access != O_RDONLY && !(entry->mode & 0222))) {
		f->fuse_reply_err(req, EACCES);
		return;
	}
	opened = sp_calloc(1, sizeof(*opened));
	info->fh = (uint64_t)(uintptr_t)opened;
	info->direct_io = 1; // a size is not known before it is read
	if (f->fuse_reply_open(req, info))
		free(opened);
	else
		sp_vec_push(&f->opened, opened);
}

static void close_file(struct opened *opened)
{
	sp_buf_deinit(&opened->text);
	free(opened);
}

static void do_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *info)
{
	struct opened *opened = (struct opened *)(uintptr_t)info->fh;
	struct fuse_files *f = files_of(req);

	(void)ino;
	for (size_t i = 0; i < f->opened.n; i++)
		if (f->opened.v[i] == opened)
			f->opened.v[i] = sp_vec_pop(&f->opened);
	close_file(opened);
	f->fuse_reply_err(req, 0);
}

static void do_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, struct fuse_file_info *info)
{
	struct fuse_files *f = files_of(req);
	struct opened *opened = (struct opened *)(uintptr_t)info->fh;
	struct files_peer peer = peer_of(f, req);
	size_t from;

	if (!offset || !opened->is_read) {
		opened->is_read = true;
		sp_buf_clear(&opened->text);
		f->input.read(f->input.ctx, f->nodes.v[ino - 1].entry, &peer, &opened->text);
	}
	from = SP_MIN((size_t)offset, opened->text.len);
	f->fuse_reply_buf(req, sp_buf_str(&opened->text) + from, SP_MIN(size, opened->text.len - from));
}

static void do_write(fuse_req_t req, fuse_ino_t ino, const char *text, size_t size, off_t offset, struct fuse_file_info *info)
{
	struct fuse_files *f = files_of(req);
	struct files_peer peer = peer_of(f, req);
	size_t taken = f->input.write(f->input.ctx, f->nodes.v[ino - 1].entry, &peer, text, size);

	(void)offset, (void)info;
	if (taken || !size)
		f->fuse_reply_write(req, taken);
	else
		f->fuse_reply_err(req, EIO);
}

static void do_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, struct fuse_file_info *info)
{
	struct fuse_files *f = files_of(req);
	sp_cleanup_free char *names = sp_malloc(size);
	size_t used = 0;

	(void)info;
	// The first two are "." and "..".
	for (unsigned i = (unsigned)offset; i < f->nodes.n + 2; i++) {
		unsigned at = i < 2 ? 0 : i - 2;
		struct stat st;
		size_t n;

		if (i >= 2 && (!at || f->nodes.v[at].parent != ino - 1))
			continue;
		describe(f, i < 2 ? ino : at + 1, &st);
		n = f->fuse_add_direntry(req, names + used, size - used, !i ? "." : i == 1 ? ".." : f->nodes.v[at].name, &st, i + 1);
		if (n > size - used)
			break;
		used += n;
	}
	f->fuse_reply_buf(req, names, used);
}

// The files are the script's: nobody makes others, takes them away or calls them by another name.
static void refuse(fuse_req_t req)
{
	files_of(req)->fuse_reply_err(req, EPERM);
}

static void do_mknod(fuse_req_t req, fuse_ino_t parent SP_UNUSED, const char *name SP_UNUSED, mode_t mode SP_UNUSED, dev_t device SP_UNUSED)
{
	refuse(req);
}

static void do_mkdir(fuse_req_t req, fuse_ino_t parent SP_UNUSED, const char *name SP_UNUSED, mode_t mode SP_UNUSED)
{
	refuse(req);
}

static void do_remove(fuse_req_t req, fuse_ino_t parent SP_UNUSED, const char *name SP_UNUSED)
{
	refuse(req);
}

static void do_symlink(fuse_req_t req, const char *link SP_UNUSED, fuse_ino_t parent SP_UNUSED, const char *name SP_UNUSED)
{
	refuse(req);
}

static void do_rename(fuse_req_t req, fuse_ino_t parent SP_UNUSED, const char *name SP_UNUSED, fuse_ino_t new_parent SP_UNUSED,
		      const char *new_name SP_UNUSED, unsigned flags SP_UNUSED)
{
	refuse(req);
}

static const struct fuse_lowlevel_ops operations = {
	.lookup = do_lookup,
	.getattr = do_getattr,
	.setattr = do_setattr,
	.open = do_open,
	.read = do_read,
	.write = do_write,
	.release = do_release,
	.readdir = do_readdir,
	.mknod = do_mknod,
	.mkdir = do_mkdir,
	.unlink = do_remove,
	.rmdir = do_remove,
	.symlink = do_symlink,
	.rename = do_rename,
};

// ---- the session ----------------------------------------------------------------------------------------------------

// *ret is a pointer to that function.
static struct sp_err *find(void *library, const char *name, void *ret)
{
	void *function = dlsym(library, name);

	if (!function)
		return sp_err_new(SP_ERR_PRIVILEGE, FUSE_SONAME " has no %s()", name);
	memcpy(ret, &function, sizeof(function));
	return NULL;
}

static struct sp_err *load_library(struct fuse_files *f)
{
	// Global, because of files_of().
	f->library = dlopen(FUSE_SONAME, RTLD_NOW | RTLD_GLOBAL);
	if (!f->library)
		return sp_err_new(SP_ERR_PRIVILEGE, "libfuse3 is not installed (Debian: fuse3)");
#define FIND(name) SP_TRY(find(f->library, #name, &f->name));
	FUNCTIONS(FIND)
#undef FIND
	return find(f->library, "fuse_session_new", &f->new_session);
}

static void be_silent(enum fuse_log_level level, const char *format, va_list args)
{
	(void)level, (void)format, (void)args;
}

static struct sp_err *mount_at(struct fuse_files *f, const char *folder)
{
	bool is_shared = is_for_others(&f->input);
	char options[96], name[] = "spile", option[] = "-o";
	struct fuse_args args = { .argc = 3, .argv = (char *[]){ name, option, options, NULL } };

	if (access("/dev/fuse", R_OK | W_OK))
		return sp_err_errno(errno, "cannot use /dev/fuse");
	snprintf(options, sizeof(options), "fsname=spile,subtype=spile,default_permissions,nosuid,nodev,noexec%s", is_shared ? ",allow_other" : "");
	f->fuse_set_log_func(be_silent);
	f->session = f->new_session(&args, &operations, sizeof(operations), f);
	f->fuse_opt_free_args(&args); // it may have put others in their place
	if (!f->session)
		return sp_err_new(SP_ERR_SYSTEM, "libfuse3 takes no such options: %s", options);
	if (f->fuse_session_mount(f->session, folder))
		return sp_err_new(SP_ERR_PRIVILEGE, "cannot mount a file system at %s (%s)", folder,
				  is_shared && geteuid() ? "for others it takes user_allow_other in /etc/fuse.conf" :
				  geteuid()		 ? "it takes fusermount3, Debian: fuse3" :
							   "it takes the privilege to mount");
	f->is_mounted = true;
	if (fcntl(f->fuse_session_fd(f->session), F_SETFL, O_NONBLOCK))
		return sp_err_errno(errno, "fcntl");
	return NULL;
}

static void fuse_destroy(void *files)
{
	struct fuse_files *f = files;

	if (f->is_mounted)
		f->fuse_session_unmount(f->session);
	if (f->session)
		f->fuse_session_destroy(f->session);
	free(f->request.mem);
	sp_vec_each(opened, &f->opened)
		close_file(*opened);
	sp_vec_deinit(&f->opened);
	sp_vec_each(node, &f->nodes)
		free(node->name);
	sp_vec_deinit(&f->nodes);
	// The library stays loaded: it is not made to be taken away.
	free(f);
}

static struct sp_err *fuse_create(const struct files_input *input, const char *folder, void **ret)
{
	struct fuse_files *f = sp_calloc(1, sizeof(*f));
	struct sp_err *err = load_library(f);

	f->input = *input;
	sp_vec_push(&f->nodes, ((struct node){ .name = sp_strdup(""), .parent = UINT32_MAX, .is_folder = true }));
	for (unsigned i = 0; i < input->n_entries && !err; i++)
		err = add_entry(f, i);
	if (!err)
		err = mount_at(f, folder);
	if (err) {
		fuse_destroy(f);
		return err;
	}
	*ret = f;
	return NULL;
}

static int fuse_fd(const void *files)
{
	const struct fuse_files *f = files;

	return f->fuse_session_fd(f->session);
}

static bool fuse_serve(void *files)
{
	struct fuse_files *f = files;
	int size;

	for (unsigned i = 0; i < MANY && !f->fuse_session_exited(f->session) &&
			     (size = f->fuse_session_receive_buf(f->session, &f->request)) != -EAGAIN; i++)
		if (size > 0)
			f->fuse_session_process_buf(f->session, &f->request);
		else if (size != -EINTR)
			break;
	return !f->fuse_session_exited(f->session);
}

const struct files_system files_fuse = { fuse_create, fuse_fd, fuse_serve, fuse_destroy };

#endif
