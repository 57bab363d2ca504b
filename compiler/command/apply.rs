//! `ivlc run pipeline.ivl --in photo.png --out result.png`: compiles one schedule of one pipeline, runs it on files.
//!
//! The compiled functions take pointers to buffers and numbers (`pipeline::lower::entry`), so that nothing of the signature has to
//! be known here. Files are written when everything has gone well, all of them or none.
//!
//! A colour file for an input of two dimensions is run channel by channel: a *round* has the images of one channel, and files
//! that are grey are the same in each.

use super::arguments::{Bits, Request, assigned, chosen, not_set, scalars, windows};
use super::numpy;
use super::picture::{Array, Picture};
use super::window::largest;
use crate::output::{self, Reporter};
use crate::{Compile, Failure};
use ivl::{Buffer, Dimension};
use ivlc::driver::Session;
use ivlc::pipeline::algorithm::{Notation, Pipeline};
use ivlc::pipeline::evaluate::{self, Arguments, Evaluator};
use ivlc::pipeline::expr::FuncId;
use ivlc::pipeline::signature::{Image, Parameter, Signature};
use ivlc::pipeline::wraps::{Wraps, wraps};
use ivlc::pipeline::{Entries, Outputs, RUN_ENTRY, Scheduling, WINDOW_ENTRY};
use ivlc::settings::Setting;
use ivlc::syntax::ast::{ItemKind, PipelineParameter, TypeKind};
use ivlc::typed::ir::Program;
use ivlc::types::Element;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// What `--time` spends at most, and how often it runs at least and at most.
const TIME: Duration = Duration::from_secs(1);
const LEAST_RUNS: usize = 5;
const MOST_RUNS: usize = 1000;

/// Minima and extents.
type Window = Vec<(i32, i32)>;

