//! What a function gives for scalars, as C has it. Says nothing where it takes long or reads something unset, since the law
//! speaks of neither.

use super::tree::*;
use std::collections::HashMap;

/// The value of `f`; `None` if it is not asked about.
pub fn evaluate(group: &Group, arguments: &[i32]) -> Option<i32> {
    let mut run = Run { group, fuel: 600, depth: 0, cells: Vec::new() };
    let arguments = arguments.iter().map(|&n| Passed::Value(vec![Some(n)])).collect();
    run.call(group.entry(), arguments).ok()
}

/// Too long, or unset.
struct NoAnswer;

type Result<T> = std::result::Result<T, NoAnswer>;

/// Where a place is: a cell, and its first leaf in there.
type Address = (usize, usize);

enum Passed {
    Value(Vec<Option<i32>>),
    Reference(Address),
}

#[derive(PartialEq)]
enum End {
    Normal,
    Break,
    Continue,
    Return(i32),
}

type Environment = HashMap<Name, (Address, Ty)>;

struct Run<'g> {
    group: &'g Group,
    fuel: u32,
    depth: u32,
    /// The leaves of variables.
    cells: Vec<Vec<Option<i32>>>,
}

/// What `a op b` is; total, as the language has it.
pub fn arithmetic(op: Op, a: i32, b: i32) -> i32 {
    match op {
        Op::Add => a.wrapping_add(b),
        Op::Subtract => a.wrapping_sub(b),
        Op::Multiply => a.wrapping_mul(b),
        Op::Divide => {
            if b == 0 {
                0
            } else {
                a.wrapping_div(b)
            }
        }
        Op::Remainder => {
            if b == 0 {
                0
            } else {
                a.wrapping_rem(b)
            }
        }
        Op::And => a & b,
    }
}

fn holds(op: Compare, a: i32, b: i32) -> bool {
    match op {
        Compare::Less => a < b,
        Compare::Greater => a > b,
        Compare::LessEqual => a <= b,
        Compare::GreaterEqual => a >= b,
        Compare::Equal => a == b,
        Compare::NotEqual => a != b,
    }
}

