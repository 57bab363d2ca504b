//! All loops of three statements out of a short list, five kinds of loops, around them a reference parameter: small enough to
//! try them all, and rich enough that each clause of the rule is needed by some.

use super::batch::{Case, Sample, Value, sample};
use super::tree::*;

/// Three statements in a loop.
pub struct Loop {
    kind: Kind,
    statements: [usize; 3],
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    For,
    /// Up to a vector.
    ForVector,
    /// Its counter is declared before it.
    ForOutside,
    While,
    Do,
}

/// The statements by their names.
const STATEMENTS: [&str; 15] = [
    "s = i + 1",
    "++t",
    "p = i",
    "++i",
    "vector break",
    "vector continue",
    "vector return",
    "scalar break",
    "scalar continue",
    "scalar return",
    "vector if",
    "if on t",
    "switch",
    "and",
    "a local behind continue",
];

/// 16,875 of them.
pub fn programs() -> Vec<Loop> {
    let kinds = [Kind::For, Kind::ForVector, Kind::ForOutside, Kind::While, Kind::Do];
    let mut all = Vec::new();
    for a in 0..STATEMENTS.len() {
        for b in 0..STATEMENTS.len() {
            for c in 0..STATEMENTS.len() {
                all.extend(kinds.map(|kind| Loop { kind, statements: [a, b, c] }));
            }
        }
    }
    all
}

impl Loop {
    /// With calls in context 1, by arguments scalar and vector, and under a mask. `None` where it does not end.
    pub fn sample(&self) -> Option<Sample> {
        let lanes = |list: &[i32]| Value::Lanes(list.to_vec());
        let mask = || Some(vec![true, false, true, true]);
        let cases = vec![
            Case { length: 4, mask: None, arguments: vec![lanes(&[0, 1, 2, 3]), Value::Scalar(2), Value::Scalar(0)] },
            Case { length: 4, mask: mask(), arguments: vec![lanes(&[3, 1, 0, 2]), Value::Scalar(1), Value::Scalar(0)] },
            Case { length: 4, mask: mask(), arguments: vec![Value::Scalar(2), Value::Scalar(1), Value::Scalar(0)] },
        ];
        let name = format!("{:?}: {}", self.kind, self.statements.map(|k| STATEMENTS[k]).join("; "));
        sample(name, self.group(), cases)
    }

    fn group(&self) -> Group {
        let int = |name: &str, passing| Parameter { name: name.into(), ty: Ty::Int, passing };
        let mut body = vec![declare("s", 0), declare("t", 0)];
        body.extend(self.repetition(self.statements.into_iter().flat_map(item).collect()));
        // What is assigned behind a loop hides what the loop alone does to it.
        if matches!(self.kind, Kind::While | Kind::Do) {
            body.push(assign(whole("p", Ty::Int), Some(Op::Add), number(2)));
        }
        body.push(give(binary(Op::Add, var("s"), binary(Op::Multiply, var("t"), number(11)))));
        let by_reference = [int("p", Passing::Reference), int("n", Passing::Value), int("k", Passing::Value)];
        let h = Function { name: "h".into(), parameters: by_reference.into(), body };
        let q = || whole("q", Ty::Int);
        let call =
            expr(ExprKind::Call("h".into(), vec![Argument::Place(q()), Argument::Value(var("n")), Argument::Value(var("k"))]));
        let r = statement(StatementKind::Declare("r".into(), Ty::Int, Initial::Value(call)));
        let sum = binary(Op::Add, binary(Op::Multiply, var("q"), number(1000)), var("r"));
        let by_value = ["n", "k", "unused"].map(|name| int(name, Passing::Value));
        let f = Function { name: "f".into(), parameters: by_value.into(), body: vec![declare("q", 1), r, give(sum)] };
        Group { functions: vec![h, f] }
    }

    fn repetition(&self, body: Vec<Statement>) -> Vec<Statement> {
        let up_to = |bound| compare(Compare::Less, var("i"), bound);
        let five = || up_to(number(5));
        let next = || increment(whole("i", Ty::Int), 1, Gives::New);
        let counted = |body: Vec<Statement>| [vec![run(next())], body].concat();
        let repeat = |initial, condition| statement(StatementKind::For(vec![initial], condition, Some(next()), body.clone()));
        match self.kind {
            Kind::For => vec![repeat(declare("i", 0), five())],
            Kind::ForVector => vec![repeat(declare("i", 0), up_to(binary(Op::Add, var("n"), number(1))))],
            Kind::ForOutside => {
                let unset = statement(StatementKind::Declare("i".into(), Ty::Int, Initial::Unset));
                vec![unset, repeat(assign(whole("i", Ty::Int), None, number(0)), five())]
            }
            Kind::While => vec![declare("i", 0), statement(StatementKind::While(five(), counted(body)))],
            Kind::Do => vec![declare("i", 0), statement(StatementKind::Do(counted(body), five()))],
        }
    }
}

fn give(value: Expr) -> Statement {
    statement(StatementKind::Return(value))
}

/// A statement of the list.
fn item(k: usize) -> Vec<Statement> {
    let int = |name: &str| whole(name, Ty::Int);
    let set = |name: &str, value| assign(int(name), None, value);
    let add = |name: &str| run(increment(int(name), 1, Gives::New));
    let i = || var("i");
    let vector_equal = || compare(Compare::Equal, var("n"), i());
    let vector_above = || compare(Compare::Greater, var("n"), i());
    let scalar_equal = || compare(Compare::Equal, var("k"), i());
    let when = |c, then, otherwise| statement(StatementKind::If(c, then, otherwise));
    let one = match STATEMENTS[k] {
        "s = i + 1" => set("s", binary(Op::Add, i(), number(1))),
        "++t" => add("t"),
        "p = i" => set("p", i()),
        "++i" => add("i"),
        "vector break" => jump_if(vector_equal(), StatementKind::Break),
        "vector continue" => jump_if(vector_equal(), StatementKind::Continue),
        "vector return" => jump_if(vector_equal(), StatementKind::Return(number(50))),
        "scalar break" => jump_if(scalar_equal(), StatementKind::Break),
        "scalar continue" => jump_if(scalar_equal(), StatementKind::Continue),
        "scalar return" => jump_if(scalar_equal(), StatementKind::Return(binary(Op::Add, number(60), var("s")))),
        "vector if" => when(vector_above(), vec![add("t")], Vec::new()),
        "if on t" => when(compare(Compare::Greater, var("t"), number(1)), vec![set("s", number(7))], vec![set("p", number(4))]),
        "switch" => {
            let break_case = vec![jump_if(vector_above(), StatementKind::Break), add("s")];
            let continue_case = vec![jump_if(vector_above(), StatementKind::Continue)];
            let cases = vec![(Some(1), break_case), (Some(2), continue_case), (None, vec![add("p")])];
            statement(StatementKind::Switch(var("k"), cases))
        }
        "and" => {
            let left = compare(Compare::Greater, var("n"), number(1));
            let right = compare(Compare::Greater, increment(int("t"), 1, Gives::New), number(2));
            jump_if(expr(ExprKind::And(left.into(), right.into())), StatementKind::Break)
        }
        "a local behind continue" => {
            let unset = statement(StatementKind::Declare("z".into(), Ty::Int, Initial::Unset));
            let skip = jump_if(vector_equal(), StatementKind::Continue);
            let add = assign(int("s"), Some(Op::Add), var("z"));
            statement(StatementKind::Block(vec![unset, skip, set("z", number(3)), add]))
        }
        other => panic!("{other} is not listed"),
    };
    vec![one]
}
