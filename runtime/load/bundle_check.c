// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/load/bundle_check.h"

#include "runtime/abi/event.h"
#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/print/format.h"
#include "runtime/print/format_value.h"
#include "runtime/load/known.h"
#include "runtime/vm/vm_verify.h"

#include <stdarg.h>
#include <stdio.h>

#define MAX_SLOTS (1u << 20)

struct sp_err *bundle_broken(const char *fmt, ...)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf what = { 0 };
	va_list args;

	va_start(args, fmt);
	sp_buf_vprintf(&what, fmt, args);
	va_end(args);
	return sp_err_new(SP_ERR_FORMAT, "not a valid compiled script: %s", sp_buf_str(&what));
}

// A wrong record: `what` says what is wrong with it.
static struct sp_err *bad(const char *section, size_t index, const char *what)
{
	return bundle_broken("%s[%zu]: %s", section, index, what);
}

#define CHECK(ok, section, index, what)                                                            \
	do {                                                                                       \
		if (!(ok))                                                                         \
			return bad((section), (index), (what));                                    \
	} while (0)

// ---- areas ----------------------------------------------------------------------------------------------------------

static uint64_t losses_size(const struct bundle *b)
{
	return (uint64_t)b->n_progs * SP_LOSS_COUNT * sizeof(uint64_t);
}

// The room for struct sp_order with the largest element of any map that it serves.
static uint64_t order_size(const struct bundle *b)
{
	uint64_t most = 0;

	for (unsigned i = 0; i < b->n_maps; i++)
		if (b->maps[i].flags & SP_MAP_ORDERED)
			most = SP_MAX(most, (uint64_t)b->maps[i].key_size + b->maps[i].value_size);
	return sizeof(struct sp_order) + most;
}

static struct sp_err *check_areas(const struct bundle *b, const struct bundle_areas *areas)
{
	const struct sp_bundle_head *h = b->head;
	bool in_kernel = false;

	for (unsigned i = 0; i < b->n_progs; i++)
		in_kernel |= (b->progs[i].flags & SP_PROG_IN_KERNEL) != 0;
	if (h->data_size < sizeof(struct sp_control) || h->data_size > BUNDLE_MAX_AREA)
		return bundle_broken("the head's data_size is wrong");
	if (h->losses_offset < sizeof(struct sp_control) || h->losses_offset % 8 ||
	    !bundle_in_range(h->losses_offset, losses_size(b), h->data_size))
		return bundle_broken("the head's losses_offset is wrong");
	if (h->order_offset && (h->order_offset < h->losses_offset + losses_size(b) || h->order_offset % 8 ||
				!bundle_in_range(h->order_offset, order_size(b), h->data_size)))
		return bundle_broken("the head's order_offset is wrong");
	if (h->locks_offset && (h->locks_offset < h->losses_offset + losses_size(b) || h->locks_offset > h->data_size ||
				h->locks_offset % sizeof(struct sp_lock) || h->data_size % sizeof(struct sp_lock)))
		return bundle_broken("the head's locks_offset is wrong");
	if (h->n_slots > MAX_SLOTS)
		return bundle_broken("the head's n_slots is wrong");
	if (areas->has_data ? areas->data_size < h->data_size : in_kernel)
		return bundle_broken("section %s does not hold data_size bytes", SP_DATA_SECTION);
	if (areas->has_slots ? areas->slots_size / 8 < h->n_slots : in_kernel && h->n_slots)
		return bundle_broken("section %s does not hold n_slots slots", SP_SLOTS_SECTION);
	if (h->scratch_size && (h->scratch_size < sizeof(uint64_t) * 2 || h->scratch_size > BUNDLE_MAX_ITEM))
		return bundle_broken("the head's scratch_size is wrong");
	if (h->ring_size < SP_RING_MIN || h->ring_size > SP_RING_MAX || (h->ring_size & (h->ring_size - 1)))
		return bundle_broken("the head's ring_size is wrong");
	return NULL;
}

// ---- records --------------------------------------------------------------------------------------------------------

static bool is_text(const struct bundle *b, uint32_t offset)
{
	return offset < b->strings_size;
}

static bool is_value_size(unsigned type, uint32_t size)
{
	return type == SP_LONG ? size == 8
			       : type == SP_STRING && size && size % 8 == 0 && size <= BUNDLE_MAX_ITEM;
}

