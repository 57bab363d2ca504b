//! The pipeline of stages, a line each, behind one wrapper that times, verifies and dumps them.
//!
//! ```text
//! path ─load─► sources, trees ─check─► typed ─predicate─► vector ─optimize─► vector ─legalize─► vector ─llvm─► bytes, code in memory
//! ```
//! The driver reads files and nothing else of the outside world; `main` writes them.

use crate::check::{self, ScalarExpressions};
use crate::diagnostics::levels::Levels;
use crate::diagnostics::{Code, Diagnostic, Diagnostics, Severity, codes};
use crate::library::{LibraryFile, Reached};
use crate::machine::Isa;
use crate::pipeline::directives::Vectors;
use crate::pipeline::signature::Signature;
use crate::pipeline::{self, Entries, Pipelines, emit};
use crate::settings::{self, Setting};
use crate::source::{FileId, SourceFile, SourceMap, Span};
use crate::syntax::templates::Templates;
use crate::syntax::token::Token;
use crate::syntax::{self, ast};
use crate::target::FpMode;
use crate::typed;
use crate::{legalize, library, optimize, predicate, tensor, vector};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The stack on which stages run: trees are walked by recursion, up to the limits that the parser sets.
const STACK: usize = 1 << 30;

/// How to compile a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The instruction set.
    pub isa: Isa,
    /// W; that of the instruction set where absent.
    pub width: Option<u8>,
    /// The floating-point rules.
    pub fp: FpMode,
    /// Test accesses at run time.
    pub check: bool,
    /// 0 to 3; at 0 the passes of `optimize` are left out, too.
    pub level: u8,
}

impl Options {
    /// The defaults for an instruction set.
    pub fn new(isa: Isa) -> Self {
        Options { isa, width: None, fp: FpMode::Strict, check: false, level: 3 }
    }

    fn check_options(&self) -> check::Options {
        check::Options {
            width: self.width.unwrap_or(self.isa.width()),
            register_bytes: self.isa.register_bytes(),
            registers: self.isa.machine().registers,
            fp: self.fp,
            has_fma: self.isa.machine().has_fma,
            lanes: self.level > 0,
        }
    }
}

/// Files, trees and what was said about them.
#[derive(Default)]
pub struct Session {
    /// The files in the order in which they were read.
    pub sources: SourceMap,
    /// Their trees, imports before those who import.
    pub trees: Vec<ast::File>,
    /// The trees of the library files that they mention: of each, the items that they reach.
    pub library: Vec<ast::File>,
    /// What the program reaches of the library.
    pub reached: Reached,
    /// Its pipelines and schedules.
    pub pipelines: Option<Rc<Pipelines>>,
    /// Its comprehensions of tensors, with the ranges of their indices.
    pub comprehensions: Vec<tensor::comprehension::Comprehension>,
    /// Which functions for programs of other languages `check` adds.
    pub entries: Entries,
    /// What parameters of pipelines are where none are given.
    pub settings: Vec<Setting>,
    /// Which warnings are told.
    pub levels: Levels,
    /// What the stages said.
    pub diagnostics: Diagnostics,
    /// How long each stage took.
    pub times: Vec<(&'static str, Duration)>,
}

impl Session {
    /// Runs a stage and notes its time.
    fn stage<T>(&mut self, name: &'static str, run: impl FnOnce(&mut Self) -> T) -> T {
        let start = Instant::now();
        let result = run(self);
        self.times.push((name, start.elapsed()));
        result
    }

    /// Reads and parses a file and all that it imports.
    ///
    /// # Errors
    /// If the file itself cannot be read; a missing import is a diagnostic.
    pub fn load(&mut self, path: &Path) -> io::Result<()> {
        let text = read(path)?;
        let name = path.display().to_string();
        self.stage("parse", |session| session.load_text(name, Some(path), text));
        Ok(())
    }

