// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/ir/embed_text.h"

static const char prelude[] =
#include "embed_prelude.inc"
	;

// ---- headers ------------------------------------------------------------------------------------

static bool begins_with(const char *name, const char *const *prefixes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (sp_starts_with(name, prefixes[i]))
			return true;
	return false;
}

static int header_kind(const char *name, bool is_quoted)
{
	static const char *const known[] = { "stdint.h", "stdbool.h", "stddef.h", "limits.h", "linux/types.h",
					     "linux/string.h", "linux/kernel.h", "linux/bpf.h", "bpf/bpf_helpers.h" };
	// The folders of the kernel's include/.
	static const char *const kernel[] = { "linux/", "asm/", "asm-generic/", "net/", "uapi/", "trace/", "vmlinux.h", "acpi/", "clocksource/",
					      "crypto/", "drm/", "generated/", "hyperv/", "keys/", "kunit/", "kvm/", "math-emu/", "media/",
					      "memory/", "misc/", "pcmcia/", "ras/", "rdma/", "rv/", "scsi/", "soc/", "sound/", "target/",
					      "ufs/", "vdso/", "video/", "xen/" };

	if (is_quoted && !sp_streq(name, "vmlinux.h"))
		return EMBED_HEADER_QUOTED;
	for (size_t i = 0; i < SP_ARRAY_SIZE(known); i++)
		if (sp_streq(name, known[i]))
			return EMBED_HEADER_PRELUDE;
	return begins_with(name, kernel, SP_ARRAY_SIZE(kernel)) ? EMBED_HEADER_KERNEL : EMBED_HEADER_UNKNOWN;
}

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " \t");
}

// The name in `# include <name>`; NULL: the line is none.
static const char *included(const char *line, size_t *len_ret, bool *is_quoted_ret)
{
	static const char word[] = "include";
	const char *s = skip_blanks(line);

	if (*s != '#')
		return NULL;
	s = skip_blanks(s + 1);
	if (strncmp(s, word, strlen(word)))
		return NULL;
	s = skip_blanks(s + strlen(word));
	if (*s != '<' && *s != '"')
		return NULL;
	*is_quoted_ret = *s == '"';
	*len_ret = strcspn(s + 1, ">\"\n");
	return s + 1;
}

static bool keep_line(const struct ir_unit *unit, struct embed_text *text, const struct ir_embed *embed, const char *line)
{
	struct embed_header header = { 0 };
	struct ir_place place = unit->places.v[embed->place];
	size_t len = 0;
	bool is_quoted = false;
	const char *name = included(line, &len, &is_quoted);

	if (!name)
		return true;
	for (const char *s = embed->code; s < name; s++) {
		place.column = *s == '\n' ? 1 : place.column + 1;
		place.line += *s == '\n';
	}
	header.name = sp_arena_strndup(&text->arena, name, len);
	header.place = (struct ir_place){ place.file, place.line, place.column, "" };
	header.kind = header_kind(header.name, is_quoted);
	sp_vec_push(&text->headers, header);
	return header.kind == EMBED_HEADER_QUOTED;
}

// ---- pieces -------------------------------------------------------------------------------------

static void add_line(struct sp_buf *out, const struct ir_place *place)
{
	sp_buf_printf(out, "#line %u \"", place->line);
	sp_buf_quoted(out, place->file, strlen(place->file));
	sp_buf_puts(out, "\"\n");
}

// The script's text, at its own line and columns.
static void add_code(const struct ir_unit *unit, struct embed_text *text, const struct ir_embed *embed)
{
	const struct ir_place place = unit->places.v[embed->place];
	struct sp_buf *out = &text->code;

	add_line(out, &place);
	sp_buf_fill(out, ' ', place.column - 1);
	for (const char *line = embed->code; *line;) {
		size_t len = strcspn(line, "\n");

		if (keep_line(unit, text, embed, line))
			sp_buf_add(out, line, len);
		sp_buf_putc(out, '\n');
		line += len + (line[len] == '\n');
	}
	sp_buf_printf(out, "#line 1 \"" EMBED_OWN_FILE "%zu>\"\n", (size_t)(embed - unit->embeds.v));
}

static const char *c_type(enum ir_type type)
{
	return type == IR_STR ? "char *" : "s64 ";
}

static bool by_value(const struct ir_embed_arg *arg)
{
	return arg->role == IR_EMBED_PARAM && arg->type == IR_LONG;
}

static const char *mangling(const struct ir_embed *embed)
{
	return embed->is_unmangled ? "" : "l_";
}