/// Runs a pipeline of a file that was loaded.
pub fn apply(
    file: &Path,
    mut session: Session,
    request: &Request,
    options: &Compile,
    reporter: &mut Reporter,
) -> Result<ExitCode, Failure> {
    let isa = options.only_target("run")?;
    let driver_options = options.options(isa);
    // A file with errors may have lost the names that are asked for.
    if !session.diagnostics.has_errors() {
        let (pipeline, schedule) =
            chosen(file, &session, request.pipeline.as_ref(), request.schedule.as_ref()).map_err(Failure::Misuse)?;
        session.settings.extend(follow_pictures(&session, &pipeline, request)?);
        session.entries = Entries::One { pipeline, schedule };
    }
    // The loops by which wrapped values are counted; what is wrong with them is said once, below.
    let said = session.diagnostics.clone();
    let counted = options.check.then(|| session.scheduling(&driver_options, Outputs::AsAsked));
    session.diagnostics = said;
    let program = session.check(&driver_options);
    reporter.report(&session);
    let program = program.ok_or(Failure::Refused)?;
    let Entries::One { pipeline, schedule } = session.entries.clone() else { return Err(Failure::Refused) };
    let signature = session.signatures().iter().find(|s| *s.name == *pipeline).cloned();
    // Of what is refused is said why.
    let signature = signature.ok_or_else(|| Failure::Misuse(not_set(&session, &pipeline)))?;
    let plan = Plan::new(&signature, request)?;
    let module = session.lower(&program, &driver_options);
    let llvm = ivlc::llvm::Options { isa, level: options.level, debug_info: false, sources: &session.sources };
    let start = Instant::now();
    let jit = ivlc::llvm::Jit::new(&module, &llvm)?;
    session.times.push(("llvm", start.elapsed()));
    crate::times(&session, options);
    let address = |name| jit.address(name).ok_or_else(|| Failure::Message(format!("the compiled program has no {name}")));
    // SAFETY: `entry::array_entry` writes functions of this signature under these names.
    let [run, window] =
        [address(RUN_ENTRY)?, address(WINDOW_ENTRY)?].map(|address| unsafe { std::mem::transmute::<*const u8, Entry>(address) });
    let mut files = Vec::new();
    let mut rounds = plan.rounds;
    let call = Call { signature: &signature, scalars: plan.scalars };
    let comprehension = session.comprehensions.iter().find(|made| made.pipeline.name == signature.name);
    let windows = match comprehension {
        Some(made) => call.ranges(&made.pipeline, &program, &rounds[0])?,
        None => call.windows(window, &plan.windows, &rounds[0]).map_err(Failure::Misuse)?,
    };
    let images: Vec<(Image, Window)> = signature
        .outputs
        .iter()
        .zip(&windows)
        .flat_map(|(output, window)| output.images().into_iter().map(|image| (image, window.clone())))
        .collect();
    for ((image, window), _) in images.iter().zip(&plan.outputs).filter(|_| !plan.is_numpy) {
        Picture::fits(window).map_err(|why| Failure::Misuse(format!("output `{}` {why}", image.name)))?;
    }
    let mut results: Vec<Vec<Array>> = Vec::new();
    for _ in &rounds {
        let outputs = images.iter().map(|(image, window)| {
            let array = match signature.notation {
                Notation::Pipeline => Array::new(image.element, window),
                // The last dimension is the dense one.
                Notation::Tensors => {
                    let dense_first: Vec<(i32, i32)> = window.iter().rev().copied().collect();
                    Array::new(image.element, &dense_first).map(|mut array| {
                        array.dimensions.reverse();
                        array
                    })
                }
            };
            array.map_err(|e| Failure::Start(format!("pipeline `{pipeline}`: output `{}`: {e}", image.name)))
        });
        results.push(outputs.collect::<Result<_, _>>()?);
    }
    output::end_with_the_pipe();
    // What is overwritten is there anew for each run.
    let begun = if signature.inputs().count() < signature.read().count() { rounds.clone() } else { Vec::new() };
    let mut run_all = || {
        if !begun.is_empty() {
            rounds.clone_from(&begun);
        }
        rounds.iter_mut().zip(&mut results).map(|(inputs, outputs)| call.run(run, inputs, outputs)).sum::<Result<Duration, _>>()
    };
    let mut times = vec![run_all()?];
    while request.time && (times.len() < LEAST_RUNS || times.iter().sum::<Duration>() < TIME) && times.len() < MOST_RUNS {
        times.push(run_all()?);
    }
    if plan.is_numpy {
        let overwritten = signature.read().zip(&rounds[0]).filter(|(image, _)| signature.inputs().all(|input| input != *image));
        let all = results[0].iter().chain(overwritten.map(|(_, array)| array));
        for (path, array) in plan.outputs.iter().zip(all) {
            for (d, dimension) in array.dimensions.iter().enumerate().filter(|(_, dimension)| dimension.min != 0) {
                output::complain(&format!(
                    "{}: begins at {} in dimension {d}, which the file does not say\n",
                    path.display(),
                    dimension.min
                ));
            }
            files.push((path.clone(), numpy::encoded(array, signature.notation)?));
        }
    }
    for (k, path) in plan.outputs.iter().enumerate().filter(|_| !plan.is_numpy) {
        let bits = request.bits.or(plan.bits).unwrap_or(Bits::of(images[k].0.element));
        let channels: Vec<Picture> = results.iter().map(|outputs| Picture::new(&outputs[k], bits)).collect();
        let picture = match channels.len() {
            1 => channels.into_iter().next(),
            _ => Picture::of_channels(&channels),
        };
        files.push((path.clone(), picture.expect("a round").encoded()?));
    }
    let sources: Vec<PathBuf> = session.sources.files().filter_map(|(_, f)| f.path.clone()).collect();
    output::are_different(&files, &sources).map_err(Failure::Misuse)?;
    output::write_all(files)?;
    if let Some(made) = counted {
        output::complain(&call.wrapped(&made, &rounds, &windows));
    }
    if request.time {
        output::complain(&report(&format!("{pipeline}.{schedule}"), times));
    }
    Ok(ExitCode::SUCCESS)
}

