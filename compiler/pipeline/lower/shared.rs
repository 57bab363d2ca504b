//! Functions that all schedules of a program have in common, one for each type and rank of views. They run where views are unlike
//! what the loops of the work ask for.
//!
//! ```text
//! float *view.packed.float2(view *copy, view *own, view *needed, bool is_read) {
//!     float *memory = new float[…];           for the points of `own` that are in the window of `needed`
//!     copy->stride[0] = 1l; …                 side by side
//!     if (is_read) copy = own;
//!     return memory;
//! }
//! void view.unpacked.float2(view *own, view *copy)            own = copy
//! bool view.interleaved.2.1(int64 distance, int64 size, int64 stride_0, int64 stride_1, int64 other_stride_0)
//! ```

use super::body::{Body, member, parameter};
use crate::check::schedules::{new_function, new_local};
use crate::target::{FpMode, Inlining, Memory};
use crate::typed::ir::{self, BinaryOp, CompareOp, ExprKind, FunctionId, LaneOp, LocalId, UnaryOp};
use crate::types::{Element, Type};

impl Body<'_> {
    /// `packed(&copy, &own, &needed, is_read)`: memory for the points of a view that are in a window, and `copy` as the view of it. It
    /// has the window of the view, and its pixels where they are read.
    pub fn pack(&self, element: Element, rank: usize, [copy, own, needed]: [LocalId; 3], is_read: bool) -> ir::Expr {
        let (view, bool, pixels) = self.kinds(element, rank);
        let parameters = [("copy", view), ("own", view), ("needed", view), ("is_read", bool)];
        let name = format!("view.packed.{}{rank}", element.name());
        let packed = self.shared(name, Inlining::Allowed, &parameters, pixels, |this| {
            let [copy, own, needed, is_read] = [0, 1, 2, 3].map(parameter);
            let window = this.within(rank, own, needed);
            let counts: Vec<ir::Expr> = window.iter().map(|[_, count]| this.wide(count.clone())).collect();
            let count = this.add(this.joined(BinaryOp::Multiply, counts.clone()).expect("dimensions"), this.long(1));
            let memory = this.declare("memory", this.expr(ExprKind::New(Memory::Heap, vec![count]), pixels));
            let mut stride = this.long(1);
            for (d, count) in counts.into_iter().enumerate() {
                this.store(this.of_view(copy, member::STRIDE, d), stride);
                stride = this.multiply(this.number_of_view(copy, member::STRIDE, d), count);
            }
            // It begins where the first pixel of the view would be.
            let back = this.unary(UnaryOp::Negate, this.distance(copy, &window));
            this.store(this.data_of_view(copy), this.offset(this.load(memory), back));
            this.when(this.load(is_read), || this.copy(copy, own, &window));
            this.give(this.load(memory));
        });
        let is_read = self.constant(ir::Constant::Bool(is_read), Element::Bool);
        self.call(packed, vec![self.address_of(copy), self.address_of(own), self.address_of(needed), is_read])
    }

    /// `unpacked(&own, &copy)`: the pixels of a copy to the view that it is a copy of.
    pub fn unpack(&self, element: Element, rank: usize, own: LocalId, copy: LocalId) {
        let (view, ..) = self.kinds(element, rank);
        let parameters = [("own", view), ("copy", view)];
        let name = format!("view.unpacked.{}{rank}", element.name());
        let unpacked = self.shared(name, Inlining::Allowed, &parameters, self.void(), |this| {
            let [own, copy] = [0, 1].map(parameter);
            this.copy(own, copy, &this.within(rank, own, own));
        });
        self.run(self.call(unpacked, vec![self.address_of(own), self.address_of(copy)]));
    }

    /// Two views with the same stride in dimension 0, all other strides multiples of that, have no pixel in common if their
    /// distance is no multiple of it: the colours of an image that has them side by side. The distance is one of bytes, the size that of
    /// a pixel of both.
    pub fn are_interleaved(&self, distance: ir::Expr, size: u64, [one, other]: [&[ir::Expr]; 2]) -> ir::Expr {
        let (int64, rank) = (self.scalar(Element::Int64), one.len());
        let names = ["distance", "size"].map(str::to_owned).into_iter();
        let names = names.chain((0..rank).map(|d| format!("stride_{d}")));
        let names: Vec<String> = names.chain((0..other.len()).map(|d| format!("other_stride_{d}"))).collect();
        let parameters: Vec<(&str, Type)> = names.iter().map(|name| (&**name, int64)).collect();
        let name = format!("view.interleaved.{rank}.{}", other.len());
        let interleaved = self.shared(name, Inlining::Cold, &parameters, self.scalar(Element::Bool), |this| {
            let number = |k: usize| this.load(parameter(k));
            let (distance, size, step) = (number(0), number(1), number(2));
            let rest =
                |op, a: ir::Expr, by: &ir::Expr| this.compare(op, this.binary(BinaryOp::Remainder, a, by.clone()), this.long(0));
            let mut all = vec![
                this.compare(CompareOp::Greater, step.clone(), this.long(1)),
                this.compare(CompareOp::Equal, number(2 + rank), step.clone()),
            ];
            let above = (3..names.len()).filter(|&k| k != 2 + rank);
            all.extend(above.map(|k| rest(CompareOp::Equal, number(k), &step)));
            all.push(rest(CompareOp::Equal, distance.clone(), &size));
            all.push(rest(CompareOp::NotEqual, this.binary(BinaryOp::Divide, distance, size), &step));
            this.give(this.all(all));
        });
        let strides = one.iter().chain(other).cloned();
        self.call(interleaved, [distance, self.long(size as i64)].into_iter().chain(strides).collect())
    }

    /// The types of pointers to views, of conditions, and of pointers to pixels.
    fn kinds(&self, element: Element, rank: usize) -> (Type, Type, Type) {
        let view = self.target().view(element, rank);
        (self.pointer(view), self.scalar(Element::Bool), self.pointer(self.scalar(element)))
    }

    /// The function of this name, with a body that `work` makes where the program has none yet.
    fn shared(
        &self,
        name: String,
        inlining: Inlining,
        parameters: &[(&str, Type)],
        result: Type,
        work: impl FnOnce(&Self),
    ) -> FunctionId {
        if let Some(&known) = self.target().shared().get(&name) {
            return known;
        }
        let mut made = new_function(name.clone(), FpMode::Strict, result, self.span.get());
        made.inlining = inlining;
        made.locals = parameters.iter().map(|&(name, ty)| new_local(name, ty, made.span)).collect();
        made.parameters = made.locals.len();
        let id = self.target().add(made);
        self.target().shared().insert(name, id);
        self.body(id, || work(self));
        id
    }

    /// The part of a window that is inside of a view: for each dimension its distance from the first point of the view, and how
    /// many points it has.
    fn within(&self, rank: usize, own: LocalId, window: LocalId) -> Vec<[ir::Expr; 2]> {
        let part = |d: usize| {
            let [[own_min, own_end], [min, end]] = [own, window].map(|local| {
                let [min, extent] = [member::MIN, member::EXTENT].map(|part| self.wide(self.number_of_view(local, part, d)));
                [min.clone(), self.add(min, extent)]
            });
            let low = self.extremum(LaneOp::Max, own_min.clone(), min);
            let count = self.subtract(self.extremum(LaneOp::Min, own_end, end), low.clone());
            let count = self.extremum(LaneOp::Max, count, self.long(0));
            [("first", self.subtract(low, own_min)), ("count", count)]
                .map(|(name, value)| self.named(name, self.convert(value, Element::Int32)))
        };
        (0..rank).map(part).collect()
    }

    /// The pixels of a part of one view to the same places of another one.
    fn copy(&self, to: LocalId, from: LocalId, window: &[[ir::Expr; 2]]) {
        let ends = [to, from].map(|view| {
            let first = self.offset(self.load_at(self.data_of_view(view)), self.distance(view, window));
            let strides = self.strides(view, window).into_iter().map(|stride| self.named("stride", stride)).collect();
            (self.named("first", first), strides)
        });
        let at: Vec<LocalId> = window.iter().map(|_| self.local("at", self.scalar(Element::Int32))).collect();
        let mut body = self.block(1, || {
            let [to, own] =
                ends.map(|(first, strides)| self.at(self.offset(first, self.steps(at.iter().map(|&at| self.load(at)), strides))));
            self.store(to, self.load_at(own));
        });
        for (&local, [_, count]) in at.iter().zip(window) {
            body = self.block(1, || self.foreach(false, local, [self.int(0), count.clone()], body));
        }
        self.extend(body.statements);
    }

    fn strides(&self, view: LocalId, window: &[[ir::Expr; 2]]) -> Vec<ir::Expr> {
        (0..window.len()).map(|d| self.number_of_view(view, member::STRIDE, d)).collect()
    }

    /// From the first pixel of a view to the first one of a part of it.
    fn distance(&self, view: LocalId, window: &[[ir::Expr; 2]]) -> ir::Expr {
        self.steps(window.iter().map(|[first, _]| first.clone()), self.strides(view, window))
    }

    /// Σ index · stride
    fn steps(&self, indices: impl Iterator<Item = ir::Expr>, strides: Vec<ir::Expr>) -> ir::Expr {
        let terms = indices.zip(strides).map(|(index, stride)| self.multiply(self.wide(index), stride));
        self.joined(BinaryOp::Add, terms).expect("dimensions")
    }
}
