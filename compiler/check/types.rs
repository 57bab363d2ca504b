//! Types as declared, and the type constructor vec_Λ of section 4.1 that makes types of 𝓥 from them.

use super::declared::{Argument, Base, Declared, Qualifier};
use super::items::{RecordItem, TypeItem};
use super::state::Checker;
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::syntax::{ast, words};
use crate::types::{Element, MAX_LENGTH, Member, RecordId, Type, TypeKind};

/// The largest object in bytes.
const MAX_SIZE: u64 = 1 << 31;

impl<'a> Checker<'a> {
    /// Resolves names and lengths of a type.
    pub fn resolve(&mut self, ty: &'a ast::Type) -> Declared {
        let mut declared = match &ty.kind {
            ast::TypeKind::Void => Declared::new(Base::Void, Qualifier::Unbound),
            ast::TypeKind::Element(element) => Declared::new(Base::Element(*element), Qualifier::Unbound),
            ast::TypeKind::Named(name, arguments) => {
                let generic = match self.items.types.get(&name.text) {
                    Some(TypeItem::Generic(of)) if !self.body.template.contains_key(&name.text) => Some(*of),
                    Some(_) | None => None,
                };
                let is_free = arguments.is_empty() && !self.items.types.contains_key(&name.text);
                let synonym = self.body.synonyms.iter().find(|(synonym, _)| is_free && *synonym == &*name.text);
                let meant = synonym.and_then(|(_, meant)| words::element(meant));
                match (generic, meant) {
                    (None, Some(element)) => Declared::new(Base::Element(element), Qualifier::Unbound),
                    (Some(of), _) => self.struct_instance(of, arguments, ty.span),
                    (None, None) if arguments.is_empty() => self.resolve_name(name),
                    (None, None) => {
                        let known = self.resolve_name(name);
                        if known.base != Base::Error {
                            self.error(&codes::TEMPLATE_ARGUMENTS, ty.span, format!("`{}` is no template", name.text));
                        }
                        Declared::new(Base::Error, Qualifier::Unbound)
                    }
                }
            }
            ast::TypeKind::Pointer(inner) => Declared::new(Base::Pointer(Box::new(self.resolve(inner))), Qualifier::Unbound),
            ast::TypeKind::Reference(inner) => {
                let inner = self.resolve(inner);
                Declared::new(Base::Reference(Box::new(inner)), Qualifier::Unbound)
            }
            ast::TypeKind::View(inner, rank) => self.view(inner, *rank, ty.span),
            ast::TypeKind::Error => Declared::new(Base::Error, Qualifier::Unbound),
        };
        declared.qualifier = match &ty.qualifier {
            ast::Qualifier::Unbound => declared.qualifier,
            ast::Qualifier::Block(_) => Qualifier::Block,
            ast::Qualifier::BlockOf(length, _) => match self.constant_length(length) {
                Some(length) => Qualifier::Of(length),
                None => {
                    declared.base = Base::Error;
                    Qualifier::Unbound
                }
            },
            ast::Qualifier::Scalar(_) => Qualifier::Of(1),
            ast::Qualifier::Varying(_) => Qualifier::Of(self.options.width),
        };
        declared.is_const |= ty.is_const;
        declared.is_restrict |= ty.is_restrict;
        declared
    }

    pub fn resolve_name(&mut self, name: &ast::Name) -> Declared {
        match self.body.template.get(&name.text) {
            Some(Argument::Type(declared)) => return declared.clone(),
            Some(Argument::Value(..)) => {
                self.error(&codes::UNKNOWN_TYPE, name.span, format!("`{}` is a value, not a type", name.text));
                return Declared::new(Base::Error, Qualifier::Unbound);
            }
            None => {}
        }
        if let Some((element, rank)) = crate::types::named_view(&name.text) {
            return Declared::new(Base::Record(self.view_record(element, rank)), Qualifier::Unbound);
        }
        match self.items.types.get(&name.text).cloned() {
            Some(TypeItem::Record(id)) => Declared::new(Base::Record(id), Qualifier::Unbound),
            Some(TypeItem::Enum(element)) => Declared::new(Base::Element(element), Qualifier::Unbound),
            Some(TypeItem::Generic(of)) => self.struct_instance(of, &[], name.span),
            Some(TypeItem::Typedef(variable)) => {
                if self.items.resolving.contains(&name.text) {
                    let message = format!("the type `{}` is defined by itself", name.text);
                    self.error(&codes::RECURSIVE_TYPE, name.span, message);
                    return Declared::new(Base::Error, Qualifier::Unbound);
                }
                self.items.resolving.push(name.text.clone());
                let ty = self.resolve_variable(variable);
                self.items.resolving.pop();
                ty
            }
            None => {
                let may_guess = self.items.may_guess();
                let known = self.items.types.keys().map(|k| &**k).chain(Element::ALL.iter().map(|e| e.name()));
                let known = known.filter(|_| may_guess);
                let close = super::names::closest(&name.text, known).map(str::to_owned);
                let message = format!("there is no type `{}`", name.text);
                self.diagnostics.push(match super::foreign::of_type(&name.text) {
                    Some(instead) => Diagnostic::error(&codes::FOREIGN_CONSTRUCT, name.span, message).with_instead(
                        name.span,
                        instead.name,
                        instead.help,
                    ),
                    None => Diagnostic::error(&codes::UNKNOWN_TYPE, name.span, message).with_guess(name.span, close.as_deref()),
                });
                Declared::new(Base::Error, Qualifier::Unbound)
            }
        }
    }

