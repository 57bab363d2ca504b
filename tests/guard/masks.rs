//! Kernels that are functions on masks: what they do where no lane is on, and what they touch where some are.
//!
//! The memory of each ends with what the lanes that are on may touch; if there are none, there is no memory.

use super::kernel::{Data, Kernel};
use super::loops::OUTSIDE;
use super::memory::{Element, Numbers};
use std::ops::Range;

/// The lengths of the vectors.
pub const LENGTHS: [usize; 5] = [1, 4, 8, 16, 32];

/// The masks of a length.
pub fn masks(length: usize) -> Vec<Vec<bool>> {
    let mut masks: Vec<Vec<bool>> = Vec::new();
    let rules: [fn(usize, usize) -> bool; 14] = [
        |_, _| false,
        |_, _| true,
        |k, _| k == 0,
        |k, n| k == n - 1,
        |k, n| k < n / 2,
        |k, n| k >= n / 2,
        |k, _| k % 2 == 1,
        |k, n| (k * 5 + n) % 7 < 2,
        // Runs that begin and end anywhere.
        |k, _| k >= 1,
        |k, n| k >= 3 && k + 2 < n,
        |k, n| k >= 1 && k < n - 1,
        |k, n| k > n / 2 && k < n / 2 + 4,
        |k, n| k >= n - n / 3,
        |k, n| k >= n / 4 - n / 16 && k < n / 4 + n / 2 + n / 8,
    ];
    for rule in rules {
        let mask: Vec<bool> = (0..length).map(|k| rule(k, length)).collect();
        if !masks.contains(&mask) {
            masks.push(mask);
        }
    }
    masks
}

fn each(d: &mut Data, lane: impl Fn(&mut Data, isize)) {
    for i in d.lanes() {
        lane(d, i);
    }
}

/// One element if any lane is on.
fn one(d: &Data) -> Range<isize> {
    0..isize::from(d.any())
}

/// From the first of `f`'s places to the last one, over the lanes that are on.
fn hull(d: &Data, places: impl Fn(isize) -> Range<isize>) -> Range<isize> {
    let ranges: Vec<_> = d.lanes().into_iter().map(places).collect();
    let start = ranges.iter().map(|r| r.start).min().unwrap_or(0);
    start..ranges.iter().map(|r| r.end).max().unwrap_or(0)
}

/// Gives each lane an index: one of 0 .. n if it is on, else one that leads far away.
fn index_lanes(d: &mut Data) {
    let (mask, n) = (d.mask.clone(), d.n);
    let on = mask.iter().filter(|&&on| on).count() as isize;
    let rank = |k: isize| mask[..k as usize].iter().filter(|&&on| on).count() as isize;
    let outside = |k: isize| if k % 2 == 0 { OUTSIDE } else { -OUTSIDE };
    // The first of the lanes that are on has the last of the places, so that both ends are reached.
    d.has_index(n, |k| if mask[k as usize] { (on - rank(k)) % on } else { outside(k) });
}

/// As many elements as lanes are on.
fn packed(d: &Data) -> Range<isize> {
    0..d.lanes().len() as isize
}

/// `b` is a vector that is there; `a` what the lanes that are on may touch.
macro_rules! memory {
    ($places:expr) => {
        |d| {
            let places: fn(&Data) -> Range<isize> = $places;
            let (places, n) = (places(d), d.n);
            d.has(places, 0..n, 0..0);
            index_lanes(d);
        }
    };
}

pub fn kernels() -> Vec<Kernel> {
    let mut all = loads();
    all.extend(stores());
    all.extend(pointers());
    all.extend(records());
    all.extend(control());
    all.extend(jumps());
    all.extend(scalars());
    all.extend(effects());
    all
}

const VECTOR: &str = "T block[$N]";

