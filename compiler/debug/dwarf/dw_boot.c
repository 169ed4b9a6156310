// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // memfd_create
#include "compiler/debug/dwarf/dw_boot.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/util.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define MAX_IMAGE (UINT64_C(1) << 30) // bytes

// Offsets in the header of an image.
#define SETUP_SECTORS 0x1f1
#define BOOT_MAGIC 0x202
#define BOOT_VERSION 0x206
#define PAYLOAD_OFFSET 0x248
#define PAYLOAD_LENGTH 0x24c
#define HEADER_SIZE 0x250
#define SECTOR 512
#define WITH_PAYLOAD 0x208 // the version that has it

struct bytes {
	const uint8_t *data;
	size_t size;
};

static uint32_t read_u32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

// ---- the sorts of compression: each fills all of `out`, or is false ---------------------------------------------------------

static bool gzip(struct bytes in, uint8_t *out, size_t size)
{
	z_stream z = { .next_in = (Bytef *)in.data, .avail_in = (uInt)in.size, .next_out = out, .avail_out = (uInt)size };
	bool ok = inflateInit2(&z, 16 + MAX_WBITS) == Z_OK && inflate(&z, Z_FINISH) == Z_STREAM_END && !z.avail_out;

	inflateEnd(&z);
	return ok;
}

static bool xz(struct bytes in, uint8_t *out, size_t size)
{
	void *lib = dlopen("liblzma.so.5", RTLD_NOW | RTLD_LOCAL);
	int (*decode)(uint64_t *, uint32_t, const void *, const uint8_t *, size_t *, size_t, uint8_t *, size_t *, size_t) =
		lib ? (int (*)(uint64_t *, uint32_t, const void *, const uint8_t *, size_t *, size_t, uint8_t *, size_t *, size_t))dlsym(lib, "lzma_stream_buffer_decode") : NULL;
	uint64_t limit = MAX_IMAGE;
	size_t in_pos = 0, out_pos = 0;
	bool ok = decode && decode(&limit, 0, NULL, in.data, &in_pos, in.size, out, &out_pos, size) == 0 && out_pos == size;

	if (lib)
		dlclose(lib);
	return ok;
}

static bool zstd(struct bytes in, uint8_t *out, size_t size)
{
	void *lib = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
	size_t (*decompress)(void *, size_t, const void *, size_t) =
		lib ? (size_t (*)(void *, size_t, const void *, size_t))dlsym(lib, "ZSTD_decompress") : NULL;
	bool ok = decompress && decompress(out, size, in.data, in.size) == size;

	if (lib)
		dlclose(lib);
	return ok;
}

// The rest of a length of LZ4, of which 15 are known: bytes that are added, up to one that is not 255.
static bool lz4_length(const uint8_t **at, const uint8_t *end, size_t *length)
{
	uint8_t byte = 255;

	for (*length = *length == 15 ? 15 : *length; *length >= 15 && byte == 255; *length += byte) {
		if (*at == end || *length > MAX_IMAGE)
			return false;
		byte = *(*at)++;
	}
	return true;
}

// A block of LZ4: sequences of literals and of a copy of what is before. *done: how much of `out` is filled.
static bool lz4_block(const uint8_t *at, const uint8_t *end, uint8_t *out, size_t size, size_t *done)
{
	while (at < end) {
		uint8_t token = *at++;
		size_t literals = token >> 4, copied = token & 15, distance;

		if (!lz4_length(&at, end, &literals) || literals > (size_t)(end - at) || literals > size - *done)
			return false;
		memcpy(out + *done, at, literals);
		*done += literals;
		at += literals;
		if (at == end)
			return true; // the last sequence has no copy
		if (end - at < 2)
			return false;
		distance = at[0] | (size_t)at[1] << 8;
		at += 2;
		if (!lz4_length(&at, end, &copied) || !distance || distance > *done || copied + 4 > size - *done)
			return false;
		for (size_t i = 0; i < copied + 4; i++, ++*done) // it may overlap itself
			out[*done] = out[*done - distance];
	}
	return true;
}

// The frame of `lz4 -l`: the magic number, and blocks with their sizes.
static bool lz4(struct bytes in, uint8_t *out, size_t size)
{
	const uint8_t *at = in.data + 4, *end = in.data + in.size;
	size_t done = 0;

	while (done < size && end - at >= 4) {
		uint32_t length = read_u32(at);

		at += 4;
		if (length > (size_t)(end - at) || !lz4_block(at, at + length, out, size, &done))
			return false;
		at += length;
	}
	return done == size;
}

// ---- how large what is compressed is; 0: that is not known ------------------------------------------------------------------

static uint64_t gzip_size(struct bytes in)
{
	return read_u32(in.data + in.size - 4);
}

