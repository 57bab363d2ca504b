//! Templates: their parameters, and what is written for these; what is asserted while compiling.

use super::{Expr, ExprKind, Name, Type};
use crate::source::Span;

/// A parameter of a template.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateParameter {
    /// What stands for it in an instance.
    pub kind: TemplateParameterKind,
    /// Its name.
    pub name: Name,
    /// The whole parameter.
    pub span: Span,
}

impl TemplateParameter {
    /// Has it a default?
    pub fn has_default(&self) -> bool {
        match &self.kind {
            TemplateParameterKind::Type { default } => default.is_some(),
            TemplateParameterKind::Value { ty: _, default } => default.is_some(),
        }
    }
}

/// The kinds of parameters of templates, with the argument where none is given.
#[derive(Clone, Debug, PartialEq)]
pub enum TemplateParameterKind {
    /// `typename T = float`
    Type {
        /// The default.
        default: Option<Type>,
    },
    /// `int N = 4`
    Value {
        /// The type of the value.
        ty: Type,
        /// The default: an additive expression.
        default: Option<Expr>,
    },
}

/// An argument of a template.
#[derive(Clone, Debug, PartialEq)]
pub enum TemplateArgument {
    /// `float`, `T*`, `pair<float, 4>`
    Type(Type),
    /// `4`, `N - 1`: an additive expression.
    Value(Expr),
    /// A name by itself, as an expression: it is a type where the parameter is one.
    Name(Expr),
}

impl TemplateArgument {
    /// Its text.
    pub fn span(&self) -> Span {
        match self {
            TemplateArgument::Type(ty) => ty.span,
            TemplateArgument::Value(e) | TemplateArgument::Name(e) => e.span,
        }
    }

    /// The name that it is, if it is one by itself.
    pub fn name(&self) -> Option<&Name> {
        match self {
            TemplateArgument::Name(Expr { kind: ExprKind::Name(name), .. }) => Some(name),
            TemplateArgument::Name(_) | TemplateArgument::Type(_) | TemplateArgument::Value(_) => None,
        }
    }
}

/// `export blur<uint8> as blur_u8;`: an instance of a template for other languages, under a name of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Export {
    /// The template.
    pub name: Name,
    /// Its arguments; fewer than it has parameters where the others have defaults.
    pub arguments: Vec<TemplateArgument>,
    /// What other languages call it.
    pub public: Name,
}

/// `static assert(condition, "text");`
#[derive(Clone, Debug, PartialEq)]
pub struct Assertion {
    /// A constant expression.
    pub condition: Expr,
    /// What is said where it does not hold.
    pub message: Option<String>,
}