fn loads() -> Vec<Kernel> {
    let kernels = vec![
        Kernel::new("load", "T block[$N] v = *b; if (*mask) v = *a; *b = v;", memory!(Data::span), |d| {
            each(d, |d, k| d.b[k] = d.a[k])
        })
        .with_types(VECTOR, VECTOR, "T"),
        Kernel::new("load_directly", "if (*mask) *b = *a;", memory!(Data::span), |d| each(d, |d, k| d.b[k] = d.a[k]))
            .with_types(VECTOR, VECTOR, "T"),
        Kernel::new(
            "load_in_else",
            "T block[$N] v = *b; if (!*mask) v = (T) 0; else v = *a; *b = v;",
            memory!(Data::span),
            |d| (0..d.n).for_each(|k| d.b[k] = if d.is_on(k) { d.a[k] } else { 0 }),
        )
        .with_types(VECTOR, VECTOR, "T"),
        Kernel::new("load_one", "if (*mask) *b = *a;", memory!(one), |d| each(d, |d, k| d.b[k] = d.a[0]))
            .with_types("T", VECTOR, "T"),
        Kernel::new(
            "load_a_scalar",
            "T scalar s = *b; if (*mask) s = *a; *b = s;",
            |d| {
                d.has(one(d), 0..1, 0..0);
                index_lanes(d);
            },
            |d| {
                if d.any() {
                    d.b[0] = d.a[0];
                }
            },
        ),
        Kernel::new(
            "gather",
            "int block[$N] *indices = (int block[$N] *) index; int block[$N] k = *indices; if (*mask) *b = a[k];",
            memory!(packed),
            |d| each(d, |d, k| d.b[k] = d.a[d.at(k)]),
        )
        .with_types("T", VECTOR, "T"),
        Kernel::new(
            "choose",
            "int block[$N] *indices = (int block[$N] *) index; int block[$N] k = *indices; *b = *mask ? a[k] : (T) 0;",
            memory!(packed),
            |d| (0..d.n).for_each(|k| d.b[k] = if d.is_on(k) { d.a[d.at(k)] } else { 0 }),
        )
        .with_types("T", VECTOR, "T"),
        Kernel::new(
            "and_also",
            "int block[$N] *indices = (int block[$N] *) index; int block[$N] k = *indices;\n\
             T block[$N] v = (T) 0; if (*mask && positive(a[k])) v = (T) 1; *b = v;",
            memory!(packed),
            |d| (0..d.n).for_each(|k| d.b[k] = i64::from(d.is_on(k) && d.a[d.at(k)] > 0)),
        )
        .with_types("T", VECTOR, "T"),
        Kernel::new(
            "or_else",
            "int block[$N] *indices = (int block[$N] *) index; int block[$N] k = *indices;\n\
             T block[$N] v = (T) 0; if (!*mask || positive(a[k])) v = (T) 1; *b = v;",
            memory!(packed),
            |d| (0..d.n).for_each(|k| d.b[k] = i64::from(!d.is_on(k) || d.a[d.at(k)] > 0)),
        )
        .with_types("T", VECTOR, "T"),
        Kernel::new("from_offset", "if (*mask) *b = a[lane_index + 3];", memory!(|d| hull(d, |k| k + 3..k + 4)), |d| {
            each(d, |d, k| d.b[k] = d.a[k + 3])
        })
        .with_types("T", VECTOR, "T"),
        Kernel::new("stride_2", "if (*mask) *b = a[2 * lane_index + 1];", memory!(|d| hull(d, |k| 2 * k + 1..2 * k + 2)), |d| {
            each(d, |d, k| d.b[k] = d.a[2 * k + 1])
        })
        .with_types("T", VECTOR, "T"),
        Kernel::new("backwards", "if (*mask) *b = a[5 - lane_index];", memory!(|d| hull(d, |k| 5 - k..6 - k)), |d| {
            each(d, |d, k| d.b[k] = d.a[5 - k])
        })
        .with_types("T", VECTOR, "T"),
        Kernel::new(
            "unequal_strides",
            "if (*mask) *b = add(a[3 * lane_index], a[3 * lane_index + 2]);",
            memory!(|d| hull(d, |k| 3 * k..3 * k + 3)),
            |d| each(d, |d, k| d.b[k] = d.a[3 * k] + d.a[3 * k + 2]),
        )
        .with_types("T", VECTOR, "T"),
        Kernel::new(
            "out_of_a_local_array",
            "int block[$N] *indices = (int block[$N] *) index; int block[$N] k = *indices;\n\
             T local[$N]; for (int j = 0; j < $N; ++j) local[j] = (T) (j & 1); if (*mask) *b = local[k];",
            memory!(|_| 0..0),
            |d| each(d, |d, k| d.b[k] = (d.at(k) & 1) as i64),
        )
        .with_types("T", VECTOR, "T"),
    ];
    kernels
}

