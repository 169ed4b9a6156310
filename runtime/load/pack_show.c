// SPDX-License-Identifier: GPL-2.0-or-later
// Says what is in a pack, or in a compiled script.
#include "runtime/load/pack.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/json.h"
#include "runtime/load/site.h"
#include "runtime/machine/image.h"
#include "runtime/machine/target.h"

/** Writes values one by one, as lines of text or as members of an object of JSON. */
struct show {
	struct sp_buf *out;
	bool json;
};

static void put_lists(struct show *show, const char *key)
{
	if (show->json)
		sp_json_begin(show->out, key, '[');
}

static void end_lists(struct show *show)
{
	if (show->json)
		sp_json_end(show->out, ']');
}

// ---- probes ---------------------------------------------------------------------------------------------------------

static void show_site(struct show *show, const struct bundle *b, const struct sp_site *site)
{
	const char *symbol = bundle_text(b, site->symbol);

	if (!show->json) {
		sp_buf_printf(show->out, "  probe     %s: %s%s%s\n", bundle_text(b, site->point), site_hook_name(site), *symbol ? " " : "", symbol);
		return;
	}
	sp_json_begin(show->out, NULL, '{');
	sp_json_text(show->out, "point", bundle_text(b, site->point));
	sp_json_text(show->out, "hook", site_hook_name(site));
	if (*symbol)
		sp_json_text(show->out, "symbol", symbol);
	sp_json_bool(show->out, "optional", site->flags & SP_SITE_OPTIONAL);
	sp_json_end(show->out, '}');
}

static void show_sites(struct show *show, const struct bundle *b)
{
	put_lists(show, "probes");
	for (unsigned i = 0; i < b->n_sites; i++)
		if (b->sites[i].kind != SP_SITE_CONDITION)
			show_site(show, b, &b->sites[i]);
	end_lists(show);
}

// ---- kernels and programs -------------------------------------------------------------------------------------------

static const char *object_kind(const struct sp_object *object)
{
	return object->kind == SP_OBJECT_KERNEL ? "kernel" : object->kind == SP_OBJECT_KERNEL_MODULE ? "module" : "program";
}

// "kernel.statement(...) at script.stp:3:1", what binds it to one build; NULL: nothing.
static char *binding(const struct bundle *b, const struct sp_object *object)
{
	const struct sp_place *place = &b->places[object->bound_at];
	struct sp_buf text = { 0 };

	if (!object->bound_by)
		return NULL;
	sp_buf_puts(&text, bundle_text(b, object->bound_by));
	if (place->line)
		sp_buf_printf(&text, " at %s:%u:%u", bundle_text(b, place->file), place->line, place->column);
	return sp_buf_take(&text);
}

static void show_object(struct show *show, const struct bundle *b, const struct sp_object *object)
{
	const char *path = bundle_text(b, object->path), *name = object->kind == SP_OBJECT_KERNEL ? bundle_text(b, b->head->release) :
									 *path ? path : bundle_text(b, object->name);
	bool is_portable = object->flags & SP_OBJECT_PORTABLE;
	sp_cleanup_free char *bound_by = binding(b, object);
	char id[2 * SP_BUILD_ID_MAX + 1];

	image_build_id_text(object->build_id, object->build_id_len, id);
	if (!show->json) {
		sp_buf_printf(show->out, "  %-9s %s, build-id %s%s%s\n", object_kind(object), name, id,
			      is_portable ? "; others do, too: fields and functions are looked up there" : bound_by ? "; this build alone: " : "",
			      bound_by ? bound_by : "");
		return;
	}
	sp_json_begin(show->out, NULL, '{');
	sp_json_text(show->out, "kind", object_kind(object));
	sp_json_text(show->out, "name", name);
	sp_json_text(show->out, "build_id", object->build_id_len ? id : NULL);
	sp_json_bool(show->out, "portable", is_portable);
	if (bound_by)
		sp_json_text(show->out, "bound_by", bound_by);
	sp_json_end(show->out, '}');
}

static void show_objects(struct show *show, const struct bundle *b)
{
	put_lists(show, "objects");
	for (unsigned i = 0; i < b->n_objects; i++)
		show_object(show, b, &b->objects[i]);
	end_lists(show);
}

// ---- what the kernel must have --------------------------------------------------------------------------------------

static void show_features(struct show *show, const struct bundle *b)
{
	const char *before = "  needs     ";

	put_lists(show, "features");
	for (unsigned i = 0; i < SP_FEATURE_COUNT; i++) {
		if (!(b->head->features >> i & 1))
			continue;
		if (show->json)
			sp_json_text(show->out, NULL, target_feature_name(i));
		else
			sp_buf_printf(show->out, "%s%s", before, target_feature_name(i));
		before = ", ";
	}
	sp_buf_puts(show->out, show->json || !b->head->features ? "" : "\n");
	end_lists(show);
}

