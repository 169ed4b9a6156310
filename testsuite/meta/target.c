// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "testsuite/meta/target.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "testsuite/meta/rng.h"

#include <stdio.h>
#include <sys/stat.h>

struct writer {
	struct rng rng;
	struct target *target;
	struct sp_buf out;
	const char *file;
};

static const char *const integers[] = { "int", "unsigned", "short", "unsigned short", "signed char", "unsigned char", "long",
					"unsigned long" };

static unsigned line_of(const struct writer *w)
{
	unsigned line = 1;

	for (size_t i = 0; i < w->out.len; i++)
		line += w->out.data[i] == '\n';
	return line;
}

// A small number, of either sign: it fits everywhere.
static int value(struct writer *w)
{
	return (int)below(&w->rng, 60) - 20;
}

static void shuffle(struct writer *w, const char **items, unsigned n)
{
	for (unsigned i = n; i > 1; i--) {
		unsigned k = below(&w->rng, i);
		const char *moved = items[i - 1];

		items[i - 1] = items[k];
		items[k] = moved;
	}
}

// ---- types ----------------------------------------------------------------------------------------------------------

static const char *member(struct writer *w, const char *format)
{
	return sp_arena_printf(&w->target->arena, format, *pick(&w->rng, integers));
}

static const char *bits(struct writer *w, const char *name)
{
	static const char *const types[] = { "int", "unsigned", "long", "unsigned long", "short", "unsigned char" };
	static const unsigned widths[] = { 32, 32, 64, 64, 16, 8 };
	unsigned i = below(&w->rng, 6), width = 6 + below(&w->rng, SP_MIN(widths[i] - 6, 30u));

	return sp_arena_printf(&w->target->arena, "%s %s : %u", types[i], name, width);
}

static void put_struct(struct writer *w, const char *tag, const char **members, unsigned n)
{
	shuffle(w, members, n);
	sp_buf_printf(&w->out, "struct %s {\n", tag);
	for (unsigned i = 0; i < n; i++) {
		sp_buf_printf(&w->out, "\t%s;\n", members[i]);
		if (chance(&w->rng, 15))
			sp_buf_printf(&w->out, "\t%s pad%u;\n", *pick(&w->rng, integers), i);
	}
	sp_buf_puts(&w->out, "};\n\n");
}

static void put_types(struct writer *w)
{
	const char *in[3], *s[20], *v[5];
	unsigned n = 0, text = 6 + below(&w->rng, 12), color = below(&w->rng, 5);
	static const char *const elements[] = { "short", "signed char", "unsigned char", "int" };

	in[0] = member(w, "%s u");
	in[1] = member(w, "%s v");
	in[2] = bits(w, "w");
	sp_buf_printf(&w->out, "enum color { RED = %u, GREEN, BLUE = %u };\n\n", color, color + 7);
	put_struct(w, "in", in, 3);
	s[n++] = member(w, "%s a[4]");
	s[n++] = member(w, "%s x");
	s[n++] = bits(w, "y");
	s[n++] = bits(w, "z");
	s[n++] = "char *p";
	s[n++] = sp_arena_printf(&w->target->arena, "char t[%u]", text);
	s[n++] = "struct in in";
	s[n++] = "struct in *pin";
	s[n++] = "struct s *next";
	s[n++] = "enum color e";
	s[n++] = "union { int i; unsigned char bytes[4]; }";
	s[n++] = "struct in many[3]";
	s[n++] = "struct in *pins[2]";
	s[n++] = member(w, "%s grid[2][3]");
	s[n++] = "_Bool yes : 1";
	s[n++] = "enum color shade : 4";
	s[n++] = sp_arena_printf(&w->target->arena, "struct { %s left; signed deep : 7; }", *pick(&w->rng, integers));
	if (chance(&w->rng, 10))
		s[n++] = "double dd";
	put_struct(w, "s", s, n);
	n = 0;
	v[n++] = sp_arena_printf(&w->target->arena, "%s a[2]", *pick(&w->rng, elements));
	v[n++] = member(w, "%s b");
	v[n++] = bits(w, "w");
	if (below(&w->rng, 2))
		v[n++] = member(w, "%s c");
	if (chance(&w->rng, 20))
		v[n++] = "struct in one";
	put_struct(w, "v", v, n);
}

