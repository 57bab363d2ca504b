//! Kernels that are `foreach` loops over 0 .. n: what their tails touch.

use super::kernel::{Data, Kernel};
use super::memory::Element;

/// A permutation of 0 .. n that reaches both ends early.
fn permuted(k: isize, n: isize) -> isize {
    if k % 2 == 0 { n - 1 - k / 2 } else { k / 2 }
}

fn each(d: &mut Data, lane: impl Fn(&mut Data, isize)) {
    for i in 0..d.n {
        lane(d, i);
    }
}

/// An index that no lane which is on may use.
pub const OUTSIDE: isize = 20_000;

fn outside(k: isize) -> isize {
    if k % 4 < 2 { OUTSIDE } else { -OUTSIDE }
}

/// Rows of the two-dimensional kernel.
const ROWS: isize = 3;

pub fn kernels() -> Vec<Kernel> {
    let mut all = contiguous();
    all.extend(strided());
    all.extend(side_by_side());
    all.extend(indexed());
    all.extend(super::tables::kernels());
    all.extend(records());
    all.extend(neighbours());
    all.extend(conditional());
    all.extend(whole_loops());
    all.extend(numbers());
    all
}

fn contiguous() -> Vec<Kernel> {
    vec![
        Kernel::new(
            "copy",
            "foreach (int block i = 0 .. n) b[i] = a[i];",
            |d| d.has(0..d.n, 0..d.n, 0..0),
            |d| each(d, |d, i| d.b[i] = d.a[i]),
        ),
        Kernel::new(
            "fill",
            "foreach (int block i = 0 .. n) b[i] = (T) 1;",
            |d| d.has(0..0, 0..d.n, 0..0),
            |d| each(d, |d, i| d.b[i] = 1),
        ),
        Kernel::new(
            "update_in_place",
            "foreach (int block i = 0 .. n) a[i] = add(a[i], a[i]);",
            |d| d.has(0..d.n, 0..0, 0..0),
            |d| each(d, |d, i| d.a[i] += d.a[i]),
        ),
        Kernel::new(
            "sum_of_two",
            "foreach (int block i = 0 .. n) c[i] = add(a[i], b[i]);",
            |d| d.has(0..d.n, 0..d.n, 0..d.n),
            |d| each(d, |d, i| d.c[i] = d.a[i] + d.b[i]),
        ),
        Kernel::new(
            "long_index",
            "foreach (int64 block i = 0 .. n) b[i] = a[i];",
            |d| d.has(0..d.n, 0..d.n, 0..0),
            |d| each(d, |d, i| d.b[i] = d.a[i]),
        ),
        Kernel::new(
            "a_length_of_its_own",
            "foreach (int block[32] i = 0 .. n) b[i] = a[i];",
            |d| d.has(0..d.n, 0..d.n, 0..0),
            |d| each(d, |d, i| d.b[i] = d.a[i]),
        ),
        Kernel::new(
            "stencil",
            "foreach (int block i = 1 .. n - 1) b[i] = add(a[i - 1], a[i + 1]);",
            |d| d.has(0..d.n, if d.n > 2 { 1..d.n - 1 } else { 0..0 }, 0..0),
            |d| (1..d.n - 1).for_each(|i| d.b[i] = d.a[i - 1] + d.a[i + 1]),
        ),
        Kernel::new(
            "begins_late",
            "foreach (int block i = n / 2 .. n) b[i] = a[i];",
            |d| d.has(d.n / 2..d.n, d.n / 2..d.n, 0..0),
            |d| (d.n / 2..d.n).for_each(|i| d.b[i] = d.a[i]),
        ),
        Kernel::new(
            "broadcast_load",
            "foreach (int block i = 0 .. n) b[i] = *a;",
            |d| d.has(0..d.n.min(1), 0..d.n, 0..0),
            |d| each(d, |d, i| d.b[i] = d.a[0]),
        ),
        Kernel::new(
            "in_functions",
            "foreach (int block i = 0 .. n) put(b, i, fetch(a, i));",
            |d| d.has(0..d.n, 0..d.n, 0..0),
            |d| each(d, |d, i| d.b[i] = d.a[i]),
        ),
        Kernel::new(
            "other_sizes",
            "int8 *bytes = (int8 *) b;\nforeach (int block i = 0 .. n) bytes[i] = (int8) index[i];",
            |d| {
                d.has(0..0, 0..0, 0..0);
                d.b = super::memory::Numbers::some(d.element, 0..d.n, 2);
                d.has_index(d.n, |k| k % 50);
            },
            |d| each(d, |d, i| d.b[i] = d.index[i]),
        )
        .only_for(|e| e == Element::Int8),
        Kernel::new(
            "widens",
            "foreach (int block i = 0 .. n) index[i] = (int) a[i];",
            |d| {
                d.has(0..d.n, 0..0, 0..0);
                d.has_index(d.n, |k| k);
            },
            |d| each(d, |d, i| d.index[i] = d.a[i]),
        ),
    ]
}

