// SPDX-License-Identifier: GPL-2.0-or-later
// The machine that is compiled for: its description, the features of its kernel.
#include "compiler/cache/look.h"
#include "compiler/driver/config.h"
#include "compiler/driver/header.h"
#include "compiler/driver/session.h"

#include "runtime/abi/target.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"

#include <errno.h>
#include <stdio.h>

// The features of a kernel of which only the release is known (-r): those of mainline in that version. When a distribution has left
// one out, loading the program will fail there.
static uint64_t features_of_release(const char *release)
{
	static const unsigned since[] = {
#define SP_FEATURE(id, name, version, what) [SP_FEATURE_##id] = version,
		SP_FEATURES(SP_FEATURE)
#undef SP_FEATURE
	};
	unsigned major = 0, minor = 0;
	uint64_t features = 0;

	if (sscanf(release, "%u.%u", &major, &minor) != 2)
		major = 99; // unknown: assume nothing is missing, the load will tell
	for (size_t i = 0; i < SP_ARRAY_SIZE(since); i++)
		if (since[i] && major * 100 + minor >= since[i])
			features |= 1ull << i;
	return features;
}

static struct sp_err *read_target_file(const char *path, struct sp_buf *ret)
{
	sp_cleanup_fclose FILE *f = fopen(path, "re");
	char text[16384];
	size_t len = f ? fread(text, 1, sizeof(text), f) : 0;

	if (!f || ferror(f))
		return sp_err_errno(errno, "cannot read %s", path);
	if (len == sizeof(text))
		return sp_err_new(SP_ERR_FORMAT, "%s: not a target description: it is too long", path);
	sp_buf_add(ret, text, len);
	return NULL;
}

// --target, --remote: the description of another machine. Its features are known then; its release says which kernel's debug
// information to look for.
static struct sp_err *read_target(struct spile *spile)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	struct sp_err *err;

	if (spile->opts.target_text)
		sp_buf_puts(&text, spile->opts.target_text);
	else
		SP_TRY(read_target_file(spile->opts.target, &text));
	err = target_parse(sp_buf_str(&text), text.len, &spile->target);
	if (err)
		return sp_err_wrap(err, "%s", spile->opts.target);
	if (!spile->opts.kernel)
		spile->opts.kernel = spile->target.release;
	return NULL;
}

// What the runtime looks at to describe the machine is one input: the description.
static const char *describe(struct spile *spile, bool features)
{
	LOOK_PAUSE();

	return spile->opts.describe ? spile->opts.describe(spile->opts.ctx, features) : NULL;
}

// Describes this machine, by itself. With -r the features are not asked for: they are those of the other release.
static struct sp_err *ask_machine(struct spile *spile, bool features)
{
	bool is_other = spile->opts.kernel;
	const char *text = describe(spile, features && !is_other);

	if (!text)
		return sp_err_new(SP_ERR_BUG, "no description of the target machine was given");
	if (features && !is_other)
		look_note(INPUT_TARGET, "");
	SP_TRY(target_parse(text, strlen(text), &spile->target));
	if (is_other && !strchr(spile->opts.kernel, '/'))
		snprintf(spile->target.release, sizeof(spile->target.release), "%s", spile->opts.kernel);
	return NULL;
}

static struct sp_err *find_other_features(struct spile *spile)
{
	struct point_env env = session_point_env(spile, &spile->arena);
	struct dbg_module *module;

	SP_TRY(dbg_kernel(env.dbg, &module));
	if (module->release)
		snprintf(spile->target.release, sizeof(spile->target.release), "%s", module->release);
	spile->target.features = features_of_release(spile->target.release);
	return NULL;
}

struct sp_err *session_describe(struct spile *spile)
{
	if (spile->described != NOT_DESCRIBED)
		return NULL;
	SP_TRY(spile->opts.target ? read_target(spile) : ask_machine(spile, false));
	spile->described = spile->opts.target ? DESCRIBED_WITH_FEATURES : DESCRIBED;
	return NULL;
}

struct sp_err *session_describe_features(struct spile *spile)
{
	SP_TRY(session_describe(spile));
	if (spile->described == DESCRIBED_WITH_FEATURES)
		return NULL;
	SP_TRY(spile->opts.kernel ? find_other_features(spile) : ask_machine(spile, true));
	spile->described = DESCRIBED_WITH_FEATURES;
	return NULL;
}

// The callback point_env.find_features, for points whose family needs the features.
static bool find_features(void *ctx)
{
	struct spile *spile = ctx;

	if (!spile->features_err)
		spile->features_err = session_describe_features(spile);
	return !spile->features_err;
}

struct sp_err *session_features_error(struct spile *spile)
{
	struct sp_err *err = spile->features_err;

	spile->features_err = NULL;
	return err;
}

struct parse_env session_parse_env(struct spile *spile)
{
	const struct spile_opts *opts = &spile->opts;
	const struct abi *abi = abi_find(spile->target.arch);
	int n_args = 0;

	while (opts->args && opts->args[n_args])
		n_args++;
	if (!spile->args_used)
		spile->args_used = sp_arena_array(&spile->arena, bool, (size_t)n_args + 1);
	return (struct parse_env){
		.kernel_release = spile->target.release[0] ? spile->target.release : NULL,
		.arch = abi ? abi->script_name : spile->target.arch,
		.compat = opts->compatible ? opts->compatible : SPILE_SYSTEMTAP_VERSION,
		.config = config_value,
		.config_ctx = spile,
		.n_args = n_args,
		.args = opts->args,
		.args_used = spile->args_used,
		.guru = opts->guru,
	};
}

struct dbg_opts session_dbg_opts(const struct spile *spile)
{
	return (struct dbg_opts){
		.kernel = spile->opts.kernel,
		.sysroot = spile->opts.sysroot,
		.source_dir = spile->opts.source_dir,
		.debuginfo_path = sp_env("SYSTEMTAP_DEBUGINFO_PATH"),
		.log = &spile->log,
	};
}

struct point_env session_point_env(struct spile *spile, struct sp_arena *arena)
{
	if (!spile->dbg) {
		struct dbg_opts opts = session_dbg_opts(spile);

		spile->dbg = dbg_create(&opts);
	}
	return (struct point_env){
		.dbg = spile->dbg,
		.target = &spile->target,
		.dc = &spile->dc,
		.arena = arena,
		.command = spile->opts.command,
		.pid = spile->opts.pid,
		.is_elsewhere = spile->opts.target || spile->opts.target_text || spile->opts.sysroot,
		.user_engine_only = spile->opts.user_engine == 2,
		.header_module = header_module,
		.header_ctx = spile,
		.find_features = find_features,
		.features_ctx = spile,
	};
}
