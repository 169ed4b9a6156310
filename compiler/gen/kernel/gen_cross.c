// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_cross.h"

struct cross {
	struct gen *g;
	LLVMBasicBlockRef *blocks;
	size_t n_blocks;
	struct sp_hash index; // of a block, + 1
	const LLVMBasicBlockRef *points;
	size_t n_points;
	struct sp_hash slots; // value -> offset + 1 of the variable that keeps it
	struct sp_hash reached; // block -> bool by block: reached from a point without it
};

static size_t index_of(struct cross *c, LLVMBasicBlockRef block)
{
	return (size_t)(uintptr_t)*sp_hash_insert(&c->index, &block, sizeof(block)) - 1;
}

static void number_blocks(struct cross *c, LLVMValueRef fn)
{
	c->n_blocks = LLVMCountBasicBlocks(fn);
	c->blocks = sp_arena_array(c->g->arena, LLVMBasicBlockRef, c->n_blocks + 1);
	LLVMGetBasicBlocks(fn, c->blocks);
	for (size_t i = 0; i < c->n_blocks; i++)
		*sp_hash_insert(&c->index, &c->blocks[i], sizeof(c->blocks[i])) = (void *)(uintptr_t)(i + 1);
}

// Which blocks can be reached from a point without entering `avoid` (NULL: any).
static bool *reach(struct cross *c, LLVMBasicBlockRef avoid)
{
	void **known = sp_hash_insert(&c->reached, &avoid, sizeof(avoid));
	LLVMBasicBlockRef *todo;
	size_t n = 0;
	bool *seen;

	if (*known)
		return *known;
	*known = seen = sp_arena_array(c->g->arena, bool, c->n_blocks + 1);
	todo = sp_calloc(c->n_blocks + 1, sizeof(*todo));
	for (size_t i = 0; i < c->n_points; i++)
		if (c->points[i] != avoid && !seen[index_of(c, c->points[i])]) {
			seen[index_of(c, c->points[i])] = true;
			todo[n++] = c->points[i];
		}
	while (n) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(todo[--n]);

		for (unsigned i = 0; last && i < LLVMGetNumSuccessors(last); i++) {
			LLVMBasicBlockRef next = LLVMGetSuccessor(last, i);

			if (next == avoid || seen[index_of(c, next)])
				continue;
			seen[index_of(c, next)] = true;
			todo[n++] = next;
		}
	}
	free(todo);
	return seen;
}

static bool crosses(struct cross *c, LLVMValueRef value, LLVMBasicBlockRef use)
{
	LLVMBasicBlockRef def;

	if (!LLVMIsAInstruction(value))
		return false;
	def = LLVMGetInstructionParent(value);
	if (def == use || !reach(c, NULL)[index_of(c, def)]) // the first blocks are always run
		return false;
	return reach(c, def)[index_of(c, use)];
}

static LLVMValueRef behind_definition(LLVMValueRef value)
{
	LLVMValueRef next = LLVMGetNextInstruction(value);

	while (LLVMIsAPHINode(value) && next && LLVMIsAPHINode(next))
		next = LLVMGetNextInstruction(next);
	return next;
}

// Address, in front of the place where code is made, of the variable that keeps the value.
static LLVMValueRef slot_of(struct cross *c, LLVMValueRef value, LLVMValueRef at)
{
	struct gen *g = c->g;
	void **known = sp_hash_insert(&c->slots, &value, sizeof(value));
	uint32_t offset = *known ? (uint32_t)(uintptr_t)*known - 1 : gen_keep_room(g);

	if (!*known) {
		*known = (void *)(uintptr_t)(offset + 1);
		LLVMPositionBuilderBefore(g->b, behind_definition(value));
		LLVMSetAlignment(LLVMBuildStore(g->b, value, gen_at(g, g->fn->variables, offset)), 8);
	}
	LLVMPositionBuilderBefore(g->b, at);
	return gen_at(g, g->fn->variables, offset);
}

