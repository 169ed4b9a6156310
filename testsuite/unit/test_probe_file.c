// SPDX-License-Identifier: GPL-2.0-or-later
// A file of the probe cache, and an archive of one, with each bit flipped: refused, or what is read is the same.
#include "compiler/cache/archive.h"
#include "compiler/cache/probe_file.h"

#include <stdio.h>

static const char texts[] = "object /bin/x\ndefinition process(\"/bin/x\").function(\"f\")\nfuncs f\t\t0\n";

static void make_file(struct sp_buf *out)
{
	struct probe_file_head head = { .magic = "spilepr", .version = PROBE_FILE_LAYOUT, .build_id_len = 4, .build_id = { 1, 2, 3, 0xab },
					.text_size = sizeof(texts) - 1, .elf_size = 64, .packed_size = 40 };

	head.magic[7] = 'b';
	sp_buf_add(out, &head, sizeof(head));
	sp_buf_puts(out, texts);
	for (int i = 0; i < 40; i++)
		sp_buf_putc(out, (char)i);
	probe_file_digest(&head, (const uint8_t *)out->data + sizeof(head), out->len - sizeof(head), head.digest);
	memcpy(out->data, &head, sizeof(head));
}

static int failures;

static void flip(struct sp_buf *bytes, size_t bit)
{
	bytes->data[bit / 8] ^= (char)(1 << bit % 8);
}

static void flip_file(struct sp_buf *file)
{
	for (size_t bit = 0; bit < file->len * 8; bit++) {
		flip(file, bit);
		if (!probe_file_check((const uint8_t *)file->data, file->len))
			failures += printf("bit %zu of the file makes no difference\n", bit);
		flip(file, bit);
	}
	for (size_t len = 0; len < file->len; len++)
		if (!probe_file_check((const uint8_t *)file->data, len))
			failures += printf("%zu bytes are taken for the file\n", len);
}

static void make_archive(const struct sp_buf *file, struct sp_buf *out)
{
	char header[512] = "010203ab.probes";
	unsigned sum = 0;

	memcpy(header + 100, "0000600", 8);
	snprintf(header + 124, 12, "%011zo", file->len);
	memset(header + 148, ' ', 8);
	header[156] = '0';
	memcpy(header + 257, "ustar\00000", 8);
	for (int i = 0; i < 512; i++)
		sum += (uint8_t)header[i];
	snprintf(header + 148, 8, "%06o", sum);
	sp_buf_add(out, header, sizeof(header));
	sp_buf_add(out, file->data, file->len);
	sp_buf_fill(out, '\0', 1536 - file->len % 512);
}

static struct sp_err *same(void *ctx, const char *name, const uint8_t *bytes, size_t size)
{
	const struct sp_buf *file = ctx;

	if (strcmp(name, "010203ab.probes") != 0 || size != file->len || memcmp(bytes, file->data, size) != 0)
		failures += printf("%s of the archive is another file\n", name);
	return NULL;
}

int main(void)
{
	struct sp_buf file = { 0 }, archive = { 0 };
	const char *at = NULL;
	struct probe_file_line line;
	struct sp_err *err;

	make_file(&file);
	if (probe_file_check((const uint8_t *)file.data, file.len))
		failures += printf("the file is refused: %s\n", probe_file_check((const uint8_t *)file.data, file.len));
	if (!probe_file_next(&at, (const struct probe_file_head *)file.data, "funcs", &line) || line.len != 4 || memcmp(line.text, "f\t\t0", 4) ||
	    probe_file_next(&at, (const struct probe_file_head *)file.data, "funcs", &line))
		failures += printf("its lines are not found\n");
	flip_file(&file);
	make_archive(&file, &archive);
	if ((err = archive_read((const uint8_t *)archive.data, archive.len, same, &file)))
		failures += printf("the archive is refused: %s\n", sp_err_text(err));
	for (size_t bit = 0; bit < archive.len * 8; bit++) {
		flip(&archive, bit);
		sp_err_free(archive_read((const uint8_t *)archive.data, archive.len, same, &file));
		flip(&archive, bit);
	}
	sp_buf_deinit(&file);
	sp_buf_deinit(&archive);
	return failures != 0;
}
