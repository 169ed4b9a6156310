// SPDX-License-Identifier: GPL-2.0-or-later
// A filter is short: it is read anew for each name, by recursive descent.
#include "compiler/driver/show_filter.h"

#include "runtime/base/util.h"

#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 64

struct reader {
	const char *at, *name; // `name` NULL: only the filter's form is looked at
	const char *wrong;
	unsigned depth;
};

static bool read_or(struct reader *r);

static void skip_blanks(struct reader *r)
{
	r->at += strspn(r->at, " \t");
}

static bool take(struct reader *r, char c)
{
	skip_blanks(r);
	if (*r->at != c)
		return false;
	r->at++;
	return true;
}

static bool read_name(struct reader *r)
{
	char pattern[256];
	size_t len = strcspn(r->at, " \t|&!()");

	if (!len || len >= sizeof(pattern)) {
		r->wrong = len ? "a name is too long" : "a name is missing";
		return false;
	}
	memcpy(pattern, r->at, len);
	pattern[len] = '\0';
	r->at += len;
	return r->name && sp_glob_match(pattern, r->name);
}

static bool read_term(struct reader *r)
{
	bool ret;

	if (++r->depth > MAX_DEPTH) {
		r->wrong = "it is nested too deeply";
		return false;
	}
	if (take(r, '!')) {
		ret = !read_term(r);
	} else if (take(r, '(')) {
		ret = read_or(r);
		if (!r->wrong && !take(r, ')'))
			r->wrong = "a ')' is missing";
	} else {
		ret = read_name(r);
	}
	r->depth--;
	return ret;
}

static bool read_and(struct reader *r)
{
	bool ret = read_term(r);

	while (!r->wrong && take(r, '&'))
		ret &= read_term(r);
	return ret;
}

static bool read_or(struct reader *r)
{
	bool ret = read_and(r);

	while (!r->wrong && take(r, '|'))
		ret |= read_and(r);
	return ret;
}

const char *show_filter_check(const char *filter)
{
	struct reader r = { .at = filter };

	read_or(&r);
	skip_blanks(&r);
	if (!r.wrong && *r.at)
		r.wrong = *r.at == ')' ? "a ')' has no '('" : "names are joined by | or &";
	return r.wrong;
}

bool show_filter_match(const char *filter, const char *name)
{
	struct reader r = { .at = filter, .name = name };

	return read_or(&r) && !r.wrong;
}