fn stores() -> Vec<Kernel> {
    vec![
        Kernel::new("store", "T block[$N] v = *b; if (*mask) *a = v;", memory!(Data::span), |d| each(d, |d, k| d.a[k] = d.b[k]))
            .with_types(VECTOR, VECTOR, "T"),
        Kernel::new("update", "T block[$N] v = *b; if (*mask) *a = add(*a, v);", memory!(Data::span), |d| {
            each(d, |d, k| d.a[k] += d.b[k])
        })
        .with_types(VECTOR, VECTOR, "T"),
        Kernel::new("store_one", "T s = *b; if (*mask) *a = s;", memory!(one), |d| {
            if d.any() {
                d.a[0] = d.b[0];
            }
        }),
        Kernel::new("store_in_scalar_code", "T s = *b; if (*mask) scalar { *a = s; }", memory!(one), |d| {
            if d.any() {
                d.a[0] = d.b[0];
            }
        }),
        Kernel::new(
            "scatter",
            "int block[$N] *indices = (int block[$N] *) index; int block[$N] k = *indices;\n\
             T block[$N] v = *b; if (*mask) a[k] = v;",
            memory!(packed),
            |d| {
                each(d, |d, k| {
                    let at = d.at(k);
                    d.a[at] = d.b[k];
                });
            },
        )
        .with_types("T", VECTOR, "T"),
        Kernel::new("scatter_to_one_place", "T block[$N] v = *b; if (*mask) a[lane_index & 0] = v;", memory!(one), |d| {
            each(d, |d, k| d.a[0] = d.b[k])
        })
        .with_types("T", VECTOR, "T"),
        Kernel::new(
            "store_with_stride_2",
            "T block[$N] v = *b; if (*mask) a[2 * lane_index] = v;",
            memory!(|d| hull(d, |k| 2 * k..2 * k + 1)),
            |d| each(d, |d, k| d.a[2 * k] = d.b[k]),
        )
        .with_types("T", VECTOR, "T"),
        Kernel::new(
            "store_backwards",
            "T block[$N] v = *b; if (*mask) a[5 - lane_index] = v;",
            memory!(|d| hull(d, |k| 5 - k..6 - k)),
            |d| each(d, |d, k| d.a[5 - k] = d.b[k]),
        )
        .with_types("T", VECTOR, "T"),
        Kernel::new("packed_store", "T block[$N] v = *b; if (*mask) packed_store(a, v);", memory!(packed), |d| {
            for (place, lane) in d.lanes().into_iter().enumerate() {
                d.a[place as isize] = d.b[lane];
            }
        })
        .with_types("T", VECTOR, "T"),
        Kernel::new("store_for_each_lane", "if (*mask) foreach_active (int k) a[k] = b[k];", memory!(Data::span), |d| {
            each(d, |d, k| d.a[k] = d.b[k])
        }),
        Kernel::new(
            "store_for_each_value",
            "T block[$N] v = *b; if (*mask) foreach_unique (T u : v) *a = u;",
            memory!(one),
            each_unique,
        )
        .with_types("T", VECTOR, "T"),
    ]
}

/// The values of the lanes that are on, in the order of their first lanes, to one place.
fn each_unique(d: &mut Data) {
    let mut seen = Vec::new();
    for k in d.lanes() {
        let value = d.element.wrap(d.b[k]);
        if !seen.contains(&value) {
            seen.push(value);
            d.a[0] = value;
        }
    }
}

