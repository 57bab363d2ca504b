//! Where the elements of funcs and images are: addresses.
//!
//! ```text
//! f[x + 1, y]   with lanes x       ──►   *((f.pointer + (y − f_y_min) · f_stride_1 − f_x_min + 1) + x)        in 64 bits
//! f[in[x], y]   at the root        ──►   *((f.pointer + …) + (in[x] − f_x_min))                               an `int` numbers the elements
//! g[x + 1]      elements per lane  ──►   *(g.pointer + 1)        at the distance from the lane's own first coordinate
//! ```
//! The part of an index that all lanes share goes to the pointer, in 64 bits, so that neighbouring lanes are seen to access
//! neighbouring elements, and accesses nearby to be at constant distances.

use super::super::expr::{Expr, ExprKind, FuncId, Source, Variable, rebind};
use super::super::loops::ir::{Binder, Storage};
use super::super::loops::lower::memory_window;
use super::super::simplify::{Linear, constant_value, difference, linear, minus, offset, simplify};
use super::body::Body;
use super::state::{Elements, Lowering};
use crate::typed::ir::{self, BinaryOp, Builtin, CrossOp, LocalId, ReduceOp, UnaryOp};
use crate::types::Element;

/// Constants up to this one are added to the pointer where an index is an `int`.
pub(super) const NEIGHBOURS: i64 = 16;

