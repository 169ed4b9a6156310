// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/lower/lower_pretty.h"

#include "compiler/lower/lower_loc.h"
#include "compiler/lower/lower_portable.h"

#include "runtime/base/cleanup.h"

#define MAX_CAPTURE 16384 // bytes of one value in a record
#define MAX_CHOICES 128 // names of an enumeration that generated code tells apart

// A value that is being turned into text.
struct value {
	struct lower *l;
	const struct pretty *pretty;
	struct lower_object object;
	struct lower_format *out; // the format of the text; with `record`, its directives for the captured value
	struct lower_format *record; // the record that the value is captured in; NULL: its parts are read one by one
	uint32_t capture; // argument of `record`: the value's bytes
	uint64_t first, end; // the captured bytes of the value
};

static uint64_t first_byte(const struct pretty_part *part)
{
	return part->bit_off / 8;
}

static uint64_t end_byte(const struct pretty_part *part)
{
	return (part->bit_off + part->bit_size + 7) / 8;
}

// Does it stand for bytes of the value?
static bool has_bytes(const struct pretty_part *part)
{
	return part->kind != PRETTY_END && part->kind != PRETTY_UNTIL;
}

// The language's numbers have 64 bits.
static bool is_wide(const struct pretty_part *part)
{
	return part->kind != PRETTY_CHARS && part->bit_size > 64;
}

static bool is_read(const struct value *v, const struct pretty_part *part)
{
	return end_byte(part) - v->first <= MAX_CAPTURE;
}

// Finds the bytes of the value that its parts need; false: none, all is literal text.
static bool find_range(struct value *v)
{
	v->first = UINT64_MAX;
	for (unsigned i = 0; i < v->pretty->n; i++)
		if (has_bytes(&v->pretty->parts[i]))
			v->first = SP_MIN(v->first, first_byte(&v->pretty->parts[i]));
	for (unsigned i = 0; i < v->pretty->n; i++)
		if (has_bytes(&v->pretty->parts[i]) && is_read(v, &v->pretty->parts[i]))
			v->end = SP_MAX(v->end, end_byte(&v->pretty->parts[i]));
	return v->end != 0;
}

static const char *directive(const struct pretty_part *part)
{
	switch (part->kind) {
	case PRETTY_NUMBER: return is_wide(part) ? "%s" : part->is_signed ? "%d" : "%u";
	case PRETTY_HEX: return is_wide(part) ? "%s" : "%#x";
	case PRETTY_POINTER: return "%p";
	case PRETTY_CHAR: return "'%#c'";
	case PRETTY_ENUM:
	case PRETTY_FLOAT:
	case PRETTY_CHARS:
	case PRETTY_STRING:
	case PRETTY_WHEN:
	case PRETTY_UNTIL:
	case PRETTY_END: break;
	}
	return "%s";
}

static void put_text(struct lower_format *f, const char *text)
{
	lower_format_text(f, text, strlen(text));
}

static uint32_t names_of(struct lower *l, const struct c_type *type)
{
	struct ir_name *names = sp_calloc(type->n_enumerators + 1, sizeof(*names));
	uint32_t first;

	for (unsigned i = 0; i < type->n_enumerators; i++)
		names[i] = (struct ir_name){ .text = type->enumerators[i].name, .value = type->enumerators[i].value };
	first = ir_names(l->unit, names, type->n_enumerators);
	free(names);
	return first;
}

// The numbers of a variant; of the one without numbers, those of all others.
static uint32_t numbers_of(struct lower *l, const struct pretty_part *when)
{
	const struct c_type *type = when->type;
	struct ir_name *names = sp_calloc(type->n_enumerators + 1, sizeof(*names));
	unsigned n = 0;
	uint32_t first;

	for (unsigned i = 0; i < type->n_enumerators; i++)
		if (!when->variant || sp_streq(type->enumerators[i].name, when->variant))
			names[n++] = (struct ir_name){ .text = type->enumerators[i].name, .value = type->enumerators[i].value };
	first = ir_names(l->unit, names, n);
	free(names);
	return first;
}

