// SPDX-License-Identifier: GPL-2.0-or-later
// What the verifier's log says, in words: logs as Linux 5.10 to 6.18 write them, cut to what matters.
#include "runtime/load/rejection.h"

#include "expect.h"

static void expect_rejection(const char *log, int insn, const char *reason, const char *plain)
{
	struct rejection got;
	char text[256];

	rejection_parse(log, &got);
	EXPECT_NUM(got.insn, insn);
	EXPECT_NUM(got.is_told, *log && strncmp(log, "processed ", 10) != 0);
	snprintf(text, sizeof(text), "%.*s", (int)got.reason_len, got.reason);
	EXPECT_STR(text, reason);
	EXPECT_STR(got.plain ? got.plain : "", plain);
	EXPECT_NUM(got.is_refused, strstr(plain, "locked down") != NULL);
}

int main(void)
{
	expect_rejection("func#0 @0\n"
			 "0: R1=ctx(off=0,imm=0) R10=fp0\n"
			 "; probe kernel.function(\"f\") {\n"
			 "0: (b7) r1 = 5                        ; R1_w=5\n"
			 "; x = $p->q\n"
			 "7: (79) r0 = *(u64 *)(r1 +8)\n"
			 "R1 invalid mem access 'scalar'\n"
			 "processed 8 insns (limit 1000000) max_states_per_insn 0 total_states 0 peak_states 0 mark_read 0\n",
			 7, "R1 invalid mem access 'scalar'", "a number is used as an address");
	// 6.8 and later say where the line is.
	expect_rejection("; a[i]++ @ script.stp:12\n"
			 "3: (0f) r1 += r2                      ; R1_w=map_value(map=x,ks=4,vs=8)\n"
			 "4: (61) r0 = *(u32 *)(r1 +0)\n"
			 "R1 unbounded memory access, make sure to bounds check any such access\n"
			 "verification time 25 usec\n"
			 "stack depth 8\n"
			 "processed 5 insns (limit 1000000) max_states_per_insn 0 total_states 0 peak_states 0 mark_read 0\n",
			 4, "R1 unbounded memory access, make sure to bounds check any such access",
			 "an index or a length has no upper bound that the verifier can see");
	expect_rejection("0: (85) call unknown#181\n"
			 "invalid func unknown#181\n", 0, "invalid func unknown#181",
			 "this kernel does not have a helper that the program calls");
	expect_rejection("45: (85) call bpf_probe_write_user#36\n"
			 "program of this type cannot use helper bpf_probe_write_user#36\n", 45,
			 "program of this type cannot use helper bpf_probe_write_user#36",
			 "this kernel is locked down, and lets nobody write to programs (--engine=user does)");
	expect_rejection("9: (85) call unknown#115\n"
			 "unknown func bpf_probe_read_kernel_str#115\n", 9, "unknown func bpf_probe_read_kernel_str#115",
			 "this kernel is locked down, and lets no probe read its memory");
	expect_rejection("9: (85) call bpf_probe_read_kernel#113\n"
			 "program of this type cannot use helper bpf_probe_read_kernel#113\n", 9,
			 "program of this type cannot use helper bpf_probe_read_kernel#113",
			 "this kernel is locked down, and lets no probe read its memory");
	expect_rejection("from 9 to 3: R0=0 R10=fp0\n"
			 "3: (05) goto pc-1\n"
			 "BPF program is too large. Processed 1000001 insn\n"
			 "processed 1000001 insns (limit 1000000) max_states_per_insn 4 total_states 1 peak_states 1 mark_read 1\n",
			 3, "BPF program is too large. Processed 1000001 insn",
			 "there are too many paths through the program");
	expect_rejection("16: (57) r0 &= 7                      ; R0=scalar()\n"
			 "17: (4f) r2 |= r0\n"
			 "R2 bitwise operator |= on pointer prohibited\n"
			 "processed 17 insns (limit 1000000) max_states_per_insn 0 total_states 0 peak_states 0 mark_read 0\n",
			 17, "R2 bitwise operator |= on pointer prohibited", "there is arithmetic on a pointer that may not be moved");
	expect_rejection("back-edge from insn 5 to 2\n", -1, "back-edge from insn 5 to 2", "this kernel takes no loops");
	expect_rejection("", -1, "", "");
	// Refused before the verifier looked at it (6.18, which logs nevertheless).
	expect_rejection("processed 0 insns (limit 1000000) max_states_per_insn 0 total_states 0 peak_states 0 mark_read 0\n", -1, "", "");
	expect_rejection("\n\n: (\n12:\n99999999999999999999: (", -1, "99999999999999999999: (", "");
	return expect_status();
}