static bool is_symbols_size(uint32_t size)
{
	return size > sizeof(struct sp_symbols) && size % 8 == 0 && size <= sizeof(struct sp_symbols) + SP_SYMBOLS_PLACES * 8;
}

static bool is_site_for(unsigned site_kind, const struct sp_prog *prog)
{
	switch ((enum sp_site_kind)site_kind) {
	case SP_SITE_BEGIN:
	case SP_SITE_END:
	case SP_SITE_ERROR:
	case SP_SITE_TIMER:
	case SP_SITE_CONDITION:
	case SP_SITE_PROCFS:
	case SP_SITE_RUNNING:
	case SP_SITE_SAMPLE:
		return prog->kind == SP_PROG_USER;
	case SP_SITE_KPROBE:
	case SP_SITE_KRETPROBE:
	case SP_SITE_UPROBE:
	case SP_SITE_URETPROBE:
		return prog->kind == SP_PROG_REGS;
	case SP_SITE_FENTRY:
		return prog->kind == SP_PROG_FENTRY || prog->kind == SP_PROG_REPLACE;
	case SP_SITE_BPF:
		return prog->kind == SP_PROG_FENTRY;
	case SP_SITE_FEXIT:
	case SP_SITE_BPF_RETURN:
		return prog->kind == SP_PROG_FEXIT;
	case SP_SITE_RAW_TP:
		return prog->kind == SP_PROG_RAW_TP;
	case SP_SITE_SYSCALL:
		return prog->kind == SP_PROG_RAW_TP || prog->kind == SP_PROG_TYPED_TP;
	case SP_SITE_TP:
		return prog->kind == SP_PROG_TP;
	case SP_SITE_PERF:
	case SP_SITE_WATCH:
		return prog->kind == SP_PROG_PERF;
	case SP_SITE_LSM:
		return prog->kind == SP_PROG_LSM;
	case SP_SITE_NETFILTER:
		return prog->kind == SP_PROG_NETFILTER;
	case SP_SITE_ITER:
		return prog->kind == SP_PROG_ITER;
	case SP_SITE_KIND_COUNT:
		break;
	}
	return false;
}

static struct sp_err *check_progs(const struct bundle *b)
{
	const unsigned known = SP_PROG_IN_KERNEL | SP_PROG_IN_USER | SP_PROG_FLOATS | SP_PROG_SLEEPS | SP_PROG_EMBEDS |
			       SP_PROG_SHARES;

	for (unsigned i = 0; i < b->n_progs; i++) {
		const struct sp_prog *p = &b->progs[i];
		bool in_user = p->flags & SP_PROG_IN_USER;

		CHECK(is_text(b, p->name), SP_SEC_PROGS, i, "name is out of range");
		CHECK(p->kind < SP_PROG_KIND_COUNT, SP_SEC_PROGS, i, "unknown kind");
		CHECK(!(p->flags & ~known), SP_SEC_PROGS, i, "unknown flags");
		CHECK(p->flags & (SP_PROG_IN_KERNEL | SP_PROG_IN_USER), SP_SEC_PROGS, i,
		      "it runs nowhere");
		CHECK(p->kind != SP_PROG_USER || !(p->flags & SP_PROG_IN_KERNEL), SP_SEC_PROGS, i,
		      "a user-side handler cannot be in the kernel");
		CHECK(!(p->flags & SP_PROG_SLEEPS) || p->kind == SP_PROG_REGS, SP_SEC_PROGS, i, "a program of this kind cannot sleep");
		CHECK(!(p->flags & SP_PROG_IN_KERNEL) || *bundle_text(b, p->name), SP_SEC_PROGS, i,
		      "no name");
		CHECK(bundle_in_range(p->first_site, p->n_sites, b->n_sites), SP_SEC_PROGS, i,
		      "sites are out of range");
		CHECK(bundle_in_range(p->user_insn, p->n_user_insns, b->n_user), SP_SEC_PROGS, i,
		      "code is out of range");
		CHECK(in_user == (p->n_user_insns > 0), SP_SEC_PROGS, i, "flags and code differ");
		CHECK(p->place < b->n_places, SP_SEC_PROGS, i, "place is out of range");
		CHECK(!p->rest || (p->rest <= b->n_progs && b->progs[p->rest - 1].kind == SP_PROG_USER &&
				   !b->progs[p->rest - 1].n_sites && b->progs[p->rest - 1].n_user_insns), SP_SEC_PROGS, i,
		      "no program can be its rest");
		CHECK(!p->condition || (p->kind != SP_PROG_USER && p->condition <= b->n_sites), SP_SEC_PROGS, i, "no condition can be its own");
	}
	return NULL;
}

