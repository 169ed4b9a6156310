// SPDX-License-Identifier: GPL-2.0-or-later
// Which script of a pack is for this machine.
#include "runtime/load/pack.h"

#include "runtime/base/cleanup.h"
#include "runtime/load/fixup.h"
#include "runtime/machine/image.h"

#include <stdlib.h>
#include <sys/utsname.h>

#define MAX_REASONS 8 // that are told when no target does

/** An entry, by how likely it is for this machine. */
struct candidate {
	unsigned entry;
	bool is_kernel_same; // by its build-id
	bool is_too_new; // made for a later release than this kernel's, so it may use what is not here
	unsigned release; // what it was made for
};

// The script for this very kernel first; then those for earlier ones, the latest first: they need nothing that this kernel does not
// have; then those for later ones, the earliest first.
static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->is_kernel_same != y->is_kernel_same)
		return x->is_kernel_same ? -1 : 1;
	if (x->is_too_new != y->is_too_new)
		return x->is_too_new ? 1 : -1;
	if (x->release != y->release)
		return (x->release > y->release) == x->is_too_new ? 1 : -1;
	return (x->entry > y->entry) - (x->entry < y->entry);
}

static struct candidate *sort_entries(const struct pack *pack)
{
	struct candidate *all = sp_calloc(pack->n_entries, sizeof(*all));
	struct image_build_id kernel;
	struct utsname uts;

	uname(&uts);
	image_kernel_build_id(&kernel);
	for (unsigned i = 0; i < pack->n_entries; i++) {
		const struct sp_pack_entry *e = &pack->entries[i];
		bool is_same = e->build_id_len && e->build_id_len == kernel.len && memcmp(e->build_id, kernel.bytes, kernel.len) == 0;

		all[i] = (struct candidate){ i, is_same, e->release > pack_release(uts.release), e->release };
	}
	qsort(all, pack->n_entries, sizeof(*all), compare_candidates);
	return all;
}

static struct sp_err *try_entry(const struct pack *pack, unsigned entry, struct layout *layout, struct bundle **ret)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf bytes = { 0 };
	struct bundle *bundle;
	struct sp_err *err;

	SP_TRY(pack_read(pack, entry, &bytes));
	SP_TRY(bundle_open(bytes.data, bytes.len, &bundle));
	err = bundle_check_arch(bundle);
	if (!err)
		err = fixup_check_target(bundle);
	if (!err)
		err = fixup_check_layout(bundle, layout);
	if (err)
		bundle_close(bundle);
	else
		*ret = bundle;
	return err;
}

static void add_reason(struct sp_buf *reasons, unsigned n, const struct sp_pack_entry *entry, const struct sp_err *err)
{
	sp_cleanup_free char *text = sp_err_text(err);

	if (n < MAX_REASONS)
		sp_buf_printf(reasons, "\n  %s: %s", entry->target, text);
	else if (n == MAX_REASONS)
		sp_buf_puts(reasons, "\n  ...");
}

struct sp_err *pack_choose(const struct pack *pack, const struct sp_log *log, struct layout *layout, struct bundle **ret)
{
	sp_cleanup_free struct candidate *candidates = sort_entries(pack);
	sp_cleanup(sp_buf_deinit) struct sp_buf reasons = { 0 };

	for (unsigned i = 0; i < pack->n_entries; i++) {
		const struct sp_pack_entry *entry = &pack->entries[candidates[i].entry];
		struct sp_err *err = try_entry(pack, candidates[i].entry, layout, ret);

		if (!err) {
			sp_log(log, SP_LOG_INFO, "  the pack's script for %s is used", entry->target);
			return NULL;
		}
		if (err->code != SP_ERR_TARGET && err->code != SP_ERR_NOT_FOUND)
			return sp_err_wrap(err, "%s", entry->target);
		add_reason(&reasons, i, entry, err);
		sp_err_free(err);
	}
	return sp_err_new(SP_ERR_TARGET, "the pack has %u target%s, and none is this machine. To add it: `spile-run --describe >NEW` here, and "
			  "`spile --pack --add -o PACK --for NEW SCRIPT` where the pack was made%s", pack->n_entries, pack->n_entries == 1 ? "" : "s", sp_buf_str(&reasons));
}
