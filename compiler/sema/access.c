// SPDX-License-Identifier: GPL-2.0-or-later
// Decides whether a handler can read a value; nothing else decides it. @defined asks here, and lower/ reads whatever is
// allowed here, so @defined(x) is true exactly when x compiles.
//
// The check follows the same way as lower/: from the base of the value, along its steps, to the wanted bits. After each
// step the value is a number, memory at an address, or an object in pieces (in registers, constant, or optimised out).
#include "compiler/sema/access.h"

#include "compiler/sema/layout.h"
#include "compiler/sema/tree.h"

#define MAX_STACK 64 // values on a location program's stack: compilers use a handful
#define MAX_BRANCHES 64 // in a location program: each can double the number of paths through it

struct walk {
	const struct scene *scene;
	const struct site_value *v;
	struct span span;
	enum { IS_NUMBER, IS_MEMORY, IS_OBJECT } kind;
	const struct loc *loc; // IS_OBJECT
	int64_t offset; // the wanted bytes begin here in the number or object
	struct access_index indexes[ACCESS_MAX_INDEXES]; // of arrays in registers, known when the script runs
	unsigned n_indexes;
	enum diag_id id;
	const char *why; // the reason why the value cannot be read; NULL: it can
	uint64_t absent_pieces;
};

static bool cannot(struct walk *w, enum diag_id id, const char *why)
{
	w->id = id;
	w->why = why;
	return false;
}

// ---- location programs ----------------------------------------------------------------------------------------------

static bool check_register(struct walk *w, int64_t dwarf)
{
	const struct site *site = w->scene->site;
	const struct dbg_module *module = w->v->module;
	const struct point_env *env = w->scene->cx->opts->env;
	const struct abi *abi = module && module->abi ? module->abi : abi_find(env->target->arch);
	const char *reg;

	if (!site || !abi || reg_readable(abi, site->prog_kind, site->space, dwarf) == REG_NO_CONTEXT)
		return cannot(w, DIAG_VAR_PLACE, "registers are not at hand at this probe");
	reg = point_unreadable_reg(env, site, dwarf);
	return !reg || cannot(w, DIAG_VAR_PLACE, sp_arena_printf(w->scene->cx->arena, "it is in %s", reg));
}

// An address of the file needs the place where the file was loaded.
static bool check_address(struct walk *w, const struct loc_op *op)
{
	const struct site *site = w->scene->site;
	const struct dbg_module *module = w->v->module;

	if (!module)
		return cannot(w, DIAG_VAR_PLACE, "its module is not known");
	if (op->section || module->is_kernel || !module->is_pie)
		return true;
	return site_knows_load_address(site, module) ||
	       cannot(w, DIAG_VAR_PLACE,
		      "it is static data of a position-independent file, whose load address is only known at probes inside of "
		      "that file");
}

static bool check_thread(struct walk *w)
{
	const struct sema_opts *opts = w->scene->cx->opts;
	const struct site *site = w->scene->site;
	const struct dbg_module *module = w->v->module;

	if (!site || !module || site->module != module || site->space != SPACE_USER || site->prog_kind != SP_PROG_REGS)
		return cannot(w, DIAG_VAR_PLACE, "it is thread-local, which is known at probes inside of its file only");
	return (module->abi && module->abi->thread_pointer &&
		(opts->env->user_engine_only || layout_find_thread_pointer(opts, w->scene->cx->program))) ||
	       cannot(w, DIAG_VAR_PLACE,
		      "it is thread-local, and the kernel's types, which say where a thread has its data, are not at hand");
}

static bool check_op(struct walk *w, const struct loc_op *op)
{
	if (op->kind == LOC_REG)
		return check_register(w, op->a);
	if (op->kind == LOC_ADDR)
		return check_address(w, op);
	if (op->kind == LOC_TLS)
		return check_thread(w);
	if (op->kind == LOC_ENTRY_REG && !w->v->frame)
		return cannot(w, DIAG_VAR_PLACE,
			      "it was in a register when the function was entered, and is not kept after that");
	if (op->kind == LOC_DEREF && (op->a < 1 || op->a > 8))
		return cannot(w, DIAG_VAR_PLACE, "its location reads more than 8 bytes at once");
	return true;
}

