//! What parameters of pipelines are where a program does not say so: what is set from outside.

use std::str::FromStr;

/// `--set chain.N=16`: what stands for a parameter where it is not given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The pipeline; without one all that have such a parameter.
    pub pipeline: Option<String>,
    /// The parameter.
    pub parameter: String,
    /// A number, `true`, `false`, or the name of an element type.
    pub value: String,
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Setting, String> {
        let is_name = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
        let (name, value) = text.split_once('=').ok_or("write NAME=VALUE, or PIPELINE.NAME=VALUE")?;
        let (pipeline, parameter) = match name.split_once('.') {
            Some((pipeline, parameter)) => (Some(pipeline), parameter),
            None => (None, name),
        };
        if !is_name(parameter) || pipeline.is_some_and(|name| !is_name(name)) || value.is_empty() {
            return Err("write NAME=VALUE, or PIPELINE.NAME=VALUE".to_owned());
        }
        Ok(Setting { pipeline: pipeline.map(str::to_owned), parameter: parameter.to_owned(), value: value.to_owned() })
    }
}

impl Setting {
    /// Is it about this parameter of a pipeline?
    pub fn is_for(&self, pipeline: &str, parameter: &str) -> bool {
        self.parameter == parameter && self.pipeline.as_ref().is_none_or(|name| name == pipeline)
    }
}
