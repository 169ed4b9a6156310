// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/layout.h"

#include "compiler/debug/dbg.h"
#include "compiler/sema/tree.h"
#include "runtime/base/cleanup.h"

// ---- the current task -----------------------------------------------------------------------------------------------

static struct dbg_module *kernel_types(const struct sema_opts *opts, struct program *program)
{
	struct dbg_module *module = NULL;

	if (opts->env->dbg)
		sp_err_free(dbg_kernel(opts->env->dbg, &module)); // plan/ reports what is missing
	program->kernel.module = module;
	return module;
}

static bool member_offset(struct dbg_module *module, const char *type_name, const char *member, int64_t *ret)
{
	const struct c_type *type = dbg_find_type(module, type_name);
	uint64_t bit_off;

	type = type ? dbg_complete_type(type) : NULL;
	if (!type || !c_type_member(type, member, &bit_off))
		return false;
	*ret = (int64_t)(bit_off / 8);
	return true;
}

bool layout_find_thread_pointer(const struct sema_opts *opts, struct program *program)
{
	const struct abi *abi = abi_find(opts->env->target->arch);
	struct kernel_layout *kernel = &program->kernel;
	struct dbg_module *module;
	int64_t thread, pointer;

	if (kernel->has_thread_pointer)
		return true;
	module = abi && abi->thread_pointer ? kernel_types(opts, program) : NULL;
	if (!module || !member_offset(module, "struct task_struct", "thread", &thread) ||
	    !member_offset(module, "struct thread_struct", abi->thread_pointer, &pointer))
		return false;
	kernel->thread_pointer = thread + pointer;
	kernel->has_thread_pointer = true;
	return true;
}

static void find_task_number(void *ctx, struct ast_expr **place)
{
	const struct ast_expr *e = *place;

	*(bool *)ctx |= (e->kind == AST_CALL && !e->call.function && task_number_of(e->call.builtin) < TASK_NUMBER_COUNT) ||
			(e->kind == AST_RESOLVED && e->resolved->compat_size);
}

static bool asks_task_number(const struct program *program)
{
	bool asks = false, in_kernel = false;

	sp_vec_each(h, &program->handlers) {
		in_kernel |= (*h)->prog_kind != SP_PROG_USER;
		if ((*h)->prog_kind != SP_PROG_USER)
			tree_walk_stmt((*h)->body, find_task_number, &asks);
	}
	sp_vec_each(f, &program->functions)
		if (in_kernel && (*f)->is_used)
			tree_walk_stmt((*f)->body, find_task_number, &asks);
	return asks;
}

enum task_number task_number_of(int builtin)
{
	return builtin == BUILTIN_PPID ? TASK_PPID :
	       builtin == BUILTIN_EUID ? TASK_EUID :
	       builtin == BUILTIN_EGID ? TASK_EGID :
	       builtin == BUILTIN_COMPAT_TASK ? TASK_COMPAT : TASK_NUMBER_COUNT;
}

enum task_number task_helped_of(int builtin)
{
	return builtin == BUILTIN_EXECNAME ? TASK_COMM :
	       builtin == BUILTIN_PID ? TASK_PID :
	       builtin == BUILTIN_TID ? TASK_TID :
	       builtin == BUILTIN_UID ? TASK_UID :
	       builtin == BUILTIN_GID ? TASK_GID : TASK_PATH_COUNT;
}

void layout_find_numbers(const struct sema_opts *opts, struct program *program)
{
	static const struct task_path paths[] = {
		[TASK_PPID] = { .pointer = "real_parent", .type = "struct task_struct", .member = "tgid" },
		[TASK_EUID] = { .pointer = "cred", .type = "struct cred", .member = "euid" },
		[TASK_EGID] = { .pointer = "cred", .type = "struct cred", .member = "egid" },
		[TASK_COMPAT] = { .pointer = "thread_info", .type = "struct thread_info", .is_within = true },
		[TASK_COMM] = { .pointer = "comm" },
		[TASK_PID] = { .pointer = "tgid" },
		[TASK_TID] = { .pointer = "pid" },
		[TASK_UID] = { .pointer = "cred", .type = "struct cred", .member = "uid" },
		[TASK_GID] = { .pointer = "cred", .type = "struct cred", .member = "gid" },
	};
	const struct abi *abi = abi_find(opts->env->target->arch);
	struct dbg_module *module;
	bool in_netfilter = false;

	sp_vec_each(h, &program->handlers)
		in_netfilter |= (*h)->prog_kind == SP_PROG_NETFILTER;
	module = in_netfilter || asks_task_number(program) ? kernel_types(opts, program) : NULL;
	for (size_t i = 0; module && i < (in_netfilter ? TASK_PATH_COUNT : TASK_NUMBER_COUNT); i++) {
		struct task_path *path = &program->kernel.numbers[i];

		*path = paths[i];
		if (i == TASK_COMPAT)
			path->member = abi && abi->compat_member ? abi->compat_member : "";
		path->is_known = member_offset(module, "struct task_struct", path->pointer, &path->pointer_offset) &&
				 (!path->type || member_offset(module, path->type, path->member, &path->offset));
	}
}

// ---- what holds for this kernel alone -------------------------------------------------------------------------------

struct binder {
	struct sp_arena *arena;
	const struct site *site;
};

static bool is_vmlinux(const struct dbg_module *module)
{
	return module && module->is_kernel && sp_streq(module->name, "kernel");
}

