// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/embed.h"

#include "compiler/driver/clang.h"
#include "compiler/driver/codegen.h"
#include "compiler/driver/embed_config.h"
#include "compiler/ir/embed_text.h"
#include "runtime/base/cleanup.h"

struct compile {
	struct spile *spile;
	const struct ir_unit *unit;
	struct embedded *embedded;
	const struct gen_api *gen;
};

// ---- places -------------------------------------------------------------------------------------

static struct span span_of(const struct compile *c, uint32_t place)
{
	return ir_place_span(place == IR_NO_PLACE ? NULL : &c->unit->places.v[place], &c->spile->sources);
}

static bool is_own_file(const char *file)
{
	return !*file || sp_starts_with(file, EMBED_OWN_FILE);
}

// The script's place for one of clang's. A place in text that was put around the pieces, such as the end of a body, becomes that of
// the piece before it.
static struct span span_at(const struct compile *c, const char *file, uint32_t line, uint32_t column)
{
	const struct ir_place place = { file, line, column ? column : 1, "" };
	unsigned long piece = 0;

	if (!is_own_file(file))
		return ir_place_span(&place, &c->spile->sources);
	if (*file)
		piece = strtoul(file + strlen(EMBED_OWN_FILE), NULL, 10);
	return span_of(c, c->unit->embeds.v[piece < c->unit->embeds.n ? piece : 0].place);
}

// ---- messages -----------------------------------------------------------------------------------

// `return x`, in a body whose function in C is of spile.
static bool returns_value(const char *message)
{
	return strstr(message, "void function 'spile_body_");
}

// What to do without a name of the kernel's that clang says is not known; NULL: it has not said that.
static const char *hint_for(const char *message)
{
	static const struct {
		const char *names, *hint;
	} rows[] = {
#define EMBED_HINT(names, hint) { names, hint },
#include "compiler/driver/embed_hint.def"
#undef EMBED_HINT
	};
	const char *name = strchr(message, '\'');
	bool is_function = strstr(message, "undeclared function");

	if (strstr(message, "incomplete definition of type"))
		return "C has the types of vmlinux: those of a module are read by @cast(p, \"TYPE\", \"MODULE\")->member in the script language";
	if (returns_value(message))
		return "a value is given by STAP_RETURN(VALUE), in a function that is declared to have one: function f:long(x)";
	if (!name || (!is_function && !strstr(message, "undeclared identifier")))
		return NULL;
	name++;
	for (size_t i = 0; i < SP_ARRAY_SIZE(rows); i++)
		if (sp_list_has(rows[i].names, name, strcspn(name, "'")))
			return rows[i].hint;
	return is_function ? "BPF programs cannot call functions of the kernel: write what it does, as far as it reads memory"
			   : "the kernel's BTF has types and enumerators, but no macros: #define it, or write its value";
}

// Is the type, up to its quote, one of 64 bits?
static bool is_word(const char *type)
{
	return sp_list_has("long, long long, unsigned long, unsigned long long, void *", type, strcspn(type, "'"));
}

// A format that wants one word and is given another: STAP_ARG_x is a long long, and scripts print it by %ld and %p.
static bool mixes_words(const char *message)
{
	static const char wanted[] = "format specifies type '", given[] = "but the argument has type '", alias[] = "(aka '";
	const char *type = strstr(message, given), *name;

	if (!type || !sp_starts_with(message, wanted))
		return false;
	name = strstr(type, alias);
	return is_word(message + strlen(wanted)) && is_word(name ? name + strlen(alias) : type + strlen(given));
}

