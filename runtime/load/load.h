// SPDX-License-Identifier: GPL-2.0-or-later
/** The room of loading: from the bytes of a .spo to programs and maps in the kernel.
 *
 *  The problem. A bundle comes from a file that anybody may have written, was compiled for some kernel, perhaps not
 *  this one, and has to pass a verifier whose refusals name registers, not script lines.
 *
 *  The idea. Three steps, each on what the one before has established. bundle.c and bundle_check.c read and validate:
 *  after bundle_open() every index, offset and size can be trusted. fixup.c (with layout.c, which reads the kernel's
 *  BTF) computes the numbers that depend on this machine: slides, offsets, pids. code_elf.c reads the programs,
 *  code_link.c puts the functions that they call behind them, and load.c makes maps and programs of that; the slots are
 *  constants for the verifier then, which drops code that they make dead. If the verifier refuses, rejection.c
 *  finds the script line and says in words what is wrong.
 *
 *  The invariant. Programs, maps and the ring buffer live on file descriptors of this process, so they end with it,
 *  however that ends.
 *
 *  The limits. Attaching is the room attach/. A program for links of many kprobes is loaded a second time where few programs have
 *  kprobes, because the kernel ties a program to the kind of its link (load_prog_multi). */
#ifndef SP_RUNTIME_LOAD_H
#define SP_RUNTIME_LOAD_H

#include "runtime/base/log.h"
#include "runtime/load/bundle.h"

// Of Linux 6.4, and so not in the headers of others.
#define LOAD_NETFILTER 32 // BPF_PROG_TYPE_NETFILTER
#define LOAD_AT_NETFILTER 45 // BPF_NETFILTER

struct load;
struct layout;

struct load_input {
	const struct bundle *bundle;
	const struct sp_log *log;
	const bool *prog_wanted; // which of bundle->progs are to run in the kernel
	const void *data; // initial spile_data
	const uint64_t *slots;
	unsigned n_family; // entries of SP_MAP_FAMILY; 0: it is not used
	struct layout *layout;
};

/** SP_ERR_PRIVILEGE when the kernel does not take programs (from us); SP_ERR_BUG, with the script's line and the cause
 *  in its text, when the verifier rejects one. */
struct sp_err *load_create(const struct load_input *input, struct load **ret);
void load_destroy(struct load *load);

/** Is the program in the kernel? Not when it was not wanted, or is optional and was refused. */
bool load_has_prog(const struct load *load, unsigned prog);
/** The program's descriptor, for a link of one probe. */
struct sp_err *load_prog(struct load *load, unsigned prog, int *fd_ret);
/** That descriptor; -1 when it was never asked for. */
int load_prog_fd(const struct load *load, unsigned prog);
/** A descriptor of the same program for links of many probes, which take only programs that were loaded for them. What is
 *  not loaded yet is loaded when it is first asked for. `attach_type`: the kernel's number for the kind of link; one program
 *  is for one kind. */
struct sp_err *load_prog_multi(struct load *load, unsigned prog, int attach_type, int *fd_ret);
/** Does the kernel take uprobes as links of many? So each of them is loaded: such links are closed in half the time, for which the
 *  kernel waits, and beside each other, where links of one probe wait for one another. */
bool load_has_uprobe_multi(struct load *load);
/** Are there so many handlers of kprobes (SP_PROG_SHARES) that they share a link, which the kernel has to know? */
bool load_shares_link(const struct load *load);
/** That descriptor; -1 when it was never asked for, or could not be loaded. */
int load_prog_multi_fd(const struct load *load, unsigned prog);
/** spile_data, shared with the kernel. */
void *load_data(const struct load *load);
/** The kernel's maps of an array of the script: its own, SP_MAP_OWN, SP_MAP_SHORT. */
enum load_array_map { LOAD_ARRAY, LOAD_OWN, LOAD_SHORT, LOAD_ARRAY_MAPS };
/** That of each of bundle->maps; -1 where there is none. */
const int *load_array_fds(const struct load *load, enum load_array_map which);
/** The map of that name; -1 when the programs have none. */
int load_map(const struct load *load, const char *name);
/** SP_ORDER_PROGRAM; -1 when there is none. */
int load_order_fd(const struct load *load);

#endif
