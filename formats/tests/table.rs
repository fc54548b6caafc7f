//! Table files through the public interface: what is written is read; what is damaged is found.

use std::fs;
use std::ops::Range;
use std::path::Path;

use damabase_formats::table::{
    Compression, Counts, DONT_CARE, Layout, Metadata, ReadAt, SectionStatistics, TableInfo,
    TableWriter, Values, WriteOptions, is_left_out, remove_unfinished, write_table,
};
use damabase_formats::{Index, Metric, Slice, TableError, TableFile, TableId, ToMove, positions};
use damabase_rules::{International, Rules, Russian, VariantId, with_rules};

/// Codes that depend on the index value in no simple way; holes are left open.
struct Made {
    id: TableId,
    max_code: u16,
    /// Codes by who is to move.
    codes: Vec<Vec<u16>>,
}

impl Made {
    fn new(variant: VariantId, slice: &str, metric: Metric, max_code: u16) -> Made {
        let id = TableId::new(variant, slice.parse().unwrap(), metric);
        let section = |&to_move: &ToMove| {
            with_rules!(variant, G => {
                let index = Index::<G>::new(id.slice, to_move);
                let code = |n: u64| {
                    let mixed = (n + 1) * (n / 7 + 3) / 5 + to_move as u64;
                    let code = (mixed % (u64::from(max_code) + 1)) as u16;
                    index.unrank(n).map_or(DONT_CARE, |_| code)
                };
                (0..index.len()).map(code).collect()
            })
        };
        let codes = id.slice.sides().iter().map(section).collect();
        Made { id, max_code, codes }
    }

    fn code(&self, to_move: ToMove, index: u64) -> u16 {
        self.codes[to_move as usize][index as usize]
    }

    fn is_left_out(&self, to_move: ToMove, index: u64) -> bool {
        with_rules!(self.id.variant, G => {
            let position = Index::<G>::new(self.id.slice, to_move).unrank(index);
            position.is_some_and(|position| is_left_out(&position))
        })
    }

    fn info(&self) -> TableInfo {
        let all = positions(self.id.variant.variant().board, self.id.slice);
        let counts = Counts { positions: all, wins: all - 5, draws: 3, losses: 2 };
        let sections = self.id.slice.sides().len();
        TableInfo {
            id: self.id.clone(),
            max_code: self.max_code,
            counts: vec![counts; sections],
            metadata: Metadata {
                generator: "test 1".into(),
                sections: vec![SectionStatistics::default(); sections],
                notes: vec![("why".into(), "to test".into())],
                dictionary: Vec::new(),
            },
        }
    }

    fn write(&self, folder: &Path, options: WriteOptions) -> Vec<u8> {
        let size = write_table(folder, &self.info(), options, self).unwrap();
        let bytes = fs::read(folder.join(self.id.file_name())).unwrap();
        assert_eq!(bytes.len() as u64, size);
        bytes
    }

    fn assert_right<R: ReadAt>(&self, file: &TableFile<R>) {
        for &to_move in self.id.slice.sides() {
            let len = file.header().section(to_move).values;
            let mut codes = vec![0; len as usize];
            if len > 0 && !file.is_stored(to_move, 0) && !self.id.slice.is_symmetric() {
                let error = file.read(to_move, 0, &mut codes).unwrap_err();
                assert!(matches!(error, TableError::NotStored), "{error}");
                continue;
            }
            file.read(to_move, 0, &mut codes).unwrap();
            for (index, &code) in (0..).zip(&codes) {
                let expected = self.code(to_move, index);
                let is_free = expected == DONT_CARE
                    || !file.is_stored(to_move, index)
                    || file.header().leaves_out_threats() && self.is_left_out(to_move, index);
                assert!(is_free || expected == code, "{to_move:?} {index}");
                let (chunk, place) = file.locate(to_move, index);
                if let Some(in_place) = file.code_in_place(chunk, place) {
                    assert_eq!(in_place.unwrap(), code);
                }
            }
        }
    }
}

impl Values for Made {
    fn read(&self, to_move: ToMove, range: Range<u64>, out: &mut [u16]) {
        for (index, code) in range.zip(out) {
            *code = self.code(to_move, index);
        }
    }
}

