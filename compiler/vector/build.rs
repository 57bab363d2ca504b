//! Builds functions of the vector IR, in SSA form from the first instruction on.
//!
//! A [`Variable`] may be defined many times; a use finds the definition that reaches it and places block parameters
//! where several do (the on-the-fly construction of Braun and others, *Simple and Efficient Construction of Static
//! Single Assignment Form*). So a client writes
//!
//! ```text
//! let x = b.declare_variable(ty);            block0(v0: bool, v1: i32):
//! b.define(x, v1);                             branch v0, block1, block2(v1)
//! b.branch(v0, then, &[], join, &[]);        block1:
//! b.seal(then); b.position(then);     ──►      v2 = add v1, v1
//! b.define(x, b.binary(Add, v1, v1));          jump block2(v2)
//! b.jump(join, &[]);                         block2(v3: i32):
//! b.seal(join); b.position(join);              return v3
//! b.ret(&[b.use_variable(x)]);
//! ```
//!
//! # Rules of use
//! * A block is *sealed* once all jumps to it have been made; every block must be sealed before [`FunctionBuilder::finish`].
//! * Explicit block parameters are appended before the first jump to the block.
//! * Behind a terminator the builder stands in a fresh block that nobody reaches: what is emitted there is dropped,
//!   jumps out of it do not count, so a client need not care (but may ask [`FunctionBuilder::is_reachable`]).
//! * A variable that has no definition on some path is [`Op::Unset`] there.
//!
//! # What `finish` promises
//! No unreachable block, no block parameter that is always the same value, no value that nobody needs, no block
//! that only one jump reaches; blocks in reverse postorder, values numbered in the order of the text.

mod finish;
mod instructions;
#[cfg(test)]
mod tests;

use super::ir::*;
use crate::source::Span;
use rustc_hash::FxHashMap;

/// A mutable variable of the function under construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variable(u32);

/// A way from a block to another: which block, and which of its targets.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: Block,
    target: usize,
}

/// What is known of a block under construction.
#[derive(Debug, Default)]
struct BlockState {
    predecessors: Vec<Edge>,
    /// No further predecessors come.
    sealed: bool,
    /// It has its terminator.
    filled: bool,
    /// Parameters made for uses before the block was sealed, by index: their arguments are still missing.
    incomplete: Vec<(Variable, usize)>,
    /// What each variable is at the end of the block, as far as somebody asked.
    definitions: FxHashMap<Variable, Value>,
}

/// A function under construction.
#[derive(Debug)]
pub struct FunctionBuilder {
    function: Function,
    blocks: Vec<BlockState>,
    variables: Vec<Type>,
    /// What variables are that have one definition at a time, which comes before all uses.
    fixed: FxHashMap<Variable, Value>,
    /// What a value that turned out to be superfluous stands for; itself for all others.
    alias: Vec<Value>,
    constants: FxHashMap<(Type, Vec<u64>), Value>,
    unset: FxHashMap<Type, Value>,
    addresses: FxHashMap<Address, Value>,
    /// Constants and addresses: they come first in the entry block.
    prologue: Vec<Inst>,
    current: Block,
    span: Span,
}

/// Addresses that are the same all over a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Address {
    Slot(Slot),
    Global(GlobalId),
}

/// Stands for an argument that is not known yet.
const MISSING: Value = Value(u32::MAX);

impl FunctionBuilder {
    /// Starts a function with its entry block, which is sealed and current.
    pub fn new(name: impl Into<String>, parameters: &[Type], results: &[Type], span: Span) -> Self {
        let function = Function {
            name: name.into(),
            signature: String::new(),
            linkage: Linkage::Internal,
            fp: FpMode::Strict,
            inlining: Inlining::Allowed,
            asks_lanes: false,
            parameters: parameters.to_vec(),
            parameter_flags: vec![ParameterFlags::default(); parameters.len()],
            results: results.to_vec(),
            slots: Vec::new(),
            blocks: Vec::new(),
            insts: Vec::new(),
            values: Vec::new(),
            loose: Vec::new(),
            span,
        };
        let mut builder = FunctionBuilder {
            function,
            blocks: Vec::new(),
            variables: Vec::new(),
            fixed: FxHashMap::default(),
            alias: Vec::new(),
            constants: FxHashMap::default(),
            unset: FxHashMap::default(),
            addresses: FxHashMap::default(),
            prologue: Vec::new(),
            current: Block(0),
            span,
        };
        let entry = builder.create_block();
        for &ty in parameters {
            builder.append_parameter(entry, ty);
        }
        builder.seal(entry);
        builder
    }

    /// The function as a whole, to set its signature, linkage, flags or mode.
    pub fn function_mut(&mut self) -> &mut Function {
        &mut self.function
    }

    /// Sets the source text of what is emitted from here on; the old one comes back.
    pub fn set_span(&mut self, span: Span) -> Span {
        std::mem::replace(&mut self.span, span)
    }

