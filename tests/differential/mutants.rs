//! Bugs planted on purpose: what a compiler that makes a certain mistake would have made of a module. The oracles have to
//! find each of them, soon.

use super::changes;
use super::lane_mistakes::{dropped_mask, one_lane_too_many, swapped_blend};
use super::predication_mistakes::{stale_loop_mask, unmasked_reduction, wrong_scatter_order};
use ivlc::machine::Isa;
use ivlc::vector::ir::*;

/// A mistake in the making of one function.
#[derive(Clone, Copy)]
pub struct Mistake {
    /// What is done wrong.
    pub name: &'static str,
    /// The pass of `optimize` or `legalize` that could be at fault; none of predication.
    pub pass: Option<&'static str>,
    /// Where it is made: some passes work for some machines alone.
    pub isa: Isa,
    make: Make,
}

#[derive(Clone, Copy)]
enum Make {
    Anywhere(fn(&mut Function)),
    /// In the instructions of the pass, which are those from a number on.
    Added(fn(&mut Function, usize)),
}

const fn of_predication(name: &'static str, make: fn(&mut Function)) -> Mistake {
    Mistake { name, pass: None, isa: Isa::Avx2, make: Make::Anywhere(make) }
}

const fn behind(pass: &'static str, name: &'static str, make: fn(&mut Function)) -> Mistake {
    Mistake { name, pass: Some(pass), isa: Isa::Avx2, make: Make::Anywhere(make) }
}

const fn within(pass: &'static str, name: &'static str, make: fn(&mut Function, usize)) -> Mistake {
    Mistake { name, pass: Some(pass), isa: Isa::Avx2, make: Make::Added(make) }
}

impl Mistake {
    const fn on(self, isa: Isa) -> Mistake {
        Mistake { isa, ..self }
    }

    /// Makes it in functions that had so many instructions before. Does it change any?
    pub fn make(self, module: &mut Module, before: &[usize]) -> bool {
        let right = module.functions.clone();
        for (function, &before) in module.functions.iter_mut().zip(before) {
            match self.make {
                Make::Anywhere(make) => make(function),
                Make::Added(make) => make(function, before),
            }
        }
        module.functions != right
    }
}

