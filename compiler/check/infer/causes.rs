//! Why a variable has the length that it has: for diagnostics, `--emit typed` and editors.
//!
//! A cause is the first demand that made a length more than 1; causes of causes lead, by at most three links, to an argument, a bound
//! type, a `foreach` or a built-in.

use super::super::state::Checker;
use super::state::{Cause, Leaf, Parting, Variable, Why};
use crate::diagnostics::{Diagnostic, Edit};
use crate::typed::ir::{Expr, LocalId, Reason};
use crate::types::Element;

/// How many links of a chain of causes are shown.
const LINKS: usize = 3;

impl<'a> Checker<'a> {
    /// Why a local is longer than 1, in at most three links; empty where there is nothing to say.
    pub fn reasons_of(&self, local: LocalId) -> Vec<Reason> {
        let name = format!("`{}`", self.body.locals[local.0 as usize].name);
        self.body.infos[local.0 as usize].variable.map_or_else(Vec::new, |variable| self.reasons(variable, name))
    }

    /// Why a variable is longer than 1, in at most three links.
    pub fn reasons(&self, variable: Variable, name: String) -> Vec<Reason> {
        let mut links = Vec::new();
        let mut seen = Vec::new();
        let mut at = Some((variable, name));
        while let Some((variable, name)) = at.take().filter(|(v, _)| links.len() < LINKS && !seen.contains(v)) {
            seen.push(variable);
            let Some(cause) = self.facts(variable).and_then(|facts| facts.cause.as_ref()) else { break };
            at = self.links_of(cause, &name, &mut links);
        }
        links.truncate(LINKS);
        links
    }

    /// A diagnostic about the length of a value, with what made its variables so long and how to make a scalar of it.
    pub fn with_reasons(&self, mut diagnostic: Diagnostic, e: &Expr, wants_scalar: bool) -> Diagnostic {
        let (mut name, mut is_counted) = (None, false);
        if let Some(Leaf::Variable { name: variable_name, variable: Some(variable), declared: _ }) = self.leaf(e) {
            let reasons = self.reasons(variable, format!("`{variable_name}`"));
            diagnostic.labels.extend(reasons.into_iter().map(|reason| (reason.span, reason.text)));
            let own = self.facts(variable).is_some_and(|facts| !facts.is_callers);
            let cause = self.facts(variable).and_then(|facts| facts.cause.as_ref());
            is_counted = cause.is_some_and(|cause| matches!(cause.why, Why::Narrowed(_)));
            name = Some(variable_name).filter(|_| own);
        }
        if !wants_scalar {
            return diagnostic;
        }
        let is_bool = self.program.types.element(e.ty) == Some(Element::Bool);
        let (all, one) = if is_bool { ("any", "all") } else { ("reduce_add", "reduce_max") };
        let is_number = self.program.types.element(e.ty).is_some();
        let help = match name {
            Some(name) => {
                let element = self.program.types.element(e.ty);
                let scalar = element.map_or("…", Element::name);
                // As who writes `if (c) out[k++] = x;` for lanes.
                let packed = match is_counted && element.is_some_and(Element::is_integer) {
                    true => {
                        format!("; lanes that are on are stored one behind another by `{name} += packed_store(&out[{name}], x)`")
                    }
                    false => String::new(),
                };
                format!(
                    "reduce its lanes: `{all}({name})`, `{one}({name})` …; one for all lanes is declared `{scalar} scalar {name}`{packed}"
                )
            }
            None => "take one lane with `get(v, i)`, or reduce all: `reduce_add(v)`, `any(v)` …".into(),
        };
        let diagnostic = diagnostic.with_help(help);
        let fixes = [all, one].into_iter().filter(|_| is_number);
        fixes.fold(diagnostic, |diagnostic, name| {
            diagnostic.with_fix(format!("reduce the lanes with `{name}`"), Edit::wrap(name, e.span))
        })
    }

    /// A diagnostic about a statement, with what parts the lanes there.
    pub fn with_parting(&self, mut diagnostic: Diagnostic, parting: &Parting) -> Diagnostic {
        let mut links = Vec::new();
        Self::links_of_parting(parting, &mut links);
        diagnostic.labels.extend(links.into_iter().map(|reason| (reason.span, reason.text)));
        diagnostic
    }