    /// Parses a text; `path` is where its imports are looked for.
    ///
    /// All files are read as tokens first: what a `<` is in one of them depends on the templates of the others.
    pub fn load_text(&mut self, name: String, path: Option<&Path>, text: String) {
        let mut seen: FxHashSet<PathBuf> = path.iter().filter_map(|p| p.canonicalize().ok()).collect();
        let root = self.sources.add(name, path, text);
        let (mut read, mut missing): (Vec<(FileId, Vec<Token>)>, Vec<Diagnostic>) = Default::default();
        // Depth first, imports before importers; a file that is being read already is not read again.
        let mut work = vec![(root, None::<Vec<Token>>)];
        while let Some((file, lexed)) = work.pop() {
            if let Some(tokens) = lexed {
                read.push((file, tokens));
                continue;
            }
            let source = self.sources.file(file);
            let lex = if is_of_tensors(source) { syntax::lex_tensors } else { syntax::lex };
            let tokens = lex(file, &source.text, &mut self.diagnostics);
            let folder = self.sources.file(file).path.as_deref().and_then(Path::parent).map(Path::to_path_buf);
            let mut imports = Vec::new();
            for (path, path_span) in syntax::imports(&tokens) {
                let full = folder.as_deref().unwrap_or(Path::new("")).join(path);
                match read_import(&full) {
                    Ok(text) => {
                        if full.canonicalize().is_ok_and(|real| seen.insert(real)) {
                            imports.push(self.sources.add(full.display().to_string(), Some(&full), text));
                        }
                    }
                    Err(error) => {
                        let message = format!("`{path}` cannot be read: {error}");
                        let error = Diagnostic::error(&codes::IMPORT_NOT_FOUND, path_span, message);
                        missing.push(error.with_help("imports are looked for beside the file that names them"));
                    }
                }
            }
            work.push((file, Some(tokens)));
            work.extend(imports.into_iter().rev().map(|file| (file, None)));
        }
        let own = read.iter().flat_map(|(_, tokens)| syntax::templates::functions(tokens)).collect::<FxHashSet<Rc<str>>>();
        let (library, of_library) = self.library_tokens(&read);
        // A program's function hides the library function or built-in of its name.
        let mut known = of_library.clone();
        known.retain(|name, _| !own.contains(name));
        for (_, tokens) in &read {
            known.extend(syntax::templates::declared(tokens));
        }
        for (file, tokens) in read {
            let source = self.sources.file(file);
            let tree = syntax::parse_tokens(&source.text, tokens, &known, &mut self.diagnostics);
            if is_of_tensors(source) {
                only_tensors(&tree, &mut self.diagnostics);
            }
            self.trees.push(tree);
        }
        for (file, tokens) in library {
            let (text, read) = (&self.sources.file(file).text, (file, tokens.len()));
            let tree = syntax::parse_tokens(text, tokens, &of_library, &mut self.diagnostics);
            match self.reached.trees.iter().position(|(before, _)| *before == file) {
                Some(at) => (self.reached.trees[at], self.library[at]) = (read, tree),
                None => {
                    self.reached.trees.push(read);
                    self.library.push(tree);
                }
            }
        }
        missing.into_iter().for_each(|error| self.diagnostics.push(error));
    }

    /// Reads the files of the standard library that a program mentions, and those that pipelines need: of those of which it reaches
    /// more than programs before it, the tokens of what is reached. And the templates of all of these and among the built-ins.
    fn library_tokens(&mut self, program: &[(FileId, Vec<Token>)]) -> (Vec<(FileId, Vec<Token>)>, Templates) {
        program.iter().for_each(|(_, tokens)| self.reached.mention(tokens));
        let mut files: Vec<(&LibraryFile, FileId, Vec<Token>)> = Vec::new();
        let mut reached = Vec::new();
        // What is reached of one file may mention another.
        while let Some(file) =
            library::FILES.iter().find(|file| self.reached.is_read(file) && files.iter().all(|(read, ..)| read.name != file.name))
        {
            let there = self.sources.files().find(|(_, source)| is_library(source, file)).map(|(id, _)| id);
            let id = there.unwrap_or_else(|| self.sources.add(file.name, None, file.text));
            files.push((file, id, syntax::lex(id, file.text, &mut self.diagnostics)));
            let tokens: Vec<(&LibraryFile, &[Token])> = files.iter().map(|(file, _, tokens)| (*file, &tokens[..])).collect();
            reached = self.reached.follow(&tokens);
        }
        let mut templates = syntax::templates::of_builtins();
        for (_, _, tokens) in &files {
            templates.extend(syntax::templates::declared(tokens));
        }
        let read = files.iter().map(|(_, id, _)| *id).zip(reached);
        let is_more = |(id, tokens): &(FileId, Vec<Token>)| !self.reached.trees.contains(&(*id, tokens.len()));
        (read.filter(is_more).collect(), templates)
    }

