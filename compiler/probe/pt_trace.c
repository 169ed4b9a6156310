// SPDX-License-Identifier: GPL-2.0-or-later
// kernel.trace("system:name"), module("m").trace("name"), and the same as .tracepoint: tracepoints. `$name` is an argument of the
// tracepoint's prototype, or a field of its record. The two have different hooks, raw tracepoint and trace event. A handler that uses
// both is at the raw tracepoint, and a companion at the trace event, which runs before it, keeps the fields for it.
#include "compiler/model/similar.h"
#include "compiler/probe/point_util.h"

#define MAX_LISTED 32

static bool trace_matches(const struct ast_point *point)
{
	return (sp_streq(point->parts[0].name, "kernel") || sp_streq(point->parts[0].name, "module")) && point->n_parts > 1 &&
	       (sp_streq(point->parts[1].name, "trace") || sp_streq(point->parts[1].name, "tracepoint"));
}

// "nothing matches": names that are near.
static const char *explain_no_match(struct point_env *env, struct dbg_module *kernel, struct dbg_module *module,
				    const char *system, const char *name)
{
	const struct dbg_module *of = module ? module : kernel;
	struct dbg_tracepoints all = { 0 };
	struct similar similar;
	const char *want = system ? sp_arena_printf(env->arena, "%s:%s", system, name) : name, *near, *known;

	sp_err_free(dbg_find_tracepoints(kernel, module, "*", "*", &all));
	if (kernel->is_offline && (sp_starts_with(name, "sys_enter_") || sp_starts_with(name, "sys_exit_")))
		return "the kernel has no such system call, or its image, which describes the events of system calls, is not at hand\n"
		       "raw_syscalls:sys_enter and sys_exit see every system call";
	if (!all.n)
		return sp_arena_printf(env->arena, "no tracepoints are known of %s",
				       of->path ? of->path : of->is_kernel && module ? of->name : "the kernel");
	similar_init(&similar, want);
	for (unsigned i = 0; i < all.n; i++) {
		const struct dbg_tracepoint *tp = all.v[i];
		bool qualified = system && tp->system;

		// The right name under another system is nearer than any spelling.
		if (system && sp_streq(tp->name, name) && tp->system)
			return sp_arena_printf(env->arena, "\ndid you mean '%s:%s'?", tp->system,
					       tp->name);
		similar_try(&similar,
			    qualified ? sp_arena_printf(env->arena, "%s:%s", tp->system, tp->name)
				      : tp->name);
	}
	known = sp_arena_printf(env->arena, "%u tracepoints are known%s", all.n,
				all.lacks_events ? ", but not what else has an event: tracefs (/sys/kernel/tracing) cannot be read, which takes root" : "");
	near = similar_text(&similar, env->arena);
	return near ? sp_arena_printf(env->arena, "%s\ndid you mean %s?", known, near) : known;
}

// What is looked for in the kernel, or in one module of it.
struct trace_query {
	const struct ast_point *point;
	struct dbg_module *kernel, *module; // NULL: in the kernel and in all modules
	const char *system; // NULL: any
	const char *name;
};

static void add_tracepoint(struct point_env *env, const struct trace_query *query, struct dbg_tracepoint *tp, struct sites *sites)
{
	struct site *site = point_add_site(env, &pt_trace, query->point, sites);
	const char *prefix = query->module ? sp_arena_printf(env->arena, "module(\"%s\")", query->module->name) : "kernel";

	site->tracepoint = tp;
	site->module = tp->module;
	site->space = SPACE_KERNEL;
	site->function = tp->name;
	site->point = sp_arena_printf(env->arena, "%s.%s(\"%s%s%s\")", prefix, query->point->parts[1].name,
				      tp->system ? tp->system : "", tp->system ? ":" : "", tp->name);
	site->hook_is_open = true;
	site->symbol = tp->name;
}

