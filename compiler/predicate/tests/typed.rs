//! Typed programs by hand, in few words.

use crate::source::Span;
use crate::typed::ir::*;
use crate::types::{Element, Type, Types};

pub fn expr(kind: ExprKind, ty: Type) -> Expr {
    Expr { kind, ty, span: Span::default() }
}

pub fn statement(kind: StatementKind) -> Statement {
    Statement { kind, span: Span::default() }
}

pub fn block(context: u8, statements: Vec<Statement>) -> Block {
    Block { context, statements }
}

/// A function under construction, with `int` and `bool` at length 1 and at its own length.
pub struct Maker {
    pub types: Types,
    pub length: u8,
    pub locals: Vec<Local>,
}

impl Maker {
    pub fn new(length: u8) -> Self {
        Maker { types: Types::new(), length, locals: Vec::new() }
    }

    pub fn int(&mut self, length: u8) -> Type {
        self.types.vector(Element::Int32, length)
    }

    pub fn bool(&mut self, length: u8) -> Type {
        self.types.vector(Element::Bool, length)
    }

    pub fn local(&mut self, name: &str, ty: Type) -> LocalId {
        let (span, parameter) = (Span::default(), ParameterKind::Plain);
        self.locals.push(Local {
            name: name.into(),
            ty,
            span,
            parameter,
            pointee_is_const: false,
            alignment: 1,
            elements: None,
            reasons: Vec::new(),
        });
        LocalId(self.locals.len() as u32 - 1)
    }

    pub fn place(&self, local: LocalId) -> Place {
        let ty = self.locals[local.0 as usize].ty;
        Place { kind: PlaceKind::Local(local), object: ty, addresses: 1, ty, span: Span::default() }
    }

    pub fn get(&self, local: LocalId) -> Expr {
        let place = self.place(local);
        let ty = place.ty;
        expr(ExprKind::Load(place), ty)
    }

    /// A constant in all lanes.
    pub fn number(&mut self, value: i32, length: u8) -> Expr {
        let (scalar, vector) = (self.int(1), self.int(length));
        let constant = expr(ExprKind::Constant(Constant::Int(u64::from(value as u32))), scalar);
        if length == 1 { constant } else { expr(ExprKind::Broadcast(constant.into()), vector) }
    }

    pub fn binary(&self, op: BinaryOp, a: Expr, b: Expr) -> Expr {
        let ty = a.ty;
        expr(ExprKind::Binary(op, a.into(), b.into()), ty)
    }

    pub fn compare(&mut self, op: CompareOp, a: Expr, b: Expr) -> Expr {
        let ty = self.bool(self.types.length(a.ty));
        expr(ExprKind::Compare(op, a.into(), b.into()), ty)
    }

    pub fn set(&self, local: LocalId, value: Expr) -> Statement {
        let ty = value.ty;
        let assign = ExprKind::Assign { place: self.place(local), value: value.into() };
        statement(StatementKind::Expression(expr(assign, ty)))
    }

    pub fn call(&mut self, function: FunctionId, arguments: Vec<Expr>, result: Type) -> Expr {
        expr(ExprKind::Call { function, arguments }, result)
    }

    /// The function with this body.
    pub fn function(&mut self, context: u8, parameters: usize, result: Type, body: Block) -> Function {
        Function {
            name: "f".into(),
            signature: String::new(),
            symbol: "f".into(),
            context,
            linkage: Linkage::Internal,
            fp: crate::target::FpMode::Strict,
            inlining: crate::target::Inlining::Allowed,
            is_library: false,
            is_scheduled: false,
            locals: self.locals.clone(),
            parameters,
            result,
            body: Some(body),
            reasons: Vec::new(),
            docs: Vec::new(),
            span: Span::default(),
        }
    }

    /// A function that is only declared: it takes one value and gives none.
    pub fn external(&mut self, context: u8, parameter: Type) -> Function {
        let result = self.types.void();
        let (span, kind) = (Span::default(), ParameterKind::Plain);
        let body = block(context, Vec::new());
        let locals = vec![Local {
            name: "x".into(),
            ty: parameter,
            span,
            parameter: kind,
            pointee_is_const: false,
            alignment: 1,
            elements: None,
            reasons: Vec::new(),
        }];
        let function = self.function(context, 1, result, body);
        Function { linkage: Linkage::Extern, locals, body: None, ..function }
    }

    pub fn program(self, functions: Vec<Function>) -> Program {
        Program { types: self.types, functions, ..Program::default() }
    }
}