static struct sp_err *check_sites(const struct bundle *b)
{
	for (unsigned i = 0; i < b->n_sites; i++) {
		const struct sp_site *s = &b->sites[i];
		const struct sp_prog *p;
		const char *wrong;

		CHECK(s->kind < SP_SITE_KIND_COUNT, SP_SEC_SITES, i, "unknown kind");
		CHECK(!(s->flags & ~(SP_SITE_OPTIONAL | SP_SITE_PROCESS | SP_SITE_INSIDE | SP_SITE_BEGINS)), SP_SEC_SITES, i, "unknown flags");
		CHECK(s->prog < b->n_progs, SP_SEC_SITES, i, "prog is out of range");
		p = &b->progs[s->prog];
		// With this check, the site ranges of two programs cannot overlap.
		CHECK(i >= p->first_site && i - p->first_site < p->n_sites, SP_SEC_SITES, i,
		      "it is not among its program's sites");
		CHECK(is_site_for(s->kind, p), SP_SEC_SITES, i, "its program is of another kind");
		CHECK(is_text(b, s->point) && is_text(b, s->name) && is_text(b, s->function) &&
			      is_text(b, s->symbol) && is_text(b, s->section) && is_text(b, s->why),
		      SP_SEC_SITES, i, "a text is out of range");
		CHECK(s->object == SP_NONE || s->object < b->n_objects, SP_SEC_SITES, i,
		      "object is out of range");
		CHECK(!(s->flags & SP_SITE_INSIDE) || s->kind == SP_SITE_UPROBE, SP_SEC_SITES, i, "it is no place in a program");
		CHECK(!(s->flags & SP_SITE_PROCESS) || s->kind == SP_SITE_TP, SP_SEC_SITES, i, "it is no event of processes");
		CHECK(!(s->flags & SP_SITE_BEGINS) || s->kind == SP_SITE_TP || s->kind == SP_SITE_UPROBE, SP_SEC_SITES, i,
		      "it is no event of processes");
		CHECK(s->program == SP_NONE || (s->program < b->n_objects && s->program < SP_FAMILY_PROGRAMS &&
						b->objects[s->program].kind == SP_OBJECT_PROGRAM),
		      SP_SEC_SITES, i, "program is out of range");
		wrong = bundle_hook_fault(b, s);
		if (wrong)
			return bad(SP_SEC_SITES, i, wrong);
	}
	for (unsigned i = 0; i < b->n_progs; i++)
		for (unsigned k = 0; k < b->progs[i].n_sites; k++)
			CHECK(b->sites[b->progs[i].first_site + k].prog == i, SP_SEC_PROGS, i,
			      "a site belongs to another program");
	return NULL;
}

static struct sp_err *check_fields(const struct bundle *b)
{
	for (unsigned i = 0; i < b->n_fields; i++) {
		const struct sp_field *f = &b->fields[i];

		if (f->type > SP_SYMBOLS) {
			const char *wrong = format_value_check(b, f);

			if (wrong)
				return bad(SP_SEC_FIELDS, i, wrong);
			continue;
		}
		CHECK(f->type == SP_SYMBOLS ? is_symbols_size(f->size) : is_value_size(f->type, f->size), SP_SEC_FIELDS, i,
		      "wrong type or size");
		CHECK(f->offset % 8 == 0 && f->offset <= BUNDLE_MAX_ITEM, SP_SEC_FIELDS, i, "wrong offset");
	}
	for (unsigned i = 0; i < b->n_names; i++) {
		CHECK(is_text(b, b->names[i].text), SP_SEC_NAMES, i, "text is out of range");
		CHECK(b->names[i].left < b->n_names - i, SP_SEC_NAMES, i, "too many follow");
		CHECK(i + 1 == b->n_names || !b->names[i].left || b->names[i + 1].left + 1 == b->names[i].left,
		      SP_SEC_NAMES, i, "their number is wrong");
	}
	return NULL;
}

// Texts of a part of a key: in order, and no longer than there is room for.
static struct sp_err *check_known(const struct bundle *b, unsigned i, const struct sp_field *f)
{
	const char *previous = NULL;

