//! What is known while a function of a schedule is made.

use super::super::bounds::infer::Windows;
use super::super::expr::{Expr, FuncId, Source, Variable};
use super::super::loops::ir::Nest;
use super::super::passes::strides::Version;
use super::body::Body;
use crate::check::schedules::Wanted;
use crate::typed::ir::{self, FunctionId, LocalId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// Where the elements of a func or an image are.
#[derive(Clone)]
pub(super) struct Elements {
    /// Points to the first element.
    pub pointer: LocalId,
    /// The first coordinates.
    pub mins: Vec<ir::Expr>,
    /// The distances of neighbours; `None` where it is 1.
    pub strides: Vec<Option<ir::Expr>>,
    /// The dimension that is folded, and F − 1.
    pub fold: Option<(usize, ir::Expr)>,
    /// Of a func in memory of its own: the first coordinates, as they were computed.
    pub low: Vec<Expr>,
    /// Has each lane elements of its own, and first coordinates?
    pub has_lanes: bool,
    /// Is it memory of the root block, in which an index may be an `int`?
    pub may_be_narrow: bool,
}

/// A view that the caller passes.
#[derive(Clone)]
pub(super) struct View {
    /// Which parameter.
    pub parameter: usize,
    /// What it shows.
    pub source: Source,
    /// The variables of its window.
    pub window: Vec<[Variable; 2]>,
    /// Where its pixels are.
    pub elements: Elements,
    /// The distances of neighbours.
    pub strides: Vec<ir::Expr>,
}

/// What a parameter of the functions of a pipeline is, in the order of its signature.
pub(super) enum Passed {
    /// A view and the variables of its window.
    View(Source, Vec<[Variable; 2]>),
    /// A view that is read and overwritten: the output and the input that it is, with their variables.
    InOut([(Source, Vec<[Variable; 2]>); 2]),
    /// A number.
    Scalar(Variable),
}

/// Why a pipeline does not start.
pub(super) struct Reason {
    /// The number of the check.
    pub number: usize,
    /// With % for numbers.
    pub text: String,
}

/// A function that says why a pipeline does not start.
pub(super) struct Refusals {
    /// It takes the number of the check, and what its text speaks of.
    pub function: FunctionId,
    /// How many numbers each of its reasons speaks of.
    pub count: usize,
    /// These.
    pub reasons: Vec<Reason>,
}

/// A function of a schedule while it is made.
pub(super) struct Lowering<'w> {
    pub b: &'w Body<'w>,
    pub nest: &'w Nest,
    pub windows: &'w Windows,
    /// What is asked for.
    pub wanted: Wanted,
    /// What the names of all its functions begin with.
    pub name: String,
    /// The variables of the nest that are known here.
    pub bound: FxHashMap<Variable, LocalId>,
    /// Those of them that are there in 64 bits as well: the variables of loops, and coordinates that are sums of such.
    pub wide: FxHashMap<Variable, LocalId>,
    /// Those that differ between the lanes of the vector loop around.
    pub varying: FxHashSet<Variable>,
    /// What some of these are, by other variables.
    pub lane_values: FxHashMap<Variable, Expr>,
    /// What variables are, as sums of multiples of those that loops and parameters bind.
    pub sums: FxHashMap<Variable, Expr>,
    /// The variables whose values are known now.
    pub constants: FxHashMap<Variable, i64>,
    /// Views by what they show: inputs, and outputs, whose memory is the caller's.
    pub views: BTreeMap<Source, View>,
    /// Where the elements of funcs are, by component.
    pub places: FxHashMap<Source, Elements>,
    /// Funcs that are read by indices that are `int`s.
    pub narrow: BTreeSet<FuncId>,
    /// Is this outside of all loops?
    pub is_root: bool,
    /// Is this in a strict function?
    pub is_exact: bool,
    /// How many start checks there are.
    pub checks: usize,
    /// What is known of the strides of inputs.
    pub version: Version,
    /// The functions that say why the pipeline does not start.
    pub refusals: Vec<Refusals>,
    /// The functions that look for ends of windows: for the least value or the greatest, of which variable, in which context, the
    /// value, and its condition.
    pub ends: FxHashMap<(bool, Variable, u8, Expr, Option<Expr>), FunctionId>,
    /// The functions that are strict, whatever the mode is: for which value, whether lanes have one together, and in which context.
    pub exacts: FxHashMap<(Expr, bool, u8), FunctionId>,
    /// Functions that call one for each lane by itself, by that one and the length.
    pub by_lane: FxHashMap<(FunctionId, u8), FunctionId>,
}

impl<'w> Lowering<'w> {
    /// Nothing is known yet.
    pub fn new(nest: &'w Nest, windows: &'w Windows, wanted: &Wanted, b: &'w Body<'w>) -> Self {
        Lowering {
            b,
            nest,
            windows,
            name: wanted.name(),
            wanted: wanted.clone(),
            bound: FxHashMap::default(),
            wide: FxHashMap::default(),
            varying: FxHashSet::default(),
            lane_values: FxHashMap::default(),
            sums: FxHashMap::default(),
            constants: FxHashMap::default(),
            views: BTreeMap::new(),
            places: FxHashMap::default(),
            narrow: BTreeSet::new(),
            is_root: true,
            is_exact: false,
            checks: 0,
            version: Version::default(),
            refusals: Vec::new(),
            ends: FxHashMap::default(),
            exacts: FxHashMap::default(),
            by_lane: FxHashMap::default(),
        }
    }
}
