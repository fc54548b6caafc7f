//! Working files: planes that no longer fit the memory, exactly as they were there.
//!
//! A working file is private to the machine that wrote it and to the run that needs it: it is
//! deleted when nothing depends on it any more, and one that does not check out is worked out
//! again. A header of [`HEADER_BYTES`] bytes (magic, byte order, variant, material, sizes and
//! checksums) is followed by the arrays of a plane, each from a multiple of [`ALIGN`].

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use damabase_formats::Material;
use damabase_formats::table::checksum;
use damabase_rules::Rules;
use memmap2::Mmap;

use super::plane::{ARRAYS, Plane};

const HEADER_BYTES: usize = 4096;
const ALIGN: usize = 64;
/// The last byte is the version of the layout.
const MAGIC: &[u8; 8] = b"DMBWORK\x02";
/// Reads otherwise on a machine with the other byte order.
const BYTE_ORDER: u16 = 0x0102;
/// Where sizes and then checksums begin.
const NUMBERS: usize = 16;

/// Where the working file of a plane is.
pub(super) fn path(folder: &Path, own: Material, opponent: Material) -> PathBuf {
    folder.join(format!("{own}v{opponent}.work"))
}

/// Everything of a header but its own checksum.
fn header<G: Rules>(
    own: Material,
    opponent: Material,
    sizes: [u64; ARRAYS],
    sums: [u64; ARRAYS],
) -> Vec<u8> {
    let mut header = MAGIC.to_vec();
    header.extend(BYTE_ORDER.to_ne_bytes());
    header.extend([own.men, own.kings, opponent.men, opponent.kings, G::VARIANT.game_type, 0]);
    for numbers in [sizes, sums] {
        header.extend(numbers.iter().flat_map(|number| number.to_ne_bytes()));
    }
    header
}