    /// Is a setting about a parameter of one of the program's templates?
    pub fn has_parameter(&self, setting: &Setting) -> bool {
        settings::is_of(setting, &self.trees)
    }

    /// What the program's pipelines take and give.
    pub fn signatures(&self) -> &[Signature] {
        self.pipelines.as_ref().map_or(&[], |pipelines| pipelines.signatures())
    }

    /// The exported schedules of the program's pipelines as a file of the language.
    ///
    /// # Errors
    /// What the language has no words for, as a message.
    pub fn source(&self) -> Result<String, String> {
        let program = emit::Program { files: &self.trees, library: &self.library, sources: &self.sources };
        self.pipelines.as_ref().map_or(Ok(String::new()), |pipelines| pipelines.source(&program))
    }

    /// The schedules of all pipelines as loops.
    pub fn scheduling(&mut self, options: &Options, outputs: pipeline::Outputs) -> pipeline::Scheduling {
        let mut diagnostics = std::mem::take(&mut self.diagnostics);
        settings::apply(&self.settings, &mut self.trees, &mut diagnostics);
        let settings = options.check_options();
        let plain = pipeline::expand::expand(&self.trees, &self.library, &settings, &[], &mut diagnostics);
        let mut scope = ScalarExpressions::new(&self.trees, &self.library, &settings, &mut diagnostics);
        let mut algorithms = pipeline::algorithms(&plain, &mut scope);
        algorithms.extend(tensor::algorithms(&self.trees, &mut scope).into_iter().map(|made| made.pipeline));
        let program = scope.into_program();
        let made = pipeline::schedule(&algorithms, &plain, program, Vectors::of(&settings), outputs, &mut diagnostics);
        self.diagnostics = diagnostics;
        made
    }

    /// Checks what was loaded. `None` if there are errors.
    pub fn check(&mut self, options: &Options) -> Option<typed::ir::Program> {
        let program = self.check_in_part(options);
        if self.diagnostics.has_errors() {
            return None;
        }
        if cfg!(debug_assertions) {
            let violations = typed::verify::verify(&program);
            assert!(violations.is_empty(), "check broke an invariant: {}", violations.join("; "));
        }
        Some(program)
    }

    /// Checks what was loaded. If there are errors, what was refused has no type, and nothing can be made of the program.
    pub fn check_in_part(&mut self, options: &Options) -> typed::ir::Program {
        let program = self.stage("check", |session| {
            let mut trees = std::mem::take(&mut session.trees);
            let mut diagnostics = std::mem::take(&mut session.diagnostics);
            settings::apply(&session.settings, &mut trees, &mut diagnostics);
            let mut found = Diagnostics::new();
            let (settings, entries) = (options.check_options(), session.entries.clone());
            let (mut pipelines, mut comprehensions) = (None, Vec::new());
            let mut asked = Vec::new();
            // Instances of pipelines are asked for by what is checked, and made from the text: once more with them.
            let program = loop {
                let plain = pipeline::expand::expand(&trees, &session.library, &settings, &asked, &mut found);
                let program = check::check(&trees, &session.library, &settings, &mut found, |scope| {
                    let mut algorithms = pipeline::algorithms(&plain, scope);
                    comprehensions = tensor::algorithms(&trees, scope);
                    algorithms.extend(comprehensions.iter().map(|made| made.pipeline.clone()));
                    let made = Pipelines::new(algorithms, &plain, &settings, entries.clone(), scope.diagnostics());
                    let made = Rc::new(made);
                    pipelines = Some(made.clone());
                    made
                });
                let missing = pipelines.as_ref().map_or(Vec::new(), |made: &Rc<Pipelines>| made.missing());
                if missing.is_empty() || asked.len() > MAX_INSTANCES {
                    break program;
                }
                asked.extend(missing);
                found = Diagnostics::new();
            };
            (session.pipelines, session.comprehensions) = (pipelines, comprehensions);
            // Where only a semicolon is missing, the tree is whole.
            let is_broken = |d: &&Diagnostic| d.severity == Severity::Error && d.code.name != codes::MISSING_SEMICOLON.name;
            let broken: Vec<&Diagnostic> = diagnostics.iter().filter(is_broken).collect();
            let broken = BrokenItems::new(&broken, &trees);
            for diagnostic in found.split_off(0) {
                if broken.is_independent(&diagnostic, &session.sources) {
                    diagnostics.push(diagnostic);
                }
            }
            (session.trees, session.diagnostics) = (trees, diagnostics);
            program
        });
        self.levels.apply(&mut self.diagnostics);
        self.diagnostics.sort();
        program
    }

