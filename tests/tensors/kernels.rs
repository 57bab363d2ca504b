//! Definitions of `examples/tensors`, with both schedules that all have: the evaluator, the interpreter of loops and machine code give what
//! enumeration gives.

use super::brute::{Run, Tensor, definitions, points};
use super::number::Number;
use ivl_random::Random;
use ivlc::driver::Session;
use ivlc::pipeline::Outputs;
use ivlc::pipeline::bounds::fill::completed;
use ivlc::pipeline::evaluate::{Arguments, Evaluator, Image};
use ivlc::pipeline::loops::interpret::interpret;
use ivlc::pipeline::value::Value;
use ivlc::syntax::ast::{Def, Size, TypeKind};
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

/// The most tensors that a definition has here.
const MOST: usize = 16;

/// The C signature of what runs a schedule.
type Code = extern "C" fn(*const i32, *const *mut u8);

fn load(name: &str, text: &str) -> Session {
    let mut session = Session::default();
    session.load_text(name.into(), Some(&Path::new("examples/tensors").join(name)), text.to_owned());
    session
}

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
pub fn compare(file: &str, name: &str, sizes: &HashMap<&str, i64>, seed: u64, longer: i64) -> Result<usize, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/tensors").join(file);
    let text = std::fs::read_to_string(&path).expect("an example");
    let defs = definitions(&super::without_comments(&text));
    let def = defs.iter().find(|def| &*def.name.text == name).expect("a definition of the file");
    let given = arguments(def, sizes, &mut Random::new(seed));
    let mut by_points = Run::new(&defs, def, given.clone());
    by_points.may_be_empty = true;
    by_points.longer = longer;
    by_points.run(def).map_err(|nothing| format!("{name}: {nothing:?}"))?;
    let wanted: Vec<&Tensor> = def.results.iter().map(|result| &by_points.tensors[&*result.name.text]).collect();
    // Images count dimensions from the dense one on.
    let image = |tensor: &Tensor| {
        let mut image = Image::new(tensor.element, tensor.window.iter().rev().map(|&(b, e)| (b, e - b)).collect());
        image.pixels = tensor.values.iter().map(|&v| v.bits(tensor.element)).collect();
        image
    };
    let (numbers, tensors): (Vec<&Tensor>, Vec<&Tensor>) = given.iter().partition(|tensor| tensor.window.is_empty());
    let scalars = numbers.iter().map(|number| number.values[0].bits(number.element)).collect();
    let inputs = Arguments { inputs: tensors.into_iter().map(image).collect(), scalars };
    let made = load(file, &text).scheduling(&super::options(), Outputs::AsAsked);
    let mut compared = 0;
    let check = |stage: &str, k: usize, point: &[i64], found: Option<u64>, number: Number| {
        let element = wanted[k].element;
        if found.is_some_and(|found| number.is_near(found, element)) {
            return Ok(());
        }
        Err(format!("{name}: {stage}: result {k} at {point:?}: {found:x?}, not {number:?}, with {sizes:?}"))
    };
    let own = || made.schedules.iter().filter(|s| &*s.windows.nest.pipeline.name == name);
    assert!(own().count() >= 2, "`auto` and `breadth_first`");
    for (number, scheduled) in own().enumerate() {
        let pipeline = &scheduled.windows.nest.pipeline;
        if number == 0 {
            let mut evaluator = Evaluator::new(pipeline, &made.program, &inputs);
            for (k, tensor) in wanted.iter().enumerate() {
                for (point, &number) in points(&tensor.window).iter().zip(&tensor.values) {
                    let reversed: Vec<i64> = point.iter().rev().copied().collect();
                    let found = evaluator.at(pipeline.outputs[k], &reversed)[0].bits();
                    check("the evaluator", k, point, found, number)?;
                }
            }
        }
        let windows = scheduled.windows.outputs.iter().zip(&wanted);
        let asked: Vec<_> = windows
            .flat_map(|(output, tensor)| output.window.iter().zip(tensor.window.iter().rev()))
            .flat_map(|(&[min, extent], &(b, e))| [(min, b), (extent, e - b)])
            .collect();
        let run = interpret(&completed(&scheduled.windows), &made.program, &inputs, &asked)
            .map_err(|stuck| format!("{name}: {}: {stuck:?}", scheduled.name))?;
        for (k, tensor) in wanted.iter().enumerate() {
            for (point, &number) in points(&tensor.window).iter().zip(&tensor.values) {
                let reversed: Vec<i64> = point.iter().rev().copied().collect();
                let found = run.outputs[k].at(&reversed).and_then(|values: &[Value]| values[0].bits());
                check(&format!("{}: loops", scheduled.name), k, point, found, number)?;
                compared += 1;
            }
        }
    }
    for schedule in ["auto", "breadth_first"] {
        for (k, found) in compiled(file, &text, name, schedule, &wanted, &given).into_iter().enumerate() {
            let tensor = wanted[k];
            for ((point, &number), found) in points(&tensor.window).iter().zip(&tensor.values).zip(found) {
                check(&format!("{schedule}: machine code"), k, point, Some(found), number)?;
                compared += 1;
            }
        }
    }
    Ok(compared)
}

