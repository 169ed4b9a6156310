// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // asprintf
#include "compiler/debug/dwarf/dw_package.h"

#include "compiler/cache/look.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"

#include <dwarf.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY "program" // its name in the folder; units are in "N/" beside it
#define MAX_COLUMNS 16

// The sections of a package, by their number in an index. Version 2 is GNU's.
enum { INFO = 1, TYPES = 2, ABBREV = 3, STR_OFFSETS = 6, N_SECTIONS = 9 };

static const char *const names_v2[N_SECTIONS] = {
	NULL, ".debug_info.dwo", ".debug_types.dwo", ".debug_abbrev.dwo", ".debug_line.dwo", ".debug_loc.dwo",
	".debug_str_offsets.dwo", ".debug_macinfo.dwo", ".debug_macro.dwo",
};
static const char *const names_v5[N_SECTIONS] = {
	NULL, ".debug_info.dwo", NULL, ".debug_abbrev.dwo", ".debug_line.dwo", ".debug_loclists.dwo",
	".debug_str_offsets.dwo", ".debug_macro.dwo", ".debug_rnglists.dwo",
};

// .debug_cu_index or .debug_tu_index: a hash table of units, and for each unit a row with its part of each section.
struct index {
	const uint8_t *bytes;
	unsigned version;
	uint32_t n_columns, n_units, n_slots;
};

struct part {
	const uint8_t *data;
	size_t size;
};

struct package {
	struct dw_image image;
	struct index units, types;
	struct dw_section sections[N_SECTIONS], str;
	char *folder;
	unsigned n; // .dwo files that have been written
};

// ---- the index ----------------------------------------------------------------------------------------------------------

