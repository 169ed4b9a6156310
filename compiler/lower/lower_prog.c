// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/lower/lower_prog.h"

#include <ctype.h>

void lower_make_identifier(char *name)
{
	for (char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '_';
}

// The program's section in the object, as libbpf reads it.
const char *lower_prog_section(struct lower *l, const struct site *site)
{
	struct sp_arena *arena = &l->unit->arena;
	const char *symbol = site->symbol ? site->symbol : "";
	uint64_t offset;

	switch (site->kind) {
	case SP_SITE_KPROBE:
		offset = *symbol ? site->args.kernel.offset : site->args.kernel.address;
		return offset ? sp_arena_printf(arena, "kprobe/%s+0x%llx", symbol, (unsigned long long)offset)
			      : sp_arena_printf(arena, "kprobe/%s", symbol);
	case SP_SITE_KRETPROBE:
		return sp_arena_printf(arena, "kretprobe/%s", symbol);
	case SP_SITE_FENTRY:
	case SP_SITE_BPF:
		return sp_arena_printf(arena, site->prog_kind == SP_PROG_REPLACE ? "fmod_ret/%s" : "fentry/%s", symbol);
	case SP_SITE_FEXIT:
	case SP_SITE_BPF_RETURN:
		return sp_arena_printf(arena, "fexit/%s", symbol);
	case SP_SITE_LSM:
		return sp_arena_printf(arena, "lsm/%s", symbol);
	case SP_SITE_UPROBE:
		return "uprobe";
	case SP_SITE_URETPROBE:
		return "uretprobe";
	case SP_SITE_RAW_TP:
		return sp_arena_printf(arena, "raw_tp/%s", symbol);
	case SP_SITE_SYSCALL:
		return sp_arena_printf(arena, site->prog_kind == SP_PROG_TYPED_TP ? "tp_btf/%s" : "raw_tp/%s", symbol);
	case SP_SITE_TP: {
		char *name = sp_arena_printf(arena, "tp/%s", symbol), *colon = strchr(name, ':');
		if (colon)
			*colon = '/';
		return name;
	}
	case SP_SITE_PERF:
	case SP_SITE_WATCH:
		return "perf_event";
	case SP_SITE_ITER:
		return sp_arena_printf(arena, "iter/%s", symbol);
	case SP_SITE_NETFILTER:
		return "netfilter";
	case SP_SITE_BEGIN:
	case SP_SITE_END:
	case SP_SITE_ERROR:
	case SP_SITE_TIMER:
	case SP_SITE_CONDITION:
	case SP_SITE_PROCFS:
	case SP_SITE_RUNNING:
	case SP_SITE_SAMPLE:
	case SP_SITE_KIND_COUNT: break;
	}
	return "";
}

// "ksys_read_3": what bpftool shows begins with what is probed.
const char *lower_prog_name(struct lower *l, const struct site *site)
{
	static const char *const families[] = { "begin", "end", "error", "timer" };
	const char *from = site->function && site->function[0] ? site->function :
			   (unsigned)site->kind < SP_ARRAY_SIZE(families) ? families[site->kind] :
			   site->kind == SP_SITE_CONDITION ? "if" : site->symbol ? site->symbol : "probe";
	char *name = sp_arena_printf(&l->unit->arena, "%.40s_%zu", from, l->unit->progs.n);

	lower_make_identifier(name);
	if (isdigit((unsigned char)name[0]))
		name[0] = '_';
	return name;
}

static const char *text(struct lower *l, const char *s)
{
	return s ? sp_arena_strdup(&l->unit->arena, s) : "";
}

static bool is_kprobe(const struct site *site)
{
	return site->kind == SP_SITE_KPROBE || site->kind == SP_SITE_KRETPROBE;
}

void lower_prog_site(struct lower *l, const struct site *site)
{
	union sp_hook_args args = site->args;
	bool in_section = is_kprobe(site) && site->section && site->section[0];

	if (site->kind == SP_SITE_KRETPROBE)
		args.kernel.max_active = site->max_active;
	if (in_section)
		args.kernel.linked -= site->section_start;
	sp_vec_push(&l->unit->sites, (struct ir_site){
		.kind = site->kind,
		.optional = site->optional,
		.is_process = site->is_process,
		.begins = site->begins && site->kind != SP_SITE_RUNNING,
		.is_inside = site->kind == SP_SITE_UPROBE &&
			     !(site->func && !site->func->is_inline && site->pc == site->func->entry_pc),
		.point = text(l, site->point),
		.name = site->name ? text(l, site->name) : NULL,
		.function = text(l, site->function),
		.symbol = text(l, site->symbol),
		.section = in_section ? text(l, site->section) : NULL,
		.why = text(l, site->why),
		.object = lower_object(l, site->module),
		.program = site->program ? lower_object(l, site->program) : SP_NONE,
		.args = args,
	});
}

const char *lower_site_text(const struct site *site, enum sp_site_text what)
{
	switch (what) {
	case SP_SITE_TEXT_POINT:
		return site->point;
	case SP_SITE_TEXT_NAME:
		return site->name ? site->name : site->point;
	case SP_SITE_TEXT_FUNCTION:
		return site->function ? site->function : "";
	case SP_SITE_TEXT_MODULE:
		if (!site->module)
			return "";
		return site->module->is_kernel || !site->module->path ? site->module->name : site->module->target_path;
	}
	return "";
}

// The cookie of a watchpoint in a process is not that of the ones that its new threads inherit.
static bool is_inherited(const struct site *site)
{
	return site->kind == SP_SITE_WATCH && site->module && !site->module->is_kernel;
}

bool lower_tells_site(const struct lower *l, const struct site *site)
{
	return site->prog_kind == SP_PROG_USER || site->kind == SP_SITE_SYSCALL ||
	       (site->prog_kind != SP_PROG_RAW_TP && !is_inherited(site) && target_has(l->opts->target, SP_FEATURE_COOKIE));
}