/// All of them.
pub const MUTANTS: &[Mistake] = &[
    of_predication("a wrong mask in else", wrong_mask_in_else),
    of_predication("a dropped mask of a store", dropped_mask),
    of_predication("a swapped blend", swapped_blend),
    of_predication("a region entered under an all-false mask", entered_without_lanes),
    of_predication("a tail of one lane too many", one_lane_too_many),
    of_predication("a wrong shift count", wrong_shift_count),
    of_predication("the wrong lane broadcast", wrong_lane),
    of_predication("a scatter in the wrong lane order", wrong_scatter_order),
    of_predication("a stale mask in a loop", stale_loop_mask),
    of_predication("an unmasked reduction", unmasked_reduction),
    of_predication("a signed comparison for an unsigned one", changes::wrong_sign),
    of_predication("a saturating sum that wraps", wrapping_sum),
    of_predication("a compared exchange that exchanges whatever is there", uncompared_exchange),
    of_predication("a sum of four products that takes a sign for a number", wrong_signs_of_products),
    of_predication("a high product of unsigned numbers for signed ones", wrong_high_product),
    behind("agreeing_lanes", "lanes that agree where the first one does", first_lane_for_all),
    behind("constant_permutes", "a shuffle by constants with two lanes exchanged", exchanged_lanes),
    behind("partial_reductions", "a sum of groups that takes the lanes that are off", unmasked_groups),
    behind("partial_reductions", "a total that takes lanes that are off", unmasked_halves),
    behind("partial_reductions", "a total that begins with nothing", forgotten_start),
    behind("partial_reductions", "a weight that is that of the next lane", shifted_weights),
    behind("summation_by_parts", "a weight that shrinks where it grows", opposite_growth),
    behind("local_lanes", "a local that is stored without a mask that is not its own", changes::unmasked_locals),
    behind("slot_values", "a masked store to a value that keeps nothing", kept_nothing),
    behind("demanded_lanes", "a mask that is left out where other lanes are looked at", left_out_mask),
    behind("demanded_lanes", "a user that looks through what is chosen for it", changes::chosen_for_nobody),
    of_predication("an interleave of two vectors with two lanes swapped", swapped_interleave),
    of_predication("a compression that ignores the mask", unmasked_compression),
    of_predication("a look-up that goes by the wrong lane's number", shifted_look_up),
    behind("table_look_ups", "a look-up with two elements of its table exchanged", exchanged_elements),
    behind("interleaved_loads", "streams that are taken apart with two lanes swapped", swapped_parts),
    behind("exclusive_selects", "a choice that is made under the mask of the next one", wrong_choice),
    behind("interleaved_stores", "an interleave with two lanes swapped", swapped_streams),
    behind("transposed_loads", "a transposition with two columns exchanged", exchanged_columns),
    behind("strided_loads", "a load at a distance that is gathered with one wrong lane", wrong_gathered_lane),
    behind("paired_gathers", "a gather of pairs whose second halves are the first", wrong_half_of_pairs),
    behind("narrow_gathers", "a word around a narrow element with a wrong lane", wrong_lane_of_words),
    behind("product_sums", "a sum of four products in words that lost their signs", lost_signs),
    behind("expansions", "a lane taken apart that counts itself", counted_itself),
    behind("single_lanes", "a lane that is off and reads all the same", reads_everywhere),
    behind("short_loops", "a loop written out without its last round", changes::last_round_forgotten),
    behind("narrow_arithmetic", "a shift of a word without a sign that has one", signed_words),
    behind("unrolled_loops", "a loop over members that takes the first one twice", first_member_twice),
    behind("interleaved_loads", "the upper half of a record with a sign that it has not", signed_halves),
    behind("composed_shuffles", "a move of what was moved with two parts exchanged", exchanged_parts),
    behind("memory_access", "numbers in blocks that lie a block further on, whichever it is", wrong_block),
    within("clamped_floats", "a clamp of floats that forgets NaN", changes::forgotten_nan),
    within("rounded_products", "a factor that is not shifted", changes::unshifted_factor),
    within("branched_extremes", "the smaller one for the greater one", changes::other_extreme),
    within("asked_loads", "what rounds load that is not asked whether one writes it", changes::unasked_areas),
    within("constant_rounds", "a loop around a counter that has one round more", changes::one_round_more),
    within("branched_stores", "a store of what the other way stores", changes::ways_exchanged),
    within("vectorized_rounds", "lanes of a loop over numbers that are all the first round", changes::rounds_alike),
    within("vectorized_rounds", "what comes by the other way", changes::other_way),
    within("vectorized_rounds", "neighbours in a loop over numbers that are the first one", changes::same_neighbour),
    within("vectorized_rounds", "accesses of some rounds that are made in all", changes::accesses_in_all_rounds),
    within("vectorized_rounds", "a search that begins behind what it finds", changes::behind_what_is_found),
    within("vectorized_rounds", "last rounds that are found once more", changes::done_before),
    within("vectorized_rounds", "what is near and is taken to be apart", changes::taken_to_be_apart),
    within("vectorized_rounds", "rounds between the ends of an array that go on to the last one", changes::to_the_last_one),
    within("vectorized_rounds", "what a round is handed and made itself", changes::handed_to_itself),
    within("vectorized_rounds", "places behind lanes that are off", changes::place_of_all_lanes),
    within("vectorized_rounds", "lanes that go on in a loop that they have left", changes::left_and_gone_on),
    within("vectorized_rounds", "last rounds at once that begin one too early", changes::begins_too_early),
    within("vectorized_rounds", "a lane behind the last round that is on", changes::first_lane_behind).on(Isa::Avx512),
    within("local_arrays", "elements of an array that are the same one", changes::elements_alike),
    within("single_rounds", "blocks that have no loop and are the same one", changes::same_neighbour),
    within("constant_distances", "lanes at the distance of others", changes::ends_exchanged),
    within("repeated_loads", "what some lanes have stored and all know", changes::stored_by_all),
    within("loop_forms", "a limit that the first round is not below", changes::other_choice),
    within("counted_bits", "bits that are counted from the other end", changes::other_bits),
    within("counted_places", "a second number that goes the other way", changes::other_direction),
    within("counted_places", "a pointer that goes over every other element", changes::every_other_element),
    within("behind_loops", "a number that is seen behind a loop and goes the other way", changes::other_direction),
    within("vectorized_rounds", "memory of loops in loops that is not asked whether it meets", changes::unasked_areas),
    within("split_loops", "rounds without questions that begin too early", changes::lesser_one),
    within("split_blocks", "rounds without questions that end too late", changes::greater_one),
    within("vectorized_rounds", "an index that wraps and is taken to go on", changes::taken_not_to_wrap),
    within("upward_counters", "a number that goes up once too often", changes::one_round_more),
    within("vectorized_rounds", "sums of sums that begin with nothing", changes::forgotten_begin),
    within("deferred_remainders", "more rounds of sums than leave them numbers", changes::too_many_rounds),
    within("counted_ramps", "lanes that a loop counts that grow by one too many", changes::lanes_grow_too_much),
    within("short_tails", "a shorter tail of one lane too many", changes::lane_too_many),
    within("grouped_rounds", "a group of four rounds that goes on behind the third", changes::round_done_twice),
    within("paired_products", "products of words that are squares", changes::squares_of_words),
    within("reversed_lanes", "lanes that are counted from the wrong end", changes::wrong_end),
    within("plain_limits", "a search to the greater one of two limits", changes::greater_one),
    within("uniform_branches", "a choice of the other number", changes::other_choice),
    within("unswitched_loops", "a branch that is asked for the contrary in front of its loop", changes::contrary),
    within("vectorized_rounds", "memory of rounds that is not asked whether it meets", changes::unasked_tracks),
    within("turned_rounds", "rounds that turn squares and are the same one", changes::same_round),
    within("jammed_loops", "rounds beside each other that are the same one", changes::same_round),
    within("widened_rounds", "longer rounds that go on behind as many that nobody does", changes::rounds_left_out),
    behind("saturated_sums", "a sum that is limited for the other sign", changes::other_sign),
    within("joined_rounds", "rounds at once that go on while the first half does", changes::asked_by_halves),
    within("joined_rounds", "rounds at once that go on behind as many that nobody does", changes::rounds_left_out),
    within("joined_rounds", "last rounds that have as many lanes as are left of all", changes::greater_one),
    within("composed_shuffles", "words of two registers that change places", changes::words_of_two_registers_exchanged),
    within("joined_rounds", "totals of rounds at once that begin with nothing", changes::totals_without_beginning),
    within("widened_rounds", "totals of longer rounds that begin with nothing", changes::totals_without_beginning),
    within("reference_arguments", "parts of what is referred to that change places", changes::parts_exchanged),
    within("reference_arguments", "what is referred to and stays as it was", changes::nothing_comes_back),
    within("known_divisors", "a quotient that is not corrected", changes::uncorrected_quotient),
    within("known_divisors", "a quotient of what is too small", changes::unasked_size),
    within("known_divisors", "rounds that ask together and go on behind as many that nobody does", changes::rounds_left_out),
    within("early_exits", "four rounds of which the last one is not looked at", changes::unasked_round),
    within("equal_lanes", "lanes that are all to be equal where one is", changes::greater_one).on(Isa::Avx512),
];

