//! What cargo tells a build script, and what follows from it.

use super::{Error, RENEW};
use std::path::{Path, PathBuf};

/// An instruction set as cargo sees it.
pub struct Level {
    /// What the compiler calls it.
    pub name: &'static str,
    /// The greatest one of which it is an extension, if any.
    base: &'static str,
    /// The features of rustc that a crate has which may take for granted what it adds.
    features: &'static [&'static str],
}

const fn level(name: &'static str, base: &'static str, features: &'static [&'static str]) -> Level {
    Level { name, base, features }
}

/// The instruction sets, the best one last.
pub const LEVELS: [Level; 8] = [
    level("sse2", "", &["sse2"]),
    level("sse4", "sse2", &["sse4.2", "popcnt"]),
    level("avx", "sse4", &["avx"]),
    level("avx2", "avx", &["avx2", "fma", "bmi1", "bmi2", "f16c", "lzcnt"]),
    level("avx2vnni", "avx2", &["avxvnni"]),
    level("avx512-256", "avx2", &["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"]),
    level("avx512", "avx512-256", &[]),
    level("avx512vnni", "avx512", &["avx512vnni", "avx512vbmi", "avx512vbmi2", "avx512bitalg", "avx512vpopcntdq", "gfni"]),
];

/// What cargo says.
#[derive(Clone, Debug)]
pub struct Environment {
    /// `TARGET`
    pub target: String,
    /// `OUT_DIR`
    pub out_dir: PathBuf,
    /// `CARGO_MANIFEST_DIR`: where the package is, and where paths begin.
    pub package: PathBuf,
    /// `CARGO_PKG_NAME`
    pub name: String,
    /// `CARGO_PKG_VERSION`
    pub version: String,
    /// `CARGO_CFG_TARGET_ARCH`, `CARGO_CFG_TARGET_OS`: what the package is built for, wherever the build script runs.
    architecture: String,
    system: String,
    /// `DEBUG`
    pub debug: bool,
    /// `CARGO_CFG_TARGET_FEATURE`
    features: Vec<String>,
    /// `DOCS_RS`: only documentation is built.
    pub is_documentation: bool,
    /// `IVL_RENEW`: pregenerated files are to be written.
    pub renews: bool,
    /// `IVLC_<target>`, else `IVLC`, with its name.
    pub named_compiler: Option<(String, PathBuf)>,
    /// `PATH`
    pub search_path: Option<String>,
}

