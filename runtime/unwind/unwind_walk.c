// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/unwind/unwind_walk.h"

#include "runtime/abi/unwind.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/hash.h"
#include "runtime/base/util.h"
#include "runtime/machine/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define STACK_NEAR (UINT64_C(8) << 20) // so near the stack pointer is the stack, and no code

struct mapping {
	uint64_t start, end, offset;
	const struct unwind_table *table;
};

struct unwind_walker {
	struct sp_hash tables; // by struct file_key; owned
	pid_t pid; // of the mappings; 0: none
	dev_t dev; // of its program, which another one may have taken the place of
	ino_t inode;
	SP_VEC(struct mapping) mappings;
	struct sp_err **unread;
};

// A new file can have the inode of one that has gone, and a file can be written anew.
struct file_key {
	uint64_t dev, inode, seconds, nanoseconds; // when it was changed last
};

struct unwind_walker *unwind_walker_create(struct sp_err **unread)
{
	struct unwind_walker *walker = sp_calloc(1, sizeof(*walker));

	walker->unread = unread;
	return walker;
}

void unwind_walker_destroy(struct unwind_walker *walker)
{
	if (!walker)
		return;
	sp_hash_each(it, &walker->tables) {
		unwind_table_deinit(it->value);
		free(it->value);
	}
	sp_hash_deinit(&walker->tables);
	sp_vec_deinit(&walker->mappings);
	free(walker);
}

void unwind_walker_forget(struct unwind_walker *walker)
{
	walker->pid = 0;
}

// ---- what is mapped --------------------------------------------------------------------------------------------------

static const struct unwind_table *table_of(struct unwind_walker *walker, const struct image_mapping *m)
{
	sp_cleanup_free char *path = image_mapping_path(walker->pid, m);
	struct file_key key = { .dev = m->dev, .inode = m->inode };
	struct stat st;
	void **known;

	if (!stat(path, &st)) {
		key.seconds = (uint64_t)st.st_mtim.tv_sec;
		key.nanoseconds = (uint64_t)st.st_mtim.tv_nsec;
	}
	known = sp_hash_insert(&walker->tables, &key, sizeof(key));
	if (*known)
		return *known;
	*known = sp_calloc(1, sizeof(struct unwind_table));
	sp_err_keep(walker->unread, unwind_table_read(path, *known)); // then it is empty
	return *known;
}

static bool add_mapping(void *ctx, const struct image_mapping *m)
{
	struct unwind_walker *walker = ctx;

	if (m->executable)
		sp_vec_push(&walker->mappings, ((struct mapping){ m->start, m->end, m->offset, table_of(walker, m) }));
	return true;
}

static void read_mappings(struct unwind_walker *walker)
{
	walker->mappings.n = 0;
	sp_err_free(image_each_mapping(walker->pid, add_mapping, walker));
}

static const struct mapping *known_mapping(const struct unwind_walker *walker, uint64_t address)
{
	sp_vec_each (m, &walker->mappings)
		if (address - m->start < m->end - m->start)
			return m;
	return NULL;
}

// Another process, or another program in it.
static bool is_other(struct unwind_walker *walker, pid_t pid)
{
	char path[64];
	struct stat st = { 0 };
	bool is_same;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (stat(path, &st))
		st = (struct stat){ 0 };
	is_same = walker->pid == pid && walker->dev == st.st_dev && walker->inode == st.st_ino;
	walker->pid = pid;
	walker->dev = st.st_dev;
	walker->inode = st.st_ino;
	return !is_same;
}

// ---- the row ---------------------------------------------------------------------------------------------------------

// What holds at a place of the file; SP_UNWIND_NONE when nothing is known.
static uint32_t find_row(const struct unwind_table *table, uint64_t place)
{
	uint64_t bucket = place >> table->shift;
	uint32_t low, high;

	if (!table->elements.n || bucket >= table->n_buckets)
		return SP_UNWIND_NONE;
	low = (uint32_t)table->elements.v[bucket];
	high = (uint32_t)(table->elements.v[bucket] >> 32);
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if ((uint32_t)table->elements.v[middle] <= place)
			low = middle;
		else
			high = middle;
	}
	return (uint32_t)(table->elements.v[low] >> 32);
}

// ---- the caller ------------------------------------------------------------------------------------------------------

struct walk {
	const struct unwind_thread *thread;
	uint64_t pc, sp, bp;
	bool is_return; // pc is where a call returns to
};

static bool read_word(const struct walk *w, uint64_t address, uint64_t *ret)
{
	return w->thread->read(w->thread->ctx, address, ret, sizeof(*ret)) >= 0;
}

