// SPDX-License-Identifier: GPL-2.0-or-later
// mutate_bundle FILE.spo FIRST-SEED COUNT [OUTPUT]: changes a compiled script at random, and reads what has become of it as spile-run does:
// tables, BPF code, type information. It says how many of them were taken for scripts. With OUTPUT, the last one is written there.
#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/load/bundle.h"
#include "runtime/load/code_link.h"
#include "runtime/load/rejection.h"

#include <elf.h>

#define MOST_CHANGES 8

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

// Half of the changes are anywhere in the file, the others in a section: the small ones are hit as often as the large ones, and
// so are the headers.
static size_t choose_place(const uint8_t *bytes, size_t size, uint64_t *state)
{
	Elf64_Ehdr head;
	Elf64_Shdr section;

	memcpy(&head, bytes, sizeof(head));
	if (next(state) % 2)
		return next(state) % size;
	if (next(state) % 8 == 0)
		return head.e_shoff + next(state) % (head.e_shnum * sizeof(section));
	memcpy(&section, bytes + head.e_shoff + next(state) % head.e_shnum * sizeof(section), sizeof(section));
	return section.sh_size ? section.sh_offset + next(state) % section.sh_size : 0;
}

static void change(uint8_t *bytes, const uint8_t *original, size_t size, uint64_t *state)
{
	static const uint64_t numbers[] = { 0, 1, 2, 7, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, UINT64_MAX };
	size_t at = choose_place(original, size, state), width = (size_t)1 << next(state) % 4;
	uint64_t number = numbers[next(state) % SP_ARRAY_SIZE(numbers)];

	switch (next(state) % 5) {
	case 0:
		bytes[at] ^= (uint8_t)(1 << next(state) % 8);
		return;
	case 1:
		bytes[at] = (uint8_t)next(state);
		return;
	case 2: // something else from the file
		width = SP_MIN(size - at, (size_t)1 + next(state) % 32);
		memcpy(bytes + next(state) % (size - width + 1), original + at, width);
		return;
	}
	at &= ~(width - 1);
	memcpy(bytes + at, &number, SP_MIN(width, size - at));
}

static bool read_bundle(const uint8_t *bytes, size_t size)
{
	struct bundle *bundle = NULL;
	struct sp_err *err = bundle_open(bytes, size, &bundle);
	sp_cleanup_free int *fds = sp_calloc(err ? 1 : bundle->code.n_maps + 1, sizeof(*fds));

	for (uint32_t i = 0; !err && i < bundle->code.n_functions; i++) {
		struct code_program program;
		struct rejection rejection = { .insn = 5, .reason = "" };
		struct rejection_place place;
		struct sp_err *bad = code_link(&bundle->code, i, fds, &program);

		if (!bad && rejection_place(&program, &rejection, &place) && strlen(place.file) > size)
			abort();
		if (!bad)
			code_program_deinit(&program);
		sp_err_free(bad);
	}
	bundle_close(bundle);
	sp_err_free(err);
	return !err;
}

static bool read_file(const char *path, struct sp_buf *ret)
{
	sp_cleanup_fclose FILE *file = fopen(path, "re");
	char block[4096];
	size_t n;

	while (file && (n = fread(block, 1, sizeof(block), file)))
		sp_buf_add(ret, block, n);
	return ret->len > sizeof(Elf64_Ehdr);
}

int main(int argc, char **argv)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf original = { 0 }, bytes = { 0 };
	unsigned long first = argc > 3 ? strtoul(argv[2], NULL, 10) : 0, n = argc > 3 ? strtoul(argv[3], NULL, 10) : 0, taken = 0;
	FILE *out = NULL;

	if (argc < 4 || !read_file(argv[1], &original))
		return 2;
	for (unsigned long seed = first; seed < first + n; seed++) {
		uint64_t state = (seed + 1) * 0x9e3779b97f4a7c15u;

		sp_buf_clear(&bytes);
		sp_buf_add(&bytes, original.data, original.len);
		for (uint64_t left = 1 + next(&state) % MOST_CHANGES; left; left--)
			change((uint8_t *)bytes.data, (const uint8_t *)original.data, bytes.len, &state);
		if (next(&state) % 32 == 0)
			bytes.len = next(&state) % bytes.len;
		taken += read_bundle((const uint8_t *)bytes.data, bytes.len);
	}
	if (argc > 4 && (!(out = fopen(argv[4], "we")) || fwrite(bytes.data, 1, bytes.len, out) != bytes.len || fclose(out)))
		return 2;
	printf("%lu of %lu were taken\n", taken, n);
	return 0;
}
