// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cache/elf_id.h"
#include "compiler/debug/btf/btf.h"
#include "compiler/debug/dbg_impl.h"
#include "compiler/debug/dbg_partial.h"
#include "compiler/debug/dbg_path.h"
#include "compiler/debug/dwarf/dw_file.h"
#include "compiler/debug/dwarf/dw_separate.h"
#include "compiler/debug/dwarf/dw_sym.h"

#include "runtime/base/cleanup.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#define RUNNING_BTF DBG_RUNNING_BTF "/vmlinux"
#define KERNEL "[kernel.kallsyms]" // in the probe cache

// What the running kernel says of itself.
struct running {
	struct utsname uts;
	uint8_t build_id[32];
	unsigned build_id_len;
};

static void describe_running(struct running *ret)
{
	memset(ret, 0, sizeof(*ret));
	uname(&ret->uts);
	ret->build_id_len = elf_id_of_notes("/sys/kernel/notes", ret->build_id);
}

static bool is_running(const struct running *running, const struct dw_file *file, const char *release)
{
	if (running->build_id_len && file->build_id_len)
		return running->build_id_len == file->build_id_len &&
		       memcmp(running->build_id, file->build_id, file->build_id_len) == 0;
	return sp_streq(running->uts.release, release);
}

// "Linux version 6.1.0-56-cloud-amd64 (debian..." in .rodata; for a file without it, the end of its name.
static const char *release_of(struct dbg *dbg, struct dw_file *file)
{
	static const char prefix[] = "Linux version ";
	struct dw_sym sym;
	const char *banner = NULL;
	const char *base = strrchr(file->run.path, '/');

	if (dw_sym_find(file, "linux_banner", &sym))
		banner = dw_file_bytes(file, sym.addr, 128);
	if (banner && strncmp(banner, prefix, sizeof(prefix) - 1) == 0) {
		banner += sizeof(prefix) - 1;
		return sp_arena_strndup(&dbg->arena, banner, strcspn(banner, " \n"));
	}
	base = base ? base + 1 : file->run.path;
	if (sp_starts_with(base, "vmlinux-"))
		return sp_arena_strdup(&dbg->arena, base + strlen("vmlinux-"));
	return NULL;
}

static struct dw_search kernel_search(struct dbg *dbg, const char *release)
{
	return (struct dw_search){
		.partial_from = dbg->partial_from,
		.sysroot = dbg->kernel_sysroot,
		.debuginfo_path = dbg->debuginfo_path,
		.release = release,
		.log = &dbg->log,
		.servers_are_silent = &dbg->servers_are_silent,
		.first_units = dbg->first_units,
	};
}

// Why there is no DWARF, and what to install. `object` is that of the probe cache, `id` the build-id, if it is known.
static const char *explain(struct dbg *dbg, const char *release, const char *tried, const char *object, const uint8_t *id, unsigned len)
{
	struct sp_buf text = { 0 };

	sp_buf_printf(&text, "no debug information for kernel %s (looked at %s); ", release, tried);
	partial_tell_other(object, release, id, len, &text);
	dbg_path_kernel_advice(dbg->kernel_sysroot, release, &text);
	const char *result = sp_arena_strdup(&dbg->arena, sp_buf_str(&text));
	sp_buf_deinit(&text);
	return result;
}

static struct dbg_module *kernel_from_file(struct dbg *dbg, struct dw_file *file, const char *release,
					   const struct running *running)
{
	struct dbg_module *module = dbg_module_new(dbg, "kernel");
	const char *found = release_of(dbg, file);
	struct dw_sym sym;

	dbg_module_take_file(module, file);
	module->is_kernel = true;
	module->release = found ? found : release ? sp_arena_strdup(&dbg->arena, release) : "unknown";
	module->is_offline = !is_running(running, file, module->release);
	if (dw_sym_find(file, "_stext", &sym))
		module->text_base = sym.addr;
	if (module->source == DBG_DWARF)
		return module;
	module->why_no_dwarf = explain(dbg, module->release, file->tried, KERNEL, file->build_id, file->build_id_len);
	if (dbg_btf(module))
		module->source = DBG_BTF;
	return module;
}

static struct sp_err *kernel_by_path(struct dbg *dbg, const struct running *running, struct dbg_module **ret)
{
	struct dw_search search = kernel_search(dbg, "");
	sp_cleanup_free char *path = realpath(dbg->kernel, NULL);
	struct dw_file *file;
	struct sp_err *err = dw_file_open(path ? path : dbg->kernel, &search, &file), *other;