const SMALL: WriteOptions = WriteOptions {
    layout: Some(Layout::Search),
    compression: Some(Compression::Zstd),
    level: 19,
    block_bytes: 64,
};
const PHRASES: WriteOptions = WriteOptions { compression: Some(Compression::Phrases), ..SMALL };
const COMPACT: WriteOptions = WriteOptions { layout: Some(Layout::Compact), ..PHRASES };

/// Where the parts begin: metadata, models, directory, blocks.
fn parts(bytes: &[u8]) -> [usize; 4] {
    let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let blocks_len = u64::from_le_bytes(bytes[128..136].try_into().unwrap()) as usize;
    let models = 168 + u32_at(120);
    [168, models, models + u32_at(124), bytes.len() - 8 - blocks_len]
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn what_is_written_is_read() {
    let folder = tempfile::tempdir().unwrap();
    for (variant, slice, metric, max_code) in [
        (VariantId::Russian, "KvK", Metric::Wld, 2),
        (VariantId::Russian, "KvM", Metric::Wld, 0),
        (VariantId::English, "MvM", Metric::Wld, 1),
        (VariantId::Brazilian, "KvM", Metric::Dtw, 300),
        (VariantId::International, "MvM", Metric::Wld, 2),
        (VariantId::International, "KvM", Metric::Dtc, 40),
        (VariantId::International, "KvM", Metric::Budget, 255),
    ] {
        let made = Made::new(variant, slice, metric, max_code);
        for options in [SMALL, PHRASES, COMPACT, WriteOptions::default()] {
            let bytes = made.write(folder.path(), options);
            let file = TableFile::new(bytes).unwrap();
            file.verify().unwrap();
            file.check_is(&made.id).unwrap();
            assert_eq!(file.metadata().unwrap(), made.info().metadata);
            assert_eq!(file.header().max_code, max_code);
            made.assert_right(&file);
        }
        let file = TableFile::open(&folder.path().join(made.id.file_name())).unwrap();
        file.verify().unwrap();
        made.assert_right(&file);
    }
    assert_eq!(names(folder.path()).len(), 6); // one name was used by two variants
}

#[test]
fn the_value_of_every_position_is_where_its_rank_says() {
    let folder = tempfile::tempdir().unwrap();
    let made = Made::new(VariantId::Russian, "KvM", Metric::Wld, 2);
    for options in [SMALL, PHRASES] {
        let file = TableFile::new(made.write(folder.path(), options)).unwrap();
        for &to_move in made.id.slice.sides() {
            let index = Index::<Russian>::new(made.id.slice, to_move);
            for number in 0..index.len() {
                let Some(position) = index.unrank(number) else { continue };
                let (slice, side) = Slice::of(&position);
                assert_eq!((slice, side), (made.id.slice, to_move));
                let (chunk, place) = file.locate(side, index.rank(&position));
                let code = file.chunk(chunk).unwrap()[place as usize];
                assert_eq!(code, made.code(to_move, number));
            }
        }
    }
}

#[test]
fn compact_tables_store_one_side_or_half() {
    let folder = tempfile::tempdir().unwrap();
    let zstd = WriteOptions { compression: Some(Compression::Zstd), ..COMPACT };
    for (slice, part, options) in [
        ("KvM", 0.5, COMPACT),
        ("KvM", 0.5, zstd),
        ("MvM", 0.52, COMPACT),
        ("MvM", 0.52, zstd),
        ("KvK", 1.0, COMPACT),
    ] {
        let made = Made::new(VariantId::Russian, slice, Metric::Wld, 2);
        let file = TableFile::new(made.write(folder.path(), options)).unwrap();
        file.verify().unwrap();
        let (mut stored, mut all) = (0, 0);
        for &to_move in made.id.slice.sides() {
            let index = Index::<Russian>::new(made.id.slice, to_move);
            all += index.len();
            for number in 0..index.len() {
                let is_stored = file.is_stored(to_move, number);
                stored += u64::from(is_stored);
                if made.id.slice.is_symmetric() {
                    assert_eq!(is_stored, !index.is_in_upper_half(number));
                }
            }
        }
        let found = stored as f64 / all as f64;
        assert!((found - part).abs() < 0.01, "{slice}: {found}");
    }
}

/// Whatever is done to a file, a reader must not tell a value that was never there.
fn error_or_right(made: &Made, bytes: Vec<u8>) -> Result<(), TableError> {
    let file = TableFile::new(bytes)?;
    file.check_is(&made.id)?;
    for &to_move in made.id.slice.sides() {
        let mut current = None;
        for index in 0..file.header().section(to_move).values {
            let expected = made.code(to_move, index);
            let (number, place) = file.locate(to_move, index);
            if current.as_ref().is_none_or(|(held, _)| *held != number) {
                current = Some((number, file.chunk(number)));
            }
            let decoded = current.as_ref().and_then(|(_, chunk)| chunk.as_ref().ok());
            let in_place = file.code_in_place(number, place).and_then(Result::ok);
            for code in [decoded.map(|chunk| chunk[place as usize]), in_place].into_iter().flatten()
            {
                assert!(expected == DONT_CARE || expected == code, "{to_move:?} {index}");
            }
        }
    }
    file.verify()
}

#[test]
fn a_flipped_byte_is_an_error_or_the_right_value() {
    let folder = tempfile::tempdir().unwrap();
    for (metric, max_code, options) in
        [(Metric::Wld, 2, SMALL), (Metric::Dtw, 700, SMALL), (Metric::Wld, 2, PHRASES)]
    {
        let made = Made::new(VariantId::Russian, "MvM", metric, max_code);
        let bytes = made.write(folder.path(), options);
        error_or_right(&made, bytes.clone()).unwrap();
        for at in 0..bytes.len() {
            for flip in [1, 0x10, 0x80, 0xff] {
                let mut bad = bytes.clone();
                bad[at] ^= flip;
                let result = error_or_right(&made, bad);
                assert!(result.is_err(), "byte {at} of {} with {flip:#x}", bytes.len());
            }
        }
    }
}

#[test]
fn each_part_is_checked_when_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let made = Made::new(VariantId::Russian, "MvM", Metric::Wld, 2);
    let bytes = made.write(folder.path(), SMALL);
    let [metadata, models, directory, blocks] = parts(&bytes);
    assert_eq!(models, directory);
    for at in 0..bytes.len() {
        let mut bad = bytes.clone();
        bad[at] ^= 1;
        // The header and the directory on opening, blocks and metadata when asked for.
        match TableFile::new(bad) {
            Err(_) => assert!(at < metadata || (directory..blocks).contains(&at), "byte {at}"),
            Ok(file) => {
                assert!((metadata..directory).contains(&at) || at >= blocks, "byte {at}");
                assert_eq!(file.metadata().is_err(), at < directory, "byte {at}");
                let bad_blocks = (0..file.header().blocks()).filter(|&n| file.chunk(n).is_err());
                let in_blocks = (blocks..bytes.len() - 8).contains(&at);
                assert_eq!(bad_blocks.count(), usize::from(in_blocks), "byte {at}");
            }
        }
    }
    // Models are needed for everything.
    let bytes = made.write(folder.path(), PHRASES);
    let [_, models, directory, _] = parts(&bytes);
    assert!(models < directory);
    for at in models..directory {
        let mut bad = bytes.clone();
        bad[at] ^= 1;
        assert!(TableFile::new(bad).is_err());
    }
}

