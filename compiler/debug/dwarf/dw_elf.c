// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_elf.h"

#include "runtime/base/build_id.h"
#include "runtime/base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void dw_elf_deinit(struct dw_image *image)
{
	if (image->elf)
		elf_end(image->elf);
	if (image->map)
		munmap(image->map, image->size);
	if (image->fd >= 0)
		close(image->fd);
	free(image->path);
	*image = (struct dw_image){ .fd = -1 };
}

// "#! /usr/bin/env python3" names what runs a script: python3. The kernel reads 256 bytes.
static struct sp_err *refuse_script(const struct dw_image *image)
{
	const char *word = (const char *)image->map + 2, *end = (const char *)image->map + SP_MIN(image->size, (size_t)256);
	int len = 0;

	do {
		for (word += len; word < end && (*word == ' ' || *word == '\t'); word++)
			;
		for (len = 0; word + len < end && (unsigned char)word[len] > ' '; len++)
			;
	} while ((len == 12 && memcmp(word, "/usr/bin/env", len) == 0) || (len && *word == '-')); // env -S
	return sp_err_new(SP_ERR_FORMAT, "%s is a script: probe the program that runs it%s%.*s", image->path, len ? ", " : "", len, word);
}

static struct sp_err *image_map(struct dw_image *image)
{
	struct stat st;

	if (image->fd < 0)
		image->fd = open(image->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a FIFO would wait for its other end
	if (image->fd < 0 || fstat(image->fd, &st) < 0)
		return sp_err_errno(errno, "cannot open %s", image->path);
	if (S_ISDIR(st.st_mode))
		return sp_err_new(SP_ERR_FORMAT, "%s is a directory, not a file", image->path);
	if (!S_ISREG(st.st_mode))
		return sp_err_new(SP_ERR_FORMAT, "%s is not a regular file", image->path);
	if (st.st_size == 0)
		return sp_err_new(SP_ERR_FORMAT, "%s is empty", image->path);
	image->size = st.st_size;
	// Writable because libelf changes the section headers of what it decompresses; only our copies of these pages change.
	image->map = mmap(NULL, image->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, image->fd, 0);
	if (image->map == MAP_FAILED) {
		image->map = NULL;
		return sp_err_errno(errno, "cannot map %s", image->path);
	}
	image->elf = elf_memory((char *)image->map, image->size);
	if (image->elf && elf_kind(image->elf) == ELF_K_ELF)
		return NULL;
	if (image->size > 2 && image->map[0] == '#' && image->map[1] == '!')
		return refuse_script(image);
	if (image->size >= SELFMAG && image->size < sizeof(Elf64_Ehdr) && memcmp(image->map, ELFMAG, SELFMAG) == 0)
		return sp_err_new(SP_ERR_FORMAT, "%s is truncated in its ELF header", image->path);
	return sp_err_new(SP_ERR_FORMAT, "%s is not an ELF file", image->path);
}

// UPX leaves no sections, and its mark behind the program headers.
static bool is_packed(const struct dw_image *image, const GElf_Ehdr *ehdr, size_t n_phdr)
{
	size_t at = ehdr->e_phoff + n_phdr * ehdr->e_phentsize + 4;

	return !ehdr->e_shnum && at < image->size && image->size - at >= 4 && memcmp(image->map + at, "UPX!", 4) == 0;
}

// Checks that the section headers and sections lie inside the file. libelf takes a file that ends before its section headers for
// one without sections: a truncated file would look like a stripped one.
static struct sp_err *image_check(const struct dw_image *image)
{
	GElf_Ehdr ehdr;
	size_t n_phdr;

	if (image->map[EI_DATA] != ELFDATA2LSB)
		return sp_err_new(SP_ERR_FORMAT, "%s: only little-endian ELF files are supported", image->path);
	if (!gelf_getehdr(image->elf, &ehdr))
		return sp_err_new(SP_ERR_FORMAT, "%s: broken ELF header: %s", image->path, elf_errmsg(-1));
	if (ehdr.e_shoff > image->size || (ehdr.e_shoff && image->size - ehdr.e_shoff < ehdr.e_shentsize))
		return sp_err_new(SP_ERR_FORMAT, "%s is truncated: its section headers lie behind its end", image->path);
	if (ehdr.e_shoff && (uint64_t)ehdr.e_shnum * ehdr.e_shentsize > image->size - ehdr.e_shoff)
		return sp_err_new(SP_ERR_FORMAT, "%s is truncated in its section headers", image->path);
	if (elf_getphdrnum(image->elf, &n_phdr) < 0)
		return sp_err_new(SP_ERR_FORMAT, "%s: broken program headers: %s", image->path, elf_errmsg(-1));
	if (is_packed(image, &ehdr, n_phdr))
		return sp_err_new(SP_ERR_FORMAT, "%s is compressed by UPX: its code is not in the file, but only in memory while it runs; 'upx -d' "
				  "restores the program", image->path);
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(image->elf, scn));) {
		GElf_Shdr shdr;
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS || shdr.sh_type == SHT_NULL)
			continue;
		if (shdr.sh_offset > image->size || image->size - shdr.sh_offset < shdr.sh_size)
			return sp_err_new(SP_ERR_FORMAT, "%s is truncated: section %zu lies behind its end", image->path,
					  elf_ndxscn(scn));
	}
	return NULL;
}

