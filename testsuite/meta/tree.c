// SPDX-License-Identifier: GPL-2.0-or-later
#include "testsuite/meta/tree.h"

struct node *node_operator(struct tree *t, enum type type, enum level level, const char *form, unsigned n_kids,
			   struct node *const *kids)
{
	struct node *n = sp_arena_new(t->arena, struct node);

	n->type = type;
	n->level = level;
	n->form = form;
	n->id = ++t->n_nodes;
	for (unsigned i = 0; i < n_kids; i++) {
		n->kid[i] = kids[i];
		n->need[i] = level;
	}
	return n;
}

// Do all kids stand in the text, in their order and once, with nothing that leaves them out or changes what others read?
static bool is_ordered(const char *form, unsigned n_kids)
{
	static const char *const others[] = { "?", "&&", "||", "=", "++", "--", "<<<", "@" };
	unsigned next = 0;

	for (const char *s = form; *s; s++)
		if ((unsigned char)*s <= MAX_KIDS && (unsigned char)*s != ++next)
			return false;
	for (size_t i = 0; i < SP_ARRAY_SIZE(others); i++)
		if (strstr(form, others[i]))
			return false;
	return next == n_kids;
}

struct node *node_form(struct tree *t, enum type type, const char *form, unsigned n_kids, struct node *const *kids)
{
	struct node *n = node_operator(t, type, L_PRIMARY, form, n_kids, kids);

	for (unsigned i = 0; i < n_kids; i++)
		n->need[i] = L_TERNARY;
	n->order = form && type != T_NONE && is_ordered(form, n_kids) ? ORDER_KIDS : ORDER_WHOLE;
	return n;
}

struct node *node_of_place(struct tree *t, enum type type, const char *form, unsigned n_kids, struct node *const *kids)
{
	struct node *n = node_form(t, type, form, n_kids, kids);

	n->order = ORDER_KIDS;
	n->has_place = true;
	return n;
}

struct node *node_leaf(struct tree *t, enum type type, const char *text)
{
	return node_form(t, type, text, 0, NULL);
}

struct node *node_binary(struct tree *t, enum type type, enum level level, const char *op, struct node *a, struct node *b)
{
	struct node *n = node_operator(t, type, level, sp_arena_printf(t->arena, "\1 %s \2", op), 2, (struct node *[]){ a, b });

	n->need[1] = level + 1;
	n->order = level == L_LAND ? ORDER_AND : level == L_LOR ? ORDER_OR : ORDER_KIDS;
	return n;
}

struct node *node_call(struct tree *t, const struct function *f, struct node *const *args)
{
	struct node *n = node_form(t, f->result, NULL, f->n_params, args);

	n->kind = NODE_CALL;
	n->order = ORDER_KIDS;
	n->func = f;
	return n;
}

struct node *node_param(struct tree *t, const struct function *f, unsigned index)
{
	struct node *n = node_leaf(t, f->types[index], NULL);

	n->kind = NODE_PARAM;
	n->order = ORDER_KIDS;
	n->func = f;
	n->param = index;
	return n;
}

struct node *node_block(struct tree *t)
{
	struct node *n = node_leaf(t, T_NONE, NULL);

	n->kind = NODE_BLOCK;
	return n;
}

void block_add(struct node *block, struct node *statement)
{
	if (block->last)
		block->last->next = statement;
	else
		block->first = statement;
	block->last = statement;
}

// ---- printing -------------------------------------------------------------------------------------------------------

static struct node *stands_for(struct node *n)
{
	while (n->instead)
		n = n->instead;
	return n;
}

// What the parameters of an inlined FUNC_EXPR are.
struct frame {
	struct node *const *args;
	const struct frame *outer; // where the arguments are computed
};

struct printer {
	struct sp_buf *out;
	const struct style *style;
	const struct frame *frame;
	unsigned indent;
};

static void put(struct printer *p, struct node *n, enum level need);

static bool is_alt(const struct printer *p, const struct node *n)
{
	uint64_t h = (p->style->alt ^ n->id) * 0x9e3779b97f4a7c15;

	return p->style->alt && n->alt && (h >> 40 & 3) != 0;
}