	if (err && (other = dw_file_open_packed(path ? path : dbg->kernel, true, &search, &file))) {
		sp_err_free(other);
		return err;
	}
	sp_err_free(err);
	*ret = kernel_from_file(dbg, file, NULL, running);
	return NULL;
}

static bool fits_running(const struct running *running, const struct dw_file *file)
{
	return !running->build_id_len || !file->build_id_len || is_running(running, file, "");
}

// The first vmlinux with DWARF; else the first one without; else NULL.
static struct dw_file *search_vmlinux(struct dbg *dbg, const char *release, const struct running *running,
				      bool must_be_running, struct sp_buf *tried)
{
	struct dw_search search = kernel_search(dbg, release);
	struct dw_file *second_best = NULL;
	struct sp_buf path = { 0 };
	struct dw_file *file;

	for (unsigned i = 0; dbg_path_vmlinux(dbg->kernel_sysroot, dbg->debuginfo_path, release, i, &path); i++) {
		sp_buf_printf(tried, "%s%s", tried->len ? ", " : "", path.data);
		if (access(path.data, F_OK) != 0)
			continue;
		struct sp_err *err = dw_file_open(path.data, &search, &file);
		if (err) {
			sp_cleanup_free char *text = sp_err_text(err);
			sp_log(&dbg->log, SP_LOG_WARN, "%s", text);
			sp_err_free(err);
			continue;
		}
		if (must_be_running && !fits_running(running, file)) {
			sp_buf_puts(tried, " (of another build)");
		} else if (file->dwarf) {
			dw_file_close(second_best);
			sp_buf_deinit(&path);
			return file;
		} else if (!second_best) {
			second_best = file;
			continue;
		}
		dw_file_close(file);
	}
	sp_buf_deinit(&path);
	return second_best;
}

static struct dw_file *fetch_vmlinux(struct dbg *dbg, const char *release, const struct running *running,
				     struct sp_buf *tried)
{
	struct dw_search search = kernel_search(dbg, release);
	sp_cleanup_free char *path = dw_separate_fetch(&search, running->build_id, running->build_id_len, tried);
	struct dw_file *file = NULL;
	struct sp_err *err = path ? dw_file_open(path, &search, &file) : NULL;

	sp_err_free(err);
	return err ? NULL : file;
}

// The kernel as the probe cache has it; NULL: it has not.
static struct dw_file *open_partial(struct dbg *dbg, const char *release, const struct running *running, bool is_this)
{
	struct dw_search search = kernel_search(dbg, release);
	struct dw_file *file;

	for (unsigned sort = dbg->partial_from; sort < PROBE_FILE_N_SORTS; sort++) {
		sp_cleanup_free char *name = !is_this		       ? partial_of_release(release, KERNEL, (enum probe_file_sort)sort) :
					     !running->build_id_len ? NULL :
								      probe_file_name(running->build_id, running->build_id_len, (enum probe_file_sort)sort);

		if (name && dw_file_open_partial(name, &search, &file))
			return file;
	}
	return NULL;
}

static struct sp_err *kernel_from_btf(struct dbg *dbg, const struct running *running, const char *tried,
				      struct dbg_module **ret)
{
	const char *why = explain(dbg, running->uts.release, tried, KERNEL, running->build_id, running->build_id_len);
	const struct abi *abi = abi_find(running->uts.machine);
	struct btf_file *btf;

	if (!abi)
		return sp_err_new(SP_ERR_NOT_FOUND, "machine %s is not supported (x86_64 and aarch64 are)",
				  running->uts.machine);
	struct sp_err *err = access(RUNNING_BTF, R_OK) == 0 ? btf_file_open(RUNNING_BTF, NULL, &btf) :
							       sp_err_errno(errno, "cannot open " RUNNING_BTF);
	if (err) {
		sp_err_free(err);
		return sp_err_new(SP_ERR_NOT_FOUND, "%s; nor has it BTF (" RUNNING_BTF ")", why);
	}
	struct dbg_module *module = dbg_module_new(dbg, "kernel");
	module->source = DBG_BTF;
	module->is_kernel = true;
	module->release = sp_arena_strdup(&dbg->arena, running->uts.release);
	module->build_id_len = running->build_id_len;
	memcpy(module->build_id, running->build_id, sizeof(module->build_id));
	module->abi = abi;
	module->why_no_dwarf = why;
	dbg_impl(module)->btf = btf;
	dbg_impl(module)->btf_tried = true;
	*ret = module;
	return NULL;
}