// Checks the operations from `i` on with `n` values on the stack; at a branch, both sides.
static bool check_ops(struct walk *w, const struct loc_piece *piece, uint64_t i, unsigned n, unsigned *n_branches)
{
	for (; i < piece->n_ops; i++) {
		const struct loc_op *op = &piece->ops[i];
		const struct loc_op_info *info = loc_op_info(op->kind);

		if (n < info->n_operands || n == MAX_STACK || (op->kind == LOC_PICK && (op->a < 0 || op->a >= (int64_t)n)))
			return cannot(w, DIAG_VAR_PLACE, "its location program is broken");
		if (!check_op(w, op))
			return false;
		if (op->kind == LOC_SKIP || op->kind == LOC_BRANCH) {
			uint64_t target = i + 1 + (uint64_t)op->a;

			if (target > piece->n_ops)
				return cannot(w, DIAG_VAR_PLACE, "its location program is broken");
			if (op->kind == LOC_SKIP)
				return check_ops(w, piece, target, n, n_branches);
			if (++*n_branches > MAX_BRANCHES)
				return cannot(w, DIAG_VAR_PLACE, "its location has too many branches");
			return check_ops(w, piece, target, n - 1, n_branches) && check_ops(w, piece, i + 1, n - 1, n_branches);
		}
		n = n - info->n_operands + info->n_results;
	}
	return n || cannot(w, DIAG_VAR_PLACE, "its location program is empty");
}

static bool check_piece(struct walk *w, const struct loc_piece *piece)
{
	unsigned n_branches = 0;

	return check_ops(w, piece, 0, 0, &n_branches);
}

// ---- bits -----------------------------------------------------------------------------------------------------------

static bool check_memory_bits(struct walk *w, uint64_t bit, unsigned n)
{
	return (n % 8 == 0 && bit % 8 == 0) || (bit % 8 + n + 7) / 8 <= 8 ||
	       cannot(w, DIAG_PACKED_BITFIELD, "the bit-field spreads over two storage units");
}

static bool is_wide_register(struct walk *w, const struct loc_piece *piece)
{
	const struct abi *abi = w->v->module && w->v->module->abi ? w->v->module->abi : abi_find(w->scene->cx->opts->env->target->arch);

	return abi && piece->n_ops == 1 && piece->ops[0].kind == LOC_REG && abi_bank_dwarf(abi, piece->ops[0].a);
}

static bool check_piece_bits(struct walk *w, const struct loc_piece *piece, uint64_t bit, unsigned n)
{
	switch (piece->where) {
	case LOC_IN_MEMORY:
		return check_memory_bits(w, bit, n) && check_piece(w, piece);
	case LOC_IS_VALUE:
		if (bit + n > 64 && !(bit >= 64 && bit + n <= 128 && is_wide_register(w, piece)))
			return cannot(w, DIAG_VAR_PLACE, "it is wider than the register that holds it");
		return check_piece(w, piece);
	case LOC_IS_BYTES:
		return true;
	case LOC_POINTS_TO:
		return cannot(w, DIAG_VAR_ABSENT, "the pointer was optimised out (only what it points to is left)");
	case LOC_ABSENT:
		break;
	}
	return cannot(w, DIAG_VAR_ABSENT, piece->why ? piece->why : "it is optimised out");
}

static bool check_object_bits(struct walk *w, uint64_t bit, unsigned n)
{
	uint64_t start = 0, end = bit + n;

	for (unsigned i = 0; i < w->loc->n_pieces; i++) {
		const struct loc_piece *piece = &w->loc->pieces[i];
		uint64_t piece_end = piece->bit_size ? start + piece->bit_size : UINT64_MAX;
		uint64_t from = SP_MAX(bit, start), to = SP_MIN(end, piece_end);

		if (from < to && !check_piece_bits(w, piece, piece->bit_off + (from - start), (unsigned)(to - from)))
			return false;
		start = piece_end;
		if (start >= end)
			return true;
	}
	return cannot(w, DIAG_VAR_ABSENT, "a part of it is optimised out");
}

static bool check_fixed_bits(struct walk *w, unsigned bit, unsigned n)
{
	if (w->kind == IS_MEMORY)
		return check_memory_bits(w, bit, n);
	if (w->offset < 0)
		return cannot(w, DIAG_VAR_PLACE, "it is outside of the object, which is not in memory");
	if (w->kind == IS_OBJECT)
		return check_object_bits(w, (uint64_t)w->offset * 8 + bit, n);
	return (uint64_t)w->offset * 8 + bit + n <= 64 || cannot(w, DIAG_VAR_PLACE, "it is wider than the register that holds it");
}

