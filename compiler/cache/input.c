// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // dl_iterate_phdr
#include "compiler/cache/input.h"

#include "compiler/cache/elf_id.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"
#include "runtime/base/sha256.h"
#include "runtime/base/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <link.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>

// The clock of file systems stands still between two ticks of the kernel, of 10 ms at most; FAT's for 2 seconds.
#define TICK_NS 20000000
#define COARSE_SECONDS 2
#define MAX_BYTES (1u << 20) // of a file that the kernel makes
#define FILE_IDENTITY 81 // bytes

void inputs_init(struct inputs *inputs)
{
	*inputs = (struct inputs){ 0 };
	pthread_mutex_init(&inputs->lock, NULL);
	clock_gettime(CLOCK_REALTIME, &inputs->since);
}

void inputs_deinit(struct inputs *inputs)
{
	pthread_mutex_destroy(&inputs->lock);
	sp_hash_deinit(&inputs->known);
	sp_buf_deinit(&inputs->bytes);
	free(inputs->obstacle);
	inputs->obstacle = NULL;
}

void inputs_obstacle(struct inputs *inputs, const char *fmt, ...)
{
	struct sp_buf why = { 0 };
	va_list args;

	va_start(args, fmt);
	sp_buf_vprintf(&why, fmt, args);
	va_end(args);
	pthread_mutex_lock(&inputs->lock);
	if (!inputs->obstacle)
		inputs->obstacle = sp_buf_take(&why);
	pthread_mutex_unlock(&inputs->lock);
	sp_buf_deinit(&why);
}

static bool is_process(const char *path)
{
	return sp_starts_with(path, "/proc/") && path[6] >= '0' && path[6] <= '9';
}

// ---- values ---------------------------------------------------------------------------------------------------------

static void add_number(struct sp_buf *out, uint64_t number)
{
	sp_buf_add(out, &number, sizeof(number));
}

static void add_missing(struct sp_buf *out, int error)
{
	sp_buf_putc(out, '-');
	add_number(out, (uint64_t)error);
}

// `with_times`: also what changes with the content.
static void add_identity(struct sp_buf *out, const struct stat *st, bool with_times)
{
	const uint64_t who[] = { st->st_mode, st->st_uid, st->st_gid, st->st_dev, st->st_ino };
	const uint64_t when[] = { (uint64_t)st->st_size, (uint64_t)st->st_mtim.tv_sec, (uint64_t)st->st_mtim.tv_nsec,
				  (uint64_t)st->st_ctim.tv_sec, (uint64_t)st->st_ctim.tv_nsec };

	_Static_assert(FILE_IDENTITY == 1 + sizeof(who) + sizeof(when), "all of it");
	sp_buf_putc(out, '+');
	sp_buf_add(out, who, sizeof(who));
	if (with_times)
		sp_buf_add(out, when, sizeof(when));
}

static void take_file(const char *path, bool is_folder, struct sp_buf *out)
{
	struct stat st;

	if (stat(path, &st))
		add_missing(out, errno);
	else
		add_identity(out, &st, is_folder || !S_ISDIR(st.st_mode));
}

static void take_link(const char *path, struct sp_buf *out)
{
	char text[PATH_MAX];
	ssize_t len = readlink(path, text, sizeof(text));

	if (len < 0)
		add_missing(out, errno);
	else
		sp_buf_add(out, text, (size_t)len);
}

static void take_real(const char *path, struct sp_buf *out)
{
	sp_cleanup_free char *real = realpath(path, NULL);

	if (real)
		sp_buf_puts(out, real);
	else
		add_missing(out, errno);
}

static void take_env(const char *name, struct sp_buf *out)
{
	const char *value = sp_env(name);

	sp_buf_putc(out, value ? '+' : '-');
	sp_buf_puts(out, value ? value : "");
}

static void take_glob(const char *pattern, struct sp_buf *out)
{
	glob_t found;

	if (glob(pattern, GLOB_NOESCAPE, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		sp_buf_add(out, found.gl_pathv[i], strlen(found.gl_pathv[i]) + 1);
	globfree(&found);
}

static bool read_fd(int fd, struct sp_buf *out)
{
	char chunk[16384];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) > 0 && out->len < MAX_BYTES)
		sp_buf_add(out, chunk, (size_t)n);
	return n == 0;
}

// What follows the identity of a file. It is not compared: a file with the same identity has the same content.
static void add_build_id(const char *path, struct sp_buf *out)
{
	uint8_t id[SP_BUILD_ID_MAX];

	if (out->len == FILE_IDENTITY)
		sp_buf_add(out, id, elf_id_read(path, id));
}

