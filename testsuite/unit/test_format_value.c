// SPDX-License-Identifier: GPL-2.0-or-later
// Parts of C values in hand-made records.
#include "runtime/print/format_value.h"

#include "bundle_make.h"
#include "expect.h"

static char *text_of(const struct sp_field *field, const void *record)
{
	static const struct sp_name names[] = { { -1, 1, 2 }, { 3, 5, 1 }, { 0xffffffff, 9, 0 } };
	const struct bundle bundle = { .strings = "\0low\0mid\0top", .names = names, .n_names = 3 };
	struct sp_buf out = { 0 };

	format_value(&out, &bundle, NULL, field, record);
	return sp_buf_take(&out);
}

#define IS(want, record, ...)                                                                      \
	do {                                                                                       \
		const struct sp_field field_ = { __VA_ARGS__ };                                    \
		char *text_ = text_of(&field_, record);                                            \
		EXPECT_STR(text_, want);                                                           \
		free(text_);                                                                       \
	} while (0)

static void test_bits(void)
{
	const uint8_t bytes[] = { 0, 0xf4, 0xff, 0xff, 0x80, 1, 2, 3, 0xff };
	struct sp_field field = { .type = SP_BITS, .offset = 1, .size = 1, .bit_off = 2, .bit_size = 3 };

	EXPECT_NUM(format_value_bits(&field, bytes), 5);
	field.flags = SP_FIELD_SIGNED;
	EXPECT_NUM(format_value_bits(&field, bytes), -3);
	field = (struct sp_field){ .type = SP_BITS, .offset = 1, .size = 8, .bit_size = 64 };
	EXPECT_NUM(format_value_bits(&field, bytes), (int64_t)0xff03020180fffff4);
	field = (struct sp_field){ .type = SP_BITS, .offset = 1, .size = 8, .bit_off = 24, .bit_size = 40 };
	EXPECT_NUM(format_value_bits(&field, bytes), 0xff03020180);
}

static void test_names(void)
{
	const int32_t numbers[] = { -1, 3, 4, -2 };

	IS("low", numbers, .type = SP_NAMED, .flags = SP_FIELD_SIGNED, .size = 4, .bit_size = 32);
	IS("low", numbers, .type = SP_NAMED, .size = 4, .bit_size = 32); // the sign is the enumerator's matter
	IS("mid", numbers, .type = SP_NAMED, .offset = 4, .size = 4, .bit_size = 32);
	IS("4", numbers, .type = SP_NAMED, .offset = 8, .size = 4, .bit_size = 32);
	IS("-2", numbers, .type = SP_NAMED, .flags = SP_FIELD_SIGNED, .offset = 12, .size = 4, .bit_size = 32);
	IS("4294967294", numbers, .type = SP_NAMED, .offset = 12, .size = 4, .bit_size = 32);
	IS("top", numbers, .type = SP_NAMED, .size = 4, .bit_size = 32, .more = 2);
	IS("3", numbers, .type = SP_NAMED, .offset = 4, .size = 4, .bit_size = 32, .more = 2);
}

static void test_conditions(void)
{
	static const struct sp_name names[] = { { 7, 0, 1 }, { -1, 0, 0 } };
	const struct bundle bundle = { .strings = "", .names = names, .n_names = 2 };
	const uint8_t bytes[] = { 7, 255, 0 };
	struct sp_field field = { .type = SP_WHEN, .size = 1, .bit_size = 8 };

	for (field.type = SP_WHEN; field.type <= SP_UNLESS; field.type++)
		for (field.offset = 0; field.offset < 3; field.offset++)
			EXPECT_NUM(format_value_is_shown(&bundle, &field, bytes), (field.offset < 2) == (field.type == SP_WHEN));
}

static void test_floats(void)
{
	const double twice[] = { 0.1, -1e300, 1.0 / 3, 0, 100000 };
	const float single[] = { 0.1f, 16777216, 1e-45f };

	IS("0.1", twice, .type = SP_FLOAT, .size = 8);
	IS("-1e+300", twice, .type = SP_FLOAT, .size = 8, .offset = 8);
	IS("0.3333333333333333", twice, .type = SP_FLOAT, .size = 8, .offset = 16);
	IS("0", twice, .type = SP_FLOAT, .size = 8, .offset = 24);
	IS("100000", twice, .type = SP_FLOAT, .size = 8, .offset = 32);
	IS("0.1", single, .type = SP_FLOAT, .size = 4);
	IS("16777216", single, .type = SP_FLOAT, .size = 4, .offset = 4);
	IS("1.4013e-45", single, .type = SP_FLOAT, .size = 4, .offset = 8);
}

static void test_wide(void)
{
	const unsigned __int128 numbers[] = { 0, -(unsigned __int128)1, (unsigned __int128)1 << 127,
					      ((unsigned __int128)1 << 64) + 10 };
	const long double real[] = { 0.1L, -3.25L };

	IS("0", numbers, .type = SP_WIDE, .size = 16, .more = 10);
	IS("-1", numbers, .type = SP_WIDE, .flags = SP_FIELD_SIGNED, .size = 16, .offset = 16, .more = 10);
	IS("340282366920938463463374607431768211455", numbers, .type = SP_WIDE, .size = 16, .offset = 16, .more = 10);
	IS("-170141183460469231731687303715884105728", numbers, .type = SP_WIDE, .flags = SP_FIELD_SIGNED, .size = 16,
	   .offset = 32, .more = 10);
	IS("0x1000000000000000a", numbers, .type = SP_WIDE, .size = 16, .offset = 48, .more = 16);
	IS("0.1", real, .type = SP_FLOAT, .size = sizeof(real[0]));
	IS("-3.25", real, .type = SP_FLOAT, .size = sizeof(real[0]), .offset = sizeof(real[0]));
}

static void test_texts(void)
{
	union {
		struct sp_captured head;
		char bytes[sizeof(struct sp_captured) + 8];
	} captured = { .head = { 0xabc, 4 } };

	IS("\"abc\"", "abc", .type = SP_QUOTED, .size = 3);
	IS("\"a\"", "a\0c", .type = SP_QUOTED, .size = 3);
	IS("\"\\n\\t\\\"\\\\\\001\\377'\"", "\n\t\"\\\001\377'", .type = SP_QUOTED, .size = 7);
	memcpy(captured.bytes + sizeof(captured.head), "one", 4);
	IS("\"one\"", &captured, .type = SP_CAPTURED, .size = sizeof(captured));
	memcpy(captured.bytes + sizeof(captured.head), "sevenchr", 8);
	captured.head.result = 8;
	IS("\"sevench\"...", &captured, .type = SP_CAPTURED, .size = sizeof(captured));
	captured.head.result = -14;
	IS("0xabc", &captured, .type = SP_CAPTURED, .size = sizeof(captured));
	IS("ERROR", &captured, .type = SP_VALUE, .size = sizeof(captured));
}

int main(void)
{
	test_bits();
	test_names();
	test_conditions();
	test_floats();
	test_wide();
	test_texts();
	return expect_status();
}
