// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/ftrace.h"

#include "compiler/driver/session.h"
#include "compiler/probe/usdt_arg.h"
#include "runtime/base/cleanup.h"

#include <ctype.h>

struct events {
	struct spile *spile;
	bool for_perf; // the lines are those of perf's cache
	const char *words; // the variables, with blanks between
	struct sp_hash names; // of the events so far
	struct sp_hash found; // names of variables that some site has
	struct sp_buf out;
};

// ---- where a value is -----------------------------------------------------------------------------------------------

// Registers as the kernel's regs_query_register_offset() names them.
static void put_register(struct sp_buf *out, const struct abi *abi, const struct abi_reg *reg)
{
	bool has_prefix = sp_streq(abi->name, "x86_64") && reg->name[0] == 'r' && !isdigit((unsigned char)reg->name[1]);

	sp_buf_printf(out, "%%%s", reg->name + has_prefix);
}

// A register, constants that are added, and addresses that are followed: what ftrace can do. `at` is the text so far, to which
// `*offset` is still to be added.
static const char *add_op(const struct abi *abi, const struct loc_op *ops, unsigned *i, unsigned n, struct sp_buf *at, int64_t *offset)
{
	static const char *const too_much = "its place takes more than ftrace can compute";
	const struct loc_op *op = &ops[*i];

	if (op->kind == LOC_REG && !at->len) {
		const struct abi_reg *reg = abi_reg_dwarf(abi, op->a);
		if (!reg)
			return "it is in a register that ftrace does not know";
		put_register(at, abi, reg);
		return NULL;
	}
	if (op->kind == LOC_CONST && !at->len && *i + 2 < n && op[1].kind == LOC_REG && op[2].kind == LOC_ADD) { // of a mark
		*offset += op->a;
		++*i;
		const char *why = add_op(abi, ops, i, n, at, offset);
		++*i;
		return why;
	}
	if (op->kind == LOC_CONST && at->len && *i + 1 < n && (op[1].kind == LOC_ADD || op[1].kind == LOC_SUB)) {
		*offset += op[1].kind == LOC_ADD ? op->a : -op->a;
		++*i;
		return NULL;
	}
	if (op->kind == LOC_DEREF && op->a == 8 && at->len) {
		sp_cleanup_free char *inner = sp_buf_take(at);
		sp_buf_printf(at, "%+lld(%s)", (long long)*offset, inner);
		*offset = 0;
		return NULL;
	}
	return too_much;
}

// Does the value end with what makes it as wide as its type? ftrace does that by itself.
static bool is_narrowed(const struct loc_piece *piece, const struct c_type *type)
{
	const struct loc_op *last = piece->n_ops > 1 ? &piece->ops[piece->n_ops - 1] : NULL;

	return piece->where == LOC_IS_VALUE && last && (last->kind == LOC_SEXT || last->kind == LOC_ZEXT) && type &&
	       (uint64_t)last->a == type->size;
}

// Why ftrace cannot read it; NULL: it can, and the text is appended.
static const char *put_location(struct sp_buf *out, const struct abi *abi, const struct loc *loc, const struct c_type *type)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf at = { 0 };
	const struct loc_piece *piece = loc->n_pieces == 1 ? loc->pieces : NULL;
	const char *why = NULL;
	int64_t offset = 0;

	if (!piece)
		return "it is in several places";
	if (piece->where != LOC_IN_MEMORY && piece->where != LOC_IS_VALUE)
		return piece->why ? piece->why : "it is optimised out";
	for (unsigned i = 0, n = piece->n_ops - is_narrowed(piece, type); i < n && !why; i++)
		why = add_op(abi, piece->ops, &i, n, &at, &offset);
	if (!why && (!at.len || (piece->where == LOC_IS_VALUE && offset)))
		why = "its place takes more than ftrace can compute";
	if (why)
		return why;
	if (piece->where == LOC_IN_MEMORY)
		sp_buf_printf(out, "%+lld(%s)", (long long)offset, sp_buf_str(&at));
	else
		sp_buf_puts(out, sp_buf_str(&at));
	return NULL;
}

// The letter and the bits of a fetch argument; false: it is no number.
static bool put_type(struct sp_buf *out, const struct c_type *type)
{
	const struct c_type *plain = c_type_strip(type);

	if (!plain || !c_type_is_scalar(plain) || (plain->size != 1 && plain->size != 2 && plain->size != 4 && plain->size != 8))
		return false;
	sp_buf_printf(out, ":%c%u", plain->kind == C_POINTER ? 'x' : plain->is_signed ? 's' : 'u', (unsigned)plain->size * 8);
	return true;
}

