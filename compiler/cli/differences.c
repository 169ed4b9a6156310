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

// A line without where in its file a probed function is: that changes with each build.
static char *shape_of(const char *line)
{
	size_t len = strcspn(line, "\n");
	sp_cleanup_free char *text = sp_strndup(line, len);
	bool is_function = strstr(text, ".function(\"");
	struct sp_buf shape = { 0 };

	for (const char *at = text; *at; at++) {
		size_t n = *at == ':' ? strspn(at + 1, "0123456789") : 0;

		if (is_function && n && at[n + 1] == '"')
			at += n;
		else
			sp_buf_putc(&shape, *at);
	}
	return sp_buf_take(&shape);
}

static bool has_line(const char *text, const char *line)
{
	sp_cleanup_free char *wanted = shape_of(line);

	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		sp_cleanup_free char *shape = shape_of(at);

		if (sp_streq(shape, wanted))
			return true;
	}
	return false;
}

// The lines of `text` that `other` does not have, each once.
static void put_missing(struct sp_buf *out, const char *text, const char *other, const char *sign, bool json)
{
	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		size_t len = strcspn(at, "\n");
		sp_cleanup_free char *line = NULL;

		if (!is_compared(at) || has_line(other, at))
			continue;
		line = sp_strndup(at + 2, len - 2);
		if (json)
			sp_json_text(out, NULL, line);
		else
			sp_buf_printf(out, "  %s %s\n", sign, line);
	}
}

// ---- variables ------------------------------------------------------------------------------------------------------

/** The lines of one variable at one place of the script; it has several where a probe has several sites. */
struct variable {
	const char *at, *text; // end with a tab
	const char *lines; // the first of `n_lines`
	unsigned n_lines;
};

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return line + (*line == '\n');
}

static size_t key_len(const char *line)
{
	size_t at = strcspn(line, "\t") + 1;

	return at + strcspn(line + at, "\t") + 1;
}

static bool next_variable(const char **lines, struct variable *ret)
{
	const char *line = *lines;

	if (!*line)
		return false;
	*ret = (struct variable){ line, line + strcspn(line, "\t") + 1, line, 0 };
	for (; *line && key_len(line) == key_len(ret->lines) && memcmp(line, ret->lines, key_len(line)) == 0; line = next_line(line))
		ret->n_lines++;
	*lines = line;
	return true;
}

static bool find_variable(const char *lines, const struct variable *wanted, struct variable *ret)
{
	while (next_variable(&lines, ret))
		if (key_len(ret->lines) == key_len(wanted->lines) && memcmp(ret->lines, wanted->lines, key_len(wanted->lines)) == 0)
			return true;
	return false;
}

// The types that it has, each once: "int, 4 bytes", "int, 4 bytes or long, 8 bytes".
static char *types_of(const struct variable *variable)
{
	struct sp_buf types = { 0 };
	const char *line = variable->lines, *last = "";
	size_t last_len = 0;

	for (unsigned i = 0; i < variable->n_lines; i++, line = next_line(line)) {
		const char *type = line + key_len(line);
		size_t len = strcspn(type, "\t");

		if (len != last_len || memcmp(type, last, len) != 0) {
			sp_buf_puts(&types, types.len ? " or " : "");
			sp_buf_add(&types, type, len);
		}
		last = type;
		last_len = len;
	}
	return sp_buf_take(&types);
}

static bool is_where_it_was(const struct variable *a, const struct variable *b)
{
	const char *one = a->lines, *other = b->lines;

	if (a->n_lines != b->n_lines)
		return false;
	for (unsigned i = 0; i < a->n_lines; i++, one = next_line(one), other = next_line(other))
		if (next_line(one) - one != next_line(other) - other || memcmp(one, other, (size_t)(next_line(one) - one)) != 0)
			return false;
	return true;
}

enum change { CHANGED_TYPE, CHANGED_PLACE, CHANGED_TO_NONE };

static void put_change(struct sp_buf *out, const struct variable *variable, enum change change, const char *was, const char *is, bool json)
{
	static const char *const names[] = { "type", "moved", "missing" };
	sp_cleanup_free char *text = sp_strndup(variable->text, strcspn(variable->text, "\t"));
	sp_cleanup_free char *at = sp_strndup(variable->at, strcspn(variable->at, "\t"));

	if (json) {
		sp_json_begin(out, NULL, '{');
		sp_json_text(out, "variable", text);
		sp_json_text(out, "at", at);
		sp_json_text(out, "change", names[change]);
		if (change == CHANGED_TYPE) {
			sp_json_text(out, "was", was);
			sp_json_text(out, "is", is);
		}
		sp_json_end(out, '}');
		return;
	}
	sp_buf_printf(out, "  %s at %s ", text, at);
	if (change == CHANGED_TYPE)
		sp_buf_printf(out, "has another type: %s; it was %s\n", is, was);
	else
		sp_buf_puts(out, change == CHANGED_PLACE ? "is elsewhere\n" : "is missing\n");
}

static void put_changes(struct sp_buf *out, const char *before, const char *now, bool json)
{
	struct variable variable, same;

	while (next_variable(&before, &variable)) {
		bool is_there = find_variable(now, &variable, &same);
		sp_cleanup_free char *was = types_of(&variable), *is = is_there ? types_of(&same) : NULL;

		if (!is_there)
			put_change(out, &variable, CHANGED_TO_NONE, was, is, json);
		else if (!sp_streq(was, is))
			put_change(out, &variable, CHANGED_TYPE, was, is, json);
		else if (!is_where_it_was(&variable, &same))
			put_change(out, &variable, CHANGED_PLACE, was, is, json);
	}
}

// ---- targets --------------------------------------------------------------------------------------------------------

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

static void put_text(struct sp_buf *out, const struct differences *d, const char *target, int status, const char *kernel, const char *shown,
		     const char *variables)
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
	put_changes(out, sp_buf_str(&d->variables), variables, false);
	if (out->len > before) {
		sp_cleanup_free char *changes = sp_strdup(out->data + before);

		out->len = before;
		sp_buf_printf(out, "  otherwise than for %s:\n%s", d->target, changes);
	}
}

static void put_json(struct sp_buf *out, const struct differences *d, const char *target, int status, const char *kernel, const char *shown,
		     const char *variables)
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
	sp_json_begin(out, "variables", '[');
	if (is_compared_with)
		put_changes(out, sp_buf_str(&d->variables), variables, true);
	sp_json_end(out, ']');
	sp_json_end(out, '}');
	sp_buf_putc(out, '\n');
}

void differences_print(struct differences *d, const char *target, int status, const char *shown, const char *variables, bool json)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf out = { 0 };
	sp_cleanup_free char *kernel = shown ? kernel_of(shown) : NULL;

	if (json)
		put_json(&out, d, target, status, kernel, shown, variables);
	else
		put_text(&out, d, target, status, kernel, shown, variables);
	fputs(sp_buf_str(&out), stdout);
	if (d->target || !shown)
		return;
	d->target = sp_strdup(target);
	sp_buf_puts(&d->shown, shown);
	sp_buf_puts(&d->variables, variables);
}

void differences_deinit(struct differences *d)
{
	free(d->target);
	sp_buf_deinit(&d->shown);
	sp_buf_deinit(&d->variables);
}
