// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/embed_config.h"

#include "compiler/driver/config.h"
#include "compiler/front/macro_cond.h"

#include <ctype.h>
#include <stdio.h>

#define MODULE "_MODULE"

struct options {
	struct spile *spile;
	struct span where;
	struct sp_buf *out;
	struct sp_hash seen; // what is defined already
};

// "" when it is not set, or not known.
static const char *value_of(struct options *o, const char *name)
{
	const char *value = config_value(o->spile, name);

	if (!value)
		macro_warn_no_config(&o->spile->dc, o->where, name);
	return value ? value : "";
}

// As the kernel's autoconf.h has it.
static void put_option(struct options *o, const char *name)
{
	const char *value = value_of(o, name);

	if (sp_streq(value, "m"))
		sp_buf_printf(o->out, "#define %s" MODULE " 1\n", name);
	else if (*value && !sp_streq(value, "n"))
		sp_buf_printf(o->out, "#define %s %s\n", name, sp_streq(value, "y") ? "1" : value);
}

// PAGE_SHIFT: x86 has pages of one size, arm64 has a choice.
static void put_page_shift(struct options *o)
{
	const char *shift = sp_streq(o->spile->target.arch, "aarch64") ? value_of(o, "CONFIG_ARM64_PAGE_SHIFT") : "12";

	if (*shift)
		sp_buf_printf(o->out, "#define PAGE_SHIFT %s\n", shift);
}

static void put_hz(struct options *o)
{
	const char *hz = value_of(o, "CONFIG_HZ");

	if (*hz)
		sp_buf_printf(o->out, "#define HZ %s\n", hz);
}

static void put_word(struct options *o, char *word)
{
	const char *what = NULL;

	if (sp_starts_with(word, "CONFIG_")) {
		if (sp_ends_with(word, MODULE))
			word[strlen(word) - strlen(MODULE)] = '\0';
		what = word;
	} else if (sp_starts_with(word, "PAGE_")) {
		what = "PAGE_SHIFT";
	} else if (sp_streq(word, "HZ") || strstr(word, "jiffies_") || strstr(word, "_jiffies")) {
		what = "HZ";
	}
	if (!what || sp_hash_get(&o->seen, what))
		return;
	sp_hash_set(&o->seen, what, o);
	if (what == word)
		put_option(o, word);
	else if (*what == 'P')
		put_page_shift(o);
	else
		put_hz(o);
}

static size_t word_len(const char *s)
{
	size_t len = 0;

	while (isalnum((unsigned char)s[len]) || s[len] == '_')
		len++;
	return len;
}

void embed_config(struct spile *spile, const struct sp_buf *code, struct span where, struct sp_buf *ret)
{
	struct options o = { .spile = spile, .where = where, .out = ret };
	char word[128];

	for (const char *s = sp_buf_str(code); *s;) {
		size_t len = word_len(s);

		snprintf(word, sizeof(word), "%.*s", (int)len, s);
		put_word(&o, word);
		s += len ? len : 1;
	}
	sp_hash_deinit(&o.seen);
}
