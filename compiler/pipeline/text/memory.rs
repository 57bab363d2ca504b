//! What the memory of the caller must be like: no output has a pixel in common with an input or another output.
//!
//! ```text
//! int64 scalar distance = ((uint8 scalar *scalar) in_data + in_first) - ((uint8 scalar *scalar) out_data + out_first);
//! if (!(distance >= out_bytes | -distance >= in_bytes)) return __p__s__refused(1, 0l, 0l, 0l, 0l);
//! ```

use super::super::expr::Source;
use super::super::loops::check::Subject;
use super::{Place, Writer};

impl Writer<'_> {
    /// What the memory of the caller must be like.
    pub(super) fn memory_checks(&mut self) {
        let mut all: Vec<(Source, Place)> = self.views.iter().map(|(source, place)| (*source, place.clone())).collect();
        all.sort_by_key(|(source, _)| *source);
        for (k, (source, place)) in all.iter().enumerate() {
            let Source::Func(output, _) = source else { continue };
            for (other, elsewhere) in &all[k + 1..] {
                let subject = match other {
                    Source::Func(id, _) => Subject::OutputOverlap(*output, *id),
                    Source::Input(id) => Subject::Overlap(*output, *id),
                };
                // Bytes from the one to the other; they are apart if that is no less than the first one's size.
                let bytes = |place: &Place| format!("((uint8 scalar *scalar) {} + {})", place.pointer, place.first);
                let distance = self.names.fresh("distance");
                self.line(&format!("int64 scalar {distance} = {} - {};", bytes(elsewhere), bytes(place)));
                let (size, other_size) = (place.bytes.clone(), elsewhere.bytes.clone());
                let interleaved = self.are_interleaved((*source, place), (*other, elsewhere), &distance);
                let are_apart = format!("({distance} >= {size} | -{distance} >= {other_size}{interleaved})");
                self.refuse_if(&format!("!({are_apart})"), subject);
            }
        }
        self.leave_strided();
    }

    /// Two views with the same stride in dimension 0, all other strides multiples of that, have no pixel in common if their
    /// distance is no multiple of it: the colours of an image that has them side by side.
    fn are_interleaved(&self, a: (Source, &Place), b: (Source, &Place), distance: &str) -> String {
        let size = |source: Source| match source {
            Source::Func(id, component) => self.nest.pipeline.func(id).elements[component].size(),
            Source::Input(id) => self.nest.pipeline.input(id).element.size(),
        };
        if size(a.0) != size(b.0) || a.1.mins.is_empty() || b.1.mins.is_empty() {
            return String::new();
        }
        let step = &a.1.first_stride;
        let others = a.1.strides.iter().chain(&b.1.strides).flatten().map(|stride| format!(" & {stride} % {step} == 0l"));
        let others: String = others.collect();
        format!(
            " | ({step} > 1l & {} == {step}{others} & {distance} % {size}l == 0l & {distance} / {size}l % {step} != 0l)",
            b.1.first_stride,
            size = size(a.0)
        )
    }
}
