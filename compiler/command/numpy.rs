//! Arrays of NumPy, `.npy` files.
//!
//! ```text
//! shape (m, k), float32   ──►   index (i, j) of a definition of tensors, A(i, j)
//! shape (h, w), uint8     ──►   pixel (x, y) of a pipeline in column x and row y: its axes are y, x, and y, x, c where there are colours
//! ```
//! The type of a file is that of the parameter, to the bit; both byte orders and both orders of dimensions are read. Arrays have no minima:
//! where a result does not begin at 0, a note says so.

use super::picture::Array;
use ivlc::pipeline::algorithm::Notation;
use ivlc::types::Element;
use npyz::WriterBuilder;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

/// Is a file one of NumPy, by its name?
pub fn is_array(path: &str) -> bool {
    path.to_lowercase().ends_with(".npy")
}

/// What NumPy calls a type: its letter, and how many bytes it has.
fn of_numpy(element: Element) -> (char, u64) {
    let letter = match element {
        Element::Bool => 'b',
        Element::Int8 | Element::Int16 | Element::Int32 | Element::Int64 => 'i',
        Element::Uint8 | Element::Uint16 | Element::Uint32 | Element::Uint64 => 'u',
        Element::Float16 | Element::Float | Element::Double => 'f',
    };
    (letter, element.size())
}

/// Its name there.
fn name_of((letter, size): (char, u64)) -> String {
    match letter {
        'b' => "bool".to_owned(),
        'i' => format!("int{}", size * 8),
        'u' => format!("uint{}", size * 8),
        'f' => format!("float{}", size * 8),
        other => format!("`{other}{size}`"),
    }
}

/// The dimension of an array that an axis of a file is: rows stand in front of columns there.
fn dimension_of(axis: usize, rank: usize, notation: Notation) -> usize {
    match (notation, axis) {
        (Notation::Pipeline, 0 | 1) if rank > 1 => 1 - axis,
        (Notation::Pipeline | Notation::Tensors, _) => axis,
    }
}

/// The elements of `source` in another order: for each dimension, the dense one first, how many there are, and how far apart they
/// are in the source.
fn arranged(source: &[u8], size: usize, dimensions: &[(usize, usize)]) -> Vec<u8> {
    let count: usize = dimensions.iter().map(|(count, _)| count).product();
    let mut made = Vec::with_capacity(count * size);
    let mut at = vec![0usize; dimensions.len()];
    for _ in 0..count {
        let place: usize = at.iter().zip(dimensions).map(|(c, (_, stride))| c * stride).sum();
        made.extend_from_slice(&source[place * size..][..size]);
        for (c, (count, _)) in at.iter_mut().zip(dimensions) {
            *c += 1;
            if *c < *count {
                break;
            }
            *c = 0;
        }
    }
    made
}

