// SPDX-License-Identifier: GPL-2.0-or-later
/** What may run only when it is signed: the caller's wish, and the rule of the machine's operator, which no caller and no environment
 *  can change. */
#ifndef SP_RUNTIME_SIGNED_H
#define SP_RUNTIME_SIGNED_H

#include "runtime/base/err.h"
#include "runtime/base/log.h"

/** Public keys, one a line. When the file is there, a compiled script must be signed with one of them. It must belong to root, and
 *  nobody else may be able to write to it. */
#define SIGNED_RULE "/etc/spile/require-signature"

/** May the file `path`, of which `bytes` were read, run? The signature is in the file beside it. `keys` is a public key or a file of
 *  them, NULL: the caller does not ask for a signature. */
struct sp_err *signed_check(const char *path, const void *bytes, size_t size, const char *keys, const struct sp_log *log);

#endif
