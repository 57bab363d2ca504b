//! Vector IR to vector IR: what LLVM cannot know, since it has no idea of masks, lanes and index rules.
//!
//! One pass a file, one public function of that name; each pass keeps the invariants of `vector::ir`. In their order:
//!
//! * [`inline`]: calls of small functions become their bodies.
//! * [`local_lanes`]: local arrays are stored without the mask with which they die.
//! * [`reference_arguments`]: what functions are handed by reference they are handed as values, and hand back.
//! * [`slot_values`]: what is stored in a slot at one place of it is a value.
//! * [`part_arguments`]: parts of parallel loops know what is constant, and which of their arguments are one.
//! * [`split_blocks`]: rounds in which all lanes have one answer to questions about the counter → a loop without them.
//! * [`agreeing_lanes`]: rounds in which a comparison of the loop's index is the same for all lanes exist twice, once without it.
//! * [`control_flow`]: branches that are decided are jumps, blocks that only follow each other are one.
//! * [`loop_forms`]: loops that ask behind their rounds, or where a `break` stands → loops that ask at the top.
//! * [`counted_bits`]: loops that count the bits of a number → instructions that do.
//! * [`constant_arrays`]: local arrays that are set with constants alone → globals that keep their contents.
//! * [`local_arrays`]: local arrays whose places are known when loops around them are written out → values.
//! * [`unrolled_loops`]: loops of a few rounds over what each lane has are written out.
//! * [`positive_quotients`]: quotients of numbers that are not negative by powers of two → shifts.
//! * [`hoisted_loads`]: loads stand in front of stores to other members of the same records.
//! * [`memory_access`]: regular gathers and scatters → loads and stores.
//! * [`lane_loads`]: a lane of a load is a load of that lane.
//! * [`constant_permutes`]: permutations by constants → shuffles.
//! * [`common_values`]: what is computed already is not computed again, so that equal addresses are the same value.
//! * [`loop_checks`]: loops whose checks can be decided before they run exist twice, with checks and without.
//! * [`lane_checks`]: checks of neighbouring lanes → one comparison of scalars.
//! * [`repeated_loads`]: what was loaded or stored already is not loaded again, whatever the masks.
//! * [`branched_extremes`]: branches to the smaller or the greater one of two integers → minima and maxima.
//! * [`branched_stores`]: stores of all ways of a branch to the same place → one store behind them.
//! * [`header_loads`]: what headers of loops load, and no round writes, is loaded in front.
//! * [`asked_loads`]: what rounds load from one place is loaded in front of the loop, where it is asked that none writes there.
//! * [`upward_counters`]: loops that count down by one → loops that count up.
//! * [`constant_rounds`]: loops from a little before a counter to a little behind it → loops of a constant number of rounds.
//! * [`counted_places`]: numbers and pointers that go on as a counter does → what is computed from the counter.
//! * [`behind_loops`]: what headers of loops compute for those behind them is computed there.
//! * [`deferred_remainders`]: sums that every round reduces → sums that are reduced once in many rounds.
//! * [`narrow_limits`]: numbers of few bits are compared in few with what a loop does not change.
//! * [`plain_limits`]: loops that end by a sum, or by two limits → by one limit.
//! * [`unswitched_loops`]: branches that go the same way in each round → a loop for each way.
//! * [`split_loops`]: rounds in which questions about the counter have one answer → a loop without them.
//! * [`vectorized_rounds`]: rounds of loops over single numbers → rounds over blocks of them.
//! * [`unused_lanes`]: what no loop calls for its lanes is left out.
//! * [`single_rounds`]: loops of one round, or of none, are none.
//! * [`constant_distances`]: gathers and scatters of lanes at known distances → loads and stores, and shuffles.
//! * [`merge_stores`]: stores of both branches to the same place → one store of a select.
//! * [`mask_algebra`]: masks that say the same are one mask, those that are all on are none.
//! * [`exclusive_selects`]: choices whose masks exclude each other are made in the order in which the masks are simple.
//! * [`whole_accesses`]: masked accesses that are no instruction, of memory that is there → accesses without a mask.
//! * [`whole_records`]: stores to some members of records that are there → stores to all of them.
//! * [`unguarded_blocks`]: a few operations under a mask → the same without a branch.
//! * [`demanded_lanes`]: a lane that nobody looks at need not keep its old value.
//! * [`selected_extremes`]: choices of the smaller or the greater one of two numbers → minima and maxima.
//! * [`rounded_products`]: products of fractions in twice their bits → products that are rounded at once.
//! * [`saturated_sums`]: sums that are limited to what fits in fewer bits → sums that saturate.
//! * [`partial_reductions`]: sums that only matter as a whole are kept in the cheapest form, and added up behind the loop.
//! * [`summation_by_parts`]: sums of products with a number that grows each round → sums, and sums of these.
//! * [`clamped_floats`]: clamps of integers that were floats → clamps of the floats.
//! * [`narrow_arithmetic`]: numbers that need few bits are computed in few.
//! * [`copied_records`]: gathers of members that are only stored → gathers of records.
//! * [`widened_rounds`]: rounds of loops over short vectors → fewer of longer ones.
//! * [`short_tails`]: what is left behind the blocks of a loop is done in shorter vectors where it is little.
//! * [`turned_rounds`]: rounds in which each lane is stored or loaded in a row of its own run beside each other.
//! * [`interleaved_loads`]: loads that take the same memory apart → loads of it and shuffles, also under a mask of the first lanes.
//! * [`joined_bytes`]: words that are put together from bytes and stored → scatters of these bytes.
//! * [`interleaved_stores`]: scatters that fill memory together → shuffles and stores; others whose addresses are regular → a store of
//!   each lane.
//! * [`joined_streams`]: what is done to all members of records → what is done to the records as they lie there.
//! * [`reversed_lanes`]: what is loaded backwards is put in order where somebody looks at the order.
//! * [`composed_shuffles`]: lanes that are moved several times are moved once.
//! * [`computed_tables`]: look-ups of bytes in constant tables that a few steps compute → these steps.
//! * [`table_look_ups`]: gathers from small tables → loads of the tables and permutations.
//! * [`byte_tables`]: what is computed of a byte in many steps → look-ups by its two halves.
//! * [`collected_comparisons`]: comparisons that are collected by a loop → one comparison behind it.
//! * [`short_loops`]: loops of constant length whose counter decides something are unrolled.
//! * [`jammed_loops`]: rounds whose inner loops wait for themselves run beside each other.
//! * [`early_exits`]: four rounds of a loop that may be left are looked at before it is asked in which.
//! * [`paired_products`]: products of words are added up two at a time.
//! * [`equal_lanes`]: whether one of several vectors has an equal lane is asked of the least difference.
//! * [`grouped_rounds`]: four rounds of short loops at once, where what they keep may be put together so.
//! * [`transposed_loads`]: neighbours that are loaded lane by lane → a load of them for each lane, and a transposition.
//! * [`known_divisors`]: quotients by constants, and by what a loop does not change → products that are corrected.
//! * [`counted_ramps`]: numbers of lanes that a loop counts with → lanes that grow each round.
//! * [`loop_addresses`]: addresses by indices of 32 bits → one in front of the loop, and distances that it does not change.
//! * [`kept_calls`]: long functions that are called are not inlined where that would make longer ones.
//! * [`outline`]: long functions are cut into pieces.
//! * [`dead_code`]: what nobody looks at is not computed.
//!
//! [`logic`] is what they know of masks, `ranges` and `multiples` of numbers, `alias`, `addresses` and `areas` of pointers, `slots` of stack memory. A pass that is for
//! a machine is given its [`Surroundings`]: the [`Machine`] says what it has.

