// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // dl_iterate_phdr
#include "compiler/cache/result.h"

#include "compiler/cache/sums.h"

#include "runtime/base/build_id.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"

#include <limits.h>
#include <link.h>
#include <linux/capability.h>
#include <sys/syscall.h>

// The file: the head; then the title with its NUL, the inputs, the messages, and at a multiple of ALIGN the object.
#define MAGIC "spileres"
#define LAYOUT 1
#define ALIGN 64

struct head {
	char magic[8];
	uint32_t version, title_size;
	uint64_t inputs_size, messages_size, object_size;
	uint8_t digest[SP_SHA256_SIZE]; // of all that is behind the head, and of the sizes
};

_Static_assert(sizeof(struct head) == RESULT_HEAD_SIZE, "no padding");

// ---- the key --------------------------------------------------------------------------------------------------------

bool result_is_possible(const struct spile_opts *opts)
{
	return !(opts->dumps && *opts->dumps) && !opts->stop_after && !opts->cost && !opts->list_variables && !opts->verify && !opts->is_part;
}

static void add_text(struct sp_buf *out, const char *text)
{
	sp_buf_putc(out, text ? '+' : '-');
	sp_buf_add(out, text ? text : "", strlen(text ? text : "") + 1);
}

static void add_texts(struct sp_buf *out, const char *const *texts)
{
	for (; texts && *texts; texts++)
		add_text(out, *texts);
	sp_buf_putc(out, '.');
}

// All of them, which lint/result asks for, but those that result_is_possible() refuses and those that cannot change a result.
static void add_options(struct sp_buf *out, const struct spile_opts *o)
{
	const int numbers[] = { SP_MAX((int)o->max_level, (int)SPILE_INFO), o->diag_json, o->diag_color, o->pid, o->guru, o->no_warnings, o->warnings_are_errors,
				o->no_optimization, o->user_engine, o->runs, o->hide_unread, o->hex_unread, o->json, o->skip_bad_vars };

	sp_buf_add(out, numbers, sizeof(numbers));
	add_text(out, o->diag_colors);
	add_text(out, o->target);
	add_text(out, o->target_text);
	add_text(out, o->kernel);
	add_text(out, o->sysroot);
	add_text(out, o->compatible);
	add_text(out, o->command);
	add_text(out, o->source_dir);
	add_text(out, o->module_dir);
	add_texts(out, o->tapset_dirs);
	add_texts(out, o->args);
	add_texts(out, o->defines);
	add_texts(out, o->globals);
	add_texts(out, o->more_scripts);
}

// Who runs this decides on which files can be read.
static void add_user(struct sp_buf *out)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[2] = { { 0 } };
	const uid_t ids[] = { getuid(), geteuid(), getgid(), getegid() };
	gid_t groups[256];
	int n = getgroups(SP_ARRAY_SIZE(groups), groups);

	syscall(SYS_capget, &head, sets);
	sp_buf_add(out, ids, sizeof(ids));
	sp_buf_add(out, groups, n > 0 ? (size_t)n * sizeof(*groups) : 0);
	sp_buf_add(out, sets, sizeof(sets));
}

static int add_build_id(struct dl_phdr_info *info, size_t size SP_UNUSED, void *ctx)
{
	uint8_t id[SP_BUILD_ID_MAX];

	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *phdr = &info->dlpi_phdr[i];
		unsigned len = phdr->p_type != PT_NOTE ? 0 :
			sp_build_id_find((const void *)(info->dlpi_addr + phdr->p_vaddr), phdr->p_memsz, id);
		if (len) {
			sp_buf_add(ctx, id, len);
			break;
		}
	}
	return 1; // the program is the first
}

