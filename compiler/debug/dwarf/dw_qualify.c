// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_qualify.h"

#include "compiler/debug/dwarf/dw_attr.h"
#include "compiler/debug/index/dw_scan.h"
#include "compiler/debug/index/dw_units.h"

#include "runtime/base/arena.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/demangle.h"
#include "runtime/base/hash.h"
#include "runtime/base/util.h"
#include "runtime/base/vec.h"

#include <ctype.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 256
#define MAX_BASES 16 // of a class, in a line
#define IMPL "{impl#"

// The trees of units are forgotten when they have so many scopes together: a large C++ program has millions.
#define MAX_SCOPES (1u << 17)

// A namespace, class, function or block: what stands in it is qualified by its name.
struct scope {
	Dwarf_Die die;
	const void *end; // address of the first DIE behind its children
	const char *prefix; // "outer::Box::"; NULL: not yet asked for
	struct scope *parent; // NULL: the unit itself
	SP_VEC(struct scope *) children; // by address
	bool is_read; // `children` are
};

struct dw_qualifiers {
	struct sp_hash units; // struct scope by the Dwarf_Die.addr of the unit
	struct scope *last; // of the unit that was asked for last; NULL: none
	struct sp_arena arena; // the scopes
	size_t n;
	SP_VEC(struct scope *) read; // those that have children
};

static void forget_scopes(struct dw_qualifiers *qualifiers)
{
	sp_vec_each(scope, &qualifiers->read)
		sp_vec_deinit(&(*scope)->children);
	qualifiers->read.n = qualifiers->n = 0;
	qualifiers->last = NULL;
	sp_hash_deinit(&qualifiers->units);
	sp_hash_init(&qualifiers->units);
	sp_arena_deinit(&qualifiers->arena);
	qualifiers->arena = (struct sp_arena){ 0 };
}

void dw_qualifiers_destroy(struct dw_qualifiers *qualifiers)
{
	if (!qualifiers)
		return;
	forget_scopes(qualifiers);
	sp_hash_deinit(&qualifiers->units);
	sp_vec_deinit(&qualifiers->read);
	free(qualifiers);
}

// ---- names ----------------------------------------------------------------------------------------------------------

// The rest of the name behind the next "::" that is not between brackets; NULL: there is none.
static const char *next_part(const char *name)
{
	int depth = 0;

	// "operator<<" and the like are last: their brackets need not pair, and nothing is defined inside of an operator.
	if (sp_starts_with(name, "operator()::")) // what is in a lambda
		return name + strlen("operator()::");
	if (sp_starts_with(name, "operator") && name[8] && strchr("<>=!()[]-+*/&|^~,% ", name[8]))
		return NULL;
	for (; *name; name++) {
		char c = *name;
		depth += (c == '<') + (c == '(') + (c == '[') + (c == '{');
		depth -= (c == '>') + (c == ')') + (c == ']') + (c == '}');
		if (depth <= 0 && c == ':' && name[1] == ':')
			return name + 2;
	}
	return NULL;
}

const char *dw_qualify_last(const char *name)
{
	for (const char *next; (next = next_part(name));)
		name = next;
	return name;
}

const char *dw_qualify_method(struct sp_arena *arena, const char *name)
{
	const char *method = NULL, *end;

	if (*name != '<' && *dw_qualify_last(name) != '<')
		return NULL;
	for (const char *part = next_part(name); part; part = next_part(part))
		if (*part != '<') // else type parameters: sum::<u64>
			method = part;
	if (method && sp_streq(method, "{{closure}}")) // in DWARF "{closure#0}" or "{closure_env#0}"
		return "{closure*";
	end = method ? next_part(method) : NULL;
	return method ? sp_arena_printf(arena, "%.*s*", end ? (int)(end - method) - 2 : (int)strlen(method), method) : NULL;
}

char *dw_qualify_scope(const char *name)
{
	const char *scope = NULL, *last = name;

	for (const char *next; (next = next_part(last)); last = next)
		scope = last;
	size_t len = scope ? (size_t)(last - scope) - strlen("::") : 0;
	if (!len || *scope == '<' || strcspn(scope, "*?[\\") < len)
		return NULL;
	return sp_strndup(scope, len);
}

bool dw_qualify_match(const char *pattern, const char *name)
{
	if (sp_starts_with(pattern, "::"))
		return sp_glob_match(pattern + 2, name);
	for (; name; name = next_part(name))
		if (sp_glob_match(pattern, name))
			return true;
	return false;
}

// ---- scopes ---------------------------------------------------------------------------------------------------------

static bool is_scope(unsigned tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_enumeration_type: // Rust has functions in these
	case DW_TAG_lexical_block:
		return true;
	default:
		return false;
	}
}

