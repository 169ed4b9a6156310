// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // memfd_create
// Files of which walks can be told: as many as the kernel's map has room for, and what is beyond that is said.
#include "runtime/abi/unwind.h"
#include "runtime/unwind/unwind.h"

#include "expect.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void note_full(void *ctx, enum sp_log_level level, const char *text)
{
	*(bool *)ctx |= level == SP_LOG_WARN && strstr(text, "No space left on device");
}

static bool is_full(struct unwind *unwind)
{
	bool is_full = false;
	const struct sp_log log = { .write = note_full, .ctx = &is_full, .max_level = SP_LOG_WARN };

	unwind_tell(unwind, &log);
	return is_full;
}

static void map_files(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		int fd = memfd_create("none", 0);

		EXPECT(fd >= 0 && mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) != MAP_FAILED);
		close(fd);
	}
}

int main(void)
{
	const struct unwind_fds none = { -1, -1, -1 };
	struct unwind *unwind = unwind_create(&none);

	map_files(SP_UNWIND_FILES - 100); // the others are what a program has anyway
	unwind_add_process(unwind, getpid());
	EXPECT(!is_full(unwind));
	map_files(100);
	unwind_add_process(unwind, getpid());
	EXPECT(is_full(unwind));
	unwind_destroy(unwind);
	return expect_status();
}
