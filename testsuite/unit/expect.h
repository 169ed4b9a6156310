// SPDX-License-Identifier: GPL-2.0-or-later
/** Expectations of unit tests: each that is not met is printed with its place; main returns expect_status(). */
#ifndef SP_TEST_EXPECT_H
#define SP_TEST_EXPECT_H

#include "runtime/base/util.h"

#include <inttypes.h>
#include <stdio.h>

static int expect_failures;

#define EXPECT(ok)                                                                                 \
	do {                                                                                       \
		if (!(ok)) {                                                                       \
			expect_failures++;                                                         \
			printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #ok);                    \
		}                                                                                  \
	} while (0)

#define EXPECT_NUM(got, want) expect_num((got), (want), #got, __FILE__, __LINE__)
#define EXPECT_STR(got, want) expect_str((got), (want), #got, __FILE__, __LINE__)
/** `got` contains `part`. */
#define EXPECT_HAS(got, part) expect_has((got), (part), #got, __FILE__, __LINE__)

static SP_UNUSED void expect_num(int64_t got, int64_t want, const char *what, const char *file, int line)
{
	if (got == want)
		return;
	expect_failures++;
	printf("%s:%d: %s is %" PRId64 " (0x%" PRIx64 "), expected %" PRId64 " (0x%" PRIx64 ")\n", file, line, what, got,
	       (uint64_t)got, want, (uint64_t)want);
}

static SP_UNUSED void expect_str(const char *got, const char *want, const char *what, const char *file, int line)
{
	if (got && sp_streq(got, want))
		return;
	expect_failures++;
	printf("%s:%d: %s is\n\"%s\", expected\n\"%s\"\n", file, line, what, got ? got : "(null)", want);
}

static SP_UNUSED void expect_has(const char *got, const char *part, const char *what, const char *file, int line)
{
	if (got && strstr(got, part))
		return;
	expect_failures++;
	printf("%s:%d: %s is\n\"%s\", expected to contain\n\"%s\"\n", file, line, what, got ? got : "(null)", part);
}

static SP_UNUSED int expect_status(void)
{
	if (expect_failures)
		printf("%d failed\n", expect_failures);
	return expect_failures != 0;
}

#endif
