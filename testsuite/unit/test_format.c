// SPDX-License-Identifier: GPL-2.0-or-later
// printf directives: the text of hand-made records.
#include "runtime/print/format.h"

#include "bundle_make.h"
#include "expect.h"

#include <stdarg.h>

// A bundle of one format, as format_record reads it; `args` as bm_fields has them, strings have 16 bytes.
static char *text_of(const char *format, const char *args, ...)
{
	struct bundle_make m;
	struct bundle bundle = { 0 };
	struct sp_buf record = { 0 }, out = { 0 };
	va_list values;

	bm_init(&m);
	bm_format(&m, SP_FORMAT_PRINT, format, args, 16);
	bundle.strings = m.strings.data;
	bundle.fields = (const void *)m.fields.data;
	bundle.formats = (const void *)m.formats.data;
	sp_buf_fill(&record, '\0', sizeof(struct sp_event_head));
	va_start(values, args);
	for (const char *a = args; *a; a++) {
		if (*a == 'l') {
			int64_t n = va_arg(values, int64_t);

			sp_buf_add(&record, &n, sizeof(n));
		} else {
			char s[16] = "";

			memcpy(s, va_arg(values, const char *), sizeof(s));
			sp_buf_add(&record, s, sizeof(s));
		}
	}
	va_end(values);
	format_record(&out, &bundle, NULL, bundle.formats, record.data);
	bm_deinit(&m);
	sp_buf_deinit(&record);
	return sp_buf_take(&out);
}

#define IS(want, ...)                                                                              \
	do {                                                                                       \
		char *text_ = text_of(__VA_ARGS__);                                                \
		EXPECT_STR(text_, want);                                                           \
		free(text_);                                                                       \
	} while (0)
#define L(n) ((int64_t)(n))
#define S(s) ((const char[16]){ s })

static void test_integers(void)
{
	IS("", "", "");
	IS("100%", "100%%", "");
	IS("-1 18446744073709551615", "%d %u", "ll", L(-1), L(-1));
	IS("0 0 0", "%d %u %x", "lll", L(0), L(0), L(0));
	IS("-9223372036854775808", "%i", "l", INT64_MIN);
	IS("1234abcd or 1234ABCD or 0x1234abcd", "%x or %X or %p", "lll", L(0x1234abcd), L(0x1234abcd), L(0x1234abcd));
	IS("ffffffffffffffff 1777777777777777777777", "%x %o", "ll", L(-1), L(-1));
	IS("01 0x2 0X3", "%#o %#x %#X", "lll", L(1), L(2), L(3));
	IS("0 0x0", "%#o %#x", "ll", L(0), L(0));
	IS("0x0 0x8", "%p %p", "ll", L(0), L(8));
	IS("+5 -5  5 5", "%+d %+d % d %+u", "llll", L(5), L(-5), L(5), L(5));
}

static void test_widths(void)
{
	IS("[    5][5    ][00005][5    ]", "[%5d][%-5d][%05d][%-05d]", "llll", L(5), L(5), L(5), L(5));
	IS("[   -5][-0005][ -005]", "[%5d][%05d][%5.3d]", "lll", L(-5), L(-5), L(-5));
	IS("[  005][][     ]", "[%05.3d][%.0d][%5.0d]", "lll", L(5), L(0), L(0));
	IS("[  0x1f][0x001f][0x1f  ]", "[%#6x][%#06x][%-#6x]", "lll", L(31), L(31), L(31));
	IS("[    0x1f][0x00001f]", "[%8p][%08p]", "ll", L(31), L(31));
	IS("[    7][7    ][007][7]", "[%*d][%*d][%.*d][%.*d]", "llllllll", L(5), L(7), L(-5), L(7), L(3), L(7), L(-3), L(7));
	IS("[   07]", "[%*.*d]", "lll", L(5), L(2), L(7));
	IS("[123456]", "[%3d]", "l", L(123456));
}