static void read_children(struct dw_qualifiers *qualifiers, struct scope *parent)
{
	Dwarf_Die child, next;
	int has_next;

	parent->is_read = true;
	for (int status = dwarf_child(&parent->die, &child); status == 0; status = has_next, child = next) {
		has_next = dwarf_siblingof(&child, &next);
		if (!is_scope(dwarf_tag(&child)) || !dwarf_haschildren(&child))
			continue;
		struct scope *scope = sp_arena_new(&qualifiers->arena, struct scope);
		*scope = (struct scope){ .die = child, .end = has_next == 0 ? next.addr : parent->end, .parent = parent };
		sp_vec_push(&parent->children, scope);
		qualifiers->n++;
	}
	if (parent->children.n)
		sp_vec_push(&qualifiers->read, parent);
}

// The child that begins before an address and ends behind it; NULL: none.
static struct scope *child_around(const struct scope *scope, const void *addr)
{
	size_t behind = sp_bisect(scope->children.n, i, (const char *)scope->children.v[i]->die.addr >= (const char *)addr);

	return behind && (const char *)addr < (const char *)scope->children.v[behind - 1]->end ? scope->children.v[behind - 1] : NULL;
}

static struct scope *scopes_of(struct dw_file *file, Dwarf_Die *unit)
{
	if (!file->qualifiers)
		file->qualifiers = sp_calloc(1, sizeof(*file->qualifiers));
	struct dw_qualifiers *qualifiers = file->qualifiers;
	if (qualifiers->n > MAX_SCOPES)
		forget_scopes(qualifiers);
	if (qualifiers->last && qualifiers->last->die.addr == unit->addr)
		return qualifiers->last;
	void **slot = sp_hash_insert(&qualifiers->units, &unit->addr, sizeof(unit->addr));
	if (!*slot) {
		struct scope *top = sp_arena_new(&qualifiers->arena, struct scope);
		*top = (struct scope){ .die = *unit, .end = (const void *)UINTPTR_MAX, .prefix = "" };
		*slot = top;
	}
	return qualifiers->last = *slot;
}

// One after the other. Hundreds of thousands of names are put together like that: a format would take longer than the rest of it.
static char *joined(struct sp_arena *arena, const char *prefix, const char *name)
{
	size_t prefix_len = strlen(prefix), size = strlen(name) + 1;
	char *ret = sp_arena_alloc(arena, prefix_len + size);

	memcpy(ret, prefix, prefix_len);
	memcpy(ret + prefix_len, name, size);
	return ret;
}

static const char *prefix_of(struct dw_file *file, struct scope *scope)
{
	if (scope->prefix)
		return scope->prefix;
	const char *outer = prefix_of(file, scope->parent), *name = dw_attr_name(&scope->die);
	Dwarf_Die whole;

	if (!*name && dw_units_whole_type(file, &scope->die, &whole)) // clang puts the name of a class into its type unit alone
		name = dw_attr_name(&whole);
	bool is_named = *name && dwarf_tag(&scope->die) != DW_TAG_lexical_block;
	scope->prefix = is_named ? sp_arena_printf(&file->qualifiers->arena, "%s%s::", outer, name) : outer;
	return scope->prefix;
}

bool dw_qualify_is_flat(Dwarf_CU *cu)
{
	Dwarf_Die unit;

	if (!dwarf_cu_die(cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL))
		return true;
	int language = dwarf_srclang(&unit);
	return language >= 0 && dw_scan_is_flat((uint64_t)language);
}

// The DIE of the function's declaration, which, unlike that of its definition, stands in its class.
static Dwarf_Die declaration(Dwarf_Die *die)
{
	Dwarf_Die decl = *die, origin;
	Dwarf_Attribute attr;

	for (int depth = 0; depth < MAX_DEPTH; depth++) {
		if ((!dwarf_attr(&decl, DW_AT_abstract_origin, &attr) && !dwarf_attr(&decl, DW_AT_specification, &attr)) ||
		    !dwarf_formref_die(&attr, &origin))
			break;
		decl = origin;
	}
	return decl;
}

// The innermost scope around the DIE's declaration; NULL: the language has none.
static struct scope *scope_around(struct dw_file *file, Dwarf_Die *die)
{
	Dwarf_Die decl, unit;

	if (file->is_kernel)
		return NULL;
	decl = declaration(die);
	if (dw_qualify_is_flat(decl.cu) || !dwarf_cu_die(decl.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL))
		return NULL;
	struct scope *scope = scopes_of(file, &unit), *inner = scope;
	for (int depth = 0; inner && depth < MAX_DEPTH; depth++) {
		scope = inner;
		if (!scope->is_read)
			read_children(file->qualifiers, scope);
		inner = child_around(scope, decl.addr);
	}
	return scope;
}