pub mod addresses;
mod agreeing_lanes;
pub mod alias;
mod areas;
mod asked_loads;
mod behind_loops;
mod block_writer;
mod branched_extremes;
mod branched_stores;
mod byte_tables;
mod clamped_floats;
mod closed_loops;
mod collected_comparisons;
mod combined;
mod common_values;
mod composed_shuffles;
mod computed_tables;
mod constant_arrays;
mod constant_distances;
mod constant_permutes;
mod constant_rounds;
mod control_flow;
mod copied_blocks;
mod copied_records;
mod counted_bits;
mod counted_loop;
mod counted_places;
mod counted_ramps;
mod dead_code;
mod deferred_remainders;
mod demanded_lanes;
mod early_exits;
mod equal_lanes;
mod exclusive_selects;
mod grouped_rounds;
mod header_loads;
mod hoisted_loads;
mod inline;
mod interleave;
mod interleaved_loads;
mod interleaved_stores;
mod jammed_loops;
mod joined_bytes;
mod joined_rounds;
mod joined_streams;
mod kept_calls;
mod known_divisors;
mod lane_checks;
mod lane_loads;
mod local_arrays;
mod local_lanes;
pub mod logic;
mod loop_addresses;
mod loop_checks;
mod loop_forms;
mod loop_uses;
mod mask_algebra;
mod memory_access;
mod merge_stores;
mod multiples;
mod narrow_arithmetic;
mod narrow_limits;
mod old_loops;
mod outline;
mod paired_products;
mod part_arguments;
mod partial_reductions;
mod plain_limits;
mod positive_quotients;
mod ranges;
mod reference_arguments;
mod repeated_loads;
mod reversed_lanes;
mod rounded_products;
mod saturated_sums;
mod selected_extremes;
mod separate;
mod short_loops;
mod short_tails;
mod single_rounds;
mod slot_values;
mod slots;
mod split_blocks;
mod split_loops;
mod summation_by_parts;
mod surroundings;
mod table_look_ups;
mod transposed_loads;
mod turned_rounds;
mod unguarded_blocks;
mod uniform_branches;
mod unrolled_loops;
mod unswitched_loops;
mod unused_lanes;
mod upward_counters;
mod vectorized_rounds;
mod whole_accesses;
mod whole_records;
mod widened_rounds;