static struct ir_expr *capture(struct lower *l, uint32_t place, enum ir_space space, struct ir_expr *address,
			       uint64_t bytes, bool is_text)
{
	struct ir_expr *e = ir_expr_new(l->unit, IR_CAPTURE, IR_STR, place);

	e->a = address;
	e->space = space;
	e->bytes = (int64_t)bytes;
	e->is_text = is_text;
	e->cap = (uint32_t)SP_ALIGN_UP(sizeof(struct sp_captured) + bytes, 8);
	return e;
}

// ---- in a record ----------------------------------------------------------------------------------------------------

static void put_field(struct lower_format *out, const struct ir_field *field, const char *directive)
{
	sp_vec_push(&out->fields, *field);
	sp_buf_puts(&out->text, directive);
}

// False: how long a text is cannot be read. `ret`: NULL when it ends at its NUL.
static bool length_of(struct value *v, const struct pretty_part *part, struct ir_expr **ret)
{
	*ret = part->length_size ? lower_object_bits(v->l, &v->object, part->length_off, (unsigned)part->length_size, false) : NULL;
	return *ret || !part->length_size;
}

// A `char *` member: the string it points to becomes a separate argument.
static void capture_string(struct value *v, const struct pretty_part *part)
{
	struct lower *l = v->l;
	struct ir_expr *pointer = lower_object_bits(l, &v->object, part->bit_off, (unsigned)part->bit_size, false), *length, *text;

	if (!pointer || !length_of(v, part, &length))
		return put_text(v->out, "?");
	text = capture(l, v->object.place, v->object.pointees, pointer, l->unit->max_string, true);
	text->b = length;
	put_field(v->out,
		  &(struct ir_field){ .type = SP_CAPTURED, .arg = lower_format_value(v->record, text), .size = text->cap },
		  "%s");
}

// `at` is where the value's byte 0 is in argument `arg`.
static void put_field_of(struct lower *l, struct lower_format *out, const struct pretty_part *part, uint32_t arg,
			 int64_t at)
{
	struct ir_field field = {
		.arg = arg,
		.at = (uint32_t)(at + (int64_t)first_byte(part)),
		.size = (uint32_t)(end_byte(part) - first_byte(part)),
		.bit_off = part->bit_off % 8,
		.is_signed = part->is_signed,
	};

	if (part->kind == PRETTY_CHARS || part->kind == PRETTY_FLOAT) {
		field.type = part->kind == PRETTY_CHARS ? SP_QUOTED : SP_FLOAT;
		field.more = part->kind == PRETTY_FLOAT ? part->type->x87_size : 0;
		field.is_signed = false;
	} else if (part->kind == PRETTY_WHEN) {
		field.type = part->variant ? SP_WHEN : SP_UNLESS;
		field.bit_size = (uint8_t)part->bit_size;
		field.more = numbers_of(l, part);
		field.is_signed = false;
	} else if (is_wide(part)) {
		field.type = SP_WIDE;
		field.more = part->kind == PRETTY_HEX ? 16 : 10;
		field.is_signed &= part->kind != PRETTY_HEX;
	} else {
		bool is_named = part->kind == PRETTY_ENUM && part->type->n_enumerators;
		uint64_t bits;

		field.type = is_named ? SP_NAMED : SP_BITS;
		field.bit_size = (uint8_t)part->bit_size;
		field.more = is_named ? names_of(l, part->type) : 0;
		field.is_flags = is_named && c_type_is_flags(part->type, &bits);
		if (part->kind == PRETTY_ENUM && !is_named) {
			put_field(out, &field, part->is_signed ? "%d" : "%u");
			return;
		}
	}
	put_field(out, &field, directive(part));
}

// Can the runtime take the part from the captured bytes? Some bit-fields spread over 9 bytes, or 17.
static bool is_field(const struct pretty_part *part)
{
	uint64_t bytes = end_byte(part) - first_byte(part);

	return part->kind == PRETTY_CHARS || part->kind == PRETTY_FLOAT || bytes <= 8 || (is_wide(part) && bytes == 16);
}

// Ends what a PRETTY_WHEN begins.
static void put_until(struct value *v)
{
	put_field(v->out, &(struct ir_field){ .type = SP_UNTIL, .arg = v->out->fields.v[0].arg, .size = 1 }, "%s");
}

