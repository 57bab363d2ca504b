//! The functions of Rust around a raw one: one that panics where it does not come to its end, and one that says why.

/// What the functions of an export have in common.
pub struct Wrapper {
    /// What they do, a line each.
    pub docs: Vec<String>,
    pub result: String,
    /// The name of the variable that the result is written to.
    pub place: String,
    /// The statements that find and compare the lengths of slices.
    pub lengths: String,
    /// Is there code for several targets?
    pub has_levels: bool,
    /// May it come back before its end?
    pub may_fail: bool,
    /// What callers have to see to; nothing if it is safe.
    pub duties: Vec<String>,
}

/// A pair of functions.
pub struct Call<'a> {
    pub name: &'a str,
    pub tried: &'a str,
    /// The parameters as they are declared, and as they are passed on.
    pub declared: &'a [String],
    pub given: &'a [&'a str],
    /// The call of the raw function.
    pub code: &'a str,
}

const ALLOWED: &str = "#[allow(dead_code, clippy::too_many_arguments, clippy::unit_arg, non_snake_case)]\n#[inline]\n";

/// Why raw functions may be called.
const SAFETY: &str = "    // SAFETY: arrays have the lengths of the signature, views show what is there, and what is written overlaps nothing else.\n";

impl Wrapper {
    /// Is there anything for which it does not run, or not come to its end?
    pub fn is_fallible(&self) -> bool {
        !self.lengths.is_empty() || self.has_levels || self.may_fail
    }

    /// `unsafe`, if it is.
    fn safety(&self) -> &'static str {
        if self.duties.is_empty() { "" } else { "unsafe " }
    }

    /// The comment, with a section on what may go wrong.
    fn docs(&self, section: &[String]) -> String {
        let duties = match &self.duties[..] {
            [] => Vec::new(),
            duties => [vec![String::new(), "# Safety".to_owned()], duties.to_vec()].concat(),
        };
        let lines = self.docs.iter().chain(section).chain(&duties);
        lines.map(|line| format!("/// {line}").trim_end().to_owned() + "\n").collect()
    }

    fn arrow(&self) -> String {
        if self.result == "()" { String::new() } else { format!(" -> {}", self.result) }
    }

    /// A function that always runs.
    pub fn infallible(&self, name: &str, declared: &[String], code: &str) -> String {
        let (docs, declared, safety, arrow) = (self.docs(&[]), declared.join(", "), self.safety(), self.arrow());
        format!("\n{docs}{ALLOWED}pub {safety}fn {name}({declared}){arrow} {{\n{SAFETY}    unsafe {{ {code} }}\n}}\n")
    }

    /// A function that panics where it does not run, and one that says why.
    pub fn both(&self, call: &Call<'_>) -> String {
        let Call { name, tried, declared, given, code } = call;
        let (result, lengths, safety, arrow) = (&self.result, &self.lengths, self.safety(), self.arrow());
        // What is passed on is not changed here.
        let received: Vec<&str> = declared.iter().map(|text| text.trim_start_matches("mut ")).collect();
        let (received, declared, given) = (received.join(", "), declared.join(", "), given.join(", "));
        let section = |title: &str, end: &str| self.docs(&[String::new(), format!("# {title}"), format!("{}{end}", self.why())]);
        let (panics, errors) = (section("Panics", "."), section("Errors", self.what_was_done()));
        let passed_on = format!("{tried}({given})");
        let passed_on = if safety.is_empty() { passed_on } else { format!("unsafe {{ {passed_on} }}") };
        // Both are inlined, so that what remains of a call that succeeds are comparisons and the call of the raw function.
        format!(
            "\n{panics}{ALLOWED}#[track_caller]\npub {safety}fn {name}({received}){arrow} {{\n    match {passed_on} {{\n        \
             Ok(result) => result,\n        Err(error) => ivl::fail(error),\n    }}\n}}\n\
             \n{errors}{ALLOWED}pub {safety}fn {tried}({declared}) -> Result<{result}, ivl::Error> {{\n{lengths}{SAFETY}{}}}\n",
            self.body(code)
        )
    }

    /// Calls the raw function.
    fn body(&self, code: &str) -> String {
        let Wrapper { place, result, .. } = self;
        match (self.may_fail, result.as_str()) {
            (false, _) => format!("    Ok(unsafe {{ {code} }})\n"),
            (true, "()") => format!("    ivl::completed(unsafe {{ {code} }})\n"),
            (true, _) => format!(
                "    let mut {place} = core::mem::MaybeUninit::<{result}>::uninit();\n    ivl::completed(unsafe {{ {code} }})?;\n    \
                 // SAFETY: what comes to its end has written its result.\n    Ok(unsafe {{ {place}.assume_init() }})\n"
            ),
        }
    }

    /// When it does not run, or not come to its end.
    fn why(&self) -> String {
        let reasons = [
            (!self.lengths.is_empty(), "slices have not the lengths that they are to have"),
            (self.may_fail, "a check in it fails"),
            (self.has_levels, "there is no code that this processor runs"),
        ];
        let reasons: Vec<&str> = reasons.into_iter().filter(|(holds, _)| *holds).map(|(_, reason)| reason).collect();
        let (last, others) = reasons.split_last().expect("what is fallible has a reason");
        if others.is_empty() { format!("If {last}") } else { format!("If {}, or {last}", others.join(", ")) }
    }

    fn what_was_done(&self) -> &'static str {
        match self.may_fail {
            true => ". Where a check has failed, what was written before it has been written.",
            false => "; then nothing has been written.",
        }
    }
}

/// A name as the source has it.
pub fn plain(name: &str) -> &str {
    name.trim_start_matches("r#")
}