// Checks the bits for every value that the indexes from `i` on can have.
static bool check_bits_from(struct walk *w, unsigned i, unsigned bit, unsigned n)
{
	int64_t offset = w->offset;
	bool ok = true;

	if (i == w->n_indexes)
		return check_fixed_bits(w, bit, n);
	for (uint64_t k = 0; k < w->indexes[i].count && ok; k++) {
		w->offset = offset + (int64_t)k * w->indexes[i].stride;
		ok = check_bits_from(w, i + 1, bit, n);
	}
	w->offset = offset;
	return ok;
}

static bool check_bits(struct walk *w, unsigned bit, unsigned n)
{
	return check_bits_from(w, 0, bit, n);
}

// ---- the way --------------------------------------------------------------------------------------------------------

// A structure printed with `$s$` shows `?` for pieces that cannot be read: finds those.
static void find_absent_pieces(struct walk *w, const struct loc *loc)
{
	w->absent_pieces = 0;
	for (unsigned i = 0; w->v->pretty && i < loc->n_pieces; i++) {
		const struct loc_piece *piece = &loc->pieces[i];
		bool is_read = piece->where == LOC_IN_MEMORY || piece->where == LOC_IS_VALUE;

		if (is_read && i < 64 && !check_piece(w, piece))
			w->absent_pieces |= 1ull << i;
	}
	w->why = NULL;
}

static bool start_location(struct walk *w, const struct loc *loc)
{
	w->loc = loc;
	w->kind = IS_OBJECT;
	if (!loc || !loc->n_pieces)
		return cannot(w, DIAG_VAR_ABSENT, "it has no location");
	find_absent_pieces(w, loc);
	if (loc->n_pieces > 1 || loc->pieces[0].bit_size || loc->pieces[0].where != LOC_IN_MEMORY)
		return true;
	w->kind = IS_MEMORY;
	return check_piece(w, &loc->pieces[0]);
}

static bool start(struct walk *w)
{
	const struct site_value *v = w->v;
	const struct site *site = w->scene->site;
	enum sp_prog_kind kind = site ? site->prog_kind : SP_PROG_USER;
	bool is_words = prog_context_is_words(kind);

	w->kind = IS_NUMBER;
	switch (v->base) {
	case SITE_BASE_LOC:
		return start_location(w, v->loc);
	case SITE_BASE_CTX:
		if (is_words || !access_is_size(v->ctx_size))
			w->offset = v->ctx_off % 8;
		break;
	case SITE_BASE_REGS:
	case SITE_BASE_ARGS:
	case SITE_BASE_RESULT:
		break;
	case SITE_BASE_RECORD:
		w->kind = IS_MEMORY;
		break;
	case SITE_BASE_EXPR:
		w->kind = access_is_aggregate(v->base_type) ? IS_MEMORY : IS_NUMBER;
		break;
	case SITE_BASE_CONST:
		break;
	}
	return true;
}

static const struct loc_piece *piece_at(const struct walk *w, uint64_t *bit_ret)
{
	uint64_t first = 0, bit = (uint64_t)w->offset * 8;

	for (unsigned i = 0; w->offset >= 0 && i < w->loc->n_pieces; i++) {
		const struct loc_piece *piece = &w->loc->pieces[i];
		uint64_t end = piece->bit_size ? first + piece->bit_size : UINT64_MAX;

		if (bit >= first && bit < end) {
			*bit_ret = piece->bit_off + bit - first;
			return piece;
		}
		first = end;
	}
	return NULL;
}

static bool follow_pointer(struct walk *w)
{
	uint64_t bit = 0;
	const struct loc_piece *piece = w->kind == IS_OBJECT && !w->n_indexes ? piece_at(w, &bit) : NULL;

	if (piece && piece->where == LOC_POINTS_TO && !bit) {
		if (!start_location(w, piece->pointee))
			return false;
		w->offset = w->kind == IS_MEMORY ? 0 : piece->pointee_off;
		return true;
	}
	if (!check_bits(w, 0, 8 * access_pointer_size(w->v)))
		return false;
	w->kind = IS_MEMORY;
	w->offset = 0;
	w->n_indexes = 0;
	return true;
}

