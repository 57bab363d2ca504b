//! Streams that lie in memory lane by lane, a₀ b₀ c₀ a₁ b₁ c₁ …, taken apart: [`interleaved`](super::interleave) backwards.
//!
//! They are taken a register of each at a time, for which there are as many registers of memory. Where the machine looks lanes up in two
//! registers at once, every other lane of two is one of these. Elsewhere blocks of 128 bits change places first, such that block b of a
//! stream is made of block b of each register:
//!
//! ```text
//! of k registers     p₀ = blocks 0, k, 2k …     p₁ = blocks 1, k + 1, 2k + 1 …     …
//! of two streams     every other lane of a pair; bytes and words look up even ones in front and odd ones behind, then halves are unpacked
//! of 4 or 8          likewise: the lanes of a stream stand side by side, then these groups are transposed by unpacking
//! of 3, 5 or 7       at each place of the block another register has the stream's lane: they are blended, and the lanes put in order
//! of 6               pairs of three
//! ```

use super::interleave::{BLOCK, Within};
use crate::machine::Machine;
use crate::vector::ir::*;
use crate::vector::writer::Writer;

/// `count` streams of a type out of the registers that they fill. Each has at most a register's lanes, or there is one for each of its parts.
pub(super) fn separated(writer: &mut Writer<'_>, machine: &Machine, ty: Type, memory: &[Value], count: usize) -> Vec<Value> {
    let lanes = writer.function.ty(memory[0]).length;
    let within = Within::of(ty.with_length(lanes), machine);
    let parts: Vec<Vec<Value>> = memory.chunks(count).map(|part| within.apart(writer, part)).collect();
    (0..count).map(|stream| writer.concatenated(parts.iter().map(|part| part[stream]).collect())).collect()
}

