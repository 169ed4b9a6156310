// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/codegen.h"

#include "runtime/base/cleanup.h"

#include <dlfcn.h>

struct sp_err *codegen_load(const struct spile *spile, const struct gen_api **ret)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf path = { 0 };
	const struct gen_api *api;
	void *module;

	sp_buf_printf(&path, "%s/spile-gen.so", spile->opts.module_dir ? spile->opts.module_dir : SPILE_MODULE_DIR);
	module = dlopen(sp_buf_str(&path), RTLD_LAZY | RTLD_LOCAL);
	api = module ? dlsym(module, "spile_gen") : NULL;
	if (!api)
		return sp_err_new(SP_ERR_SYSTEM, "cannot load the code generator: %s", dlerror());
	if (!sp_streq(api->version, PACKAGE_VERSION))
		return sp_err_new(SP_ERR_SYSTEM, "the code generator %s is of version %s, spile of %s", sp_buf_str(&path),
				  api->version, PACKAGE_VERSION);
	*ret = api;
	return NULL;
}
