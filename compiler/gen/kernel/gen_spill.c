// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_spill.h"

#include "compiler/gen/kernel/gen_kernel_state.h"

struct spill {
	struct gen *g;
	LLVMBasicBlockRef *blocks;
	size_t n_blocks;
	struct sp_hash index; // of a block, + 1
	const LLVMBasicBlockRef *points;
	size_t n_points;
	struct sp_hash offsets; // value -> where it is kept, + 1
	struct sp_hash reached; // block -> bool by block: reached from a point without it
};

static size_t index_of(struct spill *s, LLVMBasicBlockRef block)
{
	return (size_t)(uintptr_t)*sp_hash_insert(&s->index, &block, sizeof(block)) - 1;
}

static void number_blocks(struct spill *s, LLVMValueRef fn)
{
	s->n_blocks = LLVMCountBasicBlocks(fn);
	s->blocks = sp_arena_array(s->g->arena, LLVMBasicBlockRef, s->n_blocks + 1);
	LLVMGetBasicBlocks(fn, s->blocks);
	for (size_t i = 0; i < s->n_blocks; i++)
		*sp_hash_insert(&s->index, &s->blocks[i], sizeof(s->blocks[i])) = (void *)(uintptr_t)(i + 1);
}

// Which blocks can be reached from a point without entering `avoid` (NULL: any).
static bool *reach(struct spill *s, LLVMBasicBlockRef avoid)
{
	void **known = sp_hash_insert(&s->reached, &avoid, sizeof(avoid));
	LLVMBasicBlockRef *todo;
	size_t n = 0;
	bool *seen;

	if (*known)
		return *known;
	*known = seen = sp_arena_array(s->g->arena, bool, s->n_blocks + 1);
	todo = sp_calloc(s->n_blocks + 1, sizeof(*todo));
	for (size_t i = 0; i < s->n_points; i++)
		if (s->points[i] != avoid && !seen[index_of(s, s->points[i])]) {
			seen[index_of(s, s->points[i])] = true;
			todo[n++] = s->points[i];
		}
	while (n) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(todo[--n]);

		for (unsigned i = 0; last && i < LLVMGetNumSuccessors(last); i++) {
			LLVMBasicBlockRef next = LLVMGetSuccessor(last, i);

			if (next == avoid || seen[index_of(s, next)])
				continue;
			seen[index_of(s, next)] = true;
			todo[n++] = next;
		}
	}
	free(todo);
	return seen;
}

static bool is_alive_over_pause(struct spill *s, LLVMValueRef value, LLVMBasicBlockRef use)
{
	LLVMBasicBlockRef def;

	if (!LLVMIsAInstruction(value))
		return false;
	def = LLVMGetInstructionParent(value);
	if (def == use || !reach(s, NULL)[index_of(s, def)]) // the first blocks are always run
		return false;
	return reach(s, def)[index_of(s, use)];
}

static LLVMValueRef behind_definition(LLVMValueRef value)
{
	LLVMValueRef next = LLVMGetNextInstruction(value);

	while (LLVMIsAPHINode(value) && next && LLVMIsAPHINode(next))
		next = LLVMGetNextInstruction(next);
	return next;
}

// Of 8 bytes: the offset.
static uint32_t new_place(struct gen *g)
{
	uint32_t offset = g->fn->kernel->variables_size;

	g->fn->kernel->variables_size += 8;
	return offset;
}

// Address, in front of the place where code is made, of the variable that keeps the value.
static LLVMValueRef kept_at(struct spill *s, LLVMValueRef value, LLVMValueRef at)
{
	struct gen *g = s->g;
	void **known = sp_hash_insert(&s->offsets, &value, sizeof(value));
	uint32_t offset = *known ? (uint32_t)(uintptr_t)*known - 1 : new_place(g);

	if (!*known) {
		*known = (void *)(uintptr_t)(offset + 1);
		LLVMPositionBuilderBefore(g->b, behind_definition(value));
		LLVMSetAlignment(LLVMBuildStore(g->b, value, gen_at(g, g->fn->kernel->variables, offset)), 8);
	}
	LLVMPositionBuilderBefore(g->b, at);
	return gen_at(g, g->fn->kernel->variables, offset);
}

// The same value at `at`, where it is used.
static LLVMValueRef again(struct spill *s, LLVMValueRef value, LLVMValueRef at)
{
	struct gen *g = s->g;
	LLVMValueRef load, base, offset;

	if (!is_alive_over_pause(s, value, LLVMGetInstructionParent(at)))
		return value;
	if (LLVMIsAGetElementPtrInst(value)) {
		base = again(s, LLVMGetOperand(value, 0), at);
		offset = again(s, LLVMGetOperand(value, 1), at);
		LLVMPositionBuilderBefore(g->b, at);
		return gen_at_index(g, base, offset);
	}
	if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMIntegerTypeKind) {
		gen_bug(g, "a pointer is alive over a pause");
		return value;
	}
	load = LLVMBuildLoad2(g->b, LLVMTypeOf(value), kept_at(s, value, at), "");
	LLVMSetAlignment(load, 8);
	return load;
}