static uint32_t word(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static bool read_index(const struct dw_image *image, const char *name, struct index *ret)
{
	struct dw_section section;

	*ret = (struct index){ 0 };
	if (!dw_elf_section(image->elf, name, &section) || section.size < 16)
		return false;
	*ret = (struct index){ section.data, word(section.data) & 0xffff, word(section.data + 4), word(section.data + 8),
			       word(section.data + 12) };
	uint64_t cells = (uint64_t)ret->n_columns * (1 + 2 * (uint64_t)ret->n_units);
	return (ret->version == 2 || ret->version == 5) && ret->n_columns && ret->n_columns <= MAX_COLUMNS &&
	       16 + 12 * (uint64_t)ret->n_slots + 4 * cells <= section.size;
}

// The number of the row, from 1 on, in slot `i`, and the unit's signature; 0: the slot is empty.
static uint32_t row_in_slot(const struct index *index, uint32_t i, uint64_t *id_ret)
{
	uint32_t row = word(index->bytes + 16 + 8 * (size_t)index->n_slots + 4 * (size_t)i);

	memcpy(id_ret, index->bytes + 16 + 8 * (size_t)i, sizeof(*id_ret));
	return row <= index->n_units ? row : 0;
}

static uint32_t row_of(const struct index *index, uint64_t id)
{
	for (uint32_t i = 0; i < index->n_slots; i++) {
		uint64_t found;
		uint32_t row = row_in_slot(index, i, &found);
		if (row && found == id)
			return row;
	}
	return 0;
}

// The parts of a row, by section; false: one is not in its section.
static bool read_row(const struct package *package, const struct index *index, uint32_t row, struct part ret[N_SECTIONS])
{
	const uint8_t *columns = index->bytes + 16 + 12 * (size_t)index->n_slots;
	const uint8_t *offsets = columns + 4 * (size_t)index->n_columns * row;
	const uint8_t *sizes = offsets + 4 * (size_t)index->n_columns * index->n_units;

	memset(ret, 0, N_SECTIONS * sizeof(*ret));
	for (uint32_t i = 0; i < index->n_columns; i++) {
		uint32_t id = word(columns + 4 * i), off = word(offsets + 4 * i), size = word(sizes + 4 * i);
		if (!id || id >= N_SECTIONS || !size)
			continue;
		const struct dw_section *section = &package->sections[id];
		if (off > section->size || section->size - off < size)
			return false;
		ret[id] = (struct part){ section->data + off, size };
	}
	return true;
}

// ---- a .dwo file --------------------------------------------------------------------------------------------------------

struct object {
	struct sp_buf bytes, names;
	Elf64_Shdr headers[N_SECTIONS + 3];
	unsigned n;
};

static void object_begin(struct object *object)
{
	*object = (struct object){ .n = 1 };
	sp_buf_fill(&object->bytes, '\0', sizeof(Elf64_Ehdr));
	sp_buf_putc(&object->names, '\0');
}

static void object_add(struct object *object, const char *name, const void *data, size_t size)
{
	Elf64_Shdr *header = &object->headers[object->n++];

	*header = (Elf64_Shdr){ .sh_name = (Elf64_Word)object->names.len, .sh_type = SHT_PROGBITS, .sh_flags = SHF_EXCLUDE,
				.sh_offset = object->bytes.len, .sh_size = size, .sh_addralign = 1 };
	sp_buf_add(&object->names, name, strlen(name) + 1);
	sp_buf_add(&object->bytes, data, size);
}

static bool object_write(struct object *object, const Elf64_Ehdr *like, const char *path)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf names = { 0 };
	Elf64_Ehdr header = { .e_type = ET_REL, .e_machine = like->e_machine, .e_version = EV_CURRENT, .e_ehsize = sizeof(header),
			      .e_shentsize = sizeof(Elf64_Shdr) };

	memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	header.e_ident[EI_VERSION] = EV_CURRENT;
	header.e_shstrndx = (Elf64_Half)object->n;
	sp_buf_add(&names, object->names.data, object->names.len);
	sp_buf_puts(&names, ".shstrtab");
	object_add(object, ".shstrtab", names.data, names.len + 1);
	object->headers[object->n - 1].sh_type = SHT_STRTAB;
	sp_buf_fill(&object->bytes, '\0', SP_ALIGN_UP(object->bytes.len, 8) - object->bytes.len);
	header.e_shoff = object->bytes.len;
	header.e_shnum = (Elf64_Half)object->n;
	sp_buf_add(&object->bytes, object->headers, object->n * sizeof(*object->headers));
	memcpy(object->bytes.data, &header, sizeof(header));
	sp_cleanup_close int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return fd >= 0 && write(fd, object->bytes.data, object->bytes.len) == (ssize_t)object->bytes.len;
}

static void object_deinit(struct object *object)
{
	sp_buf_deinit(&object->bytes);
	sp_buf_deinit(&object->names);
}

// The strings that the unit refers to by number, and the table of their offsets: .debug_str.dwo of a large package as a whole would
// be in every .dwo file.
static void add_strings(const struct package *package, const struct part *offsets, struct object *object)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf strings = { 0 }, table = { 0 };
	size_t at = package->units.version == 5 ? 8 : 0; // behind the header, of the 32-bit format

	sp_buf_add(&table, offsets->data, SP_MIN(at, offsets->size));
	for (; offsets->size >= at + 4; at += 4) {
		uint32_t off = word(offsets->data + at), to = (uint32_t)strings.len;
		const char *text = off < package->str.size ? (const char *)package->str.data + off : "";
		size_t len = off < package->str.size ? strnlen(text, package->str.size - off) : 0;
		sp_buf_add(&strings, text, len);
		sp_buf_putc(&strings, '\0');
		sp_buf_add(&table, &to, sizeof(to));
	}
	object_add(object, ".debug_str_offsets.dwo", table.data, table.len);
	object_add(object, ".debug_str.dwo", strings.data, strings.len);
}