static bool xz_number(const uint8_t **at, const uint8_t *end, uint64_t *ret)
{
	*ret = 0;
	for (unsigned shift = 0; *at < end && shift < 63; shift += 7) {
		uint8_t byte = *(*at)++;

		*ret |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

// The index before the footer has the sizes of the blocks (The .xz File Format, 4.3): for each, that in the file and the other one.
static uint64_t xz_size(struct bytes in)
{
	const uint8_t *end = in.data + in.size - 12, *at;
	uint64_t index, n, unpadded, size, sum = 0;

	if (in.size < 24 || end[10] != 'Y' || end[11] != 'Z')
		return 0;
	index = (read_u32(end + 4) + UINT64_C(1)) * 4;
	if (index > in.size - 24)
		return 0;
	at = end - index + 1; // behind the indicator
	if (!xz_number(&at, end, &n))
		return 0;
	for (; n && xz_number(&at, end, &unpadded) && xz_number(&at, end, &size) && size <= MAX_IMAGE && sum <= MAX_IMAGE; n--)
		sum += size;
	return n ? 0 : sum;
}

static uint64_t zstd_size(struct bytes in)
{
	void *lib = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
	unsigned long long (*content)(const void *, size_t) = lib ? (unsigned long long (*)(const void *, size_t))dlsym(lib, "ZSTD_getFrameContentSize") : NULL;
	uint64_t size = content ? content(in.data, in.size) : 0; // -1 and -2 are errors

	if (lib)
		dlclose(lib);
	return size;
}

static const struct format {
	const char *name;
	uint8_t magic[6];
	size_t length;
	bool (*decompress)(struct bytes in, uint8_t *out, size_t size); // NULL: not supported
	uint64_t (*size)(struct bytes in); // NULL: the data do not tell
} formats[] = {
	{ "gzip", { 0x1f, 0x8b }, 2, gzip, gzip_size },
	{ "xz", { 0xfd, '7', 'z', 'X', 'Z' }, 5, xz, xz_size },
	{ "lz4", { 0x02, 0x21, 0x4c, 0x18 }, 4, lz4, NULL },
	{ "zstd", { 0x28, 0xb5, 0x2f, 0xfd }, 4, zstd, zstd_size },
	{ "lzma", { 0x5d, 0, 0 }, 3, NULL, NULL },
	{ "lzo", { 0x89, 'L', 'Z', 'O' }, 4, NULL, NULL },
	{ "bzip2", { 'B', 'Z', 'h' }, 3, NULL, NULL },
};

// ---- the image ------------------------------------------------------------------------------------------------------------

// The compressed kernel; false: it is no image that has one.
static bool find_payload(struct bytes image, struct bytes *ret)
{
	uint64_t at, length;

	if (image.size < HEADER_SIZE || memcmp(image.data + BOOT_MAGIC, "HdrS", 4) != 0 ||
	    (image.data[BOOT_VERSION] | image.data[BOOT_VERSION + 1] << 8) < WITH_PAYLOAD)
		return false;
	at = ((image.data[SETUP_SECTORS] ? image.data[SETUP_SECTORS] : 4) + UINT64_C(1)) * SECTOR + read_u32(image.data + PAYLOAD_OFFSET);
	length = read_u32(image.data + PAYLOAD_LENGTH);
	if (length < 16 || at > image.size || length > image.size - at)
		return false;
	*ret = (struct bytes){ image.data + at, length };
	return true;
}

// `is_image`: the size stands behind what is compressed, where the build of Linux puts it, as gzip does.
static struct sp_err *decompress(const char *path, struct bytes in, bool is_image, int fd)
{
	const struct format *format = NULL;
	uint64_t size = 0;
	void *map;
	bool ok;

	for (size_t i = 0; i < SP_ARRAY_SIZE(formats) && !format && in.size >= 16; i++)
		if (!memcmp(in.data, formats[i].magic, formats[i].length))
			format = &formats[i];
	if (!format || !format->decompress || (!is_image && !format->size))
		return sp_err_new(SP_ERR_FORMAT, "%s: what is in it is compressed by %s, which is not supported", path, format ? format->name : "an unknown program");
	size = is_image ? read_u32(in.data + in.size - 4) : format->size(in);
	if (!size || size > MAX_IMAGE || ftruncate(fd, (off_t)size))
		return sp_err_new(SP_ERR_FORMAT, "%s: it does not tell how large what is in it is (%s)", path, format->name);
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return sp_err_errno(errno, "%s: there is no memory for it", path);
	in.size -= is_image && format->decompress != gzip ? 4 : 0;
	ok = format->decompress(in, map, size);
	munmap(map, size);
	return ok ? NULL : sp_err_new(SP_ERR_FORMAT, "%s: what is in it cannot be decompressed (%s)", path, format->name);
}

static struct sp_err *open_packed(const char *path, bool is_image, struct dw_image *ret)
{
	sp_cleanup_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), memory = memfd_create("unpacked", MFD_CLOEXEC);
	struct sp_err *err = NULL;
	struct bytes all;
	struct stat st;
	void *map;
	int taken;

	if (fd < 0 || memory < 0 || fstat(fd, &st))
		return sp_err_errno(errno, "cannot open %s", path);
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return sp_err_new(SP_ERR_FORMAT, "%s is no file with something in it", path);
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return sp_err_errno(errno, "cannot map %s", path);
	all = (struct bytes){ map, (size_t)st.st_size };
	if (is_image && !find_payload(all, &all))
		err = sp_err_new(SP_ERR_FORMAT, "%s is not a boot image of x86", path);
	else
		err = decompress(path, all, is_image, memory);
	munmap(map, (size_t)st.st_size);
	if (err)
		return err;
	taken = memory;
	memory = -1;
	return dw_elf_take(path, taken, ret);
}

struct sp_err *dw_boot_open(const char *path, struct dw_image *ret)
{
	return open_packed(path, true, ret);
}

struct sp_err *dw_boot_unpack(const char *path, struct dw_image *ret)
{
	return open_packed(path, false, ret);
}