// The text that a portable script checks at load time: "vfs_read(file,buf,count,pos)".
static const char *prototype(struct binder *b, const char *function, const char *const *params, unsigned n_params)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };

	sp_buf_printf(&text, "%s(", function);
	for (unsigned i = 0; i < n_params; i++)
		sp_buf_printf(&text, "%s%s", i ? "," : "", params[i] ? params[i] : "");
	sp_buf_puts(&text, ")");
	return sp_arena_strdup(b->arena, sp_buf_str(&text));
}

static const char *function_prototype(struct binder *b)
{
	const struct site *site = b->site;
	const char *names[16] = { NULL };
	struct dbg_vars vars;
	unsigned n = 0;
	struct sp_err *err = dbg_vars_at(site->func, site->func->entry_pc, &vars);

	for (unsigned i = 0; !err && i < vars.n; i++) {
		int index = vars.v[i].is_param ? vars.v[i].param_index : -1;

		if (index < 0 || index >= (int)SP_ARRAY_SIZE(names))
			continue;
		names[index] = vars.v[i].name;
		n = SP_MAX(n, (unsigned)index + 1);
	}
	sp_err_free(err);
	return prototype(b, site->symbol, names, n);
}

// The prototype of a tracepoint's caller, __traceiter_NAME: `__data`, then the tracepoint's arguments.
static const char *tracepoint_prototype(struct binder *b)
{
	const struct dbg_tracepoint *tp = b->site->tracepoint;
	const char *names[16] = { "__data" };
	unsigned n = SP_MIN(tp->n_args, (unsigned)SP_ARRAY_SIZE(names) - 1);

	for (unsigned i = 0; i < n; i++)
		names[i + 1] = tp->args[i].name;
	return prototype(b, sp_arena_printf(b->arena, "__traceiter_%s", tp->name), names, n + 1);
}

// A field of a tracepoint's record. BTF does not have the records of system calls by the event's name: a script that reads
// them is bound to this kernel.
static void bind_field(struct binder *b, struct site_value *v)
{
	const struct dbg_tracepoint *tp = b->site->tracepoint;
	bool is_known = tp && tp->record && sp_streq(tp->module->name, "kernel") && dbg_find_type(tp->module, tp->record);

	for (unsigned i = 0; is_known && i < tp->n_fields; i++) {
		const struct dbg_trace_field *field = &tp->fields[i];

		if (field->offset != v->ctx_off)
			continue;
		v->field = sp_arena_printf(b->arena, "%s.%s%s:%u:%u", tp->record, field->is_data_loc ? "__data_loc_" : "",
					   field->name, field->size, field->offset);
		return;
	}
	v->is_bound = true;
}

// Is the location a parameter at the entry or the result at the return, where the calling convention puts it in any kernel?
static bool is_by_convention(const struct site *site, const struct loc *loc)
{
	bool is_register = loc->n_pieces == 1 && loc->pieces[0].where == LOC_IS_VALUE && loc->pieces[0].n_ops == 1 &&
			   loc->pieces[0].ops[0].kind == LOC_REG;

	return is_register && site->func && site_is_at_symbol(site) && (site->is_return || site->pc == site->func->entry_pc);
}

static void bind_value(struct binder *b, struct site_value *v)
{
	const struct site *site = b->site;
	bool has_trampoline = site->prog_kind == SP_PROG_FENTRY || site->prog_kind == SP_PROG_FEXIT ||
			      site->prog_kind == SP_PROG_LSM || site->prog_kind == SP_PROG_REPLACE;

	switch (v->base) {
	case SITE_BASE_LOC:
		if (!v->loc || !is_by_convention(site, v->loc))
			v->is_bound = true;
		else if (!site->is_return)
			v->prototype = function_prototype(b);
		break;
	case SITE_BASE_CTX:
		// The prototypes that a loader compares are those in the kernel's own BTF.
		if (!sp_streq(site->module->name, "kernel"))
			v->is_bound = true;
		else if (site->prog_kind == SP_PROG_RAW_TP && site->tracepoint)
			v->prototype = tracepoint_prototype(b);
		else if (has_trampoline && site->func)
			v->prototype = function_prototype(b);
		else if (!site->context)
			bind_field(b, v);
		else if (!v->field) // the family names the member
			v->is_bound = true;
		break;
	case SITE_BASE_RECORD:
		bind_field(b, v);
		break;
	case SITE_BASE_ARGS:
	case SITE_BASE_RESULT:
		if (site->kind != SP_SITE_BPF && site->kind != SP_SITE_BPF_RETURN) // BPF programs are compared by their code
			v->prototype = function_prototype(b);
		break;
	case SITE_BASE_REGS: // part of the architecture
	case SITE_BASE_EXPR:
	case SITE_BASE_CONST:
		break;
	}
}

static void bind_expr(void *ctx, struct ast_expr **place)
{
	if ((*place)->kind == AST_RESOLVED && is_vmlinux((*place)->resolved->module))
		bind_value(ctx, (*place)->resolved);
}

void layout_find_bindings(const struct sema_opts *opts, struct program *program)
{
	struct binder b = { .arena = &program->arena };

	if (!opts->portable)
		return;
	sp_vec_each(h, &program->handlers) {
		b.site = (*h)->sites.n ? (*h)->sites.v[0] : NULL;
		if (b.site)
			tree_walk_stmt((*h)->body, bind_expr, &b);
	}
	sp_vec_each(f, &program->functions) {
		b.site = (*f)->handler && (*f)->handler->sites.n ? (*f)->handler->sites.v[0] : NULL;
		if (b.site)
			tree_walk_stmt((*f)->body, bind_expr, &b);
	}
}
