// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/object/object.h"

#include "compiler/gen/object/object_elf.h"
#include "compiler/gen/object/object_user.h"
#include "runtime/abi/event.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/hash.h"

#include <stdio.h>

struct tables {
	const struct ir_unit *unit;
	const struct plan *plan;
	const struct object_user *user;
	struct sp_hash known; // text -> offset
	struct sp_buf strings, progs, sites, maps, globals, fields, formats, places, fixups, objects, names;
};

static uint32_t text(struct tables *t, const char *s)
{
	void **known;

	if (!s || !*s)
		return 0;
	known = sp_hash_insert(&t->known, s, strlen(s));
	if (!*known) {
		*known = (void *)(uintptr_t)t->strings.len;
		sp_buf_add(&t->strings, s, strlen(s) + 1);
	}
	return (uint32_t)(uintptr_t)*known;
}

static enum sp_type type_of(enum ir_type type)
{
	return type == IR_STR ? SP_STRING : SP_LONG;
}

static uint32_t place_of(const struct tables *t, uint32_t place)
{
	return place < t->unit->places.n ? place : 0;
}

static uint32_t n_fields(const struct tables *t)
{
	return (uint32_t)(t->fields.len / sizeof(struct sp_field));
}

static void add_part(struct tables *t, const struct ir_format *format, const struct ir_field *f)
{
	struct sp_field field = {
		.type = (uint8_t)f->type,
		.flags = (uint8_t)((f->is_signed ? SP_FIELD_SIGNED : 0) | (f->is_number ? SP_FIELD_NUMBER : 0) |
				   (f->is_flags ? SP_FIELD_FLAGS : 0)),
		.bit_off = f->bit_off,
		.bit_size = f->bit_size,
		.offset = format->args[f->arg].offset + f->at,
		.size = f->size,
		.more = f->more,
	};

	sp_buf_add(&t->fields, &field, sizeof(field));
}

// The texts that it may be are names behind those of the unit.
static void add_key(struct tables *t, const struct ir_key *key, const struct plan_known *known)
{
	struct sp_field field = { .type = (uint8_t)type_of(key->type), .offset = key->offset, .size = key->size };

	if (key->in_hex)
		field.flags |= SP_FIELD_HEX;
	if (known && known->n) {
		field.flags = SP_FIELD_KNOWN;
		field.more = (uint32_t)(t->names.len / sizeof(struct sp_name));
	}
	for (uint32_t i = 0; known && i < known->n; i++) {
		struct sp_name name = { .value = i, .text = text(t, known->texts[i]), .left = known->n - i - 1 };

		sp_buf_add(&t->names, &name, sizeof(name));
	}
	sp_buf_add(&t->fields, &field, sizeof(field));
}

// ---- tables -------------------------------------------------------------------------------------

static void add_progs(struct tables *t)
{
	for (size_t i = 0; i < t->unit->progs.n; i++) {
		const struct ir_prog *p = &t->unit->progs.v[i];
		const struct plan_prog *plan = &t->plan->progs[i];
		struct sp_prog prog = {
			.name = text(t, p->name),
			.kind = p->kind,
			.flags = (plan->in_kernel ? SP_PROG_IN_KERNEL : 0) |
				 (plan->in_user ? SP_PROG_IN_USER : 0) |
				 (p->reads_floats ? SP_PROG_FLOATS : 0) |
				 (plan->may_sleep ? SP_PROG_SLEEPS : 0) |
				 (plan->embeds ? SP_PROG_EMBEDS : 0) |
				 (plan->shares_link ? SP_PROG_SHARES : 0),
			.first_site = p->first_site,
			.n_sites = p->n_sites,
			.place = place_of(t, p->place),
			.rest = p->deferral.rest == SP_NONE ? 0 : p->deferral.rest + 1,
			.condition = p->condition,
		};

		if (plan->in_user) {
			prog.user_insn = t->user->progs[i].first;
			prog.n_user_insns = t->user->progs[i].n;
		}
		sp_buf_add(&t->progs, &prog, sizeof(prog));
		for (unsigned k = 0; k < p->n_sites; k++) {
			const struct ir_site *s = &t->unit->sites.v[p->first_site + k];
			struct sp_site site = {
				.kind = s->kind,
				.flags = (s->optional ? SP_SITE_OPTIONAL : 0) | (s->is_process ? SP_SITE_PROCESS : 0) |
					 (s->is_inside ? SP_SITE_INSIDE : 0) | (s->begins ? SP_SITE_BEGINS : 0),
				.prog = (uint32_t)i,
				.point = text(t, s->point),
				.name = text(t, s->name),
				.function = text(t, s->function),
				.symbol = text(t, s->symbol),
				.section = text(t, s->section),
				.object = s->object,
				.program = s->program,
				.args = s->args,
				.why = text(t, s->why),
			};
			size_t at = (p->first_site + k) * sizeof(site);

			if (t->sites.len < at + sizeof(site))
				sp_buf_fill(&t->sites, 0, at + sizeof(site) - t->sites.len);
			memcpy(t->sites.data + at, &site, sizeof(site));
		}
	}
}

