# SPDX-License-Identifier: GPL-2.0-or-later
# The text of a value is made where the script asks for it: not before a condition, in each round, and behind what stands before it.
. "$SUITE/lib.sh"
cat >list.c <<'C'
struct node { struct node *next; char name[8]; enum { RED, GREEN, BLUE } color; char *text; } nodes[] = {
	{ nodes + 1, "a", RED, "one" }, { nodes + 2, "b", GREEN, "two" }, { 0, "c", BLUE, "three" }
};
__attribute__((noipa)) int work(struct node *list) { return list ? list->text[0] : 0; }
int main(void) { return !(work(nodes) + work(0)); }
C
gcc -g -O1 -o list list.c || fail "gcc"
cat >x.stp <<'EOF'
@define node(p) %( @cast(@p, "struct node", "./list") %)
probe process("./list").function("work") {
	for (p = $list; p && sprint(@node(p)->name$) != "\"c\""; p = @node(p)->next)
		print(@node(p)->name$)
	for (p = $list; p && sprintf("%s", @node(p)->color$) != "BLUE"; p = @node(p)->next)
		print(" ", @node(p)->color$)
	println($list ? sprintf(" <%s>", $list->next->text$) : "none")
	if ($list) {
		printf("%d %s %s\n", (p = $list->next) > 0, @node(p)->name$, @node(p)->color$)
		n = 1
		printf("%d %d %.*m\n", n, n++, n, $list->next->text)
	}
}
EOF
expect 0 "$SPILE" --engine=user -c ./list x.stp
is '"a""b" RED GREEN <"two">
1 "b" GREEN
1 1 tw
none'