// What decides where libraries come from, and what they do.
static void add_environment(struct sp_buf *out)
{
	static const char *const names[] = { "LD_LIBRARY_PATH", "LD_PRELOAD", "DEBUGINFOD_URLS", "DEBUGINFOD_CACHE_PATH", "XDG_CACHE_HOME", "HOME" };
	sp_cleanup_free char *folder = getcwd(NULL, 0);

	add_text(out, folder); // relative names begin there
	for (size_t i = 0; i < SP_ARRAY_SIZE(names); i++)
		add_text(out, sp_env(names[i]));
}

struct result_key result_key(const struct spile_opts *opts, const char *name, const char *text, size_t len)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf all = { 0 };
	struct result_key key;

	sp_buf_printf(&all, "%s %d ", PACKAGE_VERSION, LAYOUT);
	dl_iterate_phdr(add_build_id, &all);
	add_options(&all, opts);
	add_user(&all);
	add_environment(&all);
	add_text(&all, opts->describe ? opts->describe(opts->ctx, 0) : NULL);
	add_text(&all, name);
	sp_buf_add(&all, text, len);
	sp_sha256_text(all.data, all.len, key.text);
	key.ending = RESULT_ENDING;
	return key;
}

struct result_key result_listing_key(const struct spile_opts *opts, const char *pattern, int vars)
{
	struct result_key key = result_key(opts, opts->list_json ? "JSON" : "text", pattern, strlen(pattern));

	key.ending = !vars				? RESULT_LISTING :
		     opts->max_level >= SPILE_INFO	? ".places" RESULT_LISTING :
							  ".vars" RESULT_LISTING;
	return key;
}

static void name_of(const struct result_key *key, char ret[NAME_MAX])
{
	snprintf(ret, NAME_MAX, "%s%s", key->text, key->ending);
}

static bool has_ending(const char *name, const char *ending)
{
	size_t len = strlen(name), end = strlen(ending);

	return len > end && sp_streq(name + len - end, ending);
}

bool result_is_name(const char *name)
{
	return has_ending(name, RESULT_ENDING) || has_ending(name, RESULT_LISTING);
}

// ---- the file -------------------------------------------------------------------------------------------------------

static void digest_of(const struct head *head, const uint8_t *bytes, size_t size, uint8_t ret[SP_SHA256_SIZE])
{
	uint8_t both[2 * SP_SHA256_SIZE];

	sp_sha256(head, offsetof(struct head, digest), both);
	sums_sha256(bytes, size, both + SP_SHA256_SIZE);
	sp_sha256(both, sizeof(both), ret);
}

static size_t object_at(const struct head *head)
{
	return SP_ALIGN_UP(sizeof(*head) + head->title_size + head->inputs_size + head->messages_size, ALIGN);
}

// What is wrong with the file; NULL: nothing.
static const char *check(const struct head *head, size_t size)
{
	const size_t most = SIZE_MAX / 8;
	uint8_t digest[SP_SHA256_SIZE];

	if (size < sizeof(*head) || memcmp(head->magic, MAGIC, sizeof(head->magic)) != 0)
		return "it is no result of spile";
	if (head->version != LAYOUT)
		return "it is of another version";
	if (!head->title_size || head->inputs_size > most || head->messages_size > most || head->object_size > most ||
	    object_at(head) > size || size - object_at(head) != head->object_size || !head->object_size)
		return "its size is not what it says";
	digest_of(head, (const uint8_t *)(head + 1), size - sizeof(*head), digest);
	if (memcmp(digest, head->digest, sizeof(digest)) != 0)
		return "its content has changed";
	return ((const char *)(head + 1))[head->title_size - 1] ? "its title has no end" : NULL;
}

void result_sum(uint8_t *bytes, size_t size)
{
	struct head *head = (struct head *)bytes;

	digest_of(head, bytes + sizeof(*head), size - sizeof(*head), head->digest);
}

const char *result_parse(const uint8_t *bytes, size_t size, struct result *ret)
{
	const struct head *head = (const struct head *)bytes;
	const char *wrong = check(head, size);

	if (wrong)
		return wrong;
	*ret = (struct result){ .title = (const char *)(head + 1) };
	ret->inputs = bytes + sizeof(*head) + head->title_size;
	ret->inputs_size = head->inputs_size;
	ret->messages = ret->inputs + head->inputs_size;
	ret->messages_size = head->messages_size;
	ret->object = bytes + object_at(head);
	ret->object_size = head->object_size;
	return NULL;
}