static void put_static(struct writer *w, const char *name)
{
	const char *type = *pick(&w->rng, integers);

	sp_buf_printf(&w->out, "static %s%s %s = %d;\n", sp_streq(name, "of_thread") ? "__thread " : "", type, name, value(w));
}

static void put_inner(struct writer *w)
{
	int u = value(w), v = value(w), b = value(w);

	sp_buf_printf(&w->out, "{ .u = (__typeof__(((struct in *)0)->u))%d, .v = (__typeof__(((struct in *)0)->v))%d, .w = %d }, ", u, v, b);
}

static void put_data(struct writer *w, const char *unit)
{
	static const char *const texts[] = { "\"a\"", "\"b\"", "\"ab\"", "\"a,b;c,d\"", "\"\"", "\"sixteen bytes ..\"", "\"x=y\"",
					     "\"a longer text that is not cut in the middle of it\"", "\"tab\\tand \\\\ \\\"quotes\\\"\"" };

	put_static(w, "dup");
	put_static(w, sp_arena_printf(&w->target->arena, "only_%s", unit));
	put_static(w, "of_thread");
	sp_buf_puts(&w->out, "static struct in ins[3] = {\n");
	for (unsigned i = 0; i < 3; i++)
		put_inner(w);
	sp_buf_puts(&w->out, "};\nstatic struct s things[3] = {\n");
	for (unsigned i = 0; i < 3; i++) {
		sp_buf_puts(&w->out, "\t{ .a = {");
		for (unsigned k = 0; k < 4; k++)
			sp_buf_printf(&w->out, " %d,", value(w));
		sp_buf_printf(&w->out, " }, .x = %d,", value(w));
		sp_buf_printf(&w->out, " .y = %d,", value(w));
		sp_buf_printf(&w->out, " .z = %d,", value(w));
		sp_buf_puts(&w->out, " .many = { ");
		for (unsigned k = 0; k < 3; k++)
			put_inner(w);
		sp_buf_printf(&w->out, "}, .pins = { &ins[%u], &ins[%u] },", below(&w->rng, 3), below(&w->rng, 3));
		sp_buf_printf(&w->out, " .grid = { { %d, 2, 3 }, { 4, %d, -6 } },", value(w), value(w));
		sp_buf_printf(&w->out, " .yes = %u, .shade = %s, .left = %d, .deep = %d,", below(&w->rng, 2), below(&w->rng, 2) ? "GREEN" : "RED", value(w), value(w));
		sp_buf_printf(&w->out, " .p = %s,", *pick(&w->rng, texts));
		sp_buf_printf(&w->out, " .t = \"t%u\",", below(&w->rng, 1000));
		sp_buf_printf(&w->out, " .in = { .u = %u },", below(&w->rng, 100));
		sp_buf_printf(&w->out, " .pin = &ins[%u],", below(&w->rng, 3));
		sp_buf_printf(&w->out, " .next = &things[%u],", below(&w->rng, 3));
		sp_buf_printf(&w->out, " .e = %s,", below(&w->rng, 2) ? "GREEN" : "BLUE");
		sp_buf_printf(&w->out, " .i = 0x%x },\n", 0x01020304 * (1 + below(&w->rng, 20)));
	}
	sp_buf_puts(&w->out, "};\nstatic const char *const texts[] = {");
	for (unsigned i = 0; i < 4; i++)
		sp_buf_printf(&w->out, " %s,", *pick(&w->rng, texts));
	sp_buf_puts(&w->out, " };\n\n");
}

// ---- functions ------------------------------------------------------------------------------------------------------

