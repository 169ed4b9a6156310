// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/lower/lower_portable.h"

static bool is_vmlinux(const struct dbg_module *module)
{
	return module && module->is_kernel && sp_streq(module->name, "kernel");
}

void lower_bind(struct lower *l, const struct dbg_module *module, const char *why, uint32_t place)
{
	uint32_t index;

	if (!l->opts->portable || !is_vmlinux(module))
		return;
	index = lower_object(l, module); // may move them
	if (l->unit->objects.v[index].bound_by)
		return;
	l->unit->objects.v[index].bound_by = sp_arena_strdup(&l->unit->arena, why);
	l->unit->objects.v[index].bound_at = place;
	l->n_bound++;
}

struct ir_expr *lower_member_offset(struct lower *l, const struct dbg_module *module, const char *in, const char *member,
				    unsigned size, int64_t offset)
{
	struct ir_expr *e;

	if (!l->opts->portable || !is_vmlinux(module))
		return ir_const(l->unit, offset);
	e = ir_expr_new(l->unit, IR_FIXUP, IR_LONG, IR_NO_PLACE);
	e->index = ir_fixup(l->unit, SP_FIX_MEMBER, lower_object(l, module),
			   sp_arena_printf(&l->unit->arena, "%s.%s:%u:%lld", in, member, size, (long long)offset));
	return e;
}

struct ir_expr *lower_bit_offset(struct lower *l, const struct dbg_module *module, const char *in, const char *member,
				 unsigned n_bits, unsigned bit)
{
	struct ir_expr *e = ir_expr_new(l->unit, IR_FIXUP, IR_LONG, IR_NO_PLACE);

	e->index = ir_fixup(l->unit, SP_FIX_BITS, lower_object(l, module),
			   sp_arena_printf(&l->unit->arena, "%s.%s:%u:%u", in, member, n_bits, bit));
	return e;
}

// "vfs_read(file,buf,count,pos)"
static void add_prototype(struct lower *l, const struct dbg_module *module, const char *function, const char *const *params,
			  unsigned n_params)
{
	struct sp_buf text = { 0 };

	sp_buf_printf(&text, "%s(", function);
	for (unsigned i = 0; i < n_params; i++)
		sp_buf_printf(&text, "%s%s", i ? "," : "", params[i] ? params[i] : "");
	sp_buf_puts(&text, ")");
	ir_fixup(l->unit, SP_FIX_PROTOTYPE, lower_object(l, module), sp_buf_str(&text));
	sp_buf_deinit(&text);
}

static void add_function(struct lower *l, const struct site *site)
{
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
	add_prototype(l, site->module, site->symbol, names, n);
}

// The function that calls a tracepoint's probes has its arguments, behind a first one of its own.
static void add_tracepoint(struct lower *l, const struct site *site)
{
	const struct dbg_tracepoint *tp = site->tracepoint;
	const char *names[16] = { "__data" };
	unsigned n = SP_MIN(tp->n_args, (unsigned)SP_ARRAY_SIZE(names) - 1);

	for (unsigned i = 0; i < n; i++)
		names[i + 1] = tp->args[i].name;
	add_prototype(l, site->module, sp_arena_printf(&l->unit->arena, "__traceiter_%s", tp->name), names, n + 1);
}

// A field of the event's record. What BTF does not have by the event's name, as the records of system calls, binds.
static void add_field(struct lower *l, const struct site *site, const struct site_value *v, uint32_t place)
{
	const struct dbg_tracepoint *tp = site->tracepoint;
	bool is_known = tp && tp->record && dbg_find_type(tp->module, tp->record);

	for (unsigned i = 0; is_known && i < tp->n_fields; i++) {
		const struct dbg_trace_field *field = &tp->fields[i];

		if (field->offset != v->ctx_off)
			continue;
		ir_fixup(l->unit, SP_FIX_SAME_PLACE, lower_object(l, v->module),
			sp_arena_printf(&l->unit->arena, "%s.%s%s:%u:%u", tp->record, field->is_data_loc ? "__data_loc_" : "",
					field->name, field->size, field->offset));
		return;
	}
	lower_bind(l, v->module, v->text, place);
}

// A parameter at the entry, or the result at the return: in the register that the calling convention says.
static bool is_by_convention(const struct site *site, const struct loc *loc)
{
	bool is_register = loc->n_pieces == 1 && loc->pieces[0].where == LOC_IS_VALUE && loc->pieces[0].n_ops == 1 &&
			   loc->pieces[0].ops[0].kind == LOC_REG;

	return is_register && site->func && site_is_at_symbol(site) && (site->is_return || site->pc == site->func->entry_pc);
}

static void bind_base(struct lower *l, const struct site *site, const struct site_value *v, uint32_t place)
{
	switch (v->base) {
	case SITE_BASE_LOC:
		if (!v->loc || !is_by_convention(site, v->loc))
			lower_bind(l, v->module, v->text, place);
		else if (!site->is_return)
			add_function(l, site);
		break;
	case SITE_BASE_CTX:
		if (site->prog_kind == SP_PROG_RAW_TP && site->tracepoint)
			add_tracepoint(l, site);
		else if ((site->prog_kind == SP_PROG_FENTRY || site->prog_kind == SP_PROG_FEXIT) && site->func)
			add_function(l, site);
		else
			add_field(l, site, v, place);
		break;
	case SITE_BASE_RECORD:
		add_field(l, site, v, place);
		break;
	case SITE_BASE_EXPR:
	case SITE_BASE_CONST:
		break;
	}
}

void lower_bind_base(struct lower *l, const struct site_value *v, uint32_t place)
{
	if (l->opts->portable && is_vmlinux(v->module) && l->site)
		bind_base(l, l->site, v, place);
}

void lower_bind_site(struct lower *l, const struct site *site, uint32_t place)
{
	if (site->kind == SP_SITE_KPROBE && (!site_is_at_symbol(site) || (site->func && site->func->is_inline)))
		lower_bind(l, site->module, site->point, place);
}