    /// The type of a declarator: its base with pointers, and its array dimensions.
    pub fn resolve_variable(&mut self, variable: &'a ast::Variable) -> Declared {
        let mut ty = self.resolve(&variable.ty);
        for dimension in variable.dimensions.iter().rev() {
            let count = match dimension {
                Some(e) => self.constant_integer(e).map(|n| (n, e.span)),
                None => {
                    self.error(&codes::ARRAY_SIZE, variable.name.span, "the size of this array is missing");
                    None
                }
            };
            let count = count.and_then(|(n, span)| {
                let fits = (1..=1i128 << 31).contains(&n);
                if !fits {
                    self.error(&codes::ARRAY_SIZE, span, format!("an array has 1 to 2^31 elements, not {n}"));
                }
                fits.then_some(n as u64)
            });
            let is_const = ty.is_const;
            ty = match count {
                Some(count) => Declared::new(Base::Array(Box::new(ty), count), Qualifier::Unbound),
                None => Declared::new(Base::Error, Qualifier::Unbound),
            };
            ty.is_const = is_const;
        }
        ty
    }

    /// A length: a constant expression, a power of two from 1 to 64.
    pub fn constant_length(&mut self, e: &'a ast::Expr) -> Option<u8> {
        // `block[lengthof(x)]` is the length of x in every instance.
        let looks_at_length = self.body.looks_at_length;
        let n = self.constant_integer(e);
        self.body.looks_at_length = looks_at_length;
        let n = n?;
        if (1..=MAX_LENGTH as i128).contains(&n) && (n as u64).is_power_of_two() {
            return Some(n as u8);
        }
        let error = Diagnostic::error(&codes::BAD_LENGTH, e.span, format!("{n} is no vector length"));
        self.diagnostics.push(error.with_help("lengths are the powers of two from 1 to 64"));
        None
    }

    /// vec_Λ(declared, n) in the current context; ⊥ is reported at `span`.
    pub fn vectorize(&mut self, declared: &Declared, n: u8, span: Span) -> Type {
        self.vec(declared, n, self.body.context, span)
    }

    /// vec_Λ of section 4.1, with the erratum: ⊥ only if Λ ≠ 1 and i ≠ 1 and i ≠ Λ.
    pub fn vec(&mut self, declared: &Declared, n: u8, context: u8, span: Span) -> Type {
        let length = match declared.qualifier {
            Qualifier::Unbound => n,
            Qualifier::Block => context,
            Qualifier::Of(i) => {
                if context != 1 && i != 1 && i != context {
                    let message = format!("`block[{i}]` in a context of length {context}");
                    let error = Diagnostic::error(&codes::CONTEXT_MISMATCH, span, message);
                    self.push_with_opener(
                        error.with_help("a type in a vector context has the length of the context, or is `scalar`"),
                    );
                    return self.program.types.error();
                }
                i
            }
        };
        match &declared.base {
            Base::Error => self.program.types.error(),
            Base::Void => self.program.types.void(),
            Base::Element(element) => self.program.types.vector(*element, length),
            Base::Record(id) => self.record(*id, length, context),
            Base::Pointer(inner) | Base::Reference(inner) => {
                let pointee = self.vec(inner, n, context, span);
                self.program.types.pointer(pointee, length)
            }
            Base::Array(inner, count) => {
                let element = self.vec(inner, n, context, span);
                if self.is_error(element) {
                    return element;
                }
                if self.program.types.size(element).saturating_mul(*count) > MAX_SIZE {
                    self.error(&codes::TYPE_TOO_LARGE, span, "this type is larger than 2^31 bytes");
                    return self.program.types.error();
                }
                self.program.types.array(element, *count)
            }
        }
    }

    /// T-INIT: the type that `declared` takes from an initializer or argument of type `from`. What is unbound adopts the
    /// length that stands at the same place of `from`.
    pub fn adopt(&mut self, declared: &Declared, from: Type, span: Span) -> Type {
        let n = self.length(from);
        match (&declared.base, self.program.types.kind(from).clone()) {
            (Base::Pointer(inner), TypeKind::Pointer { pointee, length }) => {
                let is_untyped = matches!(inner.base, Base::Void) || matches!(self.program.types.kind(pointee), TypeKind::Void);
                let context = self.body.context;
                let inner = if is_untyped { self.vec(inner, 1, context, span) } else { self.adopt(inner, pointee, span) };
                let length = match declared.qualifier {
                    Qualifier::Unbound => length,
                    Qualifier::Block => context,
                    Qualifier::Of(i) => i,
                };
                self.program.types.pointer(inner, length)
            }
            _ => self.vectorize(declared, n, span),
        }
    }

