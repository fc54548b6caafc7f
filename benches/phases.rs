//! The phases of the solver on one sub-slice each, and whole slices, on one thread.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use damabase_formats::Slice;
use damabase_formats::table::Metric;
use damabase_generator::planes::measure::{Phases, Prepared};
use damabase_rules::{Brazilian, English, International, Rules, Russian};
use rayon::ThreadPoolBuilder;

mod cpu;

use cpu::{CpuTime, config};

/// A phase and how it is run.
type Phase<G> = (&'static str, fn(&mut Phases<'_, G>));

/// Runs all phases of a sub-slice of each slice, win, draw and loss.
fn phases<G: Rules>(criterion: &mut Criterion<CpuTime>, slices: &[&str]) {
    let phases: [Phase<G>; 4] = [
        ("exits", |phases| phases.exits()),
        ("exchange", |phases| phases.exchange()),
        ("sweep", |phases| phases.sweep()),
        ("codes", |phases| phases.codes()),
    ];
    for name in slices {
        let slice: Slice = name.parse().expect("a slice");
        let mut prepared = Prepared::<G>::new(slice, &[Metric::Wld]);
        for (phase, run) in &phases {
            prepared.sub_slice(|phases| {
                let mut group = criterion.benchmark_group(*phase);
                group.throughput(Throughput::Elements(phases.positions()));
                let id = BenchmarkId::new(G::VARIANT.name, name);
                group.bench_function(id, |bencher| {
                    bencher.iter(|| run(black_box(&mut *phases)));
                });
            });
        }
    }
}

/// Solves whole slices.
fn wholes<G: Rules>(criterion: &mut Criterion<CpuTime>, metrics: &[Metric], slices: &[&str]) {
    for name in slices {
        let mut prepared = Prepared::<G>::new(name.parse().expect("a slice"), metrics);
        let metrics: Vec<String> = metrics.iter().map(ToString::to_string).collect();
        let mut group = criterion.benchmark_group(format!("slice-{}", metrics.join("-")));
        group.throughput(Throughput::Elements(prepared.positions()));
        group.bench_function(BenchmarkId::new(G::VARIANT.name, name), |bencher| {
            bencher.iter(|| prepared.solve());
        });
    }
}

fn all(criterion: &mut Criterion<CpuTime>) {
    // One thread, this one.
    let pool = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    let _pool = pool.expect("not yet in a pool");
    phases::<International>(criterion, &["KKvKK", "KMvKM", "KKMvM"]);
    phases::<Russian>(criterion, &["KKvKK", "KKMvKM"]);
    phases::<Brazilian>(criterion, &["KMvKM"]);
    phases::<English>(criterion, &["KKvKK", "KKMvKM"]);
    let (wld, dtc, dtw) = (&[Metric::Wld], &[Metric::Dtc], &[Metric::Dtw]);
    wholes::<Russian>(criterion, wld, &["KKvKK", "KKMvK", "MMvMM"]);
    wholes::<Russian>(criterion, dtc, &["KKMvK"]);
    wholes::<Russian>(criterion, dtw, &["KKMvK"]);
    wholes::<English>(criterion, wld, &["KKMvK"]);
    wholes::<International>(criterion, wld, &["KKvKK", "KMvM"]);
}

criterion_group! {
    name = benches;
    config = config();
    targets = all
}
criterion_main!(benches);
