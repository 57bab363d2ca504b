//! Mistakes in what a pass has made of loops, and in what it has put into a function: the instructions from a number on are its own.

use ivlc::vector::ir::*;

/// The instructions of a pass, by number.
fn added(function: &Function, from: usize) -> impl Iterator<Item = usize> + use<> {
    from..function.insts.len()
}

/// Makes the constant that a value is another one.
fn set(function: &mut Function, value: Value, bits: impl Fn(u64) -> u64) {
    if let ValueDef::Result(inst, _) = function.values[value.0 as usize].def
        && let Op::Const(lanes) = &mut function.insts[inst.0 as usize].op
    {
        lanes.iter_mut().for_each(|lane| *lane = bits(*lane));
    }
}

/// The counters of rounds that run beside each other are that of the first one. What goes on to the next round stays.
pub fn same_round(function: &mut Function, from: usize) {
    let mut goes_on = vec![false; function.values.len()];
    function.blocks.iter().for_each(|block| block.terminator.for_each(|value| goes_on[value.0 as usize] = true));
    for inst in added(function, from) {
        let InstData { op: Op::Binary(BinaryOp::Add, _, by), ref results, .. } = function.insts[inst] else { continue };
        if !goes_on[results[0].0 as usize] && function.ty(by).length == 1 {
            set(function, by, |_| 0);
        }
    }
}

/// Of masks that are asked together the last one is left out.
pub fn unasked_round(function: &mut Function, from: usize) {
    let is_mask = |op: &Op| matches!(op, Op::Binary(BinaryOp::Or, a, _) if function.ty(*a).element == Element::Bool && function.ty(*a).length > 1);
    let last = added(function, from).filter(|&inst| is_mask(&function.insts[inst].op)).last();
    if let Some(last) = last
        && let Op::Binary(_, a, b) = &mut function.insts[last].op
    {
        *b = *a;
    }
}

/// Factors that are shifted to be rounded at the right place are not.
pub fn unshifted_factor(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        if let Op::Binary(BinaryOp::Shl, _, count) = function.insts[inst].op {
            set(function, count, |_| 0);
        }
    }
}

/// One lane more is done in a shorter vector.
pub fn lane_too_many(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        if let Op::Compare(CompareOp::ULe, _, few) = function.insts[inst].op {
            set(function, few, |few| few + 1);
        }
    }
}

/// Of what a loop begins with nothing is brought into its rounds.
pub fn forgotten_begin(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        let Op::Select(_, all, none) = function.insts[inst].op else { continue };
        let is_nothing = matches!(function.definition(none), Some(Op::Const(bits)) if bits[..] == [0]);
        if function.ty(all).length == 1
            && is_nothing
            && let Op::Select(_, all, none) = &mut function.insts[inst].op
        {
            *all = *none;
        }
    }
}

/// A block of rounds has sixteen times as many.
pub fn too_many_rounds(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        if let Op::Compare(CompareOp::ULt, most, _) = function.insts[inst].op {
            set(function, most, |most| most * 16);
        }
    }
}

/// Lanes that a loop counts grow by one too many each round.
pub fn lanes_grow_too_much(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        let is_vector = function.insts[inst].results.first().is_some_and(|result| function.ty(*result).length > 1);
        if let Op::Const(bits) = &mut function.insts[inst].op
            && is_vector
        {
            bits[0] += 1;
        }
    }
}

/// What is clamped is NaN as well.
pub fn forgotten_nan(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        if let Op::Select(_, inside, zero) = &mut function.insts[inst].op {
            *zero = *inside;
        }
    }
}

/// What a loop that is written out compares its counter with is one less.
pub fn last_round_forgotten(function: &mut Function) {
    for block in 0..function.blocks.len() {
        let insts = &function.blocks[block].insts;
        let is_written_out = insts.iter().any(|inst| matches!(function.insts[inst.0 as usize].op, Op::Unroll(Unrolling::All)));
        let compared = insts.iter().copied().find_map(|inst| match function.insts[inst.0 as usize].op {
            Op::Compare(op @ (CompareOp::SLt | CompareOp::ULt), a, b) => Some((inst, op, a, b)),
            _ => None,
        });
        if let (true, Some((inst, op, a, b))) = (is_written_out, compared)
            && let Some(Op::Const(bits)) = function.definition(b)
        {
            let (less, ty, span) = (bits[0] - 1, function.ty(b), function.insts[inst.0 as usize].span);
            let (limit, value) = function.create(Op::Const(vec![less]), ty, span);
            function.insts[inst.0 as usize].op = Op::Compare(op, a, value);
            function.blocks[block].insts.insert(0, limit);
        }
    }
}

