// SPDX-License-Identifier: GPL-2.0-or-later
// kernel.syscall("openat"), .compat for calls of 32-bit programs, .any for both, .named for an alias that is another name of a call
// (sema leaves the point out when a wildcard found the alias), .return: the tapset's syscall.* are aliases of
// these. All system calls pass two tracepoints, whatever the kernel's functions for them are called, so neither debug information nor
// tracefs is needed; the runtime's own program there goes on to the handler of the call's number.
#include "compiler/model/similar.h"
#include "compiler/model/syscall.h"
#include "compiler/probe/point_util.h"

#define CTX_WORD 8 // of the tracepoint: the number at sys_enter, the result at sys_exit; before it is the struct pt_regs

static bool syscall_matches(const struct ast_point *point)
{
	return sp_streq(point->parts[0].name, "kernel") && point->n_parts > 1 && sp_streq(point->parts[1].name, "syscall");
}

static const struct abi *abi_of(const struct point_env *env)
{
	return abi_find(env->target->arch);
}

static void add_call(struct point_env *env, const struct ast_point *point, const struct syscall_info *info,
		     enum syscall_abi kind, int number, struct sites *sites)
{
	struct site *site = point_add_site(env, &pt_syscall, point, sites);
	bool is_compat = kind == SYSCALL_COMPAT;

	site->is_any_abi = point_part(point, "any");
	site->space = SPACE_KERNEL;
	site->is_return = point_part(point, "return");
	site->function = info->name;
	site->point = sp_arena_printf(env->arena, "kernel.syscall(\"%s\")%s%s", info->name, is_compat ? ".compat" : "",
				      site->is_return ? ".return" : "");
	site->symbol = site->is_return ? "sys_exit" : "sys_enter";
	site->args.syscall.number = (uint32_t)number;
	site->args.syscall.flags = (is_compat ? SP_SYSCALL_COMPAT : 0) | (site->is_return ? SP_SYSCALL_RETURN : 0);
	site->kind = SP_SITE_SYSCALL;
}

static const char *explain_no_match(struct point_env *env, const char *name, const struct abi *abi, enum syscall_abi kind)
{
	struct similar similar;
	const char *near;

	if (!abi->syscalls[kind].args)
		return "no system calls of 32-bit programs are known of this architecture";
	similar_init(&similar, name);
	for (unsigned i = 0; i < syscall_table_size; i++) {
		if (syscall_number(&syscall_table[i], abi, kind) >= 0)
			similar_try(&similar, syscall_table[i].name);
		else if (sp_streq(syscall_table[i].name, name))
			return sp_arena_printf(env->arena, "%s programs on %s have no such system call",
					       kind == SYSCALL_COMPAT ? "32-bit" : "64-bit", abi->name);
	}
	near = similar_text(&similar, env->arena);
	return near ? sp_arena_printf(env->arena, "there is no such system call\ndid you mean %s?", near)
		    : "there is no such system call";
}

static void add_calls(struct point_env *env, const struct ast_point *point, enum syscall_abi kind, struct sites *sites)
{
	const char *name = point->parts[1].arg->string.text;
	const struct abi *abi = abi_of(env);

	for (unsigned i = 0; i < syscall_table_size; i++) {
		int number = syscall_number(&syscall_table[i], abi, kind);

		if (number >= 0 && sp_glob_match(name, syscall_table[i].name))
			add_call(env, point, &syscall_table[i], kind, number, sites);
	}
}

static bool syscall_resolve(struct point_env *env, const struct ast_point *point, struct sites *sites, const char **why_ret)
{
	const char *name = point->parts[1].arg->string.text;
	enum syscall_abi kind = point_part(point, "compat") ? SYSCALL_COMPAT : SYSCALL_NATIVE;
	const struct abi *abi = abi_of(env);
	size_t n_before = sites->list.n;

	if (!abi) {
		*why_ret = "the system calls of this architecture are not known";
		return true;
	}
	add_calls(env, point, kind, sites);
	if (point_part(point, "any"))
		add_calls(env, point, SYSCALL_COMPAT, sites);
	if (sites->list.n == n_before && !point->optional && !point->sufficient)
		*why_ret = explain_no_match(env, name, abi, kind);
	return true;
}

