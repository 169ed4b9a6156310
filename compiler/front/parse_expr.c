// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/front/parse_expr.h"

#include "compiler/front/parse_value.h"

// Levels of binary operators, 1 the lowest.
enum { LEVEL_LOR = 1, LEVEL_IN = 6, LEVEL_COMPARE = 7, LEVEL_MAX = 11 };

struct binary_info {
	unsigned level; // 0: no binary operator
	enum ast_binary_op op;
};

static struct binary_info binary_info(enum tok_kind kind)
{
	static const struct {
		enum tok_kind kind;
		struct binary_info info;
	} table[] = {
		{ TOK_LOR, { LEVEL_LOR, BIN_LOR } }, { TOK_LAND, { 2, BIN_LAND } }, { TOK_OR, { 3, BIN_OR } },
		{ TOK_XOR, { 4, BIN_XOR } }, { TOK_AND, { 5, BIN_AND } }, { TOK_IN, { LEVEL_IN, 0 } },
		{ TOK_EQ, { LEVEL_COMPARE, BIN_EQ } }, { TOK_NE, { LEVEL_COMPARE, BIN_NE } },
		{ TOK_LT, { LEVEL_COMPARE, BIN_LT } }, { TOK_LE, { LEVEL_COMPARE, BIN_LE } },
		{ TOK_GT, { LEVEL_COMPARE, BIN_GT } }, { TOK_GE, { LEVEL_COMPARE, BIN_GE } },
		{ TOK_MATCH, { LEVEL_COMPARE, 0 } }, { TOK_NOT_MATCH, { LEVEL_COMPARE, 0 } },
		{ TOK_SHL, { 8, BIN_SHL } }, { TOK_SHR, { 8, BIN_SHR } }, { TOK_USHR, { 8, BIN_USHR } },
		{ TOK_DOT, { 9, BIN_CONCAT } }, { TOK_ADD, { 10, BIN_ADD } }, { TOK_SUB, { 10, BIN_SUB } },
		{ TOK_STAR, { LEVEL_MAX, BIN_MUL } }, { TOK_DIV, { LEVEL_MAX, BIN_DIV } },
		{ TOK_MOD, { LEVEL_MAX, BIN_MOD } },
	};

	for (size_t i = 0; i < SP_ARRAY_SIZE(table); i++)
		if (table[i].kind == kind)
			return table[i].info;
	return (struct binary_info){ 0 };
}

void parse_expr_grow(struct parser *p, unsigned child_height)
{
	p->height = SP_MAX(p->height, child_height) + 1;
	if (p->height > PARSER_MAX_DEPTH && !p->given_up)
		parser_too_deep(p);
}

static void check_lvalue(struct parser *p, const struct ast_expr *e, const struct token *op)
{
	bool is_stat = op->kind == TOK_STAT_ADD, is_step = op->kind == TOK_INC || op->kind == TOK_DEC;
	struct sp_buf text = { 0 };
	struct diag *d;

	if (ast_is_lvalue(e) && !(is_stat && e->kind != AST_NAME && e->kind != AST_INDEX && e->kind != AST_ERROR))
		return;
	ast_print_expr(&text, e);
	d = parser_error(p, e->span, DIAG_LVALUE, "%s cannot be %s", sp_buf_str(&text),
			 is_stat ? "filled with <<<" : is_step ? "counted up or down" : "assigned to");
	if (op->kind == TOK_SET && e->kind == AST_BINARY && !d->hint)
		diag_hint(p->dc, d, "write == to compare, or put the assignment into parentheses");
	sp_buf_deinit(&text);
	// The parser has understood the text, so it need not recover.
	p->panic = false;
}

static struct ast_expr *parse_postfix(struct parser *p)
{
	const struct token *first = parser_peek(p);
	struct ast_expr *target = parse_value(p), *e;
	const struct token *op = parser_peek(p);

