//! A large array that threads fill chunk by chunk.

use std::cell::UnsafeCell;

/// An array of equal chunks. Each is written once, by one thread, before anybody reads it.
pub(super) struct Chunks<T> {
    cells: Box<[UnsafeCell<T>]>,
    len: usize,
}

// SAFETY: the array hands out mutable access only through the unsafe `write`, whose caller
// vouches that nobody else touches the chunk.
unsafe impl<T: Send + Sync> Sync for Chunks<T> {}

impl<T: Copy> Chunks<T> {
    /// `count` chunks of `len` elements, all of them `fill`.
    pub fn new(count: usize, len: usize, fill: T) -> Self {
        let cells = (0..count * len).map(|_| UnsafeCell::new(fill)).collect();
        Chunks { cells, len }
    }

    /// A chunk to be written.
    ///
    /// # Safety
    /// Until the reference is gone, nobody else reads or writes this chunk.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn write(&self, chunk: usize) -> &mut [T] {
        let cells = &self.cells[chunk * self.len..][..self.len];
        // SAFETY: UnsafeCell<T> has the layout of T, the range is in bounds, and the caller
        // vouches that the reference is the only one.
        unsafe { std::slice::from_raw_parts_mut(cells.as_ptr() as *mut T, self.len) }
    }

    /// An element.
    ///
    /// # Safety
    /// Nobody writes its chunk at the same time.
    #[inline]
    pub unsafe fn get(&self, chunk: usize, element: usize) -> T {
        debug_assert!(element < self.len);
        // SAFETY: in bounds by the slice index; the caller vouches that nobody writes.
        unsafe { *self.cells[chunk * self.len + element].get() }
    }

    /// Neighbouring elements of a chunk.
    ///
    /// # Safety
    /// Nobody writes the chunk while the reference lives.
    #[inline]
    pub unsafe fn read(&self, chunk: usize, first: usize, len: usize) -> &[T] {
        let cells = &self.cells[chunk * self.len..][first..first + len];
        // SAFETY: as in `write`, but shared: the caller vouches that nobody writes.
        unsafe { std::slice::from_raw_parts(cells.as_ptr() as *const T, len) }
    }
}
