// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // O_TMPFILE
#include "compiler/debug/dwarf/dw_plain.h"

#include "compiler/cache/cache.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"
#include "runtime/base/parallel.h"
#include "runtime/base/vec.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>
#ifdef ISAL_SONAME
#include <isa-l/igzip_lib.h>
#endif

#define MIN_SIZE (4u << 20) // bytes that libelf decompresses fast enough
#define MAX_SIZE (64ull << 30) // what a broken header says is no reason to fill the disk
#define CHUNK (256u << 10)
#define ALIGN 64
#define COMPRESS_ZSTD 2 // ELFCOMPRESS_ZSTD, which elf.h has since glibc 2.37

struct piece {
	uint64_t from, from_size; // in the image, behind the header of a compressed section
	uint64_t to, size;
	uint64_t wanted; // so many bytes are enough; at least `size`: all, up to the end of the stream
	unsigned type; // ELFCOMPRESS_ZLIB, COMPRESS_ZSTD; 0: not compressed
	size_t section;
};

struct copy {
	const struct dw_image *image;
	SP_VEC(struct piece) pieces;
	uint64_t info_end; // as in dw_plain_open()
	uint64_t end; // of the copy's sections; behind it are the section headers
	uint64_t n_compressed; // bytes that the compressed sections have
	bool has_zstd;
	int fd;
	atomic_uint next;
	atomic_bool failed;
};

// ---- reading and writing ------------------------------------------------------------------------------------------------

struct stream {
	struct copy *copy;
	const struct piece *piece;
	uint64_t n_read, n_written;
	uint8_t *in, *out; // of CHUNK bytes each
};

// The next bytes of the section; 0: there are no more.
static size_t read_chunk(struct stream *s)
{
	size_t size = SP_MIN(CHUNK, s->piece->from_size - s->n_read);
	ssize_t n = size ? pread(s->copy->image->fd, s->in, size, (off_t)(s->piece->from + s->n_read)) : 0;

	s->n_read += n > 0 ? (uint64_t)n : 0;
	return n > 0 ? (size_t)n : 0;
}

static bool write_chunk(struct stream *s, const uint8_t *bytes, size_t size)
{
	if (size > s->piece->size - s->n_written)
		return false;
	for (size_t at = 0; at < size;) {
		ssize_t n = pwrite(s->copy->fd, bytes + at, size - at, (off_t)(s->piece->to + s->n_written + at));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += (size_t)n;
	}
	s->n_written += size;
	return true;
}

static bool copy_bytes(struct stream *s)
{
	for (size_t n; s->n_written < s->piece->wanted && (n = read_chunk(s));)
		if (!write_chunk(s, s->in, n))
			return false;
	return true;
}

#ifdef ISAL_SONAME

static bool copy_by_isal(struct stream *s, void (*init)(struct inflate_state *), int (*inflate)(struct inflate_state *))
{
	struct inflate_state *z = sp_malloc(sizeof(*z)); // 90 KB
	bool ok = true;

	init(z);
	z->crc_flag = ISAL_ZLIB;
	while (ok && s->n_written < s->piece->wanted && z->block_state != ISAL_BLOCK_FINISH) {
		if (!z->avail_in) {
			z->next_in = s->in;
			z->avail_in = (uint32_t)read_chunk(s);
		}
		bool at_end = !z->avail_in;
		z->next_out = s->out;
		z->avail_out = CHUNK;
		ok = inflate(z) == ISAL_DECOMP_OK && !(at_end && z->avail_out == CHUNK) &&
		     write_chunk(s, s->out, CHUNK - z->avail_out);
	}
	free(z);
	return ok;
}

// zlib's format in half of zlib's time. False, and nothing was read: the library is not installed.
static bool copy_fast(struct stream *s, bool *ok_ret)
{
	void *lib = dlopen(ISAL_SONAME, RTLD_NOW | RTLD_LOCAL);
	void (*init)(struct inflate_state *) = lib ? (void (*)(struct inflate_state *))dlsym(lib, "isal_inflate_init") : NULL;
	int (*inflate)(struct inflate_state *) = lib ? (int (*)(struct inflate_state *))dlsym(lib, "isal_inflate") : NULL;
	bool has_it = init && inflate;

	if (has_it)
		*ok_ret = copy_by_isal(s, init, inflate);
	if (lib)
		dlclose(lib);
	return has_it;
}

#else

static bool copy_fast(struct stream *s SP_UNUSED, bool *ok_ret SP_UNUSED)
{
	return false;
}

#endif

static bool copy_zlib(struct stream *s)
{
	z_stream z = { 0 };
	bool ok;

	if (copy_fast(s, &ok))
		return ok;
	int status = inflateInit(&z);
	ok = status == Z_OK;

	while (ok && s->n_written < s->piece->wanted && status != Z_STREAM_END) {
		if (!z.avail_in) {
			z.next_in = s->in;
			z.avail_in = (uInt)read_chunk(s);
		}
		z.next_out = s->out;
		z.avail_out = CHUNK;
		status = inflate(&z, Z_NO_FLUSH);
		ok = (status == Z_OK || status == Z_STREAM_END) && write_chunk(s, s->out, CHUNK - z.avail_out);
	}
	inflateEnd(&z);
	return ok;
}

