// SPDX-License-Identifier: GPL-2.0-or-later
// Types by their C names: "struct file *", "unsigned long", "size_t".
#include "compiler/debug/btf/btf.h"
#include "compiler/debug/dbg_impl.h"
#include "compiler/debug/dwarf/dw_file.h"
#include "compiler/debug/dwarf/dw_enum.h"
#include "compiler/debug/dwarf/dw_func.h"
#include "compiler/debug/index/dw_index.h"
#include "compiler/debug/dwarf/dw_loc.h"
#include "compiler/debug/dwarf/dw_type.h"
#include "compiler/debug/spelling.h"

#include "runtime/base/cleanup.h"

// Where a type's name is looked up: in one unit first, as two units may define it differently, then in the whole module.
struct search {
	struct dbg_module *module;
	struct dw_scope *near; // of a function in that unit; NULL: no unit comes first
};

static const struct c_type *find_kind(const struct search *s, enum c_kind kind, const char *name)
{
	struct dbg_impl *impl = dbg_impl(s->module);
	const struct c_type *found = NULL;
	struct sp_err *err;

	if (s->module->source == DBG_DWARF) {
		if ((err = dw_units_open(impl->file)))
			sp_err_free(err);
		else
			found = dw_type_find(impl->file, s->near ? &s->near->unit : NULL, kind, name);
	}
	if (!found && s->module->is_kernel && dbg_btf(s->module))
		found = btf_type_find(dbg_btf(s->module), kind, name);
	return found;
}

static const struct c_type *find_template(const struct search *s, enum c_kind kind, const char *name)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf spelled = { 0 };
	const struct c_type *found = find_kind(s, kind, name);

	for (enum spelling i = 0; !found && i < SPELLING_COUNT; i++)
		if (spelling_template(name, i, &spelled))
			found = find_kind(s, kind, sp_buf_str(&spelled));
	return found;
}

// The type of a name that normalise() has made: single blanks, no '*' at the end.
static const struct c_type *find_base(const struct search *s, const char *name)
{
	static const struct {
		const char *prefix;
		enum c_kind kind;
	} tags[] = {
		{ "struct ", C_STRUCT }, { "class ", C_STRUCT }, { "union ", C_UNION }, { "enum ", C_ENUM },
	};
	sp_cleanup(sp_buf_deinit) struct sp_buf spelled = { 0 };
	const struct c_type *found = NULL;

	if (sp_starts_with(name, "const "))
		name += strlen("const ");
	for (size_t i = 0; i < SP_ARRAY_SIZE(tags); i++)
		if (sp_starts_with(name, tags[i].prefix))
			return find_template(s, tags[i].kind, name + strlen(tags[i].prefix));
	for (enum spelling i = 0; i < SPELLING_COUNT && spelling_integer(name, i, &spelled); i++)
		if ((found = find_kind(s, C_TYPEDEF, sp_buf_str(&spelled))))
			return found;
	return spelled.len ? NULL : find_template(s, C_TYPEDEF, name);
}

static const struct c_type *pointer_to(struct dbg_impl *impl, const struct c_type *target)
{
	struct c_type *type = sp_arena_new(&impl->dbg->arena, struct c_type);

	*type = (struct c_type){ .kind = C_POINTER, .size = impl->file ? impl->file->abi->word_size : 8,
				 .target = target, .is_complete = true };
	return type;
}

// Makes runs of blanks one blank, and counts and removes the '*' at the end: "struct  file **" is "struct file" and 2.
static char *normalise(const char *name, unsigned *n_stars_ret)
{
	struct sp_buf out = { 0 };
	size_t len = strlen(name);

	*n_stars_ret = 0;
	while (len && (name[len - 1] == '*' || name[len - 1] == ' '))
		*n_stars_ret += name[--len] == '*';
	for (size_t i = strspn(name, " "); i < len; i++)
		if (name[i] != ' ' || name[i + 1] != ' ')
			sp_buf_putc(&out, name[i]);
	return sp_buf_take(&out);
}

