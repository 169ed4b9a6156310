// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/pack.h"

#include "compiler/cli/compile.h"
#include "compiler/cli/differences.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"
#include "runtime/base/log.h"
#include "runtime/base/sha256.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#define TARGET_MAGIC "spile-target"
#define PACK_MAX_SIZE (256u << 20) // bytes

struct target {
	char *name; // what people call it
	char *kernel; // its description's path; or the release or path of its kernel
	bool is_description;
	char *sysroot; // where its files are; NULL: here
};

struct targets {
	SP_VEC(struct target) v;
};

static void targets_deinit(struct targets *targets)
{
	sp_vec_each(target, &targets->v) {
		free(target->name);
		free(target->kernel);
		free(target->sysroot);
	}
	sp_vec_deinit(&targets->v);
}

// ---- targets --------------------------------------------------------------------------------------------------------

static void add_target(struct targets *targets, const char *name, const char *kernel, bool is_description)
{
	sp_vec_push(&targets->v, (struct target){ sp_strdup(name), sp_strdup(kernel), is_description, NULL });
}

// A vmlinux, and a machine's description, are called as their folder is: /usr/lib/debug/lib/modules/6.12.3/vmlinux, db1/target.
static void name_of_kernel(const char *path, char *name, size_t size)
{
	const char *slash = strrchr(path, '/'), *before = slash;

	if (slash && (sp_streq(slash + 1, "vmlinux") || sp_streq(slash + 1, "target"))) {
		while (before > path && before[-1] != '/')
			before--;
		snprintf(name, size, "%.*s", (int)(slash - before), before);
	} else {
		snprintf(name, size, "%s", slash ? slash + 1 : path);
	}
}

static struct sp_err *add_file(struct targets *targets, const char *path)
{
	sp_cleanup_fclose FILE *f = fopen(path, "re");
	char name[256], first[sizeof(TARGET_MAGIC) - 1] = "";
	size_t len = f ? fread(first, 1, sizeof(first), f) : 0;

	if (!f || ferror(f))
		return sp_err_errno(errno, "--for: cannot read %s", path);
	name_of_kernel(path, name, sizeof(name));
	if (len == sizeof(first) && memcmp(first, TARGET_MAGIC, len) == 0)
		add_target(targets, name, path, true);
	else if (len >= SELFMAG && memcmp(first, ELFMAG, SELFMAG) == 0)
		add_target(targets, name, path, false);
	else
		return sp_err_new(SP_ERR_USAGE, "--for: %s is neither what `spile-run --describe` prints nor a vmlinux", path);
	return NULL;
}

// A machine's folder has its description, `target`, and can have its files, below `root`. False: it is no such folder.
static bool add_machine(struct targets *targets, const char *path, struct sp_err **err)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf file = { 0 };

	sp_buf_printf(&file, "%s/target", path);
	if (access(sp_buf_str(&file), F_OK))
		return false;
	*err = add_file(targets, sp_buf_str(&file));
	if (*err)
		return true;
	sp_buf_clear(&file);
	sp_buf_printf(&file, "%s/root", path);
	sp_vec_last(&targets->v).sysroot = realpath(sp_buf_str(&file), NULL);
	return true;
}

static struct sp_err *add_path(struct targets *targets, const char *path);

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static struct sp_err *add_folder(struct targets *targets, const char *path)
{
	struct dirent **entries;
	struct sp_err *err = NULL;
	int n;

	if (add_machine(targets, path, &err))
		return err;
	n = scandir(path, &entries, is_visible, alphasort);

	if (n < 0)
		return sp_err_errno(errno, "--for: cannot read %s", path);
	for (int i = 0; i < n; i++) {
		struct sp_buf file = { 0 };

		sp_buf_printf(&file, "%s/%s", path, entries[i]->d_name);
		if (!err)
			err = add_path(targets, sp_buf_str(&file));
		sp_buf_deinit(&file);
		free(entries[i]);
	}
	free(entries);
	return err ? err : n ? NULL : sp_err_new(SP_ERR_USAGE, "--for: there is nothing in %s", path);
}

static struct sp_err *add_path(struct targets *targets, const char *path)
{
	struct stat st = { 0 };

	stat(path, &st); // add_file() says what is wrong
	return S_ISDIR(st.st_mode) ? add_folder(targets, path) : add_file(targets, path);
}

static struct sp_err *find_targets(const struct cli_options *o, struct targets *ret)
{
	sp_vec_each(word, &o->targets) {
		if (!strchr(*word, '/') && access(*word, F_OK))
			add_target(ret, *word, *word, false); // a release
		else
			SP_TRY(add_path(ret, *word));
	}
	return NULL;
}

static int name_targets(const struct cli_options *o, struct targets *ret)
{
	struct sp_err *err = find_targets(o, ret);
	int status = err ? sp_err_exit_status(err) : 0;

	cli_report(err);
	return status;
}

