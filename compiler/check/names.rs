//! The names of the files: what each means, that none means two things, and what an unknown one may have meant.

use super::items::{Binding, FunctionItem, GenericStruct, Home, RecordItem, TypeItem, of_files};
use super::state::Checker;
use crate::diagnostics::{Diagnostic, Edit, codes};
use crate::syntax::ast::{self, Item, ItemKind, Name};
use crate::typed::ir::Constant;
use crate::types::{Element, Type};

impl<'a> Checker<'a> {
    /// F-SEQ, F-FCT: registers every item of every file.
    pub fn collect<'f: 'a>(&mut self, files: &'f [ast::File], is_library: bool) {
        let views = files.iter().flat_map(|file| &file.views);
        self.items.line_views.extend(views.filter(|(_, rank)| *rank == 1).map(|(element, _)| element));
        let home = if is_library { Home::Library } else { Home::Program };
        for item in files.iter().flat_map(|file| &file.items) {
            self.item_attributes(item);
            match &item.kind {
                ItemKind::Import { .. } | ItemKind::Error => {}
                // One of the library is hidden by what the program declares.
                ItemKind::Struct { name, .. } if is_library && self.is_declared(name) => {}
                ItemKind::Struct { name, members } if !item.template.is_empty() => {
                    self.check_parameters(&item.template);
                    self.declare_type(name, TypeItem::Generic(self.items.generics.len()));
                    self.items.generics.push(GenericStruct { item, name, members, home });
                }
                ItemKind::Struct { name, members } => {
                    let id = self.program.types.declare_record(&*name.text);
                    self.program.types.document_record(id, &item.docs);
                    self.items.records.push(RecordItem {
                        name: name.text.clone(),
                        span: name.span,
                        members,
                        resolved: Vec::new(),
                        uses_context: false,
                        generic: None,
                        home,
                    });
                    self.declare_type(name, TypeItem::Record(id));
                }
                ItemKind::Enum { name, base, variants } => {
                    let element = match base.as_ref().map(|ty| (&ty.kind, ty.span)) {
                        None => Element::Int32,
                        Some((ast::TypeKind::Element(element), _)) if element.is_integer() => *element,
                        Some((_, span)) => {
                            self.error(&codes::TYPE_MISMATCH, span, "an enum is represented by an integer type");
                            Element::Int32
                        }
                    };
                    self.declare_type(name, TypeItem::Enum(element));
                    self.items.enums.push((variants, element));
                }
                ItemKind::Typedef { variable } => self.declare_type(&variable.name, TypeItem::Typedef(variable)),
                ItemKind::Global(declaration) => {
                    for variable in &declaration.variables {
                        self.place_once(&variable.name);
                        self.items.globals.push((declaration, variable));
                    }
                }
                ItemKind::Function(function) if is_library => {
                    let index = self.items.functions.len();
                    self.items.library.entry(function.name.text.clone()).or_default().push(index);
                    self.items.functions.push(FunctionItem { item, function, is_library });
                }
                ItemKind::Function(function) => {
                    self.check_parameters(&item.template);
                    self.declare_function(item, function);
                }
                // What they become, `pipeline` knows.
                ItemKind::Pipeline(pipeline) => {
                    self.items.has_line_views |= has_lines(pipeline);
                    if self.place_once(&pipeline.name) {
                        self.items.pipelines.insert(pipeline.name.text.clone(), (&item.template, &pipeline.parameters));
                    }
                }
                // What it becomes, `tensor` knows.
                ItemKind::Def(def) => {
                    self.items.has_line_views |= has_rows(def);
                    if self.place_once(&def.name) {
                        self.items.pipelines.insert(def.name.text.clone(), (&[], &[]));
                        self.items.defs.insert(def.name.text.clone());
                    }
                }
                ItemKind::Schedule(_) => {}
                ItemKind::Definition(definition) if !is_library => _ = self.place_once(&definition.name),
                ItemKind::Definition(_) => {}
                ItemKind::Export(export) => self.items.exports.push(export),
                ItemKind::StaticAssert(assertion) => self.items.assertions.push(assertion),
            }
        }
    }

    fn is_declared(&self, name: &Name) -> bool {
        let items = &self.items;
        items.places.contains_key(&name.text) || items.overloads.contains_key(&name.text)
    }

    fn declare_type(&mut self, name: &Name, item: TypeItem<'a>) {
        if self.place_once(name) {
            self.items.types.insert(name.text.clone(), item);
        }
    }

