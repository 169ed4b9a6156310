// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // memmem

#include "runtime/load/rejection.h"

#include <stdlib.h>

// Code that writes to a program's memory calls this helper, which a locked-down kernel does not have
// (bpf_tracing_func_proto() of Linux).
#define WRITE "bpf_probe_write_user"

// The same of the kernel's memory: it knows these helpers, and says of them what it says of those that it does not know.
#define READ "unknown func bpf_probe_read_kernel"
#define READ_HERE "cannot use helper bpf_probe_read_kernel" // Linux 6.12

#define DISABLED "disabled hook"

#define LOCKED_DOWN "this kernel is locked down, and lets no probe read its memory"

#define TOO_LARGE "BPF program is too large"

static const struct {
	const char *words, *plain;
} causes[] = {
	{ WRITE, "this kernel is locked down, and lets nobody write to programs (--engine=user does)" },
	{ READ, LOCKED_DOWN },
	{ READ_HERE, LOCKED_DOWN },
	{ DISABLED, "the kernel has this security hook, and asks no BPF programs there" },
	{ "invalid mem access 'scalar'", "a number is used as an address" },
	{ "invalid mem access 'inv'", "a number is used as an address" },
	{ "_or_null'", "a pointer is used before it is compared with 0" },
	{ TOO_LARGE, "there are too many paths through the program" },
	{ "too many states", "there are too many paths through the program" },
	{ "The sequence of", "the program jumps too often" },
	{ "back-edge", "this kernel takes no loops" },
	{ "infinite loop detected", "the end of a loop cannot be seen" },
	{ "loop is not bounded", "the end of a loop cannot be seen" },
	{ "unbounded memory access", "an index or a length has no upper bound that the verifier can see" },
	{ "unbounded min value", "an index or a length may be negative" },
	{ "min value is negative", "an index or a length may be negative" },
	{ "variable-offset", "an access by an index can be outside of the stack's object" },
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
	{ "on pointer prohibited", "there is arithmetic on a pointer that may not be moved" },
	{ "math between", "there is arithmetic on a pointer that may not be moved" },
	{ "leaks addr", "a kernel address would become visible, which needs more privileges" },
};

static const char *const refusals[] = { WRITE, READ, READ_HERE, DISABLED }; // struct rejection.is_refused

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
	if (*line == 'R' && len > 2 && line[1] >= '0' && line[1] <= '9' && line[strcspn(line, " =")] == '=')
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
		const char *large;

		next = line + len + (line[len] == '\n');
		if (insn >= 0)
			ret->insn = insn;
		if (insn >= 0 && (large = memmem(line, len, TOO_LARGE, strlen(TOO_LARGE)))) { // not always on a line of its own
			ret->reason = large;
			ret->reason_len = (size_t)(line + len - large);
		} else if (!is_noise(line, len)) {
			ret->reason = line;
			ret->reason_len = len;
		}
	}
	ret->is_told = ret->insn >= 0 || ret->reason_len;
	for (size_t i = 0; i < SP_ARRAY_SIZE(causes) && !ret->plain; i++)
		if (line_has(ret->reason, ret->reason_len, causes[i].words))
			ret->plain = causes[i].plain;
	for (size_t i = 0; i < SP_ARRAY_SIZE(refusals); i++)
		ret->is_refused |= line_has(ret->reason, ret->reason_len, refusals[i]);
	ret->too_large = line_has(ret->reason, ret->reason_len, "too large") ||
			 line_has(ret->reason, ret->reason_len, "too many states");
	ret->in_loop = ret->too_large || line_has(ret->reason, ret->reason_len, "back-edge") ||
		       line_has(ret->reason, ret->reason_len, "infinite loop") || line_has(ret->reason, ret->reason_len, "The sequence of") ||
		       line_has(ret->reason, ret->reason_len, "loop is not bounded");
}

// ---- line information ------------------------------------------------------------------------------------------------

bool rejection_place(const struct code_program *program, const struct rejection *rejection, struct rejection_place *ret)
{
	const struct sp_buf *lines = &program->records[CODE_LINE_INFO];
	struct bpf_line_info line, found = { 0 };

	for (size_t at = 0; at < lines->len; at += sizeof(line)) {
		memcpy(&line, lines->data + at, sizeof(line));
		if (rejection->insn < 0 || line.insn_off > (uint32_t)rejection->insn)
			break;
		found = line;
	}
	*ret = (struct rejection_place){ code_text(program->code, found.file_name_off), BPF_LINE_INFO_LINE_NUM(found.line_col),
					 BPF_LINE_INFO_LINE_COL(found.line_col) };
	return ret->line;
}