// The declarations that a body of C sees: struct spile_args with STAP_ARG_x for its parameters, and so on.
static void add_members(struct sp_buf *out, const struct ir_embed *embed)
{
	sp_buf_puts(out, "struct {\n");
	for (unsigned i = 0; i < embed->n_args; i++) {
		const struct ir_embed_arg *arg = &embed->args[i];

		if (arg->role == IR_EMBED_PARAM)
			sp_buf_printf(out, "\t%s%s%s;\n", c_type(arg->type), mangling(embed), arg->name);
		else if (arg->role == IR_EMBED_RESULT)
			sp_buf_printf(out, "\t%s__retvalue;\n", c_type(arg->type));
		else if (arg->role == IR_EMBED_GLOBAL)
			sp_buf_printf(out, "\t%sg_%s;\n", arg->type == IR_STR ? "char *" : "volatile s64 *", arg->name);
	}
	sp_buf_puts(out, "}");
}

static void add_global_macros(struct sp_buf *out, const struct ir_embed_arg *arg)
{
	const char *name = arg->name;

	if (arg->reads && arg->type == IR_STR)
		sp_buf_printf(out, "#define STAP_GLOBAL_GET_%s() ((const char *)THIS->g_%s)\n", name, name);
	else if (arg->reads)
		sp_buf_printf(out, "#define STAP_GLOBAL_GET_%s() (*THIS->g_%s)\n", name, name);
	if (arg->writes && arg->type == IR_STR)
		sp_buf_printf(out,
			      "#define STAP_GLOBAL_SET_%s(value) do { strlcpy(THIS->g_%s, value, MAXSTRINGLEN); } while (0)\n",
			      name, name);
	else if (arg->writes)
		sp_buf_printf(out, "#define STAP_GLOBAL_SET_%s(value) do { *THIS->g_%s = (value); } while (0)\n", name,
			      name);
}

static void add_macros(struct sp_buf *out, const struct ir_embed *embed)
{
	for (unsigned i = 0; i < embed->n_args; i++) {
		const struct ir_embed_arg *arg = &embed->args[i];

		if (arg->role == IR_EMBED_PARAM)
			sp_buf_printf(out, "#define STAP_ARG_%s (THIS->%s%s)\n", arg->name, mangling(embed), arg->name);
		else if (arg->role == IR_EMBED_RESULT)
			sp_buf_puts(out, "#define STAP_RETVALUE (THIS->__retvalue)\n");
		else if (arg->role == IR_EMBED_GLOBAL)
			add_global_macros(out, arg);
	}
	if (embed->type == IR_STR)
		sp_buf_puts(out, "#define STAP_RETURN(...) do { __VA_OPT__(strlcpy(THIS->__retvalue, "
				 "__VA_ARGS__, MAXSTRINGLEN);) return; } while (0)\n");
	else if (embed->type == IR_LONG)
		sp_buf_puts(out, "#define STAP_RETURN(...) do { __VA_OPT__(THIS->__retvalue = (s64)(__VA_ARGS__);) "
				 "return; } while (0)\n");
	else
		sp_buf_puts(out, "#define STAP_RETURN() do { return; } while (0)\n");
}

static void drop_macros(struct sp_buf *out, const struct ir_embed *embed)
{
	for (unsigned i = 0; i < embed->n_args; i++) {
		const struct ir_embed_arg *arg = &embed->args[i];

		if (arg->role == IR_EMBED_PARAM)
			sp_buf_printf(out, "#undef STAP_ARG_%s\n", arg->name);
		else if (arg->role == IR_EMBED_RESULT)
			sp_buf_puts(out, "#undef STAP_RETVALUE\n");
		else if (arg->role == IR_EMBED_GLOBAL)
			sp_buf_printf(out, "#undef STAP_GLOBAL_GET_%s\n#undef STAP_GLOBAL_SET_%s\n", arg->name, arg->name);
	}
	sp_buf_puts(out, "#undef STAP_RETURN\n");
}