/// Four rounds at once count as three.
pub fn round_done_twice(function: &mut Function, from: usize) {
    change_steps(function, from, |four| four / 4 * 3);
}

/// Of numbers the greater one takes the place of the smaller one.
pub fn greater_one(function: &mut Function, from: usize) {
    for data in &mut function.insts[from..] {
        if let Op::Binary(op @ (BinaryOp::UMin | BinaryOp::SMin), ..) = &mut data.op {
            *op = if *op == BinaryOp::UMin { BinaryOp::UMax } else { BinaryOp::SMax };
        }
    }
}

/// What begins at the greater one of two numbers begins at the lesser one.
pub fn lesser_one(function: &mut Function, from: usize) {
    for data in &mut function.insts[from..] {
        if let Op::Binary(op @ BinaryOp::SMax, ..) = &mut data.op {
            *op = BinaryOp::SMin;
        }
    }
}

/// Rounds at once go on behind as many that nobody does.
pub fn rounds_left_out(function: &mut Function, from: usize) {
    change_steps(function, from, |step| 2 * step);
}

/// Behind a loop, totals are handed on without what they were before it.
pub fn totals_without_beginning(function: &mut Function, from: usize) {
    for block in 0..function.blocks.len() {
        let Terminator::Jump(target) = &function.blocks[block].terminator else { continue };
        let leads_here = |of: Block| function.blocks[of.0 as usize].terminator.targets().any(|to| to.block.0 as usize == block);
        let added = |value: Value| {
            let ValueDef::Result(inst, _) = function.values[value.0 as usize].def else { return None };
            let Op::Binary(_, before, added) = function.insts[inst.0 as usize].op else { return None };
            let ValueDef::Parameter(of, _) = function.values[before.0 as usize].def else { return None };
            (inst.0 as usize >= from && of != target.block && !leads_here(of)).then_some(added)
        };
        let arguments = target.arguments.iter().map(|&value| added(value).unwrap_or(value)).collect();
        if let Terminator::Jump(target) = &mut function.blocks[block].terminator {
            target.arguments = arguments;
        }
    }
}

/// Words of two registers that are put together change places.
pub fn words_of_two_registers_exchanged(function: &mut Function, from: usize) {
    for inst in from..function.insts.len() {
        if let Op::Shuffle(a, b, lanes) = &mut function.insts[inst].op
            && a != b
        {
            let last = lanes.len() - 1;
            lanes.swap(0, last);
        }
    }
}

/// Products of words that are added up are those of the first words with themselves.
pub fn squares_of_words(function: &mut Function, from: usize) {
    for inst in from..function.insts.len() {
        if let Op::Dot2(a, _) = function.insts[inst].op {
            function.insts[inst].op = Op::Dot2(a, a);
        }
    }
}

/// The lanes of a mask are counted from the wrong end.
pub fn wrong_end(function: &mut Function, from: usize) {
    for inst in from..function.insts.len() {
        if let Op::Unary(UnaryOp::BitReverse, high) = function.insts[inst].op
            && let Some(&Op::Binary(BinaryOp::Shl, _, by)) = function.definition(high)
        {
            function.insts[inst].op = Op::Binary(BinaryOp::LShr, high, by);
        }
    }
}

/// What is asked whether it is equal is asked whether it is not.
pub fn contrary(function: &mut Function, from: usize) {
    for data in &mut function.insts[from..] {
        if let Op::Compare(op @ CompareOp::Eq, ..) = &mut data.op {
            *op = CompareOp::Ne;
        }
    }
}

/// What all rounds touch is apart, wherever it is.
pub fn unasked_tracks(function: &mut Function, from: usize) {
    let is_behind = |function: &Function, value: Value| matches!(function.definition(value), Some(Op::Compare(CompareOp::UGe, a, _)) if function.ty(*a).element == Element::I64);
    for inst in from..function.insts.len() {
        if let Op::Binary(BinaryOp::And, apart, few) = function.insts[inst].op
            && let Some(&Op::Binary(BinaryOp::Or, a, b)) = function.definition(apart)
            && is_behind(function, a)
            && is_behind(function, b)
        {
            function.insts[inst].op = Op::Binary(BinaryOp::And, few, few);
        }
    }
}

