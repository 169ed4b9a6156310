// SPDX-License-Identifier: GPL-2.0-or-later
// The index of names: of this program itself, saved and read again, damaged, and in folders that are not ours.
#include "compiler/cache/cache.h"
#include "compiler/debug/index/dw_index.h"

#include "expect.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct names_test_marker {
	int member;
};

enum names_test_color { NAMES_TEST_RED };

typedef struct names_test_marker names_test_alias;

static bool servers_are_silent;
static const struct dw_search search = { .sysroot = "", .debuginfo_path = "", .servers_are_silent = &servers_are_silent };
static const struct dw_names_key key = { .build_id = "0123456789", .build_id_len = 10, .info_size = 99, .n_units = 3 };

__attribute__((noinline)) static int names_test_static(names_test_alias *alias)
{
	return alias->member += NAMES_TEST_RED;
}

static bool count(void *ctx, size_t unit)
{
	(void)unit;
	++*(size_t *)ctx;
	return false;
}

struct units_seen {
	size_t n, last;
};

static void see_unit(void *ctx, size_t unit, uint32_t die)
{
	struct units_seen *seen = ctx;

	(void)die;
	seen->n += !seen->n || seen->last != unit;
	seen->last = unit;
}

// How many units have a function whose name matches; the index of names is made, or a saved one is read.
static size_t units_of_funcs(struct dw_file *file, const char *pattern)
{
	struct units_seen seen = { 0 };

	EXPECT(dw_index_funcs(file, pattern, see_unit, &seen));
	return seen.n;
}

static size_t units_of(struct dw_file *file, const char *name, unsigned kinds)
{
	size_t n = 0;

	dw_index_with_name(file, name, kinds, count, &n);
	return n;
}

static struct dw_file *open_self(void)
{
	struct dw_file *file;

	EXPECT(!dw_file_open("/proc/self/exe", &search, &file));
	EXPECT(!dw_units_open(file));
	return file;
}

// The sanitizers link a unit of C++ in: such a program has no index. (fuzz_dwarf makes indexes of fixtures under them.)
static bool is_c_alone(void)
{
#if defined(__has_feature)
	return !__has_feature(address_sanitizer);
#elif defined(__SANITIZE_ADDRESS__)
	return false;
#else
	return true;
#endif
}

static void test_kinds(void)
{
	struct dw_file *file = open_self();

	EXPECT_NUM(units_of_funcs(file, "names_test_*"), 1);
	EXPECT_NUM(units_of_funcs(file, "dw_names_op[e]n"), 1);
	EXPECT_NUM(units_of(file, "names_test_static", DW_NAMES(DW_NAME_FUNC)), 1);
	EXPECT_NUM(units_of(file, "names_test_marker", DW_NAMES_TYPES), 1);
	EXPECT_NUM(units_of(file, "names_test_marker", DW_NAMES(DW_NAME_FUNC)), 0);
	EXPECT_NUM(units_of(file, "names_test_alias", DW_NAMES(DW_NAME_TYPE)), 1);
	EXPECT_NUM(units_of(file, "names_test_color", DW_NAMES(DW_NAME_ENUM)), 1);
	EXPECT_NUM(units_of(file, "names_test_absent", ~0u), 0);
	// A type is known by its first definition alone, a variable by all.
	EXPECT_NUM(units_of(file, "size_t", DW_NAMES_TYPES), 1);
	EXPECT(units_of(file, "expect_failures", DW_NAMES(DW_NAME_VAR)) == 1);
	dw_file_close(file);
}

// The path of the only file in the folder of saved indexes; false: there is none.
static bool saved_path(const char *home, char *ret, size_t size)
{
	char folder[256];
	DIR *dir;

	snprintf(folder, sizeof(folder), "%s/spile", home);
	*ret = '\0';
	if (!(dir = opendir(folder)))
		return false;
	for (struct dirent *entry; (entry = readdir(dir));)
		if (*entry->d_name != '.')
			snprintf(ret, size, "%s/%s", folder, entry->d_name);
	closedir(dir);
	return *ret;
}

static void expect_found(void)
{
	struct dw_file *file = open_self();

	EXPECT_NUM(units_of_funcs(file, "names_test_*"), 1);
	dw_file_close(file);
}