pub fn ops(function: &mut Function) -> impl Iterator<Item = &mut Op> {
    function.insts.iter_mut().map(|inst| &mut inst.op)
}

/// For each value, what `of` says of the operation that it comes from.
pub fn by_definition(function: &Function, of: impl Fn(&Op) -> Option<Value>) -> Vec<Option<Value>> {
    (0..function.values.len() as u32).map(|value| function.definition(Value(value)).and_then(&of)).collect()
}

/// `P and not c` is `P and c`.
fn wrong_mask_in_else(function: &mut Function) {
    let is_mask = |value: &Value| function.ty(*value).element == Element::Bool;
    let negated = by_definition(function, |op| if let Op::Unary(UnaryOp::Not, c) = op { Some(*c).filter(is_mask) } else { None });
    let vectors: Vec<bool> = function.values.iter().map(|value| value.ty.length > 1).collect();
    for op in ops(function) {
        if let Op::Binary(BinaryOp::And, _, b) = op
            && let Some(c) = negated[b.0 as usize].filter(|c| vectors[c.0 as usize])
        {
            *b = c;
        }
    }
}

/// Bytes of odd places are shifted down as if they had no sign.
fn lost_signs(function: &mut Function) {
    let factors: Vec<Value> =
        ops(function).flat_map(|op| if let Op::Dot2(a, b) = op { vec![*a, *b] } else { Vec::new() }).collect();
    for data in &mut function.insts {
        if let Op::Binary(op @ BinaryOp::AShr, ..) = &mut data.op
            && factors.contains(&data.results[0])
        {
            *op = BinaryOp::LShr;
        }
    }
}

