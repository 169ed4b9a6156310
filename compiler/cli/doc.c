// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // strcasestr
#include "compiler/cli/doc.h"

#include "compiler/cli/pager.h"
#include "compiler/model/similar.h"
#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"
#include "runtime/base/vec.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define MAX_REFERENCE (16u << 20) // bytes

struct entry {
	char *kind; // "function, spile-strings(7)"
	char *names; // with blanks between them
	char *title;
	const char *body; // lines, up to the next entry
	size_t body_len;
};

struct doc {
	struct sp_buf text; // of the file; the entries point into it
	SP_VEC(struct entry) entries;
};

static void doc_deinit(struct doc *doc)
{
	sp_vec_deinit(&doc->entries);
	sp_buf_deinit(&doc->text);
}

// Cuts the file into entries: "= KIND<tab>NAMES<tab>TITLE", and lines that begin with a blank or are empty.
static void split(struct doc *doc)
{
	char *at = doc->text.data, *end;

	while (at && *at == '=') {
		struct entry entry = { .kind = at + 2 };

		end = strchr(at, '\n');
		if (!end)
			return;
		*end = '\0';
		entry.names = strchr(entry.kind, '\t');
		entry.title = entry.names ? strchr(entry.names + 1, '\t') : NULL;
		if (!entry.title)
			return;
		*entry.names++ = *entry.title++ = '\0';
		entry.body = end + 1;
		at = end[1] == '=' ? end + 1 : strstr(end + 1, "\n=");
		at = at && *at == '\n' ? at + 1 : at;
		entry.body_len = at ? (size_t)(at - entry.body) : strlen(entry.body);
		sp_vec_push(&doc->entries, entry);
	}
}

static struct sp_err *doc_open(struct doc *ret)
{
	char path[PATH_MAX];
	const char *own = cli_beside_program("tapsets-made/reference", path, sizeof(path));
	struct sp_err *err = sp_file_read(own ? own : SPILE_DATADIR "/reference", MAX_REFERENCE, &ret->text);

	if (!err) {
		sp_buf_putc(&ret->text, '\0');
		split(ret);
	}
	return err;
}

// ---- names ----------------------------------------------------------------------------------------------------------

// The word without what stands in parentheses: kernel.function("f").return is looked up as kernel.function.return, strlen(s) as strlen.
static char *without_arguments(const char *word)
{
	struct sp_buf ret = { 0 };
	int depth = 0;

	if (!isalnum((unsigned char)*word) && !strchr("@_$.", *word))
		return sp_strdup(word);
	for (; *word; word++) {
		depth += *word == '(';
		if (!depth && *word != ' ')
			sp_buf_putc(&ret, *word);
		depth -= *word == ')' && depth;
	}
	return sp_buf_take(&ret);
}

enum matching { IS_NAME, IS_NAME_IN_ANY_CASE, NAME_IS_PATTERN, WORD_IS_PATTERN };

static bool matches(enum matching how, const char *name, const char *word)
{
	switch (how) {
	case IS_NAME: return !strcmp(name, word);
	case IS_NAME_IN_ANY_CASE: return !strcasecmp(name, word);
	case NAME_IS_PATTERN: return sp_has_glob(name) && name[1] && sp_glob_match(name, word);
	case WORD_IS_PATTERN: return sp_glob_match(word, name);
	}
	return false;
}

static bool has_name(const struct entry *entry, enum matching how, const char *word)
{
	for (const char *at = entry->names; *at; at += strspn(at, " ")) {
		size_t len = strcspn(at, " ");
		sp_cleanup_free char *name = sp_strndup(at, len);

		if (matches(how, name, word))
			return true;
		at += len;
	}
	return false;
}

// ---- printing -------------------------------------------------------------------------------------------------------

static void print_entry(const struct entry *entry, bool is_first)
{
	printf("%s%s\n%.*s    [%s]\n", is_first ? "" : "\n", entry->title, (int)entry->body_len, entry->body, entry->kind);
}

static unsigned print_named(const struct doc *doc, enum matching how, const char *word)
{
	unsigned n = 0;

	sp_vec_each(entry, &doc->entries)
		if (has_name(entry, how, word))
			print_entry(entry, !n++);
	return n;
}

// The entries of a name: as it is written, as a tag in small letters, an option without its dashes, a name that a pattern stands for, or the
// longest beginning of a probe point that is one.
static unsigned print_name(const struct doc *doc, const char *word)
{
	sp_cleanup_free char *name = without_arguments(word), *option = NULL;
	struct sp_buf dashed = { 0 };
	unsigned n = print_named(doc, IS_NAME, word);

	sp_buf_printf(&dashed, "%s%s", name[0] && name[1] ? "--" : "-", name);
	option = sp_buf_take(&dashed);
	option[strcspn(option, "=")] = '\0';
	name[*name == '-' ? strcspn(name, "=") : strlen(name)] = '\0';
	n = n ? n : print_named(doc, IS_NAME, name);
	n = n ? n : print_named(doc, IS_NAME_IN_ANY_CASE, name);
	n = n ? n : print_named(doc, IS_NAME, option);
	n = n ? n : print_named(doc, NAME_IS_PATTERN, name);
	for (char *dot = strrchr(name, '.'); !n && dot && dot > name; dot = strrchr(name, '.')) {
		*dot = '\0';
		n = print_named(doc, IS_NAME, name);
	}
	return n;
}

static void print_line(const struct entry *entry)
{
	printf("%s\n    [%s]\n", entry->title, entry->kind);
}

static unsigned print_matching(const struct doc *doc, const char *pattern)
{
	unsigned n = 0;

	sp_vec_each(entry, &doc->entries)
		if (has_name(entry, WORD_IS_PATTERN, pattern) && ++n)
			print_line(entry);
	return n;
}

static unsigned print_mentioning(const struct doc *doc, const char *word)
{
	unsigned n = 0;

	sp_vec_each(entry, &doc->entries)
		if (strcasestr(entry->title, word) && ++n)
			print_line(entry);
	return n;
}

// Nothing is called so: what is called nearly so.
static void tell_similar(const struct doc *doc, const char *word)
{
	struct sp_arena arena;
	struct similar similar;
	const char *near;

	sp_arena_init(&arena);
	similar_init(&similar, word);
	sp_vec_each(entry, &doc->entries)
		for (const char *at = entry->names; *at; at += strspn(at, " ")) {
			size_t len = strcspn(at, " ");

			similar_try(&similar, sp_arena_strndup(&arena, at, len));
			at += len;
		}
	near = similar_text(&similar, &arena);
	fprintf(stderr, "spile: nothing is called '%s'%s%s%s\n", word, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	sp_arena_deinit(&arena);
}

int doc_print(struct cli *cli, const char *name)
{
	sp_cleanup(doc_deinit) struct doc doc = { 0 };
	unsigned n;

	if (cli_report(doc_open(&doc)))
		return 1;
	if (!cli->pager && cli->pages)
		cli->pager = pager_start();
	n = print_name(&doc, name);
	if (!n && sp_has_glob(name))
		n = print_matching(&doc, name);
	if (n)
		return 0;
	fflush(stdout);
	tell_similar(&doc, name);
	return strlen(name) > 2 && print_mentioning(&doc, name) ? 0 : 1;
}