/// The types of pixels that a pipeline has parameters for, and nobody sets, are those of the pictures.
fn follow_pictures(session: &Session, pipeline: &str, request: &Request) -> Result<Vec<Setting>, Failure> {
    let items = session.trees.iter().flat_map(|tree| &tree.items);
    let found = items.filter_map(|item| match &item.kind {
        ItemKind::Pipeline(found) if *found.name.text == *pipeline => Some((&item.template, found)),
        _ => None,
    });
    let Some((template, found)) = found.into_iter().next() else { return Ok(Vec::new()) };
    let images: Vec<_> = found.parameters.iter().filter(|parameter| parameter.rank.is_some()).collect();
    let names: Vec<String> = images.iter().map(|image| image.name.text.to_string()).collect();
    // What is wrong with the words is said when all is known of the pipeline.
    let Ok(files) = assigned(&request.inputs, &names, "input", "--in") else { return Ok(Vec::new()) };
    let mut settings: Vec<Setting> = Vec::new();
    for parameter in template {
        let name = &parameter.name.text;
        let is_set = session.settings.iter().any(|setting| setting.is_for(pipeline, name));
        let has_it = |image: &&&PipelineParameter| matches!(&image.ty.kind, TypeKind::Named(ty, _) if ty.text == *name);
        let Some(k) = images.iter().position(|image| has_it(&image)).filter(|_| !is_set) else { continue };
        let element = match Picture::read(Path::new(&files[k]))?.bits() {
            Bits::Eight => Element::Uint8,
            Bits::Sixteen => Element::Uint16,
        };
        let (pipeline, parameter) = (Some(pipeline.to_owned()), name.to_string());
        settings.push(Setting { template: pipeline, parameter, value: element.name().to_owned() });
    }
    Ok(settings)
}

/// What the words of the command line mean for this pipeline.
struct Plan {
    /// The inputs of each round; one or more.
    rounds: Vec<Vec<Array>>,
    /// The most bits of a file that was read.
    bits: Option<Bits>,
    /// Files of the outputs; none where only the time is asked for.
    outputs: Vec<PathBuf>,
    scalars: Vec<[u8; 8]>,
    windows: Vec<Vec<Option<Range<i32>>>>,
    /// Are files arrays of NumPy?
    is_numpy: bool,
}

impl Plan {
    fn new(signature: &Signature, request: &Request) -> Result<Plan, Failure> {
        let inputs: Vec<&Image> = signature.read().collect();
        let names: Vec<String> = inputs.iter().map(|image| image.name.clone()).collect();
        let files = assigned(&request.inputs, &names, "input", "--in").map_err(Failure::Misuse)?;
        let overwritten = signature.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::InOut(image) => Some(image.name.clone()),
            Parameter::Image(_) | Parameter::Scalar { .. } => None,
        });
        let names = signature.outputs.iter().flat_map(|o| o.images()).map(|image| image.name);
        let names: Vec<String> = names.chain(overwritten).collect();
        let outputs = match &request.outputs[..] {
            [] if request.time => Vec::new(),
            words => assigned(words, &names, "output", "--out").map_err(Failure::Misuse)?,
        };
        let mut all = files.iter().chain(&outputs);
        let of_tensors = signature.notation == Notation::Tensors;
        if of_tensors || all.any(|name| numpy::is_array(name)) {
            if let Some(other) = files.iter().chain(&outputs).find(|name| !numpy::is_array(name)) {
                let why = if of_tensors { "tensors are" } else { "where one file is an array of NumPy, all are" };
                return Err(Failure::Misuse(format!("{other}: {why} read and written as `.npy` files")));
            }
            return Plan::of_arrays(signature, request, &inputs, &files, outputs);
        }
        if let Some(other) = outputs.iter().find(|name| !name.to_lowercase().ends_with(".png")) {
            return Err(Failure::Misuse(format!("{other}: pictures are written as PNG files, whose names end in `.png`")));
        }
        let scalars = scalars(&request.parameters, signature).map_err(Failure::Misuse)?;
        let windows = windows(&request.window, signature).map_err(Failure::Misuse)?;
        let mut pictures = Vec::new();
        for (image, path) in inputs.iter().zip(&files) {
            let picture = Picture::read(Path::new(path))?;
            let is_luminance = request.grey && goes_by_channel(image, &picture);
            pictures.push(if is_luminance { picture.luminance() } else { picture });
        }
        let bits = pictures.iter().map(Picture::bits).max();
        let channels = channels(signature, &inputs, &pictures)?;
        let mut rounds = Vec::new();
        for channel in 0..channels {
            let mut arrays = Vec::new();
            for ((image, path), picture) in inputs.iter().zip(&files).zip(&pictures) {
                let array = match goes_by_channel(image, picture) {
                    true => picture.channel(channel).array(image.element, image.rank),
                    false => picture.array(image.element, image.rank),
                };
                let why = |e| format!("pipeline `{}`: input `{}`, {path}: {e}", signature.name, image.name);
                arrays.push(array.map_err(|e| Failure::Start(why(e)))?);
            }
            rounds.push(arrays);
        }
        let outputs = outputs.into_iter().map(PathBuf::from).collect();
        Ok(Plan { rounds, bits, outputs, scalars, windows, is_numpy: false })
    }

    /// With arrays of NumPy.
    fn of_arrays(
        signature: &Signature,
        request: &Request,
        inputs: &[&Image],
        files: &[String],
        outputs: Vec<String>,
    ) -> Result<Plan, Failure> {
        if signature.notation == Notation::Tensors && !request.window.is_empty() {
            let message = "the windows of tensors follow from their definition: leave out `--window`";
            return Err(Failure::Misuse(message.to_owned()));
        }
        let scalars = scalars(&request.parameters, signature).map_err(Failure::Misuse)?;
        let windows = windows(&request.window, signature).map_err(Failure::Misuse)?;
        let mut arrays = Vec::new();
        for (image, path) in inputs.iter().zip(files) {
            let array = numpy::read(Path::new(path), image.element, image.rank, signature.notation);
            arrays.push(array.map_err(|why| Failure::Start(format!("input `{}`, {why}", image.name)))?);
        }
        let outputs = outputs.into_iter().map(PathBuf::from).collect();
        Ok(Plan { rounds: vec![arrays], bits: None, outputs, scalars, windows, is_numpy: true })
    }
}