// ---- variables ------------------------------------------------------------------------------------------------------

static bool is_asked_for(const struct events *e, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = e->words; (at = strstr(at, name)); at += len)
		if (at > e->words && at[-1] == '$' && !(isalnum((unsigned char)at[len]) || at[len] == '_'))
			return true;
	return false;
}

static void tell(const struct events *e, const struct site *site, const char *name, const char *why)
{
	sp_log(&e->spile->log, SP_LOG_WARN, "$%s is left out at %s: %s", name, site->point, why);
}

static void put_var(struct events *e, const struct site *site, const struct dbg_var *var)
{
	const struct abi *abi = site->module->abi;
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	const char *why = var->loc ? put_location(&text, abi, var->loc, var->type) : var->why_not ? var->why_not : "it cannot be read";

	if (!why && !put_type(&text, var->type))
		why = "it is no number";
	if (why)
		tell(e, site, var->name, why);
	else
		sp_buf_printf(&e->out, " %s=%s", var->name, sp_buf_str(&text));
}

static struct sp_err *put_vars(struct events *e, const struct site *site)
{
	bool params = is_asked_for(e, "params"), all = is_asked_for(e, "vars");
	struct dbg_vars vars;

	SP_TRY(dbg_vars_at(site->func, site->pc, &vars));
	for (unsigned i = 0; i < vars.n; i++) {
		const struct dbg_var *var = &vars.v[i];
		if (var->name)
			sp_hash_set(&e->found, var->name, e);
		if (var->name && (all || (params && var->is_param) || is_asked_for(e, var->name)))
			put_var(e, site, var);
	}
	return NULL;
}

static bool has_no_symbol(void *ctx SP_UNUSED, const char *name SP_UNUSED, uint64_t *ret SP_UNUSED)
{
	return false;
}

// The arguments of a mark, of which perf's cache has all.
static struct sp_err *put_mark_vars(struct events *e, const struct site *site)
{
	const struct usdt_symbols none = { .find = has_no_symbol };
	bool all = e->for_perf || is_asked_for(e, "params") || is_asked_for(e, "vars");
	struct usdt_arg arg;

	for (unsigned i = 0; usdt_arg_parse(&e->spile->arena, site->module->abi, &none, site->mark->args, i, &arg); i++) {
		struct dbg_var var = { .name = sp_arena_printf(&e->spile->arena, "arg%u", i + 1), .type = arg.type, .loc = arg.loc, .why_not = arg.why };

		sp_hash_set(&e->found, var.name, e);
		if (all || is_asked_for(e, var.name))
			put_var(e, site, &var);
	}
	return NULL;
}

static struct sp_err *put_return(struct events *e, const struct site *site)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	const struct c_type *type;
	const struct loc *loc;

	SP_TRY(dbg_return_at(site->func, &type, &loc));
	if (!is_asked_for(e, "return"))
		return NULL;
	if (site->exit == EXIT_JUMP)
		tell(e, site, "return", "the function ends with a jump to another one");
	else if (site->exit == EXIT_RETURN && loc)
		put_var(e, site, &(struct dbg_var){ .name = "ret", .type = type, .loc = loc });
	else if (!type || !loc || !put_type(&text, type))
		tell(e, site, "return", "it is no number in a register");
	else
		sp_buf_printf(&e->out, "%s$retval%s", e->for_perf ? " " : " ret=", sp_buf_str(&text));
	return NULL;
}

// ---- events ---------------------------------------------------------------------------------------------------------

// Where exceptions go through and the like, the instructions at which the function ends are probed.
static bool replaces_return(const struct site *site)
{
	return site->is_return && site->exit == EXIT_NONE;
}

// perf's groups: "probe", or of programs "probe_NAME", where NAME ends before the first character that is no part of a word; of marks
// "sdt_PROVIDER".
static void put_group(const struct events *e, const struct site *site, struct sp_buf *out)
{
	const char *slash = site->module->is_kernel ? NULL : strrchr(site->module->path, '/');
	size_t len = 0;

	if (e->for_perf && site->mark) {
		sp_buf_printf(out, "sdt_%s", site->mark->provider);
		return;
	}
	sp_buf_puts(out, e->for_perf ? "probe" : "spile");
	if (!e->for_perf || !slash)
		return;
	while (isalnum((unsigned char)slash[1 + len]) || slash[1 + len] == '_')
		len++;
	sp_buf_printf(out, "_%.*s", (int)len, slash + 1);
}

