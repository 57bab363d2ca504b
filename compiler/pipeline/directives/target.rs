//! Names of funcs, stages, loops and tail strategies.

use super::super::expr::{FuncId, Variable};
use super::super::loops::ir::{Loop, StageName, Statement};
use super::state::Scheduler;
use crate::source::Span;
use crate::syntax::ast::{self, ExprKind as Ast};

/// What a directive is about: a stage of a func, in all copies of it or in one.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The func.
    pub func: FuncId,
    /// The copy, and where it is named; all of them without.
    pub copy: Option<(Copy, Span)>,
    /// The stage.
    pub stage: usize,
}

/// A copy that `specialize` makes of a func.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copy {
    /// That for a condition, by its number.
    Case(usize),
    /// That where no condition holds.
    Otherwise,
}

/// φ: what a split does with the remainder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// φ_Guard: if o·n + i < L.
    Guard,
    /// φ_Shift: v = m + min(o·n, L − n) + i.
    Shift,
    /// φ_Round: beyond the window.
    Round,
    /// None if n divides; round where that is harmless; else guard.
    Auto,
}

/// The words for them.
pub const TAILS: [(&str, Tail); 4] =
    [("guard", Tail::Guard), ("shift", Tail::Shift), ("round", Tail::Round), ("auto", Tail::Auto)];

