//! T38: what is printed of a definition has the words that were read, and reads back as what was printed.

use ivlc::diagnostics::Diagnostics;
use ivlc::source::FileId;
use ivlc::syntax::ast::ItemKind;
use ivlc::syntax::print::tensors::def;
use ivlc::syntax::templates::of_builtins;
use ivlc::syntax::token::TokenKind;
use ivlc::syntax::{lex_tensors, parse_tokens};

/// All of the grammar: types, results with types, operators, `where`, calls, expressions of all kinds.
pub const GRAMMAR: &str = "
def f(inout float(M, 3) A, half(K) x, byte(K) u, char c, double d) -> (C, double(M) D) {
    T(i, j) = -A(i, j) + x(j) * (A(i, j) - 2.5) / 3 % 7
    C(i) +=! T(i, j) where j in 0:K - 1, i in 0:A.0
    C(i) *= T(i, j) where exists A(i, j)
    D(i) min=! c > 3 && !(d <= 0.5) || d != 1 ? (double) fmax(A(i, 0), T(i, 0)) : exp(A(i, 1))
    C(i) max= unchecked(A(i, u(i))) + (half) (c)
    D(i) +=! (c) where i in 0:M
    D(i) = (d)
    C(i) +=! (byte) -c * (char) (c)
    S +=! T(i, j)
    p, q = g(A, x)
    A(i, j) += ~1 & 2 | 3 ^ 4 << 1 >> 2
}
";

/// The words of a text; a `;` says nothing.
fn words(text: &str) -> Vec<TokenKind> {
    let mut said = Diagnostics::new();
    let tokens = lex_tensors(FileId::default(), text, &mut said);
    assert!(said.iter().next().is_none(), "{said:?}\n{text}");
    tokens.into_iter().map(|token| token.kind).filter(|kind| *kind != TokenKind::Symbol(";")).collect()
}

/// The definitions of a text as they are printed.
fn printed(text: &str) -> String {
    let mut said = Diagnostics::new();
    let tokens = lex_tensors(FileId::default(), text, &mut said);
    let file = parse_tokens(text, tokens, &of_builtins(), &mut said);
    assert!(said.iter().next().is_none(), "{said:?}\n{text}");
    let one = |item: &ivlc::syntax::ast::Item| match &item.kind {
        ItemKind::Def(definition) => def(definition),
        other => panic!("no definition: {other:?}"),
    };
    file.items.iter().map(one).collect()
}

/// Compares a text with what is printed of it.
pub fn is_kept(text: &str) {
    let once = printed(text);
    assert_eq!(words(&once), words(text), "{once}");
    assert_eq!(printed(&once), once);
}
