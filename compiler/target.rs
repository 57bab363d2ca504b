//! What code is generated for beside the machine: how freely floating-point operations may be rewritten, what becomes a part of its
//! callers, how loops are unrolled, where memory comes from and where text goes.

/// How floating-point operations may be rewritten (language.md §6), from the least freedom to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum FpMode {
    /// No contraction, no reassociation.
    #[default]
    Strict,
    /// Fused multiply-add within one expression.
    Contract,
    /// Reassociation, approximations, no NaN or infinity care.
    Fast,
}

/// Does a function become a part of its callers, and is it worth the work to optimise it? From the usual to the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Inlining {
    /// It may.
    #[default]
    Allowed,
    /// `[[noinline]]`: its callers call it.
    Never,
    /// Both `[[noinline]]` and `[[cold]]`: it runs rarely, for which its callers keep nothing ready, and is optimised all the same.
    Rare,
    /// `[[cold]]`: it runs rarely. Its callers call it, and it is compiled quickly rather than optimised.
    Cold,
}

/// How many rounds of a loop are written one behind another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Unrolling {
    /// As it seems best.
    #[default]
    Usual,
    /// `[[unroll]]`: all where their number is known, and else some.
    All,
    /// `[[unroll(n)]]`: so many; of one, none more. Of none, which no program says: the rounds are few, and no pass does several at once.
    Rounds(u8),
}

/// Where memory of a length that is known at run time comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Memory {
    /// `new`: the heap, until `delete`.
    Heap,
    /// `scratch`: the thread's own stack of such memory, until the end of the scope. What came last is given back first.
    Scratch,
}

/// Where text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Channel {
    /// Standard output: `print`.
    Output,
    /// Standard error: `eprint`.
    Error,
    /// It is kept as the reason why a pipeline does not start.
    Reason,
    /// It goes to standard error behind the reason that was kept, and the program ends with exit code 101.
    End,
}

impl Channel {
    /// Its word in the IRs; nothing for standard output.
    pub fn word(self) -> &'static str {
        match self {
            Channel::Output => "",
            Channel::Error => "error ",
            Channel::Reason => "reason ",
            Channel::End => "end ",
        }
    }
}

impl FpMode {
    /// The one of this name.
    pub fn from_name(name: &str) -> Option<FpMode> {
        [FpMode::Strict, FpMode::Contract, FpMode::Fast].into_iter().find(|mode| mode.name() == name)
    }

    /// Its name in attributes and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            FpMode::Strict => "strict",
            FpMode::Contract => "contract",
            FpMode::Fast => "fast",
        }
    }
}