// Which part is behind a PRETTY_WHEN and all that depends on it?
static unsigned behind(const struct value *v, unsigned when)
{
	unsigned depth = 0;

	do {
		depth += v->pretty->parts[when].kind == PRETTY_WHEN;
		depth -= v->pretty->parts[when].kind == PRETTY_UNTIL;
	} while (depth && ++when < v->pretty->n);
	return when;
}

static void put_captured(struct value *v)
{
	for (unsigned i = 0; i < v->pretty->n; i++) {
		const struct pretty_part *part = &v->pretty->parts[i];

		put_text(v->out, part->text);
		if (part->kind == PRETTY_UNTIL)
			put_until(v);
		if (!has_bytes(part))
			continue;
		if (part->kind == PRETTY_WHEN && (!is_read(v, part) || !is_field(part)))
			i = behind(v, i);
		if (part->kind == PRETTY_STRING)
			capture_string(v, part);
		else if (!is_read(v, part))
			put_text(v->out, "...");
		else if (!is_field(part))
			put_text(v->out, "?");
		else
			put_field_of(v->l, v->out, part, v->capture,
				     (int64_t)offsetof(struct sp_captured, bytes) - (int64_t)v->first);
	}
}

// Captures the whole value with one read into the record. When it faults, the text is ERROR.
static void put_memory_in_record(struct lower_format *f, struct value *v)
{
	struct lower_format out = { .l = v->l };
	struct lower_object *o = &v->object;
	struct ir_expr *bytes = capture(v->l, o->place, o->space, lower_object_address(v->l, o, v->first),
					v->end - v->first, false);
	struct ir_field whole = { .type = SP_VALUE, .size = bytes->cap };

	v->out = &out;
	v->record = f;
	v->capture = whole.arg = lower_format_value(f, bytes);
	put_captured(v);
	whole.more = lower_format_make(f, SP_FORMAT_PART, sp_buf_str(&out.text), out.fields.v, (unsigned)out.fields.n);
	put_field(f, &whole, "%s");
	lower_format_deinit(&out);
}

// ---- part by part ---------------------------------------------------------------------------------------------------

static struct ir_expr *choice(struct lower *l, struct ir_expr *cond, struct ir_expr *yes, struct ir_expr *no)
{
	struct ir_expr *e = ir_expr_new(l->unit, IR_COND, IR_STR, IR_NO_PLACE);

	e->a = cond;
	e->b = yes;
	e->c = no;
	e->cap = SP_MAX(yes->cap, no->cap);
	return e;
}

static struct ir_expr *number_text(struct lower *l, struct ir_expr *number, const char *directive)
{
	struct lower_format f = { .l = l, .to_string = true };
	struct ir_expr *e;

	lower_format_arg(&f, number, directive, 24);
	e = lower_format_string(&f, IR_NO_PLACE);
	lower_format_deinit(&f);
	return e;
}

// Can the byte be read?
static struct ir_expr *is_readable(struct lower *l, uint32_t place, enum ir_space space, struct ir_expr *address)
{
	struct ir_expr *e = ir_expr_new(l->unit, IR_LOAD, IR_LONG, place);

	e->a = address;
	e->b = ir_const(l->unit, -1);
	e->size = 1;
	e->space = space;
	return ir_binary(l->unit, IR_GE, e, ir_const(l->unit, 0), IR_NO_PLACE);
}

static struct ir_expr *quoted(struct lower *l, struct ir_expr *text)
{
	struct ir_expr *e = ir_expr_new(l->unit, IR_BUILTIN, IR_STR, IR_NO_PLACE);

	e->builtin = BUILTIN_TEXT_STRN;
	e->n_args = 3;
	e->args = sp_arena_array(&l->unit->arena, struct ir_expr *, 3);
	e->args[0] = text;
	e->args[1] = ir_const(l->unit, 0);
	e->args[2] = ir_const(l->unit, 1);
	e->cap = lower_cap(l, (uint64_t)text->cap * 4 + 6);
	return e;
}

