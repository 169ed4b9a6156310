// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // memmem

#include "runtime/load/rejection.h"

#include "runtime/base/cleanup.h"

#include <bpf/btf.h>
#include <elf.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>

// Code that writes to a program's memory calls this helper, which a locked-down kernel does not have
// (bpf_tracing_func_proto() of Linux).
#define WRITE "bpf_probe_write_user"

static const struct {
	const char *words, *plain;
} causes[] = {
	{ WRITE, "this kernel is locked down, and lets nobody write to programs (--engine=user does)" },
	{ "invalid mem access 'scalar'", "a number is used as an address" },
	{ "invalid mem access 'inv'", "a number is used as an address" },
	{ "_or_null'", "a pointer is used before it is compared with 0" },
	{ "BPF program is too large", "there are too many paths through the program" },
	{ "too many states", "there are too many paths through the program" },
	{ "The sequence of", "the program jumps too often" },
	{ "back-edge", "this kernel takes no loops" },
	{ "infinite loop detected", "the end of a loop cannot be seen" },
	{ "loop is not bounded", "the end of a loop cannot be seen" },
	{ "unbounded memory access", "an index or a length has no upper bound that the verifier can see" },
	{ "unbounded min value", "an index or a length may be negative" },
	{ "min value is negative", "an index or a length may be negative" },
	{ "value is outside of", "an access is outside of its object" },
	{ "invalid access to map value", "an access is outside of a map's value" },
	{ "invalid access to memory", "an access is outside of its object" },
	{ "invalid access to packet", "an access is outside of its object" },
	{ "invalid stack", "an access is outside of the stack" },
	{ "invalid indirect read from stack", "stack memory is passed on that was not written" },
	{ "invalid indirect access to stack", "an access is outside of the stack" },
	{ "invalid read from stack", "stack memory is read that was not written" },
	{ "combined stack size", "the program and its functions need more than 512 bytes of stack" },
	{ "stack depth", "the program and its functions need more than 512 bytes of stack" },
	{ "invalid func", "this kernel does not have a helper that the program calls" },
	{ "unknown func", "this kernel does not have a helper that the program calls" },
	{ "program of this type cannot use helper", "this kernel does not have the helper for such a probe" },
	{ "cannot call GPL", "a helper is called that the program's licence does not allow" },
	{ "invalid bpf_context access", "a field of the context is read that such a probe does not have" },
	{ "!read_ok", "a register is used that was not set" },
	{ "unreachable insn", "there is code that is never reached" },
	{ "attach_btf_id", "the function cannot be attached to in this way" },
	{ "pointer arithmetic", "there is arithmetic on a pointer that may not be moved" },
	{ "math between", "there is arithmetic on a pointer that may not be moved" },
	{ "leaks addr", "a kernel address would become visible, which needs more privileges" },
};

static bool line_has(const char *line, size_t len, const char *words)
{
	return memmem(line, len, words, strlen(words)) != NULL;
}

// "12: (85) call ..." names an instruction, "from 3 to 7: ..." does not.
static int line_insn(const char *line, size_t len)
{
	char *end;
	long insn = strtol(line, &end, 10);

	if (end == line || (size_t)(end - line) + 2 >= len || end[0] != ':' || end[1] != ' ' || end[2] != '(')
		return -1;
	return (int)insn;
}

// Lines that only describe state: "R0=..", "; source", "last_idx ..", "processed N insns".
static bool is_noise(const char *line, size_t len)
{
	static const char *const starts[] = { ";", "processed ", "last_idx ", "regs=", "mark_precise", "parent ",
					      "verification time", "stack depth ", "arg#", "func#", "Func#",
					      "Validating ", "reg type unsupported", "from " };

	if (!len || line_insn(line, len) >= 0)
		return true;
	// "12: R0=..." is the state at an instruction.
	if (*line >= '0' && *line <= '9' && memchr(line, ':', SP_MIN(len, (size_t)8)) && line_has(line, len, ": R"))
		return true;
	if (*line == 'R' && len > 2 && line[1] >= '0' && line[1] <= '9' && line_has(line, len, "="))
		return true;
	for (size_t i = 0; i < SP_ARRAY_SIZE(starts); i++)
		if (len >= strlen(starts[i]) && strncmp(line, starts[i], strlen(starts[i])) == 0 &&
		    !(starts[i][0] == 's' && line_has(line, len, "exceeds")))
			return true;
	return false;
}