impl Lowering<'_> {
    /// Memory for a func; that of an output is the caller's. The result is what is given back where the sequence ends.
    pub fn allocate(&mut self, id: FuncId, storage: Storage) -> Vec<LocalId> {
        let nest = self.nest;
        let func = nest.pipeline.func(id);
        self.b.span.set(func.span);
        if nest.pipeline.outputs.contains(&id) {
            for component in 0..func.elements.len() {
                let source = Source::Func(id, component);
                self.places.insert(source, self.views[&source].elements.clone());
            }
            return Vec::new();
        }
        let has_lanes = storage == Storage::PerLane;
        let mut mins = Vec::new();
        let mut low = Vec::new();
        let mut lengths: Vec<ir::Expr> = Vec::new();
        let mut count = Some(1u64);
        for d in 0..func.variables.len() {
            let [min, length] = memory_window(nest, id, d);
            mins.push(self.value(&min));
            low.push(min);
            count = count.zip(self.constant_of(&length)).and_then(|(a, b)| a.checked_mul(u64::try_from(b.max(0)).ok()?));
            lengths.push(self.b.wide(self.shared_length(&length)));
        }
        let stride = |d| match d {
            0 => None,
            1 => Some(lengths[0].clone()),
            _ => {
                let product = self.b.joined(BinaryOp::Multiply, lengths[..d].to_vec()).expect("dimensions");
                Some(self.b.named(&format!("{}_stride_{d}", func.name), product))
            }
        };
        let strides: Vec<_> = (0..lengths.len()).map(stride).collect();
        let fold = nest.fold(id).map(|fold| (fold.dimension, self.value(&offset(&fold.factor, -1))));
        let may_be_narrow = self.is_root && !has_lanes && fold.is_none() && !lengths.is_empty();
        let number = self.b.joined(BinaryOp::Multiply, lengths).unwrap_or_else(|| self.b.long(1));
        let mut owned = Vec::new();
        for (component, &element) in func.elements.iter().enumerate() {
            let object = self.b.vector(element, if has_lanes { self.b.context() } else { 1 });
            let made = self.b.scratch(&func.name, object, number.clone(), count);
            owned.extend(Some(made.pointer).filter(|_| made.is_owned));
            let (mins, strides, fold, low) = (mins.clone(), strides.clone(), fold.clone(), low.clone());
            let elements = Elements { pointer: made.pointer, mins, strides, fold, low, has_lanes, may_be_narrow };
            self.places.insert(Source::Func(id, component), elements);
        }
        owned
    }

    /// A length that all lanes share: the greatest of theirs.
    fn shared_length(&mut self, length: &Expr) -> ir::Expr {
        let value = self.value(length);
        if self.b.length(&value) == 1 {
            return value;
        }
        self.b.named("most", self.b.greatest(value))
    }

    /// How far the elements of a func in memory of the root block are apart at most, with [`NEIGHBOURS`], as a `double`.
    pub fn reach(&mut self, id: FuncId) -> ir::Expr {
        let b = self.b;
        let ranks = 0..self.nest.pipeline.func(id).variables.len();
        let length = |d| b.convert(self.value(&memory_window(self.nest, id, d)[1]), Element::Double);
        let lengths: Vec<ir::Expr> = ranks.map(length).collect();
        let along = |d: usize| {
            let neighbours = b.constant(ir::Constant::Float(NEIGHBOURS as f64), Element::Double);
            lengths[..d].iter().fold(b.add(lengths[d].clone(), neighbours), |along, length| b.multiply(along, length.clone()))
        };
        let sum = b.joined(BinaryOp::Add, (0..lengths.len()).map(along));
        sum.expect("a func that is read at indices has dimensions")
    }

    fn elements(&self, source: Source) -> Elements {
        match source {
            Source::Func(..) => self.places[&source].clone(),
            Source::Input(_) => self.views[&source].elements.clone(),
        }
    }

    /// The address of an element of a func or an image.
    pub fn address_of(&mut self, source: Source, indices: &[Expr]) -> ir::Expr {
        let elements = self.elements(source);
        if elements.has_lanes {
            return self.address_in_lanes(&elements, indices);
        }
        if let (true, Source::Func(id, _)) = (elements.may_be_narrow, source)
            && indices.iter().any(|index| self.is_computed(index))
        {
            self.narrow.insert(id);
            return self.address_by_int(&elements, indices);
        }
        let (mut shared, mut own) = (Vec::new(), Vec::new());
        for (d, index) in indices.iter().enumerate() {
            let (min, stride) = (&elements.mins[d], &elements.strides[d]);
            if let Some((folded, mask)) = &elements.fold
                && *folded == d
            {
                let slot = self.b.scaled(self.b.binary(BinaryOp::BitAnd, self.value(index), mask.clone()), stride);
                if self.b.length(&slot) == 1 { &mut shared } else { &mut own }.push(slot);
                continue;
            }
            // x + c with lanes x: c goes to the pointer. What counts the lanes is the index: it is there in 64 bits as well.
            let distance = elements.low.get(d).and_then(|low| self.distance(index, low));
            let from = Some(min).filter(|_| distance.is_none());
            let form = distance.unwrap_or_else(|| self.linear_by_lanes(index));
            let (mut rest, mut lanes) = (Linear { constant: 0, ..form.clone() }, Linear { constant: 0, ..form.clone() });
            rest.terms.retain(|(atom, _)| self.is_uniform(atom));
            lanes.terms.retain(|(atom, _)| !self.is_uniform(atom));
            if let Some(sum) = self.sum_in_64_bits(&rest, from) {
                shared.push(self.b.scaled(sum, stride));
            }
            // A constant is added in 64 bits, so that neighbours are seen to be at constant distances.
            shared.extend(self.b.scaled_constant(form.constant, stride));
            let index = match &lanes.terms[..] {
                [] => continue,
                [(atom, 1)] => self.value(atom),
                _ => self.sum_in_64_bits(&lanes, None).expect("terms"),
            };
            own.push(if stride.is_some() { self.b.scaled(index, stride) } else { index });
        }
        self.b.address(&elements, shared, own)
    }

    /// A sum of multiples of `int`s less a coordinate, unless that is nothing. An index is an `int` as a whole. A part of one may not
    /// be: `0 - min` of a view that begins at the least `int`, or `4 * x` in `4 * x + p`.
    fn sum_in_64_bits(&mut self, sum: &Linear, less: Option<&ir::Expr>) -> Option<ir::Expr> {
        let b = self.b;
        let term = |(atom, factor): &(Expr, i64)| {
            let term = self.value_in_64_bits(atom);
            if *factor == 1 { term } else { b.multiply(term, b.long(*factor)) }
        };
        let made = b.joined(BinaryOp::Add, sum.terms.iter().map(term));
        let Some(min) = less else { return made };
        let min = b.wide(min.clone());
        Some(match made {
            Some(made) => b.subtract(made, min),
            None => b.unary(UnaryOp::Negate, min),
        })
    }

    /// An `int` in 64 bits: a variable that is there in them needs no conversion.
    fn value_in_64_bits(&mut self, e: &Expr) -> ir::Expr {
        if let Some(wide) = e.as_variable().and_then(|variable| self.wide.get(&variable)) {
            return self.b.load(*wide);
        }
        self.b.wide(self.value(e))
    }

    /// A coordinate as a sum of multiples, by what counts the lanes.
    fn linear_by_lanes(&self, index: &Expr) -> Linear {
        let by_lanes = |e: &Expr| e.substitute(&|v| self.sums.get(&v).filter(|_| self.has_lanes(v)).cloned());
        linear(&simplify(&by_lanes(&index.without_proofs())))
    }

    /// Is it more than sums and multiples of what counts the lanes?
    fn is_computed(&self, index: &Expr) -> bool {
        if self.is_uniform(index) {
            return false;
        }
        let form = self.linear_by_lanes(index);
        form.terms.iter().any(|(atom, _)| !matches!(atom.kind(), ExprKind::Variable(_)) && !self.is_uniform(atom))
    }

    /// An element at an index of 32 bits from the first one, which is half the work for a processor. Coordinates are inside of
    /// the func's window, and a start check says that it is small enough ([`Lowering::reach`]); those of lanes that are off may
    /// overflow. What all lanes share and constants go to the pointer, in 64 bits: accesses nearby have one index.
    fn address_by_int(&mut self, elements: &Elements, indices: &[Expr]) -> ir::Expr {
        let (mut shared, mut own) = (Vec::new(), Vec::new());
        for (d, index) in indices.iter().enumerate() {
            let (min, stride) = (elements.mins[d].clone(), &elements.strides[d]);
            if self.is_uniform(index) {
                shared.push(self.b.scaled(self.b.subtract(self.value(index), min), stride));
                continue;
            }
            let mut form = self.linear_by_lanes(index);
            if form.constant.abs() <= NEIGHBOURS {
                let constant = std::mem::take(&mut form.constant);
                shared.extend(self.b.scaled_constant(constant, stride));
            }
            let distance = self.b.subtract(self.value(&form.to_expr(index.span())), min);
            own.push(match stride {
                Some(stride) => self.b.multiply(distance, self.b.convert(stride.clone(), Element::Int32)),
                None => distance,
            });
        }
        self.b.address(elements, shared, own)
    }

    /// The distance of a coordinate from the first one, where it is known but for one variable: memory that is accessed at
    /// constant distances alone can be registers.
    fn distance(&self, index: &Expr, low: &Expr) -> Option<Linear> {
        let distance = linear(&minus(&self.by_sums(index), &self.by_sums(low)));
        let is_simple = |e: &Expr| matches!(e.kind(), ExprKind::Variable(_));
        (distance.terms.len() <= 1 && distance.terms.iter().all(|(atom, _)| is_simple(atom))).then_some(distance)
    }

    /// An element of a func with elements for each lane.
    fn address_in_lanes(&mut self, elements: &Elements, indices: &[Expr]) -> ir::Expr {
        let (mut shared, mut own) = (Vec::new(), Vec::new());
        for (d, (index, min)) in indices.iter().zip(&elements.low).enumerate() {
            let distance = difference(&self.expanded(index), &self.expanded(min)).map(|n| Expr::int(n, index.span()));
            let distance = distance.unwrap_or_else(|| minus(&self.expanded(index), &self.expanded(min)));
            let is_shared = self.is_uniform(&distance);
            let value = match is_shared {
                true if constant_value(&distance) == Some(0) => continue,
                true => self.value(&distance),
                false => self.b.subtract(self.value(index), elements.mins[d].clone()),
            };
            let scaled = self.b.scaled(value, &elements.strides[d]);
            if is_shared { shared.push(scaled) } else { own.push(scaled) }
        }
        self.b.address(elements, shared, own)
    }
}

