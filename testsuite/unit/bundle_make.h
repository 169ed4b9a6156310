// SPDX-License-Identifier: GPL-2.0-or-later
/** Makes bundles (runtime/abi/bundle.h) for tests: a small writer of ELF files, and names for BPF instructions. Each call
 *  returns the index of what it added. What is not set comes out valid; tests break it by hand afterwards. */
#ifndef SP_TEST_BUNDLE_MAKE_H
#define SP_TEST_BUNDLE_MAKE_H

#include "runtime/abi/bundle.h"
#include "runtime/abi/event.h"
#include "runtime/abi/uservm.h"
#include "runtime/base/buf.h"

#include <elf.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <sys/utsname.h>

// ---- instructions ---------------------------------------------------------------------------------------------------

#define INSN(c, d, s, o, i) ((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) })
#define ALU64_I(op, d, i) INSN(BPF_ALU64 | BPF_##op | BPF_K, d, 0, 0, i)
#define ALU64_R(op, d, s) INSN(BPF_ALU64 | BPF_##op | BPF_X, d, s, 0, 0)
#define ALU32_I(op, d, i) INSN(BPF_ALU | BPF_##op | BPF_K, d, 0, 0, i)
#define ALU32_R(op, d, s) INSN(BPF_ALU | BPF_##op | BPF_X, d, s, 0, 0)
#define MOV_I(d, i) ALU64_I(MOV, d, i)
#define MOV_R(d, s) ALU64_R(MOV, d, s)
#define LD_IMM(d, s, low, high) INSN(BPF_LD | BPF_IMM | BPF_DW, d, s, 0, low), INSN(0, 0, 0, 0, high)
#define LD_NUM(d, n) LD_IMM(d, 0, (int32_t)(uint32_t)(uint64_t)(n), (int32_t)(uint32_t)((uint64_t)(n) >> 32))
#define LD_MAP(d, map) LD_IMM(d, SP_VM_LD_MAP, map, 0)
#define LD_AREA(d, area, offset) LD_IMM(d, SP_VM_LD_AREA, area, offset)
#define LDX(size, d, s, o) INSN(BPF_LDX | BPF_MEM | BPF_##size, d, s, o, 0)
#define STX(size, d, s, o) INSN(BPF_STX | BPF_MEM | BPF_##size, d, s, o, 0)
#define ST(size, d, o, i) INSN(BPF_ST | BPF_MEM | BPF_##size, d, 0, o, i)
#define ATOMIC(size, op, d, s, o) INSN(BPF_STX | BPF_ATOMIC | BPF_##size, d, s, o, op)
#define JMP_I(op, d, i, o) INSN(BPF_JMP | BPF_##op | BPF_K, d, 0, o, i)
#define JMP_R(op, d, s, o) INSN(BPF_JMP | BPF_##op | BPF_X, d, s, o, 0)
#define JA(o) INSN(BPF_JMP | BPF_JA, 0, 0, o, 0)
#define CALL(id) INSN(BPF_JMP | BPF_CALL, 0, 0, 0, id)
#define CALL_LOCAL(o) INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, o)
#define EXIT() INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

// ---- bundles --------------------------------------------------------------------------------------------------------

struct bundle_make {
	struct sp_bundle_head head;
	struct sp_buf strings, progs, sites, maps, globals, fields, formats, names, places, fixups, objects, user, udata, data,
		slots;
	unsigned globals_size; // of the scalars, which follow the control block and the counters
};

static SP_UNUSED void bm_init(struct bundle_make *m)
{
	struct utsname host = { 0 };

	uname(&host);
	*m = (struct bundle_make){ .head = {
		.magic = SP_BUNDLE_MAGIC, .version = SP_BUNDLE_VERSION, .head_size = sizeof(m->head),
		.ring_size = 4096, .max_action = 1000,
	} };
	memcpy(m->head.arch, host.machine, strnlen(host.machine, sizeof(m->head.arch) - 1));
	sp_buf_putc(&m->strings, '\0');
}

static SP_UNUSED uint32_t bm_text(struct bundle_make *m, const char *text)
{
	uint32_t offset = (uint32_t)m->strings.len;

	sp_buf_add(&m->strings, text, strlen(text) + 1);
	return offset;
}

static SP_UNUSED unsigned bm_add(struct sp_buf *section, const void *record, size_t size)
{
	unsigned index = (unsigned)(section->len / size);

	sp_buf_add(section, record, size);
	return index;
}

static SP_UNUSED unsigned bm_place(struct bundle_make *m, unsigned line, unsigned column, const char *what)
{
	const struct sp_place place = { bm_text(m, "<input>"), line, column, bm_text(m, what) };

	return bm_add(&m->places, &place, sizeof(place));
}

