//! The twins in Rust: `core::arch` intrinsics, one module per instruction set.

#[path = "../hand/aobench.rs"]
#[macro_use]
mod aobench_source;
#[path = "../hand/kernels.rs"]
#[macro_use]
mod kernels_source;

#[path = "../hand/vector_avx2.rs"]
#[allow(clippy::missing_safety_doc, missing_docs)]
mod vector_avx2;
#[path = "../hand/vector_avx512.rs"]
#[allow(clippy::missing_safety_doc, missing_docs)]
mod vector_avx512;

/// Kernels for AVX2.
#[allow(
    clippy::missing_safety_doc,
    clippy::too_many_arguments,
    clippy::excessive_precision,
    clippy::approx_constant,
    missing_docs
)]
pub mod avx2 {
    use super::vector_avx2::*;
    macro_rules! steps {
        ($(fn $name:ident($($p:ident: $t:ty),*) $(-> $r:ty)? $body:block)*) => {
            $(#[allow(unused_unsafe)] #[target_feature(enable = "avx2,fma")] #[inline] pub unsafe fn $name($($p: $t),*) $(-> $r)? {
                // SAFETY: the processor has the features, and memory is only touched by the function that takes its address, whose caller vouches for it.
                unsafe { $body }
            })*
        };
    }
    kernels!("avx2,fma");
    aobench!(steps);
}

/// Kernels for AVX-512.
#[allow(
    clippy::missing_safety_doc,
    clippy::too_many_arguments,
    clippy::excessive_precision,
    clippy::approx_constant,
    missing_docs
)]
pub mod avx512 {
    use super::vector_avx512::*;
    macro_rules! steps {
        ($(fn $name:ident($($p:ident: $t:ty),*) $(-> $r:ty)? $body:block)*) => {
            $(#[allow(unused_unsafe)] #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma")] #[inline]
            pub unsafe fn $name($($p: $t),*) $(-> $r)? {
                // SAFETY: the processor has the features, and memory is only touched by the function that takes its address, whose caller vouches for it.
                unsafe { $body }
            })*
        };
    }
    kernels!("avx512f,avx512bw,avx512dq,avx512vl,fma");
    aobench!(steps);
}