static const struct c_type *find_type(const struct search *s, const char *name)
{
	struct dbg_impl *impl = dbg_impl(s->module);
	const struct c_type *type;
	unsigned n_stars;
	sp_cleanup_free char *base = normalise(name, &n_stars);
	bool is_void = sp_streq(base, "void") || sp_streq(base, "const void");

	type = is_void ? NULL : find_base(s, base);
	bool found = type || is_void;
	for (unsigned i = 0; found && i < n_stars; i++)
		type = pointer_to(impl, type);
	return type;
}

// Remembers the answer for each name, and for each unit that comes first: to find out that a name does not exist takes long.
static const struct c_type *find_once(const struct search *s, const char *name)
{
	struct dbg_impl *impl = dbg_impl(s->module);
	sp_cleanup(sp_buf_deinit) struct sp_buf key = { 0 };
	const struct c_type *type;
	void **known;

	sp_buf_puts(&key, name);
	if (s->near)
		sp_buf_printf(&key, "@%llu", (unsigned long long)dwarf_dieoffset(&s->near->unit));
	known = sp_hash_find(&impl->types, key.data, key.len);
	if (known)
		return *known;
	type = find_type(s, name);
	if (!type && impl->file && impl->file->partial && dbg_twin(s->module))
		type = dbg_find_type(dbg_twin(s->module), name);
	sp_hash_set(&impl->types, sp_buf_str(&key), (void *)type);
	return type;
}

const struct c_type *dbg_find_type(struct dbg_module *module, const char *name)
{
	return find_once(&(struct search){ .module = module }, name);
}

const struct c_type *dbg_find_type_near(struct dbg_func *func, const char *name)
{
	bool has_unit = func->module->source == DBG_DWARF && func->scope;

	return find_once(&(struct search){ func->module, has_unit ? func->scope : NULL }, name);
}

// ---- enumerators ----------------------------------------------------------------------------------------------------

static bool give_enumerator(struct dbg_module *module, const struct c_type *type, const char *name, struct dbg_var *ret)
{
	struct sp_arena *arena = &dbg_impl(module)->dbg->arena;
	const struct c_type *whole = type ? dbg_complete_type(type) : NULL;
	const char *colons = strrchr(name, ':');

	for (unsigned i = 0; whole && i < whole->n_enumerators; i++) {
		struct loc_op op = { .kind = LOC_CONST, .a = whole->enumerators[i].value };
		const struct loc_piece piece = { .where = LOC_IS_VALUE, .n_ops = 1, .ops = sp_arena_memdup(arena, &op, sizeof(op)) };

		if (!sp_streq(whole->enumerators[i].name, colons ? colons + 1 : name))
			continue;
		*ret = (struct dbg_var){ .name = name, .type = type, .param_index = -1, .loc = dw_loc_make(arena, &piece, 1) };
		return true;
	}
	return false;
}

bool dbg_enumerator_near(struct dbg_func *func, const char *name, struct dbg_var *ret)
{
	struct dw_scope *scope = func->scope;

	if (!scope || func->module->source != DBG_DWARF)
		return false;
	return give_enumerator(func->module, dw_enum_of_unit(scope->file, &scope->unit, name), name, ret);
}

bool dbg_enumerator(struct dbg_module *module, const char *name, struct dbg_var *ret)
{
	struct btf_file *btf = module->is_kernel ? dbg_btf(module) : NULL;
	const struct c_type *type = btf ? btf_enum_find(btf, name) : NULL;
	struct sp_err *err;

	if (!type && module->source == DBG_DWARF) {
		if ((err = dw_units_open(dbg_impl(module)->file)))
			sp_err_free(err);
		else
			type = dw_enum_find(dbg_impl(module)->file, name);
	}
	return give_enumerator(module, type, name, ret);
}
