// SPDX-License-Identifier: GPL-2.0-or-later
// The description of this machine has the form that the compiler reads, and is true where that can be checked.
#include "runtime/abi/target.h"
#include "runtime/include/spilert.h"
#include "runtime/machine/target.h"

#include "expect.h"

#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

static void check_text(int kernel)
{
	char *text = spilert_describe(kernel), want[256];
	struct utsname uts;

	uname(&uts);
	EXPECT(sp_starts_with(text, SP_TARGET_MAGIC " 1\n"));
	snprintf(want, sizeof(want), "\narch %s\n", uts.machine);
	EXPECT_HAS(text, want);
	snprintf(want, sizeof(want), "\nrelease %s\n", uts.release);
	EXPECT_HAS(text, want);
	snprintf(want, sizeof(want), "\ncpus %ld\n", sysconf(_SC_NPROCESSORS_CONF));
	EXPECT_HAS(text, want);
	EXPECT_HAS(text, "\nfeatures");
	EXPECT(text[strlen(text) - 1] == '\n');
	free(text);
}

int main(void)
{
	uint64_t cheap = target_features(false), all = target_features(true);

	check_text(0);
	check_text(1);
	// What needs no privileges is in both, and nothing more is in the cheap one.
	EXPECT_NUM((int64_t)(cheap & all), (int64_t)cheap);
	EXPECT(!(cheap & ~(UINT64_C(1) << SP_FEATURE_PTRACE | UINT64_C(1) << SP_FEATURE_BTF)));
#if defined(__x86_64__)
	EXPECT(cheap >> SP_FEATURE_PTRACE & 1);
#endif
	// No feature of BPF without BPF.
	if (!(all >> SP_FEATURE_BPF & 1))
		EXPECT_NUM((int64_t)all, (int64_t)cheap);
	return expect_status();
}
