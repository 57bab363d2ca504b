//! The shape of what is emitted: where there are branches, masks and selects, and where there are none.
