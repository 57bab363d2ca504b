//! Generic structs: each instance is a record of its own.
//!
//! ```text
//! template <typename T, int N = 4> struct pair { T v[N]; };      pair<float> p;      struct pair_float_4 { float v[4]; };
//! ```
//! The members of an instance are resolved once, in the scope of the file, when it is first named. An instance may have others of the
//! same struct among its members, behind pointers or with smaller numbers, up to a bound.

use super::declared::{Argument, Base, Declared, Qualifier};
use super::items::{GenericInstance, RecordItem};
use super::state::Checker;
use super::templates::bound_of;
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast::{self, TemplateParameterKind as Kind};
use crate::types::{MAX_LENGTH, RecordId, Type, TypeKind, c_name};

/// How many instances may stand inside one another.
const MAX_LEVEL: usize = 128;

impl<'a> Checker<'a> {
    /// `pair<float, 4>`
    pub fn struct_instance(&mut self, of: usize, written: &'a [ast::TemplateArgument], span: Span) -> Declared {
        let generic = &self.items.generics[of];
        let (parameters, home, name): (&'a [ast::TemplateParameter], _, _) = (&generic.item.template, generic.home, generic.name);
        let refused = Declared::new(Base::Error, Qualifier::Unbound);
        let Some(given) = self.given(&[parameters], written) else { return refused };
        let mark = self.diagnostics.len();
        let Some(arguments) = self.complete(parameters, home, &given, |_, _| {}) else {
            if self.diagnostics.len() == mark {
                let names: Vec<&str> = parameters.iter().map(|p| &*p.name.text).collect();
                let message = format!("`{}` takes {} arguments, {} are given", name.text, parameters.len(), given.len());
                let error = Diagnostic::error(&codes::TEMPLATE_ARGUMENTS, span, message);
                self.diagnostics.push(error.with_help(format!("write `{}<{}>`", name.text, names.join(", "))));
            }
            return refused;
        };
        // The text of the library is not what is wrong.
        let is_hsoa = self.items.generics[of].is_hsoa();
        if let Some(Argument::Value(n, _)) = arguments.last().filter(|_| is_hsoa)
            && !u8::try_from(*n).is_ok_and(|n| n.is_power_of_two() && n <= MAX_LENGTH)
        {
            let error = Diagnostic::error(&codes::BAD_LENGTH, span, format!("{n} is no vector length"));
            self.diagnostics.push(error.with_help("lengths are the powers of two from 1 to 64"));
            return refused;
        }
        match self.record_of(of, arguments, span) {
            Some(id) => Declared::new(Base::Record(id), Qualifier::Unbound),
            None => refused,
        }
    }

    fn record_of(&mut self, of: usize, arguments: Vec<Argument>, span: Span) -> Option<RecordId> {
        if let Some(&known) = self.items.structs.get(&(of, arguments.clone())) {
            return Some(known);
        }
        let level = self.items.level + 1;
        if level > MAX_LEVEL {
            let message = format!("more than {MAX_LEVEL} instances of structs inside one another");
            let error = Diagnostic::error(&codes::INSTANCE_DEPTH, span, message);
            self.diagnostics.push(error.with_help("a struct that names itself with ever new arguments never ends"));
            return None;
        }
        let generic = &self.items.generics[of];
        let (item, members, declared, home) = (generic.item, generic.members, generic.name.span, generic.home);
        let is_hsoa = generic.is_hsoa();
        let name = format!("{}{}", generic.name.text, self.arguments_text(&arguments));
        if let Some(&taken) = self.items.places.get(&*c_name(&name)) {
            let message = format!("`{name}` is `{}` for other languages, and so is something else", c_name(&name));
            let error = Diagnostic::error(&codes::DUPLICATE_NAME, span, message);
            self.diagnostics.push(error.with_secondary(taken, "this one"));
        }
        let id = self.program.types.declare_record(&*name);
        self.program.types.document_record(id, &item.docs);
        if is_hsoa {
            self.program.types.declare_hsoa(id);
        }
        let instance = GenericInstance { of, arguments: arguments.clone(), level };
        self.items.structs.insert((of, arguments), id);
        self.items.records.push(RecordItem {
            name: name.into(),
            span: declared,
            members,
            resolved: Vec::new(),
            uses_context: false,
            generic: Some(instance),
            home,
        });
        // Before the members of all structs are known, they are resolved in turn.
        if self.items.records_known {
            let (mark, i) = (self.diagnostics.len(), id.0 as usize);
            self.resolve_members(i);
            self.refuse_circle(i);
            let resolved = &self.items.records[i].resolved;
            self.items.records[i].uses_context = resolved.iter().any(|(_, declared)| self.uses_context(declared));
            // Who names it may do so silently; what is wrong with it is said all the same.
            let said = self.diagnostics.split_off(mark);
            self.items.said_of_globals.extend(said);
        }
        Some(id)
    }

    /// Runs a rule with the arguments of the struct that a record is an instance of.
    pub fn in_instance<T>(&mut self, record: usize, rule: impl FnOnce(&mut Self) -> T) -> T {
        let Some(GenericInstance { of, arguments, level }) = self.items.records[record].generic.clone() else {
            return rule(self);
        };
        let generic = &self.items.generics[of];
        let (bound, home) = (bound_of(&generic.item.template, arguments.iter().map(Some)), generic.home);
        let outer = std::mem::replace(&mut self.items.level, level);
        let result = self.with_arguments(bound, home, rule);
        self.items.level = outer;
        result
    }

    /// What is wrong with instances of structs that were named silently.
    pub fn say_rest(&mut self) {
        for said in std::mem::take(&mut self.items.said_of_globals) {
            self.diagnostics.push(said);
        }
    }

    /// The arguments of the struct that a record is an instance of, for the parameters that a pattern names.
    pub fn deduce_from_record(
        &self,
        (name, written): (&ast::Name, &[ast::TemplateArgument]),
        ty: Type,
        template: &[ast::TemplateParameter],
        found: &mut [Option<Argument>],
    ) {
        let TypeKind::Record { record, .. } = *self.program.types.kind(ty) else { return };
        self.deduce_from_instance(name, written, record, template, found);
    }

    fn deduce_from_instance(
        &self,
        name: &ast::Name,
        written: &[ast::TemplateArgument],
        record: RecordId,
        template: &[ast::TemplateParameter],
        found: &mut [Option<Argument>],
    ) {
        let Some(instance) = self.items.records.get(record.0 as usize).and_then(|item| item.generic.as_ref()) else { return };
        if self.items.generics[instance.of].name.text != name.text {
            return;
        }
        for (pattern, argument) in written.iter().zip(&instance.arguments) {
            if let Some(name) = pattern.name() {
                let fits = |p: &ast::TemplateParameter| {
                    p.name.text == name.text
                        && matches!(
                            (&p.kind, argument),
                            (Kind::Type { .. }, Argument::Type(_)) | (Kind::Value { .. }, Argument::Value(..))
                        )
                };
                if let Some(at) = template.iter().position(fits) {
                    found[at].get_or_insert_with(|| argument.clone());
                }
                continue;
            }
            if let (ast::TemplateArgument::Type(pattern), Argument::Type(declared)) = (pattern, argument) {
                self.deduce_from_declared(pattern, declared, template, found);
            }
        }
    }

    fn deduce_from_declared(
        &self,
        pattern: &ast::Type,
        declared: &Declared,
        template: &[ast::TemplateParameter],
        found: &mut [Option<Argument>],
    ) {
        match (&pattern.kind, &declared.base) {
            (ast::TypeKind::Named(name, written), _) if written.is_empty() => {
                let at = template.iter().position(|p| p.name.text == name.text && matches!(p.kind, Kind::Type { .. }));
                if let Some(at) = at {
                    found[at].get_or_insert_with(|| Argument::Type(Declared::new(declared.base.clone(), Qualifier::Unbound)));
                }
            }
            (ast::TypeKind::Named(name, written), Base::Record(record)) => {
                self.deduce_from_instance(name, written, *record, template, found);
            }
            (ast::TypeKind::Pointer(pattern), Base::Pointer(declared)) => {
                self.deduce_from_declared(pattern, declared, template, found);
            }
            _ => {}
        }
    }
}
