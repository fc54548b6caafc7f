//! Where bytes of a table come from.

use std::fs::File;
use std::io;

/// Bytes that can be read at any place, from many threads at once.
pub trait ReadAt: Send + Sync {
    /// Number of bytes.
    ///
    /// # Errors
    /// Where it cannot be found out.
    fn size_bytes(&self) -> io::Result<u64>;

    /// Fills a buffer with the bytes that begin at `offset`.
    ///
    /// # Errors
    /// Where the bytes cannot be read, or are fewer.
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;

    /// The bytes where they lie, if they are in memory.
    fn borrow_at(&self, offset: u64, len: usize) -> Option<&[u8]> {
        let _ = (offset, len);
        None
    }
}

impl ReadAt for File {
    fn size_bytes(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    #[cfg(unix)]
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, buffer, offset)
    }

    #[cfg(windows)]
    fn read_exact_at(&self, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
        use std::os::windows::fs::FileExt;
        while !buffer.is_empty() {
            match self.seek_read(buffer, offset) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(len) => {
                    buffer = &mut buffer[len..];
                    offset += len as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl ReadAt for [u8] {
    fn size_bytes(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let bytes = self.borrow_at(offset, buffer.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        buffer.copy_from_slice(bytes);
        Ok(())
    }

    fn borrow_at(&self, offset: u64, len: usize) -> Option<&[u8]> {
        let start = usize::try_from(offset).ok()?;
        self.get(start..start.checked_add(len)?)
    }
}

impl ReadAt for Vec<u8> {
    fn size_bytes(&self) -> io::Result<u64> {
        self.as_slice().size_bytes()
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.as_slice().read_exact_at(buffer, offset)
    }

    fn borrow_at(&self, offset: u64, len: usize) -> Option<&[u8]> {
        self.as_slice().borrow_at(offset, len)
    }
}

impl<R: ReadAt + ?Sized> ReadAt for Box<R> {
    fn size_bytes(&self) -> io::Result<u64> {
        (**self).size_bytes()
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        (**self).read_exact_at(buffer, offset)
    }

    fn borrow_at(&self, offset: u64, len: usize) -> Option<&[u8]> {
        (**self).borrow_at(offset, len)
    }
}
