// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/unwind/cfi.h"

#include "runtime/base/hash.h"

#define MAX_ROWS (8u << 20) // of one file: 64 MB in the kernel

// Encodings of addresses (Linux Standard Base, 10.5.1).
enum { PE_ABSPTR = 0, PE_ULEB = 1, PE_UDATA2, PE_UDATA4, PE_UDATA8, PE_SIGNED = 8, PE_SLEB, PE_SDATA2, PE_SDATA4, PE_SDATA8,
       PE_PCREL = 0x10, PE_INDIRECT = 0x80, PE_OMIT = 0xff };

// A record of the section: what a function (FDE), or several functions (CIE) have.
struct entry {
	struct sp_bytes body; // behind the id
	uint64_t id;
	uint64_t id_at; // where in the section the id is
	bool is_common;
};

struct function {
	uint64_t start, end;
	const struct cfi_common *common;
	struct sp_bytes insns;
};

struct reader {
	const struct cfi_input *input;
	struct sp_hash commons; // offset -> struct cfi_common, or `broken`
	struct cfi_common broken;
	uint64_t left; // bytes that common parts may still have: they do not lie in each other
	SP_VEC(struct function) functions;
};

static uint64_t offset_of(const struct reader *r, const uint8_t *at)
{
	return (uint64_t)(at - r->input->bytes);
}

static bool next_entry(const struct reader *r, struct sp_bytes *b, struct entry *ret)
{
	uint64_t length = sp_bytes_number(b, 4);
	unsigned id_size = 4;

	if (length == UINT32_MAX) {
		length = sp_bytes_number(b, 8);
		id_size = r->input->is_debug_frame ? 8 : 4;
	}
	if (b->bad || (!length && !r->input->is_debug_frame)) // a zero ends an .eh_frame
		return false;
	ret->body = sp_bytes_take(b, length);
	if (b->bad)
		return false;
	ret->id_at = offset_of(r, ret->body.at);
	ret->id = sp_bytes_number(&ret->body, id_size);
	ret->is_common = ret->id == (r->input->is_debug_frame ? id_size == 8 ? UINT64_MAX : UINT32_MAX : 0);
	return true;
}

static uint64_t encoded(const struct reader *r, struct sp_bytes *b, unsigned encoding)
{
	uint64_t place = r->input->address + offset_of(r, b->at), value = 0;

	switch (encoding & 0x0f) {
	case PE_ABSPTR:
	case PE_UDATA8:
	case PE_SDATA8:
		value = sp_bytes_number(b, 8);
		break;
	case PE_ULEB:
		value = sp_bytes_uleb(b);
		break;
	case PE_SLEB:
		value = (uint64_t)sp_bytes_sleb(b);
		break;
	case PE_UDATA2:
		value = sp_bytes_number(b, 2);
		break;
	case PE_SDATA2:
		value = (uint64_t)(int64_t)(int16_t)sp_bytes_number(b, 2);
		break;
	case PE_UDATA4:
		value = sp_bytes_number(b, 4);
		break;
	case PE_SDATA4:
		value = (uint64_t)(int64_t)(int32_t)sp_bytes_number(b, 4);
		break;
	default:
		b->bad = true;
	}
	if ((encoding & 0x70) == PE_PCREL)
		return value + place;
	if (encoding & (0x70 | PE_INDIRECT))
		b->bad = true;
	return value;
}

static void read_augmentation(const struct reader *r, struct sp_bytes *b, const char *text, struct cfi_common *c)
{
	struct sp_bytes data;

	if (*text != 'z') {
		b->bad = b->bad || *text;
		return;
	}
	c->has_data = true;
	data = sp_bytes_take(b, sp_bytes_uleb(b));
	while (*++text && !data.bad)
		if (*text == 'R') {
			c->encoding = (unsigned)sp_bytes_number(&data, 1);
		} else if (*text == 'L') {
			sp_bytes_number(&data, 1);
		} else if (*text == 'P') {
			unsigned encoding = (unsigned)sp_bytes_number(&data, 1);

			encoded(r, &data, encoding & ~(unsigned)PE_INDIRECT);
		} else if (*text == 'S') {
			c->is_signal = true;
		} else if (*text != 'B') {
			break; // data behind it is skipped, but nothing in it is known
		}
	b->bad = b->bad || data.bad;
}