// The lines before the event: "@BUILD-ID OBJECT", which says whose file it belongs to, and "#DEFINITION", as perf probe takes it, or
// "%sdt_PROVIDER:NAME=NAME". perf knows a kernel module by its file.
static void put_definition(struct events *e, const struct site *site)
{
	const struct dbg_module *module = site->module;
	uint64_t offset = site->pc && site->func->entry_pc ? site->pc - site->func->entry_pc : 0;

	sp_buf_putc(&e->out, '@');
	for (unsigned i = 0; i < module->build_id_len; i++)
		sp_buf_printf(&e->out, "%02x", module->build_id[i]);
	sp_buf_printf(&e->out, " %s\n", sp_streq(module->name, "kernel") && module->is_kernel ? dbg_object_name(module) : module->path);
	if (site->mark) {
		sp_buf_printf(&e->out, "%%sdt_%s:%s=%s\n", site->mark->provider, site->mark->name, site->mark->name);
		return;
	}
	sp_buf_printf(&e->out, "#%s", site->func->name);
	if (offset)
		sp_buf_printf(&e->out, "+%llu", (unsigned long long)offset);
	sp_buf_puts(&e->out, replaces_return(site) ? "%return" : "");
	for (const char *at = e->words; *(at += strspn(at, " ")); at += strcspn(at, " ")) {
		int len = (int)strcspn(at, " ");
		bool is_perfs = sp_is_word(at, (size_t)len, "$params") || sp_is_word(at, (size_t)len, "$vars");
		if (sp_is_word(at, (size_t)len, "$return"))
			sp_buf_puts(&e->out, " $retval");
		else
			sp_buf_printf(&e->out, " %.*s", len - !is_perfs, at + !is_perfs);
	}
	sp_buf_putc(&e->out, '\n');
}

// "vfs_read", "vfs_read_1", "vfs_read__return": letters, digits and underscores, and each once.
static void put_name(struct events *e, const struct site *site)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf name = { 0 }, group = { 0 };
	void **n;

	put_group(e, site, &group);

	sp_buf_printf(&name, "%s%s", site->mark ? site->mark->name : site->func->name, site->is_return ? "__return" : "");
	for (size_t i = 0; i < name.len; i++)
		if (!isalnum((unsigned char)name.data[i]))
			name.data[i] = '_';
	n = sp_hash_insert(&e->names, name.data, name.len);
	sp_buf_printf(&e->out, "%c:%s/%s", replaces_return(site) ? 'r' : 'p', sp_buf_str(&group), sp_buf_str(&name));
	if (*n && !(site->mark && e->for_perf)) // perf has one event for all places of a mark
		sp_buf_printf(&e->out, "_%zu", (size_t)*n);
	*n = (void *)((size_t)*n + 1);
}

// Why there can be no event; NULL: where it is has been appended.
static const char *put_place(struct events *e, const struct site *site)
{
	const struct dbg_func *func = site->func;
	uint64_t offset;

	if (!site->module->is_kernel) {
		if (!dbg_file_offset(site->module, site->pc, &offset))
			return "its code is in no segment of the file";
		if (strpbrk(site->module->path, " \t\n"))
			return "tracefs takes no path with a blank";
		sp_buf_printf(&e->out, " %s:0x%llx", site->module->path, (unsigned long long)offset);
		if (site->mark && site->args.user.semaphore)
			sp_buf_printf(&e->out, "(0x%llx)", (unsigned long long)site->args.user.semaphore);
		return NULL;
	}
	if (!func->symbol || !dbg_symbol_is_unique(func))
		return "its symbol is not the only one of that name";
	offset = func->symbol_off + (site->pc && func->entry_pc ? site->pc - func->entry_pc : 0);
	if (site->is_return && offset)
		return "it returns from an inlined function";
	sp_buf_puts(&e->out, " ");
	if (!sp_streq(site->module->name, "kernel"))
		sp_buf_printf(&e->out, "%s:", site->module->name);
	sp_buf_puts(&e->out, func->symbol);
	if (offset)
		sp_buf_printf(&e->out, "+%llu", (unsigned long long)offset);
	return NULL;
}

static struct sp_err *put_event(struct events *e, const struct site *site)
{
	size_t begin = e->out.len;
	const char *why = !site->func || !site->module ? "only functions and statements can be events of ftrace" : site->func->no_probe;
	struct sp_err *err;

