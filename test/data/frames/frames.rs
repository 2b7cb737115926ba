// Generic functions, closures, trait objects and collections: the kinds of names that perf prints of Rust.
use std::collections::{BTreeMap, HashMap};

trait Shape {
    fn area(&self, n: u64) -> u64;
}

struct Square(u64);
struct Circle<T>(T);

impl Shape for Square {
    #[inline(never)]
    fn area(&self, n: u64) -> u64 {
        (0..n).fold(self.0, |a, b| a.wrapping_mul(31).wrapping_add(b ^ (a >> 7)))
    }
}

impl<T: Copy + Into<u64>> Shape for Circle<T> {
    #[inline(never)]
    fn area(&self, n: u64) -> u64 {
        (0..n).fold(self.0.into(), |a, b| a.rotate_left(3) ^ b)
    }
}

#[inline(never)]
fn apply<F: FnMut(u64) -> u64>(mut f: F, n: u64) -> u64 {
    let mut sum = 0u64;
    for i in 0..n {
        sum = sum.wrapping_add(f(i));
    }
    sum
}

#[inline(never)]
fn collect(n: u64) -> usize {
    let mut map: HashMap<String, Vec<u64>> = HashMap::new();
    let mut tree = BTreeMap::new();
    for i in 0..n {
        map.entry(format!("key {}", i % 97)).or_default().push(i);
        tree.insert(i.wrapping_mul(0x9E3779B97F4A7C15), i);
    }
    let mut all: Vec<u64> = map.values().flatten().copied().collect();
    all.sort_by(|a, b| (b % 1009).cmp(&(a % 1009)));
    all.len() + tree.len()
}

mod inner {
    #[inline(never)]
    pub fn parse<T: std::str::FromStr + Default>(texts: &[String]) -> Vec<T> {
        texts.iter().map(|t| t.parse().unwrap_or_default()).collect()
    }
}

fn main() {
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Square(3)), Box::new(Circle(7u32)), Box::new(Circle(9u8))];
    let mut total = 0u64;
    for round in 0..40u64 {
        for shape in &shapes {
            total = total.wrapping_add(shape.area(300_000 + round));
        }
        total = total.wrapping_add(apply(|i| i.wrapping_mul(i) ^ total.rotate_right((i % 63) as u32), 400_000));
        total = total.wrapping_add(collect(20_000) as u64);
        let texts: Vec<String> = (0..20_000).map(|i| format!("{}.5", i)).collect();
        total = total.wrapping_add(inner::parse::<f64>(&texts).len() as u64);
        total = total.wrapping_add(inner::parse::<i32>(&texts).len() as u64);
    }
    let thread = std::thread::spawn(move || apply(|i| i ^ total, 3_000_000));
    println!("{}", thread.join().unwrap());
}
