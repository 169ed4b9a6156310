// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/c_inputs.h"

#include "compiler/cache/look.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"
#include "runtime/base/file.h"
#include "runtime/base/vec.h"

#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_HEADER (64u << 20)

struct texts {
	SP_VEC(char *) v;
};

struct c_inputs {
	struct texts folders; // of <x.h>
	struct texts quoted; // also of "x.h"
	struct texts headers; // that were read
	bool has_folders; // the compiler has told them
};

static void texts_deinit(struct texts *texts)
{
	sp_vec_each(text, &texts->v)
		free(*text);
	sp_vec_deinit(&texts->v);
}

static void c_inputs_deinit(struct c_inputs *c)
{
	texts_deinit(&c->folders);
	texts_deinit(&c->quoted);
	texts_deinit(&c->headers);
}

static void add(struct texts *texts, const char *text, size_t len)
{
	sp_vec_each(known, &texts->v)
		if (sp_is_word(text, len, *known))
			return;
	sp_vec_push(&texts->v, sp_strndup(text, len));
}

// ---- programs -------------------------------------------------------------------------------------------------------

static void note_file(const char *path)
{
	look_note_opened(path);
	free(realpath(path, NULL)); // this is noted, too
}

void c_inputs_program(const char *name)
{
	for (const char *dir = sp_env_path(); *dir; dir += *dir == ':') {
		size_t len = strcspn(dir, ":");
		sp_cleanup(sp_buf_deinit) struct sp_buf path = { 0 };

		sp_buf_printf(&path, "%.*s%s%s", (int)len, dir, len ? "/" : "", name);
		if (access(sp_buf_str(&path), X_OK) == 0) {
			note_file(sp_buf_str(&path));
			return;
		}
		dir += len;
	}
}

// What decides which files a compiler reads, and what it says.
static void note_environment(void)
{
	static const char *const names[] = {
		"CPATH", "C_INCLUDE_PATH", "GCC_EXEC_PREFIX", "GCC_ROOT", "COMPILER_PATH", "LIBRARY_PATH", "SYSROOT", "CCC_OVERRIDE_OPTIONS",
		"CLANG_CONFIG_FILE_SYSTEM_DIR", "CLANG_CONFIG_FILE_USER_DIR", "SOURCE_DATE_EPOCH", "DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES",
		"LD_LIBRARY_PATH", "LD_PRELOAD", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES",
	};

	for (size_t i = 0; i < SP_ARRAY_SIZE(names); i++)
		sp_env(names[i]);
}

// ---- what the compiler tells ----------------------------------------------------------------------------------------

// " /usr/lib/gcc/x86_64-linux-gnu/12/cc1 -quiet ...", ` "/usr/lib/llvm-19/bin/clang" -cc1 ...`, " as -v ..."
static void read_command(const char *line)
{
	bool is_quoted = line[1] == '"';
	const char *start = line + 1 + is_quoted;
	sp_cleanup_free char *program = sp_strndup(start, strcspn(start, is_quoted ? "\"" : " \n"));

	if (strchr(program, '/'))
		note_file(program);
	else if (*program != '(')
		c_inputs_program(program);
}

// "COMPILER_PATH=DIR/:DIR/": where gcc looks for its programs and its specs.
static void read_compiler_path(const char *list, size_t len)
{
	for (const char *end = list + len; list < end;) {
		size_t n = SP_MIN(strcspn(list, ":"), (size_t)(end - list));
		sp_cleanup_free char *dir = sp_strndup(list, n);

		look_note(INPUT_FOLDER, dir);
		list += n + 1;
	}
}

static void read_line(struct c_inputs *c, const char *line, size_t len, bool *is_list)
{
	static const char path[] = "COMPILER_PATH=", missing[] = "ignoring nonexistent directory \"";
	size_t dots = strspn(line, ".");

	if (sp_starts_with(line, "#include <...> search starts here:") || sp_starts_with(line, "#include \"...\" search starts here:")) {
		c->has_folders = *is_list = true;
	} else if (sp_starts_with(line, "End of search list.")) {
		*is_list = false;
	} else if (*is_list && *line == ' ') {
		add(&c->folders, line + 1, len - 1);
	} else if (*line == ' ') {
		read_command(line);
	} else if (dots && line[dots] == ' ') {
		add(&c->headers, line + dots + 1, len - dots - 1);
	} else if (sp_starts_with(line, path)) {
		read_compiler_path(line + strlen(path), len - strlen(path));
	} else if (sp_starts_with(line, missing)) {
		sp_cleanup_free char *dir = sp_strndup(line + strlen(missing), strcspn(line + strlen(missing), "\"\n"));

		look_note(INPUT_FILE, dir);
	}
}