/// How many lanes are on up to each, and with it.
fn counted_itself(function: &mut Function) {
    let numbers = by_definition(function, |op| if let Op::Convert(ConvertOp::ZExt, mask) = op { Some(*mask) } else { None });
    for op in ops(function) {
        if let Op::Shuffle(a, _, lanes) = op
            && numbers[a.0 as usize].is_some()
            && (-1..).zip(lanes.iter()).all(|(below, &lane)| lane == below)
        {
            *lanes = (0..lanes.len() as i16).collect();
        }
    }
}

/// Lanes that are off have addresses of their own, where nothing need be.
fn reads_everywhere(function: &mut Function) {
    let nowhere = by_definition(function, |op| if let Op::Splat(pointer) = op { Some(*pointer) } else { None });
    let pointers = by_definition(function, |op| if let Op::Select(_, pointers, _) = op { Some(*pointers) } else { None });
    let reads = |value: Value| matches!(function.definition(value), Some(Op::Nowhere(Access::Read)));
    let is_safe = |op: &Op| matches!(op, Op::Select(_, _, off) if nowhere[off.0 as usize].is_some_and(reads));
    let safe: Vec<usize> = (0..function.insts.len()).filter(|&inst| is_safe(&function.insts[inst].op)).collect();
    for inst in safe {
        let result = function.insts[inst].results[0];
        if let (Op::Select(_, _, off), Some(own)) = (&mut function.insts[inst].op, pointers[result.0 as usize]) {
            *off = own;
        }
    }
}

/// `branch any(m), inside, behind` goes inside.
fn entered_without_lanes(function: &mut Function) {
    let anys: Vec<bool> =
        (0..function.values.len() as u32).map(|v| matches!(function.definition(Value(v)), Some(Op::Any(_)))).collect();
    for block in &mut function.blocks {
        if let Terminator::Branch { condition, then, .. } = &block.terminator
            && anys[condition.0 as usize]
        {
            block.terminator = Terminator::Jump(then.clone());
        }
    }
}

/// Of two ends of a block that are compared, only the first is.
fn first_lane_for_all(function: &mut Function) {
    let sums: Vec<(Value, Value)> = (function.insts.iter())
        .filter_map(|data| match data.op {
            Op::Binary(BinaryOp::Add, first, _) if function.ty(first).length == 1 => Some((data.results[0], first)),
            _ => None,
        })
        .collect();
    let ends: Vec<(Value, Value)> = (function.insts.iter())
        .filter_map(|data| match data.op {
            Op::Compare(CompareOp::SLe | CompareOp::ULe, first, last) => Some((last, first)).filter(|ends| sums.contains(ends)),
            _ => None,
        })
        .collect();
    for op in ops(function) {
        if let Op::Compare(_, last, _) = op
            && let Some((_, first)) = ends.iter().find(|(end, _)| end == last)
        {
            *last = *first;
        }
    }
}