fn strided() -> Vec<Kernel> {
    vec![
        Kernel::new(
            "stride_2_load",
            "foreach (int block i = 0 .. n) b[i] = a[2 * i];",
            |d| d.has(0..(2 * d.n - 1).max(0), 0..d.n, 0..0),
            |d| each(d, |d, i| d.b[i] = d.a[2 * i]),
        ),
        Kernel::new(
            "stride_2_load_of_odd",
            "foreach (int block i = 0 .. n) b[i] = a[2 * i + 1];",
            |d| d.has(if d.n > 0 { 1..2 * d.n } else { 0..0 }, 0..d.n, 0..0),
            |d| each(d, |d, i| d.b[i] = d.a[2 * i + 1]),
        ),
        Kernel::new(
            "stride_3_load",
            "foreach (int block i = 0 .. n) b[i] = a[3 * i + 1];",
            |d| d.has(if d.n > 0 { 1..3 * d.n - 1 } else { 0..0 }, 0..d.n, 0..0),
            |d| each(d, |d, i| d.b[i] = d.a[3 * i + 1]),
        ),
        Kernel::new(
            "pairs_meet",
            "foreach (int block i = 0 .. n) b[i] = add(a[2 * i], a[2 * i + 1]);",
            |d| d.has(0..2 * d.n, 0..d.n, 0..0),
            |d| each(d, |d, i| d.b[i] = d.a[2 * i] + d.a[2 * i + 1]),
        ),
        Kernel::new(
            "stride_2_store",
            "foreach (int block i = 0 .. n) b[2 * i] = a[i];",
            |d| d.has(0..d.n, 0..(2 * d.n - 1).max(0), 0..0),
            |d| each(d, |d, i| d.b[2 * i] = d.a[i]),
        ),
        Kernel::new(
            "stride_3_store",
            "foreach (int block i = 0 .. n) b[3 * i + 2] = a[i];",
            |d| d.has(0..d.n, if d.n > 0 { 2..3 * d.n } else { 0..0 }, 0..0),
            |d| each(d, |d, i| d.b[3 * i + 2] = d.a[i]),
        ),
        Kernel::new(
            "interleave",
            "foreach (int block i = 0 .. n) { c[2 * i] = a[i]; c[2 * i + 1] = b[i]; }",
            |d| d.has(0..d.n, 0..d.n, 0..2 * d.n),
            |d| {
                each(d, |d, i| {
                    d.c[2 * i] = d.a[i];
                    d.c[2 * i + 1] = d.b[i];
                });
            },
        ),
        Kernel::new(
            "reversed_load",
            "foreach (int block i = 0 .. n) b[i] = a[n - 1 - i];",
            |d| d.has(0..d.n, 0..d.n, 0..0),
            |d| each(d, |d, i| d.b[i] = d.a[d.n - 1 - i]),
        ),
        Kernel::new(
            "reversed_store",
            "foreach (int block i = 0 .. n) b[n - 1 - i] = a[i];",
            |d| d.has(0..d.n, 0..d.n, 0..0),
            |d| each(d, |d, i| d.b[d.n - 1 - i] = d.a[i]),
        ),
        Kernel::new(
            "reversed_stride_2",
            "foreach (int block i = 0 .. n) b[i] = a[2 * (n - 1 - i)];",
            |d| d.has(0..(2 * d.n - 1).max(0), 0..d.n, 0..0),
            |d| each(d, |d, i| d.b[i] = d.a[2 * (d.n - 1 - i)]),
        ),
        Kernel::new(
            "stride_of_the_caller",
            "int step = index[0];\nforeach (int block i = 0 .. n) b[i] = a[step * i];",
            |d| {
                d.has(0..(5 * d.n - 4).max(0), 0..d.n, 0..0);
                d.has_index(1, |_| 5);
            },
            |d| each(d, |d, i| d.b[i] = d.a[5 * i]),
        ),
    ]
}