// The same value at `at`, where it is used.
static LLVMValueRef again(struct cross *c, LLVMValueRef value, LLVMValueRef at)
{
	struct gen *g = c->g;
	LLVMValueRef load, base, offset;

	if (!crosses(c, value, LLVMGetInstructionParent(at)))
		return value;
	if (LLVMIsAGetElementPtrInst(value)) {
		base = again(c, LLVMGetOperand(value, 0), at);
		offset = again(c, LLVMGetOperand(value, 1), at);
		LLVMPositionBuilderBefore(g->b, at);
		return gen_at_index(g, base, offset);
	}
	if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMIntegerTypeKind) {
		gen_bug(g, "a pointer is alive over a pause");
		return value;
	}
	load = LLVMBuildLoad2(g->b, LLVMTypeOf(value), slot_of(c, value, at), "");
	LLVMSetAlignment(load, 8);
	return load;
}

static void cross_phi(struct cross *c, LLVMValueRef phi)
{
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, i));
		LLVMValueRef value = LLVMGetIncomingValue(phi, i), same = again(c, value, last);

		if (same != value)
			LLVMSetOperand(phi, i, same);
	}
}

static void cross_instruction(struct cross *c, LLVMValueRef i)
{
	for (int k = 0; k < LLVMGetNumOperands(i); k++) {
		LLVMValueRef value = LLVMGetOperand(i, (unsigned)k), same;

		if (LLVMValueIsBasicBlock(value))
			continue;
		same = again(c, value, i);
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
static bool outlives_pause(struct cross *c, LLVMValueRef variable)
{
	LLVMBasicBlockRef *todo = sp_calloc(c->n_blocks + 1, sizeof(*todo));
	bool *seen = sp_calloc(c->n_blocks + 1, sizeof(*seen)), found = false;
	size_t n = 0;

	for (size_t i = 0; i < c->n_points; i++) {
		seen[index_of(c, c->points[i])] = true;
		todo[n++] = c->points[i];
	}
	while (n && !found) {
		LLVMBasicBlockRef block = todo[--n];
		LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
		enum first_use use = first_use(block, variable);

		found = use == READ;
		for (unsigned i = 0; use == UNUSED && last && i < LLVMGetNumSuccessors(last); i++) {
			LLVMBasicBlockRef next = LLVMGetSuccessor(last, i);

			if (seen[index_of(c, next)])
				continue;
			seen[index_of(c, next)] = true;
			todo[n++] = next;
		}
	}
	free(todo);
	free(seen);
	return found;
}

static void keep_variable(struct cross *c, LLVMValueRef variable)
{
	struct gen *g = c->g;
	uint32_t offset = gen_keep_room(g);

	for (size_t b = 0; b < c->n_blocks; b++)
		for (LLVMValueRef i = LLVMGetFirstInstruction(c->blocks[b]); i; i = LLVMGetNextInstruction(i))
			for (int k = 0; k < LLVMGetNumOperands(i); k++) {
				if (LLVMGetOperand(i, (unsigned)k) != variable)
					continue;
				LLVMPositionBuilderBefore(g->b, i);
				LLVMSetOperand(i, (unsigned)k, gen_at(g, g->fn->variables, offset));
			}
}

static void keep_variables(struct cross *c)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(c->g->fn->entry); i; i = LLVMGetNextInstruction(i))
		if (LLVMIsAAllocaInst(i) && LLVMGetAllocatedType(i) == c->g->i64 && outlives_pause(c, i))
			keep_variable(c, i);
}

void gen_cross(struct gen *g, LLVMValueRef fn, const LLVMBasicBlockRef *points, size_t n_points)
{
	struct cross c = { .g = g, .points = points, .n_points = n_points };

	sp_hash_init(&c.index);
	sp_hash_init(&c.slots);
	sp_hash_init(&c.reached);
	number_blocks(&c, fn);
	keep_variables(&c);
	for (size_t b = 0; b < c.n_blocks; b++)
		for (LLVMValueRef i = LLVMGetFirstInstruction(c.blocks[b]); i; i = LLVMGetNextInstruction(i)) {
			if (LLVMIsAPHINode(i))
				cross_phi(&c, i);
			else
				cross_instruction(&c, i);
		}
	sp_hash_deinit(&c.index);
	sp_hash_deinit(&c.slots);
	sp_hash_deinit(&c.reached);
}