#[test]
fn a_file_of_any_other_length_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let made = Made::new(VariantId::Russian, "MvM", Metric::Wld, 2);
    let bytes = made.write(folder.path(), SMALL);
    for len in 0..bytes.len() {
        let error = TableFile::new(bytes[..len].to_vec()).unwrap_err();
        assert!(matches!(error, TableError::Damaged { .. }), "{len}: {error}");
    }
    for more in [1, 8, 1000] {
        let mut longer = bytes.clone();
        longer.resize(bytes.len() + more, 0);
        assert!(TableFile::new(longer).is_err());
    }
}

#[test]
fn blocks_that_change_places_are_found() {
    let folder = tempfile::tempdir().unwrap();
    // A table of one value: all blocks have the same stored byte.
    let made = Made::new(VariantId::Russian, "MvM", Metric::Wld, 0);
    let bytes = made.write(folder.path(), WriteOptions { block_bytes: 2, ..SMALL });
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let [.., directory, blocks] = parts(&bytes);
    assert_eq!(bytes[blocks], bytes[blocks + 1]);
    // The checksums of two blocks with the same content differ all the same.
    assert_ne!(number(directory + 8), number(directory + 24));
}

#[test]
fn errors_tell_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let made = Made::new(VariantId::Russian, "MvM", Metric::Wld, 2);
    let bytes = made.write(folder.path(), SMALL);
    let with = |at: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        TableFile::new(bytes).unwrap_err()
    };
    assert!(matches!(with(8, 9), TableError::Unsupported { version: 9 }));
    assert_eq!(with(8, 9).to_string(), "table format version 9 is not supported");
    assert_eq!(
        with(10, 0).to_string(),
        "the file is damaged: expected a finished file, found a file that was never finished"
    );
    assert!(with(0, 0).to_string().starts_with("the magic number is damaged"));
    assert!(with(100, 77).to_string().starts_with("the header is damaged: expected checksum"));

    let other = TableId::new(VariantId::Brazilian, made.id.slice, Metric::Wld);
    let error = TableFile::new(bytes).unwrap().check_is(&other).unwrap_err();
    assert_eq!(error.to_string(), "wrong table: expected brazilian MvM wld, found russian MvM wld");
    let error = TableFile::open(&folder.path().join("absent")).unwrap_err();
    assert!(matches!(error, TableError::Io { .. }), "{error}");
}

