// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_member_pointer.h"

#include "compiler/debug/dbg.h"
#include "compiler/debug/dwarf/dw_member.h"
#include "compiler/debug/dwarf/dw_type.h"

#include "runtime/base/vec.h"

#include <dwarf.h>

#define MAX_DEPTH 64 // of bases within bases
#define MAX_VISITS 10000

// A virtual function has no address of its own: `ptr`, or on aarch64 `adj`, is odd then.
static void fill_function(struct dw_file *file, struct c_type *type)
{
	uint64_t word = file->abi->word_size;
	struct c_type code = { .kind = C_POINTER, .size = word, .target = type->target, .is_complete = true };
	struct c_type offset = { .kind = C_INT, .name = "ptrdiff_t", .size = word, .is_signed = true, .is_complete = true };

	type->kind = C_STRUCT;
	type->size = 2 * word;
	type->is_complete = true;
	type->n_members = 2;
	type->members = sp_arena_array(&file->arena, struct c_member, 2);
	type->members[0] = (struct c_member){ .name = "ptr", .type = sp_arena_memdup(&file->arena, &code, sizeof(code)) };
	type->members[1] = (struct c_member){ .name = "adj", .type = sp_arena_memdup(&file->arena, &offset, sizeof(offset)), .bit_off = word * 8 };
}

void dw_member_pointer_fill(struct dw_file *file, Dwarf_Die *die, struct c_type *type)
{
	const struct c_type *of = c_type_strip(dw_type_ref_by(file, die, DW_AT_containing_type)), *bare;

	type->target = dw_type_ref(file, die);
	type->of_class = of && of->name ? of->name : "?";
	bare = c_type_strip(type->target);
	if (bare && bare->kind == C_FUNC) {
		fill_function(file, type);
		return;
	}
	type->kind = C_ENUM;
	type->size = file->abi->word_size;
	type->is_signed = true;
}

struct names {
	struct dw_file *file;
	SP_VEC(struct c_enumerator) list;
	unsigned n_visits; // of classes: broken debug information has no end of them
};

// The members of `within`, which begins at `bit_off`; those of an anonymous union count as those of `class`.
static void add_members(struct names *names, const struct c_type *class, const struct c_type *within, uint64_t bit_off, int depth)
{
	if (depth == MAX_DEPTH || names->n_visits++ == MAX_VISITS)
		return;
	for (unsigned i = 0; i < within->n_members && names->list.n < DW_MAX_MEMBERS; i++) {
		const struct c_member *member = &within->members[i];
		const struct c_type *inner = member->name ? NULL : c_type_strip(member->type);
		uint64_t at = bit_off + member->bit_off;

		if (member->name && !member->bit_size)
			sp_vec_push(&names->list, (struct c_enumerator){
				.name = sp_arena_printf(&names->file->arena, "&%s::%s", class->name, member->name),
				.value = (int64_t)(at / 8),
			});
		else if (inner)
			add_members(names, inner->name ? inner : class, inner, at, depth + 1);
	}
}

void dw_member_pointer_load(struct dw_file *file, Dwarf_Die *die, struct c_type *type)
{
	const struct c_type *class = dw_type_ref_by(file, die, DW_AT_containing_type);
	struct names names = { .file = file };

	sp_vec_push(&names.list, (struct c_enumerator){ .name = "NULL", .value = -1 });
	class = class ? dbg_complete_type(class) : NULL;
	if (class && class->name)
		add_members(&names, class, class, 0, 0);
	type->enumerators = sp_arena_memdup(&file->arena, names.list.v, names.list.n * sizeof(*names.list.v));
	type->n_enumerators = names.list.n;
	sp_vec_deinit(&names.list);
}
