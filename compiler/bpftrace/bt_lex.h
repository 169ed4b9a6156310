// SPDX-License-Identifier: GPL-2.0-or-later
/** The tokens of a bpftrace script, one after the other: what is a token depends on the place, so there is no list of them. */
#ifndef SP_BPFTRACE_LEX_H
#define SP_BPFTRACE_LEX_H

#include "runtime/base/util.h"

#include <stddef.h>

enum bt_kind {
	BT_END, // of the text
	BT_NAME,
	BT_NUMBER, // with its suffix: 10ms, 0x1f, 1e6, 1_000
	BT_STRING, // with its quotes
	BT_MAP, // @, @name
	BT_VARIABLE, // $name, $1, $#
	BT_MARK, // of one or more characters: ->, <<, {
};

struct bt_token {
	enum bt_kind kind;
	size_t at, len; // in the text
};

/** The first token from `at` on, behind blanks and comments. A character that means nothing is a mark. */
struct bt_token bt_lex(const char *text, size_t at);
/** Where blanks and comments end that begin at `at`. */
size_t bt_skip(const char *text, size_t at);
bool bt_is(const char *text, const struct bt_token *token, const char *what);

#endif