/// Has the picture channels for which the input has no dimension?
fn goes_by_channel(input: &Image, picture: &Picture) -> bool {
    input.rank < 3 && picture.channels() > 1
}

/// How many rounds there are.
fn channels(signature: &Signature, inputs: &[&Image], pictures: &[Picture]) -> Result<usize, Failure> {
    let by_channel: Vec<(&Image, usize)> = inputs
        .iter()
        .zip(pictures)
        .filter(|(input, picture)| goes_by_channel(input, picture))
        .map(|(input, picture)| (*input, picture.channels()))
        .collect();
    let Some(&(first, channels)) = by_channel.first() else { return Ok(1) };
    let why = |why: String| Err(Failure::Start(format!("pipeline `{}`: {why}", signature.name)));
    if let Some((other, found)) = by_channel.iter().find(|(_, found)| *found != channels) {
        return why(format!(
            "inputs `{}` and `{}` go through channel by channel, and have {channels} and {found}",
            first.name, other.name
        ));
    }
    if let Some(output) = signature.outputs.iter().find(|output| output.variables.len() > 2) {
        let dimensions = output.variables.len();
        return why(format!(
            "input `{}` has 2 dimensions, and its picture {channels} channels; they cannot go through one by one, since output `{}` has {dimensions} dimensions: `--grey` takes the luminance",
            first.name, output.name
        ));
    }
    Ok(channels)
}

/// A compiled function: it takes an array of pointers to buffers and numbers, and gives 0 if all is well.
type Entry = unsafe extern "C" fn(*const *const c_void) -> i32;

/// All arguments but images.
struct Call<'s> {
    signature: &'s Signature,
    scalars: Vec<[u8; 8]>,
}

