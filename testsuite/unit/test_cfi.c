// SPDX-License-Identifier: GPL-2.0-or-later
// Call frame information: what functions of given instructions become.
#include "runtime/base/buf.h"
#include "runtime/unwind/cfi.h"

#include "expect.h"
#include "unwind_text.h"

#include <unistd.h>

#define START 0x401000
#define SECTION 0x500000 // its address

static void put(struct sp_buf *b, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		sp_buf_putc(b, (char)(value >> (8 * i)));
}

// A record: its length, then `body`.
static void put_entry(struct sp_buf *b, const struct sp_buf *body)
{
	put(b, body->len, 4);
	sp_buf_add(b, body->data, body->len);
}

static void put_common(struct sp_buf *b, const char *augmentation, bool is_debug)
{
	struct sp_buf body = { 0 };

	put(&body, is_debug ? UINT32_MAX : 0, 4);
	put(&body, 1, 1);
	sp_buf_add(&body, augmentation, strlen(augmentation) + 1);
	put(&body, 0x107801, 3); // factors 1 and -8, return address in 16
	if (*augmentation)
		put(&body, 0x1b01, 2); // DW_EH_PE_pcrel | DW_EH_PE_sdata4
	put(&body, 0x08070c, 3); // DW_CFA_def_cfa rsp 8
	put(&body, 0x0190, 2); // DW_CFA_offset ra c-8
	put_entry(b, &body);
	sp_buf_deinit(&body);
}

static void put_function(struct sp_buf *b, uint64_t start, uint64_t size, const char *insns, size_t n, bool is_debug)
{
	struct sp_buf body = { 0 };

	put(&body, is_debug ? 0 : b->len + 4, 4); // the common part is at the section's start
	if (is_debug)
		put(&body, start, 8);
	else
		put(&body, start - (SECTION + b->len + 8), 4);
	put(&body, size, is_debug ? 8 : 4);
	if (!is_debug)
		put(&body, 0, 1); // augmentation data
	sp_buf_add(&body, insns, n);
	put_entry(b, &body);
	sp_buf_deinit(&body);
}

static char *rows_of(const struct sp_buf *b, bool is_debug)
{
	const struct cfi_input input = { (const uint8_t *)b->data, b->len, SECTION, is_debug };
	struct cfi_rows rows = { 0 };
	struct sp_buf out = { 0 };
	char text[64];

	cfi_read(&input, &rows);
	sp_vec_each(row, &rows.v)
		sp_buf_printf(&out, "%" PRIx64 " %s\n", row->pc, unwind_text(row->info, text, sizeof(text)));
	sp_vec_deinit(&rows.v);
	return sp_buf_take(&out);
}

static void expect_rows(const char *augmentation, const char *insns, size_t n, const char *want)
{
	bool is_debug = !*augmentation;
	struct sp_buf b = { 0 };
	char *got;

	put_common(&b, augmentation, is_debug);
	put_function(&b, START, 0x20, insns, n, is_debug);
	got = rows_of(&b, is_debug);
	EXPECT_STR(got, want);
	free(got);
	sp_buf_deinit(&b);
}

#define ROWS(augmentation, insns, want) expect_rows(augmentation, insns, sizeof(insns) - 1, want)