fn wrapping_sum(function: &mut Function) {
    for op in ops(function) {
        if let Op::Binary(op @ (BinaryOp::SAddSat | BinaryOp::UAddSat), ..) = op {
            *op = BinaryOp::Add;
        }
    }
}

fn uncompared_exchange(function: &mut Function) {
    for op in ops(function) {
        if let Op::Exchange { expected, .. } = op {
            *expected = None;
        }
    }
}

fn wrong_signs_of_products(function: &mut Function) {
    for op in ops(function) {
        if let Op::Dot4 { signed, .. } = op {
            *signed = [false, false];
        }
    }
}

fn wrong_high_product(function: &mut Function) {
    for op in ops(function) {
        if let Op::Binary(op @ BinaryOp::SMulHigh, ..) = op {
            *op = BinaryOp::UMulHigh;
        }
    }
}

fn wrong_shift_count(function: &mut Function) {
    for op in ops(function) {
        if let Op::Binary(BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr, a, b) = op {
            // The operands change places.
            std::mem::swap(a, b);
        }
    }
}

fn wrong_lane(function: &mut Function) {
    let (insts, values) = (function.insts.len(), function.values.clone());
    for i in 0..insts {
        if let Op::Extract(v, index) = function.insts[i].op {
            let length = values[v.0 as usize].ty.length;
            let other = (0..values.len() as u32).map(Value).find(|&other| {
                let is_constant = |value| matches!(function.definition(value), Some(Op::Const(_)));
                other != index && is_constant(other) && values[other.0 as usize].ty == Type::scalar(Element::I32)
            });
            if length > 1
                && let Some(other) = other
            {
                function.insts[i].op = Op::Extract(v, other);
            }
        }
    }
}

/// Sums of products and distances take lanes that a mask took out.
fn unmasked_groups(function: &mut Function) {
    let selected = by_definition(function, |op| if let Op::Select(_, a, _) = *op { Some(a) } else { None });
    for op in ops(function) {
        if let Op::Dot2(a, _) | Op::Sad(a, _) = op
            && let Some(all) = selected[a.0 as usize]
        {
            *a = all;
        }
    }
}

/// Lanes that are folded in halves are all on.
fn unmasked_halves(function: &mut Function) {
    let selected = by_definition(function, |op| if let Op::Select(_, a, _) = *op { Some(a) } else { None });
    for op in ops(function) {
        if let Op::Shuffle(a, b, _) = op
            && a == b
            && let Some(all) = selected[a.0 as usize]
        {
            (*a, *b) = (all, all);
        }
    }
}

/// Constants that multiply neighbours are those of their neighbours.
fn shifted_weights(function: &mut Function) {
    let is_factor = |function: &Function, value: Value| {
        let uses = |inst: &InstData| matches!(inst.op, Op::Dot2(_, b) | Op::Dot4 { b, .. } if b == value);
        function.insts.iter().any(uses)
    };
    let factors: Vec<usize> = (function.insts.iter().enumerate())
        .filter(|(_, inst)| matches!(&inst.op, Op::Const(bits) if bits.len() > 1) && is_factor(function, inst.results[0]))
        .map(|(k, _)| k)
        .collect();
    for inst in factors {
        if let Op::Const(bits) = &mut function.insts[inst].op {
            bits.rotate_left(1);
        }
    }
}

/// The sums of sums behind a loop count with the other sign.
fn opposite_growth(function: &mut Function) {
    let growths: Vec<(usize, u64)> = (function.insts.iter())
        .filter_map(|inst| match inst.op {
            Op::Binary(BinaryOp::Mul, a, b) if function.definition(a).is_none() => match function.values[b.0 as usize].def {
                ValueDef::Result(growth, _) => Some((growth.0 as usize, u64::MAX >> (64 - function.ty(b).element.bits()))),
                ValueDef::Parameter(..) => None,
            },
            _ => None,
        })
        .collect();
    for (inst, all) in growths {
        if let Op::Const(bits) = &mut function.insts[inst].op
            && let [growth] = &mut bits[..]
        {
            *growth = growth.wrapping_neg() & all;
        }
    }
}