	if (!f->flags || (f->flags == SP_FIELD_HEX && f->type == SP_LONG))
		return NULL;
	CHECK(f->flags == SP_FIELD_KNOWN && f->type == SP_STRING, SP_SEC_MAPS, i, "a key has unknown flags");
	CHECK(f->more < b->n_names, SP_SEC_MAPS, i, "the texts of a key are out of range");
	for (uint32_t n = 0; n <= b->names[f->more].left; n++) {
		const struct sp_name *name = &b->names[f->more + n];
		const char *text = bundle_text(b, name->text);

		CHECK(name->value == n && strlen(text) < f->size && (!previous || strcmp(previous, text) < 0), SP_SEC_MAPS, i,
		      "the texts of a key are in no order");
		previous = text;
	}
	return NULL;
}

static struct sp_err *check_map_keys(const struct bundle *b, unsigned i)
{
	const struct sp_map *m = &b->maps[i];
	uint64_t sum = 0;

	CHECK(bundle_in_range(m->first_key, m->n_keys, b->n_fields), SP_SEC_MAPS, i,
	      "keys are out of range");
	if (m->n_keys == 0 && m->kind == SP_MAP_STAT) {
		CHECK(m->key_size == SP_STAT_KEY_SIZE && m->max_entries == 1, SP_SEC_MAPS, i, "it is no scalar");
		return NULL;
	}
	// A map that the compiler has made for itself may have a key that is no value of the language.
	if (m->n_keys == 0 && (m->flags & SP_MAP_PRIVATE) && m->key_size)
		return NULL;
	CHECK(m->n_keys > 0, SP_SEC_MAPS, i, "no keys");
	for (unsigned k = 0; k < m->n_keys; k++) {
		const struct sp_field *f = &b->fields[m->first_key + k];

		CHECK(f->type <= SP_STRING, SP_SEC_MAPS, i, "a key is no value of the language");
		CHECK(f->offset == sum, SP_SEC_MAPS, i, "the keys leave gaps");
		SP_TRY(check_known(b, i, f));
		sum += f->size;
	}
	CHECK(sum == m->key_size, SP_SEC_MAPS, i, "the keys do not fill key_size");
	return NULL;
}

// Behind the counters of losses: of what the kernel's programs have there of an array.
static struct sp_err *check_data(const struct bundle *b, unsigned i, uint64_t size)
{
	uint32_t offset = b->maps[i].data_offset;

	CHECK(offset % 8 == 0 && offset >= b->head->losses_offset + losses_size(b) && bundle_in_range(offset, size, b->head->data_size),
	      SP_SEC_MAPS, i, "its elements are outside the data area");
	return NULL;
}

static struct sp_err *check_direct(const struct bundle *b, unsigned i)
{
	const struct sp_map *m = &b->maps[i];
	const struct sp_field *key = &b->fields[m->first_key];

	if (!(m->flags & SP_MAP_DIRECT))
		return NULL;
	CHECK(m->kind == SP_MAP_HASH && m->value_type == SP_LONG && m->n_keys == 1 && key->flags & SP_FIELD_KNOWN &&
		      !(m->flags & SP_MAP_WRAPS),
	      SP_SEC_MAPS, i, "its elements have no places");
	return check_data(b, i, ((uint64_t)b->names[key->more].left + 1) * sizeof(struct sp_direct));
}

static struct sp_err *check_split(const struct bundle *b, unsigned i)
{
	const struct sp_map *m = &b->maps[i];
	const struct sp_field *last = m->n_keys ? &b->fields[m->first_key + m->n_keys - 1] : NULL;

	if (!(m->flags & SP_MAP_SPLIT))
		return NULL;
	CHECK(last && last->type == SP_STRING && last->size > sp_short_text(last->size) && known_key_size(b, m) == m->key_size &&
		      !(m->flags & (SP_MAP_WRAPS | SP_MAP_DIRECT)),
	      SP_SEC_MAPS, i, "its keys end in no text");
	return check_data(b, i, sizeof(uint64_t));
}

// The size of a record follows from the extractors that are read.
static struct sp_err *check_map_stat(const struct bundle *b, unsigned i)
{
	const struct sp_map *m = &b->maps[i];
	const struct sp_stat_shape *shape = &m->stat;

