// SPDX-License-Identifier: GPL-2.0-or-later
/** Bundles written as text, so that the corpus can be read and reviewed. The first line is `bundle-text`; then one record a
 *  line, `#` comments (texts are in double quotes, with \n and \"):
 *
 *    head FIELD NUMBER                    n_slots, scratch_size, max_errors, ring_size, version, features
 *    map NAME KEYS VALUE ENTRIES FLAGS    KEYS and VALUE of letters: l a long, s a string of 16 bytes
 *    global NAME TYPE
 *    format KIND "TEXT" ARGS              KIND: a number of enum sp_format_kind; ARGS: letters, or -
 *    udata "BYTES"
 *    prog KIND "POINT"                    KIND: a number of enum sp_site_kind; its code follows:
 *    MNEMONIC DST SRC OFF IMM             mov64i 0 0 0 5; add32r; jeq64i; ldxdw; stb; atomicw; lddw; call; exit; ...
 *    poke SECTION OFFSET BYTES VALUE      breaks something once all is laid out
 *    cut BYTES                            leaves the first ones of the file
 *    expect ok                            what bundle_open must say: this, or a part of the error
 *    expect "WORDS"
 *
 *  Numbers are decimal or 0x. */
#ifndef SP_FUZZ_BUNDLE_TEXT_H
#define SP_FUZZ_BUNDLE_TEXT_H

#include "testsuite/unit/bundle_make.h"

#include <ctype.h>
#include <stdio.h>

#define BUNDLE_TEXT_MAGIC "bundle-text\n"
#define BUNDLE_TEXT_WORDS 8

struct bundle_text {
	struct bundle_make make;
	struct sp_buf code; // of the program that is open
	unsigned site_kind;
	char point[64];
	bool in_prog, laid_out;
	size_t cut; // 0: whole
	char expect[128]; // "ok", words of an error, "" anything
};

// ---- instructions ---------------------------------------------------------------------------------------------------

static const struct bundle_text_op {
	const char *name;
	uint8_t code;
	bool is_jump;
} bundle_text_ops[] = {
	{ "add", BPF_ADD, false }, { "sub", BPF_SUB, false }, { "mul", BPF_MUL, false }, { "div", BPF_DIV, false },
	{ "or", BPF_OR, false }, { "and", BPF_AND, false }, { "lsh", BPF_LSH, false }, { "rsh", BPF_RSH, false },
	{ "neg", BPF_NEG, false }, { "mod", BPF_MOD, false }, { "xor", BPF_XOR, false }, { "mov", BPF_MOV, false },
	{ "arsh", BPF_ARSH, false }, { "end", BPF_END, false }, { "ja", BPF_JA, true }, { "jeq", BPF_JEQ, true },
	{ "jgt", BPF_JGT, true }, { "jge", BPF_JGE, true }, { "jset", BPF_JSET, true }, { "jne", BPF_JNE, true },
	{ "jsgt", BPF_JSGT, true }, { "jsge", BPF_JSGE, true }, { "jlt", BPF_JLT, true }, { "jle", BPF_JLE, true },
	{ "jslt", BPF_JSLT, true }, { "jsle", BPF_JSLE, true },
};

static const struct {
	const char *name;
	uint8_t code;
} bundle_text_codes[] = {
	{ "call", BPF_JMP | BPF_CALL }, { "exit", BPF_JMP | BPF_EXIT }, { "lddw", BPF_LD | BPF_IMM | BPF_DW },
	{ "ldxb", BPF_LDX | BPF_MEM | BPF_B }, { "ldxh", BPF_LDX | BPF_MEM | BPF_H },
	{ "ldxw", BPF_LDX | BPF_MEM | BPF_W }, { "ldxdw", BPF_LDX | BPF_MEM | BPF_DW },
	{ "ldsxb", BPF_LDX | 0x80 | BPF_B }, { "ldsxh", BPF_LDX | 0x80 | BPF_H }, { "ldsxw", BPF_LDX | 0x80 | BPF_W },
	{ "stb", BPF_ST | BPF_MEM | BPF_B }, { "sth", BPF_ST | BPF_MEM | BPF_H }, { "stw", BPF_ST | BPF_MEM | BPF_W },
	{ "stdw", BPF_ST | BPF_MEM | BPF_DW }, { "stxb", BPF_STX | BPF_MEM | BPF_B },
	{ "stxh", BPF_STX | BPF_MEM | BPF_H }, { "stxw", BPF_STX | BPF_MEM | BPF_W },
	{ "stxdw", BPF_STX | BPF_MEM | BPF_DW }, { "atomicw", BPF_STX | BPF_ATOMIC | BPF_W },
	{ "atomicdw", BPF_STX | BPF_ATOMIC | BPF_DW },
};