/// A zip of the higher halves of squares of rows is one of the lower ones.
fn exchanged_columns(function: &mut Function) {
    let firsts = by_definition(function, |op| if let Op::Shuffle(a, ..) = *op { Some(a) } else { None });
    let loads = by_definition(function, |op| if let Op::Load { pointer, mask: None } = *op { Some(pointer) } else { None });
    let is_of_rows = |mut value: Value| {
        while let Some(first) = firsts[value.0 as usize] {
            value = first;
        }
        loads[value.0 as usize].is_some()
    };
    for op in ops(function) {
        if let Op::Shuffle(a, b, lanes) = op
            && a != b
            && is_of_rows(*a)
            && let Some(side) = [2, 4, 8, 16].into_iter().find(|side| {
                let length = lanes.len() as i16;
                let lane = |k: i16| k / side * side + side / 2 + k % side / 2 + if k % 2 == 1 { length } else { 0 };
                (0..length).all(|k| lanes[k as usize] == lane(k))
            })
        {
            lanes.iter_mut().for_each(|lane| *lane -= side / 2);
        }
    }
}

/// `select m, a, b` is `a`.
fn kept_nothing(function: &mut Function) {
    let lengths: Vec<u8> = function.values.iter().map(|value| value.ty.length).collect();
    for op in ops(function) {
        if let Op::Select(mask, stored, before) = op
            && lengths[mask.0 as usize] > 1
        {
            *before = *stored;
        }
    }
}

/// What a total was before its loop is left out.
fn forgotten_start(function: &mut Function) {
    let insertions: Vec<(usize, Value)> = (function.insts.iter().enumerate())
        .filter_map(|(k, inst)| match inst.op {
            Op::Insert(rest, ..) if matches!(function.definition(rest), Some(Op::Const(bits)) if bits == &[0]) => Some((k, rest)),
            _ => None,
        })
        .collect();
    for (inst, rest) in insertions {
        function.insts[inst].op = Op::Shuffle(rest, rest, (0..i16::from(function.ty(rest).length)).collect());
    }
}

/// `select (and P, c), a, b` is `select c, a, b`.
fn left_out_mask(function: &mut Function) {
    let conditions =
        by_definition(function, |op| if let Op::Binary(BinaryOp::And, _, condition) = *op { Some(condition) } else { None });
    for op in ops(function) {
        if let Op::Select(mask, ..) = op
            && let Some(condition) = conditions[mask.0 as usize]
        {
            *mask = condition;
        }
    }
}

/// Of two vectors that are put together, two lanes change their places.
fn swapped_streams(function: &mut Function) {
    let stored = |op: &mut Op| if let Op::Store { value, .. } = op { Some(*value) } else { None };
    let stored: Vec<Value> = ops(function).filter_map(stored).collect();
    for inst in &mut function.insts {
        if let Op::Shuffle(a, b, lanes) = &mut inst.op
            && a != b
            && lanes.len() > 2
            && stored.contains(&inst.results[0])
        {
            lanes.swap(0, 1);
        }
    }
}

/// Of two vectors that were loaded side by side, two lanes change their places.
fn swapped_parts(function: &mut Function) {
    let loaded = by_definition(function, |op| if let Op::Load { pointer, .. } = op { Some(*pointer) } else { None });
    for op in ops(function) {
        if let Op::Shuffle(a, b, lanes) = op
            && a != b
            && lanes.len() > 2
            && [*a, *b].iter().all(|value| loaded[value.0 as usize].is_some())
        {
            lanes.swap(0, 1);
        }
    }
}

