// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // dladdr
// What is kept of processes that have ended: the last 4,096, fewer when their symbols need more than 64 MB.
#include "runtime/print/symbols.h"

#include "expect.h"

#include <dlfcn.h>

#define FIRST 100000

static void start(struct processes *processes, pid_t pid, ino_t inode, const char *path)
{
	struct image_mapping code = { .start = 0x1000, .end = 0x2000, .executable = true, .dev = 1, .inode = inode, .path = path };

	processes_events.map(processes, pid, &code);
}

static void test_many(void)
{
	const pid_t last = FIRST + 3 * PROCESSES_ENDED_MAX - 1;
	struct symbols *symbols = symbols_create(0);
	struct processes *processes = symbols_processes(symbols);

	symbols_set_recorded(symbols, true); // /proc is not asked
	for (pid_t pid = FIRST; pid <= last; pid++) {
		start(processes, pid, (ino_t)pid, "/none");
		if (pid != FIRST + 7)
			processes_events.exit(processes, pid);
	}
	EXPECT(!symbols_knows(symbols, FIRST));
	EXPECT(symbols_knows(symbols, FIRST + 7));
	EXPECT(!symbols_knows(symbols, last - PROCESSES_ENDED_MAX));
	EXPECT(symbols_knows(symbols, last - PROCESSES_ENDED_MAX + 1));
	EXPECT(symbols_knows(symbols, last));
	EXPECT_NUM((long long)processes->files.n_live, PROCESSES_ENDED_MAX + 1);
	symbols_destroy(symbols);
}

// Each process runs a program of its own, whose symbols are those of `path`, a large file, and goes on with another that all run.
static void test_large(const char *path)
{
	struct symbols_file *file = symbols_file_open(path);
	size_t size = symbols_file_size(file);
	pid_t n = (pid_t)(PROCESSES_IDLE_MAX / size) + 10, last = FIRST + 2 * n - 1;
	struct symbols *symbols = symbols_create(0);
	struct processes *processes = symbols_processes(symbols);

	symbols_file_close(file);
	symbols_set_recorded(symbols, true);
	start(processes, 1, 1, path);
	for (pid_t pid = FIRST; pid <= last; pid++) {
		processes_events.fork(processes, pid, 1);
		start(processes, pid, (ino_t)pid, path);
		processes_events.exit(processes, pid);
		EXPECT(processes->idle <= PROCESSES_IDLE_MAX + size);
	}
	EXPECT(!symbols_knows(symbols, last - n));
	EXPECT(symbols_knows(symbols, last - n + 20));
	EXPECT(symbols_knows(symbols, last));
	EXPECT(processes_find(processes, 1)->mappings.v[0].file->symbols);
	for (pid_t pid = last - n; pid <= last; pid++) // the same pids again
		processes_events.exec(processes, pid);
	processes_events.exec(processes, 1);
	start(processes, 1, 1, path);
	processes_events.exec(processes, 1);
	EXPECT_NUM((long long)processes->idle, 0);
	symbols_destroy(symbols);
}

int main(void)
{
	Dl_info libc;

	EXPECT(dladdr(dlsym(RTLD_DEFAULT, "printf"), &libc));
	test_many();
	test_large(libc.dli_fname);
	return expect_status();
}
