//! Names of C, C++, GLSL and ispc that mean something there: what stands for them here.

/// What stands for a foreign name.
pub(super) struct Instead {
    /// Another name, which takes its place as it is.
    pub name: Option<&'static str>,
    /// What to write, in a few words.
    pub help: &'static str,
}

const fn name(name: &'static str, help: &'static str) -> Option<Instead> {
    Some(Instead { name: Some(name), help })
}

const fn words(help: &'static str) -> Option<Instead> {
    Some(Instead { name: None, help })
}

/// For a value.
pub(super) fn value(foreign: &str) -> Option<Instead> {
    match foreign {
        "NULL" | "nullptr" => name("null", "write `null`"),
        "programIndex" => name("lane_index", "write `lane_index`"),
        "programCount" => words("write `lengthof(v)` of a vector, or a length as a constant"),
        "lanemask" => name("current_mask", "write `current_mask`"),
        "taskIndex" | "taskCount" | "threadIndex" | "threadCount" => {
            words("write `parallel foreach (int i = 0 .. n)`: i counts the rounds")
        }
        "this" => words("functions stand outside of structs: write a parameter, `T &self`"),
        "TRUE" => name("true", "write `true`"),
        "FALSE" => name("false", "write `false`"),
        "INT_MAX" => name("2147483647", "write `2147483647`"),
        "FLT_MAX" => name("3.4028235e38f", "write `3.4028235e38f`"),
        "DBL_MAX" => name("1.7976931348623157e308", "write `1.7976931348623157e308`"),
        "FLT_EPSILON" => name("1.1920929e-7f", "write `1.1920929e-7f`"),
        "INFINITY" => name("(1.0f / 0.0f)", "write `1.0f / 0.0f`"),
        "NAN" => name("(0.0f / 0.0f)", "write `0.0f / 0.0f`"),
        "M_PI" => name("3.141592653589793", "write `3.141592653589793`"),
        _ => None,
    }
}

/// For a function.
pub(super) fn function(foreign: &str) -> Option<Instead> {
    match foreign {
        "printf" => words("write `print(\"% %\\n\", a, b)`: `%` alone stands for the next argument"),
        "fprintf" | "sprintf" | "snprintf" | "puts" | "putchar" | "println" => {
            words("write `print(\"%\\n\", a)`, which writes to standard output")
        }
        "scanf" | "fopen" | "fread" | "fwrite" | "getchar" => {
            words("files are read outside: C functions are declared by `extern \"C\"`")
        }
        "malloc" | "calloc" | "realloc" => words("write `new T[n]`"),
        "free" => words("write `delete p;`"),
        "memcpy" | "memmove" | "memset" => words("write `foreach (int i = 0 .. n) a[i] = b[i];`"),
        "exit" | "abort" => words("return from `main`, or `assert(false)`"),
        "exclusive_scan_add" => name("scan_add", "write `scan_add`"),
        "exclusive_scan_and" => name("scan_and", "write `scan_and`"),
        "exclusive_scan_or" => name("scan_or", "write `scan_or`"),
        "extract" => name("get", "write `get(v, i)`"),
        "insert" => words("write `set(v, x, i);`, which changes v"),
        "shift" => name("whole_reg_shr", "write `whole_reg_shr(v, n)`"),
        "packed_store_active" | "packed_store_active2" => name("packed_store", "write `packed_store(p, v)`"),
        "packed_load_active" => words("write `packed_load(p, &v)`"),
        "count_leading_zeros" => name("clz", "write `clz`"),
        "count_trailing_zeros" => name("ctz", "write `ctz`"),
        "atomic_add_global" | "atomic_add_local" => words("write `atomic_add(&place, value)`"),
        "fabs" | "fabsf" => name("abs", "write `abs`, which takes all numbers"),
        "fmin" | "fminf" => name("min", "write `min`, which takes all numbers"),
        "fmax" | "fmaxf" => name("max", "write `max`, which takes all numbers"),
        "sqrtf" => name("sqrt", "write `sqrt`: functions take `float` and `double`"),
        "sinf" => name("sin", "write `sin`: functions take `float` and `double`"),
        "cosf" => name("cos", "write `cos`: functions take `float` and `double`"),
        "expf" => name("exp", "write `exp`: functions take `float` and `double`"),
        "logf" => name("log", "write `log`: functions take `float` and `double`"),
        "powf" => name("pow", "write `pow`: functions take `float` and `double`"),
        "floorf" => name("floor", "write `floor`: functions take `float` and `double`"),
        "isnan" => words("write `x != x`"),
        "isinf" => words("write `abs(x) == 1.0f / 0.0f`"),
        "mix" | "lerp" => words("write `a + (b - a) * t`"),
        _ => None,
    }
}

/// For a type.
pub(super) fn of_type(foreign: &str) -> Option<Instead> {
    match foreign {
        "size_t" | "uintptr_t" | "u64" | "uint64_t" | "usize" => name("uint64", "write `uint64`"),
        "ssize_t" | "ptrdiff_t" | "intptr_t" | "i64" | "int64_t" | "isize" => name("int64", "write `int64`"),
        "uint32_t" | "u32" | "dword" => name("uint", "write `uint`"),
        "int32_t" | "i32" => name("int", "write `int`"),
        "uint16_t" | "u16" | "word" => name("uint16", "write `uint16`"),
        "int16_t" | "i16" => name("int16", "write `int16`"),
        "uint8_t" | "u8" | "byte" | "uchar" => name("uint8", "write `uint8`"),
        "int8_t" | "i8" => name("int8", "write `int8`"),
        "f32" | "float32" | "float32_t" => name("float", "write `float`"),
        "f16" | "half" | "_Float16" | "__fp16" => name("float16", "write `float16`"),
        "f64" | "float64" | "float64_t" => name("double", "write `double`"),
        "boolean" | "_Bool" => name("bool", "write `bool`"),
        "string" | "String" => words("there are no strings as values: a string is the format of `print`"),
        "let" | "var" => words("write the type, as in `float x = 1;`"),
        "vec2" | "vec3" | "vec4" | "float2" | "float3" | "float4" | "int2" | "int3" | "int4" => {
            words("define it, as in `struct vec3 { float x, y, z; };`; lanes are `float block[4]`")
        }
        _ => None,
    }
}
