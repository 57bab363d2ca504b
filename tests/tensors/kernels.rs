//! Definitions of `examples/tensors`, with both schedules that all have: the evaluator, the interpreter of loops and machine code give what
//! enumeration gives.

use super::agree::{self, Case, Outcome};
use super::brute::{Tensor, definitions, points};
use super::number::Number;
use ivl_random::Random;
use ivlc::syntax::ast::{Def, Size, TypeKind};
use std::collections::HashMap;
use std::path::Path;

/// Arguments of some sizes: small numbers, which floats hold exactly; indices that stay inside.
fn arguments(def: &Def, sizes: &HashMap<&str, i64>, random: &mut Random) -> Vec<Tensor> {
    let made = def.parameters.iter().map(|parameter| {
        let TypeKind::Element(element) = parameter.ty.element.kind else { panic!("a tensor of numbers") };
        let window: Vec<(i64, i64)> = parameter
            .ty
            .sizes
            .iter()
            .map(|size| match size {
                Size::Variable(name) => (0, sizes[&*name.text]),
                Size::Constant(value, _) => (0, *value as i64),
            })
            .collect();
        let mut value = || match element.is_float() {
            true => {
                let value = random.between(-8, 8) as f64 / 4.0;
                Number::float(element, value, 0.0)
            }
            false => Number::int(element, random.between(0, 1).into()),
        };
        let values = points(&window).iter().map(|_| value()).collect();
        Tensor { element, window, values }
    });
    made.collect()
}

/// Compares a definition of a file, for some sizes; a mistake is one of the enumeration. How many values were compared.
pub fn compare(file: &str, name: &str, sizes: &HashMap<&str, i64>, seed: u64, longer: i64) -> Result<u64, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/tensors").join(file);
    let text = std::fs::read_to_string(&path).expect("an example");
    let text = super::without_comments(&text);
    let defs = definitions(&text);
    let def = defs.iter().find(|def| &*def.name.text == name).expect("a definition of the file");
    let given = arguments(def, sizes, &mut Random::new(seed));
    let case = Case { file, text: &text, defs: &defs, name, given: &given, level: Some(3), longer, mistake: None };
    let outcome = agree::run(&case).map_err(|what| format!("{name}: {what}, with {sizes:?}"))?;
    match outcome {
        Outcome { refused: Some(why), .. } => Err(format!("{name}: {why}")),
        Outcome { is_stopped: true, .. } => Err(format!("{name}: it is stopped, with {sizes:?}")),
        Outcome { values, doubtful, .. } => Ok(values - doubtful),
    }
}
