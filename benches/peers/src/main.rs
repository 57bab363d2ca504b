//! `peers [--quick] [ROW…]`: kernels in IVL as one writes them first, beside crates that do the same with intrinsics, on the level that
//! `IVL_MAX_ISA` allows. `peers --tensors THREADS FOLDER [--quick] [ROW…]`: definitions of tensors ([`of_tensors`]). A line of JSON for each
//! pair, as `benches/report.rs` reads it.

mod case;
mod causes;
mod jobs;
#[path = "tensors/mod.rs"]
mod of_tensors;

#[path = "../../harness/buffer.rs"]
mod buffer;
#[path = "../../harness/pairs.rs"]
#[allow(dead_code, reason = "each benchmark uses a part")]
mod pairs;

ivl::include_ivl!("checked");
ivl::include_ivl!("unchecked");
ivl::include_ivl!("tensors");

use std::time::Duration;

/// The sizes of inputs in bytes.
const SIZES: [usize; 5] = [24, 64, 1 << 10, 16 << 10, 1 << 20];

/// Those of a quick run.
const QUICK: [usize; 2] = [64, 16 << 10];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let of_tensors = if arguments.first().is_some_and(|a| a == "--tensors") && arguments.len() >= 3 {
        Some(arguments.drain(..3).collect::<Vec<_>>())
    } else {
        None
    };
    let quick = arguments.iter().any(|a| a == "--quick");
    let rows: Vec<&String> = arguments.iter().filter(|a| !a.starts_with("--")).collect();
    let (rounds, round) = if quick { (9, Duration::from_millis(2)) } else { (25, Duration::from_millis(6)) };
    let isa = checked::LEVELS.best()?;
    if let Some([_, threads, folder]) = of_tensors.as_deref() {
        return of_tensors::measure(isa, threads.parse()?, folder.as_ref(), quick, &rows);
    }
    let sizes: &[usize] = if quick { &QUICK } else { &SIZES };
    for job in jobs::ALL {
        for &size in sizes {
            for case in job(isa, size) {
                if rows.is_empty() || rows.iter().any(|row| case.row.contains(row.as_str())) {
                    case.measure(isa, rounds, round);
                }
            }
        }
    }
    Ok(())
}