impl Call<'_> {
    /// The pointers to buffers of outputs and inputs and to the scalars, in the order of the parameters.
    fn pointers(&self, outputs: &[Buffer], inputs: &[Buffer]) -> Vec<*const c_void> {
        let (mut inputs, mut scalars) = (inputs.iter(), self.scalars.iter());
        let mut all: Vec<*const c_void> = outputs.iter().map(|buffer| std::ptr::from_ref(buffer).cast()).collect();
        all.extend(self.signature.parameters.iter().map(|parameter| -> *const c_void {
            match parameter {
                Parameter::Image(_) | Parameter::InOut(_) => {
                    std::ptr::from_ref(inputs.next().expect("a buffer for each input")).cast()
                }
                Parameter::Scalar { .. } => std::ptr::from_ref(scalars.next().expect("a value for each scalar")).cast(),
            }
        }));
        all
    }

    /// Runs the pipeline and gives the time that it took.
    fn run(&self, entry: Entry, inputs: &mut [Array], outputs: &mut [Array]) -> Result<Duration, Failure> {
        let outputs: Vec<Buffer> = outputs.iter_mut().map(Array::buffer).collect();
        let inputs: Vec<Buffer> = inputs.iter_mut().map(Array::buffer).collect();
        let pointers = self.pointers(&outputs, &inputs);
        let start = Instant::now();
        // SAFETY: the pointers lead to what the parameters of the pipeline are, images among it that own their pixels.
        let status = unsafe { entry(pointers.as_ptr()) };
        let time = start.elapsed();
        if status == 0 { Ok(time) } else { Err(Failure::Start(ivl::reason())) }
    }

    /// How many values of each func wrapped, a line for each that has some.
    fn wrapped(&self, made: &Scheduling, rounds: &[Vec<Array>], windows: &[Window]) -> String {
        let of_pipeline = |s: &&ivlc::pipeline::Scheduled| *s.windows.nest.pipeline.name == *self.signature.name;
        let scheduled = made.schedules.iter().filter(of_pipeline).find(|s| s.name == "breadth_first").expect("a schedule");
        let windows: Vec<Vec<(i64, i64)>> =
            windows.iter().map(|window| window.iter().map(|&(min, extent)| (min.into(), extent.into())).collect()).collect();
        let windows = self.in_nest_order(&scheduled.windows.nest.pipeline, windows, &rounds[0]);
        let scalars: Vec<u64> = self.scalars.iter().map(|&bytes| u64::from_le_bytes(bytes)).collect();
        let mut all: BTreeMap<String, Wraps> = BTreeMap::new();
        for inputs in rounds {
            let mut images: Vec<evaluate::Image> = inputs.iter().map(Array::image).collect();
            if self.signature.notation == Notation::Tensors {
                images.iter_mut().for_each(|image| image.window.reverse());
            }
            let arguments = Arguments { inputs: images, scalars: scalars.clone() };
            match wraps(scheduled, &made.program, &arguments, &windows) {
                Ok(found) => {
                    for (func, wraps) in found {
                        let sum = all.entry(func).or_default();
                        (sum.wrapped, sum.all) = (sum.wrapped + wraps.wrapped, sum.all + wraps.all);
                    }
                }
                Err(why) => return format!("the values that wrapped are not counted: {why}\n"),
            }
        }
        let line = |(func, wraps): (String, Wraps)| format!("{} of {} values of `{func}` wrapped\n", wraps.wrapped, wraps.all);
        all.into_iter().filter(|(_, wraps)| wraps.wrapped > 0).map(line).collect()
    }

    /// The windows of all outputs of an algorithm, of which those that have the memory of an input have its window, with their dimensions
    /// in the order of pipelines.
    fn in_nest_order(&self, pipeline: &Pipeline, own: Vec<Vec<(i64, i64)>>, inputs: &[Array]) -> Vec<Vec<(i64, i64)>> {
        let mut own = own.into_iter();
        let window = |id: &FuncId| match pipeline.overwritten_by(*id) {
            Some(input) => {
                inputs[input.0 as usize].dimensions.iter().map(|d| (d.min.into(), d.extent.into())).collect::<Vec<(i64, i64)>>()
            }
            None => own.next().expect("a window for each output"),
        };
        pipeline.outputs.iter().map(window).map(|window| pipeline.in_text_order(window)).collect()
    }

    /// The windows of the results of a definition of tensors, in the order of their dimensions.
    fn ranges(&self, pipeline: &Pipeline, program: &Program, inputs: &[Array]) -> Result<Vec<Window>, Failure> {
        let image = |array: &Array| {
            let window = array.dimensions.iter().rev().map(|d| (d.min.into(), d.extent.into())).collect();
            evaluate::Image { element: array.element, window, pixels: Vec::new() }
        };
        let scalars = self.scalars.iter().map(|&bytes| u64::from_le_bytes(bytes)).collect();
        let arguments = Arguments { inputs: inputs.iter().map(image).collect(), scalars };
        let mut evaluator = Evaluator::new(pipeline, program, &arguments);
        let mut all = Vec::new();
        for id in pipeline.outputs.iter().filter(|id| pipeline.overwritten_by(**id).is_none()) {
            let mut window = Window::new();
            for (d, ends) in pipeline.ranges[id].iter().enumerate() {
                let [begin, end] = [&ends[0], &ends[1]].map(|e| evaluator.startup_value(e).unwrap_or(0));
                let extent = i32::try_from(end - begin).unwrap_or(i32::MAX);
                if extent < 0 {
                    let (name, axis) = (&pipeline.func(*id).name, pipeline.axis(pipeline.ranges[id].len(), d));
                    let why = format!("the range of `{name}` in dimension {axis} is {begin} .. {end}, which is negative");
                    return Err(Failure::Start(format!("pipeline `{}`: {why}", pipeline.name)));
                }
                window.push((i32::try_from(begin).unwrap_or(i32::MAX), extent));
            }
            window.reverse();
            all.push(window);
        }
        Ok(all)
    }

    /// The windows of the outputs: what was given, and else the largest that the inputs allow.
    fn windows(&self, query: Entry, given: &[Vec<Option<Range<i32>>>], inputs: &[Array]) -> Result<Vec<Window>, String> {
        let first: Option<Vec<Range<i32>>> =
            inputs.first().map(|array| array.dimensions.iter().map(|d| d.min..d.min.saturating_add(d.extent)).collect());
        let mut found = Vec::new();
        for (at, given) in given.iter().enumerate() {
            let allows = &mut |window: &[Range<i32>]| self.allows(query, at, window, inputs);
            let window = largest(given, first.as_deref().unwrap_or_default(), allows).map_err(|d| {
                let output = &self.signature.outputs[at];
                let name = &output.variables[d];
                format!("nothing ends output `{}` in dimension `{name}`: --window {name}=A..B", output.name)
            })?;
            found.push(window.iter().map(|range| (range.start, range.end - range.start)).collect());
        }
        Ok(found)
    }

    /// Do the inputs have what a window of an output needs, the other outputs being empty?
    fn allows(&self, query: Entry, at: usize, window: &[Range<i32>], arrays: &[Array]) -> bool {
        let mut dimensions: Vec<(Vec<Dimension>, Image)> = Vec::new();
        for (k, output) in self.signature.outputs.iter().enumerate() {
            let dimension = |d: usize| match window.get(d).filter(|_| k == at) {
                Some(range) => Dimension { min: range.start, extent: range.end.saturating_sub(range.start), stride: 0 },
                None => Dimension::default(),
            };
            let all: Vec<Dimension> = (0..output.variables.len()).map(dimension).collect();
            dimensions.extend(output.images().into_iter().map(|image| (all.clone(), image)));
        }
        let empty = |dimensions: &mut Vec<Dimension>, element| Buffer {
            data: std::ptr::null_mut(),
            dim: dimensions.as_mut_ptr(),
            rank: dimensions.len() as i32,
            pixel: ivlc::pipeline::lower::entry::type_number(element) as i32,
        };
        let outputs: Vec<Buffer> = dimensions.iter_mut().map(|(list, image)| empty(list, image.element)).collect();
        let mut needed: Vec<Vec<Dimension>> = arrays.iter().map(|array| array.dimensions.clone()).collect();
        let inputs: Vec<Buffer> = needed.iter_mut().zip(arrays).map(|(list, array)| empty(list, array.element)).collect();
        let pointers = self.pointers(&outputs, &inputs);
        // SAFETY: as for `run`; the query reads and writes dimensions, and no pixels.
        if unsafe { query(pointers.as_ptr()) } != 0 {
            return false;
        }
        needed.iter().zip(arrays).all(|(needed, array)| {
            let fits = |(needed, own): (&Dimension, &Dimension)| {
                let end = |d: &Dimension| i64::from(d.min) + i64::from(d.extent);
                needed.min >= own.min && end(needed) <= end(own)
            };
            needed.iter().any(|d| d.extent == 0) || needed.iter().zip(&array.dimensions).all(fits)
        })
    }
}

/// A line on the times of a schedule.
fn report(name: &str, mut times: Vec<Duration>) -> String {
    times.sort();
    let milliseconds = |time: Duration| format!("{:.3} ms", time.as_secs_f64() * 1e3);
    let (least, median, most) = (times[0], times[times.len() / 2], times[times.len() - 1]);
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{name}: median {} of {} runs ({} to {})",
        milliseconds(median),
        times.len(),
        milliseconds(least),
        milliseconds(most)
    );
    text
}