// Appends the type units that were in the same .dwo file: they have the same abbreviations.
static void add_types(const struct package *package, const struct part *unit, unsigned section, struct sp_buf *out)
{
	const struct index *types = &package->types;

	for (uint32_t i = 0; i < types->n_slots; i++) {
		struct part parts[N_SECTIONS];
		uint64_t id;
		uint32_t row = row_in_slot(types, i, &id);
		if (row && read_row(package, types, row, parts) && parts[section].size && parts[ABBREV].data == unit[ABBREV].data &&
		    parts[STR_OFFSETS].data == unit[STR_OFFSETS].data)
			sp_buf_add(out, parts[section].data, parts[section].size);
	}
}

static bool write_unit(const struct package *package, const struct part parts[N_SECTIONS], const char *path)
{
	const char *const *names = package->units.version == 5 ? names_v5 : names_v2;
	sp_cleanup(sp_buf_deinit) struct sp_buf info = { 0 }, types = { 0 };
	struct object object;
	Elf64_Ehdr like = { 0 };
	bool ok;

	object_begin(&object);
	like.e_machine = elf64_getehdr(package->image.elf)->e_machine;
	sp_buf_add(&info, parts[INFO].data, parts[INFO].size);
	add_types(package, parts, names[TYPES] ? TYPES : INFO, names[TYPES] ? &types : &info);
	object_add(&object, names[INFO], info.data, info.len);
	if (types.len)
		object_add(&object, names[TYPES], types.data, types.len);
	for (unsigned i = ABBREV; i < N_SECTIONS; i++)
		if (i != STR_OFFSETS && names[i] && parts[i].size)
			object_add(&object, names[i], parts[i].data, parts[i].size);
	add_strings(package, &parts[STR_OFFSETS], &object);
	ok = object_write(&object, &like, path);
	object_deinit(&object);
	return ok;
}

// ---- the folder ---------------------------------------------------------------------------------------------------------

static int remove_one(const char *path, const struct stat *st SP_UNUSED, int type SP_UNUSED, struct FTW *ftw SP_UNUSED)
{
	return remove(path);
}

static void make_folder(struct package *package)
{
	const char *parent = sp_env("TMPDIR");

	if (asprintf(&package->folder, "%s/spile-dwp.XXXXXX", parent && *parent == '/' ? parent : "/var/tmp") < 0)
		package->folder = NULL;
	if (package->folder && !mkdtemp(package->folder)) {
		free(package->folder);
		package->folder = NULL;
	}
}

static void package_deinit(struct package *package)
{
	if (package->folder)
		nftw(package->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	free(package->folder);
	dw_elf_deinit(&package->image);
}

static bool write_copy(const char *path, const struct dw_image *image)
{
	sp_cleanup_close int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	for (size_t at = 0; fd >= 0 && at < image->size;) {
		ssize_t n = write(fd, image->map + at, image->size - at);
		if (n <= 0)
			return false;
		at += (size_t)n;
	}
	return fd >= 0;
}

// Makes a name relative, and keeps it from leading out of the folder: "/a/../b.dwo" -> "_a/__/b.dwo". Its bytes are those of our copy
// of the image.
static void tame(char *name)
{
	if (*name == '/')
		*name = '_';
	for (char *at = name; (at = strstr(at, "..")); at += 2)
		at[0] = at[1] = '_';
}

static const char *dwo_name(Dwarf_Die *skeleton)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr(skeleton, DW_AT_dwo_name, &attr));

	return name ? name : dwarf_formstring(dwarf_attr(skeleton, DW_AT_GNU_dwo_name, &attr));
}