static void put_form(struct printer *p, struct node *n)
{
	bool alt = is_alt(p, n);

	for (const char *s = alt ? n->alt : n->form; *s; s++) {
		unsigned i = (unsigned char)*s - 1u;

		if (i < MAX_KIDS)
			put(p, n->kid[i], alt && n->type != T_NONE ? L_PRIMARY : n->need[i]);
		else
			sp_buf_putc(p->out, *s);
	}
}

static void put_line(struct printer *p, const char *text)
{
	sp_buf_fill(p->out, '\t', p->indent);
	sp_buf_printf(p->out, "%s\n", text);
}

static struct node *put_steps(struct printer *p, struct node *n);
static void end_steps(struct node *n);

static void put_statements(struct printer *p, struct node *block)
{
	for (struct node *n = block->first; n; n = n->next) {
		if (n->is_off)
			continue;
		if (p->style->steps)
			put_steps(p, n);
		sp_buf_fill(p->out, '\t', p->indent);
		put(p, n, L_ANY);
		sp_buf_putc(p->out, '\n');
		end_steps(n);
	}
}

static void put_block(struct printer *p, struct node *block)
{
	sp_buf_puts(p->out, "{\n");
	p->indent++;
	put_statements(p, block);
	p->indent--;
	sp_buf_fill(p->out, '\t', p->indent);
	sp_buf_putc(p->out, '}');
}

static void put_inlined_value(struct printer *p, struct node *n)
{
	struct frame frame = { n->kid, p->frame };

	p->frame = &frame;
	sp_buf_putc(p->out, '(');
	put(p, n->func->value, L_ANY);
	sp_buf_putc(p->out, ')');
	p->frame = frame.outer;
}

// Arguments are computed in their order, then assigned: none reads a parameter.
static void put_inlined_statement(struct printer *p, struct node *n)
{
	const struct function *f = n->func;

	sp_buf_puts(p->out, "{\n");
	p->indent++;
	for (unsigned i = 0; i < f->n_params; i++) {
		sp_buf_fill(p->out, '\t', p->indent);
		sp_buf_printf(p->out, "%s = ", f->params[i]);
		put(p, n->kid[i], L_TERNARY);
		sp_buf_puts(p->out, ";\n");
	}
	put_statements(p, f->body);
	if (n->target && f->value) {
		sp_buf_fill(p->out, '\t', p->indent);
		put(p, n->target, L_PRIMARY);
		sp_buf_puts(p->out, " = ");
		put(p, f->value, L_TERNARY);
		sp_buf_puts(p->out, ";\n");
	}
	p->indent--;
	sp_buf_fill(p->out, '\t', p->indent);
	sp_buf_putc(p->out, '}');
}

static void put_call(struct printer *p, struct node *n)
{
	const struct function *f = n->func;
	bool is_statement = n->target || !f->value;

	if (p->style->inlined && f->kind == FUNC_LINEAR && is_statement) {
		put_inlined_statement(p, n);
		return;
	}
	if (n->target) {
		put(p, n->target, L_PRIMARY);
		sp_buf_puts(p->out, " = ");
	}
	if (p->style->inlined && f->kind == FUNC_EXPR && !(p->style->cuts && f->result == T_STR)) {
		put_inlined_value(p, n);
	} else {
		sp_buf_printf(p->out, "%s(", f->name);
		for (unsigned i = 0; i < f->n_params; i++) {
			sp_buf_puts(p->out, i ? ", " : "");
			put(p, n->kid[i], L_TERNARY);
		}
		sp_buf_putc(p->out, ')');
	}
	sp_buf_puts(p->out, is_statement ? ";" : "");
}

static void put_param(struct printer *p, struct node *n, enum level need)
{
	const struct frame *frame = p->frame;

	if (!frame) {
		sp_buf_puts(p->out, n->func->params[n->param]);
		return;
	}
	p->frame = frame->outer;
	put(p, frame->args[n->param], need);
	p->frame = frame;
}

static void put(struct printer *p, struct node *n, enum level need)
{
	bool parens;

	n = stands_for(n);
	if (n->is_step) {
		sp_buf_printf(p->out, "step%u", n->id);
		return;
	}
	switch (n->kind) {
	case NODE_FORM:
		parens = n->type != T_NONE && need > L_ANY &&
			 (n->level < need || (n->level < L_PRIMARY && p->style->parens) || is_alt(p, n));
		sp_buf_puts(p->out, parens ? "(" : "");
		put_form(p, n);
		sp_buf_puts(p->out, parens ? ")" : "");
		break;
	case NODE_BLOCK:
		put_block(p, n);
		break;
	case NODE_CALL:
		put_call(p, n);
		break;
	case NODE_PARAM:
		put_param(p, n, need);
		break;
	}
}