	if (p->panic || (op->kind != TOK_INC && op->kind != TOK_DEC))
		return target;
	parser_next(p);
	check_lvalue(p, target, op);
	e = parser_expr(p, AST_INCDEC, parser_span_from(p, first), op->span);
	e->incdec.target = target;
	e->incdec.delta = op->kind == TOK_INC ? 1 : -1;
	parse_expr_grow(p, 0);
	return e;
}

// Marks what follows an & to give its address. Both arms of a ?: are marked: a macro of the library may choose between two layouts
// of a structure by @defined.
static bool take_address(struct ast_expr *e)
{
	if (e->kind == AST_TARGET)
		e->target.address_of = true;
	else if (e->kind == AST_CAST)
		e->cast.address_of = true;
	else if (e->kind == AST_ATVAR)
		e->atvar.address_of = true;
	else if (e->kind == AST_TERNARY)
		return take_address(e->ternary.a) && take_address(e->ternary.b);
	else
		return e->kind == AST_ERROR;
	return true;
}

static struct ast_expr *parse_address(struct parser *p)
{
	const struct token *op = parser_next(p);
	struct ast_expr *e = parse_value(p);

	if (p->panic)
		return e;
	if (!take_address(e)) {
		struct diag *d = parser_error(p, span_join(op->span, e->span), DIAG_ADDRESS,
					      "this has no address that '&' could take");

		diag_hint(p->dc, d, "it goes before $x->y, @var(\"x\") or @cast(p, \"type\")->y");
		p->panic = false;
	}
	e->span = parser_span_from(p, op);
	return e;
}

static struct ast_expr *parse_prefix_step(struct parser *p)
{
	const struct token *op = parser_next(p);
	struct ast_expr *target = parse_value(p);
	struct ast_expr *e;

	if (p->panic)
		return target;
	check_lvalue(p, target, op);
	e = parser_expr(p, AST_INCDEC, parser_span_from(p, op), op->span);
	e->incdec.target = target;
	e->incdec.delta = op->kind == TOK_INC ? 1 : -1;
	e->incdec.is_prefix = true;
	parse_expr_grow(p, 0);
	return e;
}

static struct ast_expr *parse_unary(struct parser *p)
{
	const struct token *op = parser_peek(p);
	struct ast_expr *a, *e;

	if (op->kind == TOK_AND && !p->panic)
		return parse_address(p);
	if ((op->kind == TOK_INC || op->kind == TOK_DEC) && !p->panic)
		return parse_prefix_step(p);
	if (p->panic || (op->kind != TOK_ADD && op->kind != TOK_SUB && op->kind != TOK_NOT && op->kind != TOK_BITNOT))
		return parse_postfix(p);
	if (!parser_enter(p))
		return parse_value_error(p);
	parser_next(p);
	a = parse_unary(p);
	parser_leave(p);
	e = parser_expr(p, AST_UNARY, parser_span_from(p, op), op->span);
	e->unary.op = op->kind == TOK_ADD ? UN_PLUS : op->kind == TOK_SUB ? UN_MINUS :
		      op->kind == TOK_NOT ? UN_NOT : UN_BITNOT;
	e->unary.a = a;
	parse_expr_grow(p, 0);
	return e;
}

// ---- binary operators ----

static struct ast_expr *finish_in(struct parser *p, const struct token *first, struct ast_list keys,
				  const struct token *op)
{
	struct ast_expr *e = parser_expr(p, AST_IN, first->span, op->span);
	unsigned height = p->height;

	e->in.keys = keys;
	e->in.name = parser_name(p, "the name of an array");
	if (!e->in.name)
		e->kind = AST_ERROR;
	e->span = parser_span_from(p, first);
	p->height = height;
	parse_expr_grow(p, 0);
	return e;
}

// [a, *] in array
static struct ast_expr *parse_key_list(struct parser *p)
{
	const struct token *open = parser_next(p), *op;
	struct ast_list keys;
	struct diag *d;