impl Scheduler<'_> {
    /// A func by its name.
    pub fn func(&mut self, name: &ast::Name) -> Option<FuncId> {
        let pipeline = self.nest.pipeline.clone();
        if let Some((id, _)) = pipeline.numbered_funcs().find(|(_, func)| func.name == name.text) {
            return Some(id);
        }
        let named = pipeline.funcs.iter().filter(|func| !func.is_inline_reduction);
        let names: Vec<String> = named.map(|func| format!("`{}`", func.name)).collect();
        self.refuse(name.span, format!("`{}` has no func `{}`; it has {}", pipeline.name, name.text, names.join(", ")))
    }

    /// `C.statement(k)`: the func of a statement of a tensor, by the name that it has.
    pub fn statement(&mut self, tensor: &ast::Name, arguments: Option<&[ast::Expr]>, span: Span) -> Option<ast::Name> {
        let pipeline = self.nest.pipeline.clone();
        let Some((_, funcs)) = pipeline.tensors.iter().find(|(name, _)| *name == tensor.text) else {
            return self.refuse(span, format!("`{}` is no tensor of `{}`", tensor.text, pipeline.name));
        };
        let number = match arguments {
            Some([ast::Expr { kind: Ast::Integer { value, .. }, .. }]) => usize::try_from(*value).ok(),
            _ => None,
        };
        match number.and_then(|number| funcs.get(number)) {
            Some(&Some(id)) => Some(ast::Name { text: pipeline.func(id).name.clone(), span: tensor.span }),
            Some(None) => self.refuse(span, format!("this statement of `{}` is not run: no result needs it", tensor.text)),
            None => {
                let has = if funcs.len() == 1 {
                    "statement(0)".to_owned()
                } else {
                    format!("statement(0) to statement({})", funcs.len() - 1)
                };
                self.refuse(span, format!("`{}` has {has}", tensor.text))
            }
        }
    }

    /// A dimension of a func by the name of its variable.
    pub fn dimension(&mut self, func: FuncId, name: &ast::Name) -> Option<usize> {
        let pipeline = self.nest.pipeline.clone();
        let func = pipeline.func(func);
        let names: Vec<&str> = func.variables.iter().map(|&v| &*pipeline.variable(v).name).collect();
        names.iter().position(|known| *known == &*name.text).or_else(|| {
            let has = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            self.refuse(name.span, format!("`{}` has no dimension `{}`; it has {has}", func.name, name.text))
        })
    }

    /// The stage of `update(n)`.
    pub fn update(&mut self, func: FuncId, arguments: Option<&[ast::Expr]>, span: Span) -> Option<usize> {
        let func = self.nest.pipeline.func(func).clone();
        let updates = func.stages.len() - 1;
        match arguments {
            Some([ast::Expr { kind: Ast::Integer { value, .. }, .. }]) if (*value as usize) < updates => {
                Some(*value as usize + 1)
            }
            _ => {
                let has = match updates {
                    0 => "no updates".to_owned(),
                    1 => "update(0)".to_owned(),
                    n => format!("update(0) to update({})", n - 1),
                };
                self.refuse(span, format!("`{}` has {has}", func.name))
            }
        }
    }

    /// `case(i)`, `otherwise`
    pub fn copy(&mut self, name: &ast::Name, arguments: Option<&[ast::Expr]>, span: Span) -> Option<(Copy, Span)> {
        match (&*name.text, arguments) {
            ("case", Some([ast::Expr { kind: Ast::Integer { value, .. }, .. }])) => Some((Copy::Case(*value as usize), span)),
            ("otherwise", None) => Some((Copy::Otherwise, span)),
            _ => self.refuse(span, "the copies of a func are `f.case(0)`, `f.case(1)`, … and `f.otherwise`"),
        }
    }

    /// The stages that a directive is about: one, or that of each copy.
    pub fn stages(&mut self, target: Target) -> Option<Vec<StageName>> {
        let mut stages = self.stages_of(target.func);
        stages.retain(|name| name.stage == target.stage);
        let Some((copy, span)) = target.copy else { return Some(stages) };
        let func = self.nest.pipeline.func(target.func).name.clone();
        let Some(&count) = self.copies.get(&target.func) else {
            return self.refuse(span, format!("`{func}` has no copies: it is not specialized"));
        };
        let number = match copy {
            Copy::Case(number) => number,
            Copy::Otherwise => count - 1,
        };
        if copy != Copy::Otherwise && number + 1 >= count {
            let has = if count == 2 { "case(0)".to_owned() } else { format!("case(0) to case({})", count - 2) };
            return self.refuse(span, format!("`{func}` has {has} and otherwise"));
        }
        stages.retain(|name| name.case % count == number);
        Some(stages)
    }

    /// `f`, `f.update(0)`, `f.case(0)`, `f.otherwise.update(0)` as an argument.
    pub fn target_argument(&mut self, e: &ast::Expr) -> Option<Target> {
        match &e.kind {
            Ast::Name(name) => Some(Target { func: self.func(name)?, copy: None, stage: 0 }),
            Ast::Method(of, method, arguments) if &*method.text == "statement" => {
                let Ast::Name(tensor) = &of.kind else {
                    return self.refuse(e.span, "`statement(k)` stands behind the name of a tensor");
                };
                let name = self.statement(tensor, Some(arguments), e.span)?;
                Some(Target { func: self.func(&name)?, copy: None, stage: 0 })
            }
            Ast::Method(of, method, arguments) if &*method.text == "update" => {
                let target = self.target_argument(of)?;
                let stage = self.update(target.func, Some(arguments), e.span)?;
                Some(Target { stage, ..target })
            }
            Ast::Method(of, method, arguments) if &*method.text == "case" => {
                let target = self.target_argument(of)?;
                Some(Target { copy: Some(self.copy(method, Some(arguments), e.span)?), ..target })
            }
            Ast::Member(of, member) if &*member.text == "otherwise" => {
                let target = self.target_argument(of)?;
                Some(Target { copy: Some(self.copy(member, None, e.span)?), ..target })
            }
            _ => self.refuse(e.span, "here stands a func, or a stage of one: `f`, `f.update(0)`, `f.case(0)`"),
        }
    }

    /// The stages of a func.
    pub fn stages_of(&self, func: FuncId) -> Vec<StageName> {
        let mut all = Vec::new();
        self.nest.around(func).walk(&mut |s| {
            if let Statement::Stage(name, _) = s
                && name.func == func
            {
                all.push(*name);
            }
        });
        all
    }

    /// The loops of a stage, the outermost first.
    pub fn loops(&self, stage: StageName) -> Vec<&Loop> {
        let mut loops = Vec::new();
        self.nest.around(stage.func).walk(&mut |s| {
            if let Statement::For(l) = s
                && l.stage == stage
            {
                loops.push(&**l);
            }
        });
        loops
    }

    /// A loop of a stage by its name.
    pub fn loop_argument(&mut self, stage: StageName, name: &ast::Name) -> Option<Variable> {
        self.loop_among(stage, |_| true, "loop", name)
    }

    /// A loop of a kind by its name.
    pub fn loop_among(&mut self, stage: StageName, kind: fn(&Loop) -> bool, what: &str, name: &ast::Name) -> Option<Variable> {
        let loops = self.loops(stage).into_iter().filter(|l| kind(l)).map(|l| l.variable);
        let (found, others): (Vec<Variable>, Vec<Variable>) = loops.partition(|v| self.nest.name(*v) == &*name.text);
        if found.is_empty() {
            let names: Vec<&str> = others.iter().map(|v| self.nest.name(*v)).collect();
            let func = &self.nest.pipeline.func(stage.func).name;
            let has = if names.is_empty() { "it has none".to_owned() } else { format!("it has {}", names.join(", ")) };
            return self.refuse_at(name.span, stage.func, format!("`{func}` has no {what} `{}`; {has}", name.text));
        }
        found.first().copied()
    }

    /// New names of loops, which differ, and which no loop of the stage has but those that they replace.
    pub fn new_loop_names(&mut self, stage: StageName, names: &[&ast::Name], replaced: &[Variable]) -> Option<()> {
        for (k, name) in names.iter().enumerate() {
            let kept = self.loops(stage).into_iter().filter(|l| !replaced.contains(&l.variable));
            let is_of_a_loop = kept.map(|l| self.nest.name(l.variable)).any(|known| known == &*name.text);
            let message = format!("loop name `{}` is taken", name.text);
            if is_of_a_loop {
                return self.refuse_at(name.span, stage.func, message);
            }
            if names[..k].iter().any(|other| other.text == name.text) {
                return self.refuse(name.span, message);
            }
        }
        Some(())
    }
}
