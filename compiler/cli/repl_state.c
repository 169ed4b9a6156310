// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/repl_state.h"

#include "runtime/base/util.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static size_t name_len(const char *text)
{
	size_t len = 0;

	while (is_name_char(text[len]))
		len++;
	return isdigit((unsigned char)*text) ? 0 : len;
}

static bool has_name(char *const *names, size_t n, const char *name, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (sp_is_word(name, len, names[i]))
			return true;
	return false;
}

void repl_state_deinit(struct repl_state *state)
{
	sp_vec_each(name, &state->names)
		free(*name);
	sp_vec_deinit(&state->names);
	sp_buf_deinit(&state->values);
}

void repl_names_deinit(struct repl_names *names)
{
	sp_vec_each(name, &names->of)
		free(*name);
	sp_vec_deinit(&names->of);
}

// ---- which variables ----------------------------------------------------------------------------

// Behind a text or a comment that begins here; `at` when there is none.
static const char *skip_text(const char *at)
{
	const char *end;

	if (*at == '"') {
		for (at++; *at && *at != '"'; at++)
			at += *at == '\\' && at[1];
		return at + (*at == '"');
	}
	if (*at == '#' || (at[0] == '/' && at[1] == '/'))
		return at + strcspn(at, "\n");
	if (at[0] == '/' && at[1] == '*') {
		end = strstr(at + 2, "*/");
		return end ? end + 2 : at + strlen(at);
	}
	return at;
}

// Behind the ] that belongs to the [ here.
static const char *skip_index(const char *at)
{
	int depth = 0;

	do {
		const char *behind = skip_text(at);

		depth += (*at == '[') - (*at == ']');
		at = behind > at ? behind : at + 1;
	} while (*at && depth > 0);
	return at;
}

// Is it =, or one of += -= <<= ..., ++, --, <<< ?
static bool is_assignment(const char *at)
{
	static const char *const others[] = { "++", "--", "<<<", "<<=", ">>=" };

	if (*at == '=')
		return at[1] != '=' && at[1] != '~';
	for (size_t i = 0; i < SP_ARRAY_SIZE(others); i++)
		if (sp_starts_with(at, others[i]))
			return true;
	return *at && strchr("+-*/%&|^.", *at) && at[1] == '=' && at[2] != '=';
}

void repl_names_find(const char *text, struct repl_names *ret)
{
	char before = 0; // what makes a name none of a variable: $x, ->x, @x

	for (const char *at = text; *at;) {
		const char *behind = skip_text(at);
		size_t len = name_len(at);

		if (behind > at) {
			at = behind;
			before = 0;
			continue;
		}
		if (len) {
			behind = at + len + strspn(at + len, " \t\n");
			if (*behind == '[')
				behind = skip_index(behind);
			behind += strspn(behind, " \t\n");
			ret->has_statistics |= sp_starts_with(behind, "<<<");
			if (!(before && strchr("$@>", before)) && is_assignment(behind) && !has_name(ret->of.v, ret->of.n, at, len))
				sp_vec_push(&ret->of, sp_strndup(at, len));
		} else if (isdigit((unsigned char)*at)) {
			while (is_name_char(at[len]))
				len++;
		}
		before = *at;
		at += len ? len : 1;
	}
}

void repl_state_add_name(struct repl_state *state, const char *name)
{
	sp_vec_push(&state->names, sp_strdup(name));
}

void repl_state_drop_names(struct repl_state *state, size_t from)
{
	while (state->names.n > from)
		free(state->names.v[--state->names.n]);
}

void repl_state_put_names(const struct repl_state *state, struct sp_buf *out)
{
	sp_vec_each(name, &state->names)
		sp_buf_printf(out, "global %s\n", *name);
}

// ---- their values -------------------------------------------------------------------------------

// Aggregates, and the histograms behind them, are no assignments.
static bool is_value(const char *line)
{
	size_t len = name_len(line);
	const char *behind = len && line[len] == '[' ? skip_index(line + len) : line + len;

	return len && behind[strspn(behind, " ")] == '=';
}

// Appends the lines that are values, but those of some names; or, `only`, of no others.
static void copy_values(const char *text, char *const *names, size_t n, bool only, struct sp_buf *out)
{
	for (size_t len; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		if (is_value(text) && has_name(names, n, text, name_len(text)) == only)
			sp_buf_printf(out, "%.*s\n", (int)len, text);
	}
}

void repl_state_put_values(const struct repl_state *state, const struct repl_names *without, struct sp_buf *out)
{
	if (!state->values.len)
		return;
	sp_buf_puts(out, "probe begin(-9223372036854775807) {\n");
	copy_values(sp_buf_str(&state->values), without->of.v, without->of.n, false, out);
	sp_buf_puts(out, "}\n");
}

void repl_state_take(struct repl_state *state, const char *text, bool keeps_made)
{
	struct sp_buf values = { 0 };

	if (keeps_made)
		copy_values(sp_buf_str(&state->values), state->names.v, state->names.n, true, &values);
	copy_values(text, NULL, 0, false, &values);
	sp_buf_deinit(&state->values);
	state->values = values;
}
