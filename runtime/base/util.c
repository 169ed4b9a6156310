// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/base/util.h"

#include "runtime/base/cleanup.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

void sp_out_of_memory(void)
{
	// Nothing is left to do in order: the kernel, and those who wait for this process, see that it has gone.
	fputs("spile: out of memory\n", stderr);
	_exit(1);
}

static void *checked(void *p)
{
	if (!p)
		sp_out_of_memory();
	return p;
}

void *sp_malloc(size_t size)
{
	return checked(malloc(size ? size : 1));
}

void *sp_calloc(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size ? size : 1));
}

void *sp_realloc(void *old, size_t size)
{
	return checked(realloc(old, size ? size : 1));
}

char *sp_strdup(const char *s)
{
	return sp_strndup(s, strlen(s));
}

char *sp_strndup(const char *s, size_t len)
{
	char *copy = sp_malloc(len + 1);

	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

// One bracket expression. `p` is just after '['; returns just after ']', or NULL when there is none
// (then the '[' is an ordinary character).
static const char *match_set(const char *p, unsigned char c, bool *matched)
{
	bool negate = *p == '!' || *p == '^', hit = false;
	const char *start;

	if (negate)
		p++;
	for (start = p; *p && (*p != ']' || p == start); p++) {
		unsigned char lo, hi;

		if (*p == '\\' && p[1])
			p++;
		lo = hi = *p;
		if (p[1] == '-' && p[2] && p[2] != ']') {
			hi = p[2];
			p += 2;
		}
		hit |= lo <= c && c <= hi;
	}
	if (*p != ']')
		return NULL;
	*matched = hit != negate;
	return p + 1;
}

// Matches one pattern element against `c`. Returns the pattern after it, or NULL when it does not match.
static const char *match_one(const char *p, char c)
{
	bool matched;

	if (*p == '?')
		return p + 1;
	if (*p == '[') {
		const char *end = match_set(p + 1, c, &matched);

		if (end)
			return matched ? end : NULL;
	}
	if (*p == '\\' && p[1])
		p++;
	return *p == c ? p + 1 : NULL;
}

static bool glob_match(const char *pattern, const char *text)
{
	const char *star = NULL, *retry = NULL;

	while (*text) {
		const char *next = *pattern && *pattern != '*' ? match_one(pattern, *text) : NULL;

		if (*pattern == '*') {
			star = ++pattern;
			retry = text;
		} else if (next) {
			pattern = next;
			text++;
		} else if (star) {
			pattern = star;
			text = ++retry;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

// Most of a long list begin with another letter.
bool sp_glob_match(const char *pattern, const char *text)
{
	if (isalpha((unsigned char)*pattern) && *pattern != *text)
		return false;
	return glob_match(pattern, text) || (strchr(pattern, '[') && sp_streq(pattern, text));
}

bool sp_has_glob(const char *pattern)
{
	return pattern[strcspn(pattern, "*?[")];
}

const char *sp_list_next(const char **list, size_t *len_ret)
{
	const char *name = *list;

	*len_ret = strcspn(name, ",");
	*list += *len_ret;
	*list += strspn(*list, ", ");
	return *len_ret ? name : NULL;
}

bool sp_list_has(const char *list, const char *name, size_t len)
{
	const char *next;
	size_t n;

	while ((next = sp_list_next(&list, &n)))
		if (n == len && memcmp(next, name, len) == 0)
			return true;
	return false;
}

unsigned sp_edit_distance(const char *a, const char *b, unsigned limit)
{
	size_t la = strlen(a), lb = strlen(b);
	unsigned rows[3][65]; // of the current letter of `a` and the two before it

	if (la > 64 || lb > 64 || (la > lb ? la - lb : lb - la) > limit)
		return limit + 1;
	for (size_t j = 0; j <= lb; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= la; i++) {
		unsigned *row = rows[i % 3];
		const unsigned *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			row[j] = SP_MIN(above[j - 1] + (a[i - 1] != b[j - 1]), SP_MIN(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = SP_MIN(row[j], above2[j - 2] + 1);
		}
	}
	return SP_MIN(rows[la % 3][lb], limit + 1);
}

uint64_t sp_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int sp_proc_entry(const char *name)
{
	char *end;
	long number = strtol(name, &end, 10);

	return end == name || *end || number <= 0 || number > INT32_MAX ? 0 : (int)number;
}

bool sp_starts_with(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool sp_ends_with(const char *s, const char *end)
{
	size_t len = strlen(s), end_len = strlen(end);

	return len >= end_len && sp_streq(s + len - end_len, end);
}

bool sp_parse_percent(const char *text, double *ret)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || (*end && strcmp(end, "%")) || !(value > 0) || value > 100)
		return false;
	*ret = value / 100;
	return true;
}

void sp_cleanup_closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

void sp_cleanup_fclosep(FILE **f)
{
	if (*f)
		fclose(*f);
}
