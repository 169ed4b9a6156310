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
	index = lower_object(l, module); // may move the array of objects
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
	e->fixup = ir_fixup(l->unit, SP_FIX_MEMBER, lower_object(l, module),
			   sp_arena_printf(&l->unit->arena, "%s.%s:%u:%lld", in, member, size, (long long)offset));
	return e;
}

struct ir_expr *lower_bit_offset(struct lower *l, const struct dbg_module *module, const char *in, const char *member,
				 unsigned n_bits, unsigned bit)
{
	struct ir_expr *e = ir_expr_new(l->unit, IR_FIXUP, IR_LONG, IR_NO_PLACE);

	e->fixup = ir_fixup(l->unit, SP_FIX_BITS, lower_object(l, module),
			   sp_arena_printf(&l->unit->arena, "%s.%s:%u:%u", in, member, n_bits, bit));
	return e;
}

void lower_bind_base(struct lower *l, const struct site_value *v, uint32_t place)
{
	if (v->is_bound)
		lower_bind(l, v->module, v->text, place);
	if (v->prototype)
		ir_fixup(l->unit, SP_FIX_PROTOTYPE, lower_object(l, v->module), v->prototype);
	if (v->field)
		ir_fixup(l->unit, SP_FIX_SAME_PLACE, lower_object(l, v->module), v->field);
}

void lower_bind_site(struct lower *l, const struct site *site, uint32_t place)
{
	if (site->kind == SP_SITE_KPROBE && (!site_is_at_symbol(site) || (site->func && site->func->is_inline)))
		lower_bind(l, site->module, site->point, place);
}