// An array in registers: any element may be chosen when the script runs, so there must be few enough.
static bool follow_index(struct walk *w, const struct site_step *step)
{
	uint64_t ways = step->count;

	for (unsigned i = 0; i < w->n_indexes; i++)
		ways *= w->indexes[i].count;
	if (!step->count || ways > ACCESS_MAX_ELEMENTS || w->n_indexes == ACCESS_MAX_INDEXES)
		return cannot(w, DIAG_VAR_PLACE, "it is in registers, where only a constant can be an index of so large an array");
	w->indexes[w->n_indexes++] = (struct access_index){ step->bytes, step->count };
	return true;
}

// Are the wanted bytes in memory? An object in pieces may have some of them there.
static bool is_in_memory(struct walk *w)
{
	uint64_t bit;
	const struct loc_piece *piece;

	if (w->kind != IS_OBJECT || w->n_indexes)
		return w->kind == IS_MEMORY;
	piece = piece_at(w, &bit);
	return piece && piece->where == LOC_IN_MEMORY && piece->bit_off % 8 == 0 && check_piece(w, piece);
}

static bool follow_virtual(struct walk *w)
{
	if (!is_in_memory(w))
		return w->why || cannot(w, DIAG_VAR_PLACE, "it is not in memory, and only there an object has its virtual bases");
	w->kind = IS_MEMORY;
	w->offset = 0;
	return true;
}

static bool follow(struct walk *w, const struct site_step *step)
{
	switch (step->kind) {
	case STEP_ADD:
		w->offset += step->bytes;
		return true;
	case STEP_DEREF:
		return follow_pointer(w);
	case STEP_SCALE:
		if (w->kind == IS_MEMORY)
			return true;
		if (step->index->kind != AST_NUMBER)
			return follow_index(w, step);
		w->offset += step->index->number * step->bytes;
		return true;
	case STEP_VIRTUAL:
		return follow_virtual(w);
	}
	return true;
}

static bool finish(struct walk *w)
{
	const struct site_value *v = w->v;
	const struct c_type *type = c_type_strip(v->type);
	unsigned size = access_size(type);

	if (v->address_of || access_is_aggregate(type))
		return is_in_memory(w) || w->why || cannot(w, DIAG_ADDRESS_NONE, "it is not in memory, so it has no address");
	if (!access_is_size(size))
		return cannot(w, DIAG_ACCESS_SHAPE, "its type has no width that a number can have");
	if (!v->bit_size)
		return check_bits(w, 0, size * 8);
	return check_bits(w, v->bit_off, v->bit_size);
}