void rejection_parse(const char *log, struct rejection *ret)
{
	*ret = (struct rejection){ .insn = -1, .reason = "" };
	for (const char *line = log, *next; *line; line = next) {
		size_t len = strcspn(line, "\n");
		int insn = line_insn(line, len);

		next = line + len + (line[len] == '\n');
		if (insn >= 0) {
			ret->insn = insn;
		} else if (len > 2 && line[0] == ';' && line[1] == ' ') {
			const char *at;

			ret->source = line + 2;
			ret->source_len = len - 2;
			// Since 6.8: "; text @ file:line".
			for (at = line + len; at > ret->source && strncmp(at, " @ ", 3) != 0; at--)
				;
			if (at > ret->source)
				ret->source_len = (size_t)(at - ret->source);
		} else if (!is_noise(line, len)) {
			ret->reason = line;
			ret->reason_len = len;
		}
	}
	for (size_t i = 0; i < SP_ARRAY_SIZE(causes) && !ret->plain; i++)
		if (line_has(ret->reason, ret->reason_len, causes[i].words))
			ret->plain = causes[i].plain;
	ret->is_refused = line_has(ret->reason, ret->reason_len, WRITE);
	ret->too_large = line_has(ret->reason, ret->reason_len, "too large") ||
			 line_has(ret->reason, ret->reason_len, "too many states");
}

// ---- line information ------------------------------------------------------------------------------------------------

// .BTF.ext as Documentation/bpf/btf.rst of Linux has it.
struct ext_head {
	uint16_t magic;
	uint8_t version, flags;
	uint32_t head_len;
	uint32_t func_off, func_len;
	uint32_t line_off, line_len;
};

struct ext_section {
	uint32_t name, n_records;
};

struct line_record {
	uint32_t insn_off, file, text, line_column; // insn_off in bytes, from the section's start
};

struct lines {
	Elf *elf;
	struct btf *btf;
	Elf_Data *ext, *symbols;
	size_t symbol_names; // section
};

static void lines_close(struct lines *lines)
{
	btf__free(lines->btf);
	elf_end(lines->elf);
}

static bool lines_open(const struct bundle *bundle, struct lines *ret)
{
	Elf_Data *btf = NULL;
	Elf_Scn *scn = NULL;
	size_t names;

	elf_version(EV_CURRENT);
	// libelf asks for memory that may be written, but does not write to it with this command.
	ret->elf = elf_memory((char *)(uintptr_t)bundle->bytes, bundle->size);
	if (!ret->elf || elf_getshdrstrndx(ret->elf, &names))
		return false;
	while ((scn = elf_nextscn(ret->elf, scn))) {
		GElf_Shdr shdr;
		const char *name;

		if (!gelf_getshdr(scn, &shdr) || !(name = elf_strptr(ret->elf, names, shdr.sh_name)))
			continue;
		if (sp_streq(name, ".BTF")) {
			btf = elf_getdata(scn, NULL);
		} else if (sp_streq(name, ".BTF.ext")) {
			ret->ext = elf_getdata(scn, NULL);
		} else if (shdr.sh_type == SHT_SYMTAB) {
			ret->symbols = elf_getdata(scn, NULL);
			ret->symbol_names = shdr.sh_link;
		}
	}
	if (!btf || !ret->ext || !ret->symbols)
		return false;
	ret->btf = btf__new(btf->d_buf, (uint32_t)btf->d_size);
	return ret->btf != NULL;
}

