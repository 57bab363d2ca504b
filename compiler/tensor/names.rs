//! What names of a definition stand for: sizes, tensors and numbers share one namespace; all others are indices of their statement, and
//! die with it ("Variable Scoping"). What the file declares is seen where it is called, and nowhere else.

use super::definition::Definition;
use crate::diagnostics::{Diagnostic, codes};
use crate::pipeline::algorithm::{Parameter, Requirement, VariableKind};
use crate::pipeline::expr::{Expr, Source};
use crate::syntax::ast::{Expr as AstExpr, ExprKind as Ast, Name, Size, TensorParameter, TensorType, TypeKind};
use crate::syntax::walk;
use crate::typed::ir::{BinaryOp, CompareOp};
use crate::types::Element;
use std::rc::Rc;

impl<'a> Definition<'_, 'a> {
    /// The element type of a tensor.
    pub fn element(&mut self, ty: &TensorType) -> Option<Element> {
        match ty.element.kind {
            TypeKind::Element(element) => Some(element),
            _ => self.refuse(ty.element.span, "the elements of tensors are numbers", ""),
        }
    }

    /// Tensors, numbers and sizes.
    pub fn parameters(&mut self, parameters: &'a [TensorParameter]) {
        // Names of tensors count before sizes do, whatever their order is.
        for parameter in parameters {
            _ = self.declare(&parameter.name, "parameter");
        }
        for parameter in parameters {
            let Some(element) = self.element(&parameter.ty) else {
                self.builder.refused.insert(parameter.name.text.clone());
                continue;
            };
            let sizes = &parameter.ty.sizes;
            if let Some(inout) = parameter.inout.filter(|_| sizes.is_empty()) {
                let message = format!("`{}` is a number, which is passed by value", parameter.name.text);
                self.refuse::<()>(inout, message, "name a result behind `->`");
                continue;
            }
            if sizes.is_empty() {
                let variable = self.builder.bind(&parameter.name, element, VariableKind::Startup);
                self.builder.made.parameters.push(Parameter::Scalar(variable));
                continue;
            }
            let id = self.builder.input(&parameter.name, element, sizes.len());
            self.builder.made.parameters.push(Parameter::Input(id));
            if parameter.inout.is_some() {
                self.overwritten.push((parameter.name.text.clone(), id));
            }
            let dimensions = self.builder.made.input(id).dimensions.clone();
            let mut window = Vec::new();
            for (axis, size) in sizes.iter().enumerate() {
                let dimension = dimensions[sizes.len() - 1 - axis];
                let span = parameter.span;
                let int = |v| Expr::variable(v, Element::Int32, span);
                let (min, extent) = (int(dimension.min), int(dimension.extent));
                let tensor = &parameter.name.text;
                let wanted = match size {
                    Size::Variable(name) => self.size(name, &extent, tensor, axis),
                    Size::Constant(value, at) => match i32::try_from(*value) {
                        Ok(value) => {
                            let constant = Expr::int(value.into(), *at);
                            let reason = format!("`{tensor}` has % elements in dimension {axis}, where it is to have {value}");
                            self.require(&extent, &constant, reason, vec![extent.clone()]);
                            Some(constant)
                        }
                        Err(_) => self.refuse(*at, "a tensor has no more than 2147483647 elements in a dimension", ""),
                    },
                };
                let zero = Expr::int(0, span);
                let reason = format!("`{tensor}` begins at % in dimension {axis}, and tensors that are passed begin at 0");
                self.require(&min, &zero, reason, vec![min.clone()]);
                window.push([zero, wanted.unwrap_or(extent)]);
            }
            window.reverse();
            self.windows.insert(Source::Input(id), window);
        }
    }

    /// A size variable: the extent in which it comes first, which others equal.
    fn size(&mut self, name: &'a Name, extent: &Expr, tensor: &str, axis: usize) -> Option<Expr> {
        if let Some((first, of)) = self.sizes.get(&name.text).cloned() {
            let size = &name.text;
            let reason = format!("size `{size}` is % by {of}, and % by dimension {axis} of `{tensor}`");
            self.require(extent, &first, reason, vec![first.clone(), extent.clone()]);
            return Some(first);
        }
        self.declare(name, "size")?;
        let variable = extent.as_variable().expect("the extent of an input");
        self.builder.made.variables[variable.0 as usize].name = name.text.clone();
        self.builder.alias(name, variable);
        self.sizes.insert(name.text.clone(), (extent.clone(), format!("dimension {axis} of `{tensor}`")));
        Some(extent.clone())
    }

    /// Notes a name of the definition; one that is taken is reported.
    pub fn declare(&mut self, name: &Name, what: &str) -> Option<()> {
        if let Some(first) = self.names.get(&name.text).copied() {
            let message = format!("{what} `{}` is named twice", name.text);
            let error = Diagnostic::error(&codes::DUPLICATE_NAME, name.span, message);
            let error = error.with_secondary(first, "first here");
            return self.builder.report(error.with_help("sizes, tensors and indices share one namespace"));
        }
        if BUILT_IN.contains(&&*name.text) {
            let message = format!("`{}` is a function, and cannot be a {what}", name.text);
            return self.refuse(name.span, message, "give it another name");
        }
        self.names.insert(name.text.clone(), name.span);
        Some(())
    }

    /// `a == b` must hold.
    pub fn require(&mut self, a: &Expr, b: &Expr, reason: String, numbers: Vec<Expr>) {
        let condition = Expr::compare(CompareOp::Equal, a.clone(), b.clone());
        self.builder.made.requirements.push(Requirement { condition, reason, numbers });
    }

    /// The names in an expression that are none of the definition: indices, in order, each once.
    pub fn indices_in(&self, e: &AstExpr, found: &mut Vec<Name>) {
        if let Ast::Name(name) = &e.kind
            && !self.names.contains_key(&name.text)
            && found.iter().all(|known| known.text != name.text)
        {
            found.push(name.clone());
        }
        walk::parts(e, &mut |part| self.indices_in(part, found));
    }
}

/// Functions whose names no tensor takes.
const BUILT_IN: [&str; 10] = ["fmax", "fmin", "fabs", "max", "min", "abs", "exp", "log", "sqrt", "unchecked"];

/// low ≤ a and b < high, or nothing is there.
pub fn is_inside([least, greatest]: &[Expr; 2], [low, high]: &[Expr; 2], empty: Vec<Expr>) -> Expr {
    let from = Expr::compare(CompareOp::GreaterEqual, least.clone(), low.clone());
    let to = Expr::compare(CompareOp::Less, greatest.clone(), high.clone());
    let inside = Expr::binary(BinaryOp::BitAnd, from, to);
    empty.into_iter().fold(inside, |all, empty| Expr::binary(BinaryOp::BitOr, all, empty))
}

/// The name of the func of a statement that is not the last one of its tensor.
pub fn statement_name(tensor: &str, number: usize) -> Rc<str> {
    format!("{tensor}.statement({number})").into()
}
