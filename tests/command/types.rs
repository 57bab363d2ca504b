//! What `ivlc check --types` tells editors.

use super::Folder;
use serde_json::Value;

/// The objects that are printed for a text, which is refused or not.
fn facts(text: &str, code: i32) -> Vec<Value> {
    let folder = Folder::new();
    folder.write("text.ivl", text);
    let ran = folder.ivlc("check text.ivl --types --width 8").exits(code);
    ran.stdout.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect()
}

/// The line and the type of what has this name in the instance whose signature begins so.
fn of<'f>(facts: &'f [Value], name: &str, instance: &str) -> &'f Value {
    let fits = |fact: &&Value| fact["name"] == name && fact["instance"].as_str().is_some_and(|text| text.starts_with(instance));
    let found: Vec<&Value> = facts.iter().filter(fits).collect();
    assert_eq!(found.len(), 1, "`{name}` in `{instance}`: {facts:#?}");
    found[0]
}

const PRIME: &str = "bool is_prime(int n) {
    bool prime = true;
    for (int d = 2; d * d <= n; ++d)
        if (n % d == 0) prime = false;
    return prime;
}
int main() {
    print(\"% %\\n\", is_prime(<7, 8, 9, 11>), is_prime(13));
    return 0;
}
";

#[test]
fn each_instance_has_its_types_and_reasons() {
    let facts = facts(PRIME, 0);
    let vector = of(&facts, "prime", "bool block[4] is_prime");
    assert_eq!((&vector["reason"], &vector["kind"]), (&Value::from("type"), &Value::from("local")));
    assert_eq!((&vector["type"], &vector["file"]), (&Value::from("bool block[4]"), &Value::from("text.ivl")));
    let place = ["line", "column", "end_line", "end_column"].map(|name| vector[name].as_u64());
    assert_eq!(place, [2, 10, 2, 15].map(Some));
    let because = vector["because"].as_array().expect("links");
    assert!((1..=3).contains(&because.len()), "{because:?}");
    assert_eq!((&because[0]["line"], &because[0]["column"]), (&Value::from(4), &Value::from(25)));
    assert!(because[0]["message"].as_str().is_some_and(|text| text.starts_with("`prime` is one per lane (length 4)")));
    // What stays scalar has no reason to be anything else, and so has everything in the other instance.
    for (name, instance) in [("d", "bool block[4] is_prime"), ("prime", "bool is_prime"), ("n", "bool is_prime")] {
        let fact = of(&facts, name, instance);
        assert_eq!(fact["because"], Value::from(Vec::<Value>::new()), "{fact}");
    }
    assert_eq!(of(&facts, "d", "bool block[4] is_prime")["type"], "int");
    assert_eq!(of(&facts, "n", "bool block[4] is_prime")["kind"], "parameter");
    let result = of(&facts, "is_prime", "bool block[4] is_prime");
    assert_eq!((&result["kind"], &result["type"], &result["line"]), (&"result".into(), &"bool block[4]".into(), &1.into()));
    let because = result["because"][0]["message"].as_str().expect("a reason");
    assert!(because.starts_with("what `is_prime` returns is one per lane (length 4)"), "{because}");
    assert_eq!(of(&facts, "is_prime", "bool is_prime")["because"], Value::from(Vec::<Value>::new()));
}

#[test]
fn a_parameter_that_is_widened_is_told_of_once() {
    let text = "int f(int n, int s) { if (n > 0) s = 1; return s; }\nint main() { print(\"%\", f(<1, 2>, 3)); return 0; }\n";
    let facts = facts(text, 0);
    let fact = of(&facts, "s", "int block[2] f");
    assert_eq!((&fact["kind"], &fact["type"]), (&"parameter".into(), &"int block[2]".into()));
    assert!(!fact["because"].as_array().expect("links").is_empty());
}

#[test]
fn programs_with_errors_have_types_too() {
    let broken =
        PRIME.replace("int main() {", "int broken(int n) { int m = n; return m + missing; }\nint unread( { }\nint main() {");
    let facts = facts(&broken, 1);
    assert_eq!(of(&facts, "prime", "bool block[4] is_prime")["type"], "bool block[4]");
    assert_eq!(of(&facts, "m", "int broken")["type"], "int");
}