/// Writes a plane to its working file, under another name until it is whole, and gives the plane
/// as it lies in the file.
///
/// # Errors
/// Whatever the system reports.
pub(super) fn write<G: Rules>(folder: &Path, plane: &Plane<G>) -> io::Result<Plane<G>> {
    fs::create_dir_all(folder)?;
    let (own, opponent) = (plane.shape.own, plane.shape.opponent);
    let target = path(folder, own, opponent);
    let unfinished = target.with_extension(format!("tmp-{}", std::process::id()));
    // SAFETY: a plane is written to a file only once it is finished.
    let arrays = unsafe { plane.arrays() };
    let sizes = arrays.map(|bytes| bytes.len() as u64);
    let mut header = header::<G>(own, opponent, sizes, arrays.map(|bytes| checksum(0, bytes)));
    header.extend(checksum(0, &header).to_ne_bytes());
    header.resize(HEADER_BYTES, 0);
    let written = (|| {
        let mut file = File::create(&unfinished)?;
        file.write_all(&header)?;
        for bytes in arrays {
            file.write_all(bytes)?;
            file.write_all(&[0; ALIGN][..bytes.len().next_multiple_of(ALIGN) - bytes.len()])?;
        }
        file.sync_all()?;
        fs::rename(&unfinished, &target)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written?;
    open(folder, own, opponent, plane.digits())
}

/// The plane in a working file.
///
/// # Errors
/// Whatever the system reports; [`io::ErrorKind::NotFound`] where there is no such file and
/// [`io::ErrorKind::InvalidData`] where it is not whole, of something else or damaged.
pub(super) fn open<G: Rules>(
    folder: &Path,
    own: Material,
    opponent: Material,
    digits: usize,
) -> io::Result<Plane<G>> {
    let damaged = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_string());
    let file = File::open(path(folder, own, opponent))?;
    // SAFETY: working files are private to the generator, which never changes one that has its
    // name: it is written under another name, and replaced or deleted as a whole.
    let map = Arc::new(unsafe { Mmap::map(&file)? });
    let bytes = map.get(..HEADER_BYTES).ok_or_else(|| damaged("a header is missing"))?;
    let number =
        |place: usize| u64::from_ne_bytes(bytes[place..place + 8].try_into().expect("eight bytes"));
    let numbers = |from: usize| std::array::from_fn(|n| number(from + 8 * n));
    let (sizes, sums) = (numbers(NUMBERS), numbers(NUMBERS + 8 * ARRAYS));
    let expected = header::<G>(own, opponent, sizes, sums);
    if bytes[..expected.len()] != expected || checksum(0, &expected) != number(expected.len()) {
        return Err(damaged("the header is of another file or damaged"));
    }
    let mut from = HEADER_BYTES as u64;
    let places = sizes.map(|size| {
        let place = from;
        from = place
            .saturating_add(size.saturating_add(ALIGN as u64 - 1) / ALIGN as u64 * ALIGN as u64);
        (place as usize, size as usize)
    });
    if from != map.len() as u64 {
        return Err(damaged("the size is wrong"));
    }
    for ((place, size), sum) in places.into_iter().zip(sums) {
        if checksum(0, &map[place..place + size]) != sum {
            return Err(damaged("a checksum is wrong"));
        }
    }
    Plane::mapped(own, opponent, digits, &map, places).ok_or_else(|| damaged("the sizes are wrong"))
}

/// Removes the working file of a plane, if there is one, and the folder with the last of them.
pub(super) fn remove(folder: &Path, own: Material, opponent: Material) {
    // What cannot be removed is in nobody's way: the next run uses or replaces it.
    if fs::remove_file(path(folder, own, opponent)).is_ok() {
        let _ = fs::remove_dir(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planes::lanes::Lanes;
    use crate::planes::levels::Levels;
    use damabase_rules::Russian;

    fn material(men: u8, kings: u8) -> Material {
        Material { men, kings }
    }

    fn filled(digits: usize) -> Plane<Russian> {
        let plane = Plane::<Russian>::new(material(0, 1), material(1, 0), digits);
        for sub_slice in 0..plane.shape.sub_slices() {
            // SAFETY: one thread writes, and nobody reads yet.
            unsafe {
                for word in plane.fill(sub_slice) {
                    word.won = 0x1234_5678 * sub_slice as u64;
                    word.lost = !word.won;
                }
                let mut levels = Levels::default();
                let mut lanes = Lanes::default();
                lanes.put(!0, sub_slice as u16);
                levels.set_row(0, plane.shape.rows(), lanes.digits());
                plane.fill_numbers(sub_slice, &levels);
            }
        }
        plane
    }

    #[test]
    fn a_plane_comes_back_from_its_file() {
        let folder = tempfile::tempdir().unwrap();
        for digits in [0, 6, 15] {
            let plane = filled(digits);
            let written = write(folder.path(), &plane).unwrap();
            assert_eq!(written.memory_bytes(), 0);
            let read =
                open::<Russian>(folder.path(), material(0, 1), material(1, 0), digits).unwrap();
            // SAFETY: nobody writes.
            unsafe {
                assert_eq!(plane.arrays(), written.arrays());
                assert_eq!(plane.arrays(), read.arrays());
            }
        }
    }

    #[test]
    fn a_damaged_or_foreign_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (own, opponent) = (material(0, 1), material(1, 0));
        write(folder.path(), &filled(0)).unwrap();
        let file = path(folder.path(), own, opponent);
        let bytes = fs::read(&file).unwrap();
        let kind =
            || open::<Russian>(folder.path(), own, opponent, 0).map(|_| ()).unwrap_err().kind();
        for len in [0, 10, HEADER_BYTES, bytes.len() - 1] {
            fs::write(&file, &bytes[..len]).unwrap();
            assert_eq!(kind(), io::ErrorKind::InvalidData, "{len} bytes");
        }
        for place in [0, 9, 12, 20, 60, 71, HEADER_BYTES, HEADER_BYTES + 100] {
            let mut damaged = bytes.clone();
            damaged[place] ^= 0x40;
            fs::write(&file, damaged).unwrap();
            assert_eq!(kind(), io::ErrorKind::InvalidData, "byte {place}");
        }
        fs::write(&file, &bytes).unwrap();
        let other = open::<Russian>(folder.path(), own, opponent, 6).map(|_| ());
        assert_eq!(other.unwrap_err().kind(), io::ErrorKind::InvalidData, "plies are asked for");
        let other = open::<damabase_rules::English>(folder.path(), own, opponent, 0).map(|_| ());
        assert_eq!(other.unwrap_err().kind(), io::ErrorKind::InvalidData, "another variant");
        remove(folder.path(), own, opponent);
        assert_eq!(kind(), io::ErrorKind::NotFound);
    }
}
