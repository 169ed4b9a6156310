# SPDX-License-Identifier: GPL-2.0-or-later
# --from-bpftrace: arrays of characters are texts there, and addresses here: compared, searched, as keys, assigned and printed.
. "$SUITE/lib.sh"
cat >texts.bt <<'END'
tracepoint:task:task_rename
/args->oldcomm == "sh" || "cat" != args.newcomm || strncmp(args->newcomm, "ba", 2) == 0/
{
	@by[args->oldcomm, args->pid] = count();
	@last = args->newcomm;
	$same = args->newcomm == str($1) && args->pid == 7;
	if (strcontains(args->newcomm, comm) && curtask->comm == comm && curtask->comm != curtask->parent->comm) {
		print(args->newcomm);
		delete(@by, args->oldcomm, 7);
		delete(@by[args->newcomm, 7]);
	}
	if (has_key(@by, args->newcomm, 1) && str(args->newcomm) == "x") { printf("%s %d\n", args->newcomm, $same); }
}
tracepoint:block:block_rq_issue { @kinds[args.rwbs] = count(); @sizes[args.bytes] = count(); }
END
expect 0 "$SPILE" --from-bpftrace texts.bt
cat out