fn pointers() -> Vec<Kernel> {
    vec![
        Kernel::new(
            "load_through_pointers",
            "int block[$N] *indices = (int block[$N] *) index; T *block[$N] p = a + *indices; if (*mask) *b = *p;",
            memory!(packed),
            |d| each(d, |d, k| d.b[k] = d.a[d.at(k)]),
        )
        .with_types("T", VECTOR, "T"),
        Kernel::new(
            "store_through_pointers",
            "int block[$N] *indices = (int block[$N] *) index; T *block[$N] p = a + *indices; T block[$N] v = *b; if (*mask) *p = v;",
            memory!(packed),
            |d| {
                each(d, |d, k| {
                    let at = d.at(k);
                    d.a[at] = d.b[k];
                });
            },
        )
        .with_types("T", VECTOR, "T"),
        Kernel::new(
            "null_pointers",
            "T *block[$N] p = a + iota($N); if (!*mask) p = null; if (*mask) *b = p[0];",
            memory!(Data::span),
            |d| each(d, |d, k| d.b[k] = d.a[k]),
        )
        .with_types("T", VECTOR, "T"),
        // Lane k reads component k of the vector that its pointer leads to.
        Kernel::new(
            "load_through_pointers_to_vectors",
            "int block[$N] *indices = (int block[$N] *) index; T block[$N] *block[$N] p = a + *indices; if (*mask) *b = *p;",
            |d| {
                index_lanes(d);
                let (places, n) = (hull(d, |k| d.at(k) * d.n + k..d.at(k) * d.n + k + 1), d.n);
                d.has(places, 0..n, 0..0);
            },
            |d| each(d, |d, k| d.b[k] = d.a[d.at(k) * d.n + k]),
        )
        .with_types(VECTOR, VECTOR, "T"),
        Kernel::new(
            "store_through_pointers_to_vectors",
            "int block[$N] *indices = (int block[$N] *) index; T block[$N] *block[$N] p = a + *indices; T block[$N] v = *b; if (*mask) *p = v;",
            |d| {
                index_lanes(d);
                let (places, n) = (hull(d, |k| d.at(k) * d.n + k..d.at(k) * d.n + k + 1), d.n);
                d.has(places, 0..n, 0..0);
            },
            |d| {
                each(d, |d, k| {
                    let at = d.at(k) * d.n + k;
                    d.a[at] = d.b[k];
                });
            },
        )
        .with_types(VECTOR, VECTOR, "T"),
    ]
}

fn records() -> Vec<Kernel> {
    vec![
        Kernel::new("member_of_one_record", "if (*mask) *b = a->z;", memory!(|d| if d.any() { 0..3 } else { 0..0 }), |d| {
            each(d, |d, k| d.b[k] = d.a[2])
        })
        .with_types("R3", VECTOR, "T"),
        Kernel::new("member_of_records", "if (*mask) *b = a[lane_index].y;", memory!(|d| hull(d, |k| 3 * k..3 * k + 3)), |d| {
            each(d, |d, k| d.b[k] = d.a[3 * k + 1])
        })
        .with_types("R3", VECTOR, "T"),
        Kernel::new(
            "member_of_pairs",
            "T block[$N] v = *b; if (*mask) a[lane_index].x = v;",
            memory!(|d| hull(d, |k| 2 * k..2 * k + 2)),
            |d| each(d, |d, k| d.a[2 * k] = d.b[k]),
        )
        .with_types("R2", VECTOR, "T"),
        Kernel::new(
            "all_members",
            "if (*mask) *b = add(add(a[lane_index].x, a[lane_index].y), a[lane_index].z);",
            memory!(|d| hull(d, |k| 3 * k..3 * k + 3)),
            |d| each(d, |d, k| d.b[k] = d.a[3 * k] + d.a[3 * k + 1] + d.a[3 * k + 2]),
        )
        .with_types("R3", VECTOR, "T"),
        Kernel::new(
            "member_through_pointers",
            "int block[$N] *indices = (int block[$N] *) index; R4 *block[$N] p = a + *indices; if (*mask) *b = p->w;",
            memory!(|d| 0..4 * packed(d).end),
            |d| each(d, |d, k| d.b[k] = d.a[4 * d.at(k) + 3]),
        )
        .with_types("R4", VECTOR, "T"),
        Kernel::new("member_of_a_block", "if (*mask) *b = a->y;", memory!(|d| hull(d, |k| d.n + k..d.n + k + 1)), |d| {
            each(d, |d, k| d.b[k] = d.a[d.n + k])
        })
        .with_types("R3 block[$N]", VECTOR, "T"),
        Kernel::new(
            "block_of_records",
            "R2 block[$N] r = { (T) 0, (T) 0 }; if (*mask) r = *a; *b = add(r.x, r.y);",
            memory!(|d| hull(d, |k| k..d.n + k + 1)),
            |d| (0..d.n).for_each(|k| d.b[k] = if d.is_on(k) { d.a[k] + d.a[d.n + k] } else { 0 }),
        )
        .with_types("R2 block[$N]", VECTOR, "T"),
    ]
}

