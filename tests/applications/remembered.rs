//! Functions of points whose values are remembered, as references of pyramids need them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A function of points whose values are remembered.
pub type Remembered<const N: usize, T> = Rc<dyn Fn([i32; N]) -> T>;

/// Remembers the values of a function.
pub fn remembered<const N: usize, T: Copy + 'static>(f: impl Fn([i32; N]) -> T + 'static) -> Remembered<N, T> {
    let known = RefCell::new(HashMap::new());
    Rc::new(move |point| {
        if let Some(&value) = known.borrow().get(&point) {
            return value;
        }
        let value = f(point);
        known.borrow_mut().insert(point, value);
        value
    })
}