/// Of the numbers by which a gather finds its lanes, the second is the first.
fn wrong_gathered_lane(function: &mut Function) {
    let indices = by_definition(function, |op| if let Op::PtrIndex { index, .. } = op { Some(*index) } else { None });
    let gathered = |data: &InstData| if let Op::Gather { pointers, .. } = data.op { indices[pointers.0 as usize] } else { None };
    let gathered: Vec<Value> = function.insts.iter().filter_map(gathered).collect();
    for data in &mut function.insts {
        if let Op::Const(lanes) = &mut data.op
            && lanes.len() > 1
            && gathered.contains(&data.results[0])
        {
            lanes[1] = lanes[0];
        }
    }
}

/// What is picked from gathered pairs begins with the other half.
fn wrong_half_of_pairs(function: &mut Function) {
    let gathered = by_definition(function, |op| if let Op::Gather { pointers, .. } = op { Some(*pointers) } else { None });
    let pairs = by_definition(function, |op| if let Op::Reinterpret(words) = op { gathered[words.0 as usize] } else { None });
    for op in ops(function) {
        if let Op::Shuffle(a, _, lanes) = op
            && pairs[a.0 as usize].is_some()
        {
            lanes[0] ^= 1;
        }
    }
}

/// Of the words that elements are taken from, the first one is shifted by too little.
fn wrong_lane_of_words(function: &mut Function) {
    let gathered = by_definition(function, |op| if let Op::Gather { pointers, .. } = op { Some(*pointers) } else { None });
    let shifts = by_definition(function, |op| match *op {
        Op::Binary(BinaryOp::LShr, words, count) if gathered[words.0 as usize].is_some() => Some(count),
        _ => None,
    });
    let shift = |data: &InstData| if let Op::Convert(ConvertOp::Trunc, a) = data.op { shifts[a.0 as usize] } else { None };
    let counts: Vec<Value> = function.insts.iter().filter_map(shift).collect();
    let lengths: Vec<u8> = function.values.iter().map(|value| value.ty.length).collect();
    for data in &mut function.insts {
        if let Op::Const(lanes) = &mut data.op
            && counts.contains(&data.results[0])
            && lanes[0] >= 8
        {
            *lanes = vec![lanes[0]; lengths[data.results[0].0 as usize].into()];
            lanes[0] -= 8;
        }
    }
}

/// Of two choices one behind another, the second one takes the mask of the first.
fn wrong_choice(function: &mut Function) {
    let masks = by_definition(function, |op| if let Op::Select(mask, ..) = op { Some(*mask) } else { None });
    for op in ops(function) {
        if let Op::Select(mask, _, off) = op
            && let Some(other) = masks[off.0 as usize]
        {
            *mask = other;
        }
    }
}

/// Of a shuffle, the first two lanes change their places.
fn exchanged_lanes(function: &mut Function) {
    for op in ops(function) {
        if let Op::Shuffle(_, _, lanes) = op
            && lanes.len() > 2
        {
            lanes.swap(0, 1);
        }
    }
}

/// Words are shifted as if the highest bit were a sign.
fn signed_words(function: &mut Function) {
    let is_word = |value: &Value| function.ty(*value).element == Element::I16 && function.ty(*value).length > 1;
    let words: Vec<bool> = (0..function.values.len() as u32).map(|value| is_word(&Value(value))).collect();
    for op in ops(function) {
        if let Op::Binary(op @ BinaryOp::LShr, a, _) = op
            && words[a.0 as usize]
        {
            *op = BinaryOp::AShr;
        }
    }
}

/// The number of a block is added to the size of one.
fn wrong_block(function: &mut Function) {
    for inst in 0..function.insts.len() {
        let Op::Binary(BinaryOp::Mul, number, size) = function.insts[inst].op else { continue };
        let is_number = matches!(function.definition(number), Some(Op::Binary(BinaryOp::AShr, ..)));
        if is_number && function.ty(number) == Type::scalar(Element::I64) {
            function.insts[inst].op = Op::Binary(BinaryOp::Add, number, size);
        }
    }
}

