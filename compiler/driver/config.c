// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/config.h"

#include "compiler/driver/session.h"

#include <stdio.h>
#include <sys/utsname.h>
#include <zlib.h>

static bool is_running(const char *release)
{
	struct utsname here;

	return uname(&here) == 0 && sp_streq(here.release, release);
}

// Where distributions keep it; the running kernel may have its own. Plain text is read by gzgets(), too.
static gzFile open_config(const char *release)
{
	static const char *const places[] = { "/boot/config-%s", "/lib/modules/%s/config", "/lib/modules/%s/build/.config" };
	char path[256];
	gzFile file = NULL;

	for (size_t i = 0; !file && i < SP_ARRAY_SIZE(places); i++) {
		snprintf(path, sizeof(path), places[i], release);
		file = gzopen(path, "re");
	}
	return file || !is_running(release) ? file : gzopen("/proc/config.gz", "re");
}

static void read_config(struct spile *spile)
{
	gzFile file = open_config(spile->target.release);
	char line[1024];

	spile->kernel_config_read = true;
	while (file && gzgets(file, line, sizeof(line))) {
		char *value = strchr(line, '=');

		line[strcspn(line, "\n")] = '\0';
		if (value && sp_starts_with(line, "CONFIG_")) {
			*value++ = '\0';
			sp_hash_set(&spile->kernel_config, line, sp_arena_strdup(&spile->arena, value));
		} else if (sp_starts_with(line, "# CONFIG_")) {
			line[2 + strcspn(line + 2, " ")] = '\0';
			sp_hash_set(&spile->kernel_config, line + 2, (void *)"n");
		}
	}
	if (file)
		gzclose(file);
}

const char *config_value(void *ctx, const char *name)
{
	struct spile *spile = ctx;
	const char *value;

	if (!spile->kernel_config_read)
		read_config(spile);
	value = sp_hash_get(&spile->kernel_config, name);
	return value || !spile->kernel_config.n_live ? value : "";
}