static void spill_phi(struct spill *s, LLVMValueRef phi)
{
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, i));
		LLVMValueRef value = LLVMGetIncomingValue(phi, i), same = again(s, value, last);

		if (same != value)
			LLVMSetOperand(phi, i, same);
	}
}

static void spill_instruction(struct spill *s, LLVMValueRef i)
{
	for (int k = 0; k < LLVMGetNumOperands(i); k++) {
		LLVMValueRef value = LLVMGetOperand(i, (unsigned)k), same;

		if (LLVMValueIsBasicBlock(value))
			continue;
		same = again(s, value, i);
		if (same != value)
			LLVMSetOperand(i, (unsigned)k, same);
	}
}

// ---- variables ----------------------------------------------------------------------------------

static bool is_store_to(LLVMValueRef i, LLVMValueRef variable)
{
	return LLVMIsAStoreInst(i) && LLVMGetOperand(i, 1) == variable && LLVMGetOperand(i, 0) != variable;
}

static bool uses(LLVMValueRef i, LLVMValueRef variable)
{
	for (int k = 0; k < LLVMGetNumOperands(i); k++)
		if (LLVMGetOperand(i, (unsigned)k) == variable)
			return true;
	return false;
}

enum first_use { UNUSED, SET, READ };

// What the block does first with the variable.
static enum first_use first_use(LLVMBasicBlockRef block, LLVMValueRef variable)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
		if (uses(i, variable))
			return is_store_to(i, variable) ? SET : READ;
	return UNUSED;
}

// Is it read behind a point before it is set there?
static bool outlives_pause(struct spill *s, LLVMValueRef variable)
{
	LLVMBasicBlockRef *todo = sp_calloc(s->n_blocks + 1, sizeof(*todo));
	bool *seen = sp_calloc(s->n_blocks + 1, sizeof(*seen)), found = false;
	size_t n = 0;

	for (size_t i = 0; i < s->n_points; i++) {
		seen[index_of(s, s->points[i])] = true;
		todo[n++] = s->points[i];
	}
	while (n && !found) {
		LLVMBasicBlockRef block = todo[--n];
		LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
		enum first_use use = first_use(block, variable);

		found = use == READ;
		for (unsigned i = 0; use == UNUSED && last && i < LLVMGetNumSuccessors(last); i++) {
			LLVMBasicBlockRef next = LLVMGetSuccessor(last, i);

			if (seen[index_of(s, next)])
				continue;
			seen[index_of(s, next)] = true;
			todo[n++] = next;
		}
	}
	free(todo);
	free(seen);
	return found;
}

static void keep_variable(struct spill *s, LLVMValueRef variable)
{
	struct gen *g = s->g;
	uint32_t offset = new_place(g);

	for (size_t b = 0; b < s->n_blocks; b++)
		for (LLVMValueRef i = LLVMGetFirstInstruction(s->blocks[b]); i; i = LLVMGetNextInstruction(i))
			for (int k = 0; k < LLVMGetNumOperands(i); k++) {
				if (LLVMGetOperand(i, (unsigned)k) != variable)
					continue;
				LLVMPositionBuilderBefore(g->b, i);
				LLVMSetOperand(i, (unsigned)k, gen_at(g, g->fn->kernel->variables, offset));
			}
}

static void keep_variables(struct spill *s)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(s->g->fn->entry); i; i = LLVMGetNextInstruction(i))
		if (LLVMIsAAllocaInst(i) && LLVMGetAllocatedType(i) == s->g->i64 && outlives_pause(s, i))
			keep_variable(s, i);
}

void gen_spill(struct gen *g, LLVMValueRef fn, const LLVMBasicBlockRef *points, size_t n_points)
{
	struct spill s = { .g = g, .points = points, .n_points = n_points };

	sp_hash_init(&s.index);
	sp_hash_init(&s.offsets);
	sp_hash_init(&s.reached);
	number_blocks(&s, fn);
	keep_variables(&s);
	for (size_t b = 0; b < s.n_blocks; b++)
		for (LLVMValueRef i = LLVMGetFirstInstruction(s.blocks[b]); i; i = LLVMGetNextInstruction(i)) {
			if (LLVMIsAPHINode(i))
				spill_phi(&s, i);
			else
				spill_instruction(&s, i);
		}
	sp_hash_deinit(&s.index);
	sp_hash_deinit(&s.offsets);
	sp_hash_deinit(&s.reached);
}