static void test_functions(void)
{
	ROWS("zR", "", "401000 rsp+8 u\n401020 none\n");
	// push %rbp; sub $0x40,%rsp; ...; pop
	ROWS("zR", "\x41\x0e\x10\x86\x02\x44\x0e\x50\x50\x0e\x10\x41\x0e\x08",
	     "401000 rsp+8 u\n401001 rsp+16 c-16\n401005 rsp+80 c-16\n401015 rsp+16 c-16\n401016 rsp+8 c-16\n401020 none\n");
	// push %rbp; mov %rsp,%rbp; remember; leave; ret; restore
	ROWS("zR", "\x41\x0e\x10\x86\x02\x43\x0d\x06\x48\x0a\xc6\x0c\x07\x08\x41\x0b",
	     "401000 rsp+8 u\n401001 rsp+16 c-16\n401004 rbp+16 c-16\n40100c rsp+8 u\n40100d rbp+16 c-16\n401020 none\n");
	// the stack is aligned: CFA is in r10, then at rbp-8; rbp is where it points to
	ROWS("zR", "\x45\x0c\x0a\x00\x49\x10\x06\x02\x76\x00\x45\x0f\x03\x76\x78\x06\x48\x0c\x07\x08",
	     "401000 rsp+8 u\n401005 r10+0 u\n40100e r10+0 exp\n401013 *rbp-8 exp\n40101b rsp+8 u\n401020 none\n");
	// a PLT; a stack that ends; a frame of 1 MB; one that is too large
	ROWS("zR", "\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22", "401000 plt+11 u\n401020 none\n");
	ROWS("zR", "\x07\x10", "401000 end\n401020 none\n");
	ROWS("zR", "\x44\x0e\x80\x80\x40", "401000 rsp+8 u\n401004 rsp+1048576 u\n401020 none\n");
	ROWS("zR", "\x44\x0e\x80\x80\x80\x04", "401000 rsp+8 u\n401004 none\n");
	// offsets in the other ways; rbp far below CFA, as it was, restored
	ROWS("zR", "\x02\x04\x13\x7e\x05\x06\x04\x03\x02\x00\x11\x06\x03\x04\x02\x00\x00\x00\x08\x06\x42\xc6",
	     "401000 rsp+8 u\n401004 rsp+16 c-32\n401006 rsp+16 c-24\n401008 rsp+16 u\n401020 none\n");
	// .debug_frame
	ROWS("", "\x41\x0e\x10", "401000 rsp+8 u\n401001 rsp+16 u\n401020 none\n");
}

static void test_signal(void)
{
	ROWS("zRS", "\x0f\x04\x77\xa0\x01\x06", "401000 signal\n401020 none\n");
	ROWS("zRS", "", "401000 none\n");
}

// What makes no sense ends what is known.
static void test_broken(void)
{
	ROWS("zR", "\x41\x0e\x10\x3f", "401000 rsp+8 u\n401001 none\n");
	ROWS("zR", "\x41\x0b", "401000 rsp+8 u\n401001 none\n");
	ROWS("zR", "\x41\x0f\x7f\x77", "401000 rsp+8 u\n401001 none\n");
	ROWS("zX", "", "");
	ROWS("q", "", "");
}

// In any order; where two overlap, the one that begins later holds.
static void test_order(void)
{
	struct sp_buf b = { 0 };
	char *got;

	put_common(&b, "zR", false);
	put_function(&b, START + 0x40, 0x10, "\x07\x10", 2, false);
	put_function(&b, START, 0x20, "", 0, false);
	put_function(&b, START + 0x10, 0x10, "\x0e\x10", 2, false);
	put_function(&b, START + 0x20, 0x10, "\x0e\x18", 2, false);
	got = rows_of(&b, false);
	EXPECT_STR(got, "401000 rsp+8 u\n401010 rsp+16 u\n401020 rsp+24 u\n401030 none\n401040 end\n401050 none\n");
	free(got);
	for (size_t cut = 0; cut < b.len; cut++) {
		size_t len = b.len;

		b.len = cut;
		free(rows_of(&b, false));
		free(rows_of(&b, true));
		b.len = len;
	}
	sp_buf_deinit(&b);
}

// Common parts that lie in each other, each of which would be run to its end: a file could keep its reader busy for hours.
static void test_nested(void)
{
	enum { N = 200000 };
	struct sp_buf b = { 0 };

	put(&b, 4 + N * 16, 4);
	put(&b, 0, 4);
	for (unsigned i = 0; i < N; i++) {
		put(&b, 0x0d0016, 3); // DW_CFA_val_expression, as which the others take the next one's head
		put(&b, (uint64_t)(N - i) * 16 - 7, 4);
		put(&b, 0, 4);
		put(&b, 1, 2); // no augmentation
		put(&b, 0x107801, 3);
	}
	for (unsigned i = 0; i < N; i++) {
		put(&b, 20, 4);
		put(&b, b.len - (8 + 16 * (uint64_t)i + 3), 4);
		put(&b, START + 16 * i, 8);
		put(&b, 16, 8);
	}
	alarm(20);
	free(rows_of(&b, false));
	alarm(0);
	sp_buf_deinit(&b);
}

int main(void)
{
	test_functions();
	test_nested();
	test_signal();
	test_broken();
	test_order();
	return expect_status();
}
