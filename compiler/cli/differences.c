// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/differences.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/json.h"

#include <stdio.h>

#define KERNEL "  kernel "

// Is the line one that says what the script needs, and not which build that is?
static bool is_compared(const char *line)
{
	return sp_starts_with(line, "  probe ") || sp_starts_with(line, "  field ") || sp_starts_with(line, "  needs ");
}

static bool has_line(const char *text, const char *line, size_t len)
{
	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n')
		if (strcspn(at, "\n") == len && memcmp(at, line, len) == 0)
			return true;
	return false;
}

// The lines of `text` that `other` does not have, each once.
static void put_missing(struct sp_buf *out, const char *text, const char *other, const char *sign, bool json)
{
	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		size_t len = strcspn(at, "\n");
		sp_cleanup_free char *line = NULL;

		if (!is_compared(at) || has_line(other, at, len))
			continue;
		line = sp_strndup(at + 2, len - 2);
		if (json)
			sp_json_text(out, NULL, line);
		else
			sp_buf_printf(out, "  %s %s\n", sign, line);
	}
}

// "6.1.0, build-id ...; others do, too"; NULL: no probe is in a kernel.
static char *kernel_of(const char *shown)
{
	const char *line = strstr(shown, "\n" KERNEL);

	if (!line)
		return NULL;
	line += strlen("\n" KERNEL);
	line += strspn(line, " ");
	return sp_strndup(line, strcspn(line, "\n"));
}

static void put_text(struct sp_buf *out, const struct differences *d, const char *target, int status, const char *kernel, const char *shown)
{
	size_t before;

	sp_buf_printf(out, "%s: %s\n", target, status ? "cannot be compiled" : "ok");
	if (kernel)
		sp_buf_printf(out, "  %s\n", kernel);
	if (!shown || !d->target)
		return;
	before = out->len;
	put_missing(out, sp_buf_str(&d->shown), shown, "-", false);
	put_missing(out, shown, sp_buf_str(&d->shown), "+", false);
	if (out->len > before) {
		sp_cleanup_free char *changes = sp_strdup(out->data + before);

		out->len = before;
		sp_buf_printf(out, "  otherwise than for %s:\n%s", d->target, changes);
	}
}

static void put_json(struct sp_buf *out, const struct differences *d, const char *target, int status, const char *kernel, const char *shown)
{
	bool is_compared_with = shown && d->target;

	sp_json_begin(out, NULL, '{');
	sp_json_text(out, "target", target);
	sp_json_number(out, "status", status);
	sp_json_text(out, "kernel", kernel);
	sp_json_text(out, "compared_with", is_compared_with ? d->target : NULL);
	sp_json_begin(out, "gone", '[');
	if (is_compared_with)
		put_missing(out, sp_buf_str(&d->shown), shown, "", true);
	sp_json_end(out, ']');
	sp_json_begin(out, "new", '[');
	if (is_compared_with)
		put_missing(out, shown, sp_buf_str(&d->shown), "", true);
	sp_json_end(out, ']');
	sp_json_end(out, '}');
	sp_buf_putc(out, '\n');
}

void differences_print(struct differences *d, const char *target, int status, const char *shown, bool json)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf out = { 0 };
	sp_cleanup_free char *kernel = shown ? kernel_of(shown) : NULL;

	if (json)
		put_json(&out, d, target, status, kernel, shown);
	else
		put_text(&out, d, target, status, kernel, shown);
	fputs(sp_buf_str(&out), stdout);
	if (d->target || !shown)
		return;
	d->target = sp_strdup(target);
	sp_buf_puts(&d->shown, shown);
}

void differences_deinit(struct differences *d)
{
	free(d->target);
	sp_buf_deinit(&d->shown);
}