/// A kernel that adds what stands at some places of `$n` elements, from the first place to the last.
macro_rules! apart {
    ($all:ident, $name:literal, $n:literal, $sum:literal, [$first:literal $(, $place:literal)*]) => {
        $all.push(Kernel::new(
            $name,
            concat!("foreach (int block i = 0 .. n) b[i] = ", $sum, ";"),
            |d| {
                let places = [$first $(, $place)*];
                let last = places[places.len() - 1];
                d.has(if d.n > 0 { $first..$n * (d.n - 1) + last + 1 } else { 0..0 }, 0..d.n, 0..0);
            },
            |d| each(d, |d, i| d.b[i] = [$first $(, $place)*].iter().map(|place| d.a[$n * i + place]).sum()),
        ));
    };
}

/// Lanes that lie side by side with those of others: what is between the first and the last lane that are on may be read, and what they
/// fill together is written at once.
fn side_by_side() -> Vec<Kernel> {
    let mut all = Vec::new();
    apart!(all, "ends_of_3", 3, "add(a[3 * i], a[3 * i + 2])", [0, 2]);
    apart!(all, "all_of_3", 3, "add(add(a[3 * i], a[3 * i + 1]), a[3 * i + 2])", [0, 1, 2]);
    apart!(all, "middle_of_4", 4, "add(a[4 * i + 1], a[4 * i + 2])", [1, 2]);
    apart!(all, "last_of_4", 4, "a[4 * i + 3]", [3]);
    apart!(all, "all_of_4", 4, "add(add(a[4 * i], a[4 * i + 1]), add(a[4 * i + 2], a[4 * i + 3]))", [0, 1, 2, 3]);
    apart!(all, "most_of_5", 5, "add(add(a[5 * i + 1], a[5 * i + 2]), a[5 * i + 4])", [1, 2, 4]);
    apart!(all, "most_of_6", 6, "add(add(a[6 * i], a[6 * i + 1]), add(a[6 * i + 3], a[6 * i + 4]))", [0, 1, 3, 4]);
    apart!(all, "most_of_7", 7, "add(add(a[7 * i], a[7 * i + 2]), add(a[7 * i + 3], a[7 * i + 6]))", [0, 2, 3, 6]);
    apart!(
        all,
        "most_of_8",
        8,
        "add(add(add(a[8 * i], a[8 * i + 1]), a[8 * i + 3]), add(a[8 * i + 5], a[8 * i + 6]))",
        [0, 1, 3, 5, 6]
    );
    all.push(Kernel::new(
        "three_together",
        "foreach (int block i = 0 .. n) { c[3 * i] = a[i]; c[3 * i + 1] = b[i]; c[3 * i + 2] = add(a[i], b[i]); }",
        |d| d.has(0..d.n, 0..d.n, 0..3 * d.n),
        |d| {
            each(d, |d, i| {
                d.c[3 * i] = d.a[i];
                d.c[3 * i + 1] = d.b[i];
                d.c[3 * i + 2] = d.a[i] + d.b[i];
            });
        },
    ));
    all.push(Kernel::new(
        "four_together",
        "foreach (int block i = 0 .. n) { T x = a[i], y = b[i]; c[4 * i + 1] = x; c[4 * i] = y; c[4 * i + 2] = y; c[4 * i + 3] = x; }",
        |d| d.has(0..d.n, 0..d.n, 0..4 * d.n),
        |d| {
            each(d, |d, i| {
                d.c[4 * i + 1] = d.a[i];
                d.c[4 * i] = d.b[i];
                d.c[4 * i + 2] = d.b[i];
                d.c[4 * i + 3] = d.a[i];
            });
        },
    ));
    all.push(
        Kernel::new(
            "promised_where_one_is_positive",
            "foreach (int block i = 0 .. n) if (positive(a[4 * i + 3])) for (int k = 0; k < 4; ++k) b[4 * i + k] = a[4 * i + k];",
            |d| d.has(0..4 * d.n, 0..4 * d.n, 0..0),
            |d| {
                each(d, |d, i| {
                    if d.a[4 * i + 3] > 0 {
                        (4 * i..4 * i + 4).for_each(|k| d.b[k] = d.a[k]);
                    }
                });
            },
        )
        .with_types("T[4 * n]", "T[4 * n]", "T"),
    );
    all.push(
        Kernel::new(
            "promised_where_another_is_positive",
            "foreach (int block i = 0 .. n) if (positive(c[i])) b[3 * i + 1] = add(a[3 * i], a[3 * i + 2]);",
            |d| d.has(0..3 * d.n, 0..3 * d.n, 0..d.n),
            |d| {
                each(d, |d, i| {
                    if d.c[i] > 0 {
                        d.b[3 * i + 1] = d.a[3 * i] + d.a[3 * i + 2];
                    }
                });
            },
        )
        .with_types("T[n * 3]", "T[3 * n]", "T"),
    );
    all.push(Kernel::new(
        "three_apart_and_together",
        "foreach (int block i = 0 .. n) { T x = a[3 * i], y = a[3 * i + 1], z = a[3 * i + 2]; b[3 * i] = z; b[3 * i + 1] = x; b[3 * i + 2] = y; }",
        |d| d.has(0..3 * d.n, 0..3 * d.n, 0..0),
        |d| {
            each(d, |d, i| {
                d.b[3 * i] = d.a[3 * i + 2];
                d.b[3 * i + 1] = d.a[3 * i];
                d.b[3 * i + 2] = d.a[3 * i + 1];
            });
        },
    ));
    all
}