const char *dw_qualify_around(struct dw_file *file, Dwarf_Die *die)
{
	struct scope *scope = scope_around(file, die);

	return scope ? prefix_of(file, scope) : "";
}

const char *dw_qualify_seen_in(struct dw_file *file, Dwarf_Die *die)
{
	struct scope *scope = scope_around(file, die);

	while (scope && scope->parent && dwarf_tag(&scope->die) == DW_TAG_namespace && dw_attr_flag(&scope->die, DW_AT_export_symbols))
		scope = scope->parent;
	return scope ? prefix_of(file, scope) : "";
}

static bool derives(struct dw_file *file, Dwarf_Die *class, const char *base, int depth)
{
	Dwarf_Die whole, child, type;
	Dwarf_Attribute attr;

	if (depth == MAX_BASES || dwarf_child(dw_units_whole_type(file, class, &whole) ? &whole : class, &child) != 0)
		return false;
	do {
		sp_cleanup(sp_buf_deinit) struct sp_buf name = { 0 };

		if (dwarf_tag(&child) != DW_TAG_inheritance || !dwarf_attr(&child, DW_AT_type, &attr) || !dwarf_formref_die(&attr, &type))
			continue;
		while (dwarf_tag(&type) == DW_TAG_typedef && dwarf_attr(&type, DW_AT_type, &attr) && dwarf_formref_die(&attr, &type))
			;
		sp_buf_puts(&name, dw_qualify_around(file, &type));
		sp_buf_puts(&name, dw_attr_name(&type));
		sp_buf_puts(&name, "::");
		if (sp_streq(sp_buf_str(&name), base) || derives(file, &type, base, depth + 1))
			return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

size_t dw_qualify_as_base(struct dw_file *file, Dwarf_Die *function, const char *base)
{
	sp_cleanup_free char *copy = sp_strdup(base); // the scopes may be forgotten
	Dwarf_Die decl = declaration(function), *scopes = NULL;
	int n = dwarf_getscopes_die(&decl, &scopes);
	unsigned tag = n > 1 ? dwarf_tag(&scopes[1]) : 0;
	bool is_class = tag == DW_TAG_class_type || tag == DW_TAG_structure_type;
	bool is_base = is_class && derives(file, &scopes[1], copy, 0);

	free(scopes);
	return is_base ? 1 + strlen(dw_qualify_around(file, function)) : 1;
}

// In Rust a method of a trait stands in "{impl#1}"; its symbol says for which type, as it is written: "<Job as Run>::run". Else: `name`.
static const char *impl_name(struct dw_file *file, Dwarf_Die *die, const char *name)
{
	Dwarf_Attribute attr;
	const char *linkage = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr));
	sp_cleanup_free char *text = linkage ? sp_demangle(linkage, false) : NULL;

	return text && *text == '<' ? sp_arena_strdup(&file->arena, text) : name;
}

// "<shop::Cart as shop::Price>::price" without modules: "<Cart as Price>::price".
static void without_modules(const char *name, struct sp_buf *ret)
{
	int depth = 0;

	for (; *name; name++) {
		depth += (*name == '<') - (*name == '>');
		if (depth <= 0 || name[0] != ':' || name[1] != ':') {
			sp_buf_putc(ret, *name);
			continue;
		}
		while (ret->len && (isalnum((unsigned char)ret->data[ret->len - 1]) || ret->data[ret->len - 1] == '_'))
			ret->len--;
		name++;
	}
}

bool dw_qualify_fits(struct dw_file *file, const char *pattern, const char *scope, Dwarf_Die *die)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	const char *name = dw_attr_name(die), *prefix = *name ? dw_qualify_around(file, die) : "";

	if (scope && !strstr(prefix, scope) && !strstr(prefix, IMPL))
		return false;
	sp_buf_puts(&text, prefix);
	sp_buf_puts(&text, name);
	if (dw_qualify_match(pattern, sp_buf_str(&text)))
		return true;
	const char *impl = strstr(sp_buf_str(&text), IMPL) ? impl_name(file, die, NULL) : NULL;
	if (!impl)
		return false;
	text.len = 0;
	without_modules(impl, &text);
	return dw_qualify_match(pattern, impl) || dw_qualify_match(pattern, sp_buf_str(&text));
}

const char *dw_qualify(struct dw_file *file, Dwarf_Die *die)
{
	const char *name = dw_attr_name(die), *prefix = *name ? dw_qualify_around(file, die) : "";

	if (*prefix)
		name = joined(&file->arena, prefix, name);
	return strstr(name, IMPL) ? impl_name(file, die, name) : name;
}