	if (parser_is(p, TOK_RBRACKET))
		parser_expected(p, DIAG_EXPRESSION, "a key");
	keys = parse_expr_list(p, TOK_RBRACKET, open, true);
	op = parser_peek(p);
	if (parser_accept(p, TOK_IN))
		return finish_in(p, open, keys, op);
	if (keys.n == 1 && keys.v[0])
		return keys.v[0];
	d = parser_error(p, parser_span_from(p, open), DIAG_KEY_LIST, "a list of keys is only used before `in`");
	diag_hint(p->dc, d, "write [a, b] in ARRAY, or ARRAY[a, b]");
	return parse_value_error(p);
}

static struct ast_expr *finish_regex(struct parser *p, const struct token *first, struct ast_expr *text,
				     const struct token *op)
{
	struct ast_expr *e = parser_expr(p, AST_REGEX, first->span, op->span);

	e->regex.text = text;
	e->regex.negated = op->kind == TOK_NOT_MATCH;
	if (parser_is(p, TOK_STRING)) {
		unsigned height = p->height;

		e->regex.pattern = parse_string(p);
		p->height = height;
	} else {
		struct diag *d = parser_expected(p, DIAG_REGEX_LITERAL, "a string literal with the pattern");

		diag_hint(p->dc, d, "patterns are compiled with the script");
		e->kind = AST_ERROR;
	}
	e->span = parser_span_from(p, first);
	parse_expr_grow(p, 0);
	return e;
}

static bool compares(const struct ast_expr *e)
{
	return e->kind == AST_BINARY && e->binary.op >= BIN_EQ && e->binary.op <= BIN_GE;
}

// As in C, `x & 7 == 0` is `x & (7 == 0)`, which nobody means. Two comparisons may well be, as `a == 1 & b == 2`, and what has no number
// in it, as `a < b | c`. bare_a, bare_b: without parentheses.
static void check_bits(struct parser *p, const struct ast_expr *e, bool bare_a, bool bare_b)
{
	const struct ast_expr *a = e->binary.a, *b = e->binary.b, *compared = compares(a) ? a : b;
	const char *op = ast_binary_op_text(e->binary.op);
	bool has_number = compares(compared) && (compared->binary.a->kind == AST_NUMBER || compared->binary.b->kind == AST_NUMBER);
	struct sp_buf text = { 0 };
	struct diag *d;

	if (e->binary.op != BIN_AND && e->binary.op != BIN_OR && e->binary.op != BIN_XOR)
		return;
	if (p->panic || !has_number || compares(a) == compares(b) || !(compared == a ? bare_a : bare_b))
		return;
	ast_print_expr(&text, compared);
	d = diag(p->dc, compared->span, DIAG_BITS_COMPARED, "%s is compared before %s takes its bits", sp_buf_str(&text), op);
	diag_hint(p->dc, d, "put what %s takes into parentheses, or the comparison, if that is meant", op);
	sp_buf_deinit(&text);
}

// Precedence climbing: operators of `level` and above.
static struct ast_expr *parse_binary(struct parser *p, unsigned level)
{
	const struct token *first = parser_peek(p);
	unsigned ceiling = LEVEL_MAX;
	bool bare = false; // `left` is of this loop
	struct ast_expr *left;

	if (parser_is(p, TOK_LBRACKET) && level <= LEVEL_IN) {
		left = parse_key_list(p);
		ceiling = LEVEL_IN - 1;
	} else {
		left = parse_unary(p);
	}
	while (!p->panic) {
		const struct token *op = parser_peek(p);
		struct binary_info info = binary_info(op->kind);
		unsigned height = p->height;
		struct ast_expr *e;

		if (info.level < level || info.level > ceiling || info.level == 0)
			break;
		parser_next(p);
		if (op->kind == TOK_IN) {
			struct ast_list keys = { sp_arena_memdup(p->arena, &left, sizeof(left)), 1 };

			left = finish_in(p, first, keys, op);
			ceiling = LEVEL_IN - 1;
		} else if (op->kind == TOK_MATCH || op->kind == TOK_NOT_MATCH) {
			left = finish_regex(p, first, left, op);
		} else {
			e = parser_expr(p, AST_BINARY, first->span, op->span);
			e->binary.op = info.op;
			e->binary.a = left;
			bool bare_b = !parser_is(p, TOK_LPAREN);
			e->binary.b = parse_binary(p, info.level + 1);
			e->span = parser_span_from(p, first);
			check_bits(p, e, bare, bare_b);
			parse_expr_grow(p, height);
			left = e;
			bare = true;
		}
	}
	return left;
}