// How fixups find fields and functions of a kernel; the others are values of the machine.
static const char *const field_hows[SP_FIX_KIND_COUNT] = {
	[SP_FIX_MEMBER] = "field", [SP_FIX_LAYOUT] = "field", [SP_FIX_BITS] = "bits", [SP_FIX_SAME_PLACE] = "same",
	[SP_FIX_PROTOTYPE] = "function",
};

// "struct file.f_inode:8:32" in words; 0 bytes: a structure or an array.
static void put_field(struct sp_buf *out, enum sp_fixup_kind kind, const char *text)
{
	size_t name = strcspn(text, ":");
	const char *at = strrchr(text, ':');
	unsigned long size;

	if (kind == SP_FIX_PROTOTYPE || !at || text[name] != ':') {
		sp_buf_printf(out, "%s must have these parameters", text);
		return;
	}
	size = strtoull(text + name + 1, NULL, 10);
	if (kind == SP_FIX_BITS)
		sp_buf_printf(out, "%.*s: bit %s", (int)name, text, at + 1);
	else if (kind == SP_FIX_SAME_PLACE)
		sp_buf_printf(out, "%.*s must be at %s", (int)name, text, at + 1);
	else if (name && text[name - 1] == '.')
		sp_buf_printf(out, "%.*s has %s bytes", (int)name - 1, text, at + 1);
	else if (size)
		sp_buf_printf(out, "%.*s: at %s, %lu bytes", (int)name, text, at + 1, size);
	else
		sp_buf_printf(out, "%.*s: at %s", (int)name, text, at + 1);
}

static void show_fields(struct show *show, const struct bundle *b)
{
	put_lists(show, "fields");
	for (unsigned i = 0; i < b->n_fixups; i++) {
		enum sp_fixup_kind kind = (enum sp_fixup_kind)b->fixups[i].kind;
		const char *how = field_hows[kind], *text = bundle_text(b, b->fixups[i].text);

		if (!how)
			continue;
		if (show->json) {
			sp_json_begin(show->out, NULL, '{');
			sp_json_text(show->out, "how", how);
			sp_json_text(show->out, "what", text);
			sp_json_end(show->out, '}');
			continue;
		}
		sp_buf_puts(show->out, "  field     ");
		put_field(show->out, kind, text);
		sp_buf_putc(show->out, '\n');
	}
	end_lists(show);
}

// ---- scripts and packs ----------------------------------------------------------------------------------------------

static void show_bundle(struct show *show, const struct bundle *b)
{
	show_objects(show, b);
	show_features(show, b);
	show_sites(show, b);
	show_fields(show, b);
}

static void show_head(struct show *show, const char *target, const char *arch, size_t size)
{
	if (!show->json) {
		sp_buf_printf(show->out, "%s: %s, %zu bytes", target, arch, size);
		return;
	}
	sp_json_begin(show->out, NULL, '{');
	sp_json_text(show->out, "target", target);
	sp_json_text(show->out, "arch", arch);
	sp_json_number(show->out, "size", (int64_t)size);
}

static void end_line(struct show *show)
{
	if (show->json)
		sp_json_end(show->out, '}');
	sp_buf_puts(show->out, show->json ? "\n" : "");
}

static struct sp_err *show_entry(struct show *show, const struct pack *pack, unsigned i)
{
	const struct sp_pack_entry *e = &pack->entries[i];
	const char *base = e->base == SP_PACK_NONE ? NULL : pack->entries[e->base].target;
	sp_cleanup(sp_buf_deinit) struct sp_buf bytes = { 0 };
	struct bundle *bundle;

	SP_TRY(pack_read(pack, i, &bytes));
	SP_TRY(bundle_open(bytes.data, bytes.len, &bundle));
	show_head(show, e->target, e->arch, e->size);
	if (show->json) {
		sp_json_number(show->out, "stored", e->stored);
		sp_json_text(show->out, "base", base);
	} else {
		sp_buf_printf(show->out, ", stored in %u%s%s\n", e->stored, base ? ", as what differs from " : "", base ? base : "");
	}
	show_bundle(show, bundle);
	end_line(show);
	bundle_close(bundle);
	return NULL;
}

struct sp_err *pack_show(const void *bytes, size_t size, bool json, struct sp_buf *ret)
{
	struct show show = { ret, json };
	sp_cleanup(pack_deinit) struct pack pack = { 0 };
	struct bundle *bundle;

	if (!pack_is_one(bytes, size)) {
		SP_TRY(bundle_open(bytes, size, &bundle));
		show_head(&show, bundle_text(bundle, bundle->head->script), bundle->head->arch, size);
		sp_buf_puts(ret, json ? "" : "\n");
		show_bundle(&show, bundle);
		end_line(&show);
		bundle_close(bundle);
		return NULL;
	}
	SP_TRY(pack_open(bytes, size, &pack));
	for (unsigned i = 0; i < pack.n_entries; i++)
		SP_TRY(show_entry(&show, &pack, i));
	return NULL;
}