    /// The instance of a record at length n in context Λ.
    pub fn record(&mut self, id: RecordId, length: u8, context: u8) -> Type {
        let context = if self.items.records[id.0 as usize].uses_context { context } else { 1 };
        let ty = self.program.types.intern(TypeKind::Record { record: id, length, context });
        if self.program.types.try_members(ty).is_none() {
            // A record that points to itself finds this and goes no further.
            self.program.types.set_members(ty, Vec::new());
            let resolved = self.items.records[id.0 as usize].resolved.clone();
            let span = self.items.records[id.0 as usize].span;
            let members =
                resolved.into_iter().map(|(name, declared)| Member { name, ty: self.vec(&declared, length, context, span) });
            let members: Vec<Member> = members.collect();
            self.program.types.set_members(ty, members);
            if self.program.types.size(ty) > MAX_SIZE {
                self.error(&codes::TYPE_TOO_LARGE, span, "this type is larger than 2^31 bytes");
            }
        }
        if self.program.types.size(ty) > MAX_SIZE { self.program.types.error() } else { ty }
    }

    /// Resolves the members of all records; a record may contain itself only behind a pointer.
    pub fn records(&mut self) {
        self.announce_globals();
        self.enum_constants();
        // Members may be of instances of generic structs, which are records behind these.
        let mut i = 0;
        while i < self.items.records.len() {
            // Those that the compiler declares are known.
            if self.items.records[i].resolved.is_empty() {
                self.resolve_members(i);
            }
            i += 1;
        }
        self.items.records_known = true;
        (0..self.items.records.len()).for_each(|i| self.refuse_circle(i));
        // A record uses the context if a member below it does; records are few, so iterate until nothing changes.
        loop {
            let uses: Vec<bool> =
                self.items.records.iter().map(|r| r.resolved.iter().any(|(_, d)| self.uses_context(d))).collect();
            let changed = self.items.records.iter_mut().zip(uses).filter(|(r, uses)| r.uses_context != *uses);
            if changed.map(|(r, uses)| r.uses_context = uses).count() == 0 {
                return;
            }
        }
    }

    /// Resolves the members of a record.
    pub fn resolve_members(&mut self, i: usize) {
        let members = self.items.records[i].members;
        let mut names = rustc_hash::FxHashSet::default();
        let mut resolved = Vec::new();
        for member in members {
            if !names.insert(member.name.text.clone()) {
                let message = format!("`{}` has two members `{}`", self.items.records[i].name, member.name.text);
                self.error(&codes::DUPLICATE_NAME, member.name.span, message);
            }
            if let Some(e) = &member.initializer {
                self.error(&codes::UNSUPPORTED, e.span, "a member has no initializer");
            }
            let mut declared = self.in_instance(i, |this| this.resolve_variable(member));
            if matches!(declared.base, Base::Void | Base::Reference(_)) {
                self.error(&codes::TYPE_MISMATCH, member.ty.span, "a member is a value: no reference and not `void`");
                declared.base = Base::Error;
            }
            resolved.push((member.name.text.to_string(), declared));
        }
        self.items.records[i].resolved = resolved;
    }

    /// Refuses a record that is a member of itself.
    pub fn refuse_circle(&mut self, i: usize) {
        let mut path = Vec::new();
        if self.contains_itself(i, &mut path) {
            let RecordItem { name, span, .. } = &self.items.records[i];
            let error = Diagnostic::error(&codes::RECURSIVE_TYPE, *span, format!("`{name}` contains itself"));
            self.diagnostics.push(error.with_help("a pointer to it may be a member"));
            self.items.records[i].resolved.clear();
        }
    }

    pub fn uses_context(&self, declared: &Declared) -> bool {
        declared.qualifier == Qualifier::Block
            || match &declared.base {
                Base::Record(id) => self.items.records[id.0 as usize].uses_context,
                Base::Pointer(inner) | Base::Reference(inner) | Base::Array(inner, _) => self.uses_context(inner),
                Base::Error | Base::Void | Base::Element(_) => false,
            }
    }

    /// Is record `start` a member of itself, by value?
    fn contains_itself(&self, start: usize, seen: &mut Vec<usize>) -> bool {
        let mut work = vec![start];
        while let Some(at) = work.pop() {
            for (_, declared) in &self.items.records[at].resolved {
                let mut base = &declared.base;
                while let Base::Array(inner, _) = base {
                    base = &inner.base;
                }
                let Base::Record(id) = base else { continue };
                let id = id.0 as usize;
                if id == start {
                    return true;
                }
                if !seen.contains(&id) {
                    seen.push(id);
                    work.push(id);
                }
            }
        }
        false
    }

    /// Adds where the current context was opened, and reports.
    pub fn push_with_opener(&mut self, error: Diagnostic) {
        let context = self.body.context;
        let error = match self.body.opener {
            Some(span) => error.with_secondary(span, format!("this opens the context of length {context}")),
            None => error,
        };
        self.diagnostics.push(error);
    }
}