// The lines of /proc/PID/maps that are of files: the others change as the process takes memory, and nobody asks for them.
static void leave_files(struct sp_buf *text)
{
	size_t len = 0;

	for (size_t at = 0, next; at < text->len; at = next) {
		const char *end = memchr(text->data + at, '\n', text->len - at);

		next = end ? (size_t)(end - text->data) + 1 : text->len;
		if (!memchr(text->data + at, '/', next - at))
			continue;
		memmove(text->data + len, text->data + at, next - at);
		len += next - at;
	}
	text->len = len;
}

// The digest of a file that the kernel makes.
static bool take_bytes(int folder, const char *path, struct sp_buf *out)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	// Below /proc/PID/root is what the owner of that process likes, pipes, too.
	sp_cleanup_close int fd = openat(folder, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	uint8_t digest[SP_SHA256_SIZE];

	if (fd < 0) {
		add_missing(out, errno);
		return true;
	}
	if (!read_fd(fd, &text))
		return false;
	if (is_process(path))
		leave_files(&text);
	sp_sha256(text.data, text.len, digest);
	sp_buf_add(out, digest, sizeof(digest));
	return true;
}

// Of "NAME SIZE USES USERS STATE ADDRESS" all but who uses the module, which changes and adds no symbols.
static bool take_modules(struct sp_buf *out)
{
	sp_cleanup_fclose FILE *f = fopen("/proc/modules", "re");
	sp_cleanup_free char *line = NULL;
	size_t cap = 0;

	while (f && getline(&line, &cap, f) > 0) {
		char name[128], size[32], state[32], address[32];

		if (sscanf(line, "%127s %31s %*s %*s %31s %31s", name, size, state, address) != 4)
			return false;
		sp_buf_printf(out, "%s %s %s %s\n", name, size, state, address);
	}
	return !f || feof(f); // a kernel may have no modules at all
}

// What decides on the symbols, types and tracepoints of the running kernel.
static bool take_kernel(struct sp_buf *out)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf all = { 0 };
	sp_cleanup_close int tracefs = sp_tracefs_open(R_OK | X_OK);
	uint8_t digest[SP_SHA256_SIZE];
	bool ok = take_bytes(AT_FDCWD, "/proc/sys/kernel/random/boot_id", &all) &&
		  take_bytes(AT_FDCWD, "/proc/sys/kernel/kptr_restrict", &all) && take_modules(&all) &&
		  (tracefs < 0 || take_bytes(tracefs, "dynamic_events", &all)) && take_bytes(AT_FDCWD, "/sys/kernel/security/lockdown", &all);

	sp_sha256(all.data, all.len, digest);
	sp_buf_add(out, digest, sizeof(digest));
	return ok;
}

// The lines of /proc/self/status that say what this process may ask of the kernel.
static bool take_status(struct sp_buf *out)
{
	sp_cleanup_fclose FILE *f = fopen("/proc/self/status", "re");
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (sp_starts_with(line, "Cap") || sp_starts_with(line, "NoNewPrivs") || sp_starts_with(line, "Seccomp"))
			sp_buf_puts(out, line);
	return f && feof(f);
}

// What decides on what the kernel lets this process do. To try it out, as the description of the machine does, takes long: programs
// are loaded, attached and detached.
static bool take_target(struct sp_buf *out)
{
	static const char *const files[] = {
		"/proc/sys/kernel/random/boot_id", "/proc/sys/kernel/unprivileged_bpf_disabled", "/proc/sys/kernel/perf_event_paranoid",
		"/proc/sys/kernel/yama/ptrace_scope", "/proc/sys/net/core/bpf_jit_enable", "/proc/sys/net/core/bpf_jit_harden",
		"/sys/kernel/security/lockdown", "/sys/kernel/security/lsm", "/proc/self/attr/current", "/sys/kernel/notes",
		"/sys/bus/event_source/devices/kprobe/type", "/sys/bus/event_source/devices/uprobe/type",
		"/sys/bus/event_source/devices/tracepoint/type",
	};
	sp_cleanup(sp_buf_deinit) struct sp_buf all = { 0 };
	uint8_t digest[SP_SHA256_SIZE];
	struct rlimit limit = { 0 };
	bool ok = take_status(&all);

	for (size_t i = 0; i < SP_ARRAY_SIZE(files); i++)
		take_bytes(AT_FDCWD, files[i], &all); // one that cannot be read has no value: this is one, too
	take_link("/proc/self/ns/user", &all);
	add_number(&all, (uint64_t)access("/sys/kernel/btf/vmlinux", R_OK));
	getrlimit(RLIMIT_MEMLOCK, &limit);
	add_number(&all, limit.rlim_cur);
	sp_sha256(all.data, all.len, digest);
	sp_buf_add(out, digest, sizeof(digest));
	return ok;
}

