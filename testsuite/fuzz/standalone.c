// SPDX-License-Identifier: GPL-2.0-or-later
// Gives files to a fuzz target without a fuzzing engine: each argument is a file, or a folder whose files are taken in
// the order of their names. `make check` replays the corpora with it; --enable-fuzz links libFuzzer in its place.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int n_inputs;

static int replay_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t size = 0, room = 0;

	if (!f) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return 1;
	}
	for (;;) {
		if (size == room) {
			room = room ? room * 2 : 65536;
			data = realloc(data, room);
			if (!data)
				abort();
		}
		size_t n = fread(data + size, 1, room - size, f);
		if (n == 0)
			break;
		size += n;
	}
	fclose(f);
	// An exact copy, so that the address sanitizer sees a read behind the end.
	uint8_t *exact = malloc(size ? size : 1);
	if (!exact)
		abort();
	if (size)
		memcpy(exact, data, size);
	free(data);
	printf("%s\n", path); // the last line names the input that crashed
	fflush(stdout);
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
	n_inputs++;
	return 0;
}

static int replay(const char *path)
{
	struct stat st;
	struct dirent **names;
	int bad = 0;

	if (stat(path, &st) < 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return 1;
	}
	if (!S_ISDIR(st.st_mode))
		return replay_file(path);
	int n = scandir(path, &names, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		char *child = NULL;
		if (names[i]->d_name[0] != '.' && asprintf(&child, "%s/%s", path, names[i]->d_name) >= 0)
			bad |= replay(child);
		free(child);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return bad;
}

int main(int argc, char **argv)
{
	int bad = 0;

	for (int i = 1; i < argc; i++)
		bad |= replay(argv[i]);
	if (n_inputs == 0) {
		fprintf(stderr, "no inputs\n");
		return 1;
	}
	return bad;
}
