// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_embed_format.h"

#include "compiler/gen/core/gen_embed_read.h"
#include "compiler/gen/core/gen_embed_table.h"
#include "runtime/base/buf.h"
#include "runtime/base/directive.h"
#include "runtime/base/util.h"

#include <ctype.h>
#include <linux/bpf.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

#define MAX_VALUES 12 // of bpf_snprintf
#define MAX_CUT 64 // longest precision of %s: such a text is copied to the stack, which has 512 bytes

// The operands of the call.
enum { TO, SIZE, FORMAT, DATA, DATA_SIZE, N_OPERANDS };

// A format is read twice: first to see whether it has to become another one, which is then built.
struct fit {
	struct sp_arena *arena;
	LLVMBuilderRef b;
	LLVMValueRef call;
	LLVMTypeRef i8, i64, ptr;
	bool builds, changes;
	struct sp_buf format; // the new one
	LLVMValueRef values[MAX_VALUES]; // its
	unsigned n_values;
	unsigned n_read, n_old; // of the values of the old one
	const char *wrong;
};

struct directive {
	struct sp_directive spec;
	const char *start, *length, *conversion, *end; // in the format
};

// ---- values -------------------------------------------------------------------------------------

static void add_value(struct fit *f, LLVMValueRef value)
{
	if (f->n_values == MAX_VALUES) {
		f->wrong = "this prints more values than the 12 that bpf_snprintf() takes; a text behind %s counts as one when it "
			   "begins with a letter or a digit";
		return;
	}
	f->values[f->n_values++] = value;
}

static LLVMValueRef old_value(struct fit *f)
{
	LLVMValueRef index = LLVMConstInt(f->i64, f->n_read, false), at;

	if (f->n_read++ >= f->n_old)
		f->wrong = "the format has more directives than there are values";
	if (!f->builds || f->wrong)
		return NULL;
	at = LLVMBuildGEP2(f->b, f->i64, LLVMGetOperand(f->call, DATA), &index, 1, "");
	return LLVMBuildLoad2(f->b, f->i64, at, "");
}

// Hides where an address comes from: a table of constant ones would be built, and BPF has none.
static LLVMValueRef address(struct fit *f, LLVMValueRef pointer)
{
	static const char same[] = "=r,0";
	LLVMTypeRef type = LLVMFunctionType(f->i64, &f->i64, 1, false);
	LLVMValueRef number = LLVMBuildPtrToInt(f->b, pointer, f->i64, ""), code;

	code = LLVMGetInlineAsm(type, (char *)"", 0, (char *)same, strlen(same), false, false, LLVMInlineAsmDialectATT, false);
	return LLVMBuildCall2(f->b, type, code, &number, 1, "");
}

static LLVMValueRef constant_text(struct fit *f, const char *text, size_t len)
{
	LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(f->call));

	return gen_embed_add_constant(LLVMGetGlobalParent(fn),
				      LLVMConstStringInContext(LLVMGetTypeContext(f->i64), text, (unsigned)len, false), "spile_text");
}

static LLVMValueRef text_value(struct fit *f, const char *text, size_t len)
{
	return f->builds ? address(f, constant_text(f, text, len)) : NULL;
}

static LLVMValueRef stack_memory(struct fit *f, LLVMTypeRef type, unsigned n)
{
	LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(f->call)), memory;

	LLVMPositionBuilderBefore(f->b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn)));
	memory = LLVMBuildAlloca(f->b, LLVMArrayType(type, n), "");
	LLVMSetAlignment(memory, 8);
	LLVMPositionBuilderBefore(f->b, f->call);
	return memory;
}