    /// The links of one cause; the variable that the next ones are about.
    fn links_of(&self, cause: &Cause, name: &str, links: &mut Vec<Reason>) -> Option<(Variable, String)> {
        let head = format!("{name} is one per lane (length {})", cause.length);
        let mut link = |span, text: String| links.push(Reason { span, text });
        match &cause.why {
            Why::Initializer(leaf) => {
                link(cause.place, format!("{head}: what it begins as is one per lane{}", Self::leaf_text(leaf)));
                Self::behind(leaf, links)
            }
            Why::Assigned(leaf) => {
                link(cause.place, format!("{head}: what is assigned to it here is one per lane{}", Self::leaf_text(leaf)));
                Self::behind(leaf, links)
            }
            Why::Returned(leaf) => {
                link(cause.place, format!("{head}: what is returned here is one per lane{}", Self::leaf_text(leaf)));
                Self::behind(leaf, links)
            }
            Why::Argument => {
                link(cause.place, format!("{head}: its argument is"));
                None
            }
            Why::Context => {
                link(cause.place, format!("{head}: nothing is assigned to it, and it is declared in a context of that length"));
                None
            }
            Why::ByReference { function, parameter } => {
                let callee = &self.program.functions[function.0 as usize];
                let parameter = callee.locals.get(*parameter).map_or("", |l| &l.name);
                link(cause.place, format!("{head}: `{}` assigns it as `{parameter}`", callee.name));
                None
            }
            Why::Index => {
                link(cause.place, format!("{head}: this index is"));
                None
            }
            Why::Narrowed(parting) => {
                link(cause.place, format!("{head}: it is assigned here, {}", Self::parting_text(parting)));
                Self::links_of_parting(parting, links)
            }
        }
    }

    fn links_of_parting(parting: &Parting, links: &mut Vec<Reason>) -> Option<(Variable, String)> {
        match parting {
            Parting::Condition { at, leaf } | Parting::Loop { at, leaf } => {
                links.push(Reason { span: *at, text: format!("this condition is one per lane{}", Self::leaf_text(leaf)) });
                Self::behind(leaf, links)
            }
            Parting::Left { jump, by } => {
                links.push(Reason { span: *jump, text: "some lanes leave here".into() });
                Self::links_of_parting(by, links)
            }
            Parting::Behind { jump, by } => {
                links.push(Reason { span: *jump, text: "some lanes jump here".into() });
                Self::links_of_parting(by, links)
            }
            Parting::Foreach(at) => {
                links.push(Reason { span: *at, text: "these are the lanes".into() });
                None
            }
            Parting::Unique(at) => {
                links.push(Reason { span: *at, text: "only the lanes with one value come here at a time".into() });
                None
            }
        }
    }

    fn parting_text(parting: &Parting) -> &'static str {
        match parting {
            Parting::Condition { .. } => "under a condition of each lane",
            Parting::Loop { .. } | Parting::Left { .. } => "in a loop that lanes leave one by one",
            Parting::Behind { .. } => "behind a jump of some lanes",
            Parting::Foreach(_) => "in the lanes of a `foreach`",
            Parting::Unique(_) => "in a `foreach_unique`",
        }
    }

    /// What the length of a leaf comes from: another variable, or the lanes of a `foreach`.
    fn behind(leaf: &Leaf, links: &mut Vec<Reason>) -> Option<(Variable, String)> {
        match leaf {
            Leaf::Variable { name, variable: None, declared } => {
                links.push(Reason { span: *declared, text: format!("`{name}` has the lanes of its loop") });
                None
            }
            Leaf::Variable { name, variable: Some(variable), declared: _ } => Some((*variable, format!("`{name}`"))),
            Leaf::Call(_) | Leaf::Context | Leaf::Value => None,
        }
    }

    fn leaf_text(leaf: &Leaf) -> String {
        match leaf {
            Leaf::Variable { name, .. } => format!(", by `{name}`"),
            Leaf::Call(name) => format!(", by what `{name}` returns"),
            Leaf::Context => ", by the lanes of the context".into(),
            Leaf::Value => String::new(),
        }
    }
}
