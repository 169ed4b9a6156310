// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/probes_again.h"

#include "compiler/cache/cache.h"
#include "compiler/cli/cli.h"
#include "compiler/cli/probes.h"
#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"

#include <limits.h>
#include <stdio.h>
#include <sys/utsname.h>

// Of kernels, the one that runs is known, and its modules that are loaded: "[kernel.kallsyms]", "[ext4]".
static unsigned id_of_kernel(const char *object, const char *release, uint8_t ret[SP_BUILD_ID_MAX])
{
	char path[PATH_MAX];
	struct utsname uts;

	if (uname(&uts) || !sp_streq(uts.release, release))
		return 0;
	if (sp_streq(object, "[kernel.kallsyms]"))
		return elf_id_of_notes("/sys/kernel/notes", ret);
	snprintf(path, sizeof(path), "/sys/module/%.*s/notes/.note.gnu.build-id", (int)strcspn(object + 1, "]"), object + 1);
	for (char *c = path; *c; c++)
		*c = *c == '-' && c < strstr(path, "/notes") ? '_' : *c;
	return elf_id_of_notes(path, ret);
}

static char *object_of(const struct probe_file_head *head)
{
	struct probe_file_line line;
	const char *at = NULL;

	return probe_file_next(&at, head, "object", &line) ? sp_strndup(line.text, line.len) : sp_strdup("");
}

bool probes_again_build(const struct probe_file_head *head, char ret[ELF_ID_TEXT])
{
	sp_cleanup_free char *object = object_of(head);
	uint8_t now[SP_BUILD_ID_MAX];
	unsigned len = 0;

	if (*object == '/')
		len = elf_id_read(object, now);
	else if (*object == '[')
		len = id_of_kernel(object, head->release, now);
	elf_id_text(now, len, ret);
	return len && (len != head->build_id_len || memcmp(now, head->build_id, len) != 0);
}

bool probes_again_has(const char *build_id, enum probe_file_sort sort, const struct probe_file_line *definition)
{
	char name[ELF_ID_TEXT + 16];
	struct probe_file_line line;
	struct cache_mapped file;
	const char *at = NULL;
	bool has = false;

	snprintf(name, sizeof(name), "%s.%s", build_id, probe_file_endings[sort]);
	sp_err_free(cache_map(name, &file));
	if (file.bytes && !probe_file_check(file.bytes, file.size))
		while (!has && probe_file_next(&at, (const struct probe_file_head *)file.bytes, "definition", &line))
			has = line.len == definition->len && !memcmp(line.text, definition->text, line.len);
	cache_unmap(&file);
	return has;
}

// "module("ext4")", as --all-functions takes it, "kernel", or the path.
static char *all_of(const char *object)
{
	struct sp_buf out = { 0 };

	if (*object != '[' || sp_streq(object, "[kernel.kallsyms]"))
		return sp_strdup(*object == '[' ? "kernel" : object);
	sp_buf_printf(&out, "module(\"%.*s\")", (int)strcspn(object + 1, "]"), object + 1);
	return sp_buf_take(&out);
}

static int resolve(const struct probe_file_head *head, const struct probe_file_line *definition)
{
	sp_cleanup_free char *text = sp_strndup(definition->text, definition->len), *object = object_of(head);
	sp_cleanup_free char *all = sp_streq(text, "--all-functions") ? all_of(object) : NULL;

	return probes_resolve(all ? text : NULL, all ? all : text);
}

static int resolve_file(const struct probe_file_head *head)
{
	struct probe_file_line definition;
	char now[ELF_ID_TEXT], before[ELF_ID_TEXT];
	const char *at = NULL;
	int status = 0;

	if (!probes_again_build(head, now))
		return 0;
	while (probe_file_next(&at, head, "definition", &definition)) {
		if (probes_again_has(now, (enum probe_file_sort)head->sort, &definition))
			continue;
		printf("%.*s was resolved for the build %s, and this is %s: it is resolved again\n", (int)definition.len, definition.text,
		       elf_id_text(head->build_id, head->build_id_len, before), now);
		fflush(stdout);
		status |= resolve(head, &definition);
	}
	return status;
}

int probes_again(void)
{
	struct cache_list all = { 0 };
	struct sp_err *err = cache_each(NULL, &all);
	int status = 0;

	for (size_t i = 0; i < all.n && !err; i++) {
		const char *dot = strrchr(all.v[i].name, '.');
		struct cache_mapped file = { 0 };

		if (!dot || (!sp_streq(dot + 1, probe_file_endings[0]) && !sp_streq(dot + 1, probe_file_endings[1])))
			continue;
		sp_err_free(cache_map(all.v[i].name, &file));
		if (file.bytes && !probe_file_check(file.bytes, file.size))
			status |= resolve_file((const struct probe_file_head *)file.bytes);
		cache_unmap(&file);
	}
	sp_vec_deinit(&all);
	return err ? cli_report(err) : status;
}
