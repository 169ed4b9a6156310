// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/session/web_page.h"

#include "runtime/session/web/page.inc" // made of the files there