	CHECK(shape->reads < 1u << SP_STAT_KIND_COUNT, SP_SEC_MAPS, i, "unknown extractors");
	CHECK(!(shape->reads >> SP_STAT_LINEAR & 1) || sp_hist_linear_buckets(&shape->linear), SP_SEC_MAPS, i,
	      "a histogram that cannot be");
	CHECK(m->value_type == SP_LONG && m->value_size == sp_stat_size(shape), SP_SEC_MAPS, i,
	      "its records are of another size");
	// The display at the end of the script reads these.
	CHECK(!(m->flags & SP_MAP_UNREAD) || (shape->reads & SP_STAT_UNREAD) == SP_STAT_UNREAD, SP_SEC_MAPS, i,
	      "it does not keep what is printed at the end");
	return NULL;
}

static struct sp_err *check_maps(const struct bundle *b)
{
	const unsigned known = SP_MAP_WRAPS | SP_MAP_UNREAD | SP_MAP_PRIVATE | SP_MAP_ORDERED | SP_MAP_APART |
			       SP_MAP_DIRECT | SP_MAP_HEX | SP_MAP_PLAIN | SP_MAP_SPLIT | SP_MAP_FORGETS;

	for (unsigned i = 0; i < b->n_maps; i++) {
		const struct sp_map *m = &b->maps[i];

		CHECK(is_text(b, m->name) && is_text(b, m->label) && is_text(b, m->key_names), SP_SEC_MAPS, i,
		      "a text is out of range");
		CHECK(m->kind < SP_MAP_KIND_COUNT, SP_SEC_MAPS, i, "unknown kind");
		CHECK(!(m->flags & ~known), SP_SEC_MAPS, i, "unknown flags");
		CHECK((m->flags & SP_MAP_PRIVATE) || m->place < b->n_places, SP_SEC_MAPS, i,
		      "place is out of range");
		if (m->kind == SP_MAP_STAT)
			SP_TRY(check_map_stat(b, i));
		CHECK(!(m->flags & SP_MAP_ORDERED) || (m->flags & SP_MAP_WRAPS && b->head->order_offset), SP_SEC_MAPS, i,
		      "it has no order");
		CHECK(!(m->flags & SP_MAP_FORGETS) || (m->kind == SP_MAP_HASH && m->n_keys && !(m->flags & ~(SP_MAP_FORGETS | SP_MAP_PRIVATE))),
		      SP_SEC_MAPS, i, "it cannot forget");
		CHECK(!(m->flags & SP_MAP_APART) || m->kind == SP_MAP_STAT, SP_SEC_MAPS, i, "it is no aggregate");
		CHECK(m->key_size <= BUNDLE_MAX_ITEM &&
			      (m->kind == SP_MAP_STAT || is_value_size(m->value_type, m->value_size)),
		      SP_SEC_MAPS, i, "wrong key or value size");
		CHECK(m->max_entries > 0 && m->max_entries <= SP_MAP_MAX_ENTRIES, SP_SEC_MAPS, i,
		      "wrong number of entries");
		SP_TRY(check_map_keys(b, i));
		SP_TRY(check_direct(b, i));
		SP_TRY(check_split(b, i));
	}
	return NULL;
}

static struct sp_err *check_globals(const struct bundle *b)
{
	uint64_t losses = b->head->losses_offset;

	for (unsigned i = 0; i < b->n_globals; i++) {
		const struct sp_global *g = &b->globals[i];
		uint64_t end = (uint64_t)g->offset + g->size;

		CHECK(is_text(b, g->name), SP_SEC_GLOBALS, i, "name is out of range");
		CHECK(!(g->flags & ~(SP_GLOBAL_UNREAD | SP_GLOBAL_PRIVATE | SP_GLOBAL_HEX)), SP_SEC_GLOBALS, i,
		      "unknown flags");
		CHECK(is_value_size(g->type, g->size), SP_SEC_GLOBALS, i, "wrong type or size");
		CHECK(g->offset % 8 == 0 && g->offset >= sizeof(struct sp_control) &&
			      end <= b->head->data_size,
		      SP_SEC_GLOBALS, i, "it is outside the data area");
		CHECK(end <= losses || g->offset >= losses + losses_size(b), SP_SEC_GLOBALS, i, "it overlaps the counters");
	}
	return NULL;
}

