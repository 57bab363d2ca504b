//! The kernels of the group `core` under criterion, one hand after the other: for watching one side over time.
//! `./x bench` (`report.rs`) is the comparison, since it runs the sides in turn.

mod harness;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use harness::{cases, compile::jits, twins::CKernels};
use ivlc::machine::Isa;

fn core(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for isa in [Isa::Avx2, Isa::Avx512].into_iter().filter(|isa| isa.runs_here()) {
        let (ours, scalar) = (jits(isa, isa.width()), jits(isa, 1));
        let c = CKernels::compile(isa, folder.path());
        for mut case in cases::core(&cases::Hands { isa, ours: &ours, scalar: &scalar, c: c.as_ref() }, true) {
            let mut group = criterion.benchmark_group(format!("{} {} {}", case.row, case.isa, case.size));
            for hand in std::iter::once(&mut case.ours).chain(&mut case.peers) {
                group.bench_function(BenchmarkId::from_parameter(&hand.name), |b| b.iter(|| (hand.run)()));
            }
            group.finish();
        }
    }
}

criterion_group!(benches, core);
criterion_main!(benches);
