// SPDX-License-Identifier: GPL-2.0-or-later
// Where libraries are found: one of the same name for programs of another class is passed over.
#include "compiler/debug/dbg_path.h"

#include "expect.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/test_dbg_path.XXXXXX";

static const char *const folders[] = { "", "/lib", "/usr", "/usr/lib" };

static const struct library {
	const char *name;
	unsigned char class;
} libraries[] = {
	{ "/lib/libtwo.so", ELFCLASS32 },
	{ "/usr/lib/libtwo.so", ELFCLASS64 },
	{ "/lib/libone.so", ELFCLASS32 },
};

static char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s%s", root, name);
	return path;
}

static void write_library(const struct library *library)
{
	unsigned char ident[sizeof(Elf32_Ehdr)] = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, library->class };
	int fd = open(path_of(library->name), O_WRONLY | O_CREAT, 0644);

	EXPECT(write(fd, ident, sizeof(ident)) == sizeof(ident));
	close(fd);
}

static bool finds(const char *name, int class, const char *wanted)
{
	char *found = dbg_path_library(root, name, class);
	bool is_right = wanted ? found && !strcmp(found, path_of(wanted)) : !found;

	free(found);
	return is_right;
}

int main(void)
{
	EXPECT(mkdtemp(root));
	for (size_t i = 1; i < SP_ARRAY_SIZE(folders); i++)
		EXPECT(!mkdir(path_of(folders[i]), 0755));
	for (size_t i = 0; i < SP_ARRAY_SIZE(libraries); i++)
		write_library(&libraries[i]);
	EXPECT(finds("libtwo.so", ELFCLASS64, "/usr/lib/libtwo.so"));
	EXPECT(finds("libtwo.so", ELFCLASS32, "/lib/libtwo.so"));
	EXPECT(finds("libone.so", ELFCLASS64, NULL));
	for (size_t i = 0; i < SP_ARRAY_SIZE(libraries); i++)
		unlink(path_of(libraries[i].name));
	for (size_t i = SP_ARRAY_SIZE(folders); i-- > 0;)
		rmdir(path_of(folders[i]));
	return expect_status();
}
