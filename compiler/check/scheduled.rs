//! Functions of schedules in the program: opened where they are called, given bodies when all instances are found.

use super::declared::{Argument, Base, Declared, Qualifier};
use super::instance::Instance;
use super::items::{RecordItem, TypeItem};
use super::schedules::{Parameter, ParameterOf, Purpose, Refusal, Schedules, Target, Wanted, new_function, new_local};
use super::state::{Body, Checker};
use crate::diagnostics::Diagnostics;
use crate::source::Span;
use crate::typed::ir::{self, Block, ExprKind, FunctionId, Local};
use crate::typed::walk::every_expr;
use crate::types::{BUFFER, Element, RecordId, Type, Types, view_name};
use rustc_hash::FxHashMap;

impl<'a> Checker<'a> {
    /// A function of a schedule, opened now if it is new. Its caller is in the program, or another function of the schedule.
    pub fn scheduled(&mut self, wanted: &Wanted, parameters: &[Parameter], span: Span) -> FunctionId {
        match self.asked.get(wanted) {
            Some(&id) => id,
            None => self.open_schedule(wanted, parameters, span),
        }
    }

    fn open_schedule(&mut self, wanted: &Wanted, parameters: &[Parameter], span: Span) -> FunctionId {
        let result = match wanted.refusal {
            Refusal::Status => self.scalar(Element::Int32),
            Refusal::EndProgram => self.program.types.void(),
        };
        let mut function = new_function(wanted.name(), self.options.fp, result, span);
        for parameter in parameters {
            let declared = self.declared_parameter(parameter, wanted.purpose);
            let ty = self.vec(&declared, 1, 1, span);
            let is_const = declared.is_const && wanted.refusal == Refusal::EndProgram;
            function.locals.push(Local { pointee_is_const: is_const, ..new_local(&parameter.name, ty, span) });
        }
        function.parameters = function.locals.len();
        let id = self.add_function(function);
        self.asked.insert(wanted.clone(), id);
        id
    }

    /// What is declared for a parameter: a number, a view, or a reference to a view that is filled.
    pub fn declared_parameter(&mut self, parameter: &Parameter, purpose: Purpose) -> Declared {
        let view = |this: &mut Self, rank| {
            let record = this.view_record(parameter.element, rank);
            Declared::new(Base::Record(record), Qualifier::Of(1))
        };
        match parameter.kind {
            ParameterOf::Scalar => Declared::new(Base::Element(parameter.element), Qualifier::Of(1)),
            ParameterOf::Output(rank) => view(self, rank),
            ParameterOf::Input(rank) if purpose == Purpose::Run => Declared { is_const: true, ..view(self, rank) },
            ParameterOf::Input(rank) => {
                let view = view(self, rank);
                Declared::new(Base::Reference(Box::new(view)), Qualifier::Of(1))
            }
        }
    }

    /// A function that is no instance. Its name has a point in it, or is that of an export: no instance has its symbol.
    fn add_function(&mut self, mut function: ir::Function) -> FunctionId {
        let id = FunctionId(self.program.functions.len() as u32);
        function.symbol.clone_from(&function.name);
        if function.signature.is_empty() {
            function.signature.clone_from(&function.name);
        }
        self.made.insert(id, Instance::made_elsewhere(function.parameters));
        self.program.functions.push(function);
        id
    }

    /// The function at hand calls another one.
    pub fn note_call(&mut self, id: FunctionId, span: Span) {
        let Some(user) = self.body.id.and_then(|user| self.made.get_mut(&user)) else { return };
        if user.calls.iter().all(|(called, _)| *called != id) {
            user.calls.push((id, span));
        }
    }

    /// Lowers the schedules that the roots reach, and adds the functions for other languages to the roots.
    pub fn lower_schedules(&mut self, roots: &mut Vec<FunctionId>) {
        let schedules = self.schedules.clone();
        let schedules = &*schedules;
        roots.extend(schedules.entries(&mut Lowering { checker: self, schedules }));
        // Those that are lowered may ask for others.
        loop {
            let open = self.open_schedules(roots);
            if open.is_empty() {
                return;
            }
            for (wanted, id) in open {
                let body = Body { id: Some(id), context: 1, ..Body::default() };
                let outer = std::mem::replace(&mut self.body, body);
                schedules.lower(&wanted, id, &mut Lowering { checker: self, schedules });
                self.body = outer;
                assert!(self.program.functions[id.0 as usize].body.is_some(), "a schedule that is lowered has a body");
            }
        }
    }

    /// The function by which programs of other languages call one that takes views.
    pub fn with_buffers(&mut self, callee: FunctionId, name: &str) -> FunctionId {
        let schedules = self.schedules.clone();
        let schedules = &*schedules;
        schedules.with_buffers(callee, name, &mut Lowering { checker: self, schedules })
    }

    /// The schedules that the roots reach and that have no bodies yet.
    fn open_schedules(&self, roots: &[FunctionId]) -> Vec<(Wanted, FunctionId)> {
        let reached = self.reachable(roots);
        let is_open = |id: &FunctionId| self.program.functions[id.0 as usize].body.is_none() && reached.contains(id);
        self.asked.iter().filter(|(_, id)| is_open(id)).map(|(wanted, id)| (wanted.clone(), *id)).collect()
    }