// A copy of no more than the first `len` bytes of a text.
static LLVMValueRef cut(struct fit *f, LLVMValueRef text, unsigned len)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(f->i64)), types[] = { f->ptr, i32, f->ptr };
	LLVMTypeRef type = LLVMFunctionType(f->i64, types, SP_ARRAY_SIZE(types), false);
	LLVMValueRef helper, args[3];

	if (!f->builds)
		return NULL;
	helper = LLVMConstIntToPtr(LLVMConstInt(f->i64, BPF_FUNC_probe_read_str, false), f->ptr);
	args[0] = stack_memory(f, f->i8, len + 1);
	args[1] = LLVMConstInt(i32, len + 1, false);
	args[2] = LLVMBuildIntToPtr(f->b, text, f->ptr, "");
	LLVMBuildCall2(f->b, type, helper, args, SP_ARRAY_SIZE(args), "");
	return LLVMBuildPtrToInt(f->b, args[0], f->i64, "");
}

// ---- directives ---------------------------------------------------------------------------------

static void refuse(struct fit *f, const struct directive *d)
{
	f->wrong = sp_arena_printf(f->arena, "the format has %.*s, which BPF programs cannot print", (int)(d->end - d->start),
				   d->start);
}

// A text that stands in the format, where it is a value when the kernel would not take it there.
static void add_text(struct fit *f, const char *text, size_t len)
{
	bool is_plain = !f->format.len || f->format.data[f->format.len - 1] != 's' || !isalnum((unsigned char)*text);

	for (size_t i = 0; i < len; i++)
		is_plain &= isascii((unsigned char)text[i]) && (isprint((unsigned char)text[i]) || isspace((unsigned char)text[i]));
	if (!is_plain) {
		f->changes = true;
		sp_buf_puts(&f->format, "%s");
		add_value(f, text_value(f, text, len));
		return;
	}
	for (size_t i = 0; i < len; i++) {
		sp_buf_putc(&f->format, text[i]);
		if (text[i] == '%')
			sp_buf_putc(&f->format, '%');
	}
}

static void add_as_it_is(struct fit *f, const struct directive *d)
{
	sp_buf_add(&f->format, d->start, (size_t)(d->end - d->start));
	add_value(f, old_value(f));
}

// Of %hd and %hhd: the number's last bits.
static LLVMValueRef shortened(struct fit *f, LLVMValueRef number, size_t n_h, bool is_signed)
{
	LLVMTypeRef type = LLVMIntTypeInContext(LLVMGetTypeContext(f->i64), n_h == 1 ? 16 : 8);

	if (!f->builds)
		return NULL;
	number = LLVMBuildTrunc(f->b, number, type, "");
	return is_signed ? LLVMBuildSExt(f->b, number, f->i64, "") : LLVMBuildZExt(f->b, number, f->i64, "");
}

static void add_number(struct fit *f, const struct directive *d)
{
	bool is_signed = strchr("di", *d->conversion), is_hex = strchr("xX", *d->conversion);
	bool digits = d->spec.precision != SP_DIRECTIVE_UNSET, prefix = d->spec.flags & SP_DIRECTIVE_ALTERNATE && is_hex;
	size_t n_h = strspn(d->length, "h");
	LLVMValueRef value;

	if (d->spec.width != SP_DIRECTIVE_UNSET && (digits || prefix)) {
		refuse(f, d);
		return;
	}
	if ((digits && is_signed) || d->spec.precision == SP_DIRECTIVE_FROM_ARG || d->spec.precision == 0) {
		refuse(f, d);
		return;
	}
	if (!digits && !prefix && !n_h && strspn(d->length, "l") == (size_t)(d->conversion - d->length)) {
		add_as_it_is(f, d);
		return;
	}
	f->changes = true;
	value = old_value(f);
	if (n_h)
		value = shortened(f, value, n_h, is_signed);
	if (prefix) // of 0, too: the kernel's %#x is not C's
		add_text(f, *d->conversion == 'X' ? "0X" : "0x", 2);
	if (digits)
		sp_buf_printf(&f->format, "%%0%d", d->spec.precision);
	else
		sp_buf_add(&f->format, prefix ? "%" : d->start, prefix ? 1 : (size_t)(d->length - d->start));
	if (*d->length != 'h' && d->length < d->conversion)
		sp_buf_puts(&f->format, "l"); // z, j and t as l
	sp_buf_putc(&f->format, *d->conversion);
	add_value(f, value);
}