fn indexed() -> Vec<Kernel> {
    vec![
        Kernel::new(
            "gather",
            "foreach (int block i = 0 .. n) b[i] = a[index[i]];",
            |d| {
                let n = d.n;
                d.has(0..n, 0..n, 0..0);
                d.has_index(n, |k| permuted(k, n));
            },
            |d| each(d, |d, i| d.b[i] = d.a[d.at(i)]),
        ),
        Kernel::new(
            "scatter",
            "foreach (int block i = 0 .. n) b[index[i]] = a[i];",
            |d| {
                let n = d.n;
                d.has(0..n, 0..n, 0..0);
                d.has_index(n, |k| permuted(k, n));
            },
            |d| {
                each(d, |d, i| {
                    let at = d.at(i);
                    d.b[at] = d.a[i];
                });
            },
        ),
        Kernel::new(
            "scatter_to_one_place",
            "foreach (int block i = 0 .. n) b[index[i]] = a[i];",
            |d| {
                d.has(0..d.n, 0..d.n.min(1), 0..0);
                d.has_index(d.n, |_| 0);
            },
            |d| each(d, |d, i| d.b[0] = d.a[i]),
        ),
        Kernel::new(
            "pointers_of_lanes",
            "foreach (int block i = 0 .. n) { T *block p = a + index[i]; T *block q = b + index[i]; *q = *p; }",
            |d| {
                let n = d.n;
                d.has(0..n, 0..n, 0..0);
                d.has_index(n, |k| permuted(k, n));
            },
            |d| {
                each(d, |d, i| {
                    let at = d.at(i);
                    d.b[at] = d.a[at];
                });
            },
        ),
        Kernel::new(
            "gather_where_allowed",
            "foreach (int block i = 0 .. n) if (positive(c[i])) b[i] = a[index[i]];",
            |d| {
                let n = d.n;
                d.has(0..n, 0..n, 0..n);
                let on: Vec<bool> = (0..n).map(|k| d.c[k] > 0).collect();
                d.has_index(n, |k| if on[k as usize] { permuted(k, n) } else { outside(k) });
            },
            |d| {
                each(d, |d, i| {
                    if d.c[i] > 0 {
                        d.b[i] = d.a[d.at(i)];
                    }
                });
            },
        ),
        Kernel::new(
            "scatter_where_allowed",
            "foreach (int block i = 0 .. n) { if (!positive(c[i])) continue; b[index[i]] = a[i]; }",
            |d| {
                let n = d.n;
                d.has(0..n, 0..n, 0..n);
                let on: Vec<bool> = (0..n).map(|k| d.c[k] > 0).collect();
                d.has_index(n, |k| if on[k as usize] { permuted(k, n) } else { outside(k) });
            },
            |d| {
                each(d, |d, i| {
                    if d.c[i] > 0 {
                        let at = d.at(i);
                        d.b[at] = d.a[i];
                    }
                });
            },
        ),
        Kernel::new(
            "right_hand_sides_are_guarded",
            "foreach (int block i = 0 .. n) b[i] = index[i] >= 0 && positive(a[index[i]]) ? a[index[i]] : (T) 0;",
            |d| {
                let n = d.n;
                d.has(0..n, 0..n, 0..0);
                d.has_index(n, |k| if k % 3 == 1 { -OUTSIDE } else { permuted(k, n) });
            },
            |d| {
                each(d, |d, i| {
                    let at = d.at(i);
                    d.b[i] = if at >= 0 && d.a[at] > 0 { d.a[at] } else { 0 };
                });
            },
        ),
    ]
}