enum { MAX_ARGS = 12 };

struct signature {
	const char *params[MAX_ARGS]; // "long n"
	const char *q_type;
	unsigned n;
};

static void choose_params(struct writer *w, struct target_function *f, struct signature *sig)
{
	bool is_usual = chance(&w->rng, 40); // of one order: other things than places differ then
	unsigned dummies = is_usual ? 0 : below(&w->rng, 5);

	sig->n = 0;
	sig->q_type = *pick(&w->rng, integers);
	sig->params[sig->n++] = member(w, "%s n");
	sig->params[sig->n++] = member(w, "%s m");
	sig->params[sig->n++] = below(&w->rng, 2) ? "const char *p" : "unsigned char *p";
	sig->params[sig->n++] = "struct s *s";
	sig->params[sig->n++] = "struct v v";
	sig->params[sig->n++] = sp_arena_printf(&w->target->arena, "%s *q", sig->q_type);
	if (f->has_extra)
		sig->params[sig->n++] = member(w, "%s zz");
	for (unsigned i = 0; i < dummies && sig->n < MAX_ARGS; i++)
		sig->params[sig->n++] = sp_arena_printf(&w->target->arena, "long d%u", i);
	if (!is_usual)
		shuffle(w, sig->params, sig->n);
}

static bool has_param(const struct signature *sig, const char *name)
{
	for (unsigned i = 0; i < sig->n; i++)
		if (sp_streq(strrchr(sig->params[i], ' ') + 1, name))
			return true;
	return false;
}

// A parameter's argument in a call, for round `r`.
static void put_argument(struct writer *w, const char *param, bool is_constant)
{
	const char *name = strrchr(param, ' ') + 1;
	int base, step;

	if (*name == '*')
		name++;
	if (sp_streq(name, "p"))
		sp_buf_printf(&w->out, "(void *)texts[(r + %u) %% 4]", below(&w->rng, 4));
	else if (sp_streq(name, "s"))
		sp_buf_printf(&w->out, "&things[(r + %u) %% 3]", below(&w->rng, 3));
	else if (sp_streq(name, "v"))
		sp_buf_puts(&w->out, "v");
	else if (sp_streq(name, "q"))
		sp_buf_puts(&w->out, "q");
	else if (is_constant && below(&w->rng, 3))
		sp_buf_printf(&w->out, "%d", value(w));
	else {
		base = value(w);
		step = value(w);
		sp_buf_printf(&w->out, "%d + r * %d", base, step);
	}
}

static void put_call(struct writer *w, const struct target_function *f, const struct signature *sig)
{
	int b = value(w), a0 = value(w), a1 = value(w);
	int bits = value(w);
	bool is_constant = below(&w->rng, 2);

	sp_buf_printf(&w->out, "static __attribute__((noipa)) long call_%s(int r)\n{\n", f->name);
	sp_buf_printf(&w->out, "\tstruct v v = { .a = { (__typeof__(v.a[0]))(%d + r), (__typeof__(v.a[0]))%d },", a0, a1);
	sp_buf_printf(&w->out, " .b = (__typeof__(v.b))(%d * r), .w = %d };\n", b, bits);
	sp_buf_printf(&w->out, "\t%s q[3] = { r + 1, %u, ", sig->q_type, below(&w->rng, 100));
	sp_buf_printf(&w->out, "%u };\n\n\treturn %s(", below(&w->rng, 100), f->name);
	for (unsigned i = 0; i < sig->n; i++) {
		sp_buf_puts(&w->out, i ? ", " : "");
		put_argument(w, sig->params[i], is_constant);
	}
	sp_buf_puts(&w->out, ");\n}\n\n");
}