static void add_maps(struct tables *t)
{
	for (size_t i = 0; i < t->unit->maps.n; i++) {
		const struct ir_map *m = &t->unit->maps.v[i];
		const struct plan_map *plan = &t->plan->maps[i];
		struct sp_map map = {
			.name = text(t, m->name),
			.label = text(t, m->label),
			.key_names = text(t, m->key_names),
			.kind = m->kind,
			.flags = (m->wraps ? SP_MAP_WRAPS : 0) | (m->forgets ? SP_MAP_FORGETS : 0) | (m->is_unread ? SP_MAP_UNREAD : 0) | (m->in_hex ? SP_MAP_HEX : 0) | (m->is_plain ? SP_MAP_PLAIN : 0) |
				 (m->is_private || plan->is_of_thread ? SP_MAP_PRIVATE : 0) |
				 (plan->is_ordered_for_user ? SP_MAP_ORDERED : 0) | (plan->is_apart ? SP_MAP_APART : 0) |
				 (plan->is_direct ? SP_MAP_DIRECT : 0) | (plan->is_split ? SP_MAP_SPLIT : 0),
			.key_size = m->key_size,
			.value_size = m->value_size,
			.max_entries = m->max_entries,
			.first_key = n_fields(t),
			.n_keys = m->n_keys,
			.value_type = (uint16_t)type_of(m->value_type),
			.place = place_of(t, m->place),
			.data_offset = plan->data_offset,
			.stat = m->stat,
		};

		for (unsigned k = 0; k < m->n_keys; k++)
			add_key(t, &m->keys[k], plan->known ? &plan->known[k] : NULL);
		sp_buf_add(&t->maps, &map, sizeof(map));
	}
}

static void add_globals(struct tables *t)
{
	for (size_t i = 0; i < t->unit->globals.n; i++) {
		const struct ir_global *g = &t->unit->globals.v[i];
		struct sp_global global = {
			.name = text(t, g->name),
			.type = (uint16_t)type_of(g->type),
			.flags = (g->is_unread ? SP_GLOBAL_UNREAD : 0) | (g->in_hex ? SP_GLOBAL_HEX : 0) |
				 (g->is_private ? SP_GLOBAL_PRIVATE : 0),
			.offset = t->plan->globals[i],
			.size = g->type == IR_STR ? g->cap : 8,
		};

		sp_buf_add(&t->globals, &global, sizeof(global));
	}
}

static void add_formats(struct tables *t)
{
	sp_vec_each (f, &t->unit->formats) {
		struct sp_format format = {
			.text = text(t, f->text),
			.kind = (uint8_t)f->kind,
			.flags = f->tells_who ? SP_FORMAT_TELLS_WHO : 0,
			.n_args = (uint16_t)f->n_fields,
			.first_arg = n_fields(t),
			.record_size = f->record_size,
		};

		for (unsigned i = 0; i < f->n_fields; i++)
			add_part(t, f, &f->fields[i]);
		sp_buf_add(&t->formats, &format, sizeof(format));
	}
}

static void add_names(struct tables *t)
{
	sp_vec_each (n, &t->unit->names) {
		struct sp_name name = { .value = n->value, .text = text(t, n->text), .left = n->left };

		sp_buf_add(&t->names, &name, sizeof(name));
	}
}

static void add_places(struct tables *t)
{
	sp_vec_each (p, &t->unit->places) {
		struct sp_place place = { .file = text(t, p->file),
					  .line = p->line,
					  .column = p->column,
					  .what = text(t, p->what) };

		sp_buf_add(&t->places, &place, sizeof(place));
	}
	if (t->unit->places.n == 0) { // what has no place says place 0
		struct sp_place none = { .file = text(t, t->unit->script) };

		sp_buf_add(&t->places, &none, sizeof(none));
	}
}

static void add_fixups(struct tables *t)
{
	for (uint32_t i = 0; i < t->plan->n_fixups; i++) {
		const struct ir_fixup *f = &t->plan->fixups[i];
		struct sp_fixup fixup = {
			.kind = f->kind, .slot = i, .object = f->object,
			.text = text(t, f->text),
		};

		sp_buf_add(&t->fixups, &fixup, sizeof(fixup));
	}
}

static void add_objects(struct tables *t)
{
	sp_vec_each (o, &t->unit->objects) {
		struct sp_object object = {
			.name = text(t, o->name),
			.path = text(t, o->path),
			.kind = o->kind,
			.build_id_len = (uint16_t)SP_MIN(o->build_id_len,
							 (unsigned)sizeof(o->build_id)),
			.flags = o->is_portable && !o->bound_by ? SP_OBJECT_PORTABLE : 0,
			.bound_by = text(t, o->bound_by),
			.bound_at = place_of(t, o->bound_at),
		};

		if (o->kind == SP_OBJECT_PROGRAM)
			object.code_layout = o->code_layout;
		else
			object.text_base = o->text_base;
		memcpy(object.build_id, o->build_id, sizeof(object.build_id));
		sp_buf_add(&t->objects, &object, sizeof(object));
	}
}