static struct ir_expr *load_text(struct lower *l, uint32_t place, enum ir_space space, struct ir_expr *address,
				 uint64_t most)
{
	struct ir_expr *e = ir_expr_new(l->unit, IR_LOADSTR, IR_STR, place);

	e->a = address;
	e->b = ir_literal(l->unit, "", 0);
	e->space = space;
	e->cap = most && most < l->unit->max_string ? lower_cap(l, most + 1) : l->unit->max_string;
	e->bytes = most && most < l->unit->max_string ? (int64_t)most + 1 : 0; // a full array has no NUL: one byte more for it
	return e;
}

// "(A | B" and what ends it.
static struct ir_expr *flags_literal(struct lower *l, const struct c_type *type, uint64_t set, const char *begin, const char *end)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };

	sp_buf_puts(&text, begin);
	for (unsigned i = 0; i < type->n_enumerators && set; i++) {
		uint64_t bit = set & (uint64_t)type->enumerators[i].value;

		set &= ~bit;
		if (bit)
			sp_buf_printf(&text, "%s%s", type->enumerators[i].name, set ? " | " : end);
	}
	return ir_literal(l->unit, sp_buf_str(&text), text.len);
}

static struct ir_expr *and(struct lower *l, struct ir_expr *number, uint64_t bits)
{
	return ir_binary(l->unit, IR_AND, number, ir_const(l->unit, (int64_t)bits), IR_NO_PLACE);
}

// What has several bits, or one without a name. All sets of `bits` are told apart: it has few when the text is not late.
static struct ir_expr *flags_text(struct lower *l, const struct pretty_part *part, struct ir_expr *number, uint64_t bits)
{
	struct lower_format f = { .l = l, .to_string = true };
	struct ir_expr *known, *begin = ir_literal(l->unit, "(", 1), *e;

	number = lower_keep(l, and(l, number, UINT64_MAX >> (64u - part->bit_size))); // without a sign
	known = lower_keep(l, and(l, number, bits));
	for (uint64_t set = bits; set; set = (set - 1) & bits) {
		struct ir_expr *same = ir_binary(l->unit, IR_EQ, known, ir_const(l->unit, (int64_t)set), IR_NO_PLACE);
		begin = choice(l, same, flags_literal(l, part->type, set, "(", " | "), begin);
	}
	lower_format_arg(&f, begin, "%s", begin->cap - 1);
	lower_format_text(&f, "unknown: ", strlen("unknown: "));
	lower_format_arg(&f, and(l, number, ~bits), "%#x)", 24);
	e = lower_format_string(&f, IR_NO_PLACE);
	lower_format_deinit(&f);
	for (uint64_t set = bits; set; set = (set - 1) & bits) {
		struct ir_expr *same = ir_binary(l->unit, IR_EQ, number, ir_const(l->unit, (int64_t)set), IR_NO_PLACE);
		if (set & (set - 1))
			e = choice(l, same, flags_literal(l, part->type, set, "(", ")"), e);
	}
	return choice(l, ir_binary(l->unit, IR_EQ, number, ir_const(l->unit, 0), IR_NO_PLACE), ir_literal(l->unit, "0", 1), e);
}

static struct ir_expr *name_text(struct lower *l, const struct pretty_part *part, struct ir_expr *number)
{
	const struct c_type *type = part->type;
	struct ir_expr *e;
	uint64_t bits;

	number = lower_keep(l, number);
	if (c_type_is_flags(type, &bits))
		e = flags_text(l, part, number, bits);
	else
		e = number_text(l, number, part->is_signed ? "%d" : "%u");
	for (unsigned i = SP_MIN(type->n_enumerators, (unsigned)MAX_CHOICES); i-- > 0;) {
		const struct c_enumerator *name = &type->enumerators[i];
		unsigned unused = 64u - (unsigned)part->bit_size;
		uint64_t value = (uint64_t)name->value << unused;
		int64_t with_sign = (int64_t)value >> unused, without = (int64_t)(value >> unused);
		struct ir_expr *same;

		if (name->value != with_sign && name->value != without)
			continue; // of more bits than the value has
		same = ir_binary(l->unit, IR_EQ, number, ir_const(l->unit, part->is_signed ? with_sign : without), IR_NO_PLACE);
		e = choice(l, same, ir_literal(l->unit, name->name, strlen(name->name)), e);
	}
	return e;
}