    /// From the typed program to vector IR of what the machine has.
    pub fn lower(&mut self, program: &typed::ir::Program, options: &Options) -> vector::ir::Module {
        let mut module = self.optimized(program, options);
        self.legalize(&mut module, options);
        module
    }

    /// From the typed program to optimized vector IR.
    pub fn optimized(&mut self, program: &typed::ir::Program, options: &Options) -> vector::ir::Module {
        let mut module = self.stage("predicate", |_| predicate::predicate(program, &predicate::Options { check: options.check }));
        verify("predicate", &module);
        if options.level > 0 {
            self.stage("optimize", |_| {
                run_passes(optimize::PASSES, &mut module, options.isa);
            });
        }
        module
    }

    /// From optimized vector IR to that of what the machine has.
    pub fn legalize(&mut self, module: &mut vector::ir::Module, options: &Options) {
        self.stage("legalize", |_| run_passes(legalize::PASSES, module, options.isa));
    }
}

/// What could not be read: items that have such places, and the names in what was passed over.
struct BrokenItems {
    /// Is there such a place, in an item or between them?
    is_some: bool,
    /// Is there a construct of another language among what could not be read? What it would have declared is missed elsewhere.
    has_foreign: bool,
    /// Is there a file whose declarations are all missing?
    has_lost_file: bool,
    /// The names in what was passed over.
    unread: BTreeSet<Rc<str>>,
    /// The text of each item, by file and beginning, and whether it has such a place.
    items: Vec<(Span, bool)>,
}

impl BrokenItems {
    fn new(broken: &[&Diagnostic], trees: &[ast::File]) -> Self {
        let mut items: Vec<(Span, bool)> = trees.iter().flat_map(|tree| &tree.items).map(|item| (item.span, false)).collect();
        items.sort_by_key(|(span, _)| *span);
        let unread: BTreeSet<Rc<str>> = trees.iter().flat_map(|tree| &tree.unread).cloned().collect();
        let has = |code: &Code| broken.iter().any(|d| d.code.name == code.name);
        let has_lost_file = has(&codes::IMPORT_NOT_FOUND) || ["import", "include"].iter().any(|word| unread.contains(*word));
        let has_foreign = has(&codes::FOREIGN_CONSTRUCT);
        let mut all = BrokenItems { is_some: !broken.is_empty(), has_foreign, has_lost_file, unread, items };
        for diagnostic in broken {
            if let Some(at) = all.around(diagnostic.span) {
                all.items[at].1 = true;
            }
        }
        all
    }

    /// The item that a place is in.
    fn around(&self, place: Span) -> Option<usize> {
        let behind = self.items.partition_point(|(item, _)| (item.file, item.start) <= (place.file, place.start));
        let at = behind.checked_sub(1)?;
        let item = self.items[at].0;
        (item.file == place.file && place.end <= item.end).then_some(at)
    }