/// What machine code gives.
fn compiled(file: &str, text: &str, name: &str, schedule: &str, wanted: &[&Tensor], given: &[Tensor]) -> Vec<Vec<u64>> {
    let all: Vec<&Tensor> = wanted.iter().copied().chain(given).collect();
    assert!(all.len() <= MOST, "not too many tensors");
    let mut wrapper = "\nexport void __run(int *window, uint8 **memory) {\n".to_owned();
    let mut next = 0;
    for (i, tensor) in all.iter().enumerate() {
        let (rank, element) = (tensor.window.len(), tensor.element.name());
        if rank == 0 && i >= wanted.len() {
            let _ = writeln!(wrapper, "    {element} v{i} = *({element} *) memory[{i}];");
            continue;
        }
        let _ = writeln!(
            wrapper,
            "    __view{rank}_{element} v{i};\n    v{i}.data = ({element} *) memory[{i}];\n    int64 stride{i} = 1;"
        );
        for d in (0..rank).rev() {
            let _ = writeln!(wrapper, "    v{i}.min[{d}] = window[{next}];\n    v{i}.extent[{d}] = window[{}];", next + 1);
            let _ = writeln!(wrapper, "    v{i}.stride[{d}] = stride{i};\n    stride{i} *= window[{}];", next + 1);
            next += 2;
        }
    }
    let names: Vec<String> = (0..all.len()).map(|i| format!("v{i}")).collect();
    let _ = writeln!(wrapper, "    {name}.{schedule}({});\n}}", names.join(", "));
    let mut memory: Vec<Vec<u8>> = Vec::new();
    for (i, tensor) in all.iter().enumerate() {
        let size = tensor.element.size() as usize;
        let bytes = |&value: &Number| value.bits(tensor.element).to_le_bytes()[..size].to_vec();
        let content = if i < wanted.len() {
            vec![0xa5; tensor.values.len() * size]
        } else {
            tensor.values.iter().flat_map(bytes).collect()
        };
        memory.push(content);
    }
    let window: Vec<i32> =
        all.iter().flat_map(|t| t.window.iter().rev()).flat_map(|&(b, e)| [b as i32, (e - b) as i32]).collect();
    let options = super::options();
    let mut session = load(&file.replace(".tc", ".ivl"), &(super::without_comments(text) + &wrapper));
    let Some(typed) = session.check(&options) else {
        panic!("{name}: {:?}", session.diagnostics.iter().map(|d| &d.message).collect::<Vec<_>>());
    };
    let module = session.lower(&typed, &options);
    let settings = ivlc::llvm::Options { isa: options.isa, level: options.level, debug_info: false, sources: &session.sources };
    let jit = ivlc::llvm::Jit::new(&module, &settings).expect("code for a definition");
    let address = jit.address("__run").expect("what runs the schedule");
    let pointers: Vec<*mut u8> = memory.iter_mut().map(|m| m.as_mut_ptr()).collect();
    // SAFETY: the wrapper has this signature, and the tensors are as large as their windows say.
    let code: Code = unsafe { std::mem::transmute(address) };
    code(window.as_ptr(), pointers.as_ptr());
    let read = |(tensor, bytes): (&&Tensor, &Vec<u8>)| {
        let value = |chunk: &[u8]| chunk.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte));
        bytes.chunks(tensor.element.size() as usize).map(value).collect()
    };
    wanted.iter().zip(&memory).map(read).collect()
}
