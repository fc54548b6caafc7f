//! A large array that threads fill chunk by chunk, in memory or, once full, in a mapped file.

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::Arc;

use memmap2::Mmap;

/// Types whose values are their bytes: no padding, every bit pattern is a value.
///
/// # Safety
/// The implementer vouches for that.
pub(super) unsafe trait Plain: Copy + Send + Sync + 'static {}

// SAFETY: integers have no padding and no invalid patterns.
unsafe impl Plain for u8 {}
// SAFETY: as above.
unsafe impl Plain for u16 {}

/// An array of equal chunks. Each is written once, by one thread, before anybody reads it.
pub(super) struct Chunks<T> {
    start: NonNull<T>,
    /// Elements of all chunks.
    elements: usize,
    /// Elements of a chunk.
    len: usize,
    owner: Owner<T>,
}

/// What keeps the elements alive.
enum Owner<T> {
    Memory(#[allow(dead_code)] Box<[UnsafeCell<T>]>),
    File(#[allow(dead_code)] Arc<Mmap>),
}

// SAFETY: the array owns its elements, which can be sent.
unsafe impl<T: Plain> Send for Chunks<T> {}
// SAFETY: the array hands out mutable access only through the unsafe `write`, whose caller
// vouches that nobody else touches the chunk.
unsafe impl<T: Plain> Sync for Chunks<T> {}

impl<T: Plain> Chunks<T> {
    /// `count` chunks of `len` elements, all bytes 0. Pages that are never written take no memory.
    pub fn new(count: usize, len: usize) -> Self {
        let elements = count * len;
        // SAFETY: every pattern is a value of a plain type, that of zeros too, and a cell has the
        // layout of what it holds.
        let cells = unsafe { Box::<[UnsafeCell<T>]>::new_zeroed_slice(elements).assume_init() };
        let start = NonNull::from(&*cells).cast();
        Chunks { start, elements, len, owner: Owner::Memory(cells) }
    }

    /// Chunks of `len` elements that are the bytes `from..from + size_bytes` of a mapped file.
    /// None where the place does not suit the type.
    pub fn mapped(map: &Arc<Mmap>, from: usize, size_bytes: usize, len: usize) -> Option<Self> {
        let bytes = map.get(from..from.checked_add(size_bytes)?)?;
        let start = NonNull::from(bytes).cast::<T>();
        if !start.is_aligned() || !size_bytes.is_multiple_of(size_of::<T>()) {
            return None;
        }
        let elements = size_bytes / size_of::<T>();
        Some(Chunks { start, elements, len, owner: Owner::File(Arc::clone(map)) })
    }

    /// The elements as bytes.
    ///
    /// # Safety
    /// Nobody writes while the reference lives.
    pub unsafe fn bytes(&self) -> &[u8] {
        let size_bytes = self.elements * size_of::<T>();
        // SAFETY: all elements are initialised and have no padding; nobody writes.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr() as *const u8, size_bytes) }
    }

    /// Bytes of memory that the array takes; none where it lies in a file.
    pub fn memory_bytes(&self) -> u64 {
        match self.owner {
            Owner::Memory(_) => (self.elements * size_of::<T>()) as u64,
            Owner::File(_) => 0,
        }
    }

    /// A chunk to be written.
    ///
    /// # Safety
    /// Until the reference is gone, nobody else reads or writes this chunk.
    ///
    /// # Panics
    /// Where the array lies in a file.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn write(&self, chunk: usize) -> &mut [T] {
        assert!(matches!(self.owner, Owner::Memory(_)), "files are not written");
        assert!((chunk + 1) * self.len <= self.elements);
        // SAFETY: the range is in bounds, the elements are in cells that may be written through a
        // shared reference, and the caller vouches that this one is the only one.
        unsafe {
            std::slice::from_raw_parts_mut(self.start.as_ptr().add(chunk * self.len), self.len)
        }
    }

    /// An element.
    ///
    /// # Safety
    /// Nobody writes its chunk at the same time.
    #[inline]
    pub unsafe fn get(&self, chunk: usize, element: usize) -> T {
        debug_assert!(element < self.len);
        let place = chunk * self.len + element;
        assert!(place < self.elements);
        // SAFETY: in bounds; the caller vouches that nobody writes.
        unsafe { *self.start.as_ptr().add(place) }
    }

    /// Neighbouring elements of a chunk.
    ///
    /// # Safety
    /// Nobody writes the chunk while the reference lives.
    #[inline]
    pub unsafe fn read(&self, chunk: usize, first: usize, len: usize) -> &[T] {
        let place = chunk * self.len + first;
        assert!(first + len <= self.len && place + len <= self.elements);
        // SAFETY: in bounds; the caller vouches that nobody writes.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr().add(place), len) }
    }
}

/// An array of which threads write different parts.
pub(super) struct Shared<'a, T> {
    start: NonNull<T>,
    elements: usize,
    array: PhantomData<&'a mut [T]>,
}

// SAFETY: mutable access is handed out only through the unsafe `range`, whose caller vouches that
// nobody else touches the part.
unsafe impl<T: Send + Sync> Sync for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    pub fn new(array: &'a mut [T]) -> Self {
        let elements = array.len();
        Shared { start: NonNull::from(array).cast(), elements, array: PhantomData }
    }

    /// A part to be written.
    ///
    /// # Safety
    /// Until the reference is gone, nobody else reads or writes this part.
    #[inline]
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn range(&self, first: usize, len: usize) -> &mut [T] {
        assert!(first.checked_add(len).is_some_and(|end| end <= self.elements));
        // SAFETY: in bounds of an array that is borrowed mutably; the caller vouches that nobody
        // else has this part.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr().add(first), len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_fill_chunks_side_by_side() {
        let chunks = Chunks::<u16>::new(8, 3);
        std::thread::scope(|scope| {
            for chunk in 0..7 {
                let chunks = &chunks;
                // SAFETY: each thread has a chunk of its own.
                scope.spawn(move || unsafe { chunks.write(chunk) }.fill(chunk as u16));
            }
        });
        // SAFETY: nobody writes any more.
        unsafe {
            assert_eq!(chunks.get(3, 2), 3);
            assert_eq!(chunks.read(6, 1, 2), [6, 6]);
            assert_eq!(chunks.read(7, 0, 3), [0; 3]);
            assert_eq!(chunks.bytes().len(), 48);
        }
        assert_eq!(chunks.memory_bytes(), 48);
    }

    #[test]
    #[should_panic(expected = "place < self.elements")]
    fn what_is_out_of_bounds_is_never_read() {
        let chunks = Chunks::<u8>::new(2, 2);
        // SAFETY: nobody writes.
        unsafe { chunks.get(2, 0) };
    }
}
