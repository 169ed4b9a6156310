// SPDX-License-Identifier: GPL-2.0-or-later
/** Structures and functions of the running kernel as its BTF has them, for scripts that were compiled for another
 *  one. */
#ifndef SP_RUNTIME_LAYOUT_H
#define SP_RUNTIME_LAYOUT_H

#include "runtime/base/err.h"

/** Zeroed: not loaded yet. Loading takes milliseconds, so one is made for all that a session asks until its probes are attached. */
struct layout {
	struct btf *btf;
};

void layout_deinit(struct layout *layout);
/** Of a type of the running kernel; kind: BTF_KIND_.... Negative: it has none of that name, or no types. */
int layout_find(struct layout *layout, const char *name, unsigned kind);
/** "struct file.f_inode:8:32" (SP_FIX_MEMBER): the member's offset here. SP_ERR_TARGET when it is not there, is a
 *  bit-field or has another size. "struct file.:0:232": the structure's size. */
struct sp_err *layout_member(struct layout *layout, const char *text, uint64_t *ret);
/** "struct sock.sk_protocol:8:4224" (SP_FIX_BITS): the first bit here. SP_ERR_TARGET when it is none of so many
 *  bits. */
struct sp_err *layout_bits(struct layout *layout, const char *text, uint64_t *ret);
/** The number at the end of such a text: the answer of the kernel that the script was compiled for. */
struct sp_err *layout_then(const char *text, uint64_t *ret);
/** "struct trace_event_raw_sched_switch.next_pid:4:56" (SP_FIX_SAME_PLACE). SP_ERR_TARGET when the member is elsewhere
 *  here, or as for layout_member(). */
struct sp_err *layout_same_place(struct layout *layout, const char *text);
/** "vfs_read(file,buf,count,pos)" (SP_FIX_PROTOTYPE). SP_ERR_TARGET when the function has other parameters here. */
struct sp_err *layout_prototype(struct layout *layout, const char *text);
/** What a program with the types of a tracepoint ("sched_process_fork") is attached to. SP_ERR_TARGET when the kernel has none of
 *  that name, or no types of them (Linux 5.5). */
struct sp_err *layout_tracepoint(struct layout *layout, const char *name, uint32_t *id_ret);

#endif
