// SPDX-License-Identifier: GPL-2.0-or-later
// Programs that are replaced while they are probed: a probe is at a place in a file, and a new file of the same name is another one.
#include "runtime/session/rt.h"

#include "runtime/load/site.h"

#include <sys/stat.h>

static bool is_probed(const struct bundle *bundle, unsigned object)
{
	for (unsigned i = 0; i < bundle->n_sites; i++)
		if (site_is_uprobe(&bundle->sites[i]) && bundle->sites[i].object == object)
			return true;
	return false;
}

static bool look_at(const struct spilert *rt, unsigned object, struct stat *ret)
{
	const char *path = bundle_text(rt->bundle, rt->bundle->objects[object].path);

	return rt->bundle->objects[object].kind == SP_OBJECT_PROGRAM && is_probed(rt->bundle, object) && !stat(path, ret);
}

void rt_note_programs(struct spilert *rt)
{
	struct stat st;

	for (unsigned i = 0; i < rt->bundle->n_objects; i++)
		if (look_at(rt, i, &st))
			sp_vec_push(&rt->programs, ((struct rt_program){ i, st.st_dev, st.st_ino }));
}

void rt_tell_replaced(struct spilert *rt)
{
	struct stat st;

	sp_vec_each(program, &rt->programs)
		if (look_at(rt, program->object, &st) && (st.st_dev != program->device || st.st_ino != program->inode))
			sp_log(&rt->log, SP_LOG_WARN, "%s was replaced while it was probed: processes that run the new file were not seen",
			       bundle_text(rt->bundle, rt->bundle->objects[program->object].path));
	rt->programs.n = 0;
}