// ---- steps ----------------------------------------------------------------------------------------------------------

static void put_step(struct printer *p, struct node *n);

// `stepN = VALUE;`, of the kid, or of the node itself.
static void put_value(struct printer *p, const struct node *n, struct node *value, const char *behind)
{
	sp_buf_fill(p->out, '\t', p->indent);
	sp_buf_printf(p->out, "step%u = ", n->id);
	put(p, value, *behind ? L_PRIMARY : L_TERNARY);
	sp_buf_printf(p->out, "%s;\n", behind);
}

// `if (KID) {`
static void put_branch(struct printer *p, struct node *condition, const char *head)
{
	sp_buf_fill(p->out, '\t', p->indent);
	sp_buf_puts(p->out, head);
	put(p, condition, L_PRIMARY);
	sp_buf_puts(p->out, ") {\n");
}

static void put_logic(struct printer *p, struct node *n)
{
	bool is_and = n->order == ORDER_AND;

	put_step(p, n->kid[0]);
	sp_buf_fill(p->out, '\t', p->indent);
	sp_buf_printf(p->out, "step%u = %d;\n", n->id, !is_and);
	put_branch(p, n->kid[0], is_and ? "if (" : "if (!");
	p->indent++;
	put_step(p, n->kid[1]);
	put_value(p, n, n->kid[1], " != 0");
	p->indent--;
	put_line(p, "}");
}

static void put_choice(struct printer *p, struct node *n)
{
	put_step(p, n->kid[0]);
	put_branch(p, n->kid[0], "if (");
	for (unsigned i = 1; i <= 2; i++) {
		p->indent++;
		put_step(p, n->kid[i]);
		put_value(p, n, n->kid[i], "");
		p->indent--;
		put_line(p, i == 1 ? "} else {" : "}");
	}
}

// Of the kids; what is left then is the last step.
static struct node *put_steps(struct printer *p, struct node *n)
{
	n = stands_for(n);
	if (n->order != ORDER_KIDS)
		return n;
	for (unsigned i = 0; i < MAX_KIDS && n->kid[i]; i++) {
		if (i == 0 && n->has_place)
			put_steps(p, n->kid[i]);
		else if (n->kid[i]->type != T_NONE)
			put_step(p, n->kid[i]);
	}
	return n;
}

static void put_step(struct printer *p, struct node *n)
{
	n = put_steps(p, n);
	if (n->order == ORDER_AND || n->order == ORDER_OR)
		put_logic(p, n);
	else if (n->order == ORDER_CHOICE)
		put_choice(p, n);
	else
		put_value(p, n, n, "");
	n->is_step = true;
}

static void end_steps(struct node *n)
{
	n = stands_for(n);
	n->is_step = false;
	for (unsigned i = 0; i < MAX_KIDS && n->kid[i]; i++)
		end_steps(n->kid[i]);
}

void node_print(struct sp_buf *out, struct node *n, const struct style *style, unsigned indent)
{
	struct printer p = { out, style, NULL, indent };

	if (n->kind == NODE_BLOCK)
		put_statements(&p, n);
	else
		put(&p, n, L_ANY);
}

static const char *type_suffix(const struct function *f, enum type type)
{
	return !f->is_typed ? "" : type == T_LONG ? ":long" : type == T_STR ? ":string" : "";
}

void function_print(struct sp_buf *out, const struct function *f, const struct style *style)
{
	struct printer p = { out, style, NULL, 1 };

	sp_buf_printf(out, "function %s%s(", f->name, type_suffix(f, f->result));
	for (unsigned i = 0; i < f->n_params; i++)
		sp_buf_printf(out, "%s%s%s", i ? ", " : "", f->params[i], type_suffix(f, f->types[i]));
	sp_buf_puts(out, ")\n{\n");
	if (f->body)
		put_statements(&p, f->body);
	if (f->value) {
		if (style->steps)
			put_step(&p, f->value);
		sp_buf_puts(out, "\treturn ");
		put(&p, f->value, L_TERNARY);
		sp_buf_puts(out, ";\n");
		end_steps(f->value);
	}
	put_line(&(struct printer){ out, style, NULL, 0 }, "}\n");
}