bool result_read(const char *name, struct result *ret, char **why_ret)
{
	struct cache_mapped mapped;
	struct sp_err *err = cache_map(name, &mapped);
	const char *wrong;

	*why_ret = NULL;
	if (err) {
		*why_ret = sp_err_text(err);
		sp_err_free(err);
		return false;
	}
	if (!mapped.bytes)
		return false;
	wrong = result_parse(mapped.bytes, mapped.size, ret);
	if (wrong) {
		*why_ret = sp_strdup(wrong);
		cache_unmap(&mapped);
		return false;
	}
	ret->mapped = mapped;
	return true;
}

void result_deinit(struct result *result)
{
	cache_unmap(&result->mapped);
}

struct sp_err *result_save(const struct result_key *key, const struct result *result)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf file = { 0 };
	struct head head = { .version = LAYOUT, .title_size = (uint32_t)strlen(result->title) + 1, .inputs_size = result->inputs_size,
			     .messages_size = result->messages_size, .object_size = result->object_size };
	char name[NAME_MAX];

	memcpy(head.magic, MAGIC, sizeof(head.magic));
	sp_buf_add(&file, &head, sizeof(head));
	sp_buf_add(&file, result->title, head.title_size);
	sp_buf_add(&file, result->inputs, result->inputs_size);
	sp_buf_add(&file, result->messages, result->messages_size);
	sp_buf_fill(&file, '\0', object_at(&head) - file.len);
	sp_buf_add(&file, result->object, result->object_size);
	result_sum((uint8_t *)file.data, file.len);
	name_of(key, name);
	return cache_save(name, (const uint8_t *)file.data, file.len);
}

// ---- messages -------------------------------------------------------------------------------------------------------

void result_add_message(struct sp_buf *messages, unsigned level, const char *text)
{
	sp_buf_putc(messages, (char)level);
	sp_buf_add(messages, text, strlen(text) + 1);
}

bool result_next_message(const uint8_t **at, const uint8_t *end, struct result_message *ret)
{
	const uint8_t *nul = end - *at > 1 ? memchr(*at + 1, 0, (size_t)(end - *at - 1)) : NULL;

	if (!nul)
		return false;
	*ret = (struct result_message){ **at, (const char *)*at + 1 };
	*at = nul + 1;
	return true;
}

// ---- finding --------------------------------------------------------------------------------------------------------

static bool all_hold(const struct result *result, char **why_ret)
{
	const uint8_t *at = result->inputs, *end = at + result->inputs_size;
	struct input input;

	while (input_next(&at, end, &input)) {
		struct sp_buf why = { 0 };

		if (input_holds(&input))
			continue;
		sp_buf_printf(&why, "%s has changed", input.kind == INPUT_KERNEL ? "the running kernel" : input.kind == INPUT_TARGET ? "what the kernel lets this process do" : input.name);
		*why_ret = sp_buf_take(&why);
		return false;
	}
	if (at == end)
		return true;
	*why_ret = sp_strdup("its list of inputs is broken");
	return false;
}

bool result_find(const struct result_key *key, struct result *ret, char **why_ret, bool *is_damaged_ret)
{
	char name[NAME_MAX];
	struct sp_err *err = cache_check();

	name_of(key, name);
	*is_damaged_ret = false;
	if (err) {
		*why_ret = sp_err_text(err);
		sp_err_free(err);
		return false;
	}
	if (!result_read(name, ret, why_ret)) {
		*is_damaged_ret = *why_ret;
		return false;
	}
	if (!all_hold(ret, why_ret)) {
		result_deinit(ret);
		return false;
	}
	cache_touch(name);
	return true;
}
