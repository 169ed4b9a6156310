// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // dladdr
// What is known of processes, and what is kept of those that have ended: the last 4,096, fewer when their symbols need more than 64 MB.
#include "runtime/machine/image.h"
#include "runtime/print/symbols.h"

#include "expect.h"

#include "runtime/print/symbols_file.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

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

// A process that maps code again and again: what it has unmapped is not kept.
static void test_remapped(void)
{
	struct processes processes = { 0 };

	for (unsigned i = 0; i < 3 * PROCESSES_MANY_MAPPINGS; i++)
		start(&processes, getpid(), 1, "/none");
	EXPECT(processes_find(&processes, getpid())->mappings.n <= PROCESSES_MANY_MAPPINGS);
	processes_deinit(&processes);
}

// Each process runs a program of its own, whose symbols are those of `path`, a large file, and goes on with another that all run.
static void test_large(const char *path)
{
	struct sp_err *unread = NULL;
	struct symbols_file *file = symbols_file_open(path, &unread);
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

// The rings of two processors are not read in the order of time: a mapping can be told after its process has ended.
static void test_late(const char *path)
{
	struct processes processes = { .is_recorded = true };

	start(&processes, 1, 1, "/none");
	processes_events.exit(&processes, 1);
	start(&processes, 1, 2, path);
	EXPECT(processes.idle > 0);
	EXPECT(processes.idle <= PROCESSES_IDLE_MAX);
	processes_events.exec(&processes, 1);
	processes_events.exec(&processes, 1);
	EXPECT_NUM((long long)processes.idle, 0);
	EXPECT_NUM((long long)processes.files.n_live, 0);
	processes_deinit(&processes);
}

// A file that is written anew in its place has other symbols: as when a compiler's output gets the inode of the one before.
static void test_rewritten(const char *path)
{
	char copy[] = "/tmp/test_symbols.XXXXXX";
	int from = open(path, O_RDONLY), fd = mkstemp(copy);
	struct processes processes = { .is_recorded = true };
	struct mapped_file *first, *second;
	struct stat st;

	EXPECT(sendfile(fd, from, NULL, 1 << 30) > 0);
	EXPECT(fstat(fd, &st) == 0);
	start(&processes, 1, st.st_ino, copy);
	first = processes_find(&processes, 1)->mappings.v[0].file;
	start(&processes, 2, st.st_ino, copy);
	EXPECT(processes_find(&processes, 2)->mappings.v[0].file == first);
	EXPECT(ftruncate(fd, 0) == 0);
	EXPECT(futimens(fd, (struct timespec[]){ { 1, 0 }, { 1, 0 } }) == 0);
	start(&processes, 3, st.st_ino, copy);
	second = processes_find(&processes, 3)->mappings.v[0].file;
	EXPECT(first->symbols);
	EXPECT(!second->symbols);
	for (pid_t pid = 1; pid <= 4; pid++) { // the older one goes first
		processes_events.exec(&processes, pid);
		processes_events.exec(&processes, pid);
	}
	EXPECT_NUM((long long)processes.files.n_live, 0);
	processes_deinit(&processes);
	unlink(copy);
	close(fd);
	close(from);
}

// Whoever waits is told before the buffer is full, and not while nothing comes.
static void test_wakeup(const char *path)
{
	struct mapped *mapped = NULL;
	struct sp_err *err = mapped_open(getpid(), &mapped);
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC), fd = open(path, O_RDONLY), n_maps = 0, n;
	struct epoll_event event;

	if (!err) {
		struct sp_err *refused = mapped_watch(mapped, -1, 7);

		EXPECT(refused);
		sp_err_free(refused);
		EXPECT(!mapped_watch(mapped, epoll_fd, 7));
		while ((n = epoll_wait(epoll_fd, &event, 1, 0)) == 0 && n_maps < 100000) {
			munmap(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0), 4096);
			n_maps++;
		}
		EXPECT(n == 1 && event.data.u64 == 7);
		EXPECT(n_maps > 100);
		EXPECT_NUM((long long)mapped_lost(mapped), 0);
		mapped_close(mapped);
	}
	sp_err_free(err); // not to be had
	close(fd);
	close(epoll_fd);
}

// It is no file with symbols, and is not waited for.
static void test_pipe(void)
{
	char folder[] = "/tmp/test_symbols.XXXXXX", path[64];
	struct image_elf elf;
	struct sp_err *err;
	int writer;

	EXPECT(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/pipe", folder);
	EXPECT(mkfifo(path, 0600) == 0);
	alarm(20);
	err = image_elf_open(path, &elf);
	EXPECT(err);
	sp_err_free(err);
	writer = open(path, O_RDWR | O_CLOEXEC);
	err = image_elf_open(path, &elf); // one that may write some day
	EXPECT(err);
	sp_err_free(err);
	alarm(0);
	close(writer);
	unlink(path);
	rmdir(folder);
}

#define LONG_NAME 100000

// A file of 220 KB whose symbols all have one long name: it does not take 500 MB.
static void test_one_name(void)
{
	static struct {
		Elf64_Ehdr head;
		Elf64_Shdr sections[3];
		Elf64_Sym symbols[5000];
		char names[LONG_NAME + 2];
	} elf = {
		.head = { .e_ident = ELFMAG, .e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_ehsize = sizeof(Elf64_Ehdr),
			  .e_shoff = sizeof(Elf64_Ehdr), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3 },
	};
	struct symbols_file *file;
	struct sp_err *unread = NULL;
	char path[] = "/tmp/spile-symbols-XXXXXX";
	int fd = mkstemp(path);

	elf.head.e_ident[EI_CLASS] = ELFCLASS64;
	elf.head.e_ident[EI_DATA] = ELFDATA2LSB;
	elf.head.e_ident[EI_VERSION] = EV_CURRENT;
	elf.sections[1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_offset = offsetof(__typeof__(elf), names), .sh_size = sizeof(elf.names) };
	elf.sections[2] = (Elf64_Shdr){ .sh_type = SHT_SYMTAB, .sh_offset = offsetof(__typeof__(elf), symbols), .sh_size = sizeof(elf.symbols),
					.sh_link = 1, .sh_entsize = sizeof(Elf64_Sym) };
	memset(elf.names + 1, 'a', LONG_NAME);
	for (unsigned i = 1; i < SP_ARRAY_SIZE(elf.symbols); i++)
		elf.symbols[i] = (Elf64_Sym){ .st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1, .st_value = i * 16 };
	EXPECT(fd >= 0 && write(fd, &elf, sizeof(elf)) == sizeof(elf));
	file = symbols_file_open(path, &unread);
	EXPECT(symbols_file_size(file) > LONG_NAME && symbols_file_size(file) < 8u << 20);
	symbols_file_close(file);
	// Its symbols would be in a hole of 800 GB.
	elf.sections[2].sh_offset = 4096;
	elf.sections[2].sh_size = UINT64_C(24) << 35;
	if (pwrite(fd, &elf, sizeof(elf), 0) == sizeof(elf) && !ftruncate(fd, 4096 + (INT64_C(24) << 35)))
		EXPECT(!symbols_file_open(path, &unread));
	sp_err_free(unread);
	unlink(path);
	close(fd);
}

int main(void)
{
	Dl_info libc;

	EXPECT(dladdr(dlsym(RTLD_DEFAULT, "printf"), &libc));
	test_many();
	test_remapped();
	test_large(libc.dli_fname);
	test_late(libc.dli_fname);
	test_rewritten(libc.dli_fname);
	test_wakeup(libc.dli_fname);
	test_pipe();
	test_one_name();
	return expect_status();
}