static void put_body(struct writer *w, struct target_function *f, const struct signature *sig, const char *unit)
{
	sp_buf_puts(&w->out, "{\n");
	sp_buf_printf(&w->out, "\tlong l = n * %u + s->x;\n", 1 + below(&w->rng, 9));
	sp_buf_printf(&w->out, "\t%s k = (%s)(m - v.b);\n\n", sig->q_type, sig->q_type);
	sp_buf_puts(&w->out, "\tsink += l + k + dup;\n");
	if (below(&w->rng, 2))
		sp_buf_puts(&w->out, "\tfor (int i = 0; i < (n & 1); i++)\n\t\tsink += touch(q);\n");
	sp_buf_puts(&w->out, "\tsink += touch(p) + touch(&v);\n");
	f->line = line_of(w);
	sp_buf_puts(&w->out, "\tsink += l * k + *p + v.b + q[0] + m");
	for (unsigned i = 0; i < 5; i++) {
		const char *name = sp_arena_printf(&w->target->arena, "d%u", i);

		if (has_param(sig, name) && below(&w->rng, 2))
			sp_buf_printf(&w->out, " + %s", name);
	}
	sp_buf_printf(&w->out, "%s;\n", f->has_extra ? " + zz" : "");
	sp_buf_printf(&w->out, "\ts->x++;\n\tdup += 3;\n\tof_thread -= 5;\n\tonly_%s++;\n", unit);
	sp_buf_puts(&w->out, "\treturn l + m;\n}\n\n");
}

static void put_function(struct writer *w, struct target_function *f, const char *unit)
{
	static const char *const results[] = { "long", "int", "short", "signed char", "unsigned", "unsigned char" };
	static const char *const kinds[] = {
		"static __attribute__((noipa))", "static __attribute__((noipa))", "static __attribute__((noinline))",
		"static inline __attribute__((always_inline))", "static", "__attribute__((noinline))",
	};
	unsigned kind = below(&w->rng, SP_ARRAY_SIZE(kinds));
	struct signature sig;

	f->file = w->file;
	f->is_inline = kind == 3 || kind == 4;
	f->has_extra = chance(&w->rng, 35);
	choose_params(w, f, &sig);
	if (kind == 5)
		sp_buf_printf(&w->out, "%s %s(", *pick(&w->rng, results), f->name);
	else
		sp_buf_printf(&w->out, "%s %s %s(", kinds[kind], *pick(&w->rng, results), f->name);
	for (unsigned i = 0; i < sig.n; i++)
		sp_buf_printf(&w->out, "%s%s", i ? ", " : "", sig.params[i]);
	sp_buf_puts(&w->out, ")\n");
	put_body(w, f, &sig, unit);
	put_call(w, f, &sig);
}

// The parameters that all functions have, in a function that calls itself: activations are within each other.
static void put_recursive(struct writer *w, struct target_function *f, const char *unit)
{
	f->file = w->file;
	sp_buf_printf(&w->out, "static __attribute__((noipa)) long %s(struct v v, int m, struct s *s, const char *p, short n, int *q)\n{\n",
		      f->name);
	sp_buf_puts(&w->out, "\tlong l = n, k = m;\n\n\tif (m > 0 && m < 4)\n\t\tl += ");
	sp_buf_printf(&w->out, "%s(v, m - 1, s->next, p + !!*p, n + 1, q);\n", f->name);
	f->line = line_of(w);
	sp_buf_printf(&w->out, "\tsink += l + k + v.b + q[0] + *p;\n\ts->x++;\n\tonly_%s++;\n\treturn l + dup;\n}\n\n", unit);
	sp_buf_printf(&w->out, "static __attribute__((noipa)) long call_%s(int r)\n{\n\tint q[3] = { 7, r, 9 };\n\n", f->name);
	sp_buf_printf(&w->out, "\treturn %s((struct v){ .b = r }, 2, &things[1], texts[r], %d, q);\n}\n\n", f->name, value(w));
}