    /// The record of views on elements.
    pub fn view_record(&mut self, element: Element, rank: usize) -> RecordId {
        let name = view_name(element, rank);
        if let Some(TypeItem::Record(id)) = self.items.types.get(name.as_str()) {
            return *id;
        }
        let scalar = |element| Declared::new(Base::Element(element), Qualifier::Of(1));
        let mut members = vec![("data", Declared::new(Base::Pointer(Box::new(scalar(element))), Qualifier::Of(1)))];
        if rank > 0 {
            let array = |element| Declared::new(Base::Array(Box::new(scalar(element)), rank as u64), Qualifier::Of(1));
            let numbers = [("min", Element::Int32), ("extent", Element::Int32), ("stride", Element::Int64)];
            members.extend(numbers.map(|(name, element)| (name, array(element))));
        }
        let resolved = members.into_iter().map(|(name, declared)| (name.to_owned(), declared)).collect();
        self.declare_known_record(&name, resolved)
    }

    /// The record of images of any type and rank.
    fn buffer_record(&mut self) -> RecordId {
        if let Some(TypeItem::Record(id)) = self.items.types.get(BUFFER) {
            return *id;
        }
        let scalar = |element| Declared::new(Base::Element(element), Qualifier::Of(1));
        let pointer = |to| Declared::new(Base::Pointer(Box::new(to)), Qualifier::Of(1));
        let (int, int64) = (scalar(Element::Int32), scalar(Element::Int64));
        let owned = |members: Vec<(&str, Declared)>| members.into_iter().map(|(name, of)| (name.to_owned(), of)).collect();
        let dimension = owned(vec![("min", int.clone()), ("extent", int.clone()), ("stride", int64)]);
        let dimension = self.declare_known_record("__dim", dimension);
        let dimensions = pointer(Declared::new(Base::Record(dimension), Qualifier::Of(1)));
        let members = vec![("data", pointer(scalar(Element::Uint8))), ("dim", dimensions), ("rank", int.clone()), ("type", int)];
        self.declare_known_record(BUFFER, owned(members))
    }

    fn declare_known_record(&mut self, name: &str, resolved: Vec<(String, Declared)>) -> RecordId {
        let id = self.program.types.declare_record(name);
        let item = RecordItem {
            name: name.into(),
            span: Span::default(),
            members: &[],
            resolved,
            uses_context: false,
            generic: None,
            home: super::items::Home::Program,
        };
        self.items.records.push(item);
        self.items.types.insert(name.into(), TypeItem::Record(id));
        id
    }
}

/// The checker, as a schedule that is lowered sees it.
struct Lowering<'l, 'a> {
    checker: &'l mut Checker<'a>,
    schedules: &'l dyn Schedules,
}

impl Target for Lowering<'_, '_> {
    fn types(&mut self) -> &mut Types {
        &mut self.checker.program.types
    }

    fn function(&self, id: FunctionId) -> &ir::Function {
        &self.checker.program.functions[id.0 as usize]
    }

    fn function_mut(&mut self, id: FunctionId) -> &mut ir::Function {
        &mut self.checker.program.functions[id.0 as usize]
    }

    fn add(&mut self, function: ir::Function) -> FunctionId {
        self.checker.add_function(function)
    }

    fn finish(&mut self, id: FunctionId, locals: Vec<Local>, body: Block) {
        let mut calls: Vec<(FunctionId, Span)> = Vec::new();
        every_expr(&body, &mut |e| {
            if let ExprKind::Call { function, .. } = e.kind
                && calls.iter().all(|(known, _)| *known != function)
            {
                calls.push((function, e.span));
            }
        });
        self.checker.made.get_mut(&id).expect("a function that was added").calls = calls;
        let made = &mut self.checker.program.functions[id.0 as usize];
        (made.context, made.locals, made.body) = (body.context, locals, Some(body));
    }

    fn instance(&mut self, scalar: FunctionId, context: u8, parameters: Vec<Type>, span: Span) -> FunctionId {
        let key = self.checker.made.get(&scalar).and_then(|made| made.key.clone()).expect("an instance of a function");
        let made = self.checker.instance_of((key.0, context, parameters, key.3, key.4), span);
        made.map_or(scalar, |(id, _)| id)
    }

    fn of_library(&mut self, name: &str, element: Element, context: u8, parameters: Vec<Type>, span: Span) -> FunctionId {
        let item = self.checker.items.library.get(name).and_then(|items| items.first()).copied();
        let item = item.expect("a function of the library");
        let types = vec![Argument::Type(Declared::new(Base::Element(element), Qualifier::Unbound))];
        let made = self.checker.instance(item, context, parameters, types, span);
        made.expect("an instance of a function of the library").0
    }

    fn scheduled(&mut self, wanted: &Wanted) -> FunctionId {
        let (parameters, span) = self.schedules.parameters(&wanted.pipeline).expect("a pipeline");
        self.checker.scheduled(wanted, &parameters, span)
    }

    fn shared(&mut self) -> &mut FxHashMap<String, FunctionId> {
        &mut self.checker.shared
    }

    fn diagnostics(&mut self) -> &mut Diagnostics {
        self.checker.diagnostics
    }

    fn view(&mut self, element: Element, rank: usize) -> Type {
        let record = self.checker.view_record(element, rank);
        self.checker.record(record, 1, 1)
    }

    fn buffer(&mut self) -> Type {
        let record = self.checker.buffer_record();
        self.checker.record(record, 1, 1)
    }

    fn export(&mut self, function: FunctionId, name: &str, span: Span) {
        self.checker.export_as(function, name, span);
    }
}