static bool read_common(const struct reader *r, const struct entry *e, struct cfi_common *c)
{
	struct sp_bytes b = e->body;
	uint64_t version = sp_bytes_number(&b, 1);
	const char *text = (const char *)b.at;
	size_t length = strnlen(text, (size_t)(b.end - b.at));

	sp_bytes_take(&b, length + 1);
	if (b.bad || (version != 1 && version != 3 && version != 4))
		return false;
	if (version == 4 && sp_bytes_number(&b, 2) != 8) // addresses of 8 bytes, no segments
		return false;
	c->code_factor = sp_bytes_uleb(&b);
	c->data_factor = sp_bytes_sleb(&b);
	c->ret_register = version == 1 ? sp_bytes_number(&b, 1) : sp_bytes_uleb(&b);
	read_augmentation(r, &b, text, c);
	if (!b.bad)
		cfi_program_begin(c, b);
	return !b.bad;
}

// The common part at that offset; NULL: there is none that can be read.
static const struct cfi_common *common_at(struct reader *r, uint64_t offset)
{
	struct sp_bytes b = { r->input->bytes, r->input->bytes + r->input->size, false };
	struct cfi_common common = { 0 };
	struct entry e;
	void **known = sp_hash_insert(&r->commons, &offset, sizeof(offset));

	if (*known)
		return *known == &r->broken ? NULL : *known;
	*known = &r->broken;
	sp_bytes_take(&b, offset);
	if (b.bad || !next_entry(r, &b, &e) || !e.is_common || (uint64_t)(e.body.end - e.body.at) > r->left)
		return NULL;
	r->left -= (uint64_t)(e.body.end - e.body.at);
	if (!read_common(r, &e, &common))
		return NULL;
	*known = sp_malloc(sizeof(common));
	memcpy(*known, &common, sizeof(common));
	return *known;
}

static void add_function(struct reader *r, const struct entry *e)
{
	uint64_t at = r->input->is_debug_frame ? e->id : e->id_at - e->id;
	const struct cfi_common *c = common_at(r, at);
	struct sp_bytes b = e->body;
	struct function f = { .common = c };
	uint64_t size;

	if (!c)
		return;
	f.start = encoded(r, &b, c->encoding);
	size = encoded(r, &b, c->encoding & 0x0f);
	if (c->has_data)
		sp_bytes_take(&b, sp_bytes_uleb(&b));
	if (b.bad || !size || f.start + size < f.start || !f.start)
		return;
	f.end = f.start + size;
	f.insns = b;
	sp_vec_push(&r->functions, f);
}

static int by_start(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return x->start != y->start ? (x->start < y->start ? -1 : 1) : x->end < y->end ? -1 : x->end > y->end;
}

// Where functions overlap, the one that begins later holds.
static void run_functions(const struct reader *r, struct cfi_rows *rows)
{
	size_t n = r->functions.n;

	if (n)
		qsort(r->functions.v, n, sizeof(*r->functions.v), by_start);
	for (size_t i = 0; i < n && rows->v.n < MAX_ROWS; i++) {
		const struct function *f = &r->functions.v[i];
		uint64_t end = i + 1 < n ? SP_MIN(f->end, f[1].start) : f->end;

		if (end > f->start)
			cfi_program_run(f->common, f->insns, f->start, end, rows);
	}
}

void cfi_read(const struct cfi_input *input, struct cfi_rows *rows)
{
	struct reader r = { .input = input, .left = input->size };
	struct sp_bytes b = { input->bytes, input->bytes + input->size, false };
	struct entry e;

	while (b.at < b.end && next_entry(&r, &b, &e))
		if (!e.is_common)
			add_function(&r, &e);
	run_functions(&r, rows);
	sp_hash_each(it, &r.commons)
		if (it->value != &r.broken)
			free(it->value);
	sp_hash_deinit(&r.commons);
	sp_vec_deinit(&r.functions);
}