static void test_strings(void)
{
	IS("alice is 16", "%s is %d", "sl", S("alice"), L(16));
	IS("[     bob][bob     ][      bo][bo]", "[%8s][%-8s][%8.2s][%.2s]", "ssss", S("bob"), S("bob"), S("bob"), S("bob"));
	IS("[][]", "[%.0s][%s]", "ss", S("bob"), S(""));
	IS("[  bo]", "[%*.*s]", "lls", L(4), L(2), S("bob"));
	// A string that fills its room to the last byte has no NUL.
	IS("0123456789abcdef.", "%s.", "s", "0123456789abcdef");
}

static void test_chars(void)
{
	IS("a", "%c", "l", L('a'));
	IS("[", "[%c]", "l", L(0)); // a NUL, where the comparison ends
	IS("\xff", "%c", "l", L(0x1ff));
	IS("[  a][a  ]", "[%3c][%-3c]", "ll", L('a'), L('a'));
	IS("\\000 \\t *", "%#c %#c %#c", "lll", L(0), L(9), L(42));
	IS("\\a\\b\\n\\r\\\\ \\377", "%#c%#c%#c%#c%#c %#c", "llllll", L(7), L(8), L(10), L(13), L('\\'), L(255));
}

static void test_memory(void)
{
	IS("DCBA", "%4b", "l", L(0x41424344));
	IS("AB", "%1b%1b", "ll", L(0x41), L(0x42));
	IS("HGFEDCBA", "%b", "l", L(0x4142434445464748));
	IS("[abcd][      abcd][abcd  ][a]", "[%.4m][%10.4m][%-6.4m][%m]", "ssss", S("abcdef"), S("abcdef"), S("abcdef"),
	   S("abcdef"));
	IS("[61626364][  61626364][61]", "[%.4M][%10.4M][%M]", "sss", S("abcdef"), S("abcdef"), S("abcdef"));
	IS("616200", "%.*M", "ls", L(3), S("ab"));
	IS("00112233445566778899aabbccddeeff", "%.99M", "s",
	   "\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff");
}

static const char *check(const char *text, const char *args)
{
	struct sp_field fields[8] = { 0 };

	for (unsigned i = 0; args[i]; i++)
		fields[i].type = args[i] == 'l' ? SP_LONG : args[i] == 'w' ? SP_WHEN : args[i] == 'u' ? SP_UNTIL : SP_STRING;
	return format_check(text, fields, (unsigned)strlen(args));
}

static void test_check(void)
{
	EXPECT_STR(check("%d", ""), "too few arguments for the printf directives");
	EXPECT_STR(check("%d", "ll"), "too many arguments for the printf directives");
	EXPECT_STR(check("%d", "s"), "an argument's type does not fit its printf directive");
	EXPECT_STR(check("%s", "l"), "an argument's type does not fit its printf directive");
	EXPECT_STR(check("%m", "l"), "an argument's type does not fit its printf directive");
	EXPECT_STR(check("%*d", "sl"), "`*` in a printf directive without a number");
	EXPECT_STR(check("%*d", "l"), "too few arguments for the printf directives");
	EXPECT_STR(check("%z", "l"), "an unknown printf directive");
	EXPECT_STR(check("%", ""), "an unknown printf directive");
	EXPECT_STR(check("%-", ""), "an unknown printf directive");
	EXPECT_STR(check("%99999d", "l"), "an unknown printf directive");
	EXPECT_STR(check("%.99999999999999999999d", "l"), "an unknown printf directive");
	EXPECT_STR(check("%s%s", "ws"), "what depends on a number has no end");
	EXPECT_STR(check("%s%s%s", "wuu"), "what depends on a number ends twice");
	EXPECT_STR(check("%s%s", "uw"), "what depends on a number ends twice");
	EXPECT(!check("%s%s%s%s%d", "wwuul"));
	EXPECT(!check("%3.5b", "l"));
	EXPECT(check("%%%d %-+ #012.5x%*.*s", "lllls") == NULL);
}

int main(void)
{
	test_integers();
	test_widths();
	test_strings();
	test_chars();
	test_memory();
	test_check();
	return expect_status();
}