fn control() -> Vec<Kernel> {
    vec![
        Kernel::new("in_a_function", "if (*mask) *b = fetch(a, lane_index);", memory!(Data::span), |d| {
            each(d, |d, k| d.b[k] = d.a[k])
        })
        .with_types("T", VECTOR, "T"),
        Kernel::new("store_in_a_function", "T block[$N] v = *b; if (*mask) put(a, lane_index, v);", memory!(Data::span), |d| {
            each(d, |d, k| d.a[k] = d.b[k])
        })
        .with_types("T", VECTOR, "T"),
        Kernel::new(
            "after_a_return",
            "int block[$N] *indices = (int block[$N] *) index; T block[$N] v = *b; *b = pick(*mask, a, *indices, v);",
            memory!(packed),
            |d| each(d, |d, k| d.b[k] = d.a[d.at(k)]),
        )
        .with_types("T", VECTOR, "T"),
        Kernel::new(
            "nested",
            "T block[$N] v = *b; if (positive(v)) { if (*mask) { v = *a; *b = v; } }",
            |d| {
                let n = d.n;
                d.has(0..0, 0..n, 0..0);
                let on: Vec<isize> = d.lanes().into_iter().filter(|&k| d.b[k] > 0).collect();
                let span = on.first().map_or(0..0, |&first| first..on[on.len() - 1] + 1);
                d.a = Numbers::some(d.element, span, 1);
            },
            |d| {
                each(d, |d, k| {
                    if d.b[k] > 0 {
                        d.b[k] = d.a[k];
                    }
                });
            },
        )
        .with_types(VECTOR, VECTOR, "T"),
        Kernel::new(
            "rounds_of_lanes",
            // Lane k sums k % 3 numbers if it is on.
            "T block[$N] s = *b; int block[$N] rounds = *mask ? iota($N) % 3 : 0; int block[$N] k = 0;\n\
             while (k < rounds) { s = add(s, a[k]); k += 1; } *b = s;",
            memory!(|d| 0..d.lanes().iter().map(|k| k % 3).max().unwrap_or(0)),
            |d| each(d, |d, k| d.b[k] += (0..k % 3).map(|j| d.a[j]).sum::<i64>()),
        )
        .with_types("T", VECTOR, "T"),
        Kernel::new(
            "do_at_least_once",
            "if (*mask) { int block[$N] k = 0; do { *b = a[k]; k += 1; } while (k < 2); }",
            memory!(|d| if d.any() { 0..2 } else { 0..0 }),
            |d| each(d, |d, k| d.b[k] = d.a[1]),
        )
        .with_types("T", VECTOR, "T"),
        Kernel::new(
            "scalar_if_inside",
            "if (*mask) { if (*a == *c) *b = *a; }",
            |d| {
                let (one, n) = (one(d), d.n);
                d.has(one.clone(), 0..n, one);
            },
            |d| {
                each(d, |d, k| {
                    if d.a[0] == d.c[0] {
                        d.b[k] = d.a[0];
                    }
                });
            },
        )
        .with_types("T", VECTOR, "T"),
        Kernel::new(
            "scalar_loop_inside",
            "if (*mask) { for (int k = 0; positive(a[k]); ++k) *b = a[k]; }",
            |d| {
                let n = d.n;
                d.has(if d.any() { 0..3 } else { 0..0 }, 0..n, 0..0);
                if d.any() {
                    (d.a[0], d.a[1], d.a[2]) = (1, 1, 0);
                }
            },
            |d| each(d, |d, k| d.b[k] = d.a[1]),
        )
        .with_types("T", VECTOR, "T"),
        Kernel::all_off("endless", "if (*mask) { while (true) index[0] += 1; }"),
        Kernel::all_off(
            "endless_on_lanes",
            "int block[$N] v = 1; if (*mask) { while (v == v) v += 1; index[0] = reduce_add(v); }",
        ),
        Kernel::all_off("endless_without_effect", "if (*mask) { while (true) { } }"),
        Kernel::all_off("endless_for", "if (*mask) { for (;;) { if (!*mask) break; } }"),
        Kernel::all_off("endless_recursion", "T block[$N] v = (T) 1; if (*mask) *b = never_ends(v);")
            .with_types("T", VECTOR, "T"),
    ]
}

