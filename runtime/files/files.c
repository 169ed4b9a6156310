// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/files/files.h"

#include "runtime/base/cleanup.h"

struct files {
	const struct files_system *system;
	void *made;
	struct files_folder folder;
};

static bool are_for_fifos(const struct files_input *input)
{
	for (unsigned i = 0; i < input->n_entries; i++)
		if (input->entries[i].mode & 0444 && input->entries[i].mode & 0222)
			return false;
	return true;
}

static struct sp_err *make(struct files *files, const struct files_input *input)
{
	struct sp_err *err;
	sp_cleanup_free char *text = NULL;

	files->system = &files_fuse;
	err = files_fuse.create(input, files->folder.path, &files->made);
	if (!err)
		return NULL;
	if (!are_for_fifos(input))
		return sp_err_wrap(err, "a file that is both read and written must be in a file system of spile");
	text = sp_err_text(err);
	sp_err_free(err);
	sp_log(input->log, SP_LOG_WARN, "the files of procfs probes are FIFOs, where each reader gets the text once: %s", text);
	files->system = &files_fifo;
	return files_fifo.create(input, files->folder.path, &files->made);
}

struct sp_err *files_create(const struct files_input *input, struct files **ret)
{
	struct files *files = sp_calloc(1, sizeof(*files));
	struct sp_err *err = files_folder_create(input, &files->folder);

	if (!err)
		err = make(files, input);
	if (err) {
		files->made = NULL;
		files_destroy(files);
		return err;
	}
	sp_log(input->log, SP_LOG_INFO, "the files of procfs probes are in %s",
	       files->folder.link ? files->folder.link : files->folder.path);
	*ret = files;
	return NULL;
}

int files_fd(const struct files *files)
{
	return files->system->fd(files->made);
}

bool files_serve(struct files *files)
{
	return files->system->serve(files->made);
}

void files_destroy(struct files *files)
{
	if (!files)
		return;
	if (files->made)
		files->system->destroy(files->made);
	files_folder_remove(&files->folder);
	free(files);
}
