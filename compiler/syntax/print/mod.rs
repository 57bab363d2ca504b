//! Expressions as text, for messages that quote them (`assert`), and comprehensions of tensors.

pub mod tensors;

use super::ast::{Expr, ExprKind, NewForm, Qualifier, Range, TemplateArgument, Type, TypeKind, UnaryOp};

fn list(list: &[Expr]) -> String {
    list.iter().map(expression).collect::<Vec<_>>().join(", ")
}

/// The expression, with one space around binary operators.
pub fn expression(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Integer { value, suffix: _ } => value.to_string(),
        ExprKind::Float { text, suffix: _ } => text.to_string(),
        ExprKind::Bool(b) => b.to_string(),
        ExprKind::Null => "null".into(),
        ExprKind::Character(c) => format!("{:?}", char::from_u32(*c).unwrap_or('?')),
        ExprKind::String(text) => format!("{text:?}"),
        ExprKind::Name(name) => name.text.to_string(),
        ExprKind::VectorLiteral(lanes) => format!("<{}>", list(lanes)),
        ExprKind::Blend(a, b) => format!("[{}, {}]", expression(a), expression(b)),
        ExprKind::Aggregate(parts) => format!("{{ {} }}", list(parts)),
        ExprKind::CurrentMask => "current_mask".into(),
        ExprKind::LaneIndex => "lane_index".into(),
        ExprKind::Unary(op, a) => {
            let symbol = match op {
                UnaryOp::Negate => "-",
                UnaryOp::Plus => "+",
                UnaryOp::Not => "!",
                UnaryOp::Complement => "~",
                UnaryOp::Dereference => "*",
                UnaryOp::AddressOf => "&",
            };
            format!("{symbol}{}", expression(a))
        }
        ExprKind::Increment { delta, prefix, place } => {
            let symbol = if *delta > 0 { "++" } else { "--" };
            if *prefix { format!("{symbol}{}", expression(place)) } else { format!("{}{symbol}", expression(place)) }
        }
        ExprKind::Binary(op, a, b, _) => format!("{} {} {}", expression(a), op.symbol(), expression(b)),
        ExprKind::Assign { op, place, value } => {
            format!("{} {}= {}", expression(place), op.map_or("", |op| op.symbol()), expression(value))
        }
        ExprKind::Conditional(c, a, b) => format!("{} ? {} : {}", expression(c), expression(a), expression(b)),
        ExprKind::Cast(to, a) => format!("({}) {}", ty(to), expression(a)),
        ExprKind::Call { name, template_arguments, arguments } => {
            format!("{}{}({})", name.text, self::arguments(template_arguments), list(arguments))
        }
        ExprKind::Instance(name, arguments) => format!("{}{}", name.text, self::arguments(arguments)),
        ExprKind::TypeQuery(name, of) => format!("{}({})", name.text, ty(of)),
        ExprKind::New(NewForm::Array, of, count) => format!("new {}[{}]", ty(of), expression(count)),
        ExprKind::New(NewForm::Elements, of, count) => format!("new {}({})", ty(of), expression(count)),
        ExprKind::Index(a, i) => format!("{}[{}]", expression(a), expression(i)),
        ExprKind::Indices(a, indices) => format!("{}[{}]", expression(a), list(indices)),
        ExprKind::Apply(a, arguments) => format!("{}({})", expression(a), list(arguments)),
        ExprKind::Rest => "...".into(),
        ExprKind::Member(a, name) => format!("{}.{}", expression(a), name.text),
        ExprKind::Arrow(a, name) => format!("{}->{}", expression(a), name.text),
        ExprKind::Method(a, name, arguments) => format!("{}.{}({})", expression(a), name.text, list(arguments)),
        ExprKind::Component(a, index) => format!("{}.{index}", expression(a)),
        ExprKind::Reduction { name, value, rdom, condition } => {
            let range = |r: &Range| format!("{} = {} .. {}", r.name.text, expression(&r.low), expression(&r.high));
            let ranges: Vec<String> = rdom.iter().map(range).collect();
            let condition = condition.as_ref().map_or(String::new(), |c| format!(" if {}", expression(c)));
            format!("{}({} for {}{condition})", name.text, expression(value), ranges.join(", "))
        }
        ExprKind::Range(a, b) => format!("{} .. {}", expression(a), expression(b)),
        ExprKind::Parenthesized(a) => format!("({})", expression(a)),
        ExprKind::Error => "…".into(),
    }
}

/// `<float, N - 1>`, or nothing.
fn arguments(list: &[TemplateArgument]) -> String {
    let written = |argument: &TemplateArgument| match argument {
        TemplateArgument::Type(of) => ty(of),
        TemplateArgument::Value(e) | TemplateArgument::Name(e) => expression(e),
    };
    let list: Vec<String> = list.iter().map(written).collect();
    if list.is_empty() { String::new() } else { format!("<{}>", list.join(", ")) }
}

/// The type with its qualifiers.
pub fn ty(t: &Type) -> String {
    let base = match &t.kind {
        TypeKind::Void => "void".into(),
        TypeKind::Element(element) => element.name().to_owned(),
        TypeKind::Named(name, arguments) => format!("{}{}", name.text, self::arguments(arguments)),
        TypeKind::Pointer(inner) => format!("{} *", ty(inner)),
        TypeKind::Reference(inner) => format!("{} &", ty(inner)),
        TypeKind::View(inner, rank) => format!("{}[{}]", ty(inner), ",".repeat(rank - 1)),
        TypeKind::Error => "…".into(),
    };
    match &t.qualifier {
        Qualifier::Unbound => base,
        Qualifier::Block(_) => format!("{base} block"),
        Qualifier::BlockOf(length, _) => format!("{base} block[{}]", expression(length)),
        Qualifier::Scalar(_) => format!("{base} scalar"),
        Qualifier::Varying(_) => format!("{base} varying"),
    }
}
