// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/load/explain.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"
#include "runtime/base/vec.h"
#include "runtime/load/insn_text.h"

#include <stdlib.h>

// Instructions in a row that are of one line.
struct run {
	const char *file;
	uint32_t line, function, first, n; // `first` in its function
};

struct runs {
	SP_VEC(struct run) v;
};

// ---- from line information --------------------------------------------------------------------------------------------

static struct bpf_line_info record_at(const struct code_records *records, uint32_t i)
{
	struct bpf_line_info record;

	memcpy(&record, records->bytes + i * sizeof(record), sizeof(record));
	return record;
}

// The records of a section tell where each line begins; a function begins with a record of its own.
static void add_function(const struct code *code, uint32_t index, struct runs *runs)
{
	const struct code_function *function = &code->functions[index];
	const struct code_records *records = &code->sections[function->section].records[CODE_LINE_INFO];
	uint32_t end = function->first + function->n;

	for (uint32_t i = 0; i < records->n; i++) {
		struct bpf_line_info record = record_at(records, i);
		uint32_t from = record.insn_off / (uint32_t)sizeof(struct bpf_insn), to = end;

		if (i + 1 < records->n)
			to = SP_MIN(record_at(records, i + 1).insn_off / (uint32_t)sizeof(struct bpf_insn), end);
		if (from < function->first || from >= to)
			continue;
		sp_vec_push(&runs->v, (struct run){ code_text(code, record.file_name_off), BPF_LINE_INFO_LINE_NUM(record.line_col), index,
						    from - function->first, to - from });
	}
}

static int compare_runs(const void *a, const void *b)
{
	const struct run *x = a, *y = b;
	int order = strcmp(x->file, y->file);

	if (order)
		return order;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

// ---- the listing --------------------------------------------------------------------------------------------------------

static void put_code(const struct code *code, const struct run *run, bool is_first, struct sp_buf *out)
{
	const struct code_function *function = &code->functions[run->function];

	if (is_first)
		sp_buf_printf(out, "%22s%s:\n", "", function->name);
	for (uint32_t i = run->first; i < run->first + run->n;) {
		sp_buf_printf(out, "%22s%4u: ", "", i);
		i += insn_text(code, function, i, out);
		sp_buf_putc(out, '\n');
	}
}

static unsigned sum(const struct run *runs, size_t n)
{
	unsigned total = 0;

	for (size_t i = 0; i < n; i++)
		total += runs[i].n;
	return total;
}

static void put_codes(const struct explain_input *input, const struct run *runs, size_t n, struct sp_buf *out)
{
	for (size_t i = 0; input->code && i < n; i++)
		put_code(&input->bundle->code, &runs[i], i == 0 || runs[i].function != runs[i - 1].function, out);
}

// One line of the source, what it has, and its code. Returns how many runs are of that line.
static size_t put_line(const struct explain_input *input, const struct run *runs, size_t n, uint32_t line, const char *text, size_t size,
		       struct sp_buf *out)
{
	size_t taken = 0;

	while (taken < n && runs[taken].line == line)
		taken++;
	if (taken)
		sp_buf_printf(out, "%8u", sum(runs, taken));
	else
		sp_buf_fill(out, ' ', 8);
	sp_buf_printf(out, "  %5u%s%.*s\n", line, size ? "  " : "", (int)size, text);
	put_codes(input, runs, taken, out);
	return taken;
}

// What is of no line: functions of ours, such as the one that takes a lock, and what LLVM has made of several lines.
static size_t put_lineless(const struct explain_input *input, const struct run *runs, size_t n, struct sp_buf *out)
{
	size_t taken = 0, of;

	for (; taken < n && !runs[taken].line; taken += of) {
		uint32_t function = runs[taken].function;

		for (of = 1; taken + of < n && !runs[taken + of].line && runs[taken + of].function == function;)
			of++;
		sp_buf_printf(out, "%8u      -  %s\n", sum(runs + taken, of), input->bundle->code.functions[function].name);
		put_codes(input, runs + taken, of, out);
	}
	return taken;
}

// Of the script all lines, of other files those that have instructions.
static void put_file(const struct explain_input *input, const struct run *runs, size_t n, struct sp_buf *out)
{
	bool is_script = sp_streq(runs->file, input->script);
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	uint32_t line = 1;
	size_t taken;

	if (is_script)
		sp_buf_add(&text, input->text, input->size);
	else
		sp_err_free(sp_file_read(runs->file, SP_FILE_MAX_SCRIPT, &text)); // without a text the numbers still tell
	sp_buf_printf(out, "\n%s\n", runs->file);
	taken = put_lineless(input, runs, n, out);
	runs += taken, n -= taken;
	for (const char *at = sp_buf_str(&text); *at; line++) {
		size_t size = strcspn(at, "\n");

		taken = is_script || (n && runs->line == line) ? put_line(input, runs, n, line, at, size, out) : 0;
		runs += taken, n -= taken;
		at += size + (at[size] == '\n');
	}
	while (n) {
		taken = put_line(input, runs, n, runs->line, "", 0, out);
		runs += taken, n -= taken;
	}
}

// The files that are the script, or all others.
static void put_files(const struct explain_input *input, const struct runs *runs, bool is_script, struct sp_buf *out)
{
	size_t n;

	for (size_t i = 0; i < runs->v.n; i += n) {
		for (n = 1; i + n < runs->v.n && sp_streq(runs->v.v[i + n].file, runs->v.v[i].file);)
			n++;
		if (sp_streq(runs->v.v[i].file, input->script) == is_script)
			put_file(input, &runs->v.v[i], n, out);
	}
}

void explain_lines(const struct explain_input *input, struct sp_buf *out)
{
	const struct code *code = &input->bundle->code;
	struct runs runs = { 0 };

	for (uint32_t i = 0; i < code->n_functions; i++)
		add_function(code, i, &runs);
	if (runs.v.n)
		qsort(runs.v.v, runs.v.n, sizeof(*runs.v.v), compare_runs);
	put_files(input, &runs, true, out);
	put_files(input, &runs, false, out);
	sp_vec_deinit(&runs.v);
}