static bool find_tracepoints(struct point_env *env, const struct trace_query *query, struct sites *sites, const char **why_ret)
{
	const struct ast_point *point = query->point;
	struct dbg_tracepoints found = { 0 };
	struct sp_err *err = dbg_find_tracepoints(query->kernel, query->module, query->system, query->name, &found);

	if (err) {
		point_report(env, point->span, DIAG_MODULE_UNREADABLE, err);
		return false;
	}
	for (unsigned i = 0; i < found.n; i++)
		add_tracepoint(env, query, found.v[i], sites);
	// The names that are near cost a look at each tracepoint.
	if (!found.n && !point->optional && !point->sufficient)
		*why_ret = explain_no_match(env, query->kernel, query->module, query->system, query->name);
	return true;
}

static bool trace_resolve(struct point_env *env, const struct ast_point *point, struct sites *sites,
			  const char **why_ret)
{
	const char *text = point->parts[1].arg->string.text, *colon = strchr(text, ':');
	struct trace_query query = { .point = point, .name = colon ? colon + 1 : text,
				     .system = colon ? sp_arena_strndup(env->arena, text, (size_t)(colon - text)) : NULL };
	struct dbg_modules modules = { 0 };
	struct sp_err *err = dbg_kernel(env->dbg, &query.kernel);

	if (err) {
		point_report(env, point->span, DIAG_MODULE_UNREADABLE, err);
		return false;
	}
	if (!point->parts[0].arg)
		return find_tracepoints(env, &query, sites, why_ret);
	if (!point_kernel_modules(env, &point->parts[0], "__tracepoints_ptrs", NULL, &modules))
		return false;
	for (unsigned i = 0; i < modules.n; i++) {
		query.module = modules.v[i];
		if (!find_tracepoints(env, &query, sites, why_ret))
			return false;
	}
	return true;
}

static int arg_index(const struct dbg_tracepoint *tp, const char *name)
{
	for (unsigned i = 0; i < tp->n_args; i++)
		if (tp->args[i].name && sp_streq(tp->args[i].name, name))
			return (int)i;
	return -1;
}

static bool has_arg(const struct dbg_tracepoint *tp, const char *name)
{
	return arg_index(tp, name) >= 0;
}

static int find_arg(const struct dbg_tracepoint *tp, const char *name)
{
	return arg_index(tp, name + 1);
}

static int find_field(const struct dbg_tracepoint *tp, const char *name)
{
	for (unsigned i = 0; i < tp->n_fields; i++)
		if (sp_streq(tp->fields[i].name, name + 1))
			return (int)i;
	return -1;
}

static void hook_event(struct point_env *env, struct site *site)
{
	const struct dbg_tracepoint *tp = site->tracepoint;

	site->kind = SP_SITE_TP;
	site->prog_kind = SP_PROG_TP;
	site->symbol = sp_arena_printf(env->arena, "%s:%s", tp->system, tp->name);
}

static void trace_choose_hook(struct point_env *env, struct site *site, const struct point_use *use)
{
	const struct dbg_tracepoint *tp = site->tracepoint;
	const char *field = NULL, *arg = NULL;
	bool raw = target_has(env->target, SP_FEATURE_RAW_TP) && !tp->is_event_only;

	site->hook_is_open = false;
	for (unsigned i = 0; i < use->n_names; i++)
		if (raw && find_arg(tp, use->names[i]) >= 0)
			arg = find_field(tp, use->names[i]) >= 0 ? arg : use->names[i];
		else if (!field && find_field(tp, use->names[i]) >= 0)
			field = use->names[i];
	if (tp->system && !arg && (field || !raw)) {
		hook_event(env, site);
		site->why = field ? sp_arena_printf(env->arena,
						    "trace event: %s is a field of its record", field)
			    : tp->is_event_only
				  ? "trace event: no tracepoint has its name"
				  : "trace event: the target has no raw tracepoints";
		return;
	}
	site->kind = SP_SITE_RAW_TP;
	site->prog_kind = SP_PROG_RAW_TP;
	site->symbol = tp->name;
	site->why = field && arg ? sp_arena_printf(env->arena, "raw tracepoint: %s is an argument of its prototype; the trace event, "
						  "which comes before, keeps %s", arg, field)
				 : "raw tracepoint: no field of the record is used";
}