impl Run<'_> {
    fn step(&mut self) -> Result<()> {
        self.fuel = self.fuel.checked_sub(1).ok_or(NoAnswer)?;
        Ok(())
    }

    fn call(&mut self, function: &Function, arguments: Vec<Passed>) -> Result<i32> {
        self.step()?;
        self.depth += 1;
        if self.depth > 40 {
            return Err(NoAnswer);
        }
        let mut environment = Environment::new();
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            let address = match argument {
                Passed::Value(leaves) => self.cell(leaves),
                Passed::Reference(address) => address,
            };
            environment.insert(parameter.name.clone(), (address, parameter.ty));
        }
        let end = self.statements(&function.body, &mut environment)?;
        self.depth -= 1;
        match end {
            End::Return(value) => Ok(value),
            End::Normal | End::Break | End::Continue => Err(NoAnswer),
        }
    }

    fn cell(&mut self, leaves: Vec<Option<i32>>) -> Address {
        self.cells.push(leaves);
        (self.cells.len() - 1, 0)
    }

    fn place(&mut self, place: &Place, environment: &mut Environment) -> Result<Address> {
        let ((cell, mut at), mut ty) = environment[&place.root];
        for step in &place.steps {
            let k = match step {
                Step::Member(k) => usize::from(*k),
                Step::Element(index) => (self.expression(index, environment)? & 3) as usize,
            };
            at += (0..k).map(|k| ty.part(k).leaves().len()).sum::<usize>();
            ty = ty.part(k);
        }
        Ok((cell, at))
    }

    fn load(&self, (cell, at): Address) -> Result<i32> {
        self.cells[cell][at].ok_or(NoAnswer)
    }

    fn leaves(&self, (cell, at): Address, ty: Ty) -> Result<Vec<Option<i32>>> {
        let leaves = self.cells[cell][at..at + ty.leaves().len()].to_vec();
        if leaves.contains(&None) { Err(NoAnswer) } else { Ok(leaves) }
    }

    fn expression(&mut self, e: &Expr, environment: &mut Environment) -> Result<i32> {
        Ok(match &e.kind {
            ExprKind::Number(n) => *n,
            ExprKind::Read(place) => {
                let address = self.place(place, environment)?;
                self.load(address)?
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.expression(a, environment)?, self.expression(b, environment)?);
                arithmetic(*op, a, b)
            }
            ExprKind::Compare(op, a, b) => {
                let (a, b) = (self.expression(a, environment)?, self.expression(b, environment)?);
                i32::from(holds(*op, a, b))
            }
            ExprKind::And(a, b) => i32::from(self.expression(a, environment)? != 0 && self.expression(b, environment)? != 0),
            ExprKind::Or(a, b) => i32::from(self.expression(a, environment)? != 0 || self.expression(b, environment)? != 0),
            ExprKind::Conditional(c, a, b) => {
                let chosen = if self.expression(c, environment)? != 0 { a } else { b };
                self.expression(chosen, environment)?
            }
            ExprKind::Assign(place, op, value) => {
                let address = self.place(place, environment)?;
                let mut value = self.expression(value, environment)?;
                if let Some(op) = op {
                    value = arithmetic(*op, self.load(address)?, value);
                }
                if place.ty == Ty::Bool {
                    value = i32::from(value != 0);
                }
                self.cells[address.0][address.1] = Some(value);
                value
            }
            ExprKind::Increment(place, by, gives) => {
                let address = self.place(place, environment)?;
                let old = self.load(address)?;
                let new = old.wrapping_add(*by);
                self.cells[address.0][address.1] = Some(new);
                if *gives == Gives::New { new } else { old }
            }
            ExprKind::Call(name, arguments) => {
                let function = self.group.function(name);
                let mut passed = Vec::new();
                for (parameter, argument) in function.parameters.iter().zip(arguments) {
                    passed.push(match argument {
                        Argument::Value(e) => Passed::Value(vec![Some(self.expression(e, environment)?)]),
                        Argument::Place(place) => {
                            let address = self.place(place, environment)?;
                            match parameter.passing {
                                Passing::Reference => Passed::Reference(address),
                                Passing::Value => Passed::Value(self.leaves(address, parameter.ty)?),
                            }
                        }
                    });
                }
                self.call(function, passed)?
            }
        })
    }

    fn statements(&mut self, list: &[Statement], environment: &mut Environment) -> Result<End> {
        for s in list {
            let end = self.statement(s, environment)?;
            if end != End::Normal {
                return Ok(end);
            }
        }
        Ok(End::Normal)
    }

    fn statement(&mut self, s: &Statement, environment: &mut Environment) -> Result<End> {
        self.step()?;
        match &s.kind {
            StatementKind::Declare(name, ty, initial) => {
                let leaves = match initial {
                    Initial::Unset => vec![None; ty.leaves().len()],
                    Initial::Value(e) => {
                        let value = self.expression(e, environment)?;
                        vec![Some(if *ty == Ty::Bool { i32::from(value != 0) } else { value })]
                    }
                    Initial::List(list) => {
                        let values: Result<Vec<i32>> = list.iter().map(|e| self.expression(e, environment)).collect();
                        values?.into_iter().map(Some).collect()
                    }
                    Initial::Copy(place) => {
                        let address = self.place(place, environment)?;
                        self.leaves(address, *ty)?
                    }
                };
                let address = self.cell(leaves);
                environment.insert(name.clone(), (address, *ty));
            }
            StatementKind::Reference(name, place) => {
                let address = self.place(place, environment)?;
                environment.insert(name.clone(), (address, place.ty));
            }
            StatementKind::Copy(to, from) => {
                let (cell, at) = self.place(to, environment)?;
                let from = self.place(from, environment)?;
                let leaves = self.leaves(from, to.ty)?;
                self.cells[cell][at..at + leaves.len()].copy_from_slice(&leaves);
            }
            StatementKind::Expression(e) => _ = self.expression(e, environment)?,
            StatementKind::Block(body) => return self.statements(body, environment),
            StatementKind::If(c, then, otherwise) => {
                let chosen = if self.expression(c, environment)? != 0 { then } else { otherwise };
                return self.statements(chosen, environment);
            }
            StatementKind::While(c, body) => return self.repeat(Some(c), body, None, None, environment),
            StatementKind::Do(body, c) => return self.repeat(None, body, None, Some(c), environment),
            StatementKind::For(initial, c, step, body) => {
                let end = self.statements(initial, environment)?;
                debug_assert!(end == End::Normal, "nothing jumps at the head of a loop");
                return self.repeat(Some(c), body, step.as_ref(), None, environment);
            }
            StatementKind::Break => return Ok(End::Break),
            StatementKind::Continue => return Ok(End::Continue),
            StatementKind::Return(e) => return Ok(End::Return(self.expression(e, environment)?)),
            StatementKind::Switch(value, cases) => {
                let value = self.expression(value, environment)?;
                let labelled = cases.iter().position(|(label, _)| *label == Some(value));
                let start = labelled.or_else(|| cases.iter().position(|(label, _)| label.is_none()));
                for (_, body) in start.map_or(&[][..], |start| &cases[start..]) {
                    match self.statements(body, environment)? {
                        End::Normal => {}
                        End::Break => break,
                        end => return Ok(end),
                    }
                }
            }
        }
        Ok(End::Normal)
    }

    fn repeat(
        &mut self,
        before: Option<&Expr>,
        body: &[Statement],
        step: Option<&Expr>,
        after: Option<&Expr>,
        environment: &mut Environment,
    ) -> Result<End> {
        loop {
            self.step()?;
            if let Some(c) = before
                && self.expression(c, environment)? == 0
            {
                return Ok(End::Normal);
            }
            match self.statements(body, environment)? {
                End::Normal | End::Continue => {}
                End::Break => return Ok(End::Normal),
                end @ End::Return(_) => return Ok(end),
            }
            if let Some(e) = step {
                self.expression(e, environment)?;
            }
            if let Some(c) = after
                && self.expression(c, environment)? == 0
            {
                return Ok(End::Normal);
            }
        }
    }
}