static struct sp_err *check_arg(const struct bundle *b, unsigned i, const struct sp_field *arg)
{
	const struct sp_format *f = &b->formats[i];

	CHECK(arg->offset >= sizeof(struct sp_event_head) && (uint64_t)arg->offset + arg->size <= f->record_size,
	      SP_SEC_FORMATS, i, "an argument is outside the record");
	if (arg->type != SP_VALUE)
		return NULL;
	// One level: what a damaged file prints stays as long as the file lets expect.
	CHECK(f->kind != SP_FORMAT_PART, SP_SEC_FORMATS, i, "a part has parts");
	CHECK(b->formats[arg->more].record_size <= f->record_size, SP_SEC_FORMATS, i,
	      "a part of it has a larger record");
	return NULL;
}

static struct sp_err *check_formats(const struct bundle *b)
{
	for (unsigned i = 0; i < b->n_formats; i++) {
		const struct sp_format *f = &b->formats[i];
		const char *wrong;

		CHECK(is_text(b, f->text), SP_SEC_FORMATS, i, "text is out of range");
		CHECK(f->kind < SP_FORMAT_KIND_COUNT, SP_SEC_FORMATS, i, "unknown kind");
		CHECK(!(f->flags & ~SP_FORMAT_TELLS_WHO), SP_SEC_FORMATS, i, "unknown flags");
		CHECK(bundle_in_range(f->first_arg, f->n_args, b->n_fields), SP_SEC_FORMATS, i,
		      "arguments are out of range");
		CHECK(f->record_size >= sizeof(struct sp_event_head) && f->record_size <= BUNDLE_MAX_ITEM,
		      SP_SEC_FORMATS, i, "wrong record size");
		CHECK(!f->flags || f->record_size >= sizeof(struct sp_event_head) + sizeof(struct sp_event_who), SP_SEC_FORMATS, i,
		      "its records do not tell who prints");
		for (unsigned k = 0; k < f->n_args; k++)
			SP_TRY(check_arg(b, i, &b->fields[f->first_arg + k]));
		wrong = format_check(bundle_text(b, f->text), &b->fields[f->first_arg], f->n_args);
		if (wrong)
			return bad(SP_SEC_FORMATS, i, wrong);
	}
	return NULL;
}

static struct sp_err *check_fixup(const struct bundle *b, unsigned i)
{
	const struct sp_fixup *f = &b->fixups[i];

	CHECK(f->kind < SP_FIX_KIND_COUNT, SP_SEC_FIXUPS, i, "unknown kind");
	switch ((enum sp_fixup_kind)f->kind) {
	case SP_FIX_MODULE_SECTION:
	case SP_FIX_MEMBER:
	case SP_FIX_PROTOTYPE:
	case SP_FIX_BITS:
	case SP_FIX_SAME_PLACE:
		CHECK(f->object < b->n_objects, SP_SEC_FIXUPS, i, "object is out of range");
		CHECK(is_text(b, f->text), SP_SEC_FIXUPS, i, "a text is out of range");
		break;
	case SP_FIX_SYMBOL:
	case SP_FIX_COUNTER:
	case SP_FIX_LAYOUT:
		CHECK(is_text(b, f->text), SP_SEC_FIXUPS, i, "a text is out of range");
		break;
	case SP_FIX_TARGET_PID:
	case SP_FIX_STAP_PID:
	case SP_FIX_WALL_OFFSET:
	case SP_FIX_TZ_OFFSET:
	case SP_FIX_TZ_NAME:
	case SP_FIX_TERMINAL:
	case SP_FIX_KERNEL_SLIDE:
	case SP_FIX_TSC_MULT:
	case SP_FIX_TSC_SHIFT:
	case SP_FIX_TSC_OFFSET:
	case SP_FIX_CPUS:
	case SP_FIX_KIND_COUNT:
		break;
	case SP_FIX_CONFINED:
		CHECK(f->object == SP_NONE || (f->object < b->n_objects && f->object < SP_FAMILY_PROGRAMS), SP_SEC_FIXUPS, i,
		      "object is out of range");
		break;
	}
	CHECK(f->slot < b->head->n_slots, SP_SEC_FIXUPS, i, "slot is out of range");
	return NULL;
}

