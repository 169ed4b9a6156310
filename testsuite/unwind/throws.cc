// SPDX-License-Identifier: GPL-2.0-or-later
// C++: exceptions, virtual calls, destructors, the standard library. For testsuite/unwind/five-programs.
#include <algorithm>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#define CALLED __attribute__((noinline))

static volatile long sink;

struct guard {
	long v;
	guard(long v) : v(v) {}
	CALLED ~guard() { sink += v; }
};

CALLED long thrower(long n)
{
	guard g(n);

	if (n % 3 == 0)
		throw std::runtime_error("bad " + std::to_string(n));
	return n * 2;
}

CALLED long middle(long n)
{
	std::string s(n % 50 + 20, 'x');
	guard g(n + s.size());

	return thrower(n) + s.size();
}

struct base {
	virtual long run(long n) = 0;
	virtual ~base() {}
};

struct maps : base {
	long run(long n) override
	{
		std::map<std::string, long> m;

		for (long i = 0; i < 20; i++)
			m[std::to_string(i * n)] = i;
		return m.size() + middle(n);
	}
};

struct sorts : base {
	long run(long n) override
	{
		std::vector<long> v;

		for (long i = 0; i < 50; i++)
			v.push_back(i * 7919 % 101);
		std::sort(v.begin(), v.end(), [](long a, long b) { return a > b; });
		return v[n % 50] + middle(n + 1);
	}
};

CALLED long loop(base &b, long n, int depth)
{
	long sum = 0;

	if (depth)
		return loop(b, n, depth - 1) + 1;
	for (long i = 0; i < n; i++)
		try {
			sum += b.run(i);
		} catch (const std::exception &e) {
			sum += e.what()[0];
		}
	return sum;
}

int main()
{
	maps a;
	sorts b;

	printf("%ld\n", loop(a, 20, 3) + loop(b, 20, 6));
}