    /// Reports a name of the file level that is taken.
    pub fn place_once(&mut self, name: &Name) -> bool {
        match self.items.places.get(&name.text) {
            Some(&first) => {
                let message = format!("`{}` is declared twice", name.text);
                let error = Diagnostic::error(&codes::DUPLICATE_NAME, name.span, message);
                self.diagnostics.push(error.with_secondary(first, "it is declared here"));
                false
            }
            None => {
                self.items.places.insert(name.text.clone(), name.span);
                true
            }
        }
    }

    fn declare_function(&mut self, item: &'a Item, function: &'a ast::Function) {
        let name = &function.name;
        if self.items.types.contains_key(&name.text)
            || self.items.pipelines.contains_key(&name.text)
            || self.items.globals.iter().any(|(_, v)| v.name.text == name.text)
        {
            self.place_once(name);
            return;
        }
        if function.body.is_none() && function.extern_c.is_none() {
            self.items.refused.insert(name.text.clone());
            let message = format!("`{}` has no body", name.text);
            let error = Diagnostic::error(&codes::MISSING_BODY, name.span, message);
            let is_plain = item.attributes.is_empty() && item.template.is_empty() && function.export.is_none();
            let edits = is_plain.then(|| vec![Edit::before(item.span, "extern \"C\" ")]);
            let help = "functions need no declaration before their use; write `extern \"C\"` for one that is defined in C";
            self.diagnostics.push(error.with_change(help, edits));
            return;
        }
        if function.body.is_some()
            && let Some(span) = function.extern_c
        {
            self.error(&codes::UNSUPPORTED, span, "an `extern \"C\"` function is defined in C; `export` makes one for C");
        }
        let others = self.items.overloads.get(&name.text).into_iter().flatten();
        let external = others.clone().map(|&other| self.items.functions[other].function).find(|other| other.extern_c.is_some());
        if let Some(first) = external.filter(|_| function.extern_c.is_some()) {
            let message = format!("C has one function `{}`, and this is a second one", name.text);
            let error = Diagnostic::error(&codes::DUPLICATE_NAME, name.span, message);
            self.diagnostics.push(error.with_secondary(first.name.span, "it is declared here"));
            return;
        }
        let same_kinds = |other: &Item| {
            let kinds = other.template.iter().zip(&item.template);
            other.template.len() == item.template.len()
                && kinds.into_iter().all(|(a, b)| std::mem::discriminant(&a.kind) == std::mem::discriminant(&b.kind))
        };
        let same = others.map(|&other| &self.items.functions[other]).find(|other| {
            same_kinds(other.item)
                && other.function.parameters.len() == function.parameters.len()
                && other
                    .function
                    .parameters
                    .iter()
                    .zip(&function.parameters)
                    .all(|(a, b)| a.array.is_some() == b.array.is_some() && same_elements(&a.ty, &b.ty))
        });
        if let Some(first) = same.map(|other| other.function.name.span) {
            let message = format!("`{}` is declared twice for the same element types", name.text);
            let error =
                Diagnostic::error(&codes::DUPLICATE_NAME, name.span, message).with_secondary(first, "it is declared here");
            self.diagnostics.push(error.with_help("overloads are told apart by element types, never by lengths alone"));
            return;
        }
        self.items.overloads.entry(name.text.clone()).or_default().push(self.items.functions.len());
        self.items.functions.push(FunctionItem { item, function, is_library: false });
    }

    /// Gives enum constants their values. They are constants of the type that represents the enum.
    pub fn enum_constants(&mut self) {
        for (variants, element) in std::mem::take(&mut self.items.enums) {
            let ty = self.program.types.scalar(element);
            let mut next = 0i128;
            for (name, value) in variants {
                if let Some(e) = value {
                    next = self.constant_integer(e).unwrap_or(next);
                }
                if !super::constants::fits(next, element) {
                    let message = format!("{next} does not fit in `{}`", element.name());
                    self.error(&codes::CONSTANT_OUT_OF_RANGE, name.span, message);
                }
                if self.place_once(name) {
                    let constant = Constant::Int(super::constants::truncated(next, element));
                    self.items.values.insert(name.text.clone(), Binding::Constant(constant, ty));
                }
                next += 1;
            }
        }
    }

