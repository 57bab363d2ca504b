//! What built-ins put where.

/// A built-in that puts lanes elsewhere, or takes them for bits. Lanes are taken whatever the mask; of a mask `m`, those that are active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RearrangeOp {
    /// (v): its bytes, as memory has them, as lanes of another width.
    Bits,
    /// (a, b) or (a, b, c, d), of one type: a₀ b₀ … a₁ b₁ …
    Interleave,
    /// (v): lane i takes lane first + i·step.
    Deinterleave {
        /// Below `step`.
        first: u8,
        /// A power of two.
        step: u8,
    },
    /// (v): a matrix row by row becomes the same column by column.
    Transpose {
        /// A power of two.
        rows: u8,
    },
    /// (a, b, n): lane i takes lane i + n, modulo 2N, of the 2N lanes of a then b.
    Align,
    /// (t, v): lane i takes lane v_i of t, modulo the length of t, which may be another one than the context's. The result has the
    /// length of v.
    LookUp,
    /// (m): bit i is lane i; a scalar `uint64`.
    MaskBits,
    /// (x), a scalar `uint64`: lane i is bit i.
    MaskOf,
    /// (v, m): the lanes of v where m is on, one after another, then zeros.
    Compress,
    /// (v, m): where m is on, the lanes of v one after another; elsewhere zeros.
    Expand,
}