static void read_told(struct c_inputs *c, const char *told)
{
	bool is_list = false;

	while (*told) {
		size_t len = strcspn(told, "\n");

		read_line(c, told, len, &is_list);
		told += len + (told[len] == '\n');
	}
}

// ---- names in texts -------------------------------------------------------------------------------------------------

static void note_in(const struct texts *folders, const char *name)
{
	sp_vec_each(folder, &folders->v) {
		sp_cleanup(sp_buf_deinit) struct sp_buf path = { 0 };

		sp_buf_printf(&path, "%s/%s", *folder, name);
		look_note_opened(sp_buf_str(&path));
		sp_buf_puts(&path, ".gch"); // gcc takes a precompiled one first
		look_note_opened(sp_buf_str(&path));
	}
}

static void note_name(const struct c_inputs *c, const char *name, bool is_quoted)
{
	if (*name == '/') {
		look_note_opened(name);
		return;
	}
	note_in(&c->folders, name);
	if (is_quoted)
		note_in(&c->quoted, name);
}

static const char *before_blanks(const char *text, const char *at)
{
	while (at > text && (at[-1] == ' ' || at[-1] == '\t'))
		at--;
	return at;
}

// Is this the word of a directive, "# include"?
static bool is_directive(const char *text, const char *word)
{
	word = before_blanks(text, word);
	if (word == text || word[-1] != '#')
		return false;
	word = before_blanks(text, word - 1);
	return word == text || word[-1] == '\n';
}

// What follows the word of #include, #include_next, #embed or __has_include: a name, or what makes one.
static void read_name(const struct c_inputs *c, const char *text, const char *word, const char *at)
{
	bool is_asked = word - text >= 6 && !memcmp(word - 6, "__has_", 6), is_quoted;
	size_t len;

	if (!is_asked && !is_directive(text, word))
		return;
	at += sp_starts_with(at, "_next") ? 5 : 0;
	at += strspn(at, " \t");
	if (is_asked && *at != '(')
		return; // #ifdef __has_include
	at += is_asked;
	at += strspn(at, " \t");
	is_quoted = *at == '"';
	len = strcspn(at + !!*at, is_quoted ? "\"\n" : ">\n");
	if (*at == '<' || is_quoted) {
		sp_cleanup_free char *name = sp_strndup(at + 1, len);

		note_name(c, name, is_quoted);
	} else if (isalpha((unsigned char)*at) || *at == '_' || *at == '/' || *at == '\\') {
		look_obstacle("a macro makes the name of a header");
	}
}

static void read_text(const struct c_inputs *c, const char *text)
{
	static const char *const words[] = { "include", "embed" }, *const obstacles[] = { "__TIME__", "__DATE__", "__TIMESTAMP__", "incbin" };

	for (size_t i = 0; i < SP_ARRAY_SIZE(words); i++)
		for (const char *at = text; (at = strstr(at, words[i])); at += strlen(words[i]))
			read_name(c, text, at, at + strlen(words[i]));
	for (size_t i = 0; i < SP_ARRAY_SIZE(obstacles); i++)
		if (strstr(text, obstacles[i]))
			look_obstacle("C that the compiler has read may depend on the time, or on files that the assembler reads");
}

static void read_header(const struct c_inputs *c, const char *path)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	struct sp_err *err;

	note_file(path);
	err = sp_file_read(path, MAX_HEADER, &text);
	if (err)
		look_obstacle("a header cannot be read again");
	sp_err_free(err);
	read_text(c, sp_buf_str(&text));
}

void c_inputs_note(const struct sp_buf *source, const struct sp_buf *told, const char *dir)
{
	sp_cleanup(c_inputs_deinit) struct c_inputs c = { 0 };
	sp_cleanup(sp_buf_deinit) struct sp_buf copy = { 0 }, text = { 0 };

	sp_buf_add(&copy, told->data, told->len);
	sp_buf_add(&text, source->data, source->len);
	note_environment();
	read_told(&c, sp_buf_str(&copy));
	if (!c.has_folders) {
		look_obstacle("the C compiler does not tell which folders it searches");
		return;
	}
	add(&c.quoted, ".", 1);
	if (dir)
		add(&c.quoted, dir, strlen(dir));
	sp_vec_each(header, &c.headers.v)
		if (strrchr(*header, '/'))
			add(&c.quoted, *header, (size_t)(strrchr(*header, '/') - *header));
	note_name(&c, "stdc-predef.h", false); // which no text names
	read_text(&c, sp_buf_str(&text));
	sp_vec_each(header, &c.headers.v)
		read_header(&c, *header);
}
