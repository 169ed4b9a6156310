// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_rows.h"

#include "runtime/base/bytes.h"

#include <dwarf.h>
#include <stdlib.h>

#define MAX_OPCODES 256

struct machine {
	struct sp_bytes bytes;
	// The header says:
	unsigned instruction, operations, line_range, n_opcodes;
	int line_base;
	bool default_is_stmt;
	uint8_t n_operands[MAX_OPCODES]; // by opcode
	// The registers:
	struct dw_rows_row row;
	unsigned operation;
	struct dw_rows *rows;
};

// Leaves the bytes of the program.
static void read_header(struct machine *m)
{
	struct sp_bytes *b = &m->bytes, program;
	uint64_t length = sp_bytes_number(b, 4), header;
	bool is_64 = length == 0xffffffff;
	unsigned version;

	if (is_64)
		length = sp_bytes_number(b, 8);
	program = sp_bytes_take(b, length);
	m->bytes = (struct sp_bytes){ program.at, program.end, b->bad };
	version = (unsigned)sp_bytes_number(b, 2);
	if (version >= 5)
		sp_bytes_number(b, 2); // address and segment sizes
	header = sp_bytes_number(b, is_64 ? 8 : 4);
	program = *b;
	sp_bytes_take(&program, header);
	m->instruction = (unsigned)sp_bytes_number(b, 1);
	m->operations = version >= 4 ? (unsigned)sp_bytes_number(b, 1) : 1;
	m->default_is_stmt = sp_bytes_number(b, 1) != 0;
	m->line_base = (int8_t)sp_bytes_number(b, 1);
	m->line_range = (unsigned)sp_bytes_number(b, 1);
	m->n_opcodes = (unsigned)sp_bytes_number(b, 1);
	for (unsigned i = 1; i < m->n_opcodes; i++)
		m->n_operands[i] = (uint8_t)sp_bytes_number(b, 1);
	program.bad |= b->bad || version < 2 || version > 5 || !m->line_range || !m->operations || b->at > program.at;
	m->bytes = program;
}

static void reset(struct machine *m)
{
	m->row = (struct dw_rows_row){ .file = 1, .line = 1, .is_stmt = m->default_is_stmt };
	m->operation = 0;
}

static void advance(struct machine *m, uint64_t n)
{
	uint64_t operation = m->operation + n;

	m->row.pc += m->instruction * (operation / m->operations);
	m->operation = (unsigned)(operation % m->operations);
}

static void add_row(struct machine *m)
{
	sp_vec_push(&m->rows->v, m->row);
	m->row.is_prologue_end = false;
}

static void run_extended(struct machine *m)
{
	struct sp_bytes operands = sp_bytes_take(&m->bytes, sp_bytes_uleb(&m->bytes));
	uint64_t size = (uint64_t)(operands.end - operands.at);
	unsigned opcode = (unsigned)sp_bytes_number(&operands, 1);

	m->bytes.bad |= operands.bad;
	if (m->bytes.bad)
		return;
	if (opcode == DW_LNE_end_sequence) {
		m->row.is_end = true;
		add_row(m);
		reset(m);
	} else if (opcode == DW_LNE_set_address && size <= 1 + sizeof(m->row.pc)) {
		m->row.pc = sp_bytes_number(&operands, (unsigned)size - 1);
		m->operation = 0;
	}
}

static void run_special(struct machine *m, unsigned opcode)
{
	unsigned adjusted = opcode - m->n_opcodes;

	advance(m, adjusted / m->line_range);
	m->row.line += (uint32_t)(m->line_base + (int)(adjusted % m->line_range));
	add_row(m);
}

static void run_standard(struct machine *m, unsigned opcode)
{
	switch (opcode) {
	case DW_LNS_copy:
		add_row(m);
		break;
	case DW_LNS_advance_pc:
		advance(m, sp_bytes_uleb(&m->bytes));
		break;
	case DW_LNS_advance_line:
		m->row.line += (uint32_t)sp_bytes_sleb(&m->bytes);
		break;
	case DW_LNS_set_file:
		m->row.file = (uint32_t)sp_bytes_uleb(&m->bytes);
		break;
	case DW_LNS_set_column:
		m->row.column = (uint32_t)sp_bytes_uleb(&m->bytes);
		break;
	case DW_LNS_negate_stmt:
		m->row.is_stmt = !m->row.is_stmt;
		break;
	case DW_LNS_const_add_pc:
		advance(m, (255 - m->n_opcodes) / m->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		m->row.pc += sp_bytes_number(&m->bytes, 2);
		m->operation = 0;
		break;
	case DW_LNS_set_prologue_end:
		m->row.is_prologue_end = true;
		break;
	default: // of no use here, or not known
		for (unsigned i = 0; i < m->n_operands[opcode]; i++)
			sp_bytes_uleb(&m->bytes);
	}
}

static int compare_rows(const void *a, const void *b)
{
	const struct dw_rows_row *x = *(const struct dw_rows_row *const *)a, *y = *(const struct dw_rows_row *const *)b;

	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	if (x->is_end != y->is_end)
		return x->is_end ? -1 : 1;
	return (x > y) - (x < y); // in the order of the table
}

static bool is_sorted(const struct dw_rows *rows)
{
	for (size_t i = 1; i < rows->v.n; i++)
		if (rows->v.v[i - 1].pc > rows->v.v[i].pc || (rows->v.v[i - 1].pc == rows->v.v[i].pc && rows->v.v[i].is_end))
			return false;
	return true;
}

static void sort(struct dw_rows *rows)
{
	struct dw_rows_row **order = sp_calloc(rows->v.n + 1, sizeof(*order)), *sorted = sp_calloc(rows->v.n + 1, sizeof(*sorted));

	for (size_t i = 0; i < rows->v.n; i++)
		order[i] = &rows->v.v[i];
	qsort(order, rows->v.n, sizeof(*order), compare_rows);
	for (size_t i = 0; i < rows->v.n; i++)
		sorted[i] = *order[i];
	memcpy(rows->v.v, sorted, rows->v.n * sizeof(*sorted));
	free(order);
	free(sorted);
}

bool dw_rows_read(const struct dw_section *line, uint64_t off, struct dw_rows *ret)
{
	struct machine m = { .bytes = { .bad = off >= line->size }, .rows = ret };

	ret->v.n = 0;
	if (!m.bytes.bad) {
		m.bytes.at = line->data + off;
		m.bytes.end = line->data + line->size;
		read_header(&m);
	}
	reset(&m);
	while (!m.bytes.bad && m.bytes.at < m.bytes.end) {
		unsigned opcode = (unsigned)sp_bytes_number(&m.bytes, 1);

		if (opcode >= m.n_opcodes)
			run_special(&m, opcode);
		else if (opcode)
			run_standard(&m, opcode);
		else
			run_extended(&m);
	}
	if (m.bytes.bad)
		ret->v.n = 0;
	if (!is_sorted(ret))
		sort(ret);
	return !m.bytes.bad;
}

void dw_rows_deinit(struct dw_rows *rows)
{
	sp_vec_deinit(&rows->v);
}

size_t dw_rows_first(const struct dw_rows *rows, uint64_t pc)
{
	return sp_bisect(rows->v.n, i, rows->v.v[i].pc >= pc);
}
