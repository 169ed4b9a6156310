# SPDX-License-Identifier: GPL-2.0-or-later
# A path of more parts than are followed does not look like one that begins at the root.
. "$SUITE/lib.sh"
deep=$(printf '/d%d' {1..45})
mkdir -p ".$deep"
probe='probe kernel.syscall("chdir").return { if (pid() == target()) println(fullpath_struct_path(task_cwd_path(task_current()))) }'
expect 0 "$SPILE" -c "sh -c 'cd .$deep'" -e "$probe"
printf '...%s\n' "$(printf '/d%d' {6..45})" | diff - out || fail "other parts"
expect 0 "$SPILE" -c "sh -c 'cd ./d1/d2'" -e "$probe"
echo "$(pwd -P)/d1/d2" | diff - out || fail "another path"
