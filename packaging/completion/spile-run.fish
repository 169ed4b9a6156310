# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion for spile-run: options and files.
function __spile_run_options
	spile-run --help | string match -rg '^  (-[A-Za-z-]+)'
	spile-run --help | string match -rg '^  .*, (--[a-z-]+)'
end
complete -c spile-run -n 'string match -q -- "-*" (commandline -ct)' -a '(__spile_run_options)'
complete -c spile-run -s x -xa '(__fish_complete_pids)' -d 'target process'