/// A kernel that reads member `$m` of records of `$n` elements, and one that writes it.
macro_rules! member {
    ($all:ident, $n:literal, $m:literal, $letter:literal) => {
        $all.push(
            Kernel::new(
                concat!("member_", $letter, "_of_", $n),
                concat!("foreach (int block i = 0 .. n) b[i] = a[i].", $letter, ";"),
                |d| d.has(0..$n * d.n, 0..d.n, 0..0),
                |d| each(d, |d, i| d.b[i] = d.a[$n * i + $m]),
            )
            .with_types(concat!("R", $n), "T", "T"),
        );
        $all.push(
            Kernel::new(
                concat!("set_member_", $letter, "_of_", $n),
                concat!("foreach (int block i = 0 .. n) a[i].", $letter, " = b[i];"),
                |d| d.has(0..$n * d.n, 0..d.n, 0..0),
                |d| each(d, |d, i| d.a[$n * i + $m] = d.b[i]),
            )
            .with_types(concat!("R", $n), "T", "T"),
        );
    };
}

/// A kernel that adds the members of records of `$n` elements, and one that copies such records.
macro_rules! members {
    ($all:ident, $n:literal, $sum:literal) => {
        $all.push(
            Kernel::new(
                concat!("members_of_", $n),
                concat!("foreach (int block i = 0 .. n) b[i] = ", $sum, ";"),
                |d| d.has(0..$n * d.n, 0..d.n, 0..0),
                |d| each(d, |d, i| d.b[i] = (0..$n).map(|m| d.a[$n * i + m]).sum()),
            )
            .with_types(concat!("R", $n), "T", "T"),
        );
        $all.push(
            Kernel::new(
                concat!("records_of_", $n),
                "foreach (int block i = 0 .. n) b[i] = a[i];",
                |d| d.has(0..$n * d.n, 0..$n * d.n, 0..0),
                |d| each(d, |d, i| (0..$n).for_each(|m| d.b[$n * i + m] = d.a[$n * i + m])),
            )
            .with_types(concat!("R", $n), concat!("R", $n), "T"),
        );
        $all.push(
            Kernel::new(
                concat!("records_of_", $n, "_by_index"),
                "foreach (int block i = 0 .. n) b[index[i]] = a[index[i]];",
                |d| {
                    let n = d.n;
                    d.has(0..$n * n, 0..$n * n, 0..0);
                    d.has_index(n, |k| permuted(k, n));
                },
                |d| each(d, |d, i| (0..$n).for_each(|m| d.b[$n * i + m] = d.a[$n * i + m])),
            )
            .with_types(concat!("R", $n), concat!("R", $n), "T"),
        );
    };
}