static void syscall_choose_hook(struct point_env *env, struct site *site, const struct point_use *use)
{
	(void)use;
	if (target_has(env->target, SP_FEATURE_BTF)) {
		site->prog_kind = SP_PROG_TYPED_TP;
		site->why = "raw tracepoint of all system calls, by number; registers are read without a helper";
	} else {
		site->prog_kind = SP_PROG_RAW_TP;
		site->why = "raw tracepoint of all system calls, by number";
	}
}

// ---- variables ------------------------------------------------------------------------------------------------------

static enum syscall_abi abi_kind(const struct site *site)
{
	return site->args.syscall.flags & SP_SYSCALL_COMPAT ? SYSCALL_COMPAT : SYSCALL_NATIVE;
}

static const struct c_type types[] = {
	{ .kind = C_INT, .name = "long", .size = 8, .is_signed = true, .is_complete = true },
	{ .kind = C_INT, .name = "int", .size = 4, .is_signed = true, .is_complete = true },
	{ .kind = C_INT, .name = "unsigned int", .size = 4, .is_complete = true },
	{ .kind = C_INT, .name = "unsigned short", .size = 2, .is_complete = true },
};

static const struct c_type *type_of(char type)
{
	return type == 'i' ? &types[1] : type == 'u' ? &types[2] : type == 'h' ? &types[3] : &types[0];
}

// An argument of which no more is known.
static const struct c_type *word_type(const struct site *site)
{
	return type_of(abi_kind(site) == SYSCALL_COMPAT && !site->is_any_abi ? 'u' : '\0');
}

// `name` without the $: an argument of programs of that kind, by its place or by its name. -1: it is none.
static int find_arg(const struct site *site, const struct abi *abi, enum syscall_abi kind, const char *name, const struct c_type **type_ret)
{
	const struct syscall_info *info = syscall_find(site->function);
	struct syscall_param param;

	*type_ret = word_type(site);
	if (sp_starts_with(name, "arg") && name[3] >= '1' && name[3] <= '6' && !name[4])
		return name[3] - '1';
	for (unsigned i = 0; syscall_param(info, abi, kind, i, &param); i++) {
		if (!sp_is_word(param.name, (size_t)param.len, name))
			continue;
		if (param.type)
			*type_ret = type_of(param.type);
		return (int)i;
	}
	return -1;
}

// The result, or at sys_enter the number.
static void in_context(struct site_value *ret)
{
	ret->base = SITE_BASE_CTX;
	ret->ctx_off = CTX_WORD;
	ret->ctx_size = 8;
	ret->base_type = type_of('\0');
}

static void in_registers(struct site_value *ret, uint32_t offset, const struct c_type *type)
{
	ret->base = SITE_BASE_REGS;
	ret->ctx_off = offset;
	ret->ctx_size = (uint32_t)type->size;
	ret->base_type = type;
}

// A handler for calls of both kinds reads the same value wherever it runs, so that both can share a program. What programs of one kind
// do not have, is told of their call. False: it is none.
static bool find_in_argument(struct site_value *ret, const struct site *site, const struct abi *abi, const char *name)
{
	const enum syscall_abi own = abi_kind(site), other = own == SYSCALL_NATIVE ? SYSCALL_COMPAT : SYSCALL_NATIVE;
	const bool any = site->is_any_abi && abi->syscalls[SYSCALL_COMPAT].args;
	const struct c_type *types[SYSCALL_ABI_COUNT];
	int args[SYSCALL_ABI_COUNT];

	args[own] = find_arg(site, abi, own, name, &types[own]);
	if (args[own] < 0)
		return false;
	args[other] = any ? find_arg(site, abi, other, name, &types[other]) : -1;
	if (args[other] < 0) {
		in_registers(ret, abi->syscalls[own].args[args[own]], types[own]);
		return true;
	}
	in_registers(ret, abi->syscalls[SYSCALL_NATIVE].args[args[SYSCALL_NATIVE]], types[SYSCALL_NATIVE]);
	ret->compat_off = abi->syscalls[SYSCALL_COMPAT].args[args[SYSCALL_COMPAT]];
	ret->compat_size = (uint32_t)SP_MIN(types[SYSCALL_NATIVE]->size, (uint64_t)abi->syscalls[SYSCALL_COMPAT].size);
	return true;
}