    /// Is this independent of the places that could not be read? Not in an item that has such a place, and not where something
    /// is missing under a name that stands in what was passed over.
    fn is_independent(&self, diagnostic: &Diagnostic, sources: &SourceMap) -> bool {
        let is = |codes: &[&Code]| codes.iter().any(|code| code.name == diagnostic.code.name);
        let may_miss =
            [&codes::UNKNOWN_NAME, &codes::UNKNOWN_TYPE, &codes::NO_OVERLOAD, &codes::NO_MEMBER, &codes::ARGUMENT_COUNT];
        let is_lost = || {
            let text = sources.text(diagnostic.span);
            self.has_lost_file || words(text).any(|word| self.unread.contains(word))
        };
        let is_consequence = self.has_foreign && is(&[&codes::ARGUMENT_COUNT, &codes::TYPE_MISMATCH]);
        if !self.is_some {
            return true;
        }
        let is_missed = is(&may_miss) && is_lost();
        let is_in_broken = self.around(diagnostic.span).is_some_and(|at| self.items[at].1);
        diagnostic.severity == Severity::Error && !(is_consequence || is_missed || is_in_broken)
    }
}

/// The names and keywords of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}

fn run_passes(passes: &[(&str, optimize::Pass)], module: &mut vector::ir::Module, isa: Isa) {
    for (name, pass) in passes {
        pass.run(module, isa.machine());
        verify(name, module);
    }
}

/// In debug builds, looks whether a stage kept the invariants of the vector IR.
fn verify(stage: &str, module: &vector::ir::Module) {
    if cfg!(debug_assertions) {
        let violations = vector::verify::verify(module);
        assert!(violations.is_empty(), "{stage} broke an invariant: {}", violations.join("; "));
    }
}

/// How many instances of pipelines a program may ask for.
const MAX_INSTANCES: usize = 1000;

/// How many bytes a file of source may have.
const MAX_SOURCE: u64 = 64 << 20;

/// The text of a file, without the mark that some editors begin it with.
fn read(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(MAX_SOURCE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_SOURCE {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {} MiB", MAX_SOURCE >> 20)));
    }
    text(bytes)
}

/// The text of a file that is imported: what is no regular file may have no end, or no beginning.
fn read_import(path: &Path) -> io::Result<String> {
    let metadata = fs::metadata(path)?;
    if metadata.is_file() || metadata.is_dir() { read(path) } else { Err(io::Error::other("it is no regular file")) }
}

/// Does a file hold comprehensions of tensors, and nothing else?
fn is_of_tensors(source: &SourceFile) -> bool {
    source.path.as_deref().is_some_and(|path| path.extension().is_some_and(|extension| extension == "tc"))
}

/// Refuses what else stands in such a file.
fn only_tensors(tree: &ast::File, diagnostics: &mut Diagnostics) {
    let others = tree.items.iter().filter(|item| !matches!(item.kind, ast::ItemKind::Def(_) | ast::ItemKind::Error));
    if let Some(item) = others.take(1).next() {
        let error =
            Diagnostic::error(&codes::UNEXPECTED_TOKEN, item.span, "a `.tc` file holds definitions of tensors, `def …`, only");
        diagnostics.push(error.with_help("call the file `.ivl`, or import the `.tc` file from one"));
    }
}

/// Is a source this file of the library?
fn is_library(source: &SourceFile, file: &LibraryFile) -> bool {
    source.name == file.name && source.path.is_none()
}

/// Source as text: UTF-8, with or without a mark at its beginning.
///
/// # Errors
/// Where it is no UTF-8.
pub fn text(bytes: Vec<u8>) -> io::Result<String> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..good].iter().filter(|&&byte| byte == b'\n').count() + 1;
        io::Error::new(io::ErrorKind::InvalidData, format!("the text is not UTF-8 (line {line}, byte {good})"))
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Runs `work` on a stack that is large enough for every program within the limits of the parser.
pub fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        match thread.expect("a thread").join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// All that is said about a text before code is generated, for W = 8.
pub fn check_text(text: &str) -> Diagnostics {
    with_stack(|| {
        let mut session = Session::default();
        session.load_text("input.ivl".into(), None, text.to_owned());
        let options = Options { width: Some(8), ..Options::new(Isa::COMMON) };
        if let Some(program) = session.check(&options) {
            session.optimized(&program, &options);
        }
        session.diagnostics
    })
}
