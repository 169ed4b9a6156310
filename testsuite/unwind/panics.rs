// SPDX-License-Identifier: GPL-2.0-or-later
// Rust: closures, traits, collections, a panic that is caught. For testsuite/unwind/five-programs.
use std::collections::BTreeMap;

trait Job {
    fn run(&self, n: u64) -> u64;
}
struct Words(Vec<String>);
struct Sums(u64);

impl Job for Words {
    #[inline(never)]
    fn run(&self, n: u64) -> u64 {
        let mut seen: BTreeMap<String, u64> = BTreeMap::new();
        for w in &self.0 {
            *seen.entry(format!("{}{}", w, n % 3)).or_insert(0) += n;
        }
        seen.values().sum()
    }
}
impl Job for Sums {
    #[inline(never)]
    fn run(&self, n: u64) -> u64 {
        let mut v: Vec<u64> = (0..40).map(|i| (i * 7919 + n) % 101).collect();
        v.sort_by(|a, b| b.cmp(a));
        v[(self.0 % 40) as usize]
    }
}

#[inline(never)]
fn deep(job: &dyn Job, depth: u64, n: u64) -> u64 {
    if depth == 0 {
        job.run(n)
    } else {
        deep(job, depth - 1, n) + depth % 2
    }
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let jobs: Vec<Box<dyn Job>> = vec![Box::new(Words(vec!["a".into(), "b".into(), "c".into()])), Box::new(Sums(7))];
    let mut sum = 0;
    for n in 0..20 {
        for (i, job) in jobs.iter().enumerate() {
            sum += deep(job.as_ref(), n % 9 + i as u64, n);
        }
        let caught = std::panic::catch_unwind(|| if n % 5 == 0 { panic!("{}", n) } else { n });
        sum += caught.unwrap_or(1);
    }
    println!("{}", sum);
}