static void report(const struct compile *c, char *text)
{
	struct diag_ctx *dc = &c->spile->dc;
	struct clang_message message;
	struct diag *d = NULL;
	uint32_t unknown_line = 0; // of a function that is not known: what clang says of its result is no news
	const char *hint;

	while (clang_next_message(&text, &message)) {
		bool is_ours = is_own_file(message.file);

		if (mixes_words(message.text) || (unknown_line && message.line == unknown_line && !strstr(message.text, "undeclared"))) {
			d = NULL;
			continue;
		}
		if (strstr(message.text, "undeclared function"))
			unknown_line = message.line;
		if (message.severity == CLANG_NOTE) {
			if (d && !is_ours)
				diag_note(dc, d, span_at(c, message.file, message.line, message.column), "%s",
					  message.text);
			continue;
		}
		d = NULL;
		if (message.severity == CLANG_ERROR || !is_ours)
			d = diag(dc, span_at(c, message.file, message.line, message.column),
				 message.severity == CLANG_ERROR ? DIAG_EMBED_C : DIAG_EMBED_WARNING, "%s",
				 returns_value(message.text) ? "C of the script does not return a value" : message.text);
		hint = d ? hint_for(message.text) : NULL;
		if (hint)
			diag_hint(dc, d, "%s", hint);
		if (d && strstr(message.text, "no member named") && strstr(message.text, "spile_args"))
			diag_hint(dc, d, "STAP_ARG_name is the parameter `name`; THIS->name is it with --compatible=1.7");
	}
}

static void report_no_clang(const struct compile *c, const char *what)
{
	struct diag *d = diag(&c->spile->dc, span_of(c, c->unit->embeds.v[0].place), DIAG_EMBED_CLANG, "%s", what);

	diag_hint(&c->spile->dc, d, "install clang-%u (Debian's package of that name)", c->gen->llvm_major);
}

// ---- the kernel's types -------------------------------------------------------------------------

// Names that are put together by ##, or are in a file, are no words of the text: then all types are there.
static bool shows_its_words(const struct embed_text *text)
{
	sp_vec_each(header, &text->headers)
		if (header->kind == EMBED_HEADER_QUOTED)
			return false;
	return !strstr(sp_buf_str(&text->code), "##");
}

static struct sp_err *put_types(struct compile *c, const struct embed_text *text, struct sp_buf *ret)
{
	struct point_env env = session_point_env(c->spile, &c->spile->arena);
	sp_cleanup(sp_buf_deinit) struct sp_buf words = { 0 };
	struct dbg_module *kernel;

	SP_TRY(dbg_kernel(env.dbg, &kernel));
	sp_buf_add(&words, text->prelude.data, text->prelude.len);
	sp_buf_add(&words, text->code.data, text->code.len);
	return dbg_types_as_c(kernel, shows_its_words(text) ? sp_buf_str(&words) : NULL, ret);
}

static struct sp_err *kernel_types(struct compile *c, const struct embed_text *text, const struct embed_header *header, struct sp_buf *ret)
{
	struct sp_err *err = put_types(c, text, ret);
	struct diag *d;
	char *why;

	if (!err)
		return NULL;
	why = sp_err_text(err);
	d = diag(&c->spile->dc, ir_place_span(&header->place, &c->spile->sources), DIAG_EMBED_TYPES,
		 "<%s> stands for the types of the target's kernel, which are not at hand", header->name);
	diag_note(&c->spile->dc, d, SPAN_NONE, "%s", why);
	free(why);
	sp_err_free(err);
	return NULL;
}

static struct sp_err *check_headers(struct compile *c, const struct embed_text *text, struct sp_buf *types)
{
	sp_vec_each(header, &text->headers) {
		struct diag *d;

		if (header->kind == EMBED_HEADER_KERNEL && !types->len)
			SP_TRY(kernel_types(c, text, header, types));
		if (header->kind != EMBED_HEADER_UNKNOWN)
			continue;
		d = diag(&c->spile->dc, ir_place_span(&header->place, &c->spile->sources), DIAG_EMBED_HEADER,
			 "embedded C cannot include <%s>", header->name);
		diag_hint(&c->spile->dc, d, "headers of the kernel (<linux/...>) give its types; --explain E655 says more");
	}
	return NULL;
}

// ---- the pass -----------------------------------------------------------------------------------

