//! A pipeline of `examples/pipelines`, compiled in memory with all its schedules.
//!
//! A function of the language for each schedule makes views of pointers and windows:
//!
//! ```text
//! export void __run_tuned(int *window, uint8 *p0, …)     window: the minima and extents of one view after the other
//! ```

use super::image::{Image, Pixel};
use ivlc::diagnostics::Severity;
use ivlc::driver::{Options, Session, with_stack};
use ivlc::llvm;
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// The most arguments that a pipeline has here.
const MOST: usize = 8;

/// The C signature of what runs a schedule.
type Run = extern "C" fn(*const i32, *mut u8, *mut u8, *mut u8, *mut u8, *mut u8, *mut u8, *mut u8, *mut u8);

/// An argument: an image or a number.
pub trait Argument {
    /// Element type and rank; a number has rank 0.
    fn shape(&self) -> (&'static str, usize);
    /// The window, of an image.
    fn window(&self) -> &[(i32, i32)];
    /// Where its first element is.
    fn address(&self) -> *mut u8;
}

impl<T: Pixel> Argument for Image<T> {
    fn shape(&self) -> (&'static str, usize) {
        (T::NAME, self.window.len())
    }

    fn window(&self) -> &[(i32, i32)] {
        &self.window
    }

    fn address(&self) -> *mut u8 {
        self.pixels.as_ptr().cast_mut().cast()
    }
}

impl<T: Pixel> Argument for T {
    fn shape(&self) -> (&'static str, usize) {
        (T::NAME, 0)
    }

    fn window(&self) -> &[(i32, i32)] {
        &[]
    }

    fn address(&self) -> *mut u8 {
        std::ptr::from_ref(self).cast_mut().cast()
    }
}

/// A compiled pipeline.
pub struct Program {
    /// The names of its schedules.
    pub schedules: Vec<String>,
    /// How long it took to compile it, all schedules together.
    pub time: Duration,
    shapes: Vec<(&'static str, usize)>,
    jit: llvm::Jit,
}

impl Program {
    /// Compiles a pipeline of a file of `examples/pipelines`, for arguments like these, outputs first. Of the schedules, all
    /// that pass `wanted`. `settings` are those of `--set`.
    pub fn new(
        file: &str,
        pipeline: &str,
        settings: &[&str],
        arguments: &[&dyn Argument],
        options: Options,
        wanted: impl Fn(&str) -> bool + Sync,
    ) -> Program {
        let shapes: Vec<_> = arguments.iter().map(|a| a.shape()).collect();
        let settings: Vec<_> = settings.iter().map(|text| text.parse().expect("a setting")).collect();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/pipelines").join(file);
        let mut text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{file}: {e}"));
        let prefix = format!("schedule {pipeline}.");
        let own = text.lines().filter_map(|line| line.strip_prefix(&prefix)?.split(' ').next());
        let schedules: Vec<String> =
            ["auto", "breadth_first"].into_iter().chain(own).filter(|s| wanted(s)).map(str::to_owned).collect();
        for schedule in &schedules {
            text += &wrapper(pipeline, schedule, &shapes);
        }
        let start = Instant::now();
        let jit = with_stack(|| {
            let mut session = Session { settings, ..Session::default() };
            session.load_text(file.to_owned(), Some(&path), text.clone());
            let Some(program) = session.check(&options) else {
                let mut errors = session.diagnostics.iter().filter(|d| d.severity == Severity::Error);
                panic!("{file}: {}", errors.next().map_or("", |d| &d.message));
            };
            let module = session.lower(&program, &options);
            let settings = llvm::Options { isa: options.isa, level: options.level, debug_info: false, sources: &session.sources };
            llvm::Jit::new(&module, &settings).expect("code for a pipeline")
        });
        Program { schedules, time: start.elapsed(), shapes, jit }
    }

    /// Runs a schedule; the outputs are the first arguments.
    pub fn run(&self, schedule: &str, arguments: &[&dyn Argument]) {
        assert!(arguments.iter().map(|a| a.shape()).eq(self.shapes.iter().copied()), "arguments as those of the program");
        let window: Vec<i32> = arguments.iter().flat_map(|a| a.window()).flat_map(|&(min, extent)| [min, extent]).collect();
        let mut all = [std::ptr::null_mut(); MOST];
        all.iter_mut().zip(arguments).for_each(|(place, argument)| *place = argument.address());
        let address = self.jit.address(&format!("__run_{schedule}")).expect("a schedule of the program");
        // SAFETY: `wrapper` declares this signature; the images are as large as their windows say.
        let run: Run = unsafe { std::mem::transmute(address) };
        let [a, b, c, d, e, f, g, h] = all;
        run(window.as_ptr(), a, b, c, d, e, f, g, h);
    }
}

/// The function that runs a schedule.
fn wrapper(pipeline: &str, schedule: &str, shapes: &[(&'static str, usize)]) -> String {
    let all = (0..MOST).map(|i| shapes.get(i).copied().unwrap_or(("uint8", 0)));
    let parameters: String = all.enumerate().map(|(i, (element, _))| format!(", {element} *p{i}")).collect();
    let mut text = format!("\nexport void __run_{schedule}(int *window{parameters}) {{\n");
    let (mut passed, mut next) = (Vec::new(), 0);
    for (i, &(element, rank)) in shapes.iter().enumerate() {
        if rank == 0 {
            passed.push(format!("*p{i}"));
            continue;
        }
        let _ = writeln!(text, "    __view{rank}_{element} v{i};\n    v{i}.data = p{i};\n    int64 stride{i} = 1;");
        for d in 0..rank {
            let _ = writeln!(text, "    v{i}.min[{d}] = window[{next}];\n    v{i}.extent[{d}] = window[{}];", next + 1);
            let _ = writeln!(text, "    v{i}.stride[{d}] = stride{i};\n    stride{i} *= window[{}];", next + 1);
            next += 2;
        }
        passed.push(format!("v{i}"));
    }
    let _ = writeln!(text, "    {pipeline}.{schedule}({});\n}}", passed.join(", "));
    text
}
