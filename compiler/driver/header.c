// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/header.h"

#include "compiler/cache/look.h"
#include "compiler/driver/c_inputs.h"
#include "compiler/driver/clang.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

// Adds an #include for each header of "<sys/stat.h>" or "<a.h><b.h>". Only characters of file names are accepted, nothing that
// could end the line.
static struct sp_err *add_includes(const char *headers, struct sp_buf *source)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";

	for (const char *at = headers; *at;) {
		size_t len = *at == '<' ? strspn(at + 1, letters) : 0;

		if (!len || at[len + 1] != '>')
			return sp_err_new(SP_ERR_SCRIPT, "%s is no header file, such as <sys/stat.h>", headers);
		sp_buf_printf(source, "#include %.*s\n", (int)len + 2, at);
		at += len + 2;
	}
	return NULL;
}

static struct sp_err *start_compiler(int source, int messages, const char *object, pid_t *pid_ret)
{
	static const char *const names[] = { "cc", "gcc", "clang" };
	int err = ENOENT;

	for (size_t i = 0; i < SP_ARRAY_SIZE(names) && err == ENOENT; i++) {
		const char *args[] = { names[i], "-g", "-fno-eliminate-unused-debug-types", "-D_GNU_SOURCE", "-w", "-fPIC", C_INPUTS_OPTIONS,
				       "-shared", "-nostdlib", "-Wl,--build-id=none", "-x", "c", "-", "-o", object, NULL };

		err = clang_start(args, (int[]){ source, messages, messages }, pid_ret);
	}
	if (err == ENOENT)
		return sp_err_new(SP_ERR_SCRIPT, "types of header files need a C compiler (apt-get install gcc); "
						 "a program that uses the type can be named instead");
	return err ? sp_err_errno(err, "starting the C compiler") : NULL;
}

// The compiler's first error, as an error of the script.
static struct sp_err *first_error(const char *headers, struct sp_buf *messages)
{
	struct clang_message message;

	sp_buf_putc(messages, '\0');
	for (char *at = messages->data; clang_next_message(&at, &message);)
		if (message.severity == CLANG_ERROR)
			return sp_err_new(SP_ERR_SCRIPT, "cannot compile %s: %s", headers, message.text);
	return sp_err_new(SP_ERR_SCRIPT, "cannot compile %s", headers);
}

static struct sp_err *compile(const char *headers, const char *object)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 }, messages = { 0 };
	sp_cleanup_close int source = -1;
	sp_cleanup_close int told = -1;
	pid_t pid = 0;
	int status;

	SP_TRY(add_includes(headers, &text));
	SP_TRY(clang_make_file("c", &text, &source));
	SP_TRY(clang_make_file("messages", NULL, &told));
	SP_TRY(start_compiler(source, told, object, &pid));
	SP_TRY(clang_wait(pid, &status));
	SP_TRY(clang_read_file(told, &messages));
	if (status)
		return first_error(headers, &messages);
	c_inputs_program("as"); // the linker is started by a program that does not tell it
	c_inputs_program("ld");
	c_inputs_note(&text, &messages, NULL);
	return NULL;
}

// What the compiler has made is no input: what it was made of is.
static struct sp_err *open_object(struct spile *spile, const char *path, struct dbg_module **ret)
{
	LOOK_PAUSE();
	return dbg_program(spile->dbg, path, ret);
}

struct sp_err *header_module(void *ctx, const char *headers, struct dbg_module **ret)
{
	struct spile *spile = ctx;
	void **known = sp_hash_insert(&spile->headers, headers, strlen(headers));
	const char *dir = sp_env("TMPDIR");
	sp_cleanup(sp_buf_deinit) struct sp_buf path = { 0 };
	struct sp_err *err;
	int fd;

	if ((*ret = *known))
		return NULL;
	sp_buf_printf(&path, "%s/spile-XXXXXX", dir ? dir : "/tmp");
	fd = mkstemp(path.data);
	if (fd < 0)
		return sp_err_errno(errno, "cannot make a file in %s", dir ? dir : "/tmp");
	close(fd);
	err = compile(headers, path.data);
	if (!err)
		err = open_object(spile, path.data, ret);
	unlink(path.data); // dbg_program() has mapped it
	if (err)
		return err;
	(*ret)->name = sp_arena_strdup(&spile->arena, headers); // as the script knows it
	*known = *ret;
	return NULL;
}