// The string behind a pointer, of so many bytes if there is a length. A pointer in the kernel's memory may point into a program.
static struct ir_expr *string_text(struct value *v, struct ir_expr *pointer, struct ir_expr *length)
{
	struct lower *l = v->l;
	uint32_t place = v->object.place;
	struct ir_expr *text, *readable, *is_kernel, *cond;

	pointer = lower_keep(l, pointer);
	text = load_text(l, place, IR_SPACE_USER, pointer, 0);
	text->c = length;
	readable = is_readable(l, place, IR_SPACE_USER, pointer);
	if (v->object.pointees == IR_SPACE_KERNEL) {
		is_kernel = lower_keep(l, ir_binary(l->unit, IR_LT, pointer, ir_const(l->unit, 0), IR_NO_PLACE));
		text = choice(l, is_kernel, load_text(l, place, IR_SPACE_KERNEL, pointer, 0), text);
		cond = ir_unary(l->unit, IR_COND, is_kernel);
		cond->b = is_readable(l, place, IR_SPACE_KERNEL, pointer);
		cond->c = readable;
		readable = cond;
	}
	text = choice(l, readable, quoted(l, text), number_text(l, pointer, "%p"));
	if (length) // an empty text may be nowhere
		text = choice(l, ir_binary(l->unit, IR_EQ, length, ir_const(l->unit, 0), IR_NO_PLACE), ir_literal(l->unit, "\"\"", 2), text);
	return text;
}

// Captures a value in registers, word by word. False: some words cannot be read.
static bool put_words(struct value *v, const struct pretty_part *part)
{
	struct pretty_part alone = *part;
	uint32_t first = 0;

	for (uint64_t bit = 0; bit < part->bit_size; bit += 64) {
		struct ir_expr *word = lower_object_bits(v->l, &v->object, part->bit_off + bit,
							 (unsigned)SP_MIN(part->bit_size - bit, 64u), false);
		uint32_t arg;

		if (!word)
			return false;
		arg = lower_format_value(v->out, word);
		first = bit ? first : arg;
	}
	alone.bit_off = 0;
	put_field_of(v->l, v->out, &alone, first, 0);
	return true;
}

// Variants that cannot be told apart are one question mark.
static bool is_next_variant(const struct value *v, const struct pretty_part *part)
{
	return part->kind == PRETTY_WHEN && part > v->pretty->parts && part[-1].kind == PRETTY_UNTIL && !*part->text;
}

// Adds a part that is read by itself, not captured. False: it cannot be read.
static bool put_part(struct value *v, const struct pretty_part *part)
{
	struct lower_format *out = v->out;
	struct lower *l = v->l;
	struct ir_expr *number, *length, *text = NULL;

	if (part->kind == PRETTY_CHARS && v->object.address) {
		number = lower_object_address(l, &v->object, first_byte(part));
		text = quoted(l, load_text(l, v->object.place, v->object.space, number, end_byte(part) - first_byte(part)));
		lower_format_arg(out, text, "%s", text->cap - 1);
		return true;
	}
	if (part->is_late || (!out->to_string && part->kind == PRETTY_ENUM)) {
		if (!out->to_string && put_words(v, part))
			return true;
		if (out->to_string && !l->keeps_text)
			lower_bug(l, v->object.of->span, "a text is kept that no handler can make");
		put_text(out, is_next_variant(v, part) ? "" : "?");
		return false;
	}
	number = lower_object_bits(l, &v->object, part->bit_off, (unsigned)part->bit_size, part->is_signed);
	if (!number || !length_of(v, part, &length)) {
		put_text(out, "?");
		return false;
	}
	if (part->kind == PRETTY_STRING && !out->to_string) {
		v->record = out;
		capture_string(v, part);
		return true;
	}
	if (part->kind == PRETTY_ENUM)
		text = name_text(l, part, number);
	else if (part->kind == PRETTY_STRING)
		text = string_text(v, number, length ? lower_keep(l, length) : NULL);
	if (text)
		lower_format_arg(out, text, "%s", text->cap - 1);
	else
		lower_format_arg(out, number, directive(part), 24);
	return true;
}