/// Reads a file for an input of this type with so many dimensions.
///
/// # Errors
/// What is wrong with the file, or with its type or shape.
pub fn read(path: &Path, element: Element, rank: usize, notation: Notation) -> Result<Array, String> {
    let fail = |error: String| format!("{}: {error}", path.display());
    let file = File::open(path).map_err(|e| fail(e.to_string()))?;
    let file = npyz::NpyFile::new(BufReader::new(file)).map_err(|e| fail(format!("no .npy file: {e}")))?;
    let npyz::DType::Plain(found) = file.dtype() else { return Err(fail("its elements are records, not numbers".into())) };
    let letter = match found.type_char() {
        npyz::TypeChar::Bool => 'b',
        npyz::TypeChar::Int => 'i',
        npyz::TypeChar::Uint => 'u',
        npyz::TypeChar::Float => 'f',
        _ => return Err(fail(format!("its elements are `{found}`, not numbers"))),
    };
    let (own, wanted) = ((letter, found.size_field()), of_numpy(element));
    if own != wanted {
        let (own, wanted) = (name_of(own), name_of(wanted));
        return Err(fail(format!("it has {own}, and {wanted} is needed: save `array.astype(numpy.{wanted})`")));
    }
    let shape: Vec<i32> = file
        .shape()
        .iter()
        .map(|&extent| i32::try_from(extent).map_err(|_| fail(format!("{extent} elements in a dimension are too many"))))
        .collect::<Result<_, _>>()?;
    if shape.len() != rank {
        return Err(fail(format!("it has {} dimensions, and {rank} are needed", shape.len())));
    }
    let is_big = found.endianness() == npyz::Endianness::Big;
    let strides: Vec<usize> = file.strides().iter().map(|&stride| stride as usize).collect();
    // `Array` lays dimension 0 out as the dense one; the last one of tensors is.
    let mut axes: Vec<usize> = (0..rank).collect();
    axes.sort_by_key(|&axis| dimension_of(axis, rank, notation));
    if notation == Notation::Tensors {
        axes.reverse();
    }
    let dense_first: Vec<(i32, i32)> = axes.iter().map(|&axis| (0, shape[axis])).collect();
    let mut made = Array::new(element, &dense_first).map_err(fail)?;
    let size = element.size() as usize;
    let mut read = vec![0; made.bytes().len()];
    file.into_inner().read_exact(&mut read).map_err(|e| fail(format!("it ends too early: {e}")))?;
    if is_big {
        read.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
    let dimensions: Vec<(usize, usize)> = axes.iter().map(|&axis| (shape[axis] as usize, strides[axis])).collect();
    let bytes = made.bytes_mut();
    bytes.copy_from_slice(&arranged(&read, size, &dimensions));
    if element == Element::Bool {
        bytes.iter_mut().for_each(|byte| *byte = (*byte != 0).into());
    }
    if notation == Notation::Tensors {
        made.dimensions.reverse();
    }
    Ok(made)
}

/// A file with an array, little-endian, in C order.
///
/// # Errors
/// If it cannot be made.
pub fn encoded(array: &Array, notation: Notation) -> Result<Vec<u8>, String> {
    let (letter, size) = of_numpy(array.element);
    let order = if size == 1 { '|' } else { '<' };
    let ty: npyz::TypeStr = format!("{order}{letter}{size}").parse().map_err(|e| format!("{e}"))?;
    let rank = array.dimensions.len();
    let axes = || (0..rank).map(|axis| &array.dimensions[dimension_of(axis, rank, notation)]);
    let shape: Vec<u64> = axes().map(|d| d.extent.max(0) as u64).collect();
    // The last axis is the dense one.
    let dimensions = axes().rev().map(|d| (d.extent.max(0) as usize, d.stride as usize));
    let bytes = arranged(array.bytes(), array.element.size() as usize, &dimensions.collect::<Vec<_>>());
    let mut out = Vec::new();
    let dtype = npyz::DType::Plain(ty);
    macro_rules! write {
        ($type:ty) => {{
            let mut writer =
                npyz::WriteOptions::new().dtype(dtype).shape(&shape).writer(&mut out).begin_nd().map_err(|e| e.to_string())?;
            let numbers = bytes.chunks_exact(size_of::<$type>());
            let numbers = numbers.map(|number| <$type>::from_le_bytes(number.try_into().expect("as many bytes")));
            writer.extend(numbers).and_then(|()| writer.finish()).map_err(|e| e.to_string())?
        }};
    }
    match array.element {
        Element::Bool => {
            let mut writer =
                npyz::WriteOptions::new().dtype(dtype).shape(&shape).writer(&mut out).begin_nd().map_err(|e| e.to_string())?;
            writer.extend(bytes.iter().map(|&byte| byte != 0)).and_then(|()| writer.finish()).map_err(|e| e.to_string())?
        }
        Element::Int8 => write!(i8),
        Element::Int16 => write!(i16),
        Element::Int32 => write!(i32),
        Element::Int64 => write!(i64),
        Element::Uint8 => write!(u8),
        Element::Uint16 => write!(u16),
        Element::Uint32 => write!(u32),
        Element::Uint64 => write!(u64),
        Element::Float16 => write!(half::f16),
        Element::Float => write!(f32),
        Element::Double => write!(f64),
    }
    Ok(out)
}
