// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/vm/vm_text.h"

#include "runtime/print/format.h"
#include "runtime/print/stack_key.h"
#include "runtime/vm/vm_arg.h"
#include "runtime/vm/vm_format.h"

#include <unistd.h>

// Whose record it is, the machine knows: the rest of a handler speaks for that, and the user engine's code knows no site.
static void fill_site(struct vm *vm, const struct sp_event_head *head)
{
	const struct bundle *b = vm->env.bundle;
	const struct sp_format *format = head->id < b->n_formats ? &b->formats[head->id] : NULL;
	uint64_t site = vm->site;
	size_t at;

	if (!format || !(format->flags & SP_FORMAT_TELLS_WHO) || vm->text.len < format->record_size)
		return;
	at = format->record_size - sizeof(struct sp_event_who) + offsetof(struct sp_event_who, site);
	memcpy(vm->text.data + at, &site, sizeof(site));
}

bool vm_text_emit(struct vm *vm, uint64_t *r)
{
	const void *record;
	struct sp_event_head head;
	struct sp_event_error *error;

	if (!vm_arg_memory(vm, r[1], r[2], false, &record))
		return false;
	if (r[2] >= sizeof(head)) {
		memcpy(&head, record, sizeof(head));
		sp_buf_clear(&vm->text);
		sp_buf_add(&vm->text, record, r[2]);
		head.prog = (uint16_t)vm->prog;
		if (vm->task->deferred) // behind the exit() of its beginning
			head.kind |= vm->task->deferred->head.kind & SP_EVENT_GOES_ON;
		if ((head.kind & ~SP_EVENT_GOES_ON) == SP_EVENT_DEFERRED)
			head.id = vm->site;
		memcpy(vm->text.data, &head, sizeof(head));
		error = (struct sp_event_error *)vm->text.data;
		if ((head.kind & ~SP_EVENT_GOES_ON) == SP_EVENT_ERROR && r[2] >= sizeof(*error))
			error->site = vm->site;
		if ((head.kind & ~SP_EVENT_GOES_ON) == SP_EVENT_FORMAT)
			fill_site(vm, &head);
		record = vm->text.data;
	}
	transport_record(vm->env.transport, record, r[2]);
	r[0] = 0;
	return true;
}

bool vm_text_format(struct vm *vm, uint64_t *r)
{
	const struct bundle *b = vm->env.bundle;
	const void *record;
	char *dst;

	if (r[3] >= b->n_formats)
		return vm_arg_fault(vm, "an unknown format");
	if (!vm_arg_memory(vm, r[1], r[2], true, &dst) ||
	    !vm_arg_memory(vm, r[4], b->formats[r[3]].record_size, false, &record))
		return false;
	sp_buf_clear(&vm->text);
	format_record(&vm->text, b, vm->env.transport->symbols, &b->formats[r[3]], record);
	// %c and %m may print a NUL, where the string ends.
	r[0] = strlen(sp_buf_str(&vm->text));
	vm_arg_put_text(dst, r[2], sp_buf_str(&vm->text), r[0]);
	return true;
}

bool vm_text_symbols(struct vm *vm, uint64_t *r)
{
	struct sp_symbols head;
	const void *symbols;
	size_t len;
	char *dst;

	if (!vm_arg_memory(vm, r[1], r[2], true, &dst) || !vm_arg_memory(vm, r[3], r[4], false, &symbols))
		return false;
	sp_buf_clear(&vm->text);
	symbols_put(&vm->text, vm->env.transport->symbols, symbols, r[4]);
	len = vm->text.len;
	memcpy(&head, symbols, SP_MIN(sizeof(head), r[4]));
	if (len >= r[2] && r[4] >= sizeof(head) && head.text == SP_SYMBOL_HEX)
		for (len = r[2] ? r[2] - 1 : 0; len && vm->text.data[len - 1] != ' '; len--)
			;
	vm_arg_put_text(dst, r[2], sp_buf_str(&vm->text), len);
	r[0] = vm->text.len;
	return true;
}

// bpf_snprintf returns the length with the NUL that the whole text would have.
bool vm_text_snprintf(struct vm *vm, uint64_t *r, const char *(*string)(void *vm, uint64_t addr))
{
	struct vm_format f = { .n_values = r[5] / sizeof(uint64_t), .string = string, .ctx = vm };
	const char *format, *wrong;
	size_t len;
	char *dst;

	if (!vm_arg_memory(vm, r[1], r[2], true, &dst) || !vm_arg_string(vm, r[3], &format, &len) ||
	    !vm_arg_memory(vm, r[4], r[5], false, &f.values))
		return false;
	sp_buf_clear(&vm->text);
	wrong = vm_format(&f, format, &vm->text);
	if (vm->fault)
		return false;
	if (wrong)
		return vm_arg_fault(vm, wrong);
	vm_arg_put_text(dst, r[2], sp_buf_str(&vm->text), vm->text.len);
	r[0] = vm->text.len + 1;
	return true;
}

