# SPDX-License-Identifier: GPL-2.0-or-later
# With hardly any file descriptors the kernel's engine says that these are missing, not privileges or something of the kernel; or it works.
. "$SUITE/lib.sh"
cp "$PROGS/calls" calls
"$SPILE" -p4 -o calls.spo -e "global n probe process(\"./calls\").function(\"add\") { n++ } probe end { println(n) }" || fail "-p4"
for files in 8 9 10 11 12 13 14 15 16 17 18 20 40; do
	bash -c "ulimit -n $files; exec '$SPILE_RUN' --engine=kernel -c './calls 3' calls.spo" >out 2>err
	status=$?
	if [ $status = 1 ]; then
		says ': Too many open files$'
		! grep -qE 'takes root|CAP_|this kernel' err || fail "$files: another reason is told"
		[ $files -lt 20 ] || fail "$files are too few"
	else
		[ $status = 0 ] || fail "$files: status $status: $(cat err)"
		is 3
		quiet
	fi
done