// Appends the value of an input; false: it has none that could be compared.
static bool take(enum input_kind kind, const char *name, struct sp_buf *out)
{
	switch (kind) {
	case INPUT_FILE:
	case INPUT_FOLDER:
		take_file(name, kind == INPUT_FOLDER, out);
		return true;
	case INPUT_LINK:
		take_link(name, out);
		return true;
	case INPUT_REAL:
		take_real(name, out);
		return true;
	case INPUT_BYTES:
		return take_bytes(AT_FDCWD, name, out);
	case INPUT_GLOB:
		take_glob(name, out);
		return true;
	case INPUT_ENV:
		take_env(name, out);
		return true;
	case INPUT_KERNEL:
		return *name || take_kernel(out); // one value for all of them: that of the name ""
	case INPUT_TARGET:
		return take_target(out);
	}
	return false;
}

// ---- noting -------------------------------------------------------------------------------------------------------------

static void add_input(struct inputs *inputs, enum input_kind kind, const char *name, const void *value, size_t size)
{
	const uint32_t sizes[2] = { (uint32_t)strlen(name) + 1, (uint32_t)size };

	sp_buf_putc(&inputs->bytes, (char)kind);
	sp_buf_add(&inputs->bytes, sizes, sizeof(sizes));
	sp_buf_add(&inputs->bytes, name, sizes[0]);
	sp_buf_add(&inputs->bytes, value, size);
	inputs->n++;
}

static bool is_known(struct inputs *inputs, enum input_kind kind, const char *name)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf key = { 0 };
	bool known;
	void **slot;

	sp_buf_printf(&key, "%c%s", kind, name);
	pthread_mutex_lock(&inputs->lock);
	slot = sp_hash_insert(&inputs->known, key.data, key.len);
	known = *slot;
	*slot = inputs;
	pthread_mutex_unlock(&inputs->lock);
	return known;
}