impl Body<'_> {
    /// The address at a distance: what all lanes share goes to the pointer.
    fn address(&self, elements: &Elements, shared: Vec<ir::Expr>, own: Vec<ir::Expr>) -> ir::Expr {
        let shared = self.joined(BinaryOp::Add, shared);
        let is_wide = own.iter().any(|e| self.element(e) == Element::Int64);
        let own = self.joined(BinaryOp::Add, own.into_iter().map(|e| if is_wide { self.wide(e) } else { e }));
        shared.into_iter().chain(own).fold(self.load(elements.pointer), |pointer, by| self.offset(pointer, by))
    }

    /// So many coordinates along a dimension as elements.
    fn scaled(&self, index: ir::Expr, stride: &Option<ir::Expr>) -> ir::Expr {
        let index = self.wide(index);
        match stride {
            Some(stride) => self.multiply(index, stride.clone()),
            None => index,
        }
    }

    /// The same for a number of them, if there are any.
    fn scaled_constant(&self, count: i64, stride: &Option<ir::Expr>) -> Option<ir::Expr> {
        match (stride, count) {
            (_, 0) => None,
            (Some(stride), 1) => Some(stride.clone()),
            (_, c) => Some(self.scaled(self.long(c), stride)),
        }
    }

    /// The greatest of an `int` in the active lanes.
    pub fn greatest(&self, value: ir::Expr) -> ir::Expr {
        let value = self.at_length(value, self.context());
        self.other(Builtin::Cross(CrossOp::Reduce(ReduceOp::Max)), vec![value], self.scalar(Element::Int32))
    }
}