static void add_body(const struct ir_unit *unit, struct embed_text *text, uint32_t index)
{
	const struct ir_embed *embed = &unit->embeds.v[index];
	struct sp_buf *out = &text->code;

	sp_buf_puts(out, "typedef ");
	add_members(out, embed);
	sp_buf_printf(out, " spile_args_%u;\n", index);
	add_macros(out, embed);
	add_line(out, &unit->places.v[embed->place]); // LLVM 15 and 16 name the file where a function begins for all its lines
	sp_buf_printf(out,
		      "static __always_inline void spile_body_%u(spile_args_%u *THIS, struct spile_context *CONTEXT)\n{\n",
		      index, index);
	if (embed->kind == IR_EMBED_VALUE)
		sp_buf_puts(out, embed->type == IR_STR ? "const char *spile_value = (\n" : "STAP_RETVALUE = (s64)(\n");
	add_code(unit, text, embed);
	if (embed->kind == IR_EMBED_VALUE)
		sp_buf_puts(out, embed->type == IR_STR ? ");\nSTAP_RETURN(spile_value);\n" : ");\n");
	sp_buf_puts(out, "}\n");
	drop_macros(out, embed);
}

// spile_embed_N: arguments into the structure that the body sees, and back.
static void add_function(struct sp_buf *out, const struct ir_embed *embed, uint32_t index)
{
	bool has_message = false;

	sp_buf_printf(out, "s64 " EMBED_FUNCTION "%u(", index);
	for (unsigned i = 0; i < embed->n_args; i++)
		sp_buf_printf(out, "%s%s a%u", i ? ", " : "", by_value(&embed->args[i]) ? "s64" : "void *", i);
	sp_buf_printf(out, "%s)\n{\n\tspile_args_%u args = {\n", embed->n_args ? "" : "void", index);
	for (unsigned i = 0; i < embed->n_args; i++) {
		const struct ir_embed_arg *arg = &embed->args[i];

		if (arg->role == IR_EMBED_PARAM)
			sp_buf_printf(out, "\t\t.%s%s = a%u,\n", mangling(embed), arg->name, i);
		else if (arg->role == IR_EMBED_RESULT && arg->type == IR_STR)
			sp_buf_printf(out, "\t\t.__retvalue = a%u,\n", i);
		else if (arg->role == IR_EMBED_GLOBAL)
			sp_buf_printf(out, "\t\t.g_%s = a%u,\n", arg->name, i);
	}
	sp_buf_puts(out, "\t};\n\tstruct spile_context context = {\n");
	for (unsigned i = 0; i < embed->n_args; i++) {
		if (embed->args[i].role == IR_EMBED_MESSAGE)
			sp_buf_printf(out, "\t\t.error_buffer = a%u,\n", i);
		else if (embed->args[i].role == IR_EMBED_OUTPUT)
			sp_buf_printf(out, "\t\t.output = a%u,\n", i);
		has_message |= embed->args[i].role == IR_EMBED_MESSAGE;
	}
	sp_buf_puts(out, "\t};\n");
	if (has_message)
		sp_buf_puts(out, "\tspile_give_context(&context);\n");
	sp_buf_printf(out, "\tspile_body_%u(&args, &context);\n", index);
	for (unsigned i = 0; i < embed->n_args; i++) {
		const struct ir_embed_arg *arg = &embed->args[i];

		if (arg->role == IR_EMBED_RESULT && arg->type != IR_STR)
			sp_buf_printf(out, "\t*(s64 *)a%u = args.__retvalue;\n", i);
	}
	if (has_message)
		sp_buf_puts(out, "\tif (context.last_error && !context.status) {\n"
				 "\t\tcontext.status = 1;\n"
				 "\t\tif (context.last_error != context.error_buffer)\n"
				 "\t\t\tstrlcpy(context.error_buffer, context.last_error, MAXSTRINGLEN);\n"
				 "\t}\n");
	sp_buf_puts(out, "\treturn context.status;\n}\n");
}

void embed_text_make(const struct ir_unit *unit, struct embed_text *ret)
{
	sp_buf_printf(&ret->prelude, "#line 1 \"" EMBED_OWN_FILE "0>\"\n#define MAXSTRINGLEN %u\n%s", unit->max_string,
		      prelude);
	for (uint32_t i = 0; i < unit->embeds.n; i++)
		if (unit->embeds.v[i].kind == IR_EMBED_TOP)
			add_code(unit, ret, &unit->embeds.v[i]);
	sp_buf_puts(&ret->code, "#undef CONTEXT\n#undef SPILE_LEAVE\n#define SPILE_LEAVE return\n");
	for (uint32_t i = 0; i < unit->embeds.n; i++) {
		if (unit->embeds.v[i].kind == IR_EMBED_TOP)
			continue;
		add_body(unit, ret, i);
		add_function(&ret->code, &unit->embeds.v[i], i);
	}
}

void embed_text_deinit(struct embed_text *text)
{
	sp_buf_deinit(&text->prelude);
	sp_buf_deinit(&text->code);
	sp_vec_deinit(&text->headers);
	sp_arena_deinit(&text->arena);
}
