//! This directive breaks a rule of schedules.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 1010,
    name: "invalid-schedule",
    message: "this directive breaks a rule of schedules",
    why: "A schedule never changes what a pipeline computes. So each directive has a restriction (section 8 of the semantics of pipelines): loops of updates are not shifted or rounded, reduction loops keep their order and are not parallel, the loops of a func come before all that read it.",
    wrong: "pipeline p() -> f { fun f(x) = x; }\nschedule p.s { f.split(y, yo, yi, 4); }\nint main() { return 0; }\n",
    right: "pipeline p() -> f { fun f(x) = x; }\nschedule p.s { f.split(x, xo, xi, 4); }\nint main() { return 0; }\n",
};