/// What all rounds touch, and those of loops in them, is apart, wherever it is.
pub fn unasked_areas(function: &mut Function, from: usize) {
    let is_behind = |function: &Function, value: Value| matches!(function.definition(value), Some(Op::Compare(CompareOp::SGe, a, _)) if function.ty(*a).element == Element::I64);
    for inst in from..function.insts.len() {
        if let Op::Binary(BinaryOp::Or, a, b) = function.insts[inst].op
            && is_behind(function, a)
            && is_behind(function, b)
        {
            function.insts[inst].op = Op::Const(vec![1]);
        }
    }
}

/// A sum that saturates is limited to numbers of the other sign.
pub fn other_sign(function: &mut Function) {
    for inst in &mut function.insts {
        if let Op::Binary(op, ..) = &mut inst.op {
            *op = match *op {
                BinaryOp::SAddSat => BinaryOp::UAddSat,
                BinaryOp::UAddSat => BinaryOp::SAddSat,
                BinaryOp::SSubSat => BinaryOp::USubSat,
                BinaryOp::USubSat => BinaryOp::SSubSat,
                other => other,
            };
        }
    }
}

/// Rounds at once go on while lanes of the first half of them do.
pub fn asked_by_halves(function: &mut Function, from: usize) {
    for block in 0..function.blocks.len() {
        for inst in function.blocks[block].insts.clone() {
            let Op::Any(mask) = function.insts[inst.0 as usize].op else { continue };
            let ty = function.ty(mask);
            if (inst.0 as usize) < from || ty.length < 4 {
                continue;
            }
            let half = ty.length / 2;
            let first = Op::Shuffle(mask, mask, (0..i16::from(half)).collect());
            let (shuffle, halved) = function.create(first, ty.with_length(half), function.insts[inst.0 as usize].span);
            function.insts[inst.0 as usize].op = Op::Any(halved);
            let at = function.blocks[block].insts.iter().position(|&other| other == inst).expect("it stands there");
            function.blocks[block].insts.insert(at, shuffle);
        }
    }
}

/// Changes what the counters of new loops go on by.
fn change_steps(function: &mut Function, from: usize, change: impl Fn(u64) -> u64) {
    for block in 0..function.blocks.len() {
        // The header of such a loop compares the counter with what was computed for it.
        let data = &function.blocks[block];
        let Terminator::Branch { condition, .. } = data.terminator else { continue };
        let ValueDef::Result(compare, _) = function.values[condition.0 as usize].def else { continue };
        let Op::Compare(_, counter, _) = function.insts[compare.0 as usize].op else { continue };
        let Some(place) = data.parameters.iter().position(|&value| value == counter) else { continue };
        if (compare.0 as usize) < from {
            continue;
        }
        let ways = function.blocks.iter().flat_map(|data| data.terminator.targets());
        let next: Vec<Value> = ways.filter(|to| to.block.0 as usize == block).map(|to| to.arguments[place]).collect();
        for next in next {
            let Some(&Op::Binary(BinaryOp::Add, first, step)) = function.definition(next) else { continue };
            let Some(Op::Const(bits)) = function.definition(step).filter(|_| first == counter) else { continue };
            let changed = Op::Const(vec![change(bits[0])]);
            let ValueDef::Result(inst, _) = function.values[step.0 as usize].def else { unreachable!("a constant") };
            function.insts[inst.0 as usize].op = changed;
        }
    }
}

/// Of what is handed over in the place of a reference, two parts of one type change places.
pub fn parts_exchanged(function: &mut Function, from: usize) {
    let is_loaded = |value: Value| match function.values[value.0 as usize].def {
        ValueDef::Result(inst, _) => {
            inst.0 as usize >= from && matches!(function.insts[inst.0 as usize].op, Op::Load { mask: None, .. })
        }
        ValueDef::Parameter(..) => false,
    };
    let mut exchanged = Vec::new();
    for (inst, data) in function.insts.iter().enumerate() {
        let Op::Call(_, arguments) = &data.op else { continue };
        let parts: Vec<usize> = (0..arguments.len()).filter(|&at| is_loaded(arguments[at])).collect();
        let ty = |at: usize| function.ty(arguments[at]);
        let pair = parts.iter().find_map(|&a| parts.iter().find(|&&b| a < b && ty(a) == ty(b)).map(|&b| (a, b)));
        exchanged.extend(pair.map(|pair| (inst, pair)));
    }
    for (inst, (a, b)) in exchanged {
        if let Op::Call(_, arguments) = &mut function.insts[inst].op {
            arguments.swap(a, b);
        }
    }
}

