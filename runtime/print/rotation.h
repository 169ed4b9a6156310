// SPDX-License-Identifier: GPL-2.0-or-later
/** Output in several files, as SystemTap's -S has them: NAME.0, NAME.1 and so on. A file that has reached its size is followed by the
 *  next one, at the end of a line; of more than `keep` files the oldest is removed. In the name, %Y and the like are replaced as by
 *  strftime(3), for each file when it begins. */
#ifndef SP_RUNTIME_ROTATION_H
#define SP_RUNTIME_ROTATION_H

#include "runtime/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rotation;

/** Opens the first file. `most`: bytes of a file; `keep`: files, 0: all. */
struct sp_err *rotation_start(const char *name, uint64_t most, unsigned keep, struct rotation **ret);
/** NULL is fine. */
void rotation_end(struct rotation *rotation);
int rotation_fd(const struct rotation *rotation);
/** How many of these bytes go to this file; 0: the next one has to be begun. They may be written in parts; rotation_wrote() counts. */
size_t rotation_room(const struct rotation *rotation, const char *text, size_t len);
void rotation_wrote(struct rotation *rotation, size_t len);
/** Begins the next file. After an error the old one goes on. */
struct sp_err *rotation_switch(struct rotation *rotation);

#endif
