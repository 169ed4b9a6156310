// SPDX-License-Identifier: GPL-2.0-or-later
// texts [N]: take(), and access(2), get texts of 0 to 149 bytes, and one of 600, N times each.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((noipa)) int take(const char *text)
{
	return access(text, F_OK);
}

int main(int argc, char **argv)
{
	char text[601];
	int sum = 0;

	memset(text, 'x', sizeof(text));
	text[600] = '\0';
	for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 1); i++) {
		for (int length = 0; length < 150; length++) {
			text[length] = '\0';
			sum += take(text);
			text[length] = 'x';
		}
		sum += take(text);
	}
	return sum == 0; // no such file
}