static const char *script_dir(struct compile *c)
{
	const char *name = source_file(&c->spile->sources, c->spile->script)->name, *slash = strrchr(name, '/');

	if (!slash)
		return ".";
	return sp_arena_strndup(&c->spile->arena, name, slash == name ? 1 : (size_t)(slash - name));
}

static void refuse(void *ctx, const char *file, unsigned line, unsigned column, const char *what)
{
	const struct compile *c = ctx;

	diag(&c->spile->dc, span_at(c, file, line, column), DIAG_EMBED_CODE, "%s", what);
}

// SystemTap's modules include headers of the kernel themselves, so scripts that use `current` or struct file often include none.
static struct sp_err *try_with_types(struct compile *c, const struct embed_text *text, const struct sp_buf *source, struct clang_run *run)
{
	sp_cleanup(clang_run_deinit) struct clang_run second = { .llvm_major = run->llvm_major, .include_dir = run->include_dir };
	sp_cleanup(sp_buf_deinit) struct sp_buf with_types = { 0 };
	struct sp_err *err = put_types(c, text, &with_types);

	if (err) { // then what is wrong without them is told
		sp_err_free(err);
		return NULL;
	}
	sp_buf_add(&with_types, source->data, source->len);
	SP_TRY(clang_compile(&second, &with_types));
	// What fails both ways is told as it is with the types when these were missing, and without when they are what is in the way.
	if (!second.status || second.messages.len < run->messages.len) {
		struct clang_run failed = *run;

		*run = second;
		second = failed;
	}
	return NULL;
}

static struct sp_err *compile(struct compile *c, const struct embed_text *text, const struct sp_buf *source, bool has_types)
{
	const struct gen_refusal refusal = { refuse, c };
	bool is_readable;
	sp_cleanup(clang_run_deinit) struct clang_run run = { .llvm_major = c->gen->llvm_major, .include_dir = script_dir(c) };

	SP_TRY(clang_compile(&run, source));
	if (run.program && run.status && !has_types)
		SP_TRY(try_with_types(c, text, source, &run));
	if (!run.program) {
		report_no_clang(c, "embedded C needs clang, which is not installed");
		return NULL;
	}

	if (run.messages.len) {
		sp_buf_putc(&run.messages, '\0');
		report(c, run.messages.data);
	}
	if (run.status && !c->spile->dc.n_errors)
		return sp_err_new(SP_ERR_SYSTEM, "clang failed (status %d) and did not say why", run.status);
	if (run.status)
		return NULL;
	c->embedded->bitcode = run.bitcode;
	run.bitcode = (struct sp_buf){ 0 };
	SP_TRY(c->gen->embed_prepare(c->unit, c->embedded, &refusal, &is_readable));
	if (!is_readable)
		report_no_clang(c, "this clang is newer than the LLVM that spile was built with");
	return NULL;
}

struct sp_err *embed_compile(struct spile *spile, const struct ir_unit *unit, struct embedded *ret, struct sp_buf *text_ret)
{
	sp_cleanup(embed_text_deinit) struct embed_text text = { 0 };
	sp_cleanup(sp_buf_deinit) struct sp_buf source = { 0 };
	struct compile c = { .spile = spile, .unit = unit, .embedded = ret };
	unsigned n_errors = spile->dc.n_errors;
	bool has_types;

	if (!unit->embeds.n)
		return NULL;
	SP_TRY(codegen_load(spile, &c.gen));
	embed_text_make(unit, &text);
	if (text_ret)
		sp_buf_add(text_ret, text.code.data, text.code.len);
	SP_TRY(check_headers(&c, &text, &source));
	if (spile->dc.n_errors != n_errors)
		return NULL;
	has_types = source.len;
	embed_config(spile, &text.code, span_of(&c, unit->embeds.v[0].place), &source);
	sp_buf_add(&source, text.prelude.data, text.prelude.len);
	sp_buf_add(&source, text.code.data, text.code.len);
	return compile(&c, &text, &source, has_types);
}