// "add64i": operation, width, operand.
static bool bundle_text_code(const char *word, uint8_t *ret)
{
	for (size_t i = 0; i < SP_ARRAY_SIZE(bundle_text_codes); i++)
		if (sp_streq(word, bundle_text_codes[i].name)) {
			*ret = bundle_text_codes[i].code;
			return true;
		}
	for (size_t i = 0; i < SP_ARRAY_SIZE(bundle_text_ops); i++) {
		const struct bundle_text_op *op = &bundle_text_ops[i];
		const char *rest;
		bool is64;

		if (!sp_starts_with(word, op->name))
			continue;
		rest = word + strlen(op->name);
		is64 = sp_starts_with(rest, "64");
		if (!is64 && !sp_starts_with(rest, "32"))
			continue;
		if (!sp_streq(rest + 2, "i") && !sp_streq(rest + 2, "r"))
			continue;
		*ret = op->is_jump ? (is64 ? BPF_JMP : BPF_JMP32) : (is64 ? BPF_ALU64 : BPF_ALU);
		*ret |= op->code | (rest[2] == 'r' ? BPF_X : BPF_K);
		return true;
	}
	return false;
}

// ---- lines ----------------------------------------------------------------------------------------------------------

// Splits a line into words; texts lose their quotes. Returns how many.
static unsigned bundle_text_split(char *line, char *words[BUNDLE_TEXT_WORDS])
{
	unsigned n = 0;
	char *p = line;

	while (n < BUNDLE_TEXT_WORDS) {
		char *to;
		bool quoted;

		while (isspace((unsigned char)*p))
			p++;
		if (!*p || *p == '#')
			break;
		quoted = *p == '"';
		p += quoted;
		words[n++] = to = p;
		while (*p && (quoted ? *p != '"' : !isspace((unsigned char)*p))) {
			if (quoted && *p == '\\' && p[1]) {
				p++;
				*to++ = *p == 'n' ? '\n' : *p;
				p++;
			} else {
				*to++ = *p++;
			}
		}
		p += *p != '\0';
		*to = '\0';
	}
	return n;
}

static int64_t bundle_text_number(const char *word)
{
	return word ? (int64_t)(word[0] == '-' ? strtoll(word, NULL, 0) : (long long)strtoull(word, NULL, 0)) : 0;
}

static void bundle_text_close_prog(struct bundle_text *t)
{
	if (t->in_prog)
		bm_prog(&t->make, "handler", t->site_kind, t->point, (const void *)sp_buf_str(&t->code),
			t->code.len / sizeof(struct bpf_insn));
	t->in_prog = false;
	sp_buf_clear(&t->code);
}

static void bundle_text_lay_out(struct bundle_text *t)
{
	bundle_text_close_prog(t);
	if (!t->laid_out)
		bm_lay_out(&t->make);
	t->laid_out = true;
}

static bool bundle_text_head(struct bundle_text *t, const char *field, int64_t value)
{
	struct sp_bundle_head *h = &t->make.head;

	if (sp_streq(field, "n_slots"))
		h->n_slots = (uint32_t)value;
	else if (sp_streq(field, "scratch_size"))
		h->scratch_size = (uint32_t)value;
	else if (sp_streq(field, "max_errors"))
		h->max_errors = (uint32_t)value;
	else if (sp_streq(field, "ring_size"))
		h->ring_size = (uint32_t)value;
	else if (sp_streq(field, "version"))
		h->version = (uint16_t)value;
	else if (sp_streq(field, "features"))
		h->features = (uint64_t)value;
	else
		return false;
	return true;
}

static bool bundle_text_poke(struct bundle_text *t, char **words)
{
	struct bundle_make *m = &t->make;
	struct sp_buf head = { .data = (char *)&m->head, .len = sizeof(m->head) };
	const struct {
		const char *name;
		struct sp_buf *data;
	} sections[] = {
		{ "head", &head }, { "strings", &m->strings }, { "progs", &m->progs }, { "sites", &m->sites },
		{ "maps", &m->maps }, { "globals", &m->globals }, { "fields", &m->fields }, { "formats", &m->formats },
		{ "names", &m->names }, { "places", &m->places }, { "fixups", &m->fixups }, { "objects", &m->objects }, { "user", &m->user },
		{ "udata", &m->udata }, { "data", &m->data }, { "slots", &m->slots },
	};
	uint64_t offset = (uint64_t)bundle_text_number(words[2]), bytes = (uint64_t)bundle_text_number(words[3]);
	int64_t value = bundle_text_number(words[4]);

	bundle_text_lay_out(t);
	for (size_t i = 0; i < SP_ARRAY_SIZE(sections); i++)
		if (sp_streq(words[1], sections[i].name) && bytes <= 8 && offset < sections[i].data->len &&
		    bytes <= sections[i].data->len - offset) {
			memcpy(sections[i].data->data + offset, &value, bytes);
			return true;
		}
	return false;
}