/// What variables are, where that is known of their definitions.
impl Lowering<'_> {
    /// `let v = e`, which has lanes if e has.
    pub fn define(&mut self, variable: Variable, value: &Expr) {
        let is_int = value.element() == Element::Int32 && !value.reads_or_calls();
        let has_lanes = !self.is_uniform(value);
        if has_lanes {
            self.varying.insert(variable)
        } else {
            self.varying.remove(&variable)
        };
        rebind(&mut self.lane_values, variable, Some(value.clone()).filter(|_| has_lanes && is_int));
        self.note_sum(variable, value);
        let constant = self.constant_of(value);
        let made = self.value(value);
        let local = self.b.declare(self.nest.name(variable), made);
        self.bound.insert(variable, local);
        self.wide.remove(&variable);
        if !self.is_root && !self.has_lanes(variable) && self.sums.contains_key(&variable) {
            // A coordinate: what it is computed of does not leave `int`, so that it is the same in 64 bits.
            let form = linear(&value.without_proofs());
            let sum = self.sum_in_64_bits(&Linear { constant: 0, ..form.clone() }, None);
            let sum = self.b.joined(BinaryOp::Add, sum.into_iter().chain([self.b.long(form.constant)])).expect("a constant");
            let local = self.b.declare(self.nest.name(variable), sum);
            self.wide.insert(variable, local);
        }
        rebind(&mut self.constants, variable, constant);
    }

    /// The value of an integer that is known now.
    fn constant_of(&self, e: &Expr) -> Option<i64> {
        let known = |v: Variable| {
            let value = *self.constants.get(&v)?;
            let constant = ir::Constant::Int(value as u64);
            Some(Expr::new(ExprKind::Constant(constant), self.nest.element(v), e.span()))
        };
        if !e.element().is_integer() || e.free_variables().iter().any(|v| !self.constants.contains_key(v)) || e.reads_or_calls() {
            return None;
        }
        constant_value(&simplify(&e.substitute(&known)))
    }

    /// Notes what a variable is if that is a sum of variables without one.
    fn note_sum(&mut self, variable: Variable, value: &Expr) {
        self.sums.remove(&variable);
        if value.element() != Element::Int32 || value.reads_or_calls() {
            return;
        }
        let value = simplify(&self.by_sums(value));
        // `done` changes.
        let stays = |e: &Expr| e.as_variable().is_some_and(|v| self.nest.binder(v) != Some(Binder::Done));
        if linear(&value).terms.iter().all(|(atom, _)| stays(atom)) {
            self.sums.insert(variable, value);
        }
    }

    /// An expression with the sums in the places of the variables.
    fn by_sums(&self, e: &Expr) -> Expr {
        e.without_proofs().substitute(&|v| self.sums.get(&v).cloned())
    }

    /// An expression by what its variables are.
    fn expanded(&self, e: &Expr) -> Expr {
        simplify(&e.expanded(&|v| self.lane_values.get(&v).cloned()))
    }

    /// A loop binds a variable: what another one, of an earlier stage or another copy, said of it is no longer so.
    pub fn bind(&mut self, variable: Variable, local: LocalId) {
        self.sums.remove(&variable);
        self.lane_values.remove(&variable);
        self.constants.remove(&variable);
        self.varying.remove(&variable);
        self.wide.remove(&variable);
        self.bound.insert(variable, local);
    }
}
