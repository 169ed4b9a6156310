// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/overload.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/demangle.h"

#include <ctype.h>
#include <stdlib.h>

// The '(' that belongs to a ')' at `close`; NULL: there is none.
static const char *opening(const char *name, const char *close)
{
	int depth = 0;

	for (const char *at = close;; at--) {
		depth += (*at == ')') - (*at == '(');
		if (!depth)
			return at;
		if (at == name)
			return NULL;
	}
}

const char *overload_params(const char *name)
{
	const char *close = strrchr(name, ')'), *open;

	if (!close || close[1 + strspn(close + 1, " const&")])
		return NULL;
	open = opening(name, close);
	if (!open || open == name || sp_starts_with(open, "(anonymous"))
		return NULL;
	// "operator()" is a name.
	if (open - name >= 8 && !strncmp(open - 8, "operator", 8) && open[1] == ')')
		return NULL;
	return open;
}

static bool is_word(char c)
{
	return c == '_' || isalnum((unsigned char)c);
}

// Puts "const" behind the type that it comes before, and leaves out blanks that separate no words: "(const char *, int)" is
// "(char const*,int)". "(void)" is "()".
static void put_plain(const char *params, struct sp_buf *ret)
{
	bool is_const = false;

	if (sp_starts_with(params, "(void)")) {
		sp_buf_putc(ret, '(');
		params += strlen("(void");
	}
	for (const char *at = params; *at; at++) {
		char last = ret->len ? ret->data[ret->len - 1] : '(';
		bool begins = !is_word(last) && is_word(*at);
		if (begins && (last == '(' || last == ',' || last == '<') && !strncmp(at, "const ", 6)) {
			is_const = true;
			at += 5;
			continue;
		}
		if (*at == ' ' && (!is_word(last) || !is_word(at[1])))
			continue;
		if (is_const && strchr("*&,)<>", *at)) {
			sp_buf_puts(ret, " const");
			is_const = false;
		}
		sp_buf_putc(ret, *at);
	}
}

// Debug information has no linkage names of static functions: their symbols have.
static char *demangled(const struct dbg_func *func)
{
	char *text = func->linkage_name ? sp_demangle(func->linkage_name, true) : NULL;

	return text || !func->symbol || func->symbol_off ? text : sp_demangle(func->symbol, true);
}

static bool fits(const struct dbg_func *func, const char *params)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf own = { 0 };
	sp_cleanup_free char *text = demangled(func);
	const char *found = text ? overload_params(text) : NULL;

	if (!found)
		return false;
	put_plain(found, &own);
	if (sp_glob_match(params, sp_buf_str(&own)))
		return true;
	// "put() const" is found by "put()", too.
	while (own.len && own.data[own.len - 1] != ')')
		own.data[--own.len] = '\0';
	return sp_glob_match(params, sp_buf_str(&own));
}

void overload_keep(const char *params, struct dbg_funcs *funcs)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf plain = { 0 };
	unsigned n = 0;

	put_plain(params, &plain);
	for (unsigned i = 0; i < funcs->n; i++)
		if (fits(funcs->v[i], sp_buf_str(&plain)))
			funcs->v[n++] = funcs->v[i];
	funcs->n = n;
}