    /// The function accesses memory here that nothing bounds.
    pub fn loose(&mut self, span: Span) {
        self.function.loose.push(span);
    }

    /// The type of a value.
    pub fn ty(&self, value: Value) -> Type {
        self.function.values[value.0 as usize].ty
    }

    /// Reserves stack memory.
    pub fn slot(&mut self, size: u64, alignment: u64) -> Slot {
        self.function.slots.push(SlotData { size, alignment });
        Slot(self.function.slots.len() as u32 - 1)
    }

    // ---- Blocks ---------------------------------------------------------------------------------------------------

    /// A new block, neither sealed nor current.
    pub fn create_block(&mut self) -> Block {
        self.function.blocks.push(BlockData::empty());
        self.blocks.push(BlockState::default());
        Block(self.blocks.len() as u32 - 1)
    }

    /// Adds a parameter, for which every jump to the block passes an argument.
    pub fn append_parameter(&mut self, block: Block, ty: Type) -> Value {
        assert!(self.state(block).predecessors.is_empty(), "parameters come before jumps");
        self.new_parameter(block, ty).1
    }

    /// The parameters of a block.
    pub fn parameters(&self, block: Block) -> &[Value] {
        &self.function.blocks[block.0 as usize].parameters
    }

    /// The parameters of the function.
    pub fn function_parameters(&self) -> &[Value] {
        self.parameters(Block(0))
    }

    /// Where instructions go.
    pub fn current(&self) -> Block {
        self.current
    }

    /// From here on, instructions go to the end of `block`.
    pub fn position(&mut self, block: Block) {
        assert!(!self.state(block).filled, "a block gets no instruction behind its terminator");
        self.current = block;
    }

    /// Can the current block be reached, as far as is known?
    pub fn is_reachable(&self) -> bool {
        let state = self.state(self.current);
        self.current == Block(0) || !state.sealed || !state.predecessors.is_empty()
    }

    /// Has any jump to the block been made?
    pub fn has_predecessors(&self, block: Block) -> bool {
        !self.state(block).predecessors.is_empty()
    }

    /// All jumps to the block have been made.
    pub fn seal(&mut self, block: Block) {
        let state = self.state_mut(block);
        assert!(!state.sealed, "a block is sealed once");
        state.sealed = true;
        for (variable, index) in std::mem::take(&mut state.incomplete) {
            self.complete(variable, vec![(block, index)]);
        }
    }

    fn state(&self, block: Block) -> &BlockState {
        &self.blocks[block.0 as usize]
    }

    fn state_mut(&mut self, block: Block) -> &mut BlockState {
        &mut self.blocks[block.0 as usize]
    }

    fn new_value(&mut self, ty: Type, def: ValueDef) -> Value {
        let value = Value(self.function.values.len() as u32);
        self.function.values.push(ValueData { ty, def });
        self.alias.push(value);
        value
    }

    fn new_parameter(&mut self, block: Block, ty: Type) -> (usize, Value) {
        let index = self.parameters(block).len();
        let value = self.new_value(ty, ValueDef::Parameter(block, index as u32));
        self.function.blocks[block.0 as usize].parameters.push(value);
        (index, value)
    }

    // ---- Terminators ----------------------------------------------------------------------------------------------

    /// Ends the current block with a jump.
    pub fn jump(&mut self, block: Block, arguments: &[Value]) {
        let target = self.target(block, arguments);
        self.terminate(Terminator::Jump(target));
    }

    /// Ends the current block with a branch; a constant condition makes it a jump.
    pub fn branch(&mut self, condition: Value, then: Block, then_args: &[Value], otherwise: Block, otherwise_args: &[Value]) {
        match self.constant_bits(condition) {
            Some([0]) => self.jump(otherwise, otherwise_args),
            Some(_) => self.jump(then, then_args),
            None => {
                let condition = self.resolve(condition);
                let (then, otherwise) = (self.target(then, then_args), self.target(otherwise, otherwise_args));
                self.terminate(Terminator::Branch { condition, then, otherwise });
            }
        }
    }

    /// Ends the current block with a return.
    pub fn ret(&mut self, values: &[Value]) {
        let values = values.iter().map(|&v| self.resolve(v)).collect();
        self.terminate(Terminator::Return(values));
    }

    /// Ends the current block: nobody gets here.
    pub fn unreachable(&mut self) {
        self.terminate(Terminator::Unreachable);
    }

    fn target(&mut self, block: Block, arguments: &[Value]) -> Target {
        assert!(!self.state(block).sealed, "no jump to a sealed block");
        Target { block, arguments: arguments.iter().map(|&v| self.resolve(v)).collect() }
    }

    fn terminate(&mut self, terminator: Terminator) {
        let from = self.current;
        if self.is_reachable() {
            for (target, to) in terminator.targets().enumerate() {
                self.blocks[to.block.0 as usize].predecessors.push(Edge { from, target });
            }
        }
        self.function.blocks[from.0 as usize].terminator = terminator;
        self.state_mut(from).filled = true;
        let dead = self.create_block();
        self.seal(dead);
        self.current = dead;
    }