// Of zstd.h: ZSTD_inBuffer and ZSTD_outBuffer.
struct zstd_buffer {
	void *bytes;
	size_t size, pos;
};

static bool copy_zstd(struct stream *s)
{
	void *lib = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
	void *(*create)(void) = lib ? (void *(*)(void))dlsym(lib, "ZSTD_createDStream") : NULL;
	size_t (*destroy)(void *) = lib ? (size_t (*)(void *))dlsym(lib, "ZSTD_freeDStream") : NULL;
	size_t (*decompress)(void *, struct zstd_buffer *, struct zstd_buffer *) =
		lib ? (size_t (*)(void *, struct zstd_buffer *, struct zstd_buffer *))dlsym(lib, "ZSTD_decompressStream") : NULL;
	unsigned (*is_error)(size_t) = lib ? (unsigned (*)(size_t))dlsym(lib, "ZSTD_isError") : NULL;
	void *z = create && destroy && decompress && is_error ? create() : NULL;
	struct zstd_buffer in = { .bytes = s->in };
	bool ok = z;

	while (ok && s->n_written < SP_MIN(s->piece->wanted, s->piece->size)) {
		struct zstd_buffer out = { s->out, CHUNK, 0 };
		if (in.pos == in.size)
			in = (struct zstd_buffer){ s->in, read_chunk(s), 0 };
		bool at_end = !in.size;
		ok = !is_error(decompress(z, &out, &in)) && (out.pos || !at_end) && write_chunk(s, s->out, out.pos);
	}
	if (z)
		destroy(z);
	if (lib)
		dlclose(lib);
	return ok;
}

static void copy_pieces(void *ctx, unsigned thread SP_UNUSED)
{
	struct copy *copy = ctx;
	sp_cleanup_free uint8_t *buffers = sp_malloc(2 * CHUNK);

	for (size_t i; (i = atomic_fetch_add(&copy->next, 1)) < copy->pieces.n && !copy->failed;) {
		const struct piece *piece = &copy->pieces.v[i];
		struct stream s = { .copy = copy, .piece = piece, .in = buffers, .out = buffers + CHUNK };
		bool ok = piece->type == ELFCOMPRESS_ZLIB ? copy_zlib(&s) :
			  piece->type == COMPRESS_ZSTD	  ? copy_zstd(&s) :
							    copy_bytes(&s);
		if (!ok || s.n_written < SP_MIN(piece->wanted, piece->size))
			copy->failed = true;
	}
}

// ---- the copy -----------------------------------------------------------------------------------------------------------

// Is it a section that a debug file is opened for? What is loaded with the program stays in the image.
static bool is_copied(const char *name)
{
	return sp_starts_with(name, ".debug_") || sp_starts_with(name, ".zdebug_") || sp_streq(name, ".gnu_debugaltlink") || sp_streq(name, ".symtab") ||
	       sp_streq(name, ".strtab") || sp_streq(name, ".shstrtab");
}

static void add_piece(struct copy *copy, Elf_Scn *scn, const Elf64_Shdr *shdr, const char *name)
{
	struct piece piece = { .from = shdr->sh_offset, .from_size = shdr->sh_size, .to = copy->end, .size = shdr->sh_size,
			       .section = elf_ndxscn(scn) };
	GElf_Chdr chdr;

	if (shdr->sh_type == SHT_NOBITS || !is_copied(name))
		return;
	if (shdr->sh_flags & SHF_COMPRESSED && gelf_getchdr(scn, &chdr) && shdr->sh_size >= sizeof(Elf64_Chdr)) {
		piece.from += sizeof(Elf64_Chdr);
		piece.from_size -= sizeof(Elf64_Chdr);
		piece.size = chdr.ch_size;
		piece.type = chdr.ch_type;
		copy->n_compressed = SP_MIN(copy->n_compressed + chdr.ch_size, MAX_SIZE);
		copy->has_zstd |= chdr.ch_type == COMPRESS_ZSTD;
	}
	piece.wanted = sp_streq(name, ".debug_info") ? copy->info_end : UINT64_MAX;
	copy->end = SP_ALIGN_UP(copy->end + SP_MIN(piece.size, MAX_SIZE), ALIGN);
	sp_vec_push(&copy->pieces, piece);
}

static void plan_copy(struct copy *copy, Elf *elf)
{
	size_t strndx;

	copy->end = SP_ALIGN_UP(sizeof(Elf64_Ehdr), ALIGN);
	if (elf_getshdrstrndx(elf, &strndx) < 0)
		return;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		const Elf64_Shdr *shdr = elf64_getshdr(scn);
		const char *name = shdr ? elf_strptr(elf, strndx, shdr->sh_name) : NULL;
		if (name)
			add_piece(copy, scn, shdr, name);
	}
}

