// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/unwind/unwind_needed.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/vec.h"
#include "runtime/machine/image.h"

#include <gelf.h>
#include <unistd.h>

#define MAX_TAGS 4096

struct needed {
	SP_VEC(const char *) names;
	const char *folders; // DT_RUNPATH or DT_RPATH; NULL: none
};

static void needed_deinit(struct needed *needed)
{
	sp_vec_deinit(&needed->names);
}

static void read_tags(const struct image_elf *file, Elf_Data *data, size_t strings, struct needed *ret)
{
	GElf_Dyn dyn;

	for (int i = 0; i < MAX_TAGS && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		const char *text = image_elf_text(file, strings, dyn.d_un.d_val);

		if (dyn.d_tag == DT_NEEDED && *text)
			sp_vec_push(&ret->names, text);
		else if (dyn.d_tag == DT_RUNPATH || (dyn.d_tag == DT_RPATH && !ret->folders))
			ret->folders = text;
	}
}

static void read_needed(const struct image_elf *file, struct needed *ret)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(file->elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_DYNAMIC) {
			Elf_Data *data = elf_getdata(scn, NULL);

			if (data)
				read_tags(file, data, shdr.sh_link, ret);
		}
}

// "$ORIGIN" is the folder of the file that says it.
static void put_folder(struct sp_buf *out, const char *folder, size_t len, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t skip = len >= 7 && strncmp(folder, "$ORIGIN", 7) == 0 ? 7 : len >= 9 && strncmp(folder, "${ORIGIN}", 9) == 0 ? 9 : 0;

	if (skip)
		sp_buf_add(out, slash ? path : ".", slash ? (size_t)(slash - path) : 1);
	sp_buf_add(out, folder + skip, len - skip);
}

static bool find_in(const char *folders, const char *path, const char *name, struct sp_buf *ret)
{
	while (*folders) {
		size_t len = strcspn(folders, ":");

		sp_buf_clear(ret);
		put_folder(ret, folders, len, path);
		sp_buf_printf(ret, "/%s", name);
		if (access(sp_buf_str(ret), R_OK) == 0)
			return true;
		folders += len + (folders[len] == ':');
	}
	return false;
}

void unwind_each_needed(const char *path, void (*each)(void *ctx, const char *path), void *ctx)
{
	static const char system[] = "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib64:/usr/lib64:/lib:/usr/lib:/usr/local/lib";
	sp_cleanup(image_elf_close) struct image_elf file = { 0 };
	sp_cleanup(needed_deinit) struct needed needed = { 0 };
	sp_cleanup(sp_buf_deinit) struct sp_buf found = { 0 };
	struct sp_err *err = image_elf_open(path, &file);

	if (err) {
		sp_err_free(err);
		return;
	}
	read_needed(&file, &needed);
	sp_vec_each(name, &needed.names)
		if ((needed.folders && find_in(needed.folders, path, *name, &found)) || find_in(system, path, *name, &found))
			each(ctx, sp_buf_str(&found));
}
