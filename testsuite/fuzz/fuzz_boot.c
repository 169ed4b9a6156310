// SPDX-License-Identifier: GPL-2.0-or-later
// The door of boot images: an input is what is compressed in one, behind a header that is made here. Each is also taken with bytes of
// it changed.
#define _GNU_SOURCE // memfd_create
#include "compiler/debug/dwarf/dw_boot.h"

#include "runtime/base/cleanup.h"

#include "hex_fuzz.h"

#include <stdio.h>
#include <sys/mman.h>

#define HEADER 1024 // bytes: one sector of setup
#define N_VARIANTS 1000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

// Is what comes out of it a file, whatever is in it? Large sizes take long, and are nothing else than small ones.
static bool check(const uint8_t *data, size_t size)
{
	uint8_t header[HEADER] = { [0x1f1] = 1, [0x202] = 'H', 'd', 'r', 'S', 0x08, 0x02 };
	const uint32_t where[2] = { 0, (uint32_t)size };
	sp_cleanup_close int fd = memfd_create("image", MFD_CLOEXEC);
	struct dw_image image = { .fd = -1 };
	char path[64];

	if (size < 4 || data[size - 1] || data[size - 2] > 16 || fd < 0)
		return false;
	memcpy(header + 0x248, where, sizeof(where));
	if (write(fd, header, sizeof(header)) != sizeof(header) || write(fd, data, size) != (ssize_t)size)
		return false;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	elf_version(EV_CURRENT);
	struct sp_err *err = dw_boot_open(path, &image);
	if (!err)
		dw_elf_deinit(&image);
	sp_cleanup_free char *text = err ? sp_err_text(err) : NULL;
	sp_err_free(err);
	return !text || !strstr(text, "compressed");
}

// The same as a file that is compressed as a whole. No size stands behind it, so that a large one is possible.
static void take_whole(const uint8_t *data, size_t size)
{
	sp_cleanup_close int fd = memfd_create("file", MFD_CLOEXEC);
	struct dw_image image = { .fd = -1 };
	char path[64];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	struct sp_err *err = dw_boot_unpack(path, &image);
	if (!err)
		dw_elf_deinit(&image);
	sp_err_free(err);
}

static void take(const uint8_t *data, size_t size)
{
	check(data, size);
	take_whole(data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return hex_fuzz_test(data, size, N_VARIANTS, check, take);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	(void)seed;
	return hex_fuzz_mutate(data, size, max_size);
}