// The name of the program's section, its offset there, and its own size: without the functions that libbpf appends to
// it.
static const char *find_prog(const struct lines *lines, const char *prog, uint64_t *offset_ret, uint64_t *size_ret)
{
	size_t names;
	GElf_Sym sym;

	if (elf_getshdrstrndx(lines->elf, &names))
		return NULL;
	for (int i = 0; gelf_getsym(lines->symbols, i, &sym); i++) {
		const char *name = elf_strptr(lines->elf, lines->symbol_names, sym.st_name);
		Elf_Scn *scn;
		GElf_Shdr shdr;

		if (!name || GELF_ST_TYPE(sym.st_info) != STT_FUNC || !sp_streq(name, prog))
			continue;
		scn = elf_getscn(lines->elf, sym.st_shndx);
		if (!scn || !gelf_getshdr(scn, &shdr))
			return NULL;
		*offset_ret = sym.st_value;
		*size_ret = sym.st_size;
		return elf_strptr(lines->elf, names, shdr.sh_name);
	}
	return NULL;
}

struct line_query {
	const char *section; // NULL: that of functions, by the text of the line
	uint64_t offset;
	const struct rejection *rejection;
};

// Is `record` a better answer than the last one?
static bool record_fits(const struct btf *btf, const struct line_query *query, const char *section,
			const struct line_record *record)
{
	const char *text;

	if (query->section)
		return sp_streq(section, query->section) && record->insn_off <= query->offset;
	if (!sp_streq(section, ".text"))
		return false;
	text = btf__str_by_offset(btf, record->text);
	if (!text || !query->rejection->source)
		return false;
	text += strspn(text, " \t");
	return strlen(text) == query->rejection->source_len &&
	       strncmp(text, query->rejection->source, query->rejection->source_len) == 0;
}

static bool find_record(const struct lines *lines, const struct line_query *query, struct line_record *ret)
{
	const uint8_t *bytes = lines->ext->d_buf;
	size_t size = lines->ext->d_size, at, end;
	struct ext_head head;
	uint32_t record_size;
	bool found = false;

	if (size < sizeof(head))
		return false;
	memcpy(&head, bytes, sizeof(head));
	at = (size_t)head.head_len + head.line_off;
	end = at + head.line_len;
	if (head.magic != 0xeb9f || end > size || head.line_len < sizeof(record_size))
		return false;
	memcpy(&record_size, bytes + at, sizeof(record_size));
	at += sizeof(record_size);
	if (record_size < sizeof(struct line_record))
		return false;
	while (at + sizeof(struct ext_section) <= end) {
		struct ext_section section;
		const char *name;

		memcpy(&section, bytes + at, sizeof(section));
		at += sizeof(section);
		name = btf__str_by_offset(lines->btf, section.name);
		if (!name || section.n_records > (end - at) / record_size)
			return found;
		for (uint32_t i = 0; i < section.n_records; i++, at += record_size) {
			struct line_record record;

			memcpy(&record, bytes + at, sizeof(record));
			if (record_fits(lines->btf, query, name, &record)) {
				*ret = record;
				found = true;
			}
		}
	}
	return found;
}

bool rejection_place(const struct bundle *bundle, const char *prog, const struct rejection *rejection,
		     struct rejection_place *ret)
{
	sp_cleanup(lines_close) struct lines lines = { 0 };
	struct line_query query = { .rejection = rejection };
	struct line_record record;
	uint64_t size = 0, at;
	const char *file;

	if (rejection->insn < 0 || !lines_open(bundle, &lines))
		return false;
	query.section = find_prog(&lines, prog, &query.offset, &size);
	if (!query.section)
		return false;
	at = (uint64_t)rejection->insn * sizeof(struct bpf_insn);
	query.offset += at;
	if (at >= size)
		query.section = NULL;
	if (!find_record(&lines, &query, &record))
		return false;
	file = btf__str_by_offset(lines.btf, record.file);
	*ret = (struct rejection_place){ .file = sp_strdup(file ? file : ""), .line = record.line_column >> 10,
					 .column = record.line_column & 0x3ff };
	return true;
}
