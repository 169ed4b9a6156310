# SPDX-License-Identifier: GPL-2.0-or-later
# For the cases that run scripts of examples/: `. "$SUITE/examples.sh"`, behind lib.sh.

# example COMMAND NAME ARGUMENT...: the example of that name while COMMAND runs. What it prints is looked at by number, has and
# prints: where this is not as it should be, the example runs again, up to 5 times in all, since other load changes times and counts
# (a program that is new on the disk waits for each of its pages).
example()
{
	example=("$@") tries=5
	run_example
}

# run_example: a loss is said (who probes locks probes those of maps too, and a processor of a virtual machine may be stopped
# while it has one), and what was printed is then too little. So is a stack of somebody else that is deeper than a string.
run_example()
{
	while
		expect 0 timeout 120 "$SPILE" -c "${example[0]}" "${example[@]:1}"
		tries=$((tries - 1))
		[ $tries -gt 0 ] && grep -qE '^WARNING: .*(skipped probes|lost|cut)' err
	do
		:
	done
	quiet
}

# holds COMMAND...: whether it succeeds, if need be after the example has run again.
holds()
{
	until "$@"; do
		[ ${tries:-0} -gt 0 ] || return 1
		run_example
	done
}

# known_python NAME: Python is the program NAME, whose events are told from those of other cases' by that.
known_python()
{
	mkdir bin
	ln -s "$(readlink -f /usr/bin/python3)" "bin/$1"
	PATH=$PWD/bin:$PATH
}

# number AWK: 1 is what this program prints of the output.
number() { holds number_is "$1" || fail "not so: $1"; }
number_is() { [ "$(awk "$1" out)" = 1 ]; }

# known_disk: goes to a new ext4 in memory; $loop is its device, $disk the name of that. $write and $read are programs for 40 pages.
known_disk()
{
	command -v mkfs.ext4 >/dev/null || skip "there is no mkfs.ext4"
	modprobe loop || skip "there is no module loop"
	local image=/dev/shm/image.$$ folder=/mnt/known.$$ # another case may have such a disk at the same time
	truncate -s 32M $image
	mkfs.ext4 -q $image
	loop=$(losetup --find --show $image)
	disk=${loop#/dev/}
	mkdir $folder
	mount "$loop" $folder || fail "no ext4"
	cd $folder || exit 1
	write="dd if=/dev/zero of=known_file bs=4096 count=40 conv=fsync status=none"
	read="dd if=known_file of=/dev/null bs=4096 count=40 status=none"
}

# has N REGEX: stdout has exactly N lines that match.
has() { holds has_lines "$@" || fail "$(grep -cE -- "$2" out) lines, expected $1: $2"; }
has_lines() { [ "$(grep -cE -- "$2" out)" = "$1" ]; }

# prints REGEX: a line of stdout matches.
prints() { holds grep -qE -- "$1" out || fail "not printed: $1"; }

# compile_examples each|turns PASSES AREA...: the scripts of these areas compile as the comment at their top says that they are
# called, for each kernel that there is debug information of; turns: for one of these kernels after the other. README.md there has
# a line for each script.
compile_examples()
{
	local how=$1 passes=$2 area script name usage line kernel kernels readme n=0
	readarray -t kernels < <(ls /usr/lib/debug/boot 2>/dev/null | sed -n 's/^vmlinux-//p')
	[ ${#kernels[@]} -gt 0 ] || skip "no kernel's debug information in /usr/lib/debug/boot"
	readme=$(cat "$TOP/examples/README.md")
	for area in "${@:3}"; do
		for script in "$TOP/examples/$area"/*.stp; do
			name=${script#"$TOP"/examples/}
			[[ $readme == *"($name)"* ]] || fail "examples/README.md does not have $name"
			usage=
			while [ -z "$usage" ] && read -r line; do
				[[ $line != "//   spile "* ]] || usage=${line#//   spile }
			done <"$script"
			[ -n "$usage" ] || fail "$name does not say how it is called"
			[[ ! $usage =~ \ \[[A-Z]+\]$ ]] || usage=${usage% *}
			usage=${usage/${name##*/}/\"\$script\"}
			[[ $passes != *-p4* || ! $usage =~ -T\ [0-9]+\  ]] || usage=${usage/"${BASH_REMATCH[0]}"/} # a compiled script does not keep it
			n=$((n + 1))
			for kernel in "${kernels[@]}"; do
				[ "$how" = each ] || [ "$kernel" = "${kernels[n % ${#kernels[@]}]}" ] || continue
				eval "expect 0 \"\$SPILE\" -r \"\$kernel\" $passes $usage"
				quiet
			done
		done
	done
}