// Makes the folders on the way to a file below package->folder. Returns the file's path.
static char *path_in(const struct package *package, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", package->folder, name) < 0)
		return NULL;
	for (char *slash = path + strlen(package->folder) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	return path;
}

// Writes the .dwo file of a skeleton unit, where libdw will look for it.
static void unpack(struct package *package, const struct dw_image *image, Dwarf_CU *cu)
{
	struct part parts[N_SECTIONS];
	uint64_t id;
	uint8_t type;
	Dwarf_Die die;

	if (dwarf_cu_info(cu, NULL, &type, &die, NULL, &id, NULL, NULL) < 0 || type != DW_UT_skeleton)
		return;
	const char *name = dwo_name(&die);
	uint32_t row = row_of(&package->units, id);
	if (!name || !row || !read_row(package, &package->units, row, parts) || !parts[INFO].size || !parts[ABBREV].size)
		return;
	bool is_ours = (const uint8_t *)name > image->map && (const uint8_t *)name < image->map + image->size;
	if (is_ours)
		tame((char *)name);
	else if (*name == '/' || strstr(name, ".."))
		return;
	sp_cleanup_free char *path = path_in(package, name);
	package->n += path && write_unit(package, parts, path);
}

static bool read_package(const struct dw_file *file, struct package *package)
{
	static const char *const none[N_SECTIONS];
	const char *const *names = none;

	if (!read_index(&package->image, ".debug_cu_index", &package->units)) {
		sp_log(file->log, SP_LOG_WARN, "%s is not used: it has no index of units that can be read", package->image.path);
		return false;
	}
	names = package->units.version == 5 ? names_v5 : names_v2;
	read_index(&package->image, ".debug_tu_index", &package->types);
	if (package->types.version != package->units.version)
		package->types = (struct index){ 0 };
	for (unsigned i = 0; i < N_SECTIONS; i++)
		if (names[i])
			dw_elf_section(package->image.elf, names[i], &package->sections[i]);
	dw_elf_section(package->image.elf, ".debug_str.dwo", &package->str);
	return gelf_getclass(package->image.elf) == ELFCLASS64;
}

// Lets libdw open all split units now, as the folder goes away.
static void open_split(Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, sub;

	while (dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &die, &sub) == 0)
		;
}

static bool open_copy(const struct package *package, const struct dw_image *image, struct dw_image *ret, Dwarf **dwarf_ret)
{
	LOOK_PAUSE(); // the copy is made anew each time
	sp_cleanup_free char *path = path_in(package, COPY);
	struct dw_image copy = { .path = sp_strdup(image->path), .fd = -1 };

	if (path && write_copy(path, image))
		copy.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (copy.fd >= 0)
		copy.elf = elf_begin(copy.fd, ELF_C_READ_MMAP_PRIVATE, NULL);
	if (copy.elf && (*dwarf_ret = dwarf_begin_elf(copy.elf, DWARF_C_READ, NULL))) {
		open_split(*dwarf_ret);
		*ret = copy;
		return true;
	}
	dw_elf_deinit(&copy);
	return false;
}

static bool find_package(const struct dw_file *file, const struct dw_image *image, struct dw_image *ret)
{
	const char *const paths[] = { image->path, file->run.path };

	for (size_t i = 0; i < SP_ARRAY_SIZE(paths); i++) {
		sp_cleanup_free char *path = NULL;
		struct sp_err *err;
		if (asprintf(&path, "%s.dwp", paths[i]) < 0 || access(path, R_OK) != 0)
			continue;
		if (!(err = dw_elf_open(path, ret)))
			return true;
		sp_cleanup_free char *why = sp_err_text(err);
		sp_log(file->log, SP_LOG_WARN, "%s is not used: %s", path, why);
		sp_err_free(err);
	}
	return false;
}

bool dw_package_open(const struct dw_file *file, const struct dw_image *image, struct dw_image *ret, Dwarf **dwarf_ret)
{
	struct package package = { .image.fd = -1 };
	Dwarf_CU *cu = NULL;
	bool ok = false;

	if (!find_package(file, image, &package.image))
		return false;
	if (read_package(file, &package))
		make_folder(&package);
	while (package.folder && dwarf_get_units(file->dwarf, cu, &cu, NULL, NULL, NULL, NULL) == 0)
		unpack(&package, image, cu);
	if (package.n)
		ok = open_copy(&package, image, ret, dwarf_ret);
	if (ok)
		sp_log(file->log, SP_LOG_INFO, "%u units of %s", package.n, package.image.path);
	package_deinit(&package);
	return ok;
}