static SP_UNUSED unsigned bm_field(struct bundle_make *m, unsigned type, unsigned offset, unsigned size)
{
	const struct sp_field field = { .type = (uint8_t)type, .offset = offset, .size = size };

	return bm_add(&m->fields, &field, sizeof(field));
}

/** Fields one after the other from `offset`: 'l' a long, 's' a string of `string_size`. Returns where they end. */
static SP_UNUSED unsigned bm_fields(struct bundle_make *m, const char *types, unsigned offset, unsigned string_size)
{
	for (; *types; types++) {
		unsigned size = *types == 'l' ? 8 : string_size;

		bm_field(m, *types == 'l' ? SP_LONG : SP_STRING, offset, size);
		offset += size;
	}
	return offset;
}

static SP_UNUSED unsigned bm_map(struct bundle_make *m, const char *name, const char *keys, char value,
				 unsigned string_size, unsigned max_entries, unsigned flags)
{
	struct sp_map map = {
		.name = bm_text(m, name), .label = bm_text(m, name), .kind = SP_MAP_HASH, .flags = (uint16_t)flags,
		.max_entries = max_entries, .n_keys = (uint32_t)strlen(keys),
		.value_type = value == 'l' ? SP_LONG : SP_STRING, .value_size = value == 'l' ? 8 : string_size,
		.first_key = (uint32_t)(m->fields.len / sizeof(struct sp_field)),
	};

	map.key_size = bm_fields(m, keys, 0, string_size);
	return bm_add(&m->maps, &map, sizeof(map));
}

static SP_UNUSED unsigned bm_global(struct bundle_make *m, const char *name, char type, unsigned size)
{
	const struct sp_global global = {
		.name = bm_text(m, name), .type = type == 'l' ? SP_LONG : SP_STRING,
		.offset = m->globals_size, .size = size, // bm_finish moves it behind the counters
	};

	m->globals_size += size;
	return bm_add(&m->globals, &global, sizeof(global));
}

static SP_UNUSED unsigned bm_format(struct bundle_make *m, unsigned kind, const char *text, const char *args,
				    unsigned string_size)
{
	struct sp_format format = {
		.text = bm_text(m, text), .kind = (uint16_t)kind, .n_args = (uint16_t)strlen(args),
		.first_arg = (uint32_t)(m->fields.len / sizeof(struct sp_field)),
	};

	format.record_size = bm_fields(m, args, sizeof(struct sp_event_head), string_size);
	return bm_add(&m->formats, &format, sizeof(format));
}

/** A handler with one site of that kind. */
static SP_UNUSED unsigned bm_prog(struct bundle_make *m, const char *name, unsigned site_kind, const char *point,
				  const struct bpf_insn *insns, size_t n_insns)
{
	bool user_only = site_kind <= SP_SITE_TIMER;
	unsigned index = (unsigned)(m->progs.len / sizeof(struct sp_prog));
	struct sp_site site = {
		.kind = (uint16_t)site_kind, .prog = index, .point = bm_text(m, point),
		.function = bm_text(m, "function"), .symbol = bm_text(m, "symbol"), .object = SP_NONE, .program = SP_NONE,
	};
	struct sp_prog prog = {
		.name = bm_text(m, name), .kind = user_only ? SP_PROG_USER : SP_PROG_REGS, .flags = SP_PROG_IN_USER,
		.n_sites = 1, .n_user_insns = (uint32_t)n_insns,
	};

	if (site_kind == SP_SITE_TIMER)
		site.args.timer.period = 1000000;
	if (site_kind == SP_SITE_UPROBE || site_kind == SP_SITE_URETPROBE) {
		const struct sp_object object = { .name = bm_text(m, "./program"), .path = bm_text(m, "/nowhere/program"),
						  .kind = SP_OBJECT_PROGRAM };

		site.object = bm_add(&m->objects, &object, sizeof(object));
	}
	prog.place = bm_place(m, index + 1, 1, "");
	prog.first_site = bm_add(&m->sites, &site, sizeof(site));
	prog.user_insn = (uint32_t)(m->user.len / sizeof(*insns));
	sp_buf_add(&m->user, insns, n_insns * sizeof(*insns));
	return bm_add(&m->progs, &prog, sizeof(prog));
}
#define BM_PROG(m, kind, point, insns) bm_prog((m), "handler", (kind), (point), (insns), SP_ARRAY_SIZE(insns))