static bool is_on_kernel(const struct ir_unit *unit)
{
	sp_vec_each (object, &unit->objects)
		if (object->kind != SP_OBJECT_PROGRAM)
			return true;
	return false;
}

static struct sp_bundle_head head_of(struct tables *t, uint32_t scratch_size)
{
	const struct ir_unit *unit = t->unit;
	struct sp_bundle_head head = {
		.magic = SP_BUNDLE_MAGIC,
		.version = SP_BUNDLE_VERSION,
		.head_size = sizeof(head),
		.features = t->plan->features,
		.release = is_on_kernel(unit) ? text(t, unit->target.release) : 0,
		.script = text(t, unit->script),
		.n_slots = t->plan->n_fixups,
		.data_size = t->plan->data_size,
		.losses_offset = t->plan->losses_offset,
		.order_offset = t->plan->order_offset,
		.locks_offset = t->plan->locks_offset,
		.scratch_size = scratch_size,
		.max_errors = unit->max_errors,
		.max_action = unit->max_action,
		.ring_size = unit->ring_size,
	};

	memcpy(head.arch, unit->target.arch, sizeof(head.arch));
	return head;
}

static void tables_make(struct tables *t)
{
	sp_buf_putc(&t->strings, '\0');
	add_progs(t);
	add_names(t); // those of the plan's follow
	add_maps(t);
	add_globals(t);
	add_formats(t);
	add_places(t);
	add_fixups(t);
	add_objects(t);
}

static void tables_deinit(struct tables *t)
{
	struct sp_buf *all[] = { &t->strings, &t->progs,   &t->sites,  &t->maps,   &t->globals,
				 &t->fields,  &t->formats, &t->places, &t->fixups, &t->objects,
				 &t->names };

	for (size_t i = 0; i < SP_ARRAY_SIZE(all); i++)
		sp_buf_deinit(all[i]);
	sp_hash_deinit(&t->known);
}

// ---- the file -----------------------------------------------------------------------------------

static void add_table(struct object_elf *elf, const char *name, const struct sp_buf *table)
{
	if (table->len)
		object_elf_add(elf, name, table->data, table->len);
}

static void add_tables(struct object_elf *elf, struct tables *t, const struct sp_bundle_head *head)
{
	object_elf_add(elf, SP_SEC_HEAD, head, sizeof(*head));
	add_table(elf, SP_SEC_STRINGS, &t->strings);
	add_table(elf, SP_SEC_PROGS, &t->progs);
	add_table(elf, SP_SEC_SITES, &t->sites);
	add_table(elf, SP_SEC_MAPS, &t->maps);
	add_table(elf, SP_SEC_GLOBALS, &t->globals);
	add_table(elf, SP_SEC_FIELDS, &t->fields);
	add_table(elf, SP_SEC_FORMATS, &t->formats);
	add_table(elf, SP_SEC_NAMES, &t->names);
	add_table(elf, SP_SEC_PLACES, &t->places);
	add_table(elf, SP_SEC_FIXUPS, &t->fixups);
	add_table(elf, SP_SEC_OBJECTS, &t->objects);
	add_table(elf, SP_SEC_USER, &t->user->code);
	if (t->user->data_size)
		object_elf_add(elf, SP_SEC_UDATA, t->user->data, t->user->data_size);
}

struct sp_err *object_link(const struct plan *plan, uint32_t scratch_size, const struct sp_buf *kernel,
			   const struct sp_buf *user, struct sp_buf *ret)
{
	const struct ir_unit *unit = plan->unit;
	sp_cleanup(object_elf_deinit) struct object_elf elf = { 0 };
	sp_cleanup(object_elf_deinit) struct object_elf user_elf = { 0 };
	sp_cleanup(object_user_deinit) struct object_user code = { 0 };
	sp_cleanup(tables_deinit) struct tables t = { .unit = unit, .plan = plan, .user = &code };
	struct sp_bundle_head head;

	code.progs = sp_calloc(unit->progs.n + 1, sizeof(*code.progs));
	if (user->len) {
		SP_TRY(object_elf_read(user, &user_elf));
		SP_TRY(object_user_read(&user_elf, unit->progs.n, &code));
	}
	SP_TRY(object_elf_read(kernel, &elf));
	sp_vec_each (section, &elf.sections)
		section->dropped = object_elf_is_unwanted(section);
	tables_make(&t);
	head = head_of(&t, scratch_size);
	add_tables(&elf, &t, &head);
	object_elf_write(&elf, ret);
	return NULL;
}