// The trace event, whose handler runs before that of the raw tracepoint: the kernel calls what is at a tracepoint in the order
// in which it was attached.
static struct site *trace_entry_site(struct point_env *env, const struct site *site)
{
	struct site *event = sp_arena_memdup(env->arena, site, sizeof(*site));

	hook_event(env, event);
	return event;
}

static void report_mixed(struct point_env *env, const struct site *site, struct span span,
			 const char *name)
{
	const struct dbg_tracepoint *tp = site->tracepoint;
	struct sp_buf args = { 0 }, fields = { 0 };
	struct diag *d = diag(env->dc, span, DIAG_TRACE_MIXED,
			      site->kind == SP_SITE_TP
				      ? "%s is an argument of %s's prototype, but this kernel gives fields of its record alone"
				      : "%s is a field of %s's record, whose event is not known here",
			      name, tp->name);

	for (unsigned i = 0; i < tp->n_args; i++)
		sp_buf_printf(&args, " $%s", tp->args[i].name ? tp->args[i].name : "?");
	for (unsigned i = 0; i < tp->n_fields; i++)
		sp_buf_printf(&fields, " $%s", tp->fields[i].name);
	diag_note(env->dc, d, SPAN_NONE, "arguments of the prototype:%s", sp_buf_str(&args));
	diag_note(env->dc, d, SPAN_NONE, "fields of the record:%s", sp_buf_str(&fields));
	sp_buf_deinit(&args);
	sp_buf_deinit(&fields);
}

static void name_var(struct point_env *env, struct similar *similar, struct sp_buf *text,
		     unsigned *n, const char *name)
{
	const char *full = sp_arena_printf(env->arena, "$%s", name);

	similar_try(similar, full);
	if ((*n)++ < MAX_LISTED)
		sp_buf_printf(text, " %s", full);
}

static void report_unknown(struct point_env *env, const struct site *site, struct span span,
			   const char *name)
{
	const struct dbg_tracepoint *tp = site->tracepoint;
	struct diag *d = diag(env->dc, span, DIAG_VAR_UNKNOWN, "there is no %s in tracepoint %s",
			      name, tp->name);
	struct sp_buf text = { 0 };
	struct similar similar;
	const char *near;
	unsigned n = 0;

	similar_init(&similar, name);
	for (unsigned i = 0; i < tp->n_args; i++)
		if (tp->args[i].name)
			name_var(env, &similar, &text, &n, tp->args[i].name);
	for (unsigned i = 0; i < tp->n_fields; i++)
		if (!has_arg(tp, tp->fields[i].name))
			name_var(env, &similar, &text, &n, tp->fields[i].name);
	diag_note(env->dc, d, SPAN_NONE, "visible here:%s", n ? sp_buf_str(&text) : " nothing");
	if (!tp->n_fields)
		diag_note(env->dc, d, SPAN_NONE, "the fields of its record are not known here");
	near = similar_text(&similar, env->arena);
	if (near)
		diag_hint(env->dc, d, "did you mean %s?", near);
	sp_buf_deinit(&text);
}

// A string of a record is not in its field: the field says where in the record it is (data_loc), or it is the array.
static void use_field(const struct dbg_trace_field *field, struct site_value *ret)
{
	const struct c_type *type = c_type_strip(field->type);
	bool is_array = field->is_data_loc || (type && !c_type_is_scalar(type));

	ret->base = is_array ? SITE_BASE_RECORD : SITE_BASE_CTX;
	ret->ctx_off = field->offset;
	ret->ctx_size = type && c_type_is_scalar(type) ? (uint32_t)SP_MIN(type->size, (uint64_t)field->size)
						       : field->size;
	ret->is_data_loc = field->is_data_loc;
	ret->base_type = field->type;
}