/// What comes back in the place of a reference is not stored.
pub fn nothing_comes_back(function: &mut Function, from: usize) {
    let is_result = |value: Value| match function.values[value.0 as usize].def {
        ValueDef::Result(inst, _) => matches!(function.insts[inst.0 as usize].op, Op::Call(..)),
        ValueDef::Parameter(..) => false,
    };
    let is_return = |inst: &Inst| {
        let op = &function.insts[inst.0 as usize].op;
        inst.0 as usize >= from && matches!(op, Op::Store { value, .. } if is_result(*value))
    };
    let returns: Vec<Inst> = function.blocks.iter().flat_map(|block| &block.insts).copied().filter(is_return).collect();
    function.blocks.iter_mut().for_each(|block| block.insts.retain(|inst| !returns.contains(inst)));
}

/// Quotients that are products are not corrected.
pub fn uncorrected_quotient(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        let Op::Binary(BinaryOp::FMul, ..) = function.insts[inst].op else { continue };
        let near = function.insts[inst].results[0];
        let corrects = |inst: &usize| matches!(function.insts[*inst].op, Op::Fma(_, _, c) if c == near);
        for last in (0..function.insts.len()).filter(corrects).collect::<Vec<_>>() {
            function.insts[last].op = Op::Binary(BinaryOp::FMax, near, near);
        }
    }
}

/// Nobody asks whether what is divided is too small.
pub fn unasked_size(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        if let Op::Compare(CompareOp::SGt, _, limit) = function.insts[inst].op {
            let greatest = u64::MAX >> (65 - function.ty(limit).element.bits());
            set(function, limit, |_| greatest);
        }
    }
}

/// Lanes of a loop over numbers that are all those of the first round.
pub fn rounds_alike(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        if let Op::Ramp { step, .. } = &mut function.insts[inst].op {
            *step = 0;
        }
    }
}

/// A loop that looks for something begins with the round behind the last one that finds it, not with the first.
pub fn behind_what_is_found(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        if let Op::Unary(op @ UnaryOp::Ctz, _) = &mut function.insts[inst].op {
            *op = UnaryOp::Popcnt;
        }
    }
}

/// What has to be far apart is taken to be.
pub fn taken_to_be_apart(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        let is_asked = |mask: Value| matches!(function.definition(mask), Some(Op::Compare(CompareOp::UGt, ..)));
        if let Op::Select(mask, bound, _) = function.insts[inst].op
            && is_asked(mask)
        {
            function.insts[inst].op = Op::Select(mask, bound, bound);
        }
    }
}

/// Rounds that ask nothing of their counter go on to the last one, which has another answer.
pub fn to_the_last_one(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        let is_limit = |value: Value| matches!(function.definition(value), Some(Op::Binary(BinaryOp::SMax, ..)));
        if let Op::Binary(BinaryOp::Sub, limit, _) = function.insts[inst].op
            && is_limit(limit)
        {
            function.insts[inst].op = Op::Binary(BinaryOp::Or, limit, limit);
        }
    }
}

/// Each round is handed what it made itself.
pub fn handed_to_itself(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        if let Op::Shuffle(before, made, lanes) = &mut function.insts[inst].op
            && before != made
            && lanes.windows(2).all(|pair| pair[1] == pair[0] + 1)
        {
            lanes.iter_mut().for_each(|lane| *lane += 1);
        }
    }
}

/// The place behind what is stored one behind another is that behind all lanes.
pub fn place_of_all_lanes(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        let Op::PackedStore { value, .. } = function.insts[inst].op else { continue };
        let (all, stored) = (function.ty(value).length, function.insts[inst].results[0]);
        let adds = |other: &InstData| matches!(other.op, Op::Binary(BinaryOp::Add, _, by) if by == stored);
        let Some(next) = function.insts.iter().position(adds) else { continue };
        let span = function.insts[inst].span;
        let (constant, number) = function.create(Op::Const(vec![all.into()]), function.ty(stored), span);
        let home = function.blocks.iter_mut().find(|block| block.insts.contains(&Inst(inst as u32)));
        home.expect("it stands in a block").insts.insert(0, constant);
        if let Op::Binary(_, _, by) = &mut function.insts[next].op {
            *by = number;
        }
    }
}

