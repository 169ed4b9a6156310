// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_debug.h"

#include "runtime/base/hash.h"

#define DW_ATE_signed 5
#define DW_ATE_unsigned 7
#define DW_TAG_const_type 0x26
#define DW_TAG_volatile_type 0x35
#define PRODUCER "spile"
#define MAX_MEMBERS 7
#define MAX_PARAMS 4

struct gen_debug {
	struct gen *g;
	LLVMDIBuilderRef di;
	LLVMMetadataRef unit, int_type, u64_type, ctx_type, fn_type;
	struct sp_hash files; // name -> LLVMMetadataRef
	LLVMMetadataRef fn; // subprogram; NULL outside of functions
	LLVMMetadataRef inlined_at; // NULL: not inlined
	const char *fn_file;
};

static LLVMMetadataRef file_of(struct gen_debug *d, const char *name)
{
	void **known = sp_hash_insert(&d->files, name, strlen(name));

	if (!*known)
		*known = LLVMDIBuilderCreateFile(d->di, name, strlen(name), "", 0);
	return *known;
}

static void add_flag(struct gen *g, const char *name, unsigned value)
{
	LLVMValueRef number = LLVMConstInt(g->i32, value, false);

	LLVMAddModuleFlag(g->mod, LLVMModuleFlagBehaviorWarning, name, strlen(name),
			  LLVMValueAsMetadata(number));
}

struct gen_debug *gen_debug_create(struct gen *g)
{
	struct gen_debug *d = sp_arena_new(g->arena, struct gen_debug);
	LLVMMetadataRef params[2];

	d->g = g;
	d->di = LLVMCreateDIBuilder(g->mod);
	add_flag(g, "Debug Info Version", LLVMDebugMetadataVersion());
	add_flag(g, "Dwarf Version", 4);
	d->unit = LLVMDIBuilderCreateCompileUnit(d->di, LLVMDWARFSourceLanguageC,
						 file_of(d, g->unit->script), PRODUCER,
						 strlen(PRODUCER), true, "", 0, 0, "", 0,
						 LLVMDWARFEmissionFull, 0, false, false, "", 0, "",
						 0);
	d->int_type = LLVMDIBuilderCreateBasicType(d->di, "int", 3, 32, DW_ATE_signed,
						   LLVMDIFlagZero);
	d->u64_type = LLVMDIBuilderCreateBasicType(d->di, "unsigned long", 13, 64, DW_ATE_unsigned,
						   LLVMDIFlagZero);
	params[0] = d->int_type;
	d->ctx_type = LLVMDIBuilderCreatePointerType(d->di, d->u64_type, 64, 0, 0, "", 0);
	params[1] = d->ctx_type;
	d->fn_type = LLVMDIBuilderCreateSubroutineType(d->di, file_of(d, g->unit->script), params,
						       2, LLVMDIFlagZero);
	return d;
}

void gen_debug_destroy(struct gen_debug *d)
{
	if (!d)
		return;
	LLVMDIBuilderFinalize(d->di);
	LLVMDisposeDIBuilder(d->di);
	sp_hash_deinit(&d->files);
}

static const struct ir_place *place_at(const struct gen_debug *d, uint32_t place)
{
	return place < d->g->unit->places.n ? &d->g->unit->places.v[place] : NULL;
}

static LLVMMetadataRef subprogram(struct gen_debug *d, const char *name, uint32_t place,
				  LLVMMetadataRef type, bool is_static)
{
	const struct ir_place *at = place_at(d, place);
	const char *file = at ? at->file : d->g->unit->script;

	d->fn_file = file;
	return LLVMDIBuilderCreateFunction(d->di, d->unit, name, strlen(name), "", 0,
					   file_of(d, file), at ? at->line : 0, type, is_static,
					   true, at ? at->line : 0, LLVMDIFlagPrototyped, true);
}