impl Environment {
    /// Reads what `variable` knows.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Environment, Error> {
        let needed = |name: &str| {
            variable(name)
                .ok_or_else(|| Error::new(format!("{name} is not set: ivl-build is for build scripts, which cargo runs")))
        };
        let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty() && value != "0");
        let target = needed("TARGET")?;
        let named = Environment::compiler_variables(&target).into_iter();
        let named_compiler = named
            .filter_map(|name| Some((variable(&name).filter(|value| !value.is_empty())?, name)))
            .next()
            .map(|(v, n)| (n, v.into()));
        let features = variable("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
        Ok(Environment {
            out_dir: needed("OUT_DIR")?.into(),
            package: needed("CARGO_MANIFEST_DIR")?.into(),
            name: needed("CARGO_PKG_NAME")?,
            version: needed("CARGO_PKG_VERSION")?,
            architecture: needed("CARGO_CFG_TARGET_ARCH")?,
            system: needed("CARGO_CFG_TARGET_OS")?,
            debug: variable("DEBUG").is_some_and(|value| !matches!(&*value, "" | "0" | "false" | "none")),
            features: features.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect(),
            is_documentation: is_set("DOCS_RS"),
            renews: is_set(RENEW),
            named_compiler,
            search_path: variable("PATH"),
            target,
        })
    }

    /// The variables that name a compiler, the most special first.
    fn compiler_variables(target: &str) -> [String; 3] {
        [format!("IVLC_{target}"), format!("IVLC_{}", target.replace('-', "_")), "IVLC".to_owned()]
    }

    /// The variables that decide what happens.
    pub fn variables(&self) -> Vec<String> {
        Environment::compiler_variables(&self.target).into_iter().chain(["DOCS_RS".to_owned(), RENEW.to_owned()]).collect()
    }

    /// A path of the package.
    pub fn path(&self, path: &Path) -> PathBuf {
        self.package.join(path)
    }

    /// What symbols of a module begin with: the package, its version as far as others are incompatible with it, and the module.
    pub fn prefix(&self, module: &str) -> String {
        let mut numbers = self.version.split(['.', '-', '+']);
        let mut next = || numbers.next().unwrap_or("0");
        let version = match (next(), next(), next()) {
            ("0", "0", patch) => format!("0_0_{patch}"),
            ("0", minor, _) => format!("0_{minor}"),
            (major, ..) => major.to_owned(),
        };
        let name: String = self.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let digit = if name.starts_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
        format!("{digit}{name}_{version}_{module}_")
    }

    /// Is there code for the target?
    pub fn has_code(&self) -> Result<(), Error> {
        if (&*self.architecture, &*self.system) == ("x86_64", "linux") {
            return Ok(());
        }
        Err(Error::new(format!(
            "there is no code for {}: ivlc generates it for x86_64 Linux. Where a package is built for others, too, its build script looks \
             at CARGO_CFG_TARGET_ARCH and CARGO_CFG_TARGET_OS (`cfg!` says what the build script itself runs on), and its code has another way:\n  \
             build.rs    let is = |name, value| std::env::var(name).is_ok_and(|found| found == value);\n              \
             if is(\"CARGO_CFG_TARGET_ARCH\", \"x86_64\") && is(\"CARGO_CFG_TARGET_OS\", \"linux\") {{ ivl_build::compile(…)? }}\n  \
             the crate   #[cfg(all(target_arch = \"x86_64\", target_os = \"linux\"))] ivl::include_ivl!(…);",
            self.target
        )))
    }

    /// The instruction sets that can come to run: all before the best one that the crate itself takes for granted are left out.
    pub fn needed(&self, isas: &[String]) -> Vec<String> {
        let place = |isa: &str| LEVELS.iter().position(|level| level.name == isa).unwrap_or(0);
        let granted = isas.iter().filter(|isa| self.is_granted(isa));
        let least = granted.map(|isa| place(isa)).max().unwrap_or(0);
        isas.iter().filter(|isa| place(isa) >= least).cloned().collect()
    }

    /// Does the crate itself take an instruction set for granted?
    fn is_granted(&self, isa: &str) -> bool {
        let has = |feature: &&str| self.features.iter().any(|f| f == feature);
        let level = LEVELS.iter().find(|level| level.name == isa);
        level.is_some_and(|level| level.features.iter().all(has) && (level.base.is_empty() || self.is_granted(level.base)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn environment(more: &[(&str, &str)]) -> Environment {
        let mut all = HashMap::from([
            ("TARGET", "x86_64-unknown-linux-gnu"),
            ("OUT_DIR", "/out"),
            ("CARGO_MANIFEST_DIR", "/package"),
            ("CARGO_PKG_NAME", "fast-blur"),
            ("CARGO_PKG_VERSION", "0.3.7"),
            ("CARGO_CFG_TARGET_ARCH", "x86_64"),
            ("CARGO_CFG_TARGET_OS", "linux"),
        ]);
        all.extend(more.iter().copied());
        Environment::read(|name| all.get(name).map(|value| (*value).to_owned())).expect("an environment")
    }

    #[test]
    fn cargo_is_obeyed() {
        for (text, debug) in [("true", true), ("false", false), ("0", false), ("1", true), ("full", true), ("none", false)] {
            assert_eq!(environment(&[("DEBUG", text)]).debug, debug, "{text}");
        }
        let missing = Environment::read(|_| None).expect_err("no build script");
        assert!(missing.to_string().contains("TARGET is not set"), "{missing}");
    }

    #[test]
    fn the_most_special_name_of_a_compiler_counts() {
        let named = |more: &[(&str, &str)]| environment(more).named_compiler.map(|(name, _)| name);
        assert_eq!(named(&[]), None);
        assert_eq!(named(&[("IVLC", "")]), None);
        assert_eq!(named(&[("IVLC", "a")]).as_deref(), Some("IVLC"));
        let special = [("IVLC", "a"), ("IVLC_x86_64_unknown_linux_gnu", "b")];
        assert_eq!(named(&special).as_deref(), Some("IVLC_x86_64_unknown_linux_gnu"));
    }

    #[test]
    fn symbols_begin_with_what_cannot_be_linked_twice() {
        let prefix = |name, version| environment(&[("CARGO_PKG_NAME", name), ("CARGO_PKG_VERSION", version)]).prefix("k");
        assert_eq!(prefix("fast-blur", "0.3.7"), "fast_blur_0_3_k_");
        assert_eq!(prefix("fast-blur", "2.1.0-beta.1"), "fast_blur_2_k_");
        assert_eq!(prefix("3d", "0.0.4"), "_3d_0_0_4_k_");
    }

    #[test]
    fn code_that_never_runs_is_left_out() {
        let all: Vec<String> = ["sse2", "sse4", "avx2", "avx512"].map(str::to_owned).to_vec();
        let needed = |features| environment(&[("CARGO_CFG_TARGET_FEATURE", features)]).needed(&all);
        assert_eq!(needed("fxsr,sse,sse2"), all);
        assert_eq!(needed("sse2,sse4.2,popcnt,avx"), ["sse4", "avx2", "avx512"]);
        let avx2 = "sse2,sse4.2,popcnt,avx,avx2,fma,bmi1,bmi2,f16c,lzcnt";
        assert_eq!(needed(avx2), ["avx2", "avx512"]);
        let every = LEVELS.map(|level| level.name.to_owned());
        let needed = |features: String| environment(&[("CARGO_CFG_TARGET_FEATURE", &features)]).needed(&every);
        assert_eq!(needed(format!("{avx2},avxvnni")), every[4..]);
        // Features without those that they extend say nothing.
        assert_eq!(needed("sse2,avxvnni,avx512f,avx512bw,avx512cd,avx512dq,avx512vl".to_owned()), every);
        assert_eq!(needed(format!("{avx2},avx512f,avx512bw,avx512cd,avx512dq,avx512vl")), every[6..]);
        // Nothing below is known to run: all stay, and dispatch says what is missing.
        assert_eq!(environment(&[]).needed(&["avx2".to_owned()]), ["avx2"]);
    }

    #[test]
    fn other_targets_are_refused() {
        assert!(environment(&[]).has_code().is_ok());
        for (target, architecture, system) in [
            ("aarch64-unknown-linux-gnu", "aarch64", "linux"),
            ("x86_64-pc-windows-msvc", "x86_64", "windows"),
            ("x86_64-apple-darwin", "x86_64", "macos"),
        ] {
            let more = [("TARGET", target), ("CARGO_CFG_TARGET_ARCH", architecture), ("CARGO_CFG_TARGET_OS", system)];
            let refused = environment(&more).has_code().expect_err("no code").to_string();
            assert!(refused.contains(target) && refused.contains("CARGO_CFG_TARGET_ARCH"), "{refused}");
            // In a build script it speaks of the machine that the script runs on.
            assert!(!refused.contains("cfg!("), "{refused}");
        }
    }
}
