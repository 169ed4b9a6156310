# SPDX-License-Identifier: GPL-2.0-or-later
# The case of the same name in cli, for some of the directives, by handlers in the kernel.
ENGINE=kernel STEP=13 POINT="process(\"$BUILD/testsuite/progs/once\").function(\"tick\")" . "$SUITE/cli/directives.sh"