// The kernel in a boot image, which has BTF, or by whose build-id debug information is found; NULL: there is none.
static struct dw_file *search_boot(struct dbg *dbg, const char *release, struct sp_buf *tried)
{
	struct dw_search search = kernel_search(dbg, release);
	sp_cleanup(sp_buf_deinit) struct sp_buf path = { 0 };
	struct dw_section btf;

	for (unsigned i = 0; dbg_path_boot(dbg->kernel_sysroot, release, i, &path); i++) {
		struct dw_file *file = NULL;

		sp_buf_printf(tried, "%s%s", tried->len ? ", " : "", path.data);
		if (access(path.data, F_OK) != 0)
			continue;
		struct sp_err *err = dw_file_open_packed(path.data, true, &search, &file);
		if (err) {
			sp_cleanup_free char *text = sp_err_text(err);
			sp_log(&dbg->log, SP_LOG_WARN, "%s", text);
			sp_err_free(err);
			continue;
		}
		if (file->dwarf || dw_file_section(file, ".BTF", &btf))
			return file;
		sp_buf_puts(tried, " (which has no BTF)");
		dw_file_close(file);
	}
	return NULL;
}

// Debug information of the kernel may be installed here, also when the programs are elsewhere.
static void find_sysroot(struct dbg *dbg, const char *release)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf path = { 0 };

	for (unsigned i = 0; dbg_path_vmlinux(dbg->sysroot, dbg->debuginfo_path, release, i, &path); i++)
		if (access(path.data, F_OK) == 0)
			return;
	for (unsigned i = 0; dbg_path_boot(dbg->sysroot, release, i, &path); i++)
		if (access(path.data, F_OK) == 0)
			return;
	dbg->kernel_sysroot = "";
}

static struct sp_err *kernel_by_release(struct dbg *dbg, const struct running *running, struct dbg_module **ret)
{
	const char *release = dbg->kernel ? dbg->kernel : running->uts.release;
	struct sp_buf tried = { 0 };
	struct sp_err *err = NULL;
	struct dw_file *file;
	bool is_this;

	find_sysroot(dbg, release);
	is_this = sp_streq(release, running->uts.release) && !*dbg->kernel_sysroot;
	file = search_vmlinux(dbg, release, running, is_this, &tried);
	if (is_this && (!file || !file->dwarf)) {
		struct dw_file *fetched = fetch_vmlinux(dbg, release, running, &tried);
		if (fetched && fetched->dwarf) {
			dw_file_close(file);
			file = fetched;
		} else {
			dw_file_close(fetched);
		}
	}
	if (!file && !*dbg->kernel_sysroot)
		file = open_partial(dbg, release, running, is_this);
	if (!file && !is_this)
		file = search_boot(dbg, release, &tried);
	if (file)
		*ret = kernel_from_file(dbg, file, release, running);
	else if (is_this)
		err = kernel_from_btf(dbg, running, sp_buf_str(&tried), ret);
	else
		err = sp_err_new(SP_ERR_NOT_FOUND, "%s", explain(dbg, release, sp_buf_str(&tried), KERNEL, NULL, 0));
	sp_buf_deinit(&tried);
	return err;
}

struct sp_err *dbg_kernel(struct dbg *dbg, struct dbg_module **ret)
{
	struct running running;

	if (!dbg->kernel_module) {
		describe_running(&running);
		bool is_path = dbg->kernel && strchr(dbg->kernel, '/');
		SP_TRY(dbg_note_lack(dbg, (is_path ? kernel_by_path : kernel_by_release)(dbg, &running, &dbg->kernel_module)));
	}
	*ret = dbg->kernel_module;
	return NULL;
}

// The separate debug file answers all questions about a module; the module's own file is often compressed.
static struct sp_err *open_module(struct dbg *dbg, const struct dbg_module *kernel, const char *path, struct dw_file **ret)
{
	struct dw_search search = kernel_search(dbg, kernel->release);
	sp_cleanup_free char *debug = dbg_path_module_debug(dbg->kernel_sysroot, dbg->debuginfo_path, path);
	const char *end = strrchr(path, '.');

	if (debug)
		return dw_file_open(debug, &search, ret);
	// Of the running kernel, /sys has the BTF of those that are loaded: there may be thousands of others.
	if (end && !sp_streq(end, ".ko") && kernel->is_offline)
		return dw_file_open_packed(path, false, &search, ret);
	if (end && !sp_streq(end, ".ko"))
		return sp_err_new(SP_ERR_NOT_FOUND, "%s", explain(dbg, kernel->release, path, KERNEL, NULL, 0));
	return dw_file_open(path, &search, ret);
}