/// Of several indices that lanes have in common, each but the first is that of the first one.
fn first_member_twice(function: &mut Function) {
    for block in function.blocks.clone() {
        let mut splats = block.insts.iter().filter(|inst| matches!(function.insts[inst.0 as usize].op, Op::Splat(_)));
        let (Some(first), Some(second)) = (splats.next(), splats.next()) else { continue };
        let [a, b] = [first, second].map(|inst| function.insts[inst.0 as usize].results[0]);
        if function.ty(a) == function.ty(b) {
            function.insts[second.0 as usize].op = function.insts[first.0 as usize].op.clone();
        }
    }
}

/// What was a part of a longer number, without a sign, comes with one.
fn signed_halves(function: &mut Function) {
    let records = by_definition(function, |op| if let Op::Reinterpret(a) = op { Some(*a) } else { None });
    for op in ops(function) {
        if let Op::Binary(op @ BinaryOp::LShr, a, _) = op
            && records[a.0 as usize].is_some()
        {
            *op = BinaryOp::AShr;
        }
    }
}

/// Of a move within one value, the first two parts change their places.
fn exchanged_parts(function: &mut Function) {
    for op in ops(function) {
        if let Op::Shuffle(a, b, lanes) = op
            && a == b
            && lanes.len() > 2
        {
            lanes.swap(0, 1);
        }
    }
}

/// a₀ a₁ b₀ …
fn swapped_interleave(function: &mut Function) {
    let lengths: Vec<u8> = function.values.iter().map(|value| value.ty.length).collect();
    for op in ops(function) {
        if let Op::Shuffle(a, _, lanes) = op
            && lanes.len() == 2 * usize::from(lengths[a.0 as usize])
            && lanes.len() > 2
        {
            lanes.swap(1, 2);
        }
    }
}

/// Of `and P, m` the second one alone.
fn unmasked_compression(function: &mut Function) {
    let narrowed = by_definition(function, |op| if let Op::Binary(BinaryOp::And, _, m) = *op { Some(m) } else { None });
    for op in ops(function) {
        if let Op::Compress(_, mask) | Op::Expand(_, mask) = op
            && let Some(condition) = narrowed[mask.0 as usize]
        {
            *mask = condition;
        }
    }
}

/// Lane i takes what the number of its neighbour says.
fn shifted_look_up(function: &mut Function) {
    for block in 0..function.blocks.len() {
        let mut at = 0;
        while at < function.blocks[block].insts.len() {
            let inst = function.blocks[block].insts[at];
            if let Op::Permute(table, indices) = function.insts[inst.0 as usize].op {
                let ty = function.ty(indices);
                let length = i16::from(ty.length);
                let lanes = (0..length).map(|lane| (lane + 1) % length).collect();
                let span = function.insts[inst.0 as usize].span;
                let (shift, shifted) = function.create(Op::Shuffle(indices, indices, lanes), ty, span);
                function.blocks[block].insts.insert(at, shift);
                function.insts[inst.0 as usize].op = Op::Permute(table, shifted);
                at += 1;
            }
            at += 1;
        }
    }
}

/// The first two elements of a table that is loaded change their places.
fn exchanged_elements(function: &mut Function) {
    for block in 0..function.blocks.len() {
        let mut at = 0;
        while at < function.blocks[block].insts.len() {
            let inst = function.blocks[block].insts[at];
            if let Op::Permute(table, indices) = function.insts[inst.0 as usize].op
                && let Some(Op::Load { .. }) = function.definition(table)
            {
                let ty = function.ty(table);
                let lanes = [1, 0].into_iter().chain(2..i16::from(ty.length)).collect();
                let span = function.insts[inst.0 as usize].span;
                let (exchange, exchanged) = function.create(Op::Shuffle(table, table, lanes), ty, span);
                function.blocks[block].insts.insert(at, exchange);
                function.insts[inst.0 as usize].op = Op::Permute(exchanged, indices);
                at += 1;
            }
            at += 1;
        }
    }
}