static bool by_pointer(struct walk *w)
{
	uint64_t words[2];

	if (w->bp < w->sp || w->thread->read(w->thread->ctx, w->bp, words, sizeof(words)) < 0)
		return false;
	w->sp = w->bp + sizeof(words);
	w->bp = words[0];
	w->pc = words[1];
	w->is_return = true;
	return true;
}

static bool by_signal(struct walk *w)
{
	const uint64_t context = w->sp;

	w->is_return = false;
	return read_word(w, context + SP_UNWIND_SIGNAL_RBP * 8, &w->bp) && read_word(w, context + SP_UNWIND_SIGNAL_RSP * 8, &w->sp) &&
	       read_word(w, context + (SP_UNWIND_SIGNAL_RSP + 1) * 8, &w->pc);
}

static bool find_cfa(const struct walk *w, uint32_t row, uint64_t at, uint64_t *ret)
{
	int64_t words = (int32_t)(row << (32 - SP_UNWIND_RBP_SHIFT)) >> (32 - SP_UNWIND_CFA_BITS);
	uint64_t offset = (uint64_t)words * 8;

	switch ((enum sp_unwind_kind)(row & ((1 << SP_UNWIND_KIND_BITS) - 1))) {
	case SP_UNWIND_SP:
		*ret = w->sp + offset;
		break;
	case SP_UNWIND_BP:
		*ret = w->bp + offset;
		break;
	case SP_UNWIND_BP_DEREF:
		if (!read_word(w, w->bp + offset, ret))
			return false;
		break;
	case SP_UNWIND_PLT:
		*ret = w->sp + ((int64_t)(at & 15) >= words ? 16 : 8);
		break;
	case SP_UNWIND_NONE: case SP_UNWIND_END: case SP_UNWIND_SIGNAL: case SP_UNWIND_R10:
		return false;
	}
	return *ret > w->sp;
}

static bool by_row(struct walk *w, uint32_t row, uint64_t at)
{
	uint32_t rbp = row >> SP_UNWIND_RBP_SHIFT;
	uint64_t cfa, pc;

	if (!find_cfa(w, row, at, &cfa) || !read_word(w, cfa - 8, &pc))
		return false;
	if (rbp != SP_UNWIND_RBP_SAME && !read_word(w, rbp == SP_UNWIND_RBP_AT_BP ? w->bp : cfa - (uint64_t)rbp * 8, &w->bp))
		w->bp = 0; // it may never be needed
	w->pc = pc;
	w->sp = cfa;
	w->is_return = true;
	return true;
}

static bool call(struct walk *w, const struct mapping *mapping, uint64_t at)
{
	uint32_t row = mapping ? find_row(mapping->table, at - mapping->start + mapping->offset) : SP_UNWIND_NONE;

	switch ((enum sp_unwind_kind)(row & ((1 << SP_UNWIND_KIND_BITS) - 1))) {
	case SP_UNWIND_NONE: case SP_UNWIND_R10:
		return by_pointer(w);
	case SP_UNWIND_END:
		return false;
	case SP_UNWIND_SIGNAL:
		return by_signal(w);
	case SP_UNWIND_SP: case SP_UNWIND_BP: case SP_UNWIND_BP_DEREF: case SP_UNWIND_PLT:
		break;
	}
	return by_row(w, row, at);
}

// ---- the walk --------------------------------------------------------------------------------------------------------

static const struct mapping *find_mapping(struct unwind_walker *walker, uint64_t address, bool *is_new)
{
	const struct mapping *m = known_mapping(walker, address);

	if (m || *is_new)
		return m;
	read_mappings(walker);
	*is_new = true;
	return known_mapping(walker, address);
}

size_t unwind_walk(struct unwind_walker *walker, const struct unwind_thread *thread, uint64_t *ret, size_t max)
{
	struct walk w = { thread, thread->pc, thread->sp, thread->bp, false };
	bool is_new = is_other(walker, thread->pid);
	size_t n = 0;

	if (is_new)
		read_mappings(walker);
	while (n < max && w.pc) {
		uint64_t at = w.pc - w.is_return;
		const struct mapping *mapping = find_mapping(walker, at, &is_new);

		if (n == 0 && (!mapping || !mapping->table->elements.n))
			return 0;
		if (!mapping && w.pc - w.sp + STACK_NEAR < 2 * STACK_NEAR)
			break;
		ret[n++] = w.pc;
		if (!call(&w, mapping, at))
			break;
	}
	return n;
}
