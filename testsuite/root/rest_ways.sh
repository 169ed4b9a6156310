# SPDX-License-Identifier: GPL-2.0-or-later
# The rest of a handler reads what the one in the kernel has put into its record. That an address was not found on the way there is an error
# of the rest: where that does not come to it, or catches it, there is none.
. "$SUITE/lib.sh"
cat >ways.c <<'C'
struct node { struct node *next; char name[8]; enum { RED, GREEN } color; } nodes[] = { { nodes + 1, "a", RED }, { 0, "b", GREEN } };
__attribute__((noipa)) int work(struct node *list) { return (long)list > 8 ? list->color : 1; }
int main(void) { nodes[0].color = RED; return work(nodes) + work(nodes + 1) + work((struct node *)8) + work(0) == 4; }
C
${CC:-gcc} -g -O1 -o ways ways.c || fail "compile"
cat >ways.stp <<'S'
global kept
probe process(@1).function("work") {
	kept = usymname($list)
	if ($list > 8 && $list->next && $list->next->name$ == "\"b\"")
		print("b ")
	try { color = $list->next->color$ } catch { color = "caught" }
	try { text = user_string($list->next->name, "fallen back") } catch { text = "caught too" }
	try { deep = user_string(8, user_string($list->next->name)) } catch { deep = "caught three" }
	println(color, ", ", text, ", ", deep)
}
probe end { println(kept == "" ? "" : "end") }
S
for engine in user kernel; do
	expect 0 "$SPILE" --engine=$engine -c ./ways ways.stp "$TMP/ways"
	is 'b GREEN, b, b
ERROR, fallen back, caught three
caught, caught too, caught three
caught, caught too, caught three
end'
done
