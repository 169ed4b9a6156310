// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/bpftrace/bt_lex.h"

#include <ctype.h>
#include <string.h>

size_t bt_skip(const char *text, size_t at)
{
	for (;;) {
		const char *end;

		at += strspn(text + at, " \t\r\n");
		if (sp_starts_with(text + at, "//")) {
			at += strcspn(text + at, "\n");
		} else if (sp_starts_with(text + at, "/*")) {
			end = strstr(text + at + 2, "*/");
			at = end ? (size_t)(end + 2 - text) : at + strlen(text + at);
		} else {
			return at;
		}
	}
}

static size_t name_length(const char *text)
{
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) || text[n] == '_')
		n++;
	return n;
}

static size_t string_length(const char *text)
{
	size_t n = 1;

	while (text[n] && text[n] != '"' && text[n] != '\n')
		n += text[n] == '\\' && text[n + 1] ? 2 : 1;
	return n + (text[n] == '"');
}

static size_t mark_length(const char *text)
{
	static const char *const marks[] = {
		"<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=",
		"|=", "^=", "..", "::",
	};

	for (size_t i = 0; i < SP_ARRAY_SIZE(marks); i++)
		if (sp_starts_with(text, marks[i]))
			return strlen(marks[i]);
	return 1;
}

struct bt_token bt_lex(const char *text, size_t at)
{
	struct bt_token ret = { .at = bt_skip(text, at) };
	const char *p = text + ret.at;

	if (!*p)
		return ret;
	if (*p == '"') {
		ret.kind = BT_STRING;
		ret.len = string_length(p);
	} else if (*p == '@' || *p == '$') {
		ret.kind = *p == '@' ? BT_MAP : BT_VARIABLE;
		ret.len = 1 + (p[1] == '#' ? 1 : name_length(p + 1));
	} else if (isdigit((unsigned char)*p)) {
		ret.kind = BT_NUMBER;
		ret.len = name_length(p);
	} else if (isalpha((unsigned char)*p) || *p == '_') {
		ret.kind = BT_NAME;
		ret.len = name_length(p);
	} else {
		ret.kind = BT_MARK;
		ret.len = mark_length(p);
	}
	return ret;
}

bool bt_is(const char *text, const struct bt_token *token, const char *what)
{
	return sp_is_word(text + token->at, token->len, what);
}