struct sp_err *dw_elf_open(const char *path, struct dw_image *ret)
{
	return dw_elf_take(path, -1, ret);
}

struct sp_err *dw_elf_take(const char *path, int fd, struct dw_image *ret)
{
	struct dw_image image = { .path = sp_strdup(path), .fd = fd };
	struct sp_err *err = image_map(&image);

	if (!err)
		err = image_check(&image);
	if (err) {
		dw_elf_deinit(&image);
		return err;
	}
	*ret = image;
	return NULL;
}

// gcc -gz=zlib-gnu: .debug_line is .zdebug_line, of bytes that no flag says are compressed.
static bool is_gnu_compressed(const char *section, const char *name)
{
	return sp_starts_with(section, ".zdebug_") && sp_streq(section + strlen(".z"), name + strlen("."));
}

bool dw_elf_is_text(Elf *elf, size_t strings, size_t offset, const char *text)
{
	const char *own = elf_strptr(elf, strings, offset);

	return own && sp_streq(own, text);
}

static Elf_Scn *find_section(Elf *elf, const char *name, GElf_Shdr *ret)
{
	size_t strndx;

	if (!elf || elf_getshdrstrndx(elf, &strndx) < 0)
		return NULL;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		const char *scn_name;
		if (!gelf_getshdr(scn, ret) || !(scn_name = elf_strptr(elf, strndx, ret->sh_name)))
			continue;
		if (sp_streq(scn_name, name))
			return scn;
		if (is_gnu_compressed(scn_name, name)) {
			elf_compress_gnu(scn, 0, 0); // libdw may have done that
			return scn;
		}
	}
	return NULL;
}

bool dw_elf_has_section(Elf *elf, const char *name)
{
	GElf_Shdr shdr;
	return find_section(elf, name, &shdr) && shdr.sh_type != SHT_NOBITS && shdr.sh_size > 0;
}

bool dw_elf_has_dwarf(Elf *elf)
{
	return dw_elf_has_section(elf, ".debug_info");
}

Elf_Data *dw_elf_raw_section(Elf *elf, const char *name)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = find_section(elf, name, &shdr);
	Elf_Data *data = scn && shdr.sh_type != SHT_NOBITS ? elf_rawdata(scn, NULL) : NULL;
	return data && data->d_buf && data->d_size ? data : NULL;
}

bool dw_elf_section(Elf *elf, const char *name, struct dw_section *ret)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = find_section(elf, name, &shdr);
	Elf_Data *data = scn && shdr.sh_type != SHT_NOBITS ? elf_getdata(scn, NULL) : NULL;

	if (!data || !data->d_buf || !data->d_size)
		return false;
	*ret = (struct dw_section){ .data = data->d_buf, .size = data->d_size, .fd = -1 };
	return true;
}

// Some files have no sections (sstrip).
static unsigned build_id_of_segments(Elf *elf, uint8_t ret[32])
{
	unsigned len = 0;
	GElf_Phdr phdr;
	size_t n;

	if (elf_getphdrnum(elf, &n) < 0)
		return 0;
	for (size_t i = 0; i < n && !len; i++) {
		Elf_Data *data = gelf_getphdr(elf, (int)i, &phdr) && phdr.p_type == PT_NOTE ?
				elf_getdata_rawchunk(elf, (int64_t)phdr.p_offset, phdr.p_filesz, ELF_T_BYTE) : NULL;

		if (data)
			len = sp_build_id_find(data->d_buf, data->d_size, ret);
	}
	return len;
}

unsigned dw_elf_build_id(Elf *elf, uint8_t ret[32])
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr shdr;
		Elf_Data *data;
		unsigned len;
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_NOTE || !(data = elf_rawdata(scn, NULL)))
			continue;
		if (data->d_buf && (len = sp_build_id_find(data->d_buf, data->d_size, ret)))
			return len;
	}
	return build_id_of_segments(elf, ret);
}

uint64_t dw_elf_code_layout(Elf *elf)
{
	uint64_t layout = 0;
	GElf_Phdr phdr;
	size_t n;

	if (elf_getphdrnum(elf, &n) < 0)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &phdr) && phdr.p_type == PT_LOAD && phdr.p_flags & PF_X)
			layout = sp_code_layout(layout, phdr.p_offset, phdr.p_vaddr);
	return layout;
}