// ---- compiling ------------------------------------------------------------------------------------------------------

/** The compiler's messages for one target. Those that it has for the next ones, too, are printed once. */
struct messages {
	struct sp_buf text, last;
	struct sp_buf variables; // what the script reads there, for `spile check`
};

static void keep_log(void *ctx, enum spile_level level, const char *text)
{
	struct cli *cli = ctx;

	sp_buf_printf(&cli->messages->text, "%s%s\n", sp_log_word(level), text);
}

static void keep_diag(void *ctx, const char *text)
{
	struct cli *cli = ctx;

	sp_buf_puts(&cli->messages->text, text);
}

static void keep_variables(void *ctx, const char *text, size_t len)
{
	struct cli *cli = ctx;

	sp_buf_add(&cli->messages->variables, text, len);
}

static void print_messages(struct messages *messages, const char *target)
{
	struct sp_buf swap = messages->last;

	if (messages->text.len && !sp_streq(sp_buf_str(&messages->text), sp_buf_str(&messages->last))) {
		fflush(stdout);
		fprintf(stderr, "%s:\n%s", target, sp_buf_str(&messages->text));
	}
	messages->last = messages->text;
	messages->text = swap;
	sp_buf_clear(&messages->text);
}

static int compile_for(struct cli *cli, const struct cli_script *script, const struct target *target, struct cli_object *ret)
{
	struct spile_opts *opts = &cli->options.compile;
	int status;

	sp_buf_clear(&cli->messages->variables);
	opts->target = target->is_description ? target->kernel : NULL;
	opts->kernel = target->is_description ? NULL : target->kernel;
	opts->sysroot = target->sysroot ? target->sysroot : cli->options.sysroot;
	status = cli_compile(cli, script, ret);
	print_messages(cli->messages, target->name);
	return status;
}

static int add_to_pack(struct spilert_pack *pack, const char *target, const struct cli_object *object)
{
	sp_cleanup_free char *why = NULL;
	int status = spilert_pack_add(pack, target, object->bytes, object->size, &why);

	if (status)
		fprintf(stderr, "ERROR: %s: %s\n", target, why);
	return status;
}

static void tell(const struct cli *cli, struct differences *differences, const char *target, int status, const struct cli_object *object)
{
	sp_cleanup_free char *shown = NULL, *why = NULL;

	if (!status)
		spilert_pack_show(object->bytes, object->size, 0, &shown, &why);
	differences_print(differences, target, status, shown, sp_buf_str(&cli->messages->variables), cli->options.show.json);
}

// ---- the file -------------------------------------------------------------------------------------------------------

static void name_file(const struct cli_options *o, char *ret, size_t size)
{
	if (o->output)
		snprintf(ret, size, "%s", o->output);
	else if (o->module)
		snprintf(ret, size, "%.50s.spo", o->module);
	else
		snprintf(ret, size, "spile_%d.spo", getpid());
}

static void put_words(struct sp_buf *out, const char *const *words)
{
	for (; words && *words; words++)
		sp_buf_add(out, *words, strlen(*words) + 1);
	sp_buf_putc(out, '\0');
}

// What all targets' scripts are compiled from, but for the library and what is of the target.
static void digest_script(const struct cli *cli, const struct cli_script *script, uint8_t ret[SP_SHA256_SIZE])
{
	const struct spile_opts *opts = &cli->options.compile;
	sp_cleanup(sp_buf_deinit) struct sp_buf all = { 0 };

	sp_buf_add(&all, sp_buf_str(&script->text), script->text.len + 1);
	put_words(&all, opts->more_scripts);
	put_words(&all, opts->args);
	put_words(&all, opts->defines);
	put_words(&all, opts->globals);
	sp_buf_printf(&all, "%s %d %d %d %d %d %d %d", opts->compatible ? opts->compatible : "", opts->guru, opts->no_optimization,
		      opts->skip_bad_vars, opts->user_engine, opts->hide_unread, opts->hex_unread, opts->json);
	sp_sha256(all.data, all.len, ret);
}

// What the pack has that is there already, but for targets that are compiled anew.
static int take_old(const struct targets *targets, const char *name, struct spilert_pack *pack)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf bytes = { 0 };
	sp_cleanup_free const char **names = sp_calloc(targets->v.n + 1, sizeof(*names));
	sp_cleanup_free char *why = NULL;
	int status = cli_report(sp_file_read(name, PACK_MAX_SIZE, &bytes));

	if (status)
		return status;
	for (size_t i = 0; i < targets->v.n; i++)
		names[i] = targets->v.v[i].name;
	status = spilert_pack_take(pack, sp_buf_str(&bytes), bytes.len, names, &why);
	if (status)
		fprintf(stderr, "ERROR: --add: %s: %s\n", name, why);
	return status;
}

