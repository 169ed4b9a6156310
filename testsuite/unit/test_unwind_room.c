// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // memfd_create
// Files of which walks can be told: as many as the kernel's map has room for, and what is beyond that is said. A file does not say how much
// memory is taken for it.
#include "runtime/abi/unwind.h"
#include "runtime/unwind/unwind.h"
#include "runtime/unwind/unwind_table.h"

#include "expect.h"

#include <elf.h>
#include <stddef.h>
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

// A section that says to have 100 GB when it is unpacked.
static void test_packed(void)
{
	static const char names[] = "\0.debug_frame\0.names";
	const uint64_t size = 100u << 20;
	struct {
		Elf64_Ehdr head;
		Elf64_Shdr sections[3];
		char names[sizeof(names)];
		Elf64_Chdr packed;
	} elf = {
		.head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_DYN, .e_machine = EM_X86_64,
			  .e_version = EV_CURRENT, .e_ehsize = sizeof(Elf64_Ehdr), .e_shoff = sizeof(Elf64_Ehdr),
			  .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3, .e_shstrndx = 2 },
		.packed = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = size * 1000, .ch_addralign = 1 },
	};
	struct unwind_table table;
	char path[] = "/tmp/spile-packed-XXXXXX";
	int fd = mkstemp(path);

	elf.sections[1] = (Elf64_Shdr){ .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_flags = SHF_COMPRESSED, .sh_size = size,
					.sh_offset = offsetof(__typeof__(elf), packed), .sh_addralign = 1 };
	elf.sections[2] = (Elf64_Shdr){ .sh_name = 14, .sh_type = SHT_STRTAB, .sh_size = sizeof(names), .sh_offset = offsetof(__typeof__(elf), names) };
	memcpy(elf.names, names, sizeof(names));
	EXPECT(fd >= 0 && write(fd, &elf, sizeof(elf)) == sizeof(elf) && !ftruncate(fd, (off_t)(elf.sections[1].sh_offset + size)));
	sp_err_free(unwind_table_read(path, &table));
	EXPECT_NUM((long long)table.elements.n, 0);
	unwind_table_deinit(&table);
	unlink(path);
	close(fd);
}

int main(void)
{
	const struct unwind_fds none = { -1, -1, -1, -1 };
	struct unwind *unwind = unwind_create(&none);

	test_packed();
	map_files(SP_UNWIND_FILES - 100); // the others are what a program has anyway
	unwind_add_process(unwind, getpid());
	EXPECT(!is_full(unwind));
	map_files(100);
	unwind_add_process(unwind, getpid());
	EXPECT(is_full(unwind));
	unwind_destroy(unwind);
	return expect_status();
}