static void add_string(struct fit *f, const struct directive *d)
{
	LLVMValueRef text;

	if (d->spec.precision == SP_DIRECTIVE_UNSET) {
		add_as_it_is(f, d);
		return;
	}
	if (d->spec.precision < 0 || d->spec.precision > MAX_CUT) {
		refuse(f, d);
		return;
	}
	f->changes = true;
	text = old_value(f);
	sp_buf_add(&f->format, d->start, strcspn(d->start, "."));
	sp_buf_putc(&f->format, 's');
	add_value(f, cut(f, text, (unsigned)d->spec.precision));
}

// One number of `size` bytes of the memory behind a pointer, which has the highest byte first.
static LLVMValueRef number_behind(struct fit *f, LLVMValueRef memory, unsigned index, unsigned size)
{
	LLVMTypeRef type = LLVMIntTypeInContext(LLVMGetTypeContext(f->i64), 8 * size);
	LLVMValueRef at = LLVMConstInt(f->i64, index, false), value;

	value = LLVMBuildLoad2(f->b, type, LLVMBuildGEP2(f->b, type, memory, &at, 1, ""), "");
	value = LLVMBuildZExt(f->b, value, f->i64, "");
	if (size == 1)
		return value;
	at = LLVMConstInt(f->i64, 8, false);
	value = LLVMBuildOr(f->b, LLVMBuildShl(f->b, value, at, ""), LLVMBuildLShr(f->b, value, at, ""), "");
	return LLVMBuildAnd(f->b, value, LLVMConstInt(f->i64, 0xffff, false), "");
}

// Addresses of the internet: each number is a value of its own.
static void add_inet(struct fit *f, bool is_v6, bool has_separators)
{
	const char *spec = is_v6 ? "%04x" : has_separators ? "%d" : "%03d", *separator = is_v6 ? ":" : ".";
	unsigned n = is_v6 ? 8 : 4, size = is_v6 ? 2 : 1;
	LLVMValueRef pointer = old_value(f), memory = NULL;

	f->changes = true;
	if (f->builds) {
		memory = stack_memory(f, f->i8, n * size);
		gen_embed_build_read(f->b, memory, LLVMConstInt(f->i64, n * size, false),
				     LLVMBuildIntToPtr(f->b, pointer, f->ptr, ""));
	}
	for (unsigned i = 0; i < n; i++) {
		sp_buf_puts(&f->format, spec);
		if (i + 1 < n && (has_separators || !is_v6))
			sp_buf_puts(&f->format, separator);
		add_value(f, f->builds && !f->wrong ? number_behind(f, memory, i, size) : NULL);
	}
}

static void add_address(struct fit *f, bool is_padded)
{
	LLVMValueRef value = old_value(f);

	f->changes = true;
	if (!is_padded)
		add_text(f, "0x", 2);
	sp_buf_puts(&f->format, is_padded ? "%016lx" : "%lx");
	add_value(f, value);
}

static void add_pointer(struct fit *f, const struct directive *d)
{
	static const char *const names[] = { "K", "s", "S", "B", "ks", "us" }; // that the kernel alone can print
	const char *kind = sp_arena_strndup(f->arena, d->conversion + 1, (size_t)(d->end - d->conversion - 1));

	for (size_t i = 0; i < SP_ARRAY_SIZE(names); i++) {
		if (sp_streq(names[i], kind)) {
			add_as_it_is(f, d);
			return;
		}
	}
	if (d->spec.width != SP_DIRECTIVE_UNSET)
		refuse(f, d);
	else if (sp_streq(kind, "") || sp_streq(kind, "x"))
		add_address(f, *kind);
	else if (strlen(kind) == 2 && strchr("iI", kind[0]) && strchr("46", kind[1]))
		add_inet(f, kind[1] == '6', kind[0] == 'I');
	else
		refuse(f, d);
}

