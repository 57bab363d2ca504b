//! Exit codes, and what is said in which form.

use super::{Folder, run};
use serde_json::Value;

#[test]
fn misuse_is_exit_code_2() {
    let folder = Folder::new();
    let misuses = [
        "",
        "check",
        "build",
        "run",
        "explain E0300 E0301",
        "nothing",
        "check good.ivl --bogus",
        "check good.ivl other.ivl",
        "build good.ivl --emit nothing",
        "build good.ivl --target sparc",
        "build good.ivl --width 3",
        "build good.ivl --width 128",
        "build good.ivl -O4",
        "build good.ivl --fp loose",
        "build good.ivl --error-format xml",
        "run good.ivl --target sse2,sse4",
        "explain E9999",
        "explain no-such-code",
    ];
    for arguments in misuses {
        let ran = folder.ivlc(arguments).exits(2).prints("");
        assert!(!ran.stderr.is_empty(), "`{arguments}` says nothing");
    }
    assert!(folder.files().is_empty());
}

#[test]
fn what_is_asked_for_is_exit_code_0() {
    let folder = Folder::new();
    for arguments in ["--help", "--version", "build --help", "check good.ivl", "targets", "explain E0300"] {
        folder.ivlc(arguments).exits(0).says("");
    }
    assert!(folder.ivlc("--version").exits(0).stdout.starts_with("ivlc "));
}

#[test]
fn files_that_cannot_be_read_are_exit_code_1() {
    let folder = Folder::new();
    folder.write("latin1.ivl", b"int main() {\n    return 0; // caf\xe9\n}\n");
    folder.write("importer.ivl", "import \"latin1.ivl\";\nimport \"none.ivl\";\n");
    for command in ["check", "build", "run"] {
        folder.ivlc(&format!("{command} none.ivl")).exits(1).says("ivlc: none.ivl: No such file or directory");
        folder.ivlc(&format!("{command} .")).exits(1).says("ivlc: .: Is a directory");
        folder.ivlc(&format!("{command} latin1.ivl")).exits(1).says("ivlc: latin1.ivl: the text is not UTF-8 (line 2");
        let ran = folder.ivlc(&format!("{command} importer.ivl")).exits(1);
        ran.says("importer.ivl:1:8").says("the text is not UTF-8").says("importer.ivl:2:8").says("`none.ivl` cannot be read");
    }
}

#[test]
fn who_counts_lanes_that_are_on_is_told_how_to_store_them() {
    let folder = Folder::new();
    let body = "foreach (int i = 0 .. n) { if (a[i] > 0) o[k++] = a[i]; } return k; }";
    folder.write("kept.ivl", format!("export int kept(const int a[n], int o[n], int n) {{ int k = 0; {body}\n"));
    folder.ivlc("check kept.ivl").exits(1).says("`k += packed_store(&out[k], x)`");
    // Where the lanes are summed up that is not what is meant.
    folder
        .write("sum.ivl", "export int sum(const int a[n], int n) { int s = 0; foreach (int i = 0 .. n) s += a[i]; return s; }\n");
    let ran = folder.ivlc("check sum.ivl").exits(1).says("`reduce_add(s)`");
    assert!(!ran.stderr.contains("packed_store"), "{}", ran.stderr);
}

#[test]
fn texts_of_other_systems_are_read() {
    let folder = Folder::new();
    folder.write("marked.ivl", "\u{feff}int main() {\r\n    return 3;\r\n}\r\n");
    folder.ivlc("run marked.ivl").exits(3);
    folder.write("empty.ivl", "");
    folder.ivlc("check empty.ivl").exits(0);
    folder.ivlc("build empty.ivl --emit obj,header").exits(0);
    folder.ivlc("run empty.ivl").exits(1).says("there is no `int main()` to run");
    folder.write("zero.ivl", "int main() { return 0; }\0");
    folder.ivlc("check zero.ivl").exits(1).says("zero.ivl:1:25");
}

