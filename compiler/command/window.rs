//! The window of an output that nobody gave: the largest one that the inputs allow.
//!
//! ```text
//! in [0, 640)   f(x) = in(x − 1) + in(x + 1)          f [1, 639)
//!               f(x) = in(x / 2)                      f [0, 1280)
//!               f(x) = repeat_edge(in(x − 1))         nothing ends it: that of the first input, [0, 640)
//! ```
//! The pipeline itself is asked, by its query for the windows that it requires: from one point that the inputs have, as far as
//! they go in each dimension alone. Where nothing ends it, or the ends do not fit together, it is the window of the first
//! input.

use std::ops::Range;

/// Behind this there is no end.
const FAR: i64 = 1 << 24;

/// The window of an output of which some dimensions are given. `allows` tells whether the inputs have what a window needs,
/// `first` is the window of the first input.
///
/// # Errors
/// The dimension that nothing ends, and that the first input does not have.
pub fn largest(
    given: &[Option<Range<i32>>],
    first: &[Range<i32>],
    allows: &mut dyn FnMut(&[Range<i32>]) -> bool,
) -> Result<Vec<Range<i32>>, usize> {
    let free: Vec<usize> = (0..given.len()).filter(|&d| given[d].is_none()).collect();
    let fallback = || -> Result<Vec<Range<i32>>, usize> {
        let dimension = |(d, range): (usize, &Option<Range<i32>>)| range.clone().or(first.get(d).cloned()).ok_or(d);
        given.iter().enumerate().map(dimension).collect()
    };
    if free.is_empty() {
        return fallback();
    }
    // A point to begin with: the middle of the first input, or a fraction or multiple of it.
    let point = |scale: &dyn Fn(i64) -> i64| -> Vec<Range<i32>> {
        let middle = |d: usize| first.get(d).map_or(0, |r| i64::from(r.start).midpoint(r.end.into()));
        let one = |c: i64| i32::try_from(c).map_or(0..1, |c| c..c.saturating_add(1));
        given.iter().enumerate().map(|(d, range)| range.clone().unwrap_or_else(|| one(scale(middle(d))))).collect()
    };
    let scales: [&dyn Fn(i64) -> i64; 8] =
        [&|c| c, &|c| c / 2, &|c| c / 4, &|c| c / 8, &|c| c / 16, &|c| c * 2, &|c| c * 4, &|_| 0];
    let Some(seed) = scales.into_iter().map(point).find(|point| allows(point)) else {
        if free.len() == given.len() {
            return fallback();
        }
        // What is given is too much: the others are what they were without it.
        let all = largest(&vec![None; given.len()], first, allows)?;
        return Ok(given.iter().zip(all).map(|(given, found)| given.clone().unwrap_or(found)).collect());
    };
    let mut window = seed.clone();
    for d in free {
        let middle = i64::from(seed[d].start);
        let mut reaches = |distance: i64| {
            let Ok(c) = i32::try_from(middle + distance) else { return false };
            let mut at = seed.clone();
            at[d] = c..c.saturating_add(1);
            allows(&at)
        };
        match (farthest(&mut |n| reaches(-n)), farthest(&mut reaches)) {
            (Some(before), Some(behind)) => window[d] = (middle - before) as i32..(middle + behind + 1) as i32,
            _ => window[d] = first.get(d).cloned().ok_or(d)?,
        }
    }
    if allows(&window) { Ok(window) } else { fallback() }
}

/// The greatest n that is reached, if 0 … n are and none behind it; `None` if there is no end.
fn farthest(reaches: &mut dyn FnMut(i64) -> bool) -> Option<i64> {
    let mut step = 1;
    while reaches(step) {
        step *= 2;
        if step > FAR {
            return None;
        }
    }
    let (mut low, mut high) = (step / 2, step);
    while high - low > 1 {
        let middle = low.midpoint(high);
        if reaches(middle) { low = middle } else { high = middle }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A window of one dimension.
    fn one(range: Range<i32>) -> [Range<i32>; 1] {
        [range]
    }

    /// Whether what `needs` gives for a window is inside of [0, 100).
    fn within(needs: impl Fn(&Range<i32>) -> Range<i32>) -> impl FnMut(&[Range<i32>]) -> bool {
        move |window| {
            let needed = needs(&window[0]);
            needed.start >= 0 && needed.end <= 100
        }
    }

    #[test]
    fn windows_reach_as_far_as_the_inputs() {
        let first = one(0..100);
        let of = |needs: fn(&Range<i32>) -> Range<i32>| largest(&[None], &first, &mut within(needs)).map(|w| w[0].clone());
        assert_eq!(of(|w| w.start - 1..w.end + 1), Ok(1..99));
        assert_eq!(of(|w| w.start.div_euclid(2)..(w.end - 1).div_euclid(2) + 1), Ok(0..200));
        assert_eq!(of(|w| 2 * w.start..2 * (w.end - 1) + 2), Ok(0..50));
        assert_eq!(of(|w| w.start - 1000..w.end - 1000), Ok(0..100), "the point to begin with is not found");
        assert_eq!(of(|_| 0..100), Ok(0..100), "nothing ends it");
        assert_eq!(of(|w| w.start + 7..w.end + 7), Ok(-7..93));
        assert_eq!(of(|_| -1..1), Ok(0..100), "nothing is allowed");
    }

    #[test]
    fn what_is_given_stays() {
        let ends = &mut |window: &[Range<i32>]| window[0].start >= window[1].start && window[0].end <= 100;
        assert_eq!(largest(&[None, Some(20..30)], &one(0..100), ends), Ok(vec![20..100, 20..30]));
        assert_eq!(largest(&[Some(1..2), None], &one(0..100), &mut |_| true), Err(1));
        let mut both = |window: &[Range<i32>]| window.iter().all(|r| r.start >= 1 && r.end <= 9);
        assert_eq!(largest(&[None, Some(0..50)], &[0..10, 0..10], &mut both), Ok(vec![1..9, 0..50]));
    }
}