// Adds the parts, as many as a string can have when it is one.
static void put_parts(struct value *v)
{
	for (unsigned i = 0; i < v->pretty->n; i++) {
		const struct pretty_part *part = &v->pretty->parts[i];

		put_text(v->out, part->text);
		if (v->out->to_string && i == v->pretty->n_kept)
			break;
		if (part->kind == PRETTY_UNTIL)
			put_until(v);
		else if (part->kind != PRETTY_END && !put_part(v, part) && part->kind == PRETTY_WHEN)
			i = behind(v, i);
	}
}

static void put_memory_in_string(struct lower_format *f, struct value *v)
{
	struct lower_format out = { .l = v->l, .to_string = true };
	struct lower_object *o = &v->object;
	struct ir_expr *cond, *last, *text;

	v->out = &out;
	put_parts(v);
	cond = is_readable(v->l, o->place, o->space, lower_object_address(v->l, o, v->first));
	last = is_readable(v->l, o->place, o->space, lower_object_address(v->l, o, v->end - 1));
	if (v->end - v->first > 1)
		cond = ir_binary(v->l->unit, IR_LAND, cond, last, IR_NO_PLACE);
	text = choice(v->l, cond, lower_format_string(&out, o->place), ir_literal(v->l->unit, "ERROR", strlen("ERROR")));
	lower_format_arg(f, text, "%s", text->cap - 1);
	lower_format_deinit(&out);
}

// The text of a character array of unknown size.
static void put_open_text(struct lower_format *f, struct value *v)
{
	struct lower_object *o = &v->object;
	struct ir_expr *text;

	if (!o->address) {
		put_text(f, "?");
	} else if (f->to_string) {
		text = quoted(f->l, load_text(f->l, o->place, o->space, o->address, 0));
		lower_format_arg(f, text, "%s", text->cap - 1);
	} else {
		text = capture(f->l, o->place, o->space, o->address, f->l->unit->max_string, true);
		put_field(f, &(struct ir_field){ .type = SP_CAPTURED, .arg = lower_format_value(f, text), .size = text->cap },
			  "%s");
	}
}

// The runtime makes the text of what a record would have, where it is not kept for the return.
static void put_late(struct lower_format *f, const struct ast_expr *e)
{
	struct lower_format late = { .l = f->l };
	struct ir_expr *text;

	lower_pretty_put(&late, e);
	text = lower_format_kept(&late, lower_place(f->l, e->span, "", NULL));
	lower_format_arg(f, text, "%s", text->cap - 1);
	lower_format_deinit(&late);
}

void lower_pretty_put(struct lower_format *f, const struct ast_expr *e)
{
	struct value v = { .l = f->l, .pretty = e->resolved->pretty, .out = f };

	if (f->to_string && e->resolved->is_late && !f->l->keeps_text) {
		put_late(f, e);
		return;
	}
	if (!lower_object_open(f->l, e, &v.object)) {
		put_text(f, "?");
		return;
	}
	if (v.object.address) // the offsets of the parts are those of this kernel
		lower_bind(f->l, e->resolved->module, e->resolved->text, lower_place(f->l, e->op_span, "", NULL));
	if (v.pretty->parts[0].kind == PRETTY_CHARS && !v.pretty->parts[0].bit_size) {
		put_open_text(f, &v);
		return;
	}
	if (!find_range(&v)) {
		for (unsigned i = 0; i < v.pretty->n; i++)
			put_text(f, v.pretty->parts[i].text);
		return;
	}
	if (!v.object.address)
		put_parts(&v);
	else if (f->to_string)
		put_memory_in_string(f, &v);
	else
		put_memory_in_record(f, &v);
}

struct ir_expr *lower_pretty_text(struct lower *l, const struct ast_expr *e)
{
	struct lower_format f = { .l = l, .to_string = true };
	struct lower_list list;
	struct ir_expr *text;

	lower_list_begin(l, &list);
	lower_pretty_put(&f, e);
	text = lower_format_string(&f, lower_place(l, e->span, "", NULL));
	lower_format_deinit(&f);
	return ir_seq(l->unit, lower_list_end(l, &list), text);
}