static bool trace_find_var(struct point_env *env, struct site *site, const struct ast_expr *target,
			   struct site_value *ret, bool *needs_entry_ret)
{
	const struct dbg_tracepoint *tp = site->tracepoint;
	const char *name = target->target.name;
	int arg = find_arg(tp, name), field = find_field(tp, name);
	bool keeps_fields = site->kind == SP_SITE_RAW_TP && tp->system; // by the trace event, which comes before

	ret->space = SPACE_KERNEL;
	ret->module = site->module;
	if (arg >= 0 && (site->hook_is_open || site->kind == SP_SITE_RAW_TP)) {
		const struct c_type *type = c_type_strip(tp->args[arg].type);

		ret->base = SITE_BASE_CTX;
		ret->ctx_off = (uint32_t)arg * 8;
		ret->ctx_size = type ? (uint32_t)SP_MIN(type->size, (uint64_t)8) : 8;
		ret->base_type = tp->args[arg].type;
		return true;
	}
	if (field >= 0 && (site->hook_is_open || site->kind == SP_SITE_TP || keeps_fields)) {
		use_field(&tp->fields[field], ret);
		*needs_entry_ret = !site->hook_is_open && keeps_fields;
		// What a system call is given points into its program.
		if (tp->system && sp_streq(tp->system, "syscalls") && ret->base == SITE_BASE_CTX)
			ret->space = SPACE_USER;
		return true;
	}
	if (arg >= 0 || field >= 0)
		report_mixed(env, site, target->op_span, name);
	else
		report_unknown(env, site, target->op_span, name);
	return false;
}

// The arguments of the prototype; of an event that has none, the fields of its record.
static void trace_list_names(struct point_env *env, struct site *site, enum point_list which, struct point_names *ret)
{
	const struct dbg_tracepoint *tp = site->tracepoint;

	(void)env;
	for (unsigned i = 0; which != POINT_LOCALS && i < tp->n_args; i++)
		if (tp->args[i].name)
			sp_vec_push(&ret->list, tp->args[i].name);
	for (unsigned i = 0; which != POINT_LOCALS && !tp->n_args && i < tp->n_fields; i++)
		sp_vec_push(&ret->list, tp->fields[i].name);
}

static bool trace_find_text(const struct site *site, const char *name, const char **ret)
{
	*ret = site->tracepoint->name;
	return sp_streq(name, "$$name");
}

static void trace_list_vars(struct point_env *env, struct site *site, struct sp_buf *out)
{
	const struct dbg_tracepoint *tp = site->tracepoint;

	(void)env;
	for (unsigned i = 0; i < tp->n_args; i++) {
		if (!tp->args[i].name)
			continue;
		sp_buf_printf(out, " $%s:", tp->args[i].name);
		c_type_print(out, tp->args[i].type);
	}
	for (unsigned i = 0; i < tp->n_fields; i++) {
		if (has_arg(tp, tp->fields[i].name))
			continue;
		sp_buf_printf(out, " $%s:", tp->fields[i].name);
		c_type_print(out, tp->fields[i].type);
	}
}

const struct point_family pt_trace = {
	.name = "kernel.trace",
	.needs_kernel = true,
	.patterns = "kernel.trace(string)\nkernel.tracepoint(string)\nmodule(string).trace(string)\nmodule(string).tracepoint(string)",
	.matches = trace_matches,
	.resolve = trace_resolve,
	.choose_hook = trace_choose_hook,
	.find_var = trace_find_var,
	.entry_site = trace_entry_site,
	.list_names = trace_list_names,
	.find_text = trace_find_text,
	.list_vars = trace_list_vars,
};