static int64_t ns_between(struct timespec from, struct timespec to)
{
	return (int64_t)(to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec;
}

// A change that is made later in the same tick would not show.
static bool is_fresh(const struct stat *st, struct timespec now)
{
	bool is_coarse = !st->st_mtim.tv_nsec && !st->st_ctim.tv_nsec;
	int64_t least = is_coarse ? COARSE_SECONDS * INT64_C(1000000000) : TICK_NS;

	return ns_between(st->st_mtim, now) < least || ns_between(st->st_ctim, now) < least;
}

static void check_fresh(struct inputs *inputs, const char *path, struct timespec before)
{
	struct stat st;

	if (stat(path, &st) == 0 && is_fresh(&st, before))
		inputs_obstacle(inputs, "%s was just changed", path);
}

static void note_taken(struct inputs *inputs, enum input_kind kind, const char *name)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf value = { 0 };

	if (is_known(inputs, kind, name))
		return;
	if (!take(kind, name, &value)) {
		inputs_obstacle(inputs, "%s cannot be compared", name);
		return;
	}
	if (kind == INPUT_FILE)
		add_build_id(name, &value);
	pthread_mutex_lock(&inputs->lock);
	add_input(inputs, kind, name, value.data, value.len);
	pthread_mutex_unlock(&inputs->lock);
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

// Of the files in /proc and /sys times tell nothing. Files of this process say nothing of the result; those of another process are
// an obstacle.
static void note_virtual(struct inputs *inputs, enum input_kind kind, const char *path, long type)
{
	bool is_state = type == TRACEFS_MAGIC || type == DEBUGFS_MAGIC || sp_starts_with(path, "/sys/kernel/btf") ||
			sp_streq(path, "/proc/kallsyms") || sp_streq(path, "/proc/modules");

	if (sp_starts_with(path, "/proc/self/"))
		return;
	if (is_state) {
		note_taken(inputs, INPUT_KERNEL, "");
		note_taken(inputs, INPUT_KERNEL, path);
	} else if (kind == INPUT_FILE) {
		// A folder that a file is looked for in: a mount there gives it another identity.
		note_taken(inputs, is_folder(path) ? INPUT_FILE : INPUT_BYTES, path);
	} else {
		inputs_obstacle(inputs, "%s took part", path);
	}
}

// Which program a process runs, and what it has mapped. What is below its root folder is found in ways that are not noted.
static bool is_comparable(const char *path)
{
	const char *part = strchr(path + strlen("/proc/"), '/');

	return part && (sp_streq(part, "/exe") || sp_streq(part, "/maps") || sp_streq(part, "/root") || sp_starts_with(part, "/map_files/"));
}

static bool is_virtual(long type)
{
	return type == TRACEFS_MAGIC || type == DEBUGFS_MAGIC || type == PROC_SUPER_MAGIC || type == SYSFS_MAGIC ||
	       type == SECURITYFS_MAGIC || type == CGROUP2_SUPER_MAGIC || type == CGROUP_SUPER_MAGIC;
}

void inputs_note(struct inputs *inputs, enum input_kind kind, const char *name)
{
	bool is_path = kind == INPUT_FILE || kind == INPUT_FOLDER;
	struct timespec now;
	struct statfs fs;

	if ((is_path || kind == INPUT_LINK || kind == INPUT_REAL) && is_process(name) && !is_comparable(name)) {
		inputs_obstacle(inputs, "%s took part, which is of a process that runs", name);
		return;
	}
	if (is_path && statfs(name, &fs) == 0) {
		if (is_virtual((long)fs.f_type)) {
			note_virtual(inputs, kind, name, (long)fs.f_type);
			return;
		}
		clock_gettime(CLOCK_REALTIME, &now);
		check_fresh(inputs, name, now);
	}
	if (kind == INPUT_KERNEL && *name)
		note_taken(inputs, kind, "");
	note_taken(inputs, kind, name);
}

void inputs_note_opened(struct inputs *inputs, const char *path)
{
	inputs_note(inputs, INPUT_FILE, path);
	check_fresh(inputs, path, inputs->since);
}

static int note_object(struct dl_phdr_info *info, size_t size SP_UNUSED, void *ctx)
{
	struct inputs *inputs = ctx;

	if (strchr(info->dlpi_name, '/'))
		inputs_note_opened(inputs, info->dlpi_name);
	return 0;
}

void inputs_note_loaded(struct inputs *inputs)
{
	char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	dl_iterate_phdr(note_object, inputs);
	inputs_note(inputs, INPUT_FILE, "/etc/ld.so.cache");
	if (len <= 0) {
		inputs_obstacle(inputs, "this program cannot be found");
		return;
	}
	path[len] = '\0';
	inputs_note_opened(inputs, path);
}

// ---- checking -------------------------------------------------------------------------------------------------------

bool input_next(const uint8_t **at, const uint8_t *end, struct input *ret)
{
	size_t left = (size_t)(end - *at);
	uint32_t sizes[2];
	const char *name;

	if (left < 1 + sizeof(sizes))
		return false;
	memcpy(sizes, *at + 1, sizeof(sizes));
	left -= 1 + sizeof(sizes);
	name = (const char *)*at + 1 + sizeof(sizes);
	if (!sizes[0] || sizes[0] > left || sizes[1] > left - sizes[0] || name[sizes[0] - 1] || strlen(name) + 1 != sizes[0])
		return false;
	*ret = (struct input){ (enum input_kind)**at, name, (const uint8_t *)name + sizes[0], sizes[1], NULL, 0 };
	*at = ret->value + ret->size;
	if (ret->kind == INPUT_FILE && ret->size > FILE_IDENTITY && ret->size <= FILE_IDENTITY + SP_BUILD_ID_MAX) {
		ret->build_id = ret->value + FILE_IDENTITY;
		ret->build_id_len = (unsigned)(ret->size - FILE_IDENTITY);
		ret->size = FILE_IDENTITY;
	}
	return true;
}

bool input_holds(const struct input *input)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf value = { 0 };

	return take(input->kind, input->name, &value) && value.len == input->size &&
	       (!value.len || !memcmp(value.data, input->value, value.len));
}

const char *input_what(const struct input *input)
{
	bool is_missing = input->size && *input->value == '-';

	switch (input->kind) {
	case INPUT_FILE:
		return is_missing ? "no file" : "file";
	case INPUT_FOLDER:
		return is_missing ? "no folder" : "folder";
	case INPUT_LINK:
		return "link";
	case INPUT_REAL:
		return "path";
	case INPUT_BYTES:
		return "content";
	case INPUT_GLOB:
		return "pattern";
	case INPUT_ENV:
		return is_missing ? "no variable" : "variable";
	case INPUT_KERNEL:
		return "kernel";
	case INPUT_TARGET:
		return "target";
	}
	return "unknown";
}