pub use agreeing_lanes::agreeing_lanes;
pub use asked_loads::asked_loads;
pub use behind_loops::behind_loops;
pub use branched_extremes::branched_extremes;
pub use branched_stores::branched_stores;
pub use byte_tables::byte_tables;
pub use clamped_floats::clamped_floats;
pub use collected_comparisons::collected_comparisons;
pub use common_values::common_values;
pub use composed_shuffles::composed_shuffles;
pub use computed_tables::computed_tables;
pub use constant_arrays::constant_arrays;
pub use constant_distances::constant_distances;
pub use constant_permutes::constant_permutes;
pub use constant_rounds::constant_rounds;
pub use control_flow::control_flow;
pub use copied_records::copied_records;
pub use counted_bits::counted_bits;
pub use counted_places::counted_places;
pub use counted_ramps::counted_ramps;
pub use dead_code::dead_code;
pub use deferred_remainders::deferred_remainders;
pub use demanded_lanes::demanded_lanes;
pub use early_exits::early_exits;
pub use equal_lanes::equal_lanes;
pub use exclusive_selects::exclusive_selects;
pub use grouped_rounds::grouped_rounds;
pub use header_loads::header_loads;
pub use hoisted_loads::hoisted_loads;
pub use inline::inline;
pub use interleaved_loads::interleaved_loads;
pub use interleaved_stores::interleaved_stores;
pub use jammed_loops::jammed_loops;
pub use joined_bytes::joined_bytes;
pub use joined_rounds::joined_rounds;
pub use joined_streams::joined_streams;
pub use kept_calls::kept_calls;
pub use known_divisors::known_divisors;
pub use lane_checks::lane_checks;
pub use lane_loads::lane_loads;
pub use local_arrays::local_arrays;
pub use local_lanes::local_lanes;
pub use loop_addresses::loop_addresses;
pub use loop_checks::loop_checks;
pub use loop_forms::loop_forms;
pub use mask_algebra::mask_algebra;
pub use memory_access::memory_access;
pub use merge_stores::merge_stores;
pub use narrow_arithmetic::narrow_arithmetic;
pub use narrow_limits::narrow_limits;
pub use outline::{Limits, outline, outline_with};
pub use paired_products::paired_products;
pub use part_arguments::part_arguments;
pub use partial_reductions::partial_reductions;
pub use plain_limits::plain_limits;
pub use positive_quotients::positive_quotients;
pub use reference_arguments::reference_arguments;
pub use repeated_loads::repeated_loads;
pub use reversed_lanes::reversed_lanes;
pub use rounded_products::rounded_products;
pub use saturated_sums::saturated_sums;
pub use selected_extremes::selected_extremes;
pub use short_loops::short_loops;
pub use short_tails::short_tails;
pub use single_rounds::single_rounds;
pub use slot_values::slot_values;
pub use split_blocks::split_blocks;
pub use split_loops::split_loops;
pub use summation_by_parts::summation_by_parts;
pub use surroundings::Surroundings;
pub use table_look_ups::table_look_ups;
pub use transposed_loads::transposed_loads;
pub use turned_rounds::turned_rounds;
pub use unguarded_blocks::unguarded_blocks;
pub use uniform_branches::uniform_branches;
pub use unrolled_loops::unrolled_loops;
pub use unswitched_loops::unswitched_loops;
pub use unused_lanes::unused_lanes;
pub use upward_counters::upward_counters;
pub use vectorized_rounds::vectorized_rounds;
pub use whole_accesses::whole_accesses;
pub use whole_records::whole_records;
pub use widened_rounds::widened_rounds;

