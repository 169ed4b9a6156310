// SPDX-License-Identifier: GPL-2.0-or-later
// Probes in kernel modules that come and go while the script runs. The kernel tells of modules by uevents (rt_uevents.c), when what their
// first function does is done. What a module has is then looked up anew: its code may be elsewhere than before, or of another build.
#include "runtime/session/rt.h"

#include "runtime/base/cleanup.h"
#include "runtime/load/fixup.h"
#include "runtime/load/site.h"
#include "runtime/machine/image.h"

static const char *name_of(const struct spilert *rt, uint32_t object)
{
	return bundle_text(rt->bundle, rt->bundle->objects[object].name);
}

static unsigned n_sites_in(const struct spilert *rt, uint32_t object)
{
	unsigned n = 0;

	for (unsigned i = 0; i < rt->bundle->n_sites; i++)
		n += rt->bundle->sites[i].object == object;
	return n;
}

static const struct rt_module *find(const struct spilert *rt, uint32_t object)
{
	sp_vec_each(module, &rt->modules)
		if (module->object == object)
			return module;
	return NULL;
}

bool rt_waits_for_module(const struct spilert *rt, unsigned site)
{
	const struct rt_module *module = find(rt, rt->bundle->sites[site].object);

	return module && !module->number;
}

void rt_modules_note(struct spilert *rt)
{
	for (uint32_t i = 0; i < rt->bundle->n_objects; i++)
		if (rt->bundle->objects[i].kind == SP_OBJECT_KERNEL_MODULE && n_sites_in(rt, i))
			sp_vec_push(&rt->modules, (struct rt_module){ .object = i });
}

void rt_modules_begin(struct spilert *rt)
{
	sp_vec_each(module, &rt->modules) {
		module->number = image_module_number(name_of(rt, module->object));
		if (!module->number)
			sp_log(&rt->log, SP_LOG_WARN, "kernel module `%s` is not loaded: its probes are set when it is", name_of(rt, module->object));
	}
}

// ---- what has changed ------------------------------------------------------------------------------------------------

static bool has_variables(const struct spilert *rt, uint32_t object)
{
	for (unsigned i = 0; i < rt->bundle->n_fixups; i++)
		if (rt->bundle->fixups[i].kind == SP_FIX_MODULE_SECTION && rt->bundle->fixups[i].object == object)
			return true;
	return false;
}

static void set_probes(struct spilert *rt, uint32_t object)
{
	const struct bundle *bundle = rt->bundle;
	unsigned n = 0;

	for (int round = 0; round < 2; round++) {
		for (unsigned i = 0; i < bundle->n_sites; i++) {
			unsigned index = round ? bundle->n_sites - 1 - i : i;
			const struct sp_site *site = &bundle->sites[index];

			if (site->object != object || site_last_runs_first(site->kind) != (round > 0) || rt_is_disarmed(rt, site->prog))
				continue;
			sp_err_tell(&rt->log, SP_LOG_WARN, attach_site(&rt->attach, index));
			n += rt->attach.hooks[index] != NULL;
		}
	}
	sp_log(&rt->log, SP_LOG_INFO, "kernel module `%s` was loaded: %u probe%s set", name_of(rt, object), n, n == 1 ? "" : "s");
}

static void come(struct spilert *rt, struct rt_module *module)
{
	struct sp_err *err = fixup_check_object(rt->bundle, module->object);

	if (err)
		sp_err_tell(&rt->log, SP_LOG_WARN,
			    sp_err_wrap(err, "kernel module `%s` was loaded, and its probes are not set", name_of(rt, module->object)));
	else if (has_variables(rt, module->object))
		sp_log(&rt->log, SP_LOG_WARN, "kernel module `%s` was loaded anew, and its probes are not set: the script reads its variables "
		       "where they were before; start it again", name_of(rt, module->object));
	else
		set_probes(rt, module->object);
}

static void go(struct spilert *rt, const struct rt_module *module)
{
	rt_detach_part(rt, SP_NONE, module->object);
	sp_log(&rt->log, SP_LOG_INFO, "kernel module `%s` was unloaded: its probes are gone until it is loaded again",
	       name_of(rt, module->object));
}

void rt_modules_look(struct spilert *rt)
{
	sp_vec_each(module, &rt->modules) {
		uint64_t number = image_module_number(name_of(rt, module->object)), was = module->number;

		if (number == was)
			continue;
		if (was)
			go(rt, module);
		module->number = number;
		if (number)
			come(rt, module);
	}
}