// What an index with another name in place of ours would hide.
static void rename_in(const char *path)
{
	static const char name[] = "names_test_static";
	struct stat st;
	int fd = open(path, O_RDWR | O_CLOEXEC);

	EXPECT(fd >= 0 && !fstat(fd, &st));
	char *bytes = sp_malloc((size_t)st.st_size);
	EXPECT(pread(fd, bytes, (size_t)st.st_size, 0) == st.st_size);
	for (off_t at = 0; at + (off_t)sizeof(name) <= st.st_size; at++)
		if (!memcmp(bytes + at, name, sizeof(name)))
			EXPECT_NUM(pwrite(fd, "x", 1, at), 1);
	free(bytes);
	close(fd);
}

// What was saved is used, and what is wrong with it does no harm.
static void test_saved(const char *home)
{
	enum { WHOLE, SHORTER, SHORT, EMPTY, RENAMED, NOT_OURS, N_WAYS };
	char path[600];
	struct stat st;

	if (!saved_path(home, path, sizeof(path))) { // a linker that writes no build-id
		printf("nothing was saved\n");
		return;
	}
	EXPECT(!stat(path, &st) && (st.st_mode & 0777) == 0600);
	for (int way = 0; way < N_WAYS; way++) {
		if (way == RENAMED)
			rename_in(path);
		else if (way == NOT_OURS)
			EXPECT(geteuid() || !chown(path, 1, 1));
		else
			EXPECT(!truncate(path, way == WHOLE ? st.st_size : way == SHORTER ? st.st_size - 1 :
						way == SHORT ? 10 : 0));
		expect_found();
		struct stat now;
		EXPECT(!stat(path, &now) && now.st_size == st.st_size && now.st_uid == geteuid()); // made anew
		EXPECT(way == WHOLE || now.st_ino != st.st_ino || way == NOT_OURS);
		st = now;
	}
}