impl Within<'_> {
    /// One register of each stream.
    fn apart(&self, writer: &mut Writer<'_>, memory: &[Value]) -> Vec<Value> {
        if let Some(across) = self.across() {
            return across.separated(writer, memory.to_vec(), &|within, writer, pair| within.every_other(writer, pair));
        }
        let pieces = self.blocks_in_place(writer, memory);
        self.taken_apart(writer, pieces)
    }

    /// Of k registers, k of which the first has blocks 0, k, 2k …, the next 1, k + 1 …
    fn blocks_in_place(&self, writer: &mut Writer<'_>, memory: &[Value]) -> Vec<Value> {
        if self.lanes == self.block || memory.len() == 1 {
            return memory.to_vec();
        }
        let ty = writer.function.ty(memory[0]);
        let longs = Type::new(Element::I64, (self.size * u64::from(self.lanes) / 8) as u8);
        if self.size <= 2 {
            let within = Within::of(longs, self.machine);
            let memory: Vec<Value> = memory.iter().map(|&value| writer.emit(Op::Reinterpret(value), longs)).collect();
            let placed = within.blocks_in_place(writer, &memory);
            return placed.into_iter().map(|value| writer.emit(Op::Reinterpret(value), ty)).collect();
        }
        let (blocks, count) = (usize::from(self.lanes / self.block), memory.len());
        if count.is_power_of_two() && count <= blocks {
            return self.separated(writer, memory.to_vec(), &|within, writer, pair| within.every_other_block(writer, pair));
        }
        let piece = |piece: usize| {
            let of_memory = (0..blocks).map(|block| block * count + piece);
            let sources: Vec<(usize, usize)> = of_memory.map(|block| (block / blocks, block % blocks)).collect();
            self.assembled(writer, memory, &sources)
        };
        (0..count).map(piece).collect()
    }

    /// Streams whose lanes lie one after another in the blocks of each piece.
    fn taken_apart(&self, writer: &mut Writer<'_>, pieces: Vec<Value>) -> Vec<Value> {
        let count = pieces.len();
        let is_looked_up = self.size <= 2 && !self.machine.byte_shuffles.is_empty();
        let fits = count.is_power_of_two() && count <= usize::from(self.block);
        match () {
            () if fits && count == usize::from(self.block) => self.unpacked(writer, pieces),
            () if fits && is_looked_up => self.transposed(writer, pieces),
            () => self.separated(writer, pieces, &|within, writer, pair| match is_looked_up {
                true => within.transposed(writer, pair.to_vec()).try_into().expect("of two streams two"),
                false => within.every_other(writer, pair),
            }),
        }
    }

    /// Lanes of 2ⁿ streams side by side, as one number; then that is transposed.
    fn transposed(&self, writer: &mut Writer<'_>, pieces: Vec<Value>) -> Vec<Value> {
        let ty = writer.function.ty(pieces[0]);
        let count = pieces.len() as i16;
        let group = i16::from(self.block) / count;
        let element = Element::integer(self.size * group as u64).expect("a block of 16 bytes has two groups at least");
        let numbers = Type::new(element, self.lanes / group as u8);
        let grouped = |piece: Value| {
            let lanes = self.in_each_block(|k| k % group * count + k / group);
            let grouped = writer.shuffle([piece, piece], lanes);
            writer.emit(Op::Reinterpret(grouped), numbers)
        };
        let grouped: Vec<Value> = pieces.into_iter().map(grouped).collect();
        let within = Within { block: count as u8, lanes: numbers.length, size: numbers.element.size(), machine: self.machine };
        let streams = within.unpacked(writer, grouped);
        streams.into_iter().map(|stream| writer.emit(Op::Reinterpret(stream), ty)).collect()
    }

    /// Streams of which pairs are halved by a way to take every other lane, and an odd number of them blended.
    fn separated(&self, writer: &mut Writer<'_>, pieces: Vec<Value>, halves: &Halves<'_>) -> Vec<Value> {
        match pieces.len() {
            1 => pieces,
            count if count % 2 == 1 => {
                let is_across = u64::from(self.block) * self.size > BLOCK;
                let one =
                    |stream| if is_across { self.picked(writer, &pieces, stream) } else { self.blended(writer, &pieces, stream) };
                (0..count).map(one).collect()
            }
            _ => {
                let pairs = pieces.chunks(2).map(|pair| halves(self, writer, [pair[0], pair[1]]));
                let (even, odd): (Vec<Value>, Vec<Value>) = pairs.map(|[even, odd]| (even, odd)).unzip();
                let (even, odd) = (self.separated(writer, even, halves), self.separated(writer, odd, halves));
                even.into_iter().zip(odd).flat_map(|(even, odd)| [even, odd]).collect()
            }
        }
    }

    /// Of an odd number of streams: each place of a block has the stream's lane in one piece.
    fn blended(&self, writer: &mut Writer<'_>, pieces: &[Value], stream: usize) -> Value {
        let (block, count) = (usize::from(self.block), pieces.len());
        let home = |place: i16| (0..count).find(|piece| (piece * block + place as usize) % count == stream).expect("one of them");
        let mut made: Option<Value> = None;
        for (piece, &value) in pieces.iter().enumerate() {
            if (0..self.block).all(|place| home(place.into()) != piece) {
                continue;
            }
            made = Some(match made {
                None => value,
                Some(others) => {
                    let lane = |lane: u8| {
                        let is_here = home(i16::from(lane % self.block)) == piece;
                        i16::from(lane) + if is_here { i16::from(self.lanes) } else { 0 }
                    };
                    writer.shuffle([others, value], (0..self.lanes).map(lane).collect())
                }
            });
        }
        let made = made.expect("a stream has lanes");
        writer.shuffle([made, made], self.in_each_block(|lane| ((lane as usize * count + stream) % block) as i16))
    }

    /// From two registers at a time, each further one beside what is in place.
    fn picked(&self, writer: &mut Writer<'_>, pieces: &[Value], stream: usize) -> Value {
        let (lanes, count) = (usize::from(self.lanes), pieces.len());
        let mut made = pieces[0];
        for (piece, &value) in pieces.iter().enumerate().skip(1) {
            let from = |lane: usize| {
                let (home, place) = ((lane * count + stream) / lanes, (lane * count + stream) % lanes);
                match () {
                    () if home == piece => (lanes + place) as i16,
                    () if piece == 1 && home == 0 => place as i16,
                    () => lane as i16,
                }
            };
            made = writer.shuffle([made, value], (0..lanes).map(from).collect());
        }
        made
    }

    /// The even and the odd lanes of the blocks of two vectors.
    fn every_other(&self, writer: &mut Writer<'_>, pair: [Value; 2]) -> [Value; 2] {
        let half = i16::from(self.block / 2);
        [0, 1].map(|first| {
            let lane = |k: i16| if k < half { 2 * k + first } else { i16::from(self.lanes) + 2 * (k - half) + first };
            writer.shuffle(pair, self.in_each_block(lane))
        })
    }

    /// The even and the odd blocks of two vectors.
    fn every_other_block(&self, writer: &mut Writer<'_>, pair: [Value; 2]) -> [Value; 2] {
        [0, 1].map(|first| {
            let lane = |k: u8| {
                let block = 2 * i16::from(k / self.block) + first;
                block * i16::from(self.block) + i16::from(k % self.block)
            };
            writer.shuffle(pair, (0..self.lanes).map(lane).collect())
        })
    }
}

/// The even ones and the odd ones of a pair.
type Halves<'h> = dyn Fn(&Within<'_>, &mut Writer<'_>, [Value; 2]) -> [Value; 2] + 'h;
