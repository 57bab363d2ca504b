//! A job at a size: by a kernel with checks, by the same without, and by a crate.

use crate::causes;
use crate::pairs::{Runner, Tolerance, compare};
use ivl::Level;
use serde_json::json;
use std::{cell::RefCell, rc::Rc, time::Duration};

/// A job at a size.
pub struct Case {
    /// What is done.
    pub row: &'static str,
    /// The size of the input.
    pub bytes: usize,
    /// Are floats computed with fused multiplications and additions?
    pub fp: &'static str,
    pub tolerance: Tolerance,
    pub checked: Runner,
    pub unchecked: Runner,
    pub peer: Runner,
}

impl Case {
    /// Times both of ours against the peer, and prints what came out.
    pub fn measure(mut self, isa: Level, rounds: usize, round: Duration) {
        for side in [&mut self.checked, &mut self.unchecked, &mut self.peer] {
            (side.run)();
        }
        let expected = (self.peer.result)();
        for (ours, row) in [(&mut self.unchecked, self.row.to_owned()), (&mut self.checked, format!("{}, checked", self.row))] {
            let same_result = self.tolerance.same(&(ours.result)(), &expected);
            let times = compare(ours, &mut self.peer, rounds, round);
            eprintln!("  {row} {isa}, {}, against {}: {:.2}", size(self.bytes), self.peer.name, times.ours / times.peer);
            let line = json!({
                "group": "peers", "row": row, "isa": isa.name(), "size": size(self.bytes), "peer": self.peer.name, "ours_ns": times.ours,
                "peer_ns": times.peer, "ratio": times.ours / times.peer, "spread": times.spread, "same_result": same_result,
                "fp": self.fp,
                "cause": causes::of(&row, self.bytes, times.ours / times.peer),
            });
            println!("{line}");
        }
    }
}

/// A side that works on data of its own. What it gives is kept until it is asked for.
pub fn side<D: 'static, R: 'static>(
    name: &str,
    data: D,
    mut run: impl FnMut(&mut D) -> R + 'static,
    result: impl Fn(&D, &R) -> Vec<f64> + 'static,
) -> Runner {
    let state = Rc::new(RefCell::new((data, None)));
    let of_run = Rc::clone(&state);
    Runner {
        name: name.to_owned(),
        run: Box::new(move || {
            let (data, given) = &mut *of_run.borrow_mut();
            *given = Some(run(data));
        }),
        result: Box::new(move || {
            let (data, given) = &*state.borrow();
            given.as_ref().map_or_else(Vec::new, |given| result(data, given))
        }),
    }
}

/// The sides of a job. `ours` is a call of a kernel, which there is with checks and without; `data` is made for each side.
macro_rules! case {
    (
        $row:literal, $size:expr, $tolerance:expr, $fp:literal,
        data $data:expr,
        ours |$d:ident| $kernel:ident($($argument:expr),*) as |$k:ident, $g:ident| $result:expr,
        $peer:expr, |$e:ident| $theirs:expr, as |$l:ident, $h:ident| $their_result:expr
    ) => {
        $crate::case::Case {
            row: $row,
            bytes: $size,
            fp: $fp,
            tolerance: $tolerance,
            checked: $crate::case::side("ivl", $data, |$d| $crate::checked::$kernel($($argument),*), |$k, $g| $result),
            // SAFETY: the checked side does the same with the same arguments.
            unchecked: $crate::case::side("ivl", $data, |$d| unsafe { $crate::unchecked::$kernel($($argument),*) }, |$k, $g| $result),
            peer: $crate::case::side(&$peer, $data, move |$e| $theirs, |$l, $h| $their_result),
        }
    };
}
pub(crate) use case;

/// A number of bytes in words.
fn size(bytes: usize) -> String {
    match bytes {
        b if b < 1 << 10 => format!("{b} B"),
        b if b < 1 << 20 => format!("{} KB", b >> 10),
        b => format!("{} MB", b >> 20),
    }
}