    /// T-VAR's lookup: id ∈ dom(Γ), or an error.
    pub fn lookup(&mut self, name: &Name) -> Option<Binding> {
        let plain = of_files(&name.text).map(|(text, _)| Name { text: text.into(), span: name.span });
        for scope in self.body.scopes.iter().rev().filter(|_| plain.is_none()) {
            if let Some(binding) = scope.get(&name.text) {
                return Some(binding.clone());
            }
        }
        let name = plain.as_ref().unwrap_or(name);
        if let Some(binding) = self.template_value(&name.text) {
            return Some(binding);
        }
        if let Some(binding) = self.items.values.get(&name.text) {
            return Some(binding.clone());
        }
        if self.items.announced.contains_key(&name.text) {
            let before = self.diagnostics.len();
            let found = self.global_on_demand(name);
            if found.is_some() || self.diagnostics.len() > before {
                return found;
            }
        }
        if self.items.types.contains_key(&name.text) {
            self.error(&codes::UNKNOWN_NAME, name.span, format!("`{}` is a type, not a value", name.text));
            return None;
        }
        let mut error = Diagnostic::error(&codes::UNKNOWN_NAME, name.span, format!("`{}` is not declared", name.text));
        if self.items.overloads.contains_key(&name.text) {
            error = error.with_help(format!("`{}` is a function: call it with `{}(…)`", name.text, name.text));
        } else if let Some(instead) = super::foreign::value(&name.text) {
            error.code = &codes::FOREIGN_CONSTRUCT;
            error = error.with_instead(name.span, instead.name, instead.help);
        } else {
            let may_guess = self.items.may_guess();
            let locals = self.body.scopes.iter().flat_map(|scope| scope.keys());
            let names = locals.chain(self.items.values.keys()).filter(|_| may_guess);
            error = error.with_guess(name.span, closest(&name.text, names.map(|n| &**n)));
        }
        self.diagnostics.push(error);
        None
    }

    pub fn scalar(&mut self, element: Element) -> Type {
        self.program.types.scalar(element)
    }
}

/// Are these parameter types the same but for lengths? Then no call could tell two overloads apart.
fn same_elements(a: &ast::Type, b: &ast::Type) -> bool {
    match (&a.kind, &b.kind) {
        (ast::TypeKind::Element(a), ast::TypeKind::Element(b)) => a == b,
        (ast::TypeKind::Named(..), ast::TypeKind::Named(..)) => {
            let unqualified = |ty: &ast::Type| ast::Type { qualifier: ast::Qualifier::Unbound, ..ty.clone() };
            crate::syntax::print::ty(&unqualified(a)) == crate::syntax::print::ty(&unqualified(b))
        }
        (ast::TypeKind::Pointer(a), ast::TypeKind::Pointer(b)) | (ast::TypeKind::Reference(a), ast::TypeKind::Reference(b)) => {
            same_elements(a, b)
        }
        _ => false,
    }
}

/// Has a pipeline images or funcs of one dimension?
fn has_lines(pipeline: &ast::Pipeline) -> bool {
    fn in_parts(parts: &[ast::PipelinePart]) -> bool {
        parts.iter().any(|part| match &part.kind {
            ast::PipelinePartKind::Fun(fun) => fun.variables.len() == 1,
            ast::PipelinePartKind::StaticIf(chosen) => in_parts(&chosen.then) || in_parts(&chosen.otherwise),
            ast::PipelinePartKind::StaticFor(repeated) => in_parts(&repeated.body),
            ast::PipelinePartKind::Let(_)
            | ast::PipelinePartKind::Definition(_)
            | ast::PipelinePartKind::Update(_)
            | ast::PipelinePartKind::StaticAssert(_)
            | ast::PipelinePartKind::Error => false,
        })
    }
    pipeline.parameters.iter().any(|parameter| parameter.rank == Some(1)) || in_parts(&pipeline.parts)
}

/// Has a comprehension tensors of one dimension?
fn has_rows(def: &ast::Def) -> bool {
    let mut targets = def.statements.iter().flat_map(|statement| &statement.targets);
    def.parameters.iter().any(|parameter| parameter.ty.sizes.len() == 1)
        || targets.any(|target| target.indices.as_ref().is_some_and(|indices| indices.len() == 1))
}

/// The known name that differs least from `name`, if it is close enough to be meant.
pub(crate) fn closest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let limit = name.len().div_ceil(3);
    let distances = known.filter(|k| k.len().abs_diff(name.len()) <= limit && k.len() < 64).map(|k| (distance(name, k), k));
    distances.filter(|&(d, _)| d <= limit && d > 0).min().map(|(_, k)| k)
}

/// How many letters must be added, left out, replaced or exchanged with their neighbour (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let (mut second_above, mut above): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..=b.len()).collect());
    let mut before = None;
    for (i, x) in a.chars().enumerate() {
        let mut row = vec![i + 1];
        for (j, &y) in b.iter().enumerate() {
            let least = (above[j] + usize::from(x != y)).min(above[j + 1] + 1).min(row[j] + 1);
            let is_exchange = j > 0 && before == Some(y) && x == b[j - 1];
            row.push(if is_exchange { least.min(second_above[j - 1] + 1) } else { least });
        }
        (second_above, above) = (above, row);
        before = Some(x);
    }
    above[b.len()]
}
