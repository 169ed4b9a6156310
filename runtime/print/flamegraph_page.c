// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/print/flamegraph_page.h"

const char flamegraph_style[] =
	"text{font:12px 'DejaVu Sans',Verdana,sans-serif;fill:#222}"
	"#back{fill:#fbfaf7}"
	"#title{font-size:17px;font-weight:600;text-anchor:middle}"
	".c{cursor:pointer;fill:#555}.c:hover{fill:#000;text-decoration:underline}"
	".e{text-anchor:end} #details,#matched{fill:#555}"
	".f{cursor:pointer}.f text{pointer-events:none;font-size:11px}"
	".f:hover rect{stroke:#222}"
	".f.up rect{opacity:.45}.f.hit rect{fill:#b04fd0}.f.hit text{fill:#fff}";

#include "runtime/print/flamegraph_script.inc" // made of flamegraph.js