	if (!why && e->for_perf && (!site->module->build_id_len || !site->module->path))
		why = site->module->path ? "its file has no build-id" : "it has no file";
	if (!why && e->for_perf)
		put_definition(e, site);
	if (!why) {
		put_name(e, site);
		why = put_place(e, site);
	}
	err = why ? NULL : site->mark ? put_mark_vars(e, site) : site->is_return ? put_return(e, site) : put_vars(e, site);
	if (why)
		sp_log(&e->spile->log, SP_LOG_WARN, "%s is left out: %s", site->point, why);
	if (why || err)
		e->out.len = begin;
	else
		sp_buf_putc(&e->out, '\n');
	return err;
}

static struct sp_err *put_events(struct events *e, const struct unit *unit)
{
	struct point_env env = session_point_env(e->spile, &e->spile->arena);
	struct sp_err *err = NULL;

	for (unsigned i = 0; i < unit->n_probes && !e->spile->dc.n_errors && !err; i++) {
		for (unsigned k = 0; k < unit->probes[i]->points.n && !err; k++) {
			struct sites sites = { 0 };

			if (point_resolve(&env, unit->probes[i]->points.v[k], &sites))
				for (size_t s = 0; s < sites.list.n && !err; s++)
					err = put_event(e, sites.list.v[s]);
			sp_vec_deinit(&sites.list);
		}
	}
	return err;
}

// Complains of variables that no site has, unless there is none at all.
static struct sp_err *check_words(const struct events *e)
{
	static const char *const known[] = { "$params", "$vars", "$return" };

	for (const char *at = e->words; *at; at += strcspn(at, " ")) {
		size_t len;
		bool ok = false;

		at += strspn(at, " ");
		len = strcspn(at, " ");
		if (len && *at != '$')
			return sp_err_new(SP_ERR_USAGE, "%.*s: variables begin with $", (int)len, at);
		for (size_t i = 0; i < SP_ARRAY_SIZE(known); i++)
			ok |= sp_is_word(at, len, known[i]);
		if (len && !ok && e->out.len && !sp_hash_find(&e->found, at + 1, len - 1))
			return sp_err_new(SP_ERR_SCRIPT, "no place of the probe point has a variable %.*s", (int)len, at);
	}
	return NULL;
}

// The blank before the first variable that stands behind the point; the end when there is none.
static size_t point_len(const char *what)
{
	bool in_text = false;
	size_t i;

	for (i = 0; what[i] && (in_text || what[i] != ' ' || what[i + 1] != '$'); i++)
		if (what[i] == '"')
			in_text = !in_text;
	return i;
}

// The script that has the point alone.
static struct unit *parse_point(struct spile *spile, const char *what)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf script = { 0 };
	struct parse_env parse = session_parse_env(spile);

	sp_buf_printf(&script, "probe %.*s {}", (int)point_len(what), what);
	spile->script = source_add(&spile->sources, "<input>", script.data, script.len, SOURCE_USER);
	return parse_file(&spile->sources, spile->script, &parse, &spile->dc);
}

int ftrace_print(struct spile *spile, const char *what, bool for_perf)
{
	struct events e = { .spile = spile, .for_perf = for_perf, .words = what + point_len(what) };
	struct sp_err *err = session_describe_features(spile);
	struct unit *unit;
	bool is_empty;

	if (err)
		return session_fail(spile, err);
	unit = parse_point(spile, what);
	err = put_events(&e, unit);
	err = err ? err : check_words(&e);
	session_flush_diags(spile);
	is_empty = !e.out.len;
	if (!err)
		session_output(spile, &e.out);
	unit_destroy(unit);
	sp_hash_deinit(&e.names);
	sp_hash_deinit(&e.found);
	sp_buf_deinit(&e.out);
	return err ? session_fail(spile, err) : is_empty ? 1 : 0;
}

int ftrace_resolve(struct spile *spile, const char *what, bool *marks_ret)
{
	struct unit *unit = parse_point(spile, what);
	struct point_env env = session_point_env(spile, &spile->arena);

	for (unsigned i = 0; i < unit->n_probes; i++) {
		for (unsigned k = 0; k < unit->probes[i]->points.n && !spile->dc.n_errors; k++) {
			struct sites sites = { 0 };

			point_resolve(&env, unit->probes[i]->points.v[k], &sites);
			sp_vec_each(site, &sites.list)
				*marks_ret |= (*site)->mark != NULL;
			sp_vec_deinit(&sites.list);
		}
	}
	session_flush_diags(spile);
	unit_destroy(unit);
	return spile->dc.n_errors ? 1 : 0;
}
