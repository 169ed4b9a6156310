# SPDX-License-Identifier: GPL-2.0-or-later
# The control group of a task: its number, name and path, and the container that it is.
. "$SUITE/lib.sh"
mkdir -p top
trap "umount -l top" EXIT
mount -t cgroup2 none top || fail "no control groups"
digits=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
box=top/some.slice/docker-$digits.scope
mkdir -p "$box/inner"
ln -s "$(command -v sleep)" cgroup_sleep # other cases sleep, too
cat >script.stp <<'E2'
probe kernel.trace("sys_enter") { if (execname() == "cgroup_sleep" && !seen++)
  printf("%d\n%s\n%s\n<%s>\n", cgroup_id(), cgroup_name(), cgroup_path(), container_id()) }
global seen
E2
run_in() # FOLDER
{
	expect 0 "$SPILE" -c "sh -c 'echo \$\$ >$1/cgroup.procs; exec ./cgroup_sleep 0.1'" script.stp
	is "$(stat -c %i "$1")
$2"
}
run_in "$PWD/$box" "docker-$digits.scope
/some.slice/docker-$digits.scope
<${digits:0:12}>"
run_in "$PWD/$box/inner" "inner
/some.slice/docker-$digits.scope/inner
<${digits:0:12}>"
run_in "$PWD/top" '
/
<>'