// The BTF of the running kernel, or of a module of it, whose base that is. NULL: the module is not loaded, or has none.
static struct sp_err *open_running_btf(const char *module, struct btf_file *base, struct btf_file **ret)
{
	struct sp_buf path = { 0 };
	struct sp_err *err = NULL;

	sp_buf_printf(&path, DBG_RUNNING_BTF "/%s", module);
	for (char *c = path.data + strlen(DBG_RUNNING_BTF); *c; c++)
		*c = *c == '-' ? '_' : *c;
	*ret = NULL;
	if (!base || access(path.data, R_OK) == 0)
		err = btf_file_open(path.data, base, ret);
	sp_buf_deinit(&path);
	return err;
}

// A module that is loaded, without a file to read: what BTF tells.
static struct dbg_module *module_from_btf(struct dbg *dbg, struct dbg_module *kernel, const char *name)
{
	struct btf_file *base = kernel->is_offline ? NULL : dbg_btf(kernel), *btf = NULL;
	struct dbg_module *module;

	if (base)
		sp_err_free(open_running_btf(name, base, &btf));
	if (!btf)
		return NULL;
	module = dbg_module_new(dbg, name);
	module->source = DBG_BTF;
	module->is_kernel = true;
	module->release = kernel->release;
	module->abi = kernel->abi;
	dbg_impl(module)->btf = btf;
	dbg_impl(module)->btf_tried = true;
	return module;
}

// The build-id of a module: that of its file, or of what is loaded.
static unsigned module_build_id(const struct dbg_module *kernel, const char *name, const struct dw_file *file, uint8_t ret[32])
{
	sp_cleanup(sp_buf_deinit) struct sp_buf path = { 0 };

	if (file) {
		memcpy(ret, file->build_id, file->build_id_len);
		return file->build_id_len;
	}
	if (kernel->is_offline)
		return 0;
	sp_buf_printf(&path, "/sys/module/%s", name);
	for (char *c = path.data; *c; c++)
		*c = *c == '-' ? '_' : *c;
	sp_buf_puts(&path, "/notes/.note.gnu.build-id");
	return elf_id_of_notes(sp_buf_str(&path), ret);
}

// The module as the probe cache has it; NULL: it has not. A file that is compressed does not tell its build-id: then it is that of
// the release.
static struct dw_file *open_partial_module(struct dbg *dbg, const struct dbg_module *kernel, const char *object, const uint8_t *id, unsigned len)
{
	struct dw_search search = kernel_search(dbg, kernel->release);
	struct dw_file *file;

	for (unsigned sort = dbg->partial_from; sort < PROBE_FILE_N_SORTS; sort++) {
		sp_cleanup_free char *name = len ? probe_file_name(id, len, (enum probe_file_sort)sort) :
					     kernel->is_offline && !*dbg->kernel_sysroot ?
						   partial_of_release(kernel->release, object, (enum probe_file_sort)sort) :
						   NULL;

		if (name && dw_file_open_partial(name, &search, &file))
			return file;
	}
	return NULL;
}

static struct dbg_module *module_from_file(struct dbg *dbg, struct dbg_module *kernel, const char *name, const char *path, struct dw_file *file)
{
	struct dbg_module *module = dbg_module_new(dbg, name);

	file->kernel = kernel;
	dbg_module_take_file(module, file);
	if (path)
		module->path = sp_arena_strdup(&dbg->arena, path);
	module->is_kernel = true;
	module->release = kernel->release;
	module->is_offline = kernel->is_offline;
	return module;
}

static struct sp_err *new_module(struct dbg *dbg, struct dbg_module *kernel, const char *name, struct dbg_module **ret)
{
	sp_cleanup_free char *path = dbg_path_module(dbg->kernel_sysroot, kernel->release, name);
	const char *object = sp_arena_printf(&dbg->arena, "[%s]", name);
	struct dw_file *file = NULL, *partial;
	struct dbg_module *module;
	struct sp_err *err;
	uint8_t id[32];
	unsigned len;

