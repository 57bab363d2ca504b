//! What is said of a call that no function of its name fits, and of one that several fit.

use super::Folder;
use serde_json::Value;

/// The only error of a text, its places as (line, column, text).
fn said(text: &str) -> (Value, Vec<(u64, u64, String)>) {
    let folder = Folder::new();
    folder.write("text.ivl", text);
    let ran = folder.ivlc("check text.ivl --error-format json").exits(1);
    let mut lines = ran.stderr.lines();
    let error: Value = serde_json::from_str(lines.next().expect("an error")).expect("an object");
    assert_eq!(lines.next(), None);
    let label = |label: &Value| {
        let number = |name: &str| label[name].as_u64().expect("a number");
        (number("line"), number("column"), label["message"].as_str().expect("a text").to_owned())
    };
    let labels = error["labels"].as_array().expect("labels").iter().map(label).collect();
    (error, labels)
}

#[test]
fn each_function_that_does_not_fit_says_why() {
    let (error, labels) = said(
        "int f(int a, int n) { return 1; }\n\
         int f(bool a, bool b) { return 2; }\n\
         int f(int a) { return 3; }\n\
         template <typename T> int f(T *a, int b) { return 4; }\n\
         int main() { return f(1, 1.5f); }\n",
    );
    assert_eq!((&error["name"], &error["line"]), (&Value::from("no-overload"), &Value::from(5)));
    let expected = [
        (2, 7, "argument 1 is `int`, which does not become this by itself"),
        (1, 14, "argument 2 is `float`, which does not become this by itself"),
        (4, 27, "the parameters of this template do not follow from the arguments"),
        (3, 5, "this one takes 1 argument"),
    ];
    let mut labels: Vec<(u64, u64, &str)> = labels.iter().map(|(line, column, text)| (*line, *column, &**text)).collect();
    let mut expected = expected.to_vec();
    labels.sort_unstable();
    expected.sort_unstable();
    assert_eq!(labels, expected);
    assert_eq!(error["notes"], Value::from(Vec::<String>::new()));
}

#[test]
fn functions_that_fit_equally_well_are_shown() {
    let (error, labels) = said(
        "int f(int a, float b) { return 1; }\n\
         int f(float a, int b) { return 2; }\n\
         int f(float a, float b, int c) { return 3; }\n\
         int main() { return f(1, 1); }\n",
    );
    assert_eq!(error["name"], "ambiguous-call");
    assert_eq!(labels, [(1, 5, "this one fits".to_owned()), (2, 5, "this one fits".to_owned())]);
}

#[test]
fn of_many_functions_the_nearest_are_shown_and_the_others_counted() {
    let mut text = String::new();
    for n in 2..10 {
        let parameters: Vec<String> = (0..n).map(|k| format!("bool a{k}")).collect();
        text += &format!("int f({}) {{ return {n}; }}\n", parameters.join(", "));
    }
    text += "int f(bool a) { return 1; }\nint main() { return f(1.5f); }\n";
    let (error, labels) = said(&text);
    assert_eq!(error["name"], "no-overload");
    assert_eq!((labels.len(), &labels[0].2[..]), (5, "argument 1 is `float`, which does not become this by itself"));
    assert_eq!(error["notes"], Value::from(vec!["and 4 more".to_owned()]));
}