static void set_place(struct gen_debug *d, const struct ir_place *at)
{
	LLVMMetadataRef scope = d->fn;

	if (at && !sp_streq(at->file, d->fn_file)) // what a macro of another file has brought
		scope = LLVMDIBuilderCreateLexicalBlockFile(d->di, d->fn, file_of(d, at->file), 0);
	LLVMSetCurrentDebugLocation2(d->g->b, LLVMDIBuilderCreateDebugLocation(
						      d->g->ctx, at ? at->line : 0,
						      at ? at->column : 0, scope, d->inlined_at));
}

void gen_debug_function(struct gen_debug *d, LLVMValueRef fn, const char *name, uint32_t place)
{
	const struct ir_place *at;

	if (!d)
		return;
	at = place_at(d, place);
	d->fn = subprogram(d, name, place, d->fn_type, false);
	LLVMSetSubprogram(fn, d->fn);
	// The kernel refuses BTF of functions whose parameters have no names.
	LLVMDIBuilderCreateParameterVariable(d->di, d->fn, "ctx", 3, 1, file_of(d, d->fn_file),
					     at ? at->line : 0, d->ctx_type, true, LLVMDIFlagZero);
	set_place(d, at);
}

void gen_debug_enter(struct gen_debug *d, const char *name, uint32_t place,
		     struct gen_debug_scope *ret)
{
	if (!d)
		return;
	*ret = (struct gen_debug_scope){ d->fn, d->inlined_at,
					 LLVMGetCurrentDebugLocation2(d->g->b), d->fn_file };
	d->inlined_at = ret->location;
	d->fn = subprogram(d, name, place, d->fn_type, true);
	set_place(d, place_at(d, place));
}

static LLVMMetadataRef array_of(struct gen_debug *d, LLVMMetadataRef type, unsigned bits,
				unsigned count)
{
	LLVMMetadataRef range = LLVMDIBuilderGetOrCreateSubrange(d->di, 0, count);

	return LLVMDIBuilderCreateArrayType(d->di, (uint64_t)count * bits, 0, type, &range, 1);
}

// types[0]: of what it returns, which is set here
static void begin(struct gen_debug *d, LLVMValueRef fn, const char *name, unsigned n_params, LLVMMetadataRef *types, uint32_t place,
		  bool is_static, struct gen_debug_scope *ret)
{
	static const char *const names[MAX_PARAMS] = { "p1", "p2", "p3", "p4" };
	LLVMMetadataRef type;
	const struct ir_place *at;

	at = place_at(d, place);
	*ret = (struct gen_debug_scope){ d->fn, d->inlined_at, LLVMGetCurrentDebugLocation2(d->g->b), d->fn_file };
	types[0] = d->u64_type;
	type = LLVMDIBuilderCreateSubroutineType(d->di, file_of(d, d->g->unit->script), types, n_params + 1,
						 LLVMDIFlagZero);
	d->inlined_at = NULL;
	d->fn = subprogram(d, name, place, type, is_static);
	LLVMSetSubprogram(fn, d->fn);
	for (unsigned i = 0; i < n_params; i++)
		LLVMDIBuilderCreateParameterVariable(d->di, d->fn, names[i], 2, i + 1, file_of(d, d->fn_file),
						     at ? at->line : 0, types[i + 1], true, LLVMDIFlagZero);
	set_place(d, at);
}

void gen_debug_callback(struct gen_debug *d, LLVMValueRef fn, const char *name, unsigned n_params, uint32_t place,
			struct gen_debug_scope *ret)
{
	LLVMMetadataRef types[MAX_PARAMS + 1];

	if (!d)
		return;
	for (unsigned i = 0; i < n_params; i++)
		types[i + 1] = d->ctx_type;
	begin(d, fn, name, n_params, types, place, true, ret);
}

void gen_debug_global(struct gen_debug *d, LLVMValueRef fn, const char *name, unsigned n_params, const uint32_t *sizes,
		      struct gen_debug_scope *ret)
{
	LLVMMetadataRef types[MAX_PARAMS + 1];