static struct ast_expr *parse_ternary(struct parser *p)
{
	const struct token *first = parser_peek(p), *op;
	struct ast_expr *cond, *e;
	unsigned height;

	if (!parser_enter(p))
		return parse_value_error(p);
	cond = parse_binary(p, LEVEL_LOR);
	op = parser_peek(p);
	height = p->height;
	if (!parser_accept(p, TOK_QUESTION)) {
		parser_leave(p);
		return cond;
	}
	e = parser_expr(p, AST_TERNARY, first->span, op->span);
	e->ternary.cond = cond;
	if (parser_peek(p)->kind == TOK_COLON)
		p->hint = "`a ?: b` is `a ? a : b` here";
	e->ternary.a = parse_expr(p);
	height = SP_MAX(height, p->height);
	if (parser_expect(p, TOK_COLON)) {
		e->ternary.b = parse_ternary(p);
	} else {
		e->ternary.b = parse_value_error(p);
		p->height = 1;
	}
	parser_leave(p);
	e->span = parser_span_from(p, first);
	parse_expr_grow(p, height);
	return e;
}

// Is it an operator of assignment? *ret: the operator before its "=", as + of +=.
static bool is_assignment(enum tok_kind kind, enum ast_binary_op *ret)
{
	static const struct {
		enum tok_kind kind;
		enum ast_binary_op op;
	} table[] = {
		{ TOK_ADD_SET, BIN_ADD }, { TOK_SUB_SET, BIN_SUB }, { TOK_MUL_SET, BIN_MUL },
		{ TOK_DIV_SET, BIN_DIV }, { TOK_MOD_SET, BIN_MOD }, { TOK_AND_SET, BIN_AND },
		{ TOK_OR_SET, BIN_OR }, { TOK_XOR_SET, BIN_XOR }, { TOK_SHL_SET, BIN_SHL },
		{ TOK_SHR_SET, BIN_SHR }, { TOK_USHR_SET, BIN_USHR }, { TOK_CONCAT_SET, BIN_CONCAT },
	};

	for (size_t i = 0; i < SP_ARRAY_SIZE(table); i++) {
		if (table[i].kind == kind) {
			*ret = table[i].op;
			return true;
		}
	}
	return kind == TOK_SET || kind == TOK_STAT_ADD;
}

struct ast_expr *parse_expr(struct parser *p)
{
	const struct token *first = parser_peek(p), *op;
	struct ast_expr *left = parse_ternary(p), *e;
	enum ast_binary_op binary = BIN_ADD;
	unsigned height = p->height;

	op = parser_peek(p);
	if (p->panic || !is_assignment(op->kind, &binary))
		return left;
	check_lvalue(p, left, op);
	if (!parser_enter(p))
		return parse_value_error(p);
	parser_next(p);
	e = parser_expr(p, AST_ASSIGN, first->span, op->span);
	e->assign.kind = op->kind == TOK_SET ? ASSIGN_SET : op->kind == TOK_STAT_ADD ? ASSIGN_STAT : ASSIGN_OP;
	e->assign.op = binary;
	e->assign.target = left;
	e->assign.value = parse_expr(p);
	parser_leave(p);
	e->span = parser_span_from(p, first);
	parse_expr_grow(p, height);
	return e;
}