/// The lines of standard error, which all are objects.
#[track_caller]
fn objects(stderr: &str) -> Vec<Value> {
    stderr.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

#[test]
fn json_is_an_object_a_line() {
    let folder = Folder::new();
    let text = "int k = 0; int f(int x) { return y; }\n\nexport void g(int *a, int n) {\n    \
                \n    foreach (int block i = 0 .. n) if (a[i] > 0) k += 1;\n    /* é */ z = w;\n}\n";
    folder.write("text.ivl", text);
    for command in ["check", "build", "run"] {
        let ran = folder.ivlc(&format!("{command} text.ivl --error-format json")).exits(1).prints("");
        let objects = objects(&ran.stderr);
        assert!(objects.len() >= 3, "{}", ran.stderr);
        for object in &objects {
            let fields = object.as_object().expect("an object");
            for name in ["severity", "code", "message", "file"] {
                assert!(fields[name].is_string(), "{name}: {object}");
            }
            for name in ["line", "column", "end_line", "end_column"] {
                assert!(fields[name].as_u64().is_some_and(|n| n > 0), "{name}: {object}");
            }
            assert!(fields["labels"].is_array() && (fields["help"].is_string() || fields["help"].is_null()), "{object}");
            assert!(["error", "warning"].contains(&fields["severity"].as_str().expect("a string")));
            let code = fields["code"].as_str().expect("a string");
            assert!(code.len() == 5 && code.starts_with('E') && code[1..].bytes().all(|b| b.is_ascii_digit()), "{code}");
        }
        let place = |object: &Value| ["line", "column", "end_line", "end_column"].map(|name| object[name].as_u64().unwrap_or(0));
        let unknown = objects.iter().find(|o| o["name"] == "unknown-name").expect("y is not declared");
        assert_eq!((place(unknown), &unknown["file"]), ([1, 34, 1, 35], &Value::from("text.ivl")), "{unknown}");
        assert_eq!(unknown["severity"], "error");
        // Columns are characters.
        assert!(objects.iter().any(|o| place(o) == [6, 13, 6, 14]), "{}", ran.stderr);
    }
    folder.write("warned.ivl", text.replace("return y", "return x").replace("z = w;", ""));
    let ran = folder.ivlc("check warned.ivl --error-format json").exits(0);
    let [warning] = &objects(&ran.stderr)[..] else { panic!("one warning: {}", ran.stderr) };
    assert_eq!(warning["severity"], "warning");
    let label = &warning["labels"][0];
    assert_eq!((&label["line"], &label["column"]), (&Value::from(1), &Value::from(5)), "{label}");
    assert!(label["message"].is_string() && label["file"] == "warned.ivl");
}

#[test]
fn json_has_failures_without_a_place_too() {
    let folder = Folder::new();
    let cases =
        [("check none.ivl", 1), ("build good.ivl -o none/x", 1), ("run good.ivl --target sse2,avx2", 2), ("explain x", 2)];
    for (arguments, code) in cases {
        let ran = folder.ivlc(&format!("{arguments} --error-format json")).exits(code);
        let [failure] = &objects(&ran.stderr)[..] else { panic!("one object: {}", ran.stderr) };
        assert!(failure["severity"] == "error" && failure["message"].is_string() && failure["line"].is_null(), "{failure}");
    }
}

#[test]
fn all_independent_errors_are_reported_in_one_run() {
    let folder = Folder::new();
    let text: String = (0..40).map(|k| format!("int f{k}(int x) {{ return y{k}; }}\n")).collect();
    folder.write("text.ivl", text);
    let ran = folder.ivlc("check text.ivl --error-format json").exits(1);
    let lines: Vec<u64> = objects(&ran.stderr).iter().map(|o| o["line"].as_u64().unwrap_or(0)).collect();
    assert_eq!(lines, (1..=40).collect::<Vec<u64>>());
}

#[test]
fn several_targets_say_a_thing_once() {
    let folder = Folder::new();
    folder
        .write("text.ivl", "int k = 0; export void g(int *a, int n) { foreach (int block i = 0 .. n) if (a[i] > 0) k += 1; }\n");
    for command in ["check", "build"] {
        let ran = folder.ivlc(&format!("{command} text.ivl --target sse2,sse4,avx,avx2 --error-format json")).exits(0);
        assert_eq!(objects(&ran.stderr).len(), 1, "{}", ran.stderr);
    }
}

#[test]
fn a_store_under_a_mask_is_offered_a_word() {
    let folder = Folder::new();
    for count in ["++c", "c += 1", "c = 1", "c = c + 1"] {
        let text = format!("int c = 0; void f(int v) {{ if (v > 2) {count}; }} int main() {{ f(<1, 2, 3, 4>); return c; }}\n");
        folder.write("text.ivl", text);
        let ran = folder.ivlc("check text.ivl --error-format json").exits(0);
        let said = objects(&ran.stderr);
        assert_eq!(said.len(), 1, "{}", ran.stderr);
        assert!(said[0]["help"].as_str().is_some_and(|help| help.contains("write `scalar`")), "{}", ran.stderr);
    }
}

#[test]
fn a_long_line_is_shown_in_part() {
    let folder = Folder::new();
    let filler = "x".repeat(1 << 20);
    let texts = [
        format!("int main() {{ print(\"{filler}\"); return unknown; print(\"{filler}\"); }}\n"),
        format!("int main() {{ return unknown; }} // {filler}\n"),
        format!("int main() {{ print(\"{}\"); return unknown; }}\n", "é".repeat(1 << 19)),
        // What is missing at the end is shown behind the line.
        format!("int main() {{ print(\"{filler}\");"),
        format!("int main() {{ print(\"{filler}\");\n"),
        // A string without end, and a name that is the line.
        format!("int main() {{ print(\"{filler}\n"),
        format!("int main() {{ return {filler}; }}\n"),
    ];
    for (index, text) in texts.iter().enumerate() {
        folder.write("text.ivl", text);
        let ran = folder.ivlc("check text.ivl").exits(1);
        let longest = ran.stderr.lines().filter(|l| !l.starts_with("[E")).map(|l| l.chars().count()).max().unwrap_or(0);
        assert!((20..400).contains(&longest), "text {index}: a line of {longest} characters");
        let json = folder.ivlc("check text.ivl --error-format json").exits(1);
        let first = &objects(&json.stderr)[0];
        if text.contains("unknown") {
            let column = text.split("unknown").next().expect("a beginning").chars().count() + 1;
            assert_eq!(first["column"].as_u64(), Some(column as u64), "text {index}");
            assert!(ran.stderr.contains(&format!("text.ivl:1:{column} ]")), "text {index}:\n{}", ran.stderr);
            assert!(ran.stderr.contains("return unknown;"), "text {index}:\n{}", ran.stderr);
        }
    }
}

#[test]
fn codes_are_explained_by_number_and_name() {
    let folder = Folder::new();
    let by_number = folder.ivlc("explain E0300").exits(0).stdout;
    assert!(by_number.starts_with("E0300 ") && by_number.contains("wrong:\n") && by_number.contains("right:\n"), "{by_number}");
    let name = by_number[6..].split(':').next().expect("a name");
    assert_eq!(folder.ivlc(&format!("explain {name}")).exits(0).stdout, by_number);
    assert_eq!(folder.ivlc("explain 300").exits(0).stdout, by_number);
    for code in ivlc::diagnostics::codes::ALL {
        let text = folder.ivlc(&format!("explain {}", code.name)).exits(0).stdout;
        assert!(text.contains(code.why) && text.starts_with(&format!("E{:04} {}: ", code.number, code.name)));
    }
}

#[test]
fn targets_are_listed() {
    let folder = Folder::new();
    let text = folder.ivlc("targets").exits(0).stdout;
    let names: Vec<&str> = text.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["sse2", "sse4", "avx", "avx2", "avx2vnni", "avx512-256", "avx512", "avx512vnni"]);
    // Each of them is a target.
    for name in names {
        folder.ivlc(&format!("build good.ivl --target {name} -o {name}.o")).exits(0);
    }
    folder.ivlc("build good.ivl --target host -o host.o").exits(0);
}