/// What is counted has one round more.
pub fn one_round_more(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        if let Op::Compare(op, ..) = &mut function.insts[inst].op {
            *op = match *op {
                CompareOp::ULt => CompareOp::ULe,
                CompareOp::SLt => CompareOp::SLe,
                other => other,
            };
        }
    }
}

/// Of two numbers the other one is chosen.
pub fn other_choice(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        if let Op::Select(_, a, b) = &mut function.insts[inst].op {
            std::mem::swap(a, b);
        }
    }
}

/// What ways to a block hand it to be stored changes places.
pub fn ways_exchanged(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        let Op::Store { value, .. } = function.insts[inst].op else { continue };
        let ValueDef::Parameter(block, index) = function.values[value.0 as usize].def else { continue };
        let ways = function.blocks.iter_mut().flat_map(|data| data.terminator.targets_mut()).filter(|way| way.block == block);
        let mut handed: Vec<&mut Value> = ways.map(|way| &mut way.arguments[index as usize]).collect();
        if let [a, b, ..] = &mut handed[..] {
            std::mem::swap(*a, *b);
        }
    }
}

/// Numbers go down that are to go up, and the other way round.
pub fn other_direction(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        if let Op::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), ..) = &mut function.insts[inst].op {
            *op = if *op == BinaryOp::Add { BinaryOp::Sub } else { BinaryOp::Add };
        }
    }
}

/// Numbers that wrap are taken to go on, and the other way round.
pub fn taken_not_to_wrap(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        if let Op::Compare(op @ CompareOp::ULe, ..) = &mut function.insts[inst].op {
            *op = CompareOp::UGt;
        }
    }
}

/// Bits behind the last one that is set are counted.
pub fn other_bits(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        if let Op::Unary(op @ (UnaryOp::Popcnt | UnaryOp::Clz), _) = &mut function.insts[inst].op {
            *op = UnaryOp::Ctz;
        }
    }
}

/// Elements are counted twice as far apart as they are.
pub fn every_other_element(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        if let Op::PtrIndex { scale, .. } = &mut function.insts[inst].op {
            *scale *= 2;
        }
    }
}

/// The last rounds of a loop are looked at from those on that were done before.
pub fn done_before(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        if let Op::Binary(op @ BinaryOp::LShr, lanes, passed) = &mut function.insts[inst].op {
            (*op, *passed) = (BinaryOp::Or, *lanes);
        }
    }
}

/// What comes to a block by two ways is that of the other one.
pub fn other_way(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        let is_vector = function.insts[inst].results.first().is_some_and(|result| function.ty(*result).length > 1);
        if let Op::Select(_, a, b) = &mut function.insts[inst].op
            && is_vector
        {
            std::mem::swap(a, b);
        }
    }
}

/// Accesses in some rounds are made in all.
pub fn accesses_in_all_rounds(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        if let Op::Store { mask, .. } = &mut function.insts[inst].op {
            *mask = None;
        }
    }
}

/// The smaller one of two numbers for the greater one.
pub fn other_extreme(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        if let Op::Binary(op, ..) = &mut function.insts[inst].op {
            *op = match *op {
                BinaryOp::SMax => BinaryOp::SMin,
                BinaryOp::UMax => BinaryOp::UMin,
                other => other,
            };
        }
    }
}

/// Locals are stored in all lanes.
pub fn unmasked_locals(function: &mut Function) {
    fn is_local(function: &Function, pointer: Value) -> bool {
        match function.definition(pointer) {
            Some(Op::SlotAddress(_)) => true,
            Some(&Op::PtrOffset(base, _) | &Op::PtrIndex { base, .. }) => is_local(function, base),
            _ => false,
        }
    }
    for inst in 0..function.insts.len() {
        if let Op::Store { pointer, .. } = function.insts[inst].op
            && is_local(function, pointer)
            && let Op::Store { mask, .. } = &mut function.insts[inst].op
        {
            *mask = None;
        }
    }
}

/// Comparisons see what a select does not choose by its condition, in all lanes.
pub fn chosen_for_nobody(function: &mut Function) {
    for inst in 0..function.insts.len() {
        let Op::Compare(_, a, _) = function.insts[inst].op else { continue };
        if let Some(&Op::Select(mask, _, off)) = function.definition(a)
            && function.ty(mask).length > 1
            && let Op::Compare(_, a, _) = &mut function.insts[inst].op
        {
            *a = off;
        }
    }
}