// Neither a folder that cannot be had nor a full disk (which a limit of a file's size stands for) changes an answer, and
// nothing is left of what could not be written.
static void test_not_saved(const char *home)
{
	static const uint8_t large[9000];
	struct rlimit before, small;
	char path[600], file[300];

	EXPECT(!getrlimit(RLIMIT_FSIZE, &before));
	small = (struct rlimit){ 4096, before.rlim_max };
	if (saved_path(home, path, sizeof(path)))
		EXPECT(!unlink(path));
	signal(SIGXFSZ, SIG_IGN);
	EXPECT(!setrlimit(RLIMIT_FSIZE, &small));
	expect_found();
	struct sp_err *err = cache_save("full", large, sizeof(large));
	EXPECT(err);
	sp_err_free(err);
	EXPECT(!setrlimit(RLIMIT_FSIZE, &before));
	signal(SIGXFSZ, SIG_DFL);
	snprintf(path, sizeof(path), "%s/spile", home);
	EXPECT(!rmdir(path)); // which is empty

	snprintf(file, sizeof(file), "%s/file", home);
	close(open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	EXPECT(!setenv("XDG_CACHE_HOME", file, 1));
	expect_found();
	EXPECT(!setenv("XDG_CACHE_HOME", home, 1));
	EXPECT(!unlink(file));
}

#define TURN_SIZE 200000
#define TURNS 50

static void save_in_turns(uint8_t letter)
{
	uint8_t *bytes = memset(sp_malloc(TURN_SIZE), letter, TURN_SIZE);
	int status = 0;

	for (int i = 0; i < TURNS; i++) {
		struct sp_err *err = cache_save("turns", bytes, TURN_SIZE);
		status |= err != NULL;
		sp_err_free(err);
	}
	free(bytes);
	_exit(status);
}

// Of two that write at once one has written last, and nobody sees a part, or something of both.
static void test_two_writers(void)
{
	static const uint8_t first[TURN_SIZE] = { 'c' };
	struct cache_mapped cached;
	pid_t writers[2];

	EXPECT(!cache_save("turns", first, TURN_SIZE));
	for (int i = 0; i < 2; i++)
		if (!(writers[i] = fork()))
			save_in_turns((uint8_t)('a' + i));
	for (int i = 0; i < TURNS; i++) {
		EXPECT(!cache_map("turns", &cached) && cached.size == TURN_SIZE);
		EXPECT(*cached.bytes == 'c' || !memcmp(cached.bytes, cached.bytes + 1, TURN_SIZE - 1));
		cache_unmap(&cached);
	}
	for (int i = 0; i < 2; i++) {
		int status;
		EXPECT(waitpid(writers[i], &status, 0) == writers[i] && status == 0);
	}
}

static void test_folder(const char *home)
{
	static const uint8_t text[] = "text";
	char path[300];
	struct cache_mapped cached;

	EXPECT(!cache_save("a", text, sizeof(text)));
	EXPECT(!cache_map("a", &cached));
	EXPECT(cached.size == sizeof(text) && memcmp(cached.bytes, text, sizeof(text)) == 0);
	cache_unmap(&cached);
	EXPECT(!cache_map("b", &cached) && !cached.bytes);
	snprintf(path, sizeof(path), "%s/spile/link", home);
	EXPECT(!symlink("a", path));
	struct sp_err *err = cache_map("link", &cached);
	EXPECT(err && !cached.bytes);
	sp_err_free(err);
	// Some 60 of a kind stay, and the last is one of them.
	for (int i = 0; i < 100; i++) {
		snprintf(path, sizeof(path), "%d.names", i);
		EXPECT(!cache_save(path, text, sizeof(text)));
	}
	int n_kept = 0;
	for (int i = 0; i < 100; i++) {
		snprintf(path, sizeof(path), "%s/spile/%d.names", home, i);
		n_kept += access(path, F_OK) == 0;
	}
	EXPECT_NUM(n_kept, 64);
	EXPECT(access(path, F_OK) == 0);
	EXPECT(!cache_map("a", &cached) && cached.bytes); // is of another
	cache_unmap(&cached);
	// Others may write to it.
	snprintf(path, sizeof(path), "%s/spile", home);
	EXPECT(!chmod(path, 0777));
	err = cache_map("a", &cached);
	EXPECT(err && !cached.bytes);
	EXPECT_HAS(err->message, "spile is not used as the cache");
	EXPECT_HAS(err->cause->message, "belongs to another user, or others can write it");
	sp_err_free(err);
	err = cache_save("c", text, sizeof(text));
	EXPECT(err);
	sp_err_free(err);
	EXPECT(!chmod(path, 0700));
	// A relative path is none.
	EXPECT(!setenv("XDG_CACHE_HOME", "relative", 1) && !setenv("HOME", "", 1));
	EXPECT(!cache_map("a", &cached) && !cached.bytes);
	err = cache_save("a", text, sizeof(text));
	EXPECT(err && access("relative", F_OK));
	sp_err_free(err);
}

static void test_of_another_file(void)
{
	struct dw_scan_source source = { 0 };
	struct dw_names_key empty = key, other;
	const uint8_t *bytes;
	size_t size;

	empty.n_units = 0;
	struct dw_names *names = dw_names_build(&source, NULL, &empty);
	EXPECT(names);
	bytes = dw_names_bytes(names, &size);
	struct dw_names *again = dw_names_open(bytes, size, &empty);
	EXPECT(again);
	dw_names_destroy(again);
	EXPECT(!dw_names_open(bytes, size, &key));
	other = empty;
	other.build_id[0]++;
	EXPECT(!dw_names_open(bytes, size, &other));
	other = empty;
	other.info_size++;
	EXPECT(!dw_names_open(bytes, size, &other));
	dw_names_destroy(names);
}

int main(void)
{
	char home[] = "/tmp/test_dw_names.XXXXXX", command[64];
	struct names_test_marker marker = { 1 };

	EXPECT(mkdtemp(home));
	EXPECT(!setenv("XDG_CACHE_HOME", home, 1));
	EXPECT_NUM(names_test_static(&marker), 1);
	test_of_another_file();
	if (is_c_alone()) {
		test_kinds();
		test_saved(home);
		test_not_saved(home);
	}
	test_two_writers();
	test_folder(home);
	snprintf(command, sizeof(command), "rm -rf %s", home);
	EXPECT(system(command) == 0);
	return expect_status();
}