use crate::machine::Machine;
use crate::vector::ir;

/// What a pass is run on.
#[derive(Clone, Copy)]
pub enum Pass {
    /// Each function that has a body.
    Function(fn(&mut ir::Function)),
    /// Each function that has a body, for a machine.
    Machine(fn(&mut ir::Function, Surroundings<'_>)),
    /// The module.
    Module(fn(&mut ir::Module)),
    /// The module, for a machine.
    MachineModule(fn(&mut ir::Module, &Machine)),
}

/// All passes with their names, in the order in which they run.
pub const PASSES: &[(&str, Pass)] = &[
    // What is no loop any more may be inlined.
    ("loop_forms", Pass::Function(loop_forms)),
    ("counted_bits", Pass::Function(counted_bits)),
    ("inline", Pass::Module(inline)),
    ("local_lanes", Pass::Function(local_lanes)),
    ("reference_arguments", Pass::Module(reference_arguments)),
    ("slot_values", Pass::Function(slot_values)),
    ("part_arguments", Pass::Module(part_arguments)),
    ("split_blocks", Pass::Function(split_blocks)),
    ("agreeing_lanes", Pass::Function(agreeing_lanes)),
    ("control_flow", Pass::Function(control_flow)),
    ("loop_forms", Pass::Function(loop_forms)),
    ("counted_bits", Pass::Function(counted_bits)),
    ("constant_arrays", Pass::Module(constant_arrays)),
    ("local_arrays", Pass::Machine(local_arrays)),
    ("unrolled_loops", Pass::Machine(unrolled_loops)),
    ("positive_quotients", Pass::Function(positive_quotients)),
    ("hoisted_loads", Pass::Function(hoisted_loads)),
    ("memory_access", Pass::Function(memory_access)),
    ("lane_loads", Pass::Function(lane_loads)),
    ("constant_permutes", Pass::Function(constant_permutes)),
    ("common_values", Pass::Function(common_values)),
    // Of what lanes gathered and scattered before.
    ("slot_values", Pass::Function(slot_values)),
    ("loop_checks", Pass::Function(loop_checks)),
    ("lane_checks", Pass::Function(lane_checks)),
    ("repeated_loads", Pass::Function(repeated_loads)),
    ("branched_extremes", Pass::Function(branched_extremes)),
    ("branched_stores", Pass::Function(branched_stores)),
    ("header_loads", Pass::Function(header_loads)),
    ("asked_loads", Pass::Function(asked_loads)),
    ("upward_counters", Pass::Function(upward_counters)),
    ("constant_rounds", Pass::Function(constant_rounds)),
    ("counted_places", Pass::Function(counted_places)),
    ("behind_loops", Pass::Function(behind_loops)),
    ("deferred_remainders", Pass::Function(deferred_remainders)),
    ("narrow_limits", Pass::Function(narrow_limits)),
    ("plain_limits", Pass::Function(plain_limits)),
    ("uniform_branches", Pass::Function(uniform_branches)),
    ("unswitched_loops", Pass::Function(unswitched_loops)),
    ("split_loops", Pass::Function(split_loops)),
    ("vectorized_rounds", Pass::Machine(vectorized_rounds)),
    ("unused_lanes", Pass::Module(unused_lanes)),
    ("single_rounds", Pass::Machine(single_rounds)),
    // Of what lanes of rounds gather and scatter now.
    ("unrolled_loops", Pass::Machine(unrolled_loops)),
    // Of what rounds over numbers compute, gather and store now.
    ("common_values", Pass::Function(common_values)),
    ("positive_quotients", Pass::Function(positive_quotients)),
    ("memory_access", Pass::Function(memory_access)),
    ("constant_distances", Pass::Function(constant_distances)),
    ("merge_stores", Pass::Function(merge_stores)),
    ("mask_algebra", Pass::Function(mask_algebra)),
    ("exclusive_selects", Pass::Function(exclusive_selects)),
    ("whole_accesses", Pass::Machine(whole_accesses)),
    ("whole_records", Pass::Machine(whole_records)),
    ("unguarded_blocks", Pass::Machine(unguarded_blocks)),
    ("demanded_lanes", Pass::Module(demanded_lanes)),
    ("selected_extremes", Pass::Function(selected_extremes)),
    ("rounded_products", Pass::Machine(rounded_products)),
    ("saturated_sums", Pass::Function(saturated_sums)),
    ("partial_reductions", Pass::Machine(partial_reductions)),
    ("summation_by_parts", Pass::Function(summation_by_parts)),
    ("clamped_floats", Pass::Function(clamped_floats)),
    ("narrow_arithmetic", Pass::Function(narrow_arithmetic)),
    ("copied_records", Pass::Machine(copied_records)),
    ("widened_rounds", Pass::Machine(widened_rounds)),
    ("joined_rounds", Pass::MachineModule(joined_rounds)),
    ("short_tails", Pass::Machine(short_tails)),
    ("turned_rounds", Pass::Function(turned_rounds)),
    ("interleaved_loads", Pass::MachineModule(interleaved_loads)),
    ("joined_bytes", Pass::Function(joined_bytes)),
    ("interleaved_stores", Pass::Machine(interleaved_stores)),
    ("joined_streams", Pass::Machine(joined_streams)),
    ("reversed_lanes", Pass::Function(reversed_lanes)),
    ("composed_shuffles", Pass::Machine(composed_shuffles)),
    ("computed_tables", Pass::Machine(computed_tables)),
    ("table_look_ups", Pass::Machine(table_look_ups)),
    ("byte_tables", Pass::Machine(byte_tables)),
    ("collected_comparisons", Pass::Machine(collected_comparisons)),
    ("short_loops", Pass::Machine(short_loops)),
    ("jammed_loops", Pass::Machine(jammed_loops)),
    ("early_exits", Pass::Machine(early_exits)),
    ("grouped_rounds", Pass::Machine(grouped_rounds)),
    ("paired_products", Pass::Function(paired_products)),
    ("equal_lanes", Pass::Machine(equal_lanes)),
    ("transposed_loads", Pass::Function(transposed_loads)),
    ("known_divisors", Pass::Machine(known_divisors)),
    ("counted_ramps", Pass::Machine(counted_ramps)),
    ("loop_addresses", Pass::Function(loop_addresses)),
    ("kept_calls", Pass::Module(kept_calls)),
    ("outline", Pass::Module(outline)),
    ("dead_code", Pass::Function(dead_code)),
];

impl Pass {
    /// Runs it.
    pub fn run(self, module: &mut ir::Module, machine: &Machine) {
        match self {
            Pass::Function(pass) => bodies(module).for_each(pass),
            Pass::Machine(pass) => {
                let globals = std::mem::take(&mut module.globals);
                let types = |of: &ir::LaneFunction| {
                    let function = &module.functions[of.lanes.0 as usize];
                    (*of, function.parameters.clone(), function.results.clone())
                };
                let lanes: Vec<_> = module.lanes.iter().map(types).collect();
                let around = Surroundings { globals: &globals, machine, lanes: &lanes };
                bodies(module).for_each(|function| pass(function, around));
                module.globals = globals;
            }
            Pass::Module(pass) => pass(module),
            Pass::MachineModule(pass) => pass(module, machine),
        }
    }
}

fn bodies(module: &mut ir::Module) -> impl Iterator<Item = &mut ir::Function> {
    module.functions.iter_mut().filter(|function| !function.blocks.is_empty())
}

/// Runs all passes.
pub fn optimize(module: &mut ir::Module, machine: &Machine) {
    for (_, pass) in PASSES {
        pass.run(module, machine);
    }
}
