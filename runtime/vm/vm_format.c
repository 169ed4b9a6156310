// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/vm/vm_format.h"

#include "runtime/base/directive.h"

#include <stdio.h>

#define MAX_DIRECTIVE 24

// One directive of bpf_snprintf, which takes printk's lengths and neither a precision, `*` nor `#`; those of addresses, as in %pS, are
// the kernel's alone.
struct directive {
	struct sp_directive spec;
	char head[MAX_DIRECTIVE]; // "%-08", for printf(3)
	bool is_long;
	char conversion;
};

// Behind the directive; NULL: it is none.
static const char *read_directive(const char *s, struct directive *ret)
{
	const char *end = sp_directive_parse_spec(s + 1, &ret->spec);
	size_t len = (size_t)(end - s);

	if (len >= sizeof(ret->head) || ret->spec.flags & SP_DIRECTIVE_ALTERNATE || ret->spec.width == SP_DIRECTIVE_FROM_ARG ||
	    ret->spec.precision != SP_DIRECTIVE_UNSET || sp_directive_is_too_wide(&ret->spec))
		return NULL;
	memcpy(ret->head, s, len);
	ret->head[len] = '\0';
	ret->is_long = *end == 'l';
	end += strspn(end, "l");
	ret->conversion = *end;
	return *end && strchr("diuxXsc%", *end) ? end + 1 : NULL;
}

static void add_number(struct sp_buf *out, const struct directive *d, uint64_t value)
{
	char spec[MAX_DIRECTIVE + 4];
	bool is_signed = d->conversion == 'd' || d->conversion == 'i';

	snprintf(spec, sizeof(spec), "%sll%c", d->head, d->conversion);
	if (!d->is_long)
		value = is_signed ? (uint64_t)(int64_t)(int32_t)value : (uint32_t)value;
	// The directive was read above: it takes one long long.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	sp_buf_printf(out, spec, (unsigned long long)value);
#pragma GCC diagnostic pop
}

static void add_text(struct sp_buf *out, const struct directive *d, const char *text)
{
	size_t len = strlen(text), width = (size_t)SP_MAX(d->spec.width, 0);
	bool left = d->spec.flags & SP_DIRECTIVE_LEFT;

	if (!left && width > len)
		sp_buf_fill(out, ' ', width - len);
	sp_buf_puts(out, text);
	if (left && width > len)
		sp_buf_fill(out, ' ', width - len);
}

const char *vm_format(const struct vm_format *f, const char *format, struct sp_buf *ret)
{
	size_t n = 0;

	while (*format) {
		struct directive d;

		if (*format != '%') {
			sp_buf_putc(ret, *format++);
			continue;
		}
		format = read_directive(format, &d);
		if (!format)
			return "a directive that bpf_snprintf does not know";
		if (d.conversion == '%') {
			sp_buf_putc(ret, '%');
			continue;
		}
		if (n == f->n_values)
			return "fewer values than directives";
		if (d.conversion == 's') {
			add_text(ret, &d, f->string(f->ctx, f->values[n++]));
		} else if (d.conversion == 'c') {
			add_text(ret, &d, (char[]){ (char)f->values[n++], '\0' });
		} else {
			add_number(ret, &d, f->values[n++]);
		}
	}
	return n == f->n_values ? NULL : "more values than directives";
}