static int write_pack(const char *name, const struct spilert_pack *pack)
{
	size_t size;
	sp_cleanup_free void *bytes = spilert_pack_write(pack, &size);

	return cli_report(sp_file_replace(AT_FDCWD, name, bytes, size, 0666));
}

// Writes what the pack has, with the targets of `pack` behind it. Compiling takes long: of several that add to one file at once each
// has read it before the others wrote it. So it is read again, by one at a time.
static int add_to_file(const struct targets *targets, const char *name, const uint8_t digest[SP_SHA256_SIZE],
		       const struct spilert_pack *pack)
{
	const char *none[] = { NULL };
	size_t size;
	sp_cleanup_free void *added = spilert_pack_write(pack, &size);
	sp_cleanup_free char *why = NULL;
	struct spilert_pack *both;
	int fd, status = cli_report(sp_file_lock(name, &fd));

	if (status)
		return status;
	both = spilert_pack_create(digest);
	status = take_old(targets, name, both);
	if (!status)
		status = spilert_pack_take(both, added, size, none, &why);
	if (why)
		fprintf(stderr, "ERROR: --add: %s: %s\n", name, why);
	if (!status)
		status = write_pack(name, both);
	spilert_pack_destroy(both);
	close(fd);
	return status;
}

static void tell_of_file(const struct cli *cli, const char *name)
{
	char signature[PATH_MAX + 16];

	puts(name);
	snprintf(signature, sizeof(signature), "%s.minisig", name);
	if (access(signature, F_OK) == 0 && !cli->options.compile.no_warnings) {
		fflush(stdout);
		fprintf(stderr, "WARNING: %s is of the file that was there before: sign this one\n", signature);
	}
}

static int save(const struct cli *cli, const struct targets *targets, const uint8_t digest[SP_SHA256_SIZE],
		const struct spilert_pack *pack)
{
	char name[PATH_MAX];
	int status;

	name_file(&cli->options, name, sizeof(name));
	status = cli->options.adds ? add_to_file(targets, name, digest, pack) : write_pack(name, pack);
	if (!status)
		tell_of_file(cli, name);
	return status;
}

// A pack of another script is refused before the script is compiled.
static int check_old(const struct cli *cli, const struct targets *targets, const uint8_t digest[SP_SHA256_SIZE])
{
	struct spilert_pack *old = spilert_pack_create(digest);
	char name[PATH_MAX];
	int status;

	name_file(&cli->options, name, sizeof(name));
	status = take_old(targets, name, old);
	spilert_pack_destroy(old);
	return status;
}

// ---- all targets ----------------------------------------------------------------------------------------------------

// Compiles for all targets, so that all that is wrong is said at once. Returns the first failure's status.
static int compile_all(struct cli *cli, const struct cli_script *script, const struct targets *targets, struct spilert_pack *pack,
		       unsigned *n_failed)
{
	sp_cleanup(differences_deinit) struct differences differences = { 0 };
	struct cli_object object;
	int result = 0;

	for (size_t i = 0; i < targets->v.n; i++) {
		const struct target *target = &targets->v.v[i];
		int status = compile_for(cli, script, target, &object);

		if (!status && pack)
			status = add_to_pack(pack, target->name, &object);
		if (!pack)
			tell(cli, &differences, target->name, status, &object);
		*n_failed += status != 0;
		result = result ? result : status;
		cli_object_release(cli, &object);
	}
	return result;
}

int pack_compile(struct cli *cli)
{
	sp_cleanup(targets_deinit) struct targets targets = { 0 };
	struct spilert_pack *pack = NULL;
	struct messages messages = { 0 };
	uint8_t digest[SP_SHA256_SIZE];
	unsigned n_failed = 0;
	struct cli_script script;
	int status = cli_read_script(cli, &script);

	digest_script(cli, &script, digest);
	if (cli->options.action == CLI_PACK)
		pack = spilert_pack_create(digest);
	cli->messages = &messages;
	cli->options.compile.log = keep_log;
	cli->options.compile.diag = keep_diag;
	if (!pack) {
		cli->options.compile.output = keep_variables;
		cli->options.compile.list_variables = 1;
	}
	status = status ? status : name_targets(&cli->options, &targets);
	if (cli->options.adds)
		status = status ? status : check_old(cli, &targets, digest);
	status = status ? status : compile_all(cli, &script, &targets, pack, &n_failed);
	if (pack && n_failed)
		fprintf(stderr, "ERROR: no pack is written: the script cannot be compiled for %u of %zu targets\n", n_failed, targets.v.n);
	else if (pack && !status)
		status = save(cli, &targets, digest, pack);
	spilert_pack_destroy(pack);
	cli_script_deinit(&script);
	sp_buf_deinit(&messages.text);
	sp_buf_deinit(&messages.last);
	sp_buf_deinit(&messages.variables);
	return status;
}