// "$fd:int $buf:long": with types, or " " behind each name.
static void print_visible(const struct site *site, const struct abi *abi, struct sp_buf *out, bool with_types)
{
	const char *word = word_type(site)->name;
	const struct syscall_info *info = syscall_find(site->function);
	struct syscall_param param;

	if (site->is_return) {
		sp_buf_printf(out, with_types ? "$return:long $syscall:long" : "$return $syscall");
		return;
	}
	for (unsigned i = 0; syscall_param(info, abi, abi_kind(site), i, &param); i++)
		sp_buf_printf(out, with_types ? "$%.*s:%s " : "$%.*s ", param.len, param.name, param.type ? type_of(param.type)->name : word);
	for (int i = 1; i <= 6; i++)
		sp_buf_printf(out, with_types ? "$arg%d:%s " : "$arg%d ", i, word);
	sp_buf_puts(out, with_types ? "$syscall:long" : "$syscall");
}

static bool syscall_find_var(struct point_env *env, struct site *site, const struct ast_expr *target, struct site_value *ret,
			     bool *needs_entry_ret)
{
	const struct abi *abi = abi_of(env);
	const char *name = target->target.name + 1;
	struct sp_buf visible = { 0 };
	struct diag *d;

	ret->space = SPACE_USER;
	if (sp_streq(name, site->is_return ? "return" : "syscall")) {
		in_context(ret);
	} else if (sp_streq(name, "syscall")) {
		in_registers(ret, abi->syscall_number, type_of('i'));
	} else if (find_in_argument(ret, site, abi, name)) {
		*needs_entry_ret = site->is_return; // the registers may have changed since
	} else {
		print_visible(site, abi, &visible, false);
		d = diag(env->dc, target->op_span, DIAG_VAR_UNKNOWN, "there is no %s at %s", target->target.name, site->point);
		diag_note(env->dc, d, SPAN_NONE, "visible here: %s", sp_buf_str(&visible));
		sp_buf_deinit(&visible);
		return false;
	}
	return true;
}

static struct site *syscall_entry_site(struct point_env *env, const struct site *site)
{
	struct site *entry = sp_arena_memdup(env->arena, site, sizeof(*site));

	entry->is_return = false;
	entry->symbol = "sys_enter";
	entry->args.syscall.flags &= ~SP_SYSCALL_RETURN;
	entry->point = sp_arena_printf(env->arena, "kernel.syscall(\"%s\")%s", site->function,
				       abi_kind(site) == SYSCALL_COMPAT ? ".compat" : "");
	return entry;
}

static void syscall_list_names(struct point_env *env, struct site *site, enum point_list which, struct point_names *ret)
{
	const struct syscall_info *info = syscall_find(site->function);
	struct syscall_param param;

	for (unsigned i = 0; which != POINT_LOCALS && syscall_param(info, abi_of(env), abi_kind(site), i, &param); i++)
		sp_vec_push(&ret->list, sp_arena_strndup(env->arena, param.name, (size_t)param.len));
}

static void syscall_list_vars(struct point_env *env, struct site *site, struct sp_buf *out)
{
	sp_buf_putc(out, ' ');
	print_visible(site, abi_of(env), out, true);
}

const struct point_family pt_syscall = {
	.name = "kernel.syscall",
	.needs_kernel = true,
	.patterns = "kernel.syscall(string)\nkernel.syscall(string).return\n"
		    "kernel.syscall(string).compat\nkernel.syscall(string).compat.return\n"
		    "kernel.syscall(string).any\nkernel.syscall(string).any.return\n"
		    "kernel.syscall(string).any.named\nkernel.syscall(string).any.named.return\n"
		    "kernel.syscall(string).named\nkernel.syscall(string).named.return\n"
		    "kernel.syscall(string).compat.named\nkernel.syscall(string).compat.named.return",
	.matches = syscall_matches,
	.resolve = syscall_resolve,
	.choose_hook = syscall_choose_hook,
	.find_var = syscall_find_var,
	.entry_site = syscall_entry_site,
	.list_names = syscall_list_names,
	.list_vars = syscall_list_vars,
};
