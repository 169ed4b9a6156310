// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/listing.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/json.h"

#include <stdlib.h>

void listing_deinit(struct listing *listing)
{
	sp_hash_each(entry, &listing->by_point)
		free(((struct listed *)entry->value)->vars);
	sp_hash_deinit(&listing->by_point);
	sp_arena_deinit(&listing->arena);
}

const char *listing_vars(const struct listing *listing, const char *point)
{
	const struct listed *listed = sp_hash_get(&listing->by_point, point);

	return listed ? listed->vars : NULL;
}

// Is " $name:type" of len bytes one of the variables in vars?
static bool has_var(const char *vars, const char *var, size_t len)
{
	const char *found = vars;

	while ((found = strstr(found, " $"))) {
		if (!strncmp(found, var, len) && (!found[len] || sp_starts_with(found + len, " $")))
			return true;
		found += 2;
	}
	return false;
}

// Removes from `vars` the variables that `others` lacks.
static void keep_common(char *vars, const char *others)
{
	char *out = vars;

	for (const char *var = vars, *next; *var; var = next) {
		next = strstr(var + 2, " $");
		next = next ? next : var + strlen(var);
		size_t len = (size_t)(next - var);
		if (!has_var(others, var, len))
			continue;
		memmove(out, var, len);
		out += len;
	}
	*out = '\0';
}

void listing_add(struct listing *listing, const char *point, const char *vars, uint64_t pc, uint64_t seq)
{
	void **slot = sp_hash_insert(&listing->by_point, point, strlen(point));
	struct listed *listed = *slot;

	if (!listed) {
		listed = *slot = sp_arena_new(&listing->arena, struct listed);
		*listed = (struct listed){ sp_strdup(vars), NULL, pc, seq };
		return;
	}
	if (pc < listed->pc || (pc == listed->pc && seq < listed->seq)) {
		char *known = listed->vars;
		listed->vars = sp_strdup(vars);
		listed->pc = pc;
		listed->seq = seq;
		keep_common(listed->vars, known);
		free(known);
	} else if (!sp_streq(listed->vars, vars)) {
		keep_common(listed->vars, vars);
	}
}

void listing_note(struct listing *listing, const char *point, const char *note)
{
	struct listed *listed = sp_hash_get(&listing->by_point, point);

	if (!listed->note)
		listed->note = sp_arena_strdup(&listing->arena, note);
	else if (!strstr(listed->note, note))
		listed->note = sp_arena_printf(&listing->arena, "%s | %s", listed->note, note);
}

void listing_take(struct listing *listing, struct listing *other)
{
	if (!listing->by_point.n_live) {
		listing_deinit(listing);
		*listing = *other;
		*other = (struct listing){ 0 };
		return;
	}
	sp_hash_each(entry, &other->by_point) {
		const struct listed *listed = entry->value;
		listing_add(listing, entry->key, listed->vars, listed->pc, listed->seq);
		if (listed->note)
			listing_note(listing, entry->key, listed->note);
	}
	listing_deinit(other);
	*other = (struct listing){ 0 };
}

void listing_leave_out(struct listing *listing, const struct listing *other)
{
	sp_hash_each(entry, &other->by_point) {
		struct listed *listed = sp_hash_remove(&listing->by_point, entry->key, entry->key_len);
		free(listed ? listed->vars : NULL);
	}
}

// The next " name:type" in the text; a type may hold blanks, and "::" in C++. NULL: none.
static const char *next_var(const char *text)
{
	while ((text = strchr(text, ' '))) {
		size_t len = strspn(text + 1, "$abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

		if (len && text[1 + len] == ':' && text[2 + len] != ':')
			return text;
		text++;
	}
	return NULL;
}

static void put_json(const struct sp_hash_entry *entry, const char *kind, bool with_vars, struct sp_buf *out)
{
	const struct listed *listed = entry->value;
	const char *var = next_var(listed->vars), *next;

	sp_json_begin(out, NULL, '{');
	sp_json_text(out, "point", entry->key);
	if (kind)
		sp_json_text(out, "kind", kind);
	if (with_vars)
		sp_json_begin(out, "variables", '[');
	for (; var; var = next) {
		sp_cleanup(sp_buf_deinit) struct sp_buf name = { 0 }, type = { 0 };
		size_t len = strcspn(var, ":");

		next = next_var(var + 1);
		sp_buf_add(&name, var + 1, len - 1);
		sp_buf_add(&type, var + len + 1, next ? (size_t)(next - var) - len - 1 : strlen(var + len + 1));
		sp_json_begin(out, NULL, '{');
		sp_json_text(out, "name", sp_buf_str(&name));
		sp_json_text(out, "type", sp_buf_str(&type));
		sp_json_end(out, '}');
	}
	if (with_vars)
		sp_json_end(out, ']');
	if (listed->note)
		sp_json_text(out, "note", listed->note);
	sp_json_end(out, '}');
	sp_buf_putc(out, '\n');
}

static int by_point(const void *left, const void *right)
{
	const struct sp_hash_entry *const *a = left, *const *b = right;

	return strcmp((*a)->key, (*b)->key);
}

void listing_print(const struct listing *listing, const char *kind, bool vars, bool json, struct sp_buf *out)
{
	sp_cleanup_free const struct sp_hash_entry **sorted = sp_malloc((listing->by_point.n_live + 1) * sizeof(*sorted));
	size_t n = 0;

	sp_hash_each(entry, &listing->by_point)
		sorted[n++] = entry;
	qsort(sorted, n, sizeof(*sorted), by_point);
	if (kind && n && !json)
		sp_buf_printf(out, "# %s: %zu\n", kind, n);
	for (size_t i = 0; i < n; i++) {
		const struct listed *listed = sorted[i]->value;

		if (json) {
			put_json(sorted[i], kind, vars, out);
			continue;
		}
		sp_buf_add(out, sorted[i]->key, sorted[i]->key_len);
		sp_buf_puts(out, listed->vars);
		if (listed->note)
			sp_buf_printf(out, "  # %s", listed->note);
		sp_buf_putc(out, '\n');
	}
}