/// Loops that lanes leave one by one, or never enter.
fn jumps() -> Vec<Kernel> {
    vec![
        Kernel::new(
            "break_out_of_do",
            "T block[$N] v = (T) 0; do { if (!*mask) break; v = *a; } while (false); *b = v;",
            memory!(one),
            |d| (0..d.n).for_each(|k| d.b[k] = if d.is_on(k) { d.a[0] } else { 0 }),
        )
        .with_types("T", VECTOR, "T"),
        Kernel::new(
            "break_out_of_while",
            "T block[$N] v = *b; while (*mask) { v = *a; break; } *b = v;",
            memory!(Data::span),
            |d| each(d, |d, k| d.b[k] = d.a[k]),
        )
        .with_types(VECTOR, VECTOR, "T"),
        Kernel::new(
            "continue_before_the_load",
            "T block[$N] v = *b; for (int k = 0; k < 2; ++k) { if (!*mask) continue; v = add(v, *a); } *b = v;",
            memory!(Data::span),
            |d| each(d, |d, k| d.b[k] += 2 * d.a[k]),
        )
        .with_types(VECTOR, VECTOR, "T"),
        Kernel::new(
            "loop_while_the_mask_is_on",
            "bool block[$N] m = *mask; T block[$N] v = *b; while (m) { v = *a; *a = (T) 1; m = false; } *b = v;",
            memory!(Data::span),
            |d| {
                each(d, |d, k| {
                    d.b[k] = d.a[k];
                    d.a[k] = 1;
                });
            },
        )
        .with_types(VECTOR, VECTOR, "T"),
        Kernel::new(
            "lanes_leave_two_loops",
            "T block[$N] v = *b; bool block[$N] m = *mask;\n\
             for (int j = 0; j < 2; ++j) { int block[$N] k = 0; while (m) { if (k >= 2) break; v = add(v, a[k]); k += 1; } } *b = v;",
            memory!(|d| if d.any() { 0..2 } else { 0..0 }),
            |d| each(d, |d, k| d.b[k] += 2 * (d.a[0] + d.a[1])),
        )
        .with_types("T", VECTOR, "T"),
    ]
}

/// Scalars and records under a mask: what happens once, if at all.
fn scalars() -> Vec<Kernel> {
    vec![
        Kernel::new("update_one", "if (*mask) *a = *a + *a;", memory!(one), |d| {
            if d.any() {
                d.a[0] += d.a[0];
            }
        })
        .only_for(|e| e != Element::Bool),
        Kernel::new("increment_one", "if (*mask) { ++*a; *a += 2; }", memory!(one), |d| {
            if d.any() {
                d.a[0] += 3;
            }
        })
        .only_for(|e| e != Element::Bool),
        Kernel::new(
            "copy_a_record",
            "if (*mask) *a = *c;",
            |d| {
                let all = if d.any() { 0..3 } else { 0..0 };
                d.has(all.clone(), 0..0, all);
            },
            |d| (0..if d.any() { 3 } else { 0 }).for_each(|m| d.a[m] = d.c[m]),
        )
        .with_types("R3", "T", "R3"),
        Kernel::new("set_a_member", "T s = *b; if (*mask) a->y = s;", memory!(|d| if d.any() { 0..3 } else { 0..0 }), |d| {
            if d.any() {
                d.a[1] = d.b[0];
            }
        })
        .with_types("R3", "T", "T"),
        Kernel::new(
            "through_two_pointers",
            "T *scalar p = a; T *scalar *scalar q = &p; if (*mask) *b = **q;",
            memory!(one),
            |d| each(d, |d, k| d.b[k] = d.a[0]),
        )
        .with_types("T", VECTOR, "T"),
        Kernel::new("load_if_any", "*b = any(*mask) ? *a : (T) 0;", memory!(one), |d| {
            d.b[0] = if d.any() { d.a[0] } else { 0 };
        }),
        Kernel::new("test_if_any", "*b = any(*mask) && positive(*a) ? (T) 1 : (T) 0;", memory!(one), |d| {
            d.b[0] = i64::from(d.any() && d.a[0] > 0);
        }),
        Kernel::new(
            "change_a_global",
            "scalar { counter = 0; } if (*mask) count(); *index = counter;",
            |d| d.has_index(1, |_| 5),
            |d| d.index[0] = i64::from(d.any()),
        ),
        Kernel::new(
            "sum_of_many",
            "if (*mask) { T s = a[0]; for (int k = 1; k < 4; ++k) s += a[k]; *a = s; }",
            memory!(|d| if d.any() { 0..4 } else { 0..0 }),
            |d| {
                if d.any() {
                    d.a[0] += d.a[1] + d.a[2] + d.a[3];
                }
            },
        )
        .only_for(|e| e != Element::Bool),
        Kernel::new(
            "store_at_each_lane_number",
            "if (*mask) foreach_unique (int u : lane_index) a[u] = (T) 1;",
            memory!(Data::span),
            |d| each(d, |d, k| d.a[k] = 1),
        ),
    ]
}