static struct sp_err *check_rest(const struct bundle *b)
{
	for (unsigned i = 0; i < b->n_places; i++)
		CHECK(is_text(b, b->places[i].file) && is_text(b, b->places[i].what), SP_SEC_PLACES,
		      i, "a text is out of range");
	for (unsigned i = 0; i < b->n_fixups; i++)
		SP_TRY(check_fixup(b, i));
	for (unsigned i = 0; i < b->n_objects; i++) {
		const struct sp_object *o = &b->objects[i];

		CHECK(is_text(b, o->name) && is_text(b, o->path) && is_text(b, o->bound_by), SP_SEC_OBJECTS, i,
		      "a text is out of range");
		CHECK(o->bound_at < b->n_places, SP_SEC_OBJECTS, i, "place is out of range");
		CHECK(o->kind >= SP_OBJECT_KERNEL && o->kind <= SP_OBJECT_PROGRAM, SP_SEC_OBJECTS,
		      i, "unknown kind");
		CHECK(!(o->flags & ~SP_OBJECT_PORTABLE) && (!o->flags || o->kind == SP_OBJECT_KERNEL), SP_SEC_OBJECTS, i,
		      "unknown flags");
		CHECK(o->build_id_len <= sizeof(o->build_id), SP_SEC_OBJECTS, i,
		      "the build-id is too long");
	}
	return NULL;
}

// ---- maps of the code -----------------------------------------------------------------------------------------------

// The kernel copies as many bytes as its map says, into memory of the size that the array has.
static struct sp_err *check_code_map(const struct bundle *b, unsigned i, const char *name, uint32_t type, uint32_t key_size)
{
	uint32_t index = code_find_map(&b->code, name);
	const struct code_map *code = index == UINT32_MAX ? NULL : &b->code.maps[index];

	if (!code)
		return NULL;
	CHECK(code->type == type && !code->bytes, SP_SEC_MAPS, i, "the kernel's map is of another type");
	CHECK(code->key_size == key_size && code->value_size == b->maps[i].value_size, SP_SEC_MAPS, i,
	      "the kernel's map has other sizes");
	return NULL;
}

struct sp_err *bundle_check_code(const struct bundle *b)
{
	for (unsigned i = 0; i < b->n_maps; i++) {
		const struct sp_map *m = &b->maps[i];
		bool is_scalar = m->kind == SP_MAP_STAT && !m->n_keys;
		uint32_t type = is_scalar		 ? BPF_MAP_TYPE_PERCPU_ARRAY :
				m->kind == SP_MAP_STAT	 ? BPF_MAP_TYPE_PERCPU_HASH :
				m->flags & SP_MAP_FORGETS ? BPF_MAP_TYPE_LRU_HASH :
							   BPF_MAP_TYPE_HASH;
		uint32_t size = known_key_size(b, m), text;
		char beside[32];

		SP_TRY(check_code_map(b, i, bundle_text(b, m->name), type, is_scalar ? (uint32_t)sizeof(uint32_t) : size));
		snprintf(beside, sizeof(beside), SP_MAP_OWN, i);
		SP_TRY(check_code_map(b, i, beside, BPF_MAP_TYPE_HASH, size));
		if (!(m->flags & SP_MAP_SPLIT))
			continue;
		snprintf(beside, sizeof(beside), SP_MAP_SHORT, i);
		text = b->fields[m->first_key + m->n_keys - 1].size;
		SP_TRY(check_code_map(b, i, beside, type, size - text + sp_short_text(text)));
	}
	return NULL;
}

// ---- all ------------------------------------------------------------------------------------------------------------

struct sp_err *bundle_check(const struct bundle *b, const struct bundle_areas *areas)
{
	if (b->strings_size == 0 || b->strings[0] != '\0' || b->strings[b->strings_size - 1] != '\0')
		return bundle_broken("section %s does not start and end with a NUL", SP_SEC_STRINGS);
	if (b->n_progs > UINT16_MAX)
		return bundle_broken("too many programs"); // sp_event_head counts them in 16 bits
	if (!is_text(b, b->head->release) || !is_text(b, b->head->script))
		return bundle_broken("a text of the head is out of range");
	SP_TRY(check_areas(b, areas));
	SP_TRY(check_progs(b));
	SP_TRY(check_sites(b));
	SP_TRY(check_fields(b));
	SP_TRY(check_maps(b));
	SP_TRY(check_globals(b));
	SP_TRY(check_formats(b));
	SP_TRY(check_rest(b));
	return vm_verify(b);
}
