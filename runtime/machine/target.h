// SPDX-License-Identifier: GPL-2.0-or-later
/** The room of the machine: what this kernel and this process can do, and where things are here.
 *
 *  The problem. Neither a version number nor a configuration file tells what a kernel can do: distributions patch,
 *  containers and lockdown forbid, processors differ.
 *
 *  The idea. Ask by trying. Each feature is a program or a map that is loaded, and if need be attached, for real, and
 *  closed again (target.c). privilege.c says what would help when the kernel refuses; image.c reads addresses,
 *  build-ids and mappings from /proc, /sys and ELF files; tracefs.c numbers and fields of tracepoints.
 *
 *  The invariant. Nothing of a trial stays: all is on descriptors that are closed at once. The description is text
 *  (spilert_describe, abi/target.h) that a compiler on another machine can use; it never asks the machine again.
 *
 *  The limits. A description without privileges has only the features that can be tried without them. */
#ifndef SP_RUNTIME_TARGET_H
#define SP_RUNTIME_TARGET_H

#include "runtime/abi/target.h"

#include <stdbool.h>
#include <stdint.h>

/** Bits of enum sp_feature. `kernel` false: only what needs no privileges. */
uint64_t target_features(bool kernel);
/** Those of `features` that this kernel does not have. */
uint64_t target_lacks(uint64_t features);
/** "fentry" */
const char *target_feature_name(enum sp_feature feature);
/** Until Linux 5.12 a trampoline runs its program in itself: a handler that calls what it probes ends the kernel. */
bool target_guards_trampolines(void);
/** SP_FEATURE_SLEEPABLE_UPROBE */
bool target_lets_uprobes_sleep(void);

#define TARGET_UPROBE_MULTI 48 // BPF_TRACE_UPROBE_MULTI, of Linux 6.6
/** union bpf_attr of BPF_LINK_CREATE for links of many uprobes, which the headers of older systems do not have. */
struct target_uprobe_multi {
	uint32_t prog_fd, target_fd, attach_type, link_flags;
	uint64_t path, offsets, ref_ctr_offsets, cookies;
	uint32_t count, flags, pid, reserved;
};
/** SP_FEATURE_UPROBE_MULTI */
bool target_has_uprobe_multi(void);

#endif
