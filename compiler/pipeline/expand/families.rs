//! Families of funcs.

use crate::source::Span;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A family of funcs.
#[derive(Default)]
pub(super) struct Family {
    /// Where it is first defined.
    pub span: Span,
    /// Its members, and where each is defined.
    pub members: BTreeMap<Vec<i128>, Span>,
}

impl Family {
    /// Which members there are, in words.
    pub fn describe(&self, name: &str) -> String {
        let first = self.members.keys().next().map(|first| member_name(name, first));
        let last = self.members.keys().next_back().map(|last| member_name(name, last));
        match (first, last) {
            (Some(first), Some(last)) if first == last => format!("there is `{first}`"),
            (Some(first), Some(last)) => format!("there are `{first}` to `{last}`"),
            _ => "it has no members".to_owned(),
        }
    }
}

/// The name of a member of a family.
pub(super) fn member_name(family: &str, indices: &[i128]) -> Rc<str> {
    let indices: Vec<String> = indices.iter().map(i128::to_string).collect();
    format!("{family}[{}]", indices.join(", ")).into()
}
