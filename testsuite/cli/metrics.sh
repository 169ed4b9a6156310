# SPDX-License-Identifier: GPL-2.0-or-later
# What a script offers in its files: probe prometheus with the macros of one to eight keys, and JSON, whose values a parser must find.
. "$SUITE/lib.sh"
trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT
mkdir run
chmod 700 run
export XDG_RUNTIME_DIR=$TMP/run
cat >metrics.stp <<'S'
global reads, errors, moves, deep
probe begin {
	reads["a\"b\\c\nd"] = 7; reads["x"] = -3
	errors[2] = 5
	moves["sda", 1] = 10
	deep[1, 2, 3, 4, 5, 6, 7, 8] = 9
}
function twice(n) { return 2 * n }
function bare(n) { return sprintf("'%d'", n) }
probe prometheus { @prometheus_dump_array1(reads, "reads", "file") }
probe prometheus {
	@prometheus_dump_array1_map(errors, "errors", "error", twice, errno_str)
	@prometheus_dump_array1_map_unquoted(errors, "bare", "error", sprint, bare)
	@prometheus_dump_array8(deep, "deep", "a", "b", "c", "d", "e", "f", "g", "h")
}
probe prometheus { @prometheus_dump_array2(moves, "moves", "disk", "cpu") }
probe begin {
	json_set_prefix("mine")
	json_add_numeric_metric("total", "all \"of\" it", "bytes")
	json_add_string_metric("last", "")
	json_add_array("disk", "disks")
	json_add_array_numeric_metric("disk", "reads", "", "count")
	json_add_array_string_metric("disk", "state", "")
	json_add_array("none", "")
	try { json_add_array("none", "") } catch (why) { println(why) }
	try { json_add_array_string_metric("other", "x", "") } catch (why) { println(why) }
}
probe json_data {
	@json_output_data_start
	@json_output_numeric_value("total", -12)
	foreach (key+ in errors) {
		@json_output_array_numeric_value("disk", sprint(key), "reads", errors[key])
		@json_output_array_string_value("disk", sprint(key), "state", "idle")
	}
	@json_output_array_string_value("disk", "x\\", "state", "\033\"")
	@json_output_string_value("last", "tab\there")
	@json_output_data_end
}
probe procfs("twice").read {
	__json_start() __json_open("a", "1", "x") __json_open("", "", "b")
	try { __json_open("a", "2", "x") } catch (why) { $value = why }
}
probe procfs("end").write { exit() }
S
files=$TMP/run/spile/metrics
timeout 60 "$SPILE" metrics.stp >script.out 2>script.err &
is_there() { [ -e "$files/prometheus" ]; }
wait_for 30 is_there
expect 0 timeout 20 cat "$files/prometheus"
sort out >sorted
cat >wanted <<'W'
bare{error='2'} 5
deep{a="1",b="2",c="3",d="4",e="5",f="6",g="7",h="8"} 9
errors{error="ENOENT"} 10
moves{disk="sda",cpu="1"} 10
reads{file="a\"b\\c\nd"} 7
reads{file="x"} -3
W
LC_ALL=C sort out | diff wanted - >differ || { cat differ; fail "not the metrics"; }
expect 0 timeout 20 cat "$files/data.json"
cp out data.json
is '{
"total":-12,
"disk":[
  {"__id":"2","reads":5,"state":"idle"},
  {"__id":"x\\","state":"\u001b\""}],
"last":"tab\u0009here"
}'
expect 0 timeout 20 cat "$files/metadata.json"
cp out metadata.json
is '{"prefix":"mine","metrics":[
{"name":"total","pointer":"/total","type":"integer","description":"all \"of\" it","units":"bytes"},
{"name":"last","pointer":"/last","type":"string"},
{"name":"disk","pointer":"/disk","type":"array","description":"disks","index":"/__id","metrics":[
  {"name":"reads","pointer":"/reads","type":"integer","units":"count"},
  {"name":"state","pointer":"/state","type":"string"}]},
{"name":"none","pointer":"/none","type":"array","index":"/__id","metrics":[]}]}'
for FILE in data metadata; do
	/usr/bin/python3 -c 'import json, sys; json.load(open(sys.argv[1]))' $FILE.json || fail "$FILE.json is no JSON"
done
expect 0 timeout 20 cat "$files/twice"
is 'what the array "a" has does not stand together in JSON'"'"'s output'
echo >"$files/end"
wait
[ "$(cat script.out)" = 'JSON has the array "none" already
there is no array "other" for JSON: call json_add_array() first' ] || fail "$(cat script.out)"