static int largest_first(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	uint64_t n = SP_MIN(x->size, x->wanted), m = SP_MIN(y->size, y->wanted);

	return (n < m) - (n > m);
}

// The section headers have the numbers that they have in the image; sections that are not copied are empty.
static bool write_headers(const struct copy *copy)
{
	Elf *elf = copy->image->elf;
	Elf64_Ehdr ehdr = *elf64_getehdr(elf);
	size_t n;

	if (elf_getshdrnum(elf, &n) < 0)
		return false;
	sp_cleanup_free Elf64_Shdr *shdrs = sp_calloc(n + 1, sizeof(*shdrs));
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		Elf64_Shdr *shdr = &shdrs[elf_ndxscn(scn)];
		*shdr = *elf64_getshdr(scn);
		shdr->sh_type = SHT_NOBITS;
		shdr->sh_flags &= ~(uint64_t)SHF_COMPRESSED;
		shdr->sh_size = shdr->sh_offset = 0;
	}
	memcpy(&shdrs[0], elf64_getshdr(elf_getscn(elf, 0)), sizeof(*shdrs)); // has counts that the header has no room for
	sp_vec_each(piece, &copy->pieces) {
		Elf64_Shdr *shdr = &shdrs[piece->section];
		shdr->sh_type = elf64_getshdr(elf_getscn(elf, piece->section))->sh_type;
		shdr->sh_offset = piece->to;
		shdr->sh_size = piece->size;
		shdr->sh_addralign = ALIGN;
	}
	ehdr.e_phoff = ehdr.e_phnum = 0;
	ehdr.e_shoff = copy->end;
	size_t size = n * sizeof(*shdrs);
	return pwrite(copy->fd, shdrs, size, (off_t)copy->end) == (ssize_t)size &&
	       pwrite(copy->fd, &ehdr, sizeof(ehdr), 0) == (ssize_t)sizeof(ehdr);
}

// Fills the new file `fd`. The headers come last: after a crash of the machine a file without its end is not taken for a copy.
static bool make(void *ctx, int fd)
{
	struct copy *copy = ctx;

	copy->fd = fd;
	sp_parallel(sp_parallel_threads(), copy_pieces, copy);
	return !copy->failed && write_headers(copy);
}

static int make_nameless(struct copy *copy)
{
	const char *folder = sp_env("TMPDIR");
	int fd = open(folder && *folder == '/' ? folder : "/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 && make(copy, fd))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

// Takes a file as the copy when it has the same sections.
static bool take(const struct copy *copy, int fd, struct dw_image *ret)
{
	struct dw_image image;
	struct sp_err *err = dw_elf_take(copy->image->path, fd, &image);
	bool same = !err;

	for (size_t i = 0; same && i < copy->pieces.n; i++) {
		const struct piece *piece = &copy->pieces.v[i];
		Elf_Scn *scn = elf_getscn(image.elf, piece->section);
		const Elf64_Shdr *shdr = scn ? elf64_getshdr(scn) : NULL;
		same = shdr && shdr->sh_offset == piece->to && shdr->sh_size == piece->size;
	}
	sp_err_free(err);
	if (!err && !same)
		dw_elf_deinit(&image);
	if (same)
		*ret = image;
	return same;
}

bool dw_plain_open(const struct dw_image *image, const uint8_t *build_id, unsigned build_id_len, uint64_t info_end,
		   const struct sp_log *log, struct dw_image *ret)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf name = { 0 };
	struct copy copy = { .image = image, .info_end = info_end };
	bool found = false;

	if (gelf_getclass(image->elf) == ELFCLASS64)
		plan_copy(&copy, image->elf);
	if ((copy.n_compressed < MIN_SIZE && !copy.has_zstd) || copy.n_compressed >= MAX_SIZE) {
		sp_vec_deinit(&copy.pieces);
		return false;
	}
	qsort(copy.pieces.v, copy.pieces.n, sizeof(*copy.pieces.v), largest_first);
	for (unsigned i = 0; i < build_id_len; i++)
		sp_buf_printf(&name, "%02x", build_id[i]);
	sp_buf_puts(&name, ".debug");
	int fd = build_id_len ? cache_open(sp_buf_str(&name)) : -1;
	found = fd >= 0 && take(&copy, fd, ret);
	if (!found) {
		bool is_whole = info_end == UINT64_MAX;
		if (is_whole)
			sp_log(log, SP_LOG_INFO, "decompressing the debug information of %s", image->path);
		fd = is_whole && build_id_len ? cache_make(sp_buf_str(&name), make, &copy) : -1;
		if (fd < 0) {
			copy.next = 0;
			copy.failed = false;
			fd = make_nameless(&copy);
		}
		found = fd >= 0 && take(&copy, fd, ret);
	}
	sp_vec_deinit(&copy.pieces);
	return found;
}