fn records() -> Vec<Kernel> {
    let mut all = Vec::new();
    member!(all, 1, 0, "x");
    member!(all, 2, 0, "x");
    member!(all, 2, 1, "y");
    member!(all, 3, 0, "x");
    member!(all, 3, 1, "y");
    member!(all, 3, 2, "z");
    member!(all, 4, 0, "x");
    member!(all, 4, 3, "w");
    members!(all, 1, "a[i].x");
    members!(all, 2, "add(a[i].x, a[i].y)");
    members!(all, 3, "add(add(a[i].x, a[i].y), a[i].z)");
    members!(all, 4, "add(add(a[i].x, a[i].y), add(a[i].z, a[i].w))");
    all.push(
        Kernel::new(
            "record_with_padding",
            "foreach (int block i = 0 .. n) b[i] = a[i].value;",
            |d| d.has(0..2 * d.n, 0..d.n, 0..0),
            |d| each(d, |d, i| d.b[i] = d.a[2 * i]),
        )
        .with_types("Tagged", "T", "T"),
    );
    all.push(
        Kernel::new(
            "record_backwards",
            "foreach (int block i = 0 .. n) b[i] = add(a[n - 1 - i].x, a[n - 1 - i].z);",
            |d| d.has(0..3 * d.n, 0..d.n, 0..0),
            |d| {
                each(d, |d, i| {
                    let at = 3 * (d.n - 1 - i);
                    d.b[i] = d.a[at] + d.a[at + 2];
                });
            },
        )
        .with_types("R3", "T", "T"),
    );
    all.push(
        Kernel::new(
            "member_where_allowed",
            "foreach (int block i = 0 .. n) if (positive(b[i])) b[i] = a[i].z;",
            |d| {
                d.has(0..0, 0..d.n, 0..0);
                // Records behind the last lane that is on are not there.
                let last = (0..d.n).rev().find(|&k| d.b[k] > 0);
                d.a = super::memory::Numbers::some(d.element, 0..last.map_or(0, |k| 3 * k + 3), 1);
            },
            |d| {
                each(d, |d, i| {
                    if d.b[i] > 0 {
                        d.b[i] = d.a[3 * i + 2];
                    }
                });
            },
        )
        .with_types("R3", "T", "T"),
    );
    all
}

/// Neighbours of elements that are asked for before they are touched, in blocks that are longer than most of the data.
fn neighbours() -> Vec<Kernel> {
    fn ends(d: &mut Data) {
        d.has(0..d.n, 0..d.n, 0..0);
    }
    fn sum(d: &mut Data, places: &[isize]) {
        each(d, |d, i| {
            let of = |k: &isize| if (0..d.n).contains(&(i + k)) { d.a[i + k] } else { 0 };
            d.b[i] = places.iter().map(of).sum::<i64>();
        });
    }
    vec![
        Kernel::new(
            "neighbours_behind",
            "foreach (int block[64] i = 0 .. n) { T s = i > 0 ? a[i - 1] : (T) 0; s = add(s, i - 3 >= 0 ? a[i - 3] : (T) 0); b[i] = s; }",
            ends,
            |d| sum(d, &[-1, -3]),
        ),
        Kernel::new(
            "neighbours_ahead",
            "foreach (int block[64] i = 0 .. n) { T s = i + 1 < n ? a[i + 1] : (T) 0; s = add(s, i < n - 18 ? a[i + 18] : (T) 0); b[i] = s; }",
            ends,
            |d| sum(d, &[1, 18]),
        ),
        Kernel::new(
            "neighbours_far_behind",
            "foreach (int block[32] i = 0 .. n) { T s = i > 16 ? a[i - 17] : (T) 0; s = add(s, i >= 7 ? a[i - 7] : (T) 0); b[i] = s; }",
            ends,
            |d| sum(d, &[-17, -7]),
        ),
        Kernel::new(
            "stores_ahead",
            "foreach (int block[64] i = 0 .. n) { if (i >= 2) b[i - 2] = a[i]; if (i < n - 5 && i > 4) c[i] = a[i]; }",
            |d| d.has(0..d.n, if d.n > 2 { 0..d.n - 2 } else { 0..0 }, if d.n > 10 { 5..d.n - 5 } else { 0..0 }),
            |d| {
                each(d, |d, i| {
                    if i >= 2 {
                        d.b[i - 2] = d.a[i];
                    }
                    if i < d.n - 5 && i > 4 {
                        d.c[i] = d.a[i];
                    }
                });
            },
        ),
        Kernel::new(
            "neighbours_from_the_end",
            "foreach (int block[64] i = 0 .. n) { int block[64] j = n - 1 - i; T s = j > 0 ? a[j - 1] : (T) 0; b[j] = s; if (j > 2) c[j - 3] = s; }",
            |d| d.has(if d.n > 1 { 0..d.n - 1 } else { 0..0 }, 0..d.n, if d.n > 3 { 0..d.n - 3 } else { 0..0 }),
            |d| {
                each(d, |d, j| {
                    d.b[j] = if j > 0 { d.a[j - 1] } else { 0 };
                    if j > 2 {
                        d.c[j - 3] = d.b[j];
                    }
                });
            },
        ),
    ]
}

