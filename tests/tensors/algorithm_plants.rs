//! Mistakes that the room of tensors could make, planted in algorithms: the evaluator runs them, and differs.

use ivlc::pipeline::algorithm::Pipeline;
use ivlc::pipeline::expr::{Expr, ExprKind, Source};
use ivlc::typed::ir::BinaryOp;

/// Makes a mistake in an algorithm; false where there is nothing to make it in.
pub type Make = fn(&mut Pipeline) -> bool;

/// Mistakes that random definitions must find.
pub const PLANTS: &[(&str, Make)] = &[
    ("a range is one too long", longer),
    ("an identity is another one", other_identity),
    ("the indices of a read are in another order", other_order),
    ("a reduction is done twice", twice),
    ("what was there before is forgotten", forgotten),
    ("a size is that of another dimension", other_size),
];

fn longer(pipeline: &mut Pipeline) -> bool {
    let domains = pipeline.funcs.iter_mut().filter(|func| !func.is_inline_reduction).flat_map(|func| &mut func.stages);
    let mut all = domains.flat_map(|stage| &mut stage.rdom);
    let Some(r) = all.next() else { return false };
    r.high = Expr::binary(BinaryOp::Add, r.high.clone(), Expr::int(1, r.high.span()));
    true
}

/// The value of the pure stage of a func with an update over reduction variables.
fn first_values(pipeline: &mut Pipeline) -> Option<&mut Expr> {
    let mut reduced = pipeline.funcs.iter_mut().filter(|func| func.stages.len() > 1 && !func.is_inline_reduction);
    reduced.next().map(|func| &mut func.stages[0].values[0])
}

fn other_identity(pipeline: &mut Pipeline) -> bool {
    let Some(value) = first_values(pipeline) else { return false };
    let ExprKind::Constant(_) = value.kind() else { return false };
    let other = Expr::int(3, value.span()).converted(value.element());
    *value = other;
    true
}

fn forgotten(pipeline: &mut Pipeline) -> bool {
    let Some(value) = first_values(pipeline) else { return false };
    let ExprKind::Read(..) = value.kind() else { return false };
    *value = Expr::int(0, value.span()).converted(value.element());
    true
}

/// An expression with a change in its first part that it is made in.
fn changed(e: &Expr, change: &dyn Fn(&Expr) -> Option<Expr>, is_done: &mut bool) -> Expr {
    if *is_done {
        return e.clone();
    }
    if let Some(other) = change(e) {
        *is_done = true;
        return other;
    }
    e.with_children(|part| changed(part, change, is_done))
}

fn change_values(pipeline: &mut Pipeline, change: &dyn Fn(&Expr) -> Option<Expr>) -> bool {
    let mut is_done = false;
    let funcs = pipeline.funcs.iter_mut().filter(|func| !func.is_inline_reduction);
    for value in funcs.flat_map(|func| &mut func.stages).flat_map(|stage| &mut stage.values) {
        *value = changed(value, change, &mut is_done);
    }
    is_done
}

fn other_order(pipeline: &mut Pipeline) -> bool {
    change_values(pipeline, &|e| match e.kind() {
        ExprKind::Read(source @ Source::Input(_), indices) if indices.len() > 1 => {
            let indices = indices.iter().rev().cloned().collect();
            Some(Expr::new(ExprKind::Read(*source, indices), e.element(), e.span()))
        }
        _ => None,
    })
}

fn twice(pipeline: &mut Pipeline) -> bool {
    let mut reduced = pipeline.funcs.iter_mut().filter(|func| func.stages.len() > 1 && !func.is_inline_reduction);
    let Some(func) = reduced.next() else { return false };
    let again = func.stages[1].clone();
    func.stages.push(again);
    true
}

fn other_size(pipeline: &mut Pipeline) -> bool {
    let Some(input) = pipeline.inputs.iter().find(|input| input.dimensions.len() > 1) else { return false };
    let [first, second] = [0, 1].map(|d| input.dimensions[d].extent);
    change_values(pipeline, &|e| (e.as_variable() == Some(first)).then(|| Expr::variable(second, e.element(), e.span())))
}
