// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_template.h"

#include "compiler/debug/dwarf/dw_attr.h"
#include "compiler/debug/dwarf/dw_qualify.h"

#include "runtime/base/cleanup.h"

#include <dwarf.h>

#define MAX_DEPTH 16 // of arguments within arguments
#define MAX_NAME (64 << 10) // bytes; broken DWARF can have types that are their own arguments, many times

static void put_type(struct dw_file *file, struct sp_buf *out, Dwarf_Die *die, int depth);

static void put_unknown(struct sp_buf *out, Dwarf_Die *die)
{
	sp_buf_printf(out, "?%llx", (unsigned long long)dwarf_dieoffset(die));
}

// What DW_AT_type refers to.
static void put_target(struct dw_file *file, struct sp_buf *out, Dwarf_Die *die, int depth)
{
	Dwarf_Attribute attr;
	Dwarf_Die target;

	if (!dwarf_attr_integrate(die, DW_AT_type, &attr))
		sp_buf_puts(out, "void");
	else if (dwarf_formref_die(&attr, &target))
		put_type(file, out, &target, depth + 1);
	else
		put_unknown(out, die);
}

static bool ends_with(const struct sp_buf *out, char c)
{
	return out->len && out->data[out->len - 1] == c;
}

static const char *suffix_of(const char *type)
{
	static const struct { const char *type, *suffix; } suffixes[] = {
		{ "int", "" }, { "unsigned int", "U" }, { "long", "L" }, { "unsigned long", "UL" },
		{ "long long", "LL" }, { "unsigned long long", "ULL" },
	};

	for (size_t i = 0; i < SP_ARRAY_SIZE(suffixes); i++)
		if (sp_streq(type, suffixes[i].type))
			return suffixes[i].suffix;
	return NULL;
}

static void put_value(struct dw_file *file, struct sp_buf *out, Dwarf_Die *die, int depth)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf type = { 0 };
	Dwarf_Attribute attr;
	Dwarf_Sword value;

	if (!dwarf_attr(die, DW_AT_const_value, &attr) || dwarf_formsdata(&attr, &value) != 0) {
		put_unknown(out, die);
		return;
	}
	put_target(file, &type, die, depth);
	const char *suffix = suffix_of(sp_buf_str(&type));
	if (sp_streq(sp_buf_str(&type), "bool"))
		sp_buf_puts(out, value ? "true" : "false");
	else if (!suffix)
		sp_buf_printf(out, "(%s)%lld", sp_buf_str(&type), (long long)value);
	else if (*suffix == 'U')
		sp_buf_printf(out, "%llu%s", (unsigned long long)value, suffix);
	else
		sp_buf_printf(out, "%lld%s", (long long)value, suffix);
}

// Those of a pack count like others. Returns how many are in `out`, with `n` before.
static unsigned put_args(struct dw_file *file, struct sp_buf *out, Dwarf_Die *die, unsigned n, int depth)
{
	Dwarf_Attribute attr;
	Dwarf_Die child;

	for (int status = dwarf_child(die, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);
		if (tag == DW_TAG_GNU_template_parameter_pack && depth < MAX_DEPTH)
			n = put_args(file, out, &child, n, depth + 1);
		if (tag != DW_TAG_template_type_parameter && tag != DW_TAG_template_value_parameter && tag != DW_TAG_GNU_template_template_param)
			continue;
		sp_buf_puts(out, n++ ? ", " : "<");
		if (tag == DW_TAG_template_type_parameter)
			put_target(file, out, &child, depth);
		else if (tag == DW_TAG_template_value_parameter)
			put_value(file, out, &child, depth);
		else if (dwarf_attr(&child, DW_AT_GNU_template_name, &attr) && dwarf_formstring(&attr))
			sp_buf_puts(out, dwarf_formstring(&attr));
		else
			put_unknown(out, &child);
	}
	return n;
}

static bool is_class(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static void put_name(struct dw_file *file, struct sp_buf *out, Dwarf_Die *die, const char *name, int depth)
{
	sp_buf_puts(out, name);
	if (is_class(dwarf_tag(die)) && !ends_with(out, '>') && put_args(file, out, die, 0, depth))
		sp_buf_puts(out, ends_with(out, '>') ? " >" : ">");
}

static void put_type(struct dw_file *file, struct sp_buf *out, Dwarf_Die *die, int depth)
{
	int tag = dwarf_tag(die);

	if (depth >= MAX_DEPTH || out->len > MAX_NAME) {
		put_unknown(out, die);
	} else if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type) {
		put_target(file, out, die, depth);
		sp_buf_printf(out, "%s%s", ends_with(out, '*') ? "" : " ",
			      tag == DW_TAG_pointer_type ? "*" : tag == DW_TAG_reference_type ? "&" : "&&");
	} else if (tag == DW_TAG_const_type || tag == DW_TAG_volatile_type) {
		const char *word = tag == DW_TAG_const_type ? "const" : "volatile";
		sp_cleanup(sp_buf_deinit) struct sp_buf target = { 0 };
		put_target(file, &target, die, depth);
		if (ends_with(&target, '*'))
			sp_buf_printf(out, "%s%s", sp_buf_str(&target), word);
		else
			sp_buf_printf(out, "%s %s", word, sp_buf_str(&target));
	} else if (*dw_attr_name(die)) {
		put_name(file, out, die, dw_qualify(file, die), depth);
	} else {
		put_unknown(out, die);
	}
}

const char *dw_template_name(struct dw_file *file, Dwarf_Die *die)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf out = { 0 };
	const char *name = dwarf_diename(die);

	if (!name || !is_class(dwarf_tag(die)) || file->is_kernel || strchr(name, '<') || !dwarf_haschildren(die) || !dw_attr_is_cplusplus(die))
		return name;
	put_name(file, &out, die, name, 0);
	return out.len == strlen(name) ? name : sp_arena_strdup(&file->arena, sp_buf_str(&out));
}