/// Of two neighbours that lanes read, the first one is read twice.
pub fn same_neighbour(function: &mut Function, from: usize) {
    for block in 0..function.blocks.len() {
        let mut first: Option<(Type, Value)> = None;
        for &inst in &function.blocks[block].insts {
            let InstData { op: Op::Load { pointer, .. }, results, .. } = &mut function.insts[inst.0 as usize] else { continue };
            let ty = function.values[results[0].0 as usize].ty;
            if (inst.0 as usize) < from || ty.length == 1 {
                continue;
            }
            match first {
                Some((of, other)) if of == ty => *pointer = other,
                _ => first = Some((ty, *pointer)),
            }
        }
    }
}

/// What some lanes have stored is taken to be there in all.
pub fn stored_by_all(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        if let Op::Select(_, stored, known) = &mut function.insts[inst].op {
            *known = *stored;
        }
    }
}

/// Lanes that have left a loop go on in it.
pub fn left_and_gone_on(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        if let Op::Select(_, next, before) = function.insts[inst].op
            && matches!(function.values[before.0 as usize].def, ValueDef::Parameter(..))
            && let Op::Select(_, _, kept) = &mut function.insts[inst].op
        {
            *kept = next;
        }
    }
}

/// Where the last block of a loop begins, one round is taken too many.
pub fn begins_too_early(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        let Op::Binary(BinaryOp::Sub, limit, times) = function.insts[inst].op else { continue };
        let is_block = matches!(function.definition(times), Some(Op::Const(bits)) if bits[0] > 1 && bits[0].is_power_of_two());
        if is_block && function.definition(limit).is_none_or(|op| !matches!(op, Op::Const(_))) {
            set(function, times, |times| times + 1);
        }
    }
}

/// Of the lanes behind the last round the first one is on.
pub fn first_lane_behind(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        let Op::FirstLanes(count) = function.insts[inst].op else { continue };
        let (ty, span) = (function.ty(count), function.insts[inst].span);
        let Some((block, at)) = place(function, inst) else { continue };
        let (one, number) = function.create(Op::Const(vec![1]), ty, span);
        let (sum, more) = function.create(Op::Binary(BinaryOp::Add, count, number), ty, span);
        function.blocks[block].insts.splice(at..at, [one, sum]);
        function.insts[inst].op = Op::FirstLanes(more);
    }
}

/// Of two numbers that a block loads the second one is the first one.
pub fn elements_alike(function: &mut Function, from: usize) {
    for block in 0..function.blocks.len() {
        let mut first: Option<(Type, Value)> = None;
        for inst in
            function.blocks[block].insts.iter().map(|inst| inst.0 as usize).filter(|&inst| inst >= from).collect::<Vec<_>>()
        {
            let InstData { op: Op::Load { pointer, .. }, results, .. } = &function.insts[inst] else { continue };
            let (ty, pointer) = (function.ty(results[0]), *pointer);
            match first {
                None => first = Some((ty, pointer)),
                Some((of, elsewhere)) if of == ty && elsewhere != pointer => {
                    if let Op::Load { pointer, .. } = &mut function.insts[inst].op {
                        *pointer = elsewhere;
                    }
                    break;
                }
                Some(_) => {}
            }
        }
    }
}

/// The first lane and the last one of a shuffle change places.
pub fn ends_exchanged(function: &mut Function, from: usize) {
    for inst in added(function, from) {
        if let Op::Shuffle(_, _, lanes) = &mut function.insts[inst].op {
            let last = lanes.len() - 1;
            lanes.swap(0, last);
        }
    }
}

/// The block of an instruction, and where it stands there.
fn place(function: &Function, inst: usize) -> Option<(usize, usize)> {
    let mut blocks = function.blocks.iter().enumerate();
    blocks.find_map(|(block, data)| Some((block, data.insts.iter().position(|other| other.0 as usize == inst)?)))
}

/// What is compared has a sign.
pub fn wrong_sign(function: &mut Function) {
    for data in &mut function.insts {
        if let Op::Compare(compare, ..) = &mut data.op {
            *compare = match *compare {
                CompareOp::ULt => CompareOp::SLt,
                CompareOp::ULe => CompareOp::SLe,
                CompareOp::UGt => CompareOp::SGt,
                CompareOp::UGe => CompareOp::SGe,
                other => other,
            };
        }
    }
}
