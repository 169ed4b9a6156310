// SPDX-License-Identifier: GPL-2.0-or-later
// What operators and functions of the script language give, said in C: the programs that reckon makes include it.
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define ROOM 128 // MAXSTRINGLEN

typedef long long L;
typedef const char *S;

static jmp_buf fails;

static char *room(void)
{
	static char all[4096][ROOM];
	static unsigned at;

	return memset(all[at++ % 4096], 0, ROOM);
}

static L add(L a, L b) { return (L)((uint64_t)a + (uint64_t)b); }
static L sub(L a, L b) { return (L)((uint64_t)a - (uint64_t)b); }
static L mul(L a, L b) { return (L)((uint64_t)a * (uint64_t)b); }
static L neg(L a) { return (L)(0 - (uint64_t)a); }
static L shl(L a, L b) { return (L)((uint64_t)a << (b & 63)); }
static L shr(L a, L b) { return a >> (b & 63); }
static L ushr(L a, L b) { return (L)((uint64_t)a >> (b & 63)); }

static L quotient(L a, L b)
{
	if (!b)
		longjmp(fails, 1);
	return b == -1 ? neg(a) : a / b;
}

static L remainder_of(L a, L b)
{
	if (!b)
		longjmp(fails, 1);
	return b == -1 ? 0 : a % b;
}

static S cat(S a, S b)
{
	char *r = room();

	snprintf(r, ROOM, "%s%s", a, b);
	return r;
}

static S part(S s, L from, L n)
{
	char *r = room();

	if (from >= 0 && n > 0 && from < (L)strlen(s))
		snprintf(r, ROOM, "%.*s", (int)(n < ROOM ? n : ROOM), s + from);
	return r;
}

static L place(S s, S what)
{
	S at = strstr(s, what);

	return at ? at - s : -1;
}

static S replace(S s, S what, S with)
{
	size_t n = 0, len = strlen(what);
	char *r = room();

	if (!len)
		return s;
	while (*s && n < ROOM - 1) {
		if (strncmp(s, what, len) == 0) {
			n += (size_t)snprintf(r + n, ROOM - n, "%s", with);
			s += len;
		} else {
			r[n++] = *s++;
		}
	}
	return r;
}

// As the kernel's simple_strtol().
static L number(S s, L base)
{
	int minus = *s == '-';
	uint64_t n = 0;

	s += minus;
	if (base == 0)
		base = *s != '0' ? 10 : tolower(s[1]) == 'x' && isxdigit(s[2]) ? 16 : 8;
	if (base == 16 && *s == '0' && tolower(s[1]) == 'x')
		s += 2;
	for (; isxdigit(*s); s++) {
		L digit = isdigit(*s) ? *s - '0' : tolower(*s) - 'a' + 10;

		if (digit >= base)
			break;
		n = n * (uint64_t)base + (uint64_t)digit;
	}
	return minus ? neg((L)n) : (L)n;
}

static S escaped(S s, S quote)
{
	char *r = room();
	size_t n = (size_t)sprintf(r, "%s", quote);

	for (; *s && n < ROOM - 1; s++) {
		S format = *s == '\t' ? "\\t" : strchr("\"\\", *s) ? "\\%c" : *s < ' ' ? "\\%03o" : "%c";

		n += (size_t)snprintf(r + n, ROOM - n, format, *s);
	}
	return cat(r, quote);
}

static S tokens(S s, S delimiters)
{
	S r = "";

	for (size_t n; *(s += strspn(s, delimiters)); s += n) {
		n = strcspn(s, delimiters);
		r = cat(r, cat("<", cat(part(s, 0, (L)n), ">")));
	}
	return r;
}

static S text(S format, ...)
{
	char *r = room();
	va_list args;

	va_start(args, format);
	vsnprintf(r, ROOM, format, args);
	va_end(args);
	return r;
}
