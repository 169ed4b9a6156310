// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cache/perf_probes.h"

#include <string.h>

static const char *next_line(const char *at, const char *end)
{
	const char *newline = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;

	return newline ? newline + 1 : end;
}

static bool is_first(const char *line)
{
	return *line == '#' || *line == '%';
}

// Of "%GROUP:EVENT=NAME" the name of the event is no part of what it is.
static size_t definition_len(const struct perf_probe *probe, const char *line_end)
{
	size_t len = (size_t)(line_end - probe->definition);
	const char *stop = probe->is_mark ? memchr(probe->definition, '=', len) : NULL;

	len -= len && probe->definition[len - 1] == '\n';
	return stop ? (size_t)(stop - probe->definition) : len;
}

bool perf_probes_next(const char **at, const char *end, struct perf_probe *ret)
{
	const char *line = *at, *behind;

	while (line < end && !is_first(line))
		line = next_line(line, end);
	if (line >= end)
		return false;
	behind = next_line(line, end);
	*ret = (struct perf_probe){ .definition = line + 1, .is_mark = *line == '%', .begin = line };
	ret->len = definition_len(ret, behind);
	while (behind < end && !is_first(behind))
		behind = next_line(behind, end);
	*at = ret->end = behind;
	return true;
}

void perf_probes_put(struct sp_buf *text, const char *probe, size_t len)
{
	const char *at = probe, *old_at = text->data;
	struct perf_probe added, old;

	if (!perf_probes_next(&at, probe + len, &added))
		return;
	while (text->len && perf_probes_next(&old_at, text->data + text->len, &old)) {
		if (old.is_mark != added.is_mark || old.len != added.len || memcmp(old.definition, added.definition, old.len) != 0)
			continue;
		memmove((char *)old.begin, old.end, (size_t)(text->data + text->len - old.end));
		text->len -= (size_t)(old.end - old.begin);
		old_at = old.begin;
	}
	if (text->len && text->data[text->len - 1] != '\n')
		sp_buf_putc(text, '\n');
	sp_buf_add(text, probe, len);
}