/** Fills in what depends on the whole: the counters, the data area, where globals are. */
static SP_UNUSED void bm_lay_out(struct bundle_make *m)
{
	uint32_t n_progs = (uint32_t)(m->progs.len / sizeof(struct sp_prog));
	struct sp_global *globals = (struct sp_global *)m->globals.data;

	m->head.losses_offset = sizeof(struct sp_control);
	for (size_t i = 0; i < m->globals.len / sizeof(*globals); i++)
		globals[i].offset += m->head.losses_offset + SP_LOSS_COUNT * n_progs * 8;
	m->head.data_size = m->head.losses_offset + SP_LOSS_COUNT * n_progs * 8 + m->globals_size;
	sp_buf_fill(&m->data, '\0', m->head.data_size - SP_MIN(m->data.len, (size_t)m->head.data_size));
	sp_buf_fill(&m->slots, '\0', m->head.n_slots * 8 - SP_MIN(m->slots.len, (size_t)m->head.n_slots * 8));
}

static void bm_section(struct sp_buf *file, struct sp_buf *headers, struct sp_buf *names, const char *name, uint32_t type,
		       const void *data, size_t size)
{
	const Elf64_Shdr sh = { .sh_name = (uint32_t)names->len, .sh_type = type, .sh_offset = file->len,
				.sh_size = size, .sh_addralign = 8 };

	sp_buf_add(names, name, strlen(name) + 1);
	sp_buf_add(headers, &sh, sizeof(sh));
	sp_buf_add(file, data, size);
	sp_buf_fill(file, '\0', -file->len & 7);
}

/** The file's bytes as they are laid out now, to be freed with free(3). */
static SP_UNUSED char *bm_write(struct bundle_make *m, size_t *size_ret)
{
	Elf64_Ehdr eh = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_REL, .e_machine = EM_BPF, .e_version = EV_CURRENT, .e_ehsize = sizeof(eh),
		.e_shentsize = sizeof(Elf64_Shdr),
	};
	struct sp_buf file = { 0 }, headers = { 0 }, names = { 0 };
	const struct {
		const char *name;
		struct sp_buf *data;
	} sections[] = {
		{ SP_SEC_STRINGS, &m->strings }, { SP_SEC_PROGS, &m->progs }, { SP_SEC_SITES, &m->sites },
		{ SP_SEC_MAPS, &m->maps }, { SP_SEC_GLOBALS, &m->globals }, { SP_SEC_FIELDS, &m->fields },
		{ SP_SEC_FORMATS, &m->formats }, { SP_SEC_NAMES, &m->names }, { SP_SEC_PLACES, &m->places }, { SP_SEC_FIXUPS, &m->fixups },
		{ SP_SEC_OBJECTS, &m->objects }, { SP_SEC_USER, &m->user }, { SP_SEC_UDATA, &m->udata },
		{ SP_DATA_SECTION, &m->data }, { SP_SLOTS_SECTION, &m->slots },
	};

	sp_buf_add(&file, &eh, sizeof(eh));
	bm_section(&file, &headers, &names, "", SHT_NULL, "", 0);
	bm_section(&file, &headers, &names, SP_SEC_HEAD, SHT_PROGBITS, &m->head, sizeof(m->head));
	for (size_t i = 0; i < SP_ARRAY_SIZE(sections); i++)
		if (sections[i].data->len)
			bm_section(&file, &headers, &names, sections[i].name, SHT_PROGBITS, sections[i].data->data,
				   sections[i].data->len);
	sp_buf_puts(&names, ".shstrtab");
	sp_buf_putc(&names, '\0');
	{
		const Elf64_Shdr sh = { .sh_name = (uint32_t)(names.len - sizeof(".shstrtab")), .sh_type = SHT_STRTAB,
					.sh_offset = file.len, .sh_size = names.len };

		sp_buf_add(&headers, &sh, sizeof(sh));
	}
	sp_buf_add(&file, names.data, names.len);
	sp_buf_fill(&file, '\0', -file.len & 7);
	eh.e_shoff = file.len;
	eh.e_shnum = (uint16_t)(headers.len / sizeof(Elf64_Shdr));
	eh.e_shstrndx = (uint16_t)(eh.e_shnum - 1);
	sp_buf_add(&file, headers.data, headers.len);
	memcpy(file.data, &eh, sizeof(eh));
	sp_buf_deinit(&headers);
	sp_buf_deinit(&names);
	*size_ret = file.len;
	return sp_buf_take(&file);
}

static SP_UNUSED char *bm_finish(struct bundle_make *m, size_t *size_ret)
{
	bm_lay_out(m);
	return bm_write(m, size_ret);
}

static SP_UNUSED void bm_deinit(struct bundle_make *m)
{
	struct sp_buf *sections[] = { &m->strings, &m->progs, &m->sites, &m->maps, &m->globals, &m->fields, &m->formats,
				      &m->names, &m->places, &m->fixups, &m->objects, &m->user, &m->udata, &m->data, &m->slots };

	for (size_t i = 0; i < SP_ARRAY_SIZE(sections); i++)
		sp_buf_deinit(sections[i]);
}

#endif