#[test]
fn colors_are_for_terminals() {
    let folder = Folder::new();
    let ran = run(folder.command("check bad.ivl").env_remove("NO_COLOR")).exits(1);
    assert!(!ran.stderr.contains('\u{1b}'), "{}", ran.stderr);
}

#[test]
fn of_many_errors_the_first_are_shown_and_the_others_counted() {
    let folder = Folder::new();
    let many = |n: usize| (0..n).map(|k| format!("int f{k}(int x) {{ return y{k}; }}\n")).collect::<String>();
    folder.write("51.ivl", many(51));
    let shown = |text: &str| text.matches("[E0100] Error").count();
    let ran = folder.ivlc("check 51.ivl").exits(1).says("… and 1 more error\n");
    assert_eq!(shown(&ran.stderr), 50);
    let ran = folder.ivlc("check 51.ivl --error-limit 3").exits(1).says("… and 48 more errors\n");
    assert_eq!(shown(&ran.stderr), 3);
    let ran = folder.ivlc("check 51.ivl --error-limit 0").exits(1);
    assert_eq!((shown(&ran.stderr), ran.stderr.contains("more error")), (51, false));
    let ran = folder.ivlc("check 51.ivl --error-limit 2 --error-format json").exits(1);
    let objects = objects(&ran.stderr);
    assert_eq!((objects.len(), &objects[2]["more"]), (3, &Value::from(49)), "{}", ran.stderr);
    assert_eq!(objects[2]["message"], "… and 49 more errors");
}

