// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/base/perf_zstd.h"

#ifndef SP_SODIUM_LINKED

#include <dlfcn.h>
#include <stdlib.h>

#define PIECE (128 * 1024)
#define MOST (64u << 20) // bytes of one record: perf makes at most 64 KB of some hundred

// As zstd.h declares them, of every version.
struct out_buffer {
	void *dst;
	size_t size, pos;
};

struct in_buffer {
	const void *src;
	size_t size, pos;
};

struct sp_perf_zstd {
	void *library, *stream;
	size_t (*decompress)(void *stream, struct out_buffer *out, struct in_buffer *in);
	unsigned (*is_error)(size_t code);
	size_t (*release)(void *stream);
};

const char *sp_perf_zstd_open(struct sp_perf_zstd **ret)
{
	struct sp_perf_zstd zstd = { .library = dlopen("libzstd.so.1", RTLD_NOW) };
	void *(*create)(void);

	if (!zstd.library)
		return "that needs libzstd (Debian: libzstd1)";
	create = (void *(*)(void))dlsym(zstd.library, "ZSTD_createDStream");
	zstd.decompress = (size_t(*)(void *, struct out_buffer *, struct in_buffer *))dlsym(zstd.library, "ZSTD_decompressStream");
	zstd.is_error = (unsigned (*)(size_t))dlsym(zstd.library, "ZSTD_isError");
	zstd.release = (size_t(*)(void *))dlsym(zstd.library, "ZSTD_freeDStream");
	zstd.stream = create && zstd.decompress && zstd.is_error && zstd.release ? create() : NULL;
	if (!zstd.stream) {
		dlclose(zstd.library);
		return "libzstd cannot be used";
	}
	*ret = sp_malloc(sizeof(zstd));
	**ret = zstd;
	return NULL;
}

const char *sp_perf_zstd_unpack(struct sp_perf_zstd *zstd, const void *bytes, size_t size, struct sp_buf *ret)
{
	struct in_buffer in = { bytes, size, 0 };
	struct out_buffer out = { sp_malloc(PIECE), PIECE, 0 };
	const char *why = NULL;
	size_t total = 0;

	// What is full may not have been all.
	do {
		size_t taken = in.pos;

		out.pos = 0;
		if (zstd->is_error(zstd->decompress(zstd->stream, &out, &in)))
			why = "they are no stream of zstd";
		else if ((total += out.pos) > MOST)
			why = "one has more than 64 MB";
		else if (in.pos == taken && !out.pos && taken < size)
			why = "their stream ends before they do";
		else
			sp_buf_add(ret, out.dst, out.pos);
	} while (!why && (in.pos < in.size || out.pos == out.size));
	free(out.dst);
	return why;
}

void sp_perf_zstd_close(struct sp_perf_zstd *zstd)
{
	if (!zstd)
		return;
	zstd->release(zstd->stream);
	dlclose(zstd->library);
	free(zstd);
}

#else

const char *sp_perf_zstd_open(struct sp_perf_zstd **ret)
{
	(void)ret;
	return "this program is linked without zstd";
}

const char *sp_perf_zstd_unpack(struct sp_perf_zstd *zstd, const void *bytes, size_t size, struct sp_buf *ret)
{
	(void)zstd, (void)bytes, (void)size, (void)ret;
	return NULL;
}

void sp_perf_zstd_close(struct sp_perf_zstd *zstd)
{
	(void)zstd;
}

#endif
