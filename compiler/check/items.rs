//! What the names of the files are.

use super::declared::{Argument, Declared};
use crate::diagnostics::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{self, Item, Name};
use crate::typed::builtins::{self, named};
use crate::typed::ir::{Constant, GlobalId, LocalId};
use crate::types::{Element, RecordId, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// How many unknown names are compared with those that are known: of the errors behind them, few are read.
const MAX_GUESSES: usize = 200;

/// What a name stands for in an expression.
#[derive(Clone)]
pub(super) enum Binding {
    Local(LocalId),
    /// A local that holds the address of what the name means.
    Reference(LocalId),
    Global(GlobalId),
    /// An enum constant.
    Constant(Constant, Type),
}

/// A declared function.
pub(super) struct FunctionItem<'a> {
    pub item: &'a Item,
    pub function: &'a ast::Function,
    /// Is it of the standard library?
    pub is_library: bool,
}

impl FunctionItem<'_> {
    /// Where the names in it stand.
    pub fn home(&self) -> Home {
        if self.is_library { Home::Library } else { Home::Program }
    }
}

/// Where a name stands. The functions of a program hide built-ins and those of the library from the program, and from nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Home {
    /// In the program.
    #[default]
    Program,
    /// In the standard library.
    Library,
}

/// `::f` is what the program means by `f`, `::library::f` what the library does, whatever a pipeline calls so. No program can write either.
pub(super) fn of_files(name: &str) -> Option<(&str, Home)> {
    let name = name.strip_prefix("::")?;
    let of_library = name.strip_prefix("library::").map(|name| (name, Home::Library));
    Some(of_library.unwrap_or((name, Home::Program)))
}

/// What is called by a name.
pub(super) enum Callee<'i> {
    Builtin(&'static builtins::Name),
    /// The overloads of a function.
    Functions(&'i [usize]),
}

/// A declared record.
pub(super) struct RecordItem<'a> {
    pub name: Rc<str>,
    /// Its name in the text; of one that the compiler declares there is none.
    pub span: Span,
    pub members: &'a [ast::Variable],
    /// Its resolved members; empty until `Checker::records`.
    pub resolved: Vec<(String, Declared)>,
    /// Does a member, directly or below, adopt the context (`block`)?
    pub uses_context: bool,
    /// What it is an instance of.
    pub generic: Option<GenericInstance>,
    pub home: Home,
}

/// A generic struct.
pub(super) struct GenericStruct<'a> {
    pub item: &'a Item,
    pub name: &'a Name,
    pub members: &'a [ast::Variable],
    pub home: Home,
}

impl GenericStruct<'_> {
    /// Is it the library's `hsoa`?
    pub fn is_hsoa(&self) -> bool {
        self.home == Home::Library && &*self.name.text == "hsoa"
    }
}

/// An instance of a generic struct.
#[derive(Clone)]
pub(super) struct GenericInstance {
    /// Which struct.
    pub of: usize,
    pub arguments: Vec<Argument>,
    /// How many instances it stands in, each a member of the next.
    pub level: usize,
}

/// A name of a type.
#[derive(Clone)]
pub(super) enum TypeItem<'a> {
    Record(RecordId),
    /// A generic struct, by its place among them.
    Generic(usize),
    Enum(Element),
    Typedef(&'a ast::Variable),
}

/// The tables of names.
#[derive(Default)]
pub(super) struct Items<'a> {
    pub functions: Vec<FunctionItem<'a>>,
    pub overloads: FxHashMap<Rc<str>, Vec<usize>>,
    /// The functions of the standard library, which those of the program hide.
    pub library: FxHashMap<Rc<str>, Vec<usize>>,
    pub records: Vec<RecordItem<'a>>,
    pub generics: Vec<GenericStruct<'a>>,
    /// The instances of these.
    pub structs: FxHashMap<(usize, Vec<Argument>), RecordId>,
    /// The level of the instance whose members are being resolved.
    pub level: usize,
    pub types: FxHashMap<Rc<str>, TypeItem<'a>>,
    /// Types whose typedef is being resolved, to find circles.
    pub resolving: Vec<Rc<str>>,
    pub values: FxHashMap<Rc<str>, Binding>,
    pub globals: Vec<(&'a ast::Declaration, &'a ast::Variable)>,
    /// Globals that are not checked yet, by name.
    pub announced: FxHashMap<Rc<str>, usize>,
    /// What was said of globals that were checked because others asked for them.
    pub said_of_globals: Vec<Diagnostic>,
    /// Those that are being checked.
    pub settling: Vec<usize>,
    /// Are the members of all structs known?
    pub records_known: bool,
    /// Enum constants with their type's element, in order.
    pub enums: Vec<(&'a [EnumConstant], Element)>,
    /// What the files assert.
    pub assertions: Vec<&'a ast::Assertion>,
    /// The instances of templates that are exported under names of their own.
    pub exports: Vec<&'a ast::Export>,
    /// The pipelines, with the parameters in front of them and their own; comprehensions of tensors have none that are generic.
    pub pipelines: FxHashMap<Rc<str>, (&'a [ast::TemplateParameter], &'a [ast::PipelineParameter])>,
    /// Those of them that are comprehensions of tensors.
    pub defs: FxHashSet<Rc<str>>,
    /// Do pipelines have images of one dimension?
    pub has_line_views: bool,
    /// The elements of views of one dimension that the files mention.
    pub line_views: FxHashSet<Element>,
    /// Functions that were refused as such: their calls say no more.
    pub refused: FxHashSet<Rc<str>>,

    /// How many unknown names were compared with those that are known.
    guesses: usize,
    pub places: FxHashMap<Rc<str>, Span>,
}

impl Items<'_> {
    /// What a name means in front of arguments, if it is not that of a variable or a pipeline.
    pub fn meaning_of(&self, name: &str, home: Home) -> Option<Callee<'_>> {
        let (name, home) = of_files(name).unwrap_or((name, home));
        let (of_program, of_library) = (self.overloads.get(name), self.library.get(name));
        let functions = match home {
            Home::Program => of_program.or(of_library),
            Home::Library => of_library,
        };
        let hides_builtin = home == Home::Program && of_program.is_some();
        // Names that begin so are for the library.
        let is_hidden = hides_builtin || (home == Home::Program && name.starts_with("__"));
        let builtin = named(name).filter(|_| !is_hidden).map(Callee::Builtin);
        builtin.or_else(|| functions.map(|functions| Callee::Functions(functions)))
    }

    /// Is one more unknown name compared with those that are known?
    pub fn may_guess(&mut self) -> bool {
        self.guesses += 1;
        self.guesses <= MAX_GUESSES
    }
}

/// A constant of an enum, and its value where one is written.
pub(super) type EnumConstant = (Name, Option<ast::Expr>);