static bool bundle_text_line(struct bundle_text *t, char **w, unsigned n)
{
	struct bundle_make *m = &t->make;
	uint8_t code;

	if (t->in_prog && bundle_text_code(w[0], &code)) {
		const struct bpf_insn i = INSN(code, bundle_text_number(w[1]) & 15, bundle_text_number(w[2]) & 15,
					       (int16_t)bundle_text_number(w[3]), (int32_t)bundle_text_number(w[4]));
		const struct bpf_insn second = INSN(0, 0, 0, 0, (int32_t)(bundle_text_number(w[4]) >> 32));
		// lddw with a marker: the second number is a word of its own.
		const struct bpf_insn marked = INSN(0, 0, 0, 0, (int32_t)bundle_text_number(w[5]));

		sp_buf_add(&t->code, &i, sizeof(i));
		if (code == (BPF_LD | BPF_IMM | BPF_DW))
			sp_buf_add(&t->code, n > 5 ? &marked : &second, sizeof(second));
		return true;
	}
	if (sp_streq(w[0], "head") && n == 3)
		return bundle_text_head(t, w[1], bundle_text_number(w[2]));
	if (sp_streq(w[0], "map") && n == 6)
		bm_map(m, w[1], w[2], w[3][0], 16, (unsigned)bundle_text_number(w[4]), (unsigned)bundle_text_number(w[5]));
	else if (sp_streq(w[0], "global") && n == 3)
		bm_global(m, w[1], w[2][0], w[2][0] == 'l' ? 8 : 16);
	else if (sp_streq(w[0], "format") && n == 4)
		bm_format(m, (unsigned)bundle_text_number(w[1]), w[2], sp_streq(w[3], "-") ? "" : w[3], 16);
	else if (sp_streq(w[0], "udata") && n == 2)
		sp_buf_add(&m->udata, w[1], strlen(w[1]) + 1);
	else if (sp_streq(w[0], "poke") && n == 5)
		return bundle_text_poke(t, w);
	else if (sp_streq(w[0], "cut") && n == 2)
		t->cut = (size_t)bundle_text_number(w[1]);
	else if (sp_streq(w[0], "expect") && n == 2)
		snprintf(t->expect, sizeof(t->expect), "%s", w[1]);
	else if (sp_streq(w[0], "prog") && n == 3) {
		bundle_text_close_prog(t);
		t->in_prog = true;
		t->site_kind = (unsigned)bundle_text_number(w[1]);
		snprintf(t->point, sizeof(t->point), "%s", w[2]);
	} else {
		return false;
	}
	return true;
}

/** The bytes of the bundle that the text describes, to be freed with free(3); `t->expect` says what is expected of it.
 *  NULL when the text is wrong; the line has been named on stderr. */
static SP_UNUSED char *bundle_text_assemble(struct bundle_text *t, const char *text, size_t len, size_t *size_ret)
{
	char *copy = sp_strndup(text, len), *line = copy, *bytes = NULL;
	bool wrong = false;

	*t = (struct bundle_text){ 0 };
	bm_init(&t->make);
	line += strlen(BUNDLE_TEXT_MAGIC);
	for (unsigned number = 2; line && !wrong; number++) {
		char *next = strchr(line, '\n'), *words[BUNDLE_TEXT_WORDS] = { 0 };
		unsigned n;

		if (next)
			*next++ = '\0';
		n = bundle_text_split(line, words);
		if (n && !bundle_text_line(t, words, n)) {
			fprintf(stderr, "bundle text, line %u: cannot be read\n", number);
			wrong = true;
		}
		line = next;
	}
	bundle_text_lay_out(t);
	if (!wrong) {
		bytes = bm_write(&t->make, size_ret);
		if (t->cut && t->cut < *size_ret)
			*size_ret = t->cut;
	}
	bm_deinit(&t->make);
	sp_buf_deinit(&t->code);
	free(copy);
	return bytes;
}

#endif