fn conditional() -> Vec<Kernel> {
    vec![
        Kernel::new(
            "store_where_positive",
            "foreach (int block i = 0 .. n) if (positive(a[i])) b[i] = a[i];",
            |d| d.has(0..d.n, 0..d.n, 0..0),
            |d| {
                each(d, |d, i| {
                    if d.a[i] > 0 {
                        d.b[i] = d.a[i];
                    }
                });
            },
        ),
        Kernel::new(
            "one_of_two_stores",
            "foreach (int block i = 0 .. n) if (positive(a[i])) b[i] = a[i]; else c[i] = a[i];",
            |d| d.has(0..d.n, 0..d.n, 0..d.n),
            |d| {
                each(d, |d, i| {
                    if d.a[i] > 0 {
                        d.b[i] = d.a[i];
                    } else {
                        d.c[i] = d.a[i];
                    }
                });
            },
        ),
        Kernel::new(
            "divide",
            "foreach (int block i = 0 .. n) { c[i] = a[i] / b[i]; c[i] += a[i] % b[i]; }",
            |d| {
                d.has(0..d.n, 0..d.n, 0..d.n);
                (0..d.n).step_by(3).for_each(|k| d.b[k] = 0);
            },
            |d| {
                each(d, |d, i| {
                    let (x, y) = (d.a[i], d.b[i]);
                    d.c[i] = if y == 0 { 0 } else { x / y + x % y };
                });
            },
        )
        .only_for(Element::is_integer),
        Kernel::new(
            "ragged_sums",
            // The numbers of lane i begin at i and end at its count.
            "foreach (int block i = 0 .. n) { T block s = b[i]; for (int k = i; k < index[i]; ++k) s = add(s, a[k]); b[i] = s; }",
            |d| {
                let n = d.n;
                d.has(0..n, 0..n, 0..0);
                d.has_index(n, |k| (k + k % 4).min(n));
            },
            |d| each(d, |d, i| d.b[i] += (i..d.at(i)).map(|k| d.a[k]).sum::<i64>()),
        ),
        Kernel::new(
            "search_ends_by_lanes",
            "foreach (int block i = 0 .. n) { int block k = i; while (true) { if (k >= n) break; if (!positive(a[k])) break; k += 1; } index[i] = k; }",
            |d| {
                d.has(0..d.n, 0..0, 0..0);
                d.has_index(d.n, |_| 0);
            },
            |d| each(d, |d, i| d.index[i] = (i..d.n).find(|&k| d.a[k] <= 0).unwrap_or(d.n) as i64),
        ),
    ]
}