	if (!d)
		return;
	for (unsigned i = 0; i < n_params; i++) {
		types[i + 1] = d->u64_type;
		if (sizes && sizes[i])
			types[i + 1] = LLVMDIBuilderCreatePointerType(d->di, array_of(d, d->u64_type, 64, sizes[i] / 8), 64, 0, 0, "", 0);
	}
	begin(d, fn, name, n_params, types, IR_NO_PLACE, false, ret);
}

void gen_debug_leave(struct gen_debug *d, const struct gen_debug_scope *scope)
{
	if (!d)
		return;
	d->fn = scope->fn;
	d->inlined_at = scope->inlined_at;
	d->fn_file = scope->file;
	LLVMSetCurrentDebugLocation2(d->g->b, scope->location);
}

void gen_debug_place(struct gen_debug *d, uint32_t place)
{
	const struct ir_place *at;

	if (d && (at = place_at(d, place)))
		set_place(d, at);
}

static void describe(struct gen_debug *d, LLVMValueRef global, const char *name, LLVMMetadataRef type)
{
	LLVMMetadataRef expr = LLVMDIBuilderCreateExpression(d->di, NULL, 0);
	LLVMMetadataRef variable = LLVMDIBuilderCreateGlobalVariableExpression(
		d->di, d->unit, name, strlen(name), "", 0, file_of(d, d->g->unit->script), 0, type,
		false, expr, NULL, 0);

	LLVMGlobalSetMetadata(global, LLVMGetMDKindIDInContext(d->g->ctx, "dbg", 3), variable);
}

void gen_debug_array(struct gen_debug *d, LLVMValueRef global, const char *name, unsigned count,
		     bool is_volatile)
{
	LLVMMetadataRef type;

	if (!d)
		return;
	type = d->u64_type;
	if (is_volatile) {
		type = LLVMDIBuilderCreateQualifiedType(d->di, DW_TAG_volatile_type, type);
		type = LLVMDIBuilderCreateQualifiedType(d->di, DW_TAG_const_type, type);
	}
	describe(d, global, name, array_of(d, type, 64, count));
}

unsigned gen_debug_map_members(const struct gen_debug_map *map)
{
	return (map->type != 0) + (map->max_entries != 0) + (map->key_size != 0) +
	       (map->value_size != 0) + (map->flags != 0) + 2 * map->is_typed;
}

// As libbpf's headers write it: a number is the length of an array that the member points to.
void gen_debug_map(struct gen_debug *d, LLVMValueRef global, const struct gen_debug_map *map)
{
	const struct {
		const char *name;
		unsigned value;
		LLVMMetadataRef type; // NULL: an array of `value`
	} rows[MAX_MEMBERS] = {
		{ "type", map->type, NULL },
		{ "max_entries", map->max_entries, NULL },
		{ "key_size", map->key_size, NULL },
		{ "value_size", map->value_size, NULL },
		{ "map_flags", map->flags, NULL },
		{ "key", map->is_typed, d ? d->int_type : NULL },
		{ "value", map->is_typed, d && map->is_typed ? array_of(d, d->u64_type, 64, map->value_size / 8) : NULL },
	};
	LLVMMetadataRef members[MAX_MEMBERS], file, type;
	unsigned n = 0;

	if (!d)
		return;
	file = file_of(d, d->g->unit->script);
	for (unsigned i = 0; i < MAX_MEMBERS; i++) {
		if (!rows[i].value)
			continue;
		type = rows[i].type ? rows[i].type : array_of(d, d->int_type, 32, rows[i].value);
		type = LLVMDIBuilderCreatePointerType(d->di, type, 64, 0, 0, "", 0);
		members[n] = LLVMDIBuilderCreateMemberType(d->di, d->unit, rows[i].name,
							   strlen(rows[i].name), file, 0, 64, 0,
							   (uint64_t)n * 64, LLVMDIFlagZero, type);
		n++;
	}
	type = LLVMDIBuilderCreateStructType(d->di, d->unit, "", 0, file, 0, (uint64_t)n * 64, 64,
					     LLVMDIFlagZero, NULL, members, n, 0, NULL, "", 0);
	describe(d, global, map->name, type);
}
