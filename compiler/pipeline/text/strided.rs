//! Views whose pixels in dimension 0 do not lie side by side: the work is done on copies of them.
//!
//! ```text
//! if (in_stride_0 != 1l | out_stride_0 != 1l) return __p__auto__strided(out_view, in_view);
//! …                                                         the work
//!
//! int __p__auto__strided(__view1_int out_view, __view1_int in_view) {
//!     in_packed = a copy of in_view where its stride is not 1; out_packed = room for out_view
//!     int scalar result = __p__auto(out_packed, in_packed);
//!     if (result == 0) out_view = out_packed;
//!     return result;
//! }
//! ```
//! So the loops of the work always see neighbours side by side, and there is one version of them.

use super::super::expr::Source;
use super::{Place, ViewParameter, Writer};

impl Writer<'_> {
    /// The branch to the copies, behind the checks of what is the caller's.
    pub(super) fn leave_strided(&mut self) {
        let mut all: Vec<(Source, Place)> = self.views.iter().map(|(source, place)| (*source, place.clone())).collect();
        all.sort_by_key(|(source, _)| *source);
        let apart: Vec<String> =
            all.iter().filter(|(_, p)| !p.mins.is_empty()).map(|(_, p)| format!("{} != 1l", p.first_stride)).collect();
        if apart.is_empty() {
            return;
        }
        let arguments: Vec<&str> = self.parameters.iter().map(|(_, name)| name.as_str()).collect();
        let call = format!("{}__strided({})", self.function_name, arguments.join(", "));
        self.line(&format!("if ({}) return {call};", apart.join(" | ")));
    }

    /// The function that copies.
    pub(super) fn write_strided(&mut self, views: &[ViewParameter]) {
        let views: Vec<&ViewParameter> = views.iter().filter(|(_, _, rank, _)| *rank > 0).collect();
        if views.is_empty() {
            return;
        }
        let declared: Vec<String> = self.parameters.iter().map(|(ty, name)| format!("{ty} {name}")).collect();
        self.line(&format!("int scalar {}__strided({}) {{", self.function_name, declared.join(", ")));
        self.nested(|this| {
            let types = this.parameters.clone();
            let mut packed = Vec::new();
            for (view, source, rank, _) in &views {
                let ty = &types.iter().find(|(_, name)| name == view).expect("a parameter").0;
                let (copy, memory) = (this.names.fresh(&format!("{view}_packed")), this.names.fresh(&format!("{view}_memory")));
                let element = match source {
                    Source::Func(id, component) => this.nest.pipeline.func(*id).elements[*component],
                    Source::Input(id) => this.nest.pipeline.input(*id).element,
                };
                let element = element.name();
                this.line(&format!("{ty} {copy} = {view};"));
                this.line(&format!("{element} scalar *scalar {memory} = null;"));
                this.line(&format!("if ({view}.stride[0] != 1l) {{"));
                this.nested(|this| {
                    let sizes: Vec<String> = (0..*rank).map(|d| format!("(int64) max({view}.extent[{d}], 0)")).collect();
                    this.line(&format!("{memory} = new {element} scalar[{} + 1l];", sizes.join(" * ")));
                    this.line(&format!("{copy}.data = {memory};"));
                    this.line(&format!("{copy}.stride[0] = 1l;"));
                    for (d, size) in sizes.iter().enumerate().take(rank - 1) {
                        this.line(&format!("{copy}.stride[{}] = {copy}.stride[{d}] * {size};", d + 1));
                    }
                    if matches!(source, Source::Input(_)) {
                        this.copy(&copy, view, *rank);
                    }
                });
                packed.push((view, copy, memory));
            }
            let arguments: Vec<String> = types
                .iter()
                .map(|(_, name)| packed.iter().find(|(view, ..)| *view == name).map_or(name.clone(), |(_, copy, _)| copy.clone()))
                .collect();
            let result = this.names.fresh("result");
            this.line(&format!("int scalar {result} = {}({});", this.function_name, arguments.join(", ")));
            for ((view, source, rank, _), (_, copy, memory)) in views.iter().zip(&packed) {
                if matches!(source, Source::Func(..)) {
                    this.line(&format!("if ({result} == 0 & {view}.stride[0] != 1l) {{"));
                    this.nested(|this| this.copy(view, copy, *rank));
                }
                this.line(&format!("if ({view}.stride[0] != 1l) delete {memory};"));
            }
            this.line(&format!("return {result};"));
        });
    }

    /// All pixels of one view to the same places of another one.
    fn copy(&mut self, to: &str, from: &str, rank: usize) {
        let names: Vec<String> = (0..rank).map(|_| self.names.fresh("at")).collect();
        for (d, name) in names.iter().enumerate().rev() {
            self.line(&format!("foreach (int scalar {name} = 0 .. {from}.extent[{d}]) {{"));
            self.depth += 1;
        }
        let place = |view: &str| {
            let terms: Vec<String> = names.iter().enumerate().map(|(d, n)| format!("(int64) {n} * {view}.stride[{d}]")).collect();
            format!("*({view}.data + ({}))", terms.join(" + "))
        };
        self.line(&format!("{} = {};", place(to), place(from)));
        for _ in 0..rank {
            self.depth -= 1;
            self.line("}");
        }
    }
}