fn whole_loops() -> Vec<Kernel> {
    vec![
        Kernel::new(
            "sum",
            "T varying s = (T) 0;\nforeach (int block i = 0 .. n) s = add(s, a[i]);\nT total = (T) 0;\n\
             scalar { for (int k = 0; k < lengthof(s); ++k) total = add(total, get(s, k)); }\n*b = total;",
            |d| d.has(0..d.n, 0..1, 0..0),
            |d| d.b[0] = (0..d.n).map(|i| d.a[i]).sum(),
        ),
        Kernel::new(
            "sum_by_reduction",
            "T varying s = 0;\nforeach (int block i = 0 .. n) s += a[i];\n*b = reduce_add(s);",
            |d| d.has(0..d.n, 0..1, 0..0),
            |d| d.b[0] = (0..d.n).map(|i| d.a[i]).sum(),
        )
        .only_for(|e| e != Element::Bool),
        Kernel::new(
            "product_of_two",
            "T varying s = 0;\nforeach (int block i = 0 .. n) s += a[i] * b[i];\n*c = reduce_add(s);",
            |d| d.has(0..d.n, 0..d.n, 0..1),
            |d| d.c[0] = (0..d.n).map(|i| d.a[i].wrapping_mul(d.b[i])).fold(0, i64::wrapping_add),
        )
        .only_for(|e| e != Element::Bool),
        Kernel::new(
            "compaction",
            "int k = 0;\nforeach (int block i = 0 .. n) if (positive(a[i])) k += packed_store(b + k, a[i]);\n*index = k;",
            |d| {
                d.has(0..d.n, 0..0, 0..0);
                let kept = (0..d.n).filter(|&k| d.a[k] > 0).count() as isize;
                d.b = super::memory::Numbers::some(d.element, 0..kept, 2);
                d.has_index(1, |_| -1);
            },
            |d| {
                let mut kept = 0;
                for i in 0..d.n {
                    if d.a[i] > 0 {
                        d.b[kept] = d.a[i];
                        kept += 1;
                    }
                }
                d.index[0] = kept as i64;
            },
        ),
        Kernel::new(
            "rows",
            "foreach (int block i = 0 .. n, int j = 0 .. 3) b[j * n + i] = a[j * n + i];",
            |d| d.has(0..ROWS * d.n, 0..ROWS * d.n, 0..0),
            |d| (0..ROWS * d.n).for_each(|k| d.b[k] = d.a[k]),
        ),
        Kernel::new(
            "columns",
            "foreach (int block i = 0 .. n, int j = 0 .. 3) b[j * n + i] = a[i * 3 + j];",
            |d| d.has(0..ROWS * d.n, 0..ROWS * d.n, 0..0),
            |d| {
                for j in 0..ROWS {
                    each(d, |d, i| d.b[j * d.n + i] = d.a[i * ROWS + j]);
                }
            },
        ),
        Kernel::new(
            "calls_for_each_lane",
            "foreach (int block i = 0 .. n) if (positive(a[i])) foreach_active (int k) ivl_test_call(k);",
            |d| d.has(0..d.n, 0..0, 0..0),
            |d| d.calls = (0..d.n).filter(|&k| d.a[k] > 0).count(),
        ),
    ]
}

/// Loops over single numbers, which are done in vectors.
fn numbers() -> Vec<Kernel> {
    vec![
        Kernel::new(
            "numbers_one_after_another",
            "for (int i = 0; i < n; ++i) b[i] = add(a[i], a[i]);",
            |d| d.has(0..d.n, 0..d.n, 0..0),
            |d| each(d, |d, i| d.b[i] = 2 * d.a[i]),
        )
        .with_types("T[n]", "T[n]", "T"),
        Kernel::new(
            "numbers_at_every_third_place",
            "for (int i = 0; i < n; ++i) b[i] = a[3 * i + 2];",
            |d| d.has(0..3 * d.n, 0..d.n, 0..0),
            |d| each(d, |d, i| d.b[i] = d.a[3 * i + 2]),
        )
        .with_types("T[3 * n]", "T[n]", "T"),
        Kernel::new(
            "numbers_the_other_way_round",
            "for (int i = 0; i < n; ++i) b[n - 1 - i] = a[i];",
            |d| d.has(0..d.n, 0..d.n, 0..0),
            |d| {
                each(d, |d, i| {
                    let last = d.n - 1;
                    d.b[last - i] = d.a[i];
                });
            },
        )
        .with_types("T[n]", "T[n]", "T"),
        Kernel::new(
            "numbers_where_one_is_positive",
            "for (int i = 0; i < n; ++i) if (positive(c[i])) b[i] = a[i];",
            |d| d.has(0..d.n, 0..d.n, 0..d.n),
            |d| {
                each(d, |d, i| {
                    if d.c[i] > 0 {
                        d.b[i] = d.a[i];
                    }
                });
            },
        )
        .with_types("T[n]", "T[n]", "T[n]"),
    ]
}
