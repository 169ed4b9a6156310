// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/spelling.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/util.h"

#include <ctype.h>
#include <string.h>

struct integer {
	unsigned n_long, n_short, n_char, n_int, n_signed, n_unsigned;
};

static bool is_name(char c)
{
	return c == '_' || isalnum((unsigned char)c);
}

// Reads the words at the beginning of the text that name an integer type. Returns their length; 0: there are none.
static size_t read_integer(const char *text, struct integer *ret)
{
	const struct {
		const char *word;
		unsigned *count;
	} words[] = {
		{ "long", &ret->n_long }, { "short", &ret->n_short }, { "char", &ret->n_char },
		{ "int", &ret->n_int }, { "signed", &ret->n_signed }, { "unsigned", &ret->n_unsigned },
	};
	size_t end = 0;

	*ret = (struct integer){ 0 };
	for (size_t at = 0; is_name(text[at]); at = end + strspn(text + end, " ")) {
		size_t len = 0, i = 0;

		while (is_name(text[at + len]))
			len++;
		while (i < SP_ARRAY_SIZE(words) && !sp_is_word(text + at, len, words[i].word))
			i++;
		if (i == SP_ARRAY_SIZE(words))
			break;
		++*words[i].count;
		end = at + len;
	}
	return end;
}

static void put_integer(const struct integer *n, enum spelling spelling, struct sp_buf *ret)
{
	if (n->n_char) {
		sp_buf_printf(ret, "%schar", n->n_unsigned ? "unsigned " : n->n_signed ? "signed " : "");
		return;
	}
	if (spelling == SPELLING_CLANG && n->n_unsigned)
		sp_buf_puts(ret, "unsigned ");
	for (unsigned i = 0; i < n->n_long && i < 2; i++)
		sp_buf_puts(ret, "long ");
	if (n->n_short)
		sp_buf_puts(ret, "short ");
	if (spelling == SPELLING_GCC)
		sp_buf_printf(ret, "%sint", n->n_unsigned ? "unsigned " : "");
	else if (!n->n_long && !n->n_short)
		sp_buf_puts(ret, "int");
	else
		ret->data[--ret->len] = '\0'; // the last blank
}

bool spelling_integer(const char *name, enum spelling spelling, struct sp_buf *ret)
{
	struct integer integer;
	size_t len = read_integer(name, &integer);

	sp_buf_clear(ret);
	if (!len || name[len + strspn(name + len, " ")])
		return false;
	put_integer(&integer, spelling, ret);
	return true;
}

bool spelling_template(const char *name, enum spelling spelling, struct sp_buf *ret)
{
	int depth = 0;

	sp_buf_clear(ret);
	for (const char *at = name; *at;) {
		struct integer integer;
		size_t len = depth > 0 && (at == name || !is_name(at[-1])) ? read_integer(at, &integer) : 0;

		depth += (*at == '<') - (*at == '>');
		if (len)
			put_integer(&integer, spelling, ret);
		else
			sp_buf_putc(ret, *at);
		at += len ? len : 1;
	}
	return !sp_streq(sp_buf_str(ret), name);
}

bool spelling_pointers(const char *name, struct sp_buf *ret)
{
	bool any = false;
	int depth = 0;

	sp_buf_clear(ret);
	for (const char *at = name; *at; at++) {
		const char *before = at;

		while (before > name && before[-1] == ' ')
			before--;
		depth += (*at == '<') - (*at == '>');
		if (*at == '*' && depth > 0 && before > name && (is_name(before[-1]) || strchr(">*&)", before[-1])) && at[1] && strchr(">,*& )", at[1])) {
			sp_buf_putc(ret, '\\');
			any = true;
		}
		sp_buf_putc(ret, *at);
	}
	return any;
}

#define MAX_PARTS 3 // of a name that can have arguments

bool spelling_instances(const char *name, unsigned i, struct sp_buf *ret)
{
	unsigned n = 1, k = 0, with = i + 1; // with: a bit for each part that has arguments, the last one first

	if (strpbrk(name, "<>() *?[\\.$") || strstr(name, "operator"))
		return false;
	for (const char *at = name; (at = strstr(at, "::")); at += 2)
		n++;
	if (!*name || with >= 1u << SP_MIN(n, (unsigned)MAX_PARTS))
		return false;
	sp_buf_clear(ret);
	for (const char *at = name;; at += 2, k++) {
		size_t len = strcspn(at, ":");

		sp_buf_add(ret, at, len);
		if (len && n - 1 - k < MAX_PARTS && with >> (n - 1 - k) & 1)
			sp_buf_puts(ret, "<*>");
		at += len;
		if (at[0] != ':' || at[1] != ':')
			return !*at;
		sp_buf_puts(ret, "::");
	}
}

bool spelling_is_instance(const char *name, const char *instance)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf plain = { 0 };
	size_t len = strlen(name);
	int depth = 0;

	for (const char *at = instance; *at; at++) {
		depth += *at == '<';
		if (!depth)
			sp_buf_putc(&plain, *at);
		depth -= *at == '>' && depth > 0 && at[-1] != '-';
	}
	return plain.len >= len && sp_streq(plain.data + plain.len - len, name) && (plain.len == len || plain.data[plain.len - len - 1] == ':');
}