static void put_unit(struct writer *w, const char *unit, unsigned from, unsigned to)
{
	struct target *t = w->target;
	unsigned recursive = from + below(&w->rng, to - from);

	w->file = sp_arena_printf(&t->arena, "%s.c", unit);
	sp_buf_puts(&w->out, "extern volatile long sink;\nlong touch(const void *at);\n\n");
	put_types(w);
	put_data(w, unit);
	for (unsigned i = from; i < to; i++) {
		t->functions[i].name = sp_arena_printf(&t->arena, "f%u", i);
		if (i == recursive && chance(&w->rng, 60))
			put_recursive(w, &t->functions[i], unit);
		else
			put_function(w, &t->functions[i], unit);
	}
	// A handler in the kernel cannot read what is not in memory yet.
	sp_buf_printf(&w->out, "void touch_%s(void)\n{\n\tfor (int i = 0; i < 4; i++)\n\t\tsink += touch(texts[i]);\n", unit);
	sp_buf_puts(&w->out, "\tfor (int i = 0; i < 3; i++)\n\t\tsink += touch(things[i].p) + ins[i].u;\n}\n\n");
	sp_buf_printf(&w->out, "void unit_%s(void)\n{\n\tfor (int r = 0; r < 2; r++) {\n", unit);
	for (unsigned i = from; i < to; i++)
		sp_buf_printf(&w->out, "\t\tsink += call_f%u(r);\n", i);
	sp_buf_puts(&w->out, "\t}\n}\n");
}

// ---- compiling ------------------------------------------------------------------------------------------------------

static bool save(const char *folder, const char *name, const struct sp_buf *text)
{
	sp_cleanup_free char *path = NULL;
	sp_cleanup_fclose FILE *f = NULL;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return false;
	f = fopen(path, "w");
	return f && fwrite(text->data, 1, text->len, f) == text->len;
}

static bool compile(struct writer *w, const char *folder)
{
	static const char *const levels[] = { "-O0", "-O1", "-O2", "-O2", "-O3", "-Os", "-Og" };
	static const char *const others[] = { "", "", "-gdwarf-4", "-fno-omit-frame-pointer", "-fno-pie -no-pie", "-fno-inline" };
	static const char main_text[] = "volatile long sink;\n__attribute__((noipa)) long touch(const void *at) { return *(const char *)at; }\n"
					"void unit_one(void);\nvoid unit_two(void);\nvoid touch_one(void);\nvoid touch_two(void);\n"
					"int main(void) { touch_one(); touch_two(); unit_one(); unit_two(); unit_one(); return 0; }\n";
	struct sp_buf command = { 0 }, text = { 0 };
	const char *other = *pick(&w->rng, others);
	bool good;

	sp_buf_puts(&text, main_text);
	good = save(folder, "main.c", &text);
	sp_buf_deinit(&text);
	sp_buf_printf(&command, "cd '%s' && cc='gcc -std=gnu11 -g -w -pipe %s' && ", folder, other);
	for (unsigned i = 0; i < 2; i++)
		sp_buf_printf(&command, "$cc %s -c %s.c && ", *pick(&w->rng, levels), i ? "two" : "one");
	sp_buf_printf(&command, "$cc -O1 -o prog main.c one.o two.o && rm one.o two.o");
	good = good && system(sp_buf_str(&command)) == 0;
	sp_buf_deinit(&command);
	return good;
}

bool target_build(struct target *t, uint64_t number, const char *folder)
{
	struct writer w = { .rng = rng_of(number, "program"), .target = t };
	unsigned n;
	bool good;

	*t = (struct target){ .number = number };
	t->path = sp_arena_printf(&t->arena, "%s/prog", folder);
	n = t->n_functions = 5 + below(&w.rng, 5);
	put_unit(&w, "one", 0, n / 2);
	good = save(folder, "one.c", &w.out);
	sp_buf_clear(&w.out);
	put_unit(&w, "two", n / 2, n);
	good = good && save(folder, "two.c", &w.out) && compile(&w, folder);
	sp_buf_deinit(&w.out);
	return good;
}

void target_deinit(struct target *t)
{
	sp_arena_deinit(&t->arena);
}
