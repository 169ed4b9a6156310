// SPDX-License-Identifier: GPL-2.0-or-later
/** What this process may still do is cut down to what it needs: whoever finds a way into it, by what it reads of the programs that
 *  are probed, finds little there. */
#ifndef SP_RUNTIME_SANDBOX_H
#define SP_RUNTIME_SANDBOX_H

#include "runtime/base/err.h"

#include <stdint.h>

/** More than everybody needs. */
enum sandbox_need {
	SANDBOX_ATTACH = 1, // attaches probes
	SANDBOX_TRACE = 2, // ptrace(2), and memory of others is written
	SANDBOX_WRITE = 4, // opens files to write to them
	SANDBOX_READ = 8, // processes, files and kernel symbols of others are looked at
	SANDBOX_KILL = 16, // ends processes of others
	SANDBOX_RAISE = 32, // its threads are not preempted for a while
	SANDBOX_REMOVE = 64, // removes files
	SANDBOX_SAMPLE = 128, // opens events of processors that come online
};

/** The calling thread gives up all capabilities but those that `needs` (enum sandbox_need) and maps of BPF take. */
void sandbox_drop_capabilities(unsigned needs);
/** From here on all threads may make a list of system calls only: no execve(2), no sockets; `needs` as above. The others fail with
 *  ENOSYS. */
struct sp_err *sandbox_filter(unsigned needs);

#endif