static void add_directive(struct fit *f, const struct directive *d)
{
	if (*d->conversion == '%')
		add_text(f, "%", 1);
	else if (d->spec.width == SP_DIRECTIVE_FROM_ARG || (d->spec.flags & SP_DIRECTIVE_ALTERNATE && !strchr("xX", *d->conversion)))
		refuse(f, d);
	else if (*d->conversion && strchr("diuxX", *d->conversion))
		add_number(f, d);
	else if (*d->conversion == 's')
		add_string(f, d);
	else if (*d->conversion == 'c')
		add_as_it_is(f, d);
	else if (*d->conversion == 'p')
		add_pointer(f, d);
	else
		refuse(f, d);
}

static struct directive read_directive(const char *start)
{
	struct directive d = { .start = start };

	d.length = sp_directive_parse_spec(start + 1, &d.spec);
	d.conversion = d.length + strspn(d.length, "hlzjtqL");
	d.end = d.conversion + (*d.conversion != '\0');
	while (*d.conversion == 'p' && isalnum((unsigned char)*d.end))
		d.end++;
	return d;
}

static void read_format(struct fit *f, const char *s)
{
	sp_buf_clear(&f->format);
	f->n_values = f->n_read = 0;
	while (*s && !f->wrong) {
		size_t text = strcspn(s, "%");

		if (text) {
			add_text(f, s, text);
			s += text;
		} else {
			struct directive d = read_directive(s);

			add_directive(f, &d);
			s = d.end;
		}
	}
}

// ---- calls --------------------------------------------------------------------------------------

static void build_call(struct fit *f)
{
	LLVMTypeRef type = LLVMGetCalledFunctionType(f->call);
	LLVMValueRef data = stack_memory(f, f->i64, f->n_values), args[N_OPERANDS], call;

	for (unsigned i = 0; i < f->n_values; i++) {
		LLVMValueRef index = LLVMConstInt(f->i64, i, false);

		LLVMBuildStore(f->b, f->values[i], LLVMBuildGEP2(f->b, f->i64, data, &index, 1, ""));
	}
	args[TO] = LLVMGetOperand(f->call, TO);
	args[SIZE] = LLVMGetOperand(f->call, SIZE);
	args[FORMAT] = constant_text(f, sp_buf_str(&f->format), f->format.len);
	args[DATA] = data;
	args[DATA_SIZE] = LLVMConstInt(LLVMTypeOf(LLVMGetOperand(f->call, DATA_SIZE)), f->n_values * sizeof(uint64_t), false);
	call = LLVMBuildCall2(f->b, type, LLVMGetCalledValue(f->call), args, N_OPERANDS, "");
	LLVMInstructionSetDebugLoc(call, LLVMInstructionGetDebugLoc(f->call));
	LLVMReplaceAllUsesWith(f->call, call);
	LLVMInstructionEraseFromParent(f->call);
}

// NULL: it is not a text that is known here.
static const char *format_of(LLVMValueRef call)
{
	LLVMValueRef global = LLVMGetOperand(call, FORMAT), init = LLVMIsAGlobalVariable(global) ? LLVMGetInitializer(global) : NULL;
	size_t len;

	return init && LLVMIsAConstantDataArray(init) && LLVMIsConstantString(init) ? LLVMGetAsString(init, &len) : NULL;
}

const char *gen_embed_fit_format(struct sp_arena *arena, LLVMBuilderRef b, LLVMValueRef call)
{
	LLVMContextRef ctx = LLVMGetTypeContext(LLVMTypeOf(call));
	LLVMValueRef size = LLVMGetOperand(call, DATA_SIZE);
	struct fit f = { .arena = arena, .b = b, .call = call, .i8 = LLVMInt8TypeInContext(ctx), .i64 = LLVMInt64TypeInContext(ctx),
			 .ptr = LLVMTypeOf(LLVMGetOperand(call, DATA)) };
	const char *format = format_of(call);

	if (!format || !LLVMIsAConstantInt(size))
		return NULL;
	f.n_old = (unsigned)(LLVMConstIntGetZExtValue(size) / sizeof(uint64_t));
	read_format(&f, format);
	if (f.changes && !f.wrong) {
		f.builds = true;
		LLVMPositionBuilderBefore(b, call);
		read_format(&f, format);
		build_call(&f);
	}
	sp_buf_deinit(&f.format);
	return f.wrong;
}