#[test]
fn an_unfinished_file_leaves_nothing_and_replaces_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let made = Made::new(VariantId::Russian, "MvM", Metric::Wld, 2);
    let bytes = made.write(folder.path(), SMALL);

    let mut writer = TableWriter::create(folder.path(), &made.info(), SMALL, &made).unwrap();
    assert_eq!(names(folder.path()).len(), 2);
    writer.push(writer.encode(&made, 0).unwrap()).unwrap();
    // Blocks out of order, no such block, an end too early.
    assert!(writer.push(writer.encode(&made, 2).unwrap()).is_err());
    assert!(writer.encode(&made, writer.blocks()).is_err());
    assert!(writer.finish().is_err());
    assert_eq!(names(folder.path()), ["MvM.wld"]);
    assert_eq!(fs::read(folder.path().join("MvM.wld")).unwrap(), bytes);

    // What a killed process leaves.
    fs::write(folder.path().join("MvM.wld.tmp-1-0"), "half").unwrap();
    fs::write(folder.path().join("MvM.dtw.tmp-1-0"), "half").unwrap();
    remove_unfinished(folder.path(), &made.id).unwrap();
    assert_eq!(names(folder.path()), ["MvM.dtw.tmp-1-0", "MvM.wld"]);
}

#[test]
fn values_over_the_announced_greatest_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let made = Made::new(VariantId::Russian, "MvM", Metric::Wld, 2);
    let info = TableInfo { max_code: 1, ..made.info() };
    let error = write_table(folder.path(), &info, SMALL, &made).unwrap_err();
    assert!(matches!(error, TableError::Unwritable(_)), "{error}");
    assert!(names(folder.path()).is_empty());
}

#[test]
fn bytes_do_not_depend_on_the_order_of_encoding() {
    let folder = tempfile::tempdir().unwrap();
    let made = Made::new(International::ID, "KvM", Metric::Wld, 2);
    for options in [SMALL, PHRASES] {
        let bytes = made.write(folder.path(), options);
        let mut writer = TableWriter::create(folder.path(), &made.info(), options, &made).unwrap();
        let encoded: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..writer.blocks())
                .rev()
                .map(|block| {
                    let (writer, made) = (&writer, &made);
                    scope.spawn(move || writer.encode(made, block).unwrap())
                })
                .collect();
            threads.into_iter().rev().map(|thread| thread.join().unwrap()).collect()
        });
        for block in encoded {
            writer.push(block).unwrap();
        }
        writer.finish().unwrap();
        assert_eq!(fs::read(folder.path().join("KvM.wld")).unwrap(), bytes);
    }
}