/// Twice the errors take twice the time: what each of them costs does not grow with their number.
#[test]
fn many_errors_take_linear_time() {
    let folder = Folder::new();
    let statements = |n: usize| {
        let lines: String = (0..n).map(|k| format!("    x{k} = {k};\n")).collect();
        format!("int main() {{\n{lines}    return 0;\n}}\n")
    };
    let functions = |n: usize| (0..n).map(|k| format!("int f{k}(int x) {{ return y{k}; }}\n")).collect::<String>();
    let unreadable = |n: usize| (0..n).map(|k| format!("int f{k}(int x) {{ return x +; }}\n")).collect::<String>();
    let families: [&dyn Fn(usize) -> String; 3] = [&statements, &functions, &unreadable];
    for (family, text) in families.iter().enumerate() {
        let time = |n: usize| {
            folder.write("many.ivl", text(n));
            let start = std::time::Instant::now();
            folder.ivlc("check many.ivl").exits(1);
            start.elapsed().as_secs_f64()
        };
        // What is quadratic is 16 times as long for four times the errors.
        let ratios: Vec<f64> = (0..5).map(|_| time(12_000) / time(3_000)).take_while(|ratio| *ratio >= 9.0).collect();
        assert!(ratios.len() < 5, "family {family}: four times the errors take {ratios:.1?} times the time");
    }
}