fn effects() -> Vec<Kernel> {
    vec![
        Kernel::new(
            "call_for_each_lane",
            "if (*mask) foreach_active (int k) ivl_test_call(k);",
            |_| {},
            |d| {
                d.calls = d.lanes().len();
            },
        ),
        Kernel::new("call_in_scalar_code", "if (*mask) scalar { ivl_test_call(0); }", |_| {}, |d| d.calls = usize::from(d.any())),
        Kernel::new(
            "call_in_a_condition",
            "int block[$N] *indices = (int block[$N] *) index; if (*mask) { if (*indices >= 0) scalar { ivl_test_call(1); } }",
            index_lanes,
            |d| d.calls = usize::from(d.any()),
        ),
        Kernel::new("divide", "T block[$N] v = *b; if (*mask) { v = v / *a; v += v % *a; } *b = v;", memory!(Data::span), |d| {
            each(d, |d, k| {
                let quotient = if d.a[k] == 0 { 0 } else { d.b[k] / d.a[k] };
                d.b[k] = if d.a[k] == 0 { 0 } else { quotient + quotient % d.a[k] };
            });
        })
        .with_types(VECTOR, VECTOR, "T")
        .only_for(Element::is_integer),
        Kernel::new(
            "divide_by_zero",
            "T block[$N] v = *b; T zero = (T) *index; if (*mask) { v = v / zero; } *b = v;",
            |d| {
                let n = d.n;
                d.has(0..0, 0..n, 0..0);
                d.has_index(1, |_| 0);
            },
            |d| each(d, |d, k| d.b[k] = 0),
        )
        .with_types("T", VECTOR, "T")
        .only_for(Element::is_integer),
        Kernel::new(
            "divide_scalars_by_zero",
            "T zero = (T) *index; if (*mask) scalar { *a = *a / zero; }",
            |d| {
                let one = one(d);
                d.has(one, 0..0, 0..0);
                d.has_index(1, |_| 0);
            },
            |d| {
                if d.any() {
                    d.a[0] = 0;
                }
            },
        )
        .only_for(Element::is_integer),
        Kernel::new("stream", "T block[$N] v = *b; if (*mask) streaming_store(a, v);", memory!(Data::span), |d| {
            each(d, |d, k| d.a[k] = d.b[k])
        })
        .with_types(VECTOR, VECTOR, "T"),
        Kernel::new("prefetch", "if (*mask) prefetch(a);", memory!(Data::span), |_| {}).with_types("T", VECTOR, "T"),
        Kernel::all_off("print", "if (*mask) print(\"an inactive lane prints\\n\");"),
        Kernel::all_off("print_what_is_not_there", "if (*mask) print(\"%\\n\", *a);").with_types(VECTOR, "T", "T"),
        Kernel::all_off("assert", "if (*mask) assert(false);"),
        Kernel::all_off("delete", "if (*mask) delete a;"),
        Kernel::all_off("allocate", "if (*mask) { int scalar *scalar p = new int[-1]; p[0] = 1; }"),
    ]
}
