// SPDX-License-Identifier: GPL-2.0-or-later
// What the hooks of a bundle's sites need, before anyone reads it.
#include "runtime/load/bundle_check.h"

#include "runtime/base/file.h"

bool bundle_is_program(const struct bundle *b, uint32_t object)
{
	return object < b->n_objects && b->objects[object].kind == SP_OBJECT_PROGRAM;
}

static bool is_watch(const struct bundle *b, const struct sp_site *s)
{
	bool is_right_place = bundle_is_program(b, s->object) ? s->args.watch.is_relative <= 1 :
				!s->args.watch.is_relative && (!*bundle_text(b, s->symbol) || !s->args.watch.address);
	uint64_t size = s->args.watch.size;

	return is_right_place && s->args.watch.reads <= 1 && size && size <= 8 && !(size & (size - 1));
}

// Of handlers that the runtime runs. How many words the kind uses is in *n_words_ret.
static bool are_runtime_args(const struct bundle *b, const struct sp_site *s, unsigned *n_words_ret)
{
	const union sp_hook_args *a = &s->args;
	const char *symbol = bundle_text(b, s->symbol);

	*n_words_ret = s->kind == SP_SITE_TIMER || s->kind == SP_SITE_PROCFS ? 2 : 1;
	if (s->kind == SP_SITE_TIMER)
		return a->timer.period > 0 && a->timer.deviation >= 0;
	if (s->kind == SP_SITE_CONDITION)
		return *symbol && a->condition.number;
	if (s->kind != SP_SITE_PROCFS)
		return true;
	if (sp_streq(symbol, SP_INPUT_CHAR) || sp_streq(symbol, SP_INPUT_LINE))
		return a->procfs.is_write == 1 && !a->procfs.umask && !a->procfs.most;
	return !sp_file_path_fault(symbol) && a->procfs.is_write <= 1 && a->procfs.umask <= 0777 && a->procfs.most <= SP_PROCFS_MOST;
}

const char *bundle_hook_fault(const struct bundle *b, const struct sp_site *s)
{
	const union sp_hook_args *a = &s->args;
	bool has_symbol = *bundle_text(b, s->symbol);
	unsigned n_words = 0; // that the kind uses
	bool ok = true;

	switch ((enum sp_site_kind)s->kind) {
	case SP_SITE_BEGIN: case SP_SITE_END: case SP_SITE_ERROR: case SP_SITE_TIMER: case SP_SITE_CONDITION: case SP_SITE_PROCFS:
		ok = are_runtime_args(b, s, &n_words);
		break;
	case SP_SITE_KPROBE: case SP_SITE_KRETPROBE:
		n_words = 3;
		ok = (has_symbol ? !a->kernel.address : !a->kernel.offset) &&
		     a->kernel.max_active <= (s->kind == SP_SITE_KRETPROBE ? SP_MAX_ACTIVE : 0);
		break;
	case SP_SITE_FENTRY: case SP_SITE_FEXIT:
		n_words = 1;
		ok = has_symbol;
		break;
	case SP_SITE_UPROBE: case SP_SITE_URETPROBE:
		n_words = 2;
		ok = s->object != SP_NONE && a->user.offset <= INT64_MAX && a->user.semaphore <= INT64_MAX;
		break;
	case SP_SITE_TP:
		n_words = 1;
		ok = has_symbol && a->event.only_new <= (s->flags & SP_SITE_PROCESS ? 1 : 0);
		break;
	case SP_SITE_SYSCALL:
		n_words = 1;
		ok = has_symbol && a->syscall.number < SP_SYSCALLS && a->syscall.flags <= (SP_SYSCALL_COMPAT | SP_SYSCALL_RETURN);
		break;
	case SP_SITE_PERF:
		n_words = 3;
		ok = a->perf.is_rate <= 1 && a->perf.amount > 0 && a->perf.amount <= INT64_MAX;
		break;
	case SP_SITE_WATCH:
		n_words = 3;
		ok = is_watch(b, s);
		break;
	case SP_SITE_NETFILTER:
		n_words = 2;
		ok = a->netfilter.priority >= INT32_MIN && a->netfilter.priority <= INT32_MAX;
		break;
	case SP_SITE_BPF: case SP_SITE_BPF_RETURN:
		n_words = 2;
		ok = has_symbol;
		break;
	case SP_SITE_RAW_TP: case SP_SITE_ITER: case SP_SITE_LSM: case SP_SITE_SAMPLE:
		ok = has_symbol;
		break;
	case SP_SITE_RUNNING: case SP_SITE_KIND_COUNT:
		break;
	}
	for (unsigned i = n_words; i < SP_ARRAY_SIZE(a->words); i++)
		if (a->words[i])
			return "numbers that its kind does not have";
	return ok ? NULL : "wrong numbers for its kind";
}
