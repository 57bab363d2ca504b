//! NumPy and PyTorch: `benches/tensors.py` in a process of its own, which runs and times what it is told to.

use super::jobs::File;
use crate::pairs::Timed;
use serde_json::{Value, json};
use std::error::Error;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A child.
pub struct Python {
    /// `numpy` or `torch`.
    pub which: &'static str,
    /// The library with its version, and what it runs.
    pub name: String,
    threads: usize,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// What holds libraries back to AVX2. OpenBLAS would choose kernels of AVX-512 by itself.
const AVX2: [(&str, &str); 4] = [
    ("OPENBLAS_CORETYPE", "Haswell"),
    ("ATEN_CPU_CAPABILITY", "avx2"),
    ("MKL_ENABLE_INSTRUCTIONS", "AVX2"),
    ("ONEDNN_MAX_CPU_ISA", "AVX2"),
];

impl Python {
    /// Starts it, or says why there is none.
    pub fn start(which: &'static str, threads: usize, is_avx2: bool) -> Result<Python, String> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tensors.py");
        let number = threads.to_string();
        let mut command = Command::new("python3");
        command.arg(script).args([which, &number, if is_avx2 { "avx2" } else { "any" }]);
        for variable in ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"] {
            command.env(variable, &number);
        }
        // Threads of OpenBLAS sleep after half a millisecond, and not after 30, so that they do not disturb who is next.
        command.env("OPENBLAS_THREAD_TIMEOUT", "20");
        command.envs(AVX2.into_iter().filter(|_| is_avx2));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("python3: {error}"))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (input, mut output) = (input.expect("it is piped"), BufReader::new(output.expect("it is piped")));
        let mut line = String::new();
        let read = output.read_line(&mut line).map_err(|error| error.to_string())?;
        let said: Value = serde_json::from_str(&line).unwrap_or_default();
        match said["name"].as_str() {
            Some(name) if read > 0 => Ok(Python { which, name: name.to_owned(), threads, child, input, output }),
            _ => {
                let said = child.wait_with_output().map_err(|error| error.to_string())?;
                let text = String::from_utf8_lossy(&said.stderr).into_owned();
                Err(text.trim().lines().last().unwrap_or("it does not start").to_owned())
            }
        }
    }

    fn ask(&mut self, what: &Value) -> Result<Value, Box<dyn Error>> {
        writeln!(self.input, "{what}")?;
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            return Err(format!("{} ended: {what}", self.name).into());
        }
        Ok(serde_json::from_str(&line)?)
    }

    /// Has it read the inputs of a job.
    pub fn load(&mut self, job: &str, inputs: &[File]) -> Result<(), Box<dyn Error>> {
        let inputs: Vec<Value> =
            inputs.iter().map(|file| json!({ "file": file.path, "type": file.element, "shape": file.shape })).collect();
        self.ask(&json!({ "do": "load", "job": job, "inputs": inputs })).map(|_| ())
    }

    /// All results in double precision.
    pub fn reference(&mut self, folder: &Path) -> Result<Vec<f64>, Box<dyn Error>> {
        let file = folder.join("reference.raw");
        self.ask(&json!({ "do": "reference", "file": file }))?;
        Ok(fs::read(file)?.as_chunks().0.iter().map(|&bytes| f64::from_le_bytes(bytes)).collect())
    }

    /// What is measured gives this; PyTorch leaves out what its layers do not give.
    pub fn result(&mut self, folder: &Path) -> Result<Vec<f64>, Box<dyn Error>> {
        let file = folder.join("result.raw");
        self.ask(&json!({ "do": "result", "file": file }))?;
        Ok(fs::read(file)?.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes).into()).collect())
    }
}

impl Timed for &mut Python {
    fn time(&mut self, runs: u32) -> f64 {
        let answer = self.ask(&json!({ "do": "time", "runs": runs }));
        let taken = answer.ok().and_then(|answer| answer["ns"].as_f64());
        super::rest(self.threads);
        taken.unwrap_or_else(|| panic!("{} says how long it takes", self.name))
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        // It waits for lines; where it has ended by itself there is nothing to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