#[test]
fn warnings_are_allowed_and_denied_by_name_and_the_last_decision_counts() {
    let folder = Folder::new();
    folder.write(
        "text.ivl",
        "export void f(int scalar *scalar c, const int scalar *scalar d, int n) {\n    \
         foreach (int block[4] i = 0 .. n) c[d[i]] += 1;\n}\nint main() { return 0; }\n",
    );
    let severity = |arguments: &str, code| {
        let ran = folder.ivlc(&format!("{arguments} --error-format json")).exits(code);
        objects(&ran.stderr).first().map(|object| object["severity"].as_str().unwrap_or_default().to_owned())
    };
    for command in ["check", "build", "run", "interp"] {
        let severity = |options: &str, code| severity(&format!("{command} text.ivl {options}"), code);
        assert_eq!(severity("", 0).as_deref(), Some("warning"), "{command}");
        assert_eq!(severity("--allow conflicting-lanes", 0), None, "{command}");
        assert_eq!(severity("--deny conflicting-lanes", 1).as_deref(), Some("error"), "{command}");
        assert_eq!(severity("--deny lost-const", 0).as_deref(), Some("warning"), "{command}");
        assert_eq!(severity("--deny warnings --allow E0801", 0), None, "{command}");
        assert_eq!(severity("--allow E0801 --deny warnings", 1).as_deref(), Some("error"), "{command}");
        assert_eq!(severity("--deny warnings --allow warnings --warn conflicting-lanes", 0).as_deref(), Some("warning"));
    }
    folder.ivlc("check text.ivl --allow nothing").exits(2).says("there is no warning `nothing`");
    folder.ivlc("check text.ivl --deny type-mismatch").exits(2).says("is an error, and no warning");
}

#[test]
fn explain_lists_all_codes() {
    let folder = Folder::new();
    let ran = folder.ivlc("explain").exits(0);
    assert!(ran.stdout.lines().count() > 50, "{}", ran.stdout);
    assert!(ran.stdout.contains("E0300 error   length-mismatch "), "{}", ran.stdout);
    assert!(ran.stdout.contains("E0801 warning conflicting-lanes "), "{}", ran.stdout);
}

/// What has no end is not read, and what is too large not to its end.
#[cfg(unix)]
#[test]
fn imports_are_regular_files_of_a_sensible_size() {
    let folder = Folder::new();
    folder.write("endless.ivl", "import \"/dev/zero\";\nint main() { return 0; }\n");
    folder.ivlc("check endless.ivl").exits(1).says("endless.ivl:1:8").says("`/dev/zero` cannot be read: it is no regular file");
    std::fs::File::create(folder.path("large.ivl")).and_then(|file| file.set_len(65 << 20)).expect("a sparse file");
    folder.write("importer.ivl", "import \"large.ivl\";\nint main() { return 0; }\n");
    folder.ivlc("check importer.ivl").exits(1).says("`large.ivl` cannot be read: it is larger than 64 MiB");
    folder.ivlc("check large.ivl").exits(1).says("larger than 64 MiB");
    folder.ivlc("check /dev/zero").exits(1).says("larger than 64 MiB");
}

#[test]
fn large_tables_have_initializers() {
    let folder = Folder::new();
    let list: Vec<String> = (0..100_000).map(|k| k.to_string()).collect();
    let main = "int main() { print(\"% %\\n\", t[3], t[99999]); return 0; }";
    folder.write("table.ivl", format!("const int scalar t[100000] = {{{}}};\n{main}\n", list.join(",")));
    folder.ivlc("run table.ivl").exits(0).prints("3 99999\n");
}

#[test]
fn of_many_calls_around_an_error_the_inner_ones_and_the_outermost_are_shown() {
    let folder = Folder::new();
    // f0 is made by `calls` calls, one around the other.
    for (calls, shown) in [(1_usize, 1), (8, 8), (9, 9), (10, 9), (300, 9)] {
        let mut text = "int f0(int x) { return x * unknown; }\n".to_owned();
        for k in 1..calls {
            text += &format!("int f{k}(int x) {{ return f{}(x); }}\n", k - 1);
        }
        text += &format!("int main() {{ return reduce_add(f{}(<1, 2>)); }}\n", calls - 1);
        folder.write("calls.ivl", text);
        let ran = folder.ivlc("check calls.ivl").exits(1).says("`unknown` is not declared");
        let ran = ran.says(&format!("this call makes `int f{}(int block[2] x)`", calls - 1));
        assert_eq!(ran.stderr.matches("this call makes").count(), shown, "{calls} calls: {}", ran.stderr);
        let more = format!("; calls from there to those above: {}", calls.saturating_sub(9));
        assert_eq!(ran.stderr.contains(&more), calls > 9, "{calls} calls: {}", ran.stderr);
    }
}
