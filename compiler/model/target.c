// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/model/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_CPUS 65536
#define MAX_HZ 1000000

static const char *const feature_names[] = {
#define SP_FEATURE(id, name, since, what) [SP_FEATURE_##id] = name,
	SP_FEATURES(SP_FEATURE)
#undef SP_FEATURE
};

struct line {
	unsigned number;
	const char *key;
	char *value; // "" when there is none
};

static struct sp_err *bad(const struct line *line, const char *what)
{
	return sp_err_new(SP_ERR_FORMAT, "target description, line %u: %s", line->number, what);
}

static struct sp_err *parse_number(const struct line *line, unsigned long max, unsigned *ret)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(line->value, &end, 10);
	if (line->value[0] < '0' || line->value[0] > '9' || *end || errno || value > max)
		return bad(line, "not a number in range");
	*ret = (unsigned)value;
	return NULL;
}

static struct sp_err *parse_text(const struct line *line, char *ret, size_t size)
{
	if (!line->value[0] || strlen(line->value) >= size)
		return bad(line, "empty or too long");
	memcpy(ret, line->value, strlen(line->value) + 1);
	return NULL;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static struct sp_err *parse_build_id(const struct line *line, struct target *target)
{
	size_t n = strlen(line->value);

	if (!n || n % 2 || n / 2 > sizeof(target->build_id))
		return bad(line, "a build-id is an even number of hexadecimal digits");
	for (size_t i = 0; i < n / 2; i++) {
		int high = hex_digit(line->value[2 * i]), low = hex_digit(line->value[2 * i + 1]);

		if (high < 0 || low < 0)
			return bad(line, "a build-id is an even number of hexadecimal digits");
		target->build_id[i] = (uint8_t)(high << 4 | low);
	}
	target->build_id_len = (unsigned)(n / 2);
	return NULL;
}

// Names that we do not know are features that we do not use.
static void parse_features(const struct line *line, struct target *target)
{
	char *save, *word;

	for (word = strtok_r(line->value, " \t", &save); word; word = strtok_r(NULL, " \t", &save))
		for (unsigned i = 0; i < SP_ARRAY_SIZE(feature_names); i++)
			if (sp_streq(feature_names[i], word))
				target->features |= UINT64_C(1) << i;
}

static struct sp_err *parse_line(const struct line *line, struct target *target)
{
	if (sp_streq(line->key, "arch"))
		return parse_text(line, target->arch, sizeof(target->arch));
	if (sp_streq(line->key, "release"))
		return parse_text(line, target->release, sizeof(target->release));
	if (sp_streq(line->key, "build-id"))
		return parse_build_id(line, target);
	if (sp_streq(line->key, "cpus"))
		return parse_number(line, MAX_CPUS, &target->cpus);
	if (sp_streq(line->key, "hz"))
		return parse_number(line, MAX_HZ, &target->hz);
	if (sp_streq(line->key, "features"))
		parse_features(line, target);
	return NULL;
}

static struct sp_err *parse_version(const struct line *line)
{
	unsigned version;

	if (!sp_streq(line->key, SP_TARGET_MAGIC))
		return sp_err_new(SP_ERR_FORMAT,
				  "not a target description: it does not begin with '%s'",
				  SP_TARGET_MAGIC);
	SP_TRY(parse_number(line, UINT32_MAX, &version));
	if (version < 1 || version > SP_TARGET_VERSION)
		return sp_err_new(
			SP_ERR_TARGET,
			"target description of version %u; versions up to %d are understood",
			version, SP_TARGET_VERSION);
	return NULL;
}

static struct sp_err *parse_text_lines(char *text, struct target *target)
{
	struct line line = { 0 };
	bool has_version = false;
	char *save, *at;

	// strtok_r would join empty lines and lose their numbers.
	for (at = text; at; at = save) {
		char *end = at + strcspn(at, "\n");
		size_t key_len;

		save = *end ? end + 1 : NULL;
		*end = '\0';
		line.number++;
		at += strspn(at, " \t\r");
		for (end = at + strlen(at); end > at && strchr(" \t\r", end[-1]);)
			*--end = '\0';
		if (!*at || *at == '#')
			continue;
		key_len = strcspn(at, " \t");
		line.key = at;
		line.value = at + key_len + strspn(at + key_len, " \t");
		if (*line.value)
			at[key_len] = '\0';
		SP_TRY(has_version ? parse_line(&line, target) : parse_version(&line));
		has_version = true;
	}
	if (!has_version)
		return sp_err_new(SP_ERR_FORMAT, "the target description is empty");
	if (!target->arch[0])
		return sp_err_new(SP_ERR_FORMAT,
				  "the target description does not name the architecture (arch)");
	return NULL;
}

struct sp_err *target_parse(const char *text, size_t len, struct target *ret)
{
	struct target target = { 0 };
	struct sp_err *err;
	char *copy;

	if (memchr(text, '\0', len))
		return sp_err_new(SP_ERR_FORMAT, "not a target description: it holds NUL bytes");
	copy = sp_strndup(text, len);
	err = parse_text_lines(copy, &target);
	free(copy);
	if (!err)
		*ret = target;
	return err;
}

unsigned target_linux(const struct target *target)
{
	unsigned major = 0, minor = 0;

	sscanf(target->release, "%u.%u", &major, &minor);
	return major * 100 + SP_MIN(minor, 99u);
}