    // ---- Variables ------------------------------------------------------------------------------------------------

    /// A new variable, unset.
    pub fn declare_variable(&mut self, ty: Type) -> Variable {
        self.variables.push(ty);
        Variable(self.variables.len() as u32 - 1)
    }

    /// The variable is `value` from here on.
    pub fn define(&mut self, variable: Variable, value: Value) {
        let value = self.resolve(value);
        debug_assert_eq!(self.variables[variable.0 as usize], self.ty(value), "a variable keeps its type");
        let current = self.current;
        self.state_mut(current).definitions.insert(variable, value);
    }

    /// The variable is `value` until it is fixed again: no other definition reaches its uses, and nobody has to look for this
    /// one. In a long function with many variables that is most of the work.
    pub fn fix(&mut self, variable: Variable, value: Value) {
        debug_assert_eq!(self.variables[variable.0 as usize], self.ty(value), "a variable keeps its type");
        self.fixed.insert(variable, value);
    }

    /// What the variable is here.
    pub fn use_variable(&mut self, variable: Variable) -> Value {
        if let Some(&value) = self.fixed.get(&variable) {
            return self.resolve(value);
        }
        let mut missing = Vec::new();
        let value = self.reaching(variable, self.current, &mut missing);
        self.complete(variable, missing);
        self.resolve(value)
    }

    /// What the variable is at the end of `block`. Parameters placed in sealed blocks go to `missing`: their arguments
    /// are to be found. Walks up without recursion, so that a long function needs no deep stack.
    fn reaching(&mut self, variable: Variable, mut block: Block, missing: &mut Vec<(Block, usize)>) -> Value {
        let ty = self.variables[variable.0 as usize];
        let mut path = Vec::new();
        let value = loop {
            let state = self.state(block);
            if let Some(&value) = state.definitions.get(&variable) {
                break value;
            }
            path.push(block);
            match state.predecessors[..] {
                _ if !state.sealed => {
                    let (index, value) = self.new_parameter(block, ty);
                    self.state_mut(block).incomplete.push((variable, index));
                    break value;
                }
                [] => break self.unset(ty),
                // A cycle of single predecessors is a loop that nobody enters.
                [_] if path.len() > self.blocks.len() => break self.unset(ty),
                [edge] => block = edge.from,
                _ => {
                    let (index, value) = self.new_parameter(block, ty);
                    missing.push((block, index));
                    break value;
                }
            }
        };
        for block in path {
            self.state_mut(block).definitions.insert(variable, value);
        }
        value
    }

    /// Finds the arguments of new parameters for `variable`, and of those that this makes in turn; then drops the
    /// trivial ones, innermost first.
    fn complete(&mut self, variable: Variable, mut missing: Vec<(Block, usize)>) {
        let mut done = 0;
        while let Some(&(block, index)) = missing.get(done) {
            done += 1;
            for i in 0..self.state(block).predecessors.len() {
                let edge = self.state(block).predecessors[i];
                let value = self.reaching(variable, edge.from, &mut missing);
                let arguments = &mut self.edge_target(edge).arguments;
                if arguments.len() <= index {
                    arguments.resize(index + 1, MISSING);
                }
                arguments[index] = value;
            }
        }
        for (block, index) in missing.into_iter().rev() {
            self.drop_if_trivial(block, index);
        }
    }

    fn edge_target(&mut self, edge: Edge) -> &mut Target {
        let terminator = &mut self.function.blocks[edge.from.0 as usize].terminator;
        terminator.targets_mut().nth(edge.target).expect("an edge is a target of its terminator")
    }

    /// A parameter that is given only one value besides itself stands for that value.
    fn drop_if_trivial(&mut self, block: Block, index: usize) {
        let parameter = self.parameters(block)[index];
        let mut same = None;
        for i in 0..self.state(block).predecessors.len() {
            let edge = self.state(block).predecessors[i];
            let argument = self.edge_target(edge).arguments[index];
            let argument = self.resolve(argument);
            if argument == parameter || same == Some(argument) {
                continue;
            }
            if same.is_some() {
                return;
            }
            same = Some(argument);
        }
        let same = same.unwrap_or_else(|| self.unset(self.ty(parameter)));
        self.alias[parameter.0 as usize] = same;
    }

    /// The value that stands for `value` now.
    fn resolve(&mut self, value: Value) -> Value {
        let mut root = value;
        while self.alias[root.0 as usize] != root {
            root = self.alias[root.0 as usize];
        }
        let mut walk = value;
        while walk != root {
            walk = std::mem::replace(&mut self.alias[walk.0 as usize], root);
        }
        root
    }

    /// Are both the same value?
    pub fn same(&mut self, a: Value, b: Value) -> bool {
        self.resolve(a) == self.resolve(b)
    }
}