// Scratch memory only grows within a handler. Its addresses are the machine's, so they stay valid when the block moves.
bool vm_text_scratch(struct vm *vm, uint64_t *r)
{
	struct vm_memory *area = &vm->areas[VM_AREA_SCRATCH];
	uint64_t size = r[1], start = area->size;

	if (size > SP_VM_MAX_SCRATCH || start + SP_ALIGN_UP(size, 16) > SP_VM_MAX_SCRATCH)
		return vm_arg_fault(vm, "no more scratch memory");
	size = SP_ALIGN_UP(size, 16);
	if (start + size > vm->scratch_room) {
		vm->scratch_room = SP_ALIGN_UP(SP_MAX(start + size, vm->scratch_room * 2),
					       VM_SCRATCH_CHUNK);
		vm->scratch = sp_realloc(vm->scratch, vm->scratch_room);
	}
	if (size)
		memset(vm->scratch + start, 0, size);
	area->base = vm->scratch;
	area->size = start + size;
	r[0] = vm_address(VM_AREA_SCRATCH, start);
	return true;
}

bool vm_text_site(struct vm *vm, uint64_t *r)
{
	const struct bundle *b = vm->env.bundle;
	const struct sp_prog *prog = &b->progs[vm->prog];
	const struct sp_site *site;
	const char *text = "";
	char *dst;

	if (!vm_arg_memory(vm, r[1], r[2], true, &dst))
		return false;
	if (vm->site >= prog->n_sites)
		return vm_arg_fault(vm, "no site to name");
	site = &b->sites[prog->first_site + vm->site];
	switch (r[3]) {
	case SP_SITE_TEXT_POINT:
		text = bundle_text(b, site->point);
		break;
	case SP_SITE_TEXT_FUNCTION:
		text = bundle_text(b, site->function);
		break;
	case SP_SITE_TEXT_NAME:
		text = bundle_text(b, site->name ? site->name : site->point);
		break;
	case SP_SITE_TEXT_MODULE:
		if (site->object < b->n_objects)
			text = bundle_text(b, b->objects[site->object].kind == SP_OBJECT_PROGRAM ?
						      b->objects[site->object].path : b->objects[site->object].name);
		break;
	default:
		return vm_arg_fault(vm, "an unknown text of the site");
	}
	r[0] = vm_arg_put_text(dst, r[2], text, strlen(text));
	return true;
}

// A handler that runs for a process has the stacks of that one.
static pid_t stack_owner(const struct vm *vm, const char *text)
{
	struct symbols *symbols = vm->env.transport->symbols;
	uint64_t addresses[SP_SYMBOLS_PLACES];
	pid_t pid = (pid_t)vm->task->pid;

	return pid == getpid() && symbols ? symbols_owner(symbols, 0, addresses, stack_key_addresses(text, addresses)) : pid;
}

bool vm_text_string(struct vm *vm, int32_t id, uint64_t *r)
{
	const char *a, *b;
	size_t len_a, len_b;
	char *dst;

	switch (id) {
	case SP_VM_STRLEN:
		if (!vm_arg_string(vm, r[1], &a, &len_a))
			return false;
		r[0] = len_a;
		return true;
	case SP_VM_STACK_OWNER:
		if (!vm_arg_string(vm, r[1], &a, &len_a))
			return false;
		r[0] = (uint64_t)stack_owner(vm, a);
		return true;
	case SP_VM_STRCMP:
		if (!vm_arg_string(vm, r[1], &a, &len_a) || !vm_arg_string(vm, r[2], &b, &len_b))
			return false;
		r[0] = (uint64_t)(int64_t)strcmp(a, b);
		return true;
	case SP_VM_STRCPY:
		if (!vm_arg_memory(vm, r[1], r[2], true, &dst) || !vm_arg_string(vm, r[3], &b, &len_b))
			return false;
		r[0] = vm_arg_put_text(dst, r[2], b, len_b);
		return true;
	case SP_VM_STRCAT:
		if (!vm_arg_memory(vm, r[1], r[2], true, &dst) || !vm_arg_string(vm, r[3], &b, &len_b))
			return false;
		len_a = strnlen(dst, r[2]);
		if (len_a < r[2])
			vm_arg_put_text(dst + len_a, r[2] - len_a, b, len_b);
		r[0] = len_a + len_b;
		return true;
	}
	return vm_arg_fault(vm, "an unknown number");
}