	if (path)
		err = open_module(dbg, kernel, path, &file);
	else if (dbg_path_module_is_builtin(dbg->kernel_sysroot, kernel->release, name))
		err = sp_err_new(SP_ERR_NOT_FOUND, "%s is a part of kernel %s itself: its functions are kernel.function(...)", name,
				 kernel->release);
	else
		err = sp_err_new(SP_ERR_NOT_FOUND, "kernel %s has no module %s (in /lib/modules/%s)", kernel->release, name,
				 kernel->release);
	if (!err && file->dwarf) {
		*ret = module_from_file(dbg, kernel, name, path, file);
		return NULL;
	}
	len = module_build_id(kernel, name, err ? NULL : file, id);
	if ((partial = open_partial_module(dbg, kernel, object, id, len))) {
		sp_err_free(err);
		dw_file_close(file);
		*ret = module_from_file(dbg, kernel, name, path, partial);
		return NULL;
	}
	if (err && (module = module_from_btf(dbg, kernel, name))) {
		sp_cleanup_free char *why = sp_err_text(err);

		module->why_no_dwarf = sp_arena_strdup(&dbg->arena, why);
		sp_err_free(err);
		*ret = module;
		return NULL;
	}
	SP_TRY(err);
	*ret = module = module_from_file(dbg, kernel, name, path, file);
	module->why_no_dwarf = explain(dbg, kernel->release, file->tried, object, id, len);
	if (dbg_btf(module))
		module->source = DBG_BTF;
	return NULL;
}

// kvm-intel.ko is the module kvm_intel, as the running kernel has it.
struct sp_err *dbg_kernel_module(struct dbg *dbg, const char *file_name, struct dbg_module **ret)
{
	sp_cleanup_free char *name = sp_strdup(file_name);
	struct dbg_module *kernel;

	for (char *at = name; *at; at++)
		*at = *at == '-' ? '_' : *at;
	SP_TRY(dbg_kernel(dbg, &kernel));
	sp_vec_each(it, &dbg->modules) {
		if ((*it)->is_kernel && *it != kernel && sp_streq((*it)->name, name)) {
			*ret = *it;
			return NULL;
		}
	}
	return new_module(dbg, kernel, name, ret);
}

void dbg_take_modules(struct dbg *dbg, unsigned share, unsigned n_shares)
{
	size_t n = 0;

	dbg->module_share = share;
	dbg->n_module_shares = n_shares;
	sp_vec_each(module, &dbg->modules) {
		if ((*module)->is_kernel && *module != dbg->kernel_module)
			dbg_module_close(*module);
		else
			dbg->modules.v[n++] = *module;
	}
	dbg->modules.n = n;
}

struct dbg_module *dbg_kernel_twin(struct dbg *dbg, const struct dbg_module *module, unsigned partial_from)
{
	unsigned before = dbg->partial_from;
	struct dbg_module *twin = NULL;
	struct running running;

	describe_running(&running);
	dbg->partial_from = partial_from;
	if (module != dbg->kernel_module && !sp_streq(module->name, "kernel"))
		sp_err_free(new_module(dbg, dbg->kernel_module, module->name, &twin));
	else if (!dbg->kernel || !strchr(dbg->kernel, '/'))
		sp_err_free(kernel_by_release(dbg, &running, &twin));
	dbg->partial_from = before;
	return twin;
}

// The BTF in a module's file, which libbpf reads from a path alone: that of a compressed file is of what was decompressed.
static struct sp_err *open_split(const struct dbg_module *module, const struct dw_file *file, struct btf_file *base, struct btf_file **ret)
{
	const char *end = module->path ? strrchr(module->path, '.') : NULL;
	bool is_packed = !file->debug_path && end && !sp_streq(end, ".ko");
	char memory[64];

	snprintf(memory, sizeof(memory), "/proc/self/fd/%d", file->run.fd);
	return btf_file_open(is_packed ? memory : module->debug_path, base, ret);
}

struct btf_file *dbg_btf(struct dbg_module *module)
{
	struct dbg_impl *impl = dbg_impl(module);
	bool is_module = module->is_kernel && !sp_streq(module->name, "kernel");
	struct btf_file *base = NULL;
	struct dw_section section;
	struct sp_err *err = NULL;

	if (impl->btf_tried)
		return impl->btf;
	impl->btf_tried = true;
	if (is_module && impl->dbg->kernel_module)
		base = dbg_btf(impl->dbg->kernel_module);
	if (is_module && !base)
		return NULL;
	if (impl->file && dw_file_section(impl->file, ".BTF", &section))
		err = base ? open_split(module, impl->file, base, &impl->btf) : btf_file_new(section.data, section.size, &impl->btf);
	else if (module->is_kernel && !module->is_offline)
		err = open_running_btf(is_module ? module->name : "vmlinux", base, &impl->btf);
	if (err) {
		sp_cleanup_free char *text = sp_err_text(err);
		sp_log(&impl->dbg->log, SP_LOG_WARN, "%s", text);
		sp_err_free(err);
	}
	return impl->btf;
}
