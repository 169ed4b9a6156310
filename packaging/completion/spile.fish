# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion for spile: options, probe points, functions, examples, commands.
function __spile_script --argument-names prefix
	set -l text (commandline -ct | string unescape 2>/dev/null; or commandline -ct | string trim -c "'\"")
	spile complete script "$prefix$text" 2>/dev/null | string replace -- "$prefix" ""
end
function __spile_examples
	spile --examples | string match -rg '^  ([a-z0-9_-]+) '
end
complete -c spile -n 'test (count (commandline -opc)) = 1' -a 'cache check pack' -d command
complete -c spile -n 'test (count (commandline -opc)) = 1' -a '(__spile_examples)' -d example
complete -c spile -n '__fish_seen_subcommand_from cache' -xa 'add export import import-perf list show verify prune clear'
complete -c spile -n '__fish_seen_subcommand_from pack' -a 'show sign verify'
complete -c spile -n 'string match -q -- "-*" (commandline -ct)' -a '(spile complete options)'
complete -c spile -s l -xa '(__spile_script "probe ")' -d 'list probe points'
complete -c spile -s L -xa '(__spile_script "probe ")' -d 'list probe points with variables'
complete -c spile -s e -xa '(__spile_script "")' -d script
complete -c spile -s x -xa '(__fish_complete_pids)' -d 'target process'
