//! What pipelines have beyond scalar code, from the inside of an expression outwards: reads, components, windows of inputs.
//! (Inline reductions are in `reductions`, boundary conditions in `edges`.)

use super::super::algorithm::VariableKind;
use super::super::algorithm::{Input, Notation};
use super::super::expr::{Expr, FuncId, InputId, Known, Source};
use super::super::simplify::{minus, offset};
use super::reductions::is_reduction;
use super::{Builder, all_of, plain};
use crate::check::Runs;
use crate::diagnostics::{Diagnostic, Edit, codes};
use crate::source::Span;
use crate::syntax::ast::{self, ExprKind as Ast};
use crate::typed::ir::{self, FunctionId, Place, PlaceKind};
use crate::types::Element;

impl<'a> Builder<'_, 'a> {
    /// Looks after the parts of an expression. `None` if one of them was refused.
    pub fn prepare(&mut self, e: &'a ast::Expr) -> Option<()> {
        match &e.kind {
            Ast::Call { name, template_arguments: _, arguments }
                if self.made.notation == Notation::Tensors && &*name.text == "unchecked" =>
            {
                self.unchecked(e, arguments)
            }
            Ast::Call { name, template_arguments: _, arguments } => {
                let is_domain = |e: &ast::Expr| matches!(&e.kind, Ast::Range(low, _) if matches!(low.kind, Ast::Assign { .. }));
                if is_reduction(&name.text)
                    && self.source(name)?.is_none()
                    && arguments.len() > 1
                    && arguments[1..].iter().all(is_domain)
                {
                    return self.domain_behind_comma(name, arguments);
                }
                if let Some(word) = self.edge_word(name) {
                    let is_of_index = name.text.ends_with("''");
                    return if is_of_index { self.edge_of_index(&word, arguments, e) } else { self.edge(&word, arguments, e) };
                }
                match self.source(name)? {
                    Some(source) => self.read(e, name, source, None, arguments),
                    None => match self.scope.pipeline(&name.text) {
                        Some(called) => {
                            let is_def = self.made.notation == Notation::Tensors;
                            let around = if is_def { Runs::Definition } else { Runs::Pipeline };
                            self.report(plain::refused_call(name, called, around))
                        }
                        None if self.scope.has_function(&name.text) => self.all(arguments),
                        // Of an unknown function is said that it is unknown: it may be a boundary condition, misspelt.
                        None => self.all(arguments.iter().filter(|e| !matches!(e.kind, Ast::Range(..)))),
                    },
                }
            }
            Ast::Component(inner, axis)
                if self.made.notation == Notation::Tensors
                    && let Ast::Name(name) = &inner.kind =>
            {
                self.size(e, name, *axis)
            }
            Ast::Component(inner, component) => {
                if let Ast::Reduction { .. } = inner.kind {
                    return self.reduction(inner, e, Some(*component));
                }
                if let Ast::Call { name, template_arguments: _, arguments } = &inner.kind
                    && let Some(source) = self.source(name)?
                {
                    return self.read(e, name, source, Some((*component, e.span)), arguments);
                }
                self.error(&codes::PIPELINE_TYPE, e.span, "only funcs of tuples have numbered components")
            }
            Ast::Member(of, member) if let Ast::Name(name) = &of.kind => match self.source(name)? {
                Some(NamedSource::Input(id)) if self.made.notation == Notation::Pipeline => {
                    self.window_of_word(e, name, member, id)
                }
                _ => self.prepare(of),
            },
            Ast::Method(of, name, arguments) => self.window(e, of, name, arguments),
            Ast::Reduction { .. } => self.reduction(e, e, None),
            Ast::Apply(..) | Ast::Indices(..) | Ast::Rest if self.made.notation == Notation::Tensors => self.error(
                &codes::PIPELINE_ONLY,
                e.span,
                "members of families and definitions that take funcs stand in pipelines only",
            ),
            // `expand` has said what is wrong with them where something is.
            Ast::Apply(..) | Ast::Indices(..) | Ast::Rest => self.fail(),
            Ast::Range(..) => self.error(&codes::PIPELINE_ONLY, e.span, "a range stands in boundary conditions only"),
            Ast::Integer { .. } | Ast::Float { .. } | Ast::Bool(_) | Ast::Null | Ast::Character(_) | Ast::String(_) => Some(()),
            Ast::CurrentMask | Ast::LaneIndex | Ast::TypeQuery(..) | Ast::Instance(..) => Some(()),
            Ast::Name(name) if self.scope.has_value(&name.text) => Some(()),
            Ast::Name(name) => self.is_no_source(e, name),
            Ast::Error => self.fail(),
            Ast::VectorLiteral(list) | Ast::Aggregate(list) => self.all(list),
            Ast::Blend(a, b) | Ast::Binary(_, a, b, _) | Ast::Index(a, b) => self.all([&**a, &**b]),
            Ast::Assign { op: _, place, value } => self.all([&**place, &**value]),
            Ast::Conditional(a, b, c) => self.all([&**a, &**b, &**c]),
            Ast::Unary(_, a)
            | Ast::Increment { delta: _, prefix: _, place: a }
            | Ast::Cast(_, a)
            | Ast::New(_, _, a)
            | Ast::Member(a, _)
            | Ast::Arrow(a, _)
            | Ast::Parenthesized(a) => self.prepare(a),
        }
    }

    /// Refuses `in.width` and the like, with how the window of an image is asked for.
    fn window_of_word(&mut self, whole: &ast::Expr, name: &ast::Name, member: &ast::Name, id: InputId) -> Option<()> {
        let message = format!("`{}` is an image, which has no member `{}`", name.text, member.text);
        let error = Diagnostic::error(&codes::PIPELINE_DEFINITION, member.span, message);
        let rank = self.made.input(id).dimensions.len();
        let asked = match &*member.text {
            "width" | "cols" | "columns" | "length" | "size" | "extent" | "w" => Some(("extent", 0)),
            "height" | "rows" | "h" => Some(("extent", 1)),
            "channels" | "depth" => Some(("extent", 2)),
            "min" | "left" | "x0" => Some(("min", 0)),
            "top" | "y0" => Some(("min", 1)),
            "stride" | "pitch" => Some(("stride", rank.saturating_sub(1).min(1))),
            _ => None,
        };
        self.report(match asked.filter(|(_, d)| *d < rank) {
            Some((word, d)) => {
                let text = format!("{}.{word}({d})", name.text);
                error.with_fix(format!("write `{text}`"), vec![Edit::replace(whole.span, text)])
            }
            None => error.with_help("its window is asked for by min, extent and stride, each with a dimension in brackets"),
        })
    }

    /// Refuses `sum(e, r = a .. b)`, with the word that stands in front of the domain.
    fn domain_behind_comma(&mut self, name: &ast::Name, arguments: &[ast::Expr]) -> Option<()> {
        let message = format!("the domain of `{}` stands behind `for`", name.text);
        let [value, .., _] = arguments else { unreachable!("a value and a domain") };
        let gap = Span { start: value.span.end, end: arguments[1].span.start, ..value.span };
        let error = Diagnostic::error(&codes::PIPELINE_DEFINITION, arguments[1].span, message);
        self.report(error.with_fix("write `for` in front of it, without the comma", vec![Edit::replace(gap, " for ")]))
    }

    /// Looks after each of some expressions, whatever came of those in front of it.
    pub fn all(&mut self, list: impl IntoIterator<Item = &'a ast::Expr>) -> Option<()> {
        all_of(list.into_iter().map(|e| self.prepare(e))).map(drop)
    }

    /// The func or image of a name, `Some(None)` for other names; `None` where it must not be read here.
    pub fn source(&mut self, name: &ast::Name) -> Option<Option<NamedSource>> {
        if let Some(stage) = &self.stage
            && stage.func == name.text
        {
            let Some(id) = stage.id else {
                let message = format!("the pure stage of `{}` reads `{}`", name.text, name.text);
                let error = Diagnostic::error(&codes::PIPELINE_DEFINITION, name.span, message);
                return self.report(error.with_help("what depends on earlier values of the func is an update"));
            };
            return Some(Some(NamedSource::Func(id)));
        }
        if let Some(&id) = self.funcs.get(&name.text) {
            return Some(Some(NamedSource::Func(id)));
        }
        if let Some(&id) = self.inputs.get(&name.text) {
            return Some(Some(NamedSource::Input(id)));
        }
        if self.refused.contains(&name.text) {
            return self.fail();
        }
        if self.all_funcs.contains(&name.text) {
            let message = format!("`{}` is used before its definition", name.text);
            return self.error(&codes::PIPELINE_DEFINITION, name.span, message);
        }
        Some(None)
    }

    /// Reports the name of a func or an image where a value should be.
    fn is_no_source(&mut self, e: &ast::Expr, name: &ast::Name) -> Option<()> {
        let what = match self.source(name)? {
            None => return Some(()),
            // `s` is `s()` in comprehensions.
            Some(source) if self.made.notation == Notation::Tensors && self.shape(source).0 == 0 => {
                self.stand_for(e, source.component(0), Vec::new());
                return Some(());
            }
            Some(_) if self.made.notation == Notation::Tensors => "a tensor",
            Some(NamedSource::Func(_)) => "a func",
            Some(NamedSource::Input(_)) => "an image",
        };
        let message = format!("`{}` is {what}, and not a value", name.text);
        let error = Diagnostic::error(&codes::PIPELINE_DEFINITION, name.span, message);
        self.report(error.with_help(format!("read it at a point: `{}(…)`", name.text)))
    }

    /// `T.d`: how many elements a tensor has in a dimension (*Tensor Comprehensions*, "Size Expressions").
    fn size(&mut self, whole: &ast::Expr, name: &ast::Name, axis: usize) -> Option<()> {
        let Some(source) = self.source(name)? else {
            return self.error(&codes::UNKNOWN_NAME, name.span, format!("there is no tensor `{}`", name.text));
        };
        let (rank, _) = self.shape(source);
        if axis >= rank {
            let has = match rank {
                0 => "no dimensions".to_owned(),
                1 => "dimension 0 only".to_owned(),
                n => format!("the dimensions 0 to {}", n - 1),
            };
            return self.error(&codes::PIPELINE_DEFINITION, whole.span, format!("`{}` has {has}", name.text));
        }
        let d = self.made.axis(rank, axis);
        let made = match source {
            NamedSource::Input(id) => {
                let extent = self.made.input(id).dimensions[d].extent;
                self.load_of(extent, whole.span)
            }
            NamedSource::Func(id) => {
                let [begin, end] = self.made.ranges[&id][d].clone();
                self.size_of(&format!("{}.{axis}", name.text), minus(&end, &begin), whole.span)
            }
        };
        self.scope.replace(whole, made);
        Some(())
    }

    /// A size of a tensor as the checker sees it. It stands in the algorithm itself, where conditions are compared with windows.
    fn size_of(&mut self, text: &str, value: Expr, span: Span) -> ir::Expr {
        let local = self.scope.unnamed(text, Element::Int32, span);
        let variable = self.new_variable(local, text, Element::Int32, VariableKind::Startup, span);
        self.sizes.insert(variable, value);
        self.load_of(variable, span)
    }

    /// `unchecked(T(e))`: that the indices are inside is the word of who writes it.
    fn unchecked(&mut self, whole: &'a ast::Expr, arguments: &'a [ast::Expr]) -> Option<()> {
        let read = match arguments {
            [ast::Expr { kind: Ast::Call { name, arguments, .. }, span, .. }] => {
                self.source(name)?.map(|source| (name, source, arguments, *span))
            }
            _ => None,
        };
        let Some((name, source, arguments, span)) = read else {
            let message = "`unchecked` takes one read of a tensor: `unchecked(T(i))`";
            return self.error(&codes::PIPELINE_DEFINITION, whole.span, message);
        };
        let (rank, _) = self.shape(source);
        self.arity(name, rank, arguments.len(), span)?;
        self.all(arguments)?;
        let indices = self.indices(arguments)?;
        let mut known = Vec::new();
        for (axis, index) in indices.into_iter().enumerate() {
            let d = self.made.axis(rank, axis);
            let [begin, end] = match source {
                NamedSource::Func(id) => self.made.ranges[&id][d].clone(),
                NamedSource::Input(id) => {
                    let extent = self.made.input(id).dimensions[d].extent;
                    [Expr::int(0, span), Expr::variable(extent, Element::Int32, span)]
                }
            };
            let low = self.size_of(&format!("{}.{axis}.first", name.text), begin, span);
            let high = self.size_of(&format!("{}.{axis}.last", name.text), offset(&end, -1), span);
            let function = self.within(Known::Said { of: name.text.clone(), axis });
            let ty = index.ty;
            known.push(ir::Expr { kind: ir::ExprKind::Call { function, arguments: vec![index, low, high] }, ty, span });
        }
        let known = self.made.in_text_order(known);
        self.stand_for(whole, source.component(0), known);
        Some(())
    }

    /// How many dimensions and components there are.
    pub fn shape(&self, source: NamedSource) -> (usize, usize) {
        match source {
            NamedSource::Func(id) => {
                let func = self.made.func(id);
                (func.variables.len(), func.elements.len())
            }
            NamedSource::Input(id) => (self.made.input(id).dimensions.len(), 1),
        }
    }

    /// f\[e₁, …, eₙ\] stands in for its text.
    fn read(
        &mut self,
        whole: &'a ast::Expr,
        name: &ast::Name,
        source: NamedSource,
        component: Option<(usize, Span)>,
        arguments: &'a [ast::Expr],
    ) -> Option<()> {
        let (rank, components) = self.shape(source);
        self.arity(name, rank, arguments.len(), whole.span)?;
        let component = match component {
            None if components == 1 => 0,
            None => {
                let message = format!("`{}` is a func of {components} values", name.text);
                let error = Diagnostic::error(&codes::PIPELINE_TYPE, whole.span, message);
                return self.report(error.with_help(format!("read one of them: `{}(…).0`", name.text)));
            }
            Some((component, _)) if component < components && components > 1 => component,
            Some((component, span)) => {
                let values = if components == 1 { "one value".to_owned() } else { format!("{components} values") };
                let message = format!("`{}` has {values}, and no component {component}", name.text);
                return self.error(&codes::PIPELINE_TYPE, span, message);
            }
        };
        self.all(arguments)?;
        let indices = self.indices(arguments)?;
        let indices = self.made.in_text_order(indices);
        self.stand_for(whole, source.component(component), indices);
        Some(())
    }

    /// Reports a wrong number of indices.
    pub fn arity(&mut self, name: &ast::Name, rank: usize, given: usize, span: Span) -> Option<()> {
        if rank == given {
            return Some(());
        }
        let dimensions = if rank == 1 { "1 dimension".to_owned() } else { format!("{rank} dimensions") };
        let indices = if given == 1 { "1 index given".to_owned() } else { format!("{given} indices given") };
        self.error(&codes::PIPELINE_DEFINITION, span, format!("`{}` has {dimensions}, {indices}", name.text))
    }

    /// Indices as checked `int`s.
    pub fn indices(&mut self, arguments: &'a [ast::Expr]) -> Option<Vec<ir::Expr>> {
        all_of(arguments.iter().map(|e| self.scope.converted(e, Element::Int32))).or_else(|| self.fail())
    }

    /// A read stands in for a text.
    pub fn stand_for(&mut self, whole: &ast::Expr, source: Source, indices: Vec<ir::Expr>) {
        let made = self.read_of(source, indices, whole.span);
        self.scope.replace(whole, made);
    }

    /// A read as the checker sees it.
    pub fn read_of(&mut self, source: Source, indices: Vec<ir::Expr>, span: Span) -> ir::Expr {
        let (name, element) = (self.made.name_of(source), self.made.element_of(source));
        let known: Option<FunctionId> = self.sources.iter().find(|(_, known)| **known == source).map(|(id, _)| *id);
        let function = known.unwrap_or_else(|| {
            let id = self.scope.stand_in(name, element);
            self.sources.insert(id, source);
            id
        });
        let ty = self.scope.scalar(element);
        ir::Expr { kind: ir::ExprKind::Call { function, arguments: indices }, ty, span }
    }

    /// The value of a variable as the checker sees it.
    pub fn load_of(&mut self, variable: super::Variable, span: Span) -> ir::Expr {
        let local = self.local_of(variable);
        let element = self.made.variable(variable).element;
        let ty = self.scope.scalar(element);
        let place = Place { kind: PlaceKind::Local(local), object: ty, addresses: 1, ty, span };
        ir::Expr { kind: ir::ExprKind::Load(place), ty, span }
    }

    /// `in.min(d)`, `in.extent(d)`, `in.stride(d)`
    fn window(&mut self, whole: &'a ast::Expr, of: &'a ast::Expr, name: &'a ast::Name, arguments: &'a [ast::Expr]) -> Option<()> {
        let input = match &of.kind {
            Ast::Name(of) if self.refused.contains(&of.text) => return self.fail(),
            Ast::Name(of) => self.inputs.get(&of.text).copied(),
            _ => None,
        };
        let Some(input) = input else {
            return self.error(&codes::PIPELINE_TYPE, whole.span, format!("only inputs have `.{}(…)`", name.text));
        };
        let Input { name: input, dimensions, .. } = self.made.input(input);
        let dimension = match arguments {
            [ast::Expr { kind: Ast::Integer { value, suffix: None }, .. }] => dimensions.get(*value as usize),
            _ => None,
        };
        let variable = match (dimension, &*name.text) {
            (Some(dimension), "min") => dimension.min,
            (Some(dimension), "extent") => dimension.extent,
            (Some(dimension), "stride") => dimension.stride,
            (None, "min" | "extent" | "stride") => {
                let message = format!("`{input}` has the dimensions 0 to {}", dimensions.len() - 1);
                return self.error(&codes::PIPELINE_TYPE, whole.span, message);
            }
            _ => {
                let message = format!("an input has `min(d)`, `extent(d)` and `stride(d)`, and no `{}`", name.text);
                return self.error(&codes::PIPELINE_TYPE, name.span, message);
            }
        };
        let made = self.load_of(variable, whole.span);
        self.scope.replace(whole, made);
        Some(())
    }
}

/// What a name that is read stands for.
#[derive(Clone, Copy)]
pub enum NamedSource {
    Func(FuncId),
    Input(InputId),
}

impl NamedSource {
    /// A component of it, 0 if it has one only.
    pub fn component(self, component: usize) -> Source {
        match self {
            NamedSource::Func(id) => Source::Func(id, component),
            NamedSource::Input(id) => Source::Input(id),
        }
    }
}