bool access_is_size(unsigned size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

unsigned access_size(const struct c_type *bare)
{
	return !bare || (bare->kind == C_POINTER && !bare->size) ? 8 : (unsigned)SP_MIN(bare->size, (uint64_t)16);
}

unsigned access_pointer_size(const struct site_value *v)
{
	return v->module && v->module->abi ? v->module->abi->word_size : 8;
}

bool access_is_aggregate(const struct c_type *type)
{
	type = c_type_strip(type);
	return type && (type->kind == C_STRUCT || type->kind == C_UNION || type->kind == C_ARRAY || type->kind == C_FUNC);
}

// A value that is a whole register of a program: the user engine gives the thread the registers back that the handler has had.
static const struct abi_reg *writable_register(const struct scene *scene, const struct site_value *v)
{
	const struct abi *abi = v->module ? v->module->abi : NULL;
	const struct loc_piece *piece = v->base == SITE_BASE_LOC && v->loc->n_pieces == 1 ? v->loc->pieces : NULL;
	bool is_register = piece && !piece->bit_size && piece->where == LOC_IS_VALUE && piece->n_ops == 1 && piece->ops[0].kind == LOC_REG;

	if (!scene->cx->opts->env->user_engine_only || v->space != SPACE_USER || v->n_steps || !is_register || !abi)
		return NULL;
	return abi_reg_dwarf(abi, piece->ops[0].a);
}

// A script can write to memory only: BPF programs cannot change registers.
bool access_check_write(const struct scene *scene, struct site_value *v, struct span span)
{
	struct walk w = { .scene = scene, .v = v, .span = span };
	const struct c_type *type = c_type_strip(v->type);
	unsigned size = access_size(type);
	bool ok = start(&w);

	for (unsigned i = 0; i < v->n_steps && ok; i++)
		ok = follow(&w, &v->steps[i]);
	if (v->address_of || access_is_aggregate(type) || (type && type->kind == C_FLOAT) || !access_is_size(size) ||
	    v->bit_off + v->bit_size > size * 8)
		ok = cannot(&w, DIAG_WRITE_PLACE, "only numbers and pointers can be");
	else if (ok && !is_in_memory(&w) && !(v->written = writable_register(scene, v)))
		ok = cannot(&w, DIAG_WRITE_PLACE, "it is in a register, which --engine=user alone changes");
	if (!ok)
		diag(scene->cx->opts->dc, span, w.id, "`%s` cannot be written here: %s", v->text ? v->text : "value", w.why);
	return ok;
}

// Can only the runtime make the value's text? It has floating point numbers, numbers of 128 bits, or characters in registers.
static bool is_late(const struct walk *w)
{
	const struct pretty *pretty = w->v->pretty;

	for (unsigned i = 0; i < pretty->n_kept; i++) {
		const struct pretty_part *part = &pretty->parts[i];
		bool is_chars = part->kind == PRETTY_CHARS;

		if (part->is_late && !(is_chars && (w->kind == IS_MEMORY || !part->bit_size)))
			return true;
	}
	return false;
}

bool access_check(const struct scene *scene, struct site_value *v, struct span span)
{
	struct walk w = { .scene = scene, .v = v, .span = span };
	bool ok = start(&w);

	for (unsigned i = 0; i < v->n_steps && ok; i++)
		ok = follow(&w, &v->steps[i]);
	// A printed structure needs no check of its bits: it shows the pieces that can be read.
	if (ok && !v->pretty)
		ok = finish(&w);
	v->is_absent = !ok;
	v->absent_pieces = w.absent_pieces;
	v->is_late = ok && v->pretty && is_late(&w);
	if (ok || v->is_listed)
		return true;
	diag(scene->cx->opts->dc, span, w.id, "`%s` cannot be read here: %s", v->text ? v->text : "value", w.why);
	return false;
}

// ---- builtins -------------------------------------------------------------------------------------------------------

static const char *why_no_name(const struct abi *abi, const struct ast_expr *name)
{
	bool is_known = name->kind != AST_STRING || abi_reg_name(abi, name->string.text) || abi_part_name(abi, name->string.text);

	return is_known ? NULL : "there is no register of that name"; // of other names the handler finds out when it runs
}

static const char *why_no_number(const struct abi *abi, const struct ast_expr *number)
{
	return number->kind == AST_NUMBER && abi_reg_dwarf(abi, number->number) ? NULL : "there is no register of that number";
}

// Why a builtin has no value at the site; NULL: it has one.
static const char *why_no_value(const struct abi *abi, const struct site *site, const struct ast_expr *e)
{
	const struct abi *own = site_abi(site, abi);
	bool has_registers = abi && (site->prog_kind == SP_PROG_REGS || site->prog_kind == SP_PROG_PERF);
	enum builtin_id id = (enum builtin_id)e->call.builtin;

	if (id == BUILTIN_KREGISTER || id == BUILTIN_UREGISTER) {
		if (!has_registers || site->space != (id == BUILTIN_UREGISTER ? SPACE_USER : SPACE_KERNEL))
			return "such registers are not at hand at this probe";
		return why_no_number(own, e->call.args.v[0]);
	}
	if (id != BUILTIN_REGISTER && id != BUILTIN_U_REGISTER && id != BUILTIN_RETURNVAL && id != BUILTIN_ARG)
		return NULL;
	if (!has_registers)
		return "registers are not at hand at this probe";
	return id == BUILTIN_REGISTER || id == BUILTIN_U_REGISTER ? why_no_name(abi, e->call.args.v[0]) : NULL;
}

bool access_check_call(const struct scene *scene, const struct ast_expr *e)
{
	const struct sema_opts *opts = scene->cx->opts;
	const char *why;

	if (!scene->site || !tree_asks_site(e))
		return true;
	why = why_no_value(abi_find(opts->env->target->arch), scene->site, e);
	if (!why)
		return true;
	diag(opts->dc, e->span, DIAG_VAR_PLACE, "`%s` has no value here: %s", e->call.name, why);
	return false;
}
