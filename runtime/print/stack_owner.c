// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // process_vm_readv

#include "runtime/print/stack_owner.h"

#include <sys/uio.h>

#define CALL_MAX 7 // bytes of an instruction that calls

struct candidate {
	pid_t pid;
	struct known_process *process;
};

struct search {
	const uint64_t *addresses;
	size_t n;
	size_t fewest; // misses
	SP_VEC(struct candidate) fit; // those that have so many, one for each set of files
};

// Of the addresses those that lie in no code; no more than `most` are counted.
static size_t count_outside(const struct search *s, struct known_process *process, size_t most)
{
	size_t misses = 0;

	for (size_t i = 0; i < s->n && misses <= most; i++) {
		const struct mapping *m = processes_mapping(process, s->addresses[i]);

		misses += !m || !m->is_code;
	}
	return misses;
}

static bool has_same_file(const struct mapping *a, const struct mapping *b)
{
	return a == b || (a && b && a->file == b->file && a->start - a->offset == b->start - b->offset);
}

static bool has_same_files(const struct search *s, struct known_process *a, struct known_process *b)
{
	for (size_t i = 0; i < s->n; i++)
		if (!has_same_file(processes_mapping(a, s->addresses[i]), processes_mapping(b, s->addresses[i])))
			return false;
	return true;
}

static void consider(struct search *s, pid_t pid, struct known_process *process)
{
	size_t misses = count_outside(s, process, s->fewest);

	if (misses > s->fewest || misses == s->n)
		return;
	if (misses < s->fewest)
		s->fit.n = 0;
	s->fewest = misses;
	sp_vec_each(known, &s->fit)
		if (has_same_files(s, known->process, process))
			return;
	sp_vec_push(&s->fit, ((struct candidate){ pid, process }));
}

#if defined(__x86_64__)
static bool is_behind_call(const uint8_t end[static CALL_MAX])
{
	static const unsigned indirect[] = { 2, 3, 4, 6, 7 }; // bytes from the opcode on

	if (end[CALL_MAX - 5] == 0xe8)
		return true;
	for (size_t i = 0; i < SP_ARRAY_SIZE(indirect); i++) {
		const uint8_t *opcode = end + CALL_MAX - indirect[i];

		if (opcode[0] == 0xff && (opcode[1] >> 3 & 7) == 2)
			return true;
	}
	return false;
}
#elif defined(__aarch64__)
static bool is_behind_call(const uint8_t end[static CALL_MAX])
{
	uint32_t word;

	memcpy(&word, end + CALL_MAX - sizeof(word), sizeof(word));
	return word >> 26 == 0x25 || (word & 0xfffff000) == 0xd63f0000; // bl; blr and its authenticating kin
}
#else
static bool is_behind_call(const uint8_t end[static CALL_MAX])
{
	(void)end;
	return true; // not known here
}
#endif

// Of the addresses that are returned to those that are behind no call. Of a process that cannot be read, none.
static size_t count_uncalled(const struct search *s, const struct candidate *c)
{
	size_t misses = 0;

	for (size_t i = 1; i < s->n && !c->process->has_ended; i++) {
		uint8_t before[CALL_MAX];
		struct iovec here = { before, sizeof(before) }, there = { (void *)(uintptr_t)(s->addresses[i] - sizeof(before)), sizeof(before) }; // NOLINT

		if (process_vm_readv(c->pid, &here, 1, &there, 1, 0) == (ssize_t)sizeof(before))
			misses += !is_behind_call(before);
	}
	return misses;
}

static pid_t choose(const struct search *s, pid_t first, bool is_recorded)
{
	size_t fewest = SIZE_MAX;
	pid_t owner = 0;

	sp_vec_each(c, &s->fit) {
		size_t misses = is_recorded || s->fit.n == 1 ? 0 : count_uncalled(s, c);

		if (misses > fewest)
			continue;
		if (misses < fewest || c->pid == first)
			owner = c->pid;
		else if (owner != first)
			owner = 0;
		fewest = misses;
	}
	return owner;
}

pid_t stack_owner(const struct processes *processes, pid_t first, const uint64_t *addresses, size_t n)
{
	struct search s = { .addresses = addresses, .n = n, .fewest = SIZE_MAX };
	struct known_process *process = first ? processes_find(processes, first) : NULL;
	pid_t owner;

	if (process)
		consider(&s, first, process);
	sp_hash_each(entry, &processes->by_pid) {
		pid_t pid;

		memcpy(&pid, entry->key, sizeof(pid));
		if (pid != first)
			consider(&s, pid, entry->value);
	}
	owner = s.fit.n ? choose(&s, first, processes->is_recorded) : first;
	sp_vec_deinit(&s.fit);
	return owner;
}
