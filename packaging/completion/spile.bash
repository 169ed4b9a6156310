# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for spile and spile-run: options, probe points, functions, examples, commands.

# _spile_script PREFIX TEXT: completes the last word of a script, behind PREFIX, which is no part of what is typed.
_spile_script()
{
	local line
	while read -r line; do
		COMPREPLY+=("${line#"$1"}")
	done < <(spile complete script "$1$2" 2>/dev/null)
	compopt -o nospace -o nosort 2>/dev/null
}

_spile()
{
	local word=$2 previous=$3 first=${COMP_WORDS[1]-}
	COMPREPLY=()
	case $previous in
	-l | -L) _spile_script 'probe ' "$word"; return ;;
	-e | -E) _spile_script '' "$word"; return ;;
	-x) COMPREPLY=($(compgen -W "$(cd /proc && echo [0-9]*)" -- "$word")); return ;;
	-r | --for) COMPREPLY=($(compgen -f -- "$word") $(compgen -W "$(ls /lib/modules 2>/dev/null)" -- "$word")); return ;;
	-c) COMPREPLY=($(compgen -c -- "$word")); return ;;
	-o | -I | --target | --in | --source | --flamegraph | --plot | --perf-data) COMPREPLY=($(compgen -f -- "$word")); return ;;
	--example) COMPREPLY=($(compgen -W "$(_spile_examples)" -- "$word")); return ;;
	esac
	case $first in
	cache)
		[ "$COMP_CWORD" != 2 ] || COMPREPLY=($(compgen -W 'add export import import-perf list show verify prune clear' -- "$word"))
		return ;;
	pack)
		if [ "$COMP_CWORD" = 2 ]; then
			COMPREPLY=($(compgen -W 'show sign verify' -- "$word"))
		else
			COMPREPLY=($(compgen -f -- "$word"))
		fi
		return ;;
	esac
	case $word in
	-*)
		COMPREPLY=($(compgen -W "$(spile complete options)" -- "$word"))
		[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
		return ;;
	esac
	COMPREPLY=($(compgen -f -- "$word"))
	[ "$COMP_CWORD" != 1 ] || COMPREPLY+=($(compgen -W "cache check pack $(_spile_examples)" -- "$word"))
}

_spile_examples() { spile --examples | sed -n 's/^  \([a-z0-9_-]*\) .*/\1/p'; }

_spile_run()
{
	local word=$2
	case $3 in
	-x) COMPREPLY=($(compgen -W "$(cd /proc && echo [0-9]*)" -- "$word")); return ;;
	-c) COMPREPLY=($(compgen -c -- "$word")); return ;;
	esac
	case $word in
	-*) COMPREPLY=($(compgen -W "$(spile-run --help | sed -n 's/^  \(-[A-Za-z-]*\).*/\1/p; s/^  .*, \(--[a-z-]*\).*/\1/p')" -- "$word")) ;;
	*) COMPREPLY=($(compgen -f -- "$word")) ;;
	esac
}

complete -o filenames -F _spile spile
complete -o filenames -F _spile_run spile-run
