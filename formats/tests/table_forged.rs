//! Files that were not damaged by accident: every checksum is right, but the content is not. A
//! reader must neither panic nor take memory that the file does not justify.

use std::fs;
use std::ops::Range;
use std::sync::LazyLock;

use damabase_formats::table::{
    Compression, Counts, DONT_CARE, Metadata, TableInfo, Values, WriteOptions, write_table,
};
use damabase_formats::{Metric, TableError, TableFile, TableId, ToMove, positions};
use damabase_rules::VariantId;
use proptest::prelude::*;
use twox_hash::XxHash3_64;

/// Codes in no order, so that blocks are zstd frames.
struct Mixed(u64);

impl Values for Mixed {
    fn read(&self, _: ToMove, range: Range<u64>, out: &mut [u16]) {
        for (index, code) in range.zip(out) {
            *code = (index * index / 3 % self.0) as u16;
        }
    }
}

fn table(max_code: u16, metric: Metric, compression: Compression) -> Vec<u8> {
    let id = TableId::new(VariantId::Russian, "MvM".parse().unwrap(), metric);
    let all = positions(VariantId::Russian.variant().board, id.slice);
    let info = TableInfo {
        max_code,
        counts: vec![Counts { positions: all, wins: all, draws: 0, losses: 0 }],
        metadata: Metadata { generator: "test".into(), ..Metadata::default() },
        id,
    };
    let folder = tempfile::tempdir().unwrap();
    let options = WriteOptions {
        compression: Some(compression),
        level: 3,
        block_bytes: 128,
        ..WriteOptions::default()
    };
    write_table(folder.path(), &info, options, &Mixed(u64::from(max_code) + 1)).unwrap();
    fs::read(folder.path().join(info.id.file_name())).unwrap()
}

static NARROW: LazyLock<Vec<u8>> = LazyLock::new(|| table(2, Metric::Wld, Compression::Zstd));
static WIDE: LazyLock<Vec<u8>> = LazyLock::new(|| table(700, Metric::Dtw, Compression::Zstd));
static PHRASES: LazyLock<Vec<u8>> = LazyLock::new(|| table(2, Metric::Wld, Compression::Phrases));

fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

fn put(bytes: &mut [u8], at: usize, number: u64) {
    bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
}

/// Where the parts begin: models, directory, blocks.
fn parts(bytes: &[u8]) -> [u64; 3] {
    let lens = number(bytes, 120);
    let models = 168 + u64::from(lens as u32);
    let blocks = (bytes.len() as u64 - 8).saturating_sub(number(bytes, 128));
    [models, models + (lens >> 32), blocks]
}

/// Makes all checksums right, as the format document has them, as far as the parts can be found.
fn seal(bytes: &mut [u8]) {
    let sum = |seed, part: &[u8]| XxHash3_64::oneshot_with_seed(seed, part);
    let identity = sum(0, &bytes[..120]);
    let part = |bytes: &[u8], start: u64, end: u64| {
        bytes.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?).map(<[u8]>::to_vec)
    };
    let [models, directory, blocks] = parts(bytes);
    let mut start = 0;
    for entry in 0..blocks.saturating_sub(directory) / 16 {
        let at = directory + 16 * entry;
        let Some(fields) = part(bytes, at, at + 16) else { break };
        let end = number(&fields, 0);
        let stored = part(bytes, blocks.saturating_add(start), blocks.saturating_add(end));
        if let Some(stored) = stored {
            put(bytes, at as usize + 8, sum(identity.wrapping_add(entry), &stored));
        }
        start = end;
    }
    for (start, end, field) in
        [(168, models, 136), (models, directory, 144), (directory, blocks, 152)]
    {
        if let Some(part) = part(bytes, start, end) {
            put(bytes, field, sum(identity, &part));
        }
    }
    put(bytes, 160, sum(0, &bytes[..160]));
    let footer = bytes.len() - 8;
    put(bytes, footer, sum(0, &bytes[..footer]));
}

/// The file with another first block.
fn with_first_block(good: &[u8], stored: &[u8]) -> Vec<u8> {
    let [_, directory, blocks] = parts(good).map(|at| at as usize);
    let old = number(good, directory) as usize;
    let mut bytes = [&good[..blocks], stored, &good[blocks + old..]].concat();
    let shift = |at: usize, bytes: &mut [u8]| {
        let moved = number(bytes, at) + stored.len() as u64 - old as u64;
        put(bytes, at, moved);
    };
    for at in (directory..blocks).step_by(16) {
        shift(at, &mut bytes);
    }
    shift(128, &mut bytes);
    seal(&mut bytes);
    bytes
}

/// Reads everything there is.
fn read_all(bytes: Vec<u8>) -> Result<(), TableError> {
    let file = TableFile::new(bytes)?;
    let _ = file.metadata();
    for number in 0..file.header().blocks() {
        if let Ok(chunk) = file.chunk(number) {
            assert!(chunk.len() <= 8 << 20);
        }
        for place in [0, 1, 511, 512, u64::MAX] {
            let _ = file.code_in_place(number, place);
        }
    }
    let mut codes = [0; 100];
    let _ = file.read(ToMove::First, 0, &mut codes);
    let _ = file.read(ToMove::First, u64::MAX - 3, &mut codes);
    let _ = file.read(ToMove::Second, file.header().section(ToMove::Second).values, &mut codes);
    file.verify()
}

#[test]
fn a_sealed_file_is_the_file_itself() {
    let good = NARROW.clone();
    let mut sealed = good.clone();
    seal(&mut sealed);
    assert_eq!(sealed, good);
    let [_, directory, blocks] = parts(&good).map(|at| at as usize);
    let first = number(&good, directory) as usize;
    assert_eq!(with_first_block(&good, &good[blocks..blocks + first]), good);
    read_all(good).unwrap();
}

#[test]
fn blocks_that_decode_to_something_else_are_damaged() {
    let good = NARROW.clone();
    let frame = |packed: &[u8]| zstd::bulk::compress(packed, 3).unwrap();
    let varied = |len: usize| (0..len).map(|n| (n * 7 % 81) as u8).collect::<Vec<_>>();
    // A right one of the forged kind passes.
    assert!(read_all(with_first_block(&good, &frame(&varied(128)))).is_ok());
    // A frame that says it holds 2^60 bytes.
    let mut lying = vec![0x28, 0xb5, 0x2f, 0xfd, 0xe0];
    lying.extend((1u64 << 60).to_le_bytes());
    lying.extend([1, 0, 0]);
    let mut out_of_range = varied(128);
    out_of_range[100] = 81; // 3^4
    for stored in [
        frame(&varied(127)),
        frame(&varied(129)),
        frame(&vec![1; 1 << 20]),
        frame(&[]),
        lying,
        b"no frame at all".to_vec(),
        frame(&varied(128))[..60].to_vec(),
        frame(&out_of_range),
        vec![81],
        // A skippable frame of no bytes.
        vec![0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0],
    ] {
        let bytes = with_first_block(&good, &stored);
        let file = TableFile::new(bytes.clone()).unwrap();
        assert!(matches!(read_all(bytes), Err(TableError::Damaged { .. })), "{stored:?}");
        // The other blocks can still be read.
        file.chunk(1).unwrap();
    }
    // The last block ends before the blocks do.
    let mut bytes = good.clone();
    let last = parts(&good)[2] as usize - 16;
    put(&mut bytes, last, number(&good, last) - 1);
    seal(&mut bytes);
    assert!(TableFile::new(bytes).is_err());
    // Too short and too long to be blocks: refused at once.
    assert!(TableFile::new(with_first_block(&good, &[])).is_err());
    assert!(TableFile::new(with_first_block(&good, &[0; 10_000])).is_err());
}

#[test]
fn lengths_and_counts_that_cannot_be_are_refused() {
    let good = NARROW.clone();
    for at in (72..160).step_by(8) {
        for value in [0, 1, 1 << 20, 1 << 40, 1 << 63, u64::MAX - 7, u64::MAX, u64::MAX / 16] {
            let mut bytes = good.clone();
            if number(&good, at) == value {
                continue;
            }
            put(&mut bytes, at, value);
            seal(&mut bytes);
            // `seal` puts the checksums of the parts right again.
            let is_sum = (136..160).contains(&at);
            let result = read_all(bytes);
            assert!(is_sum || result.is_err(), "{value:#x} at {at}");
        }
    }
    for (at, value) in [
        (11, 9),
        (12, 0),
        (12, 12),
        (12, 255),
        (13, 11),
        (14, 0),
        (15, 200),
        (16, b'R'),
        (31, b'x'),
        (32, 0),
        (32, 0xff),
        (64, 1),
        (64, 3),
        (65, 1),
        (66, 5),
        (67, 2),
        (68, 0),
        (68, 127),
        (71, 1),
        (71, 255),
    ] {
        let mut bytes = good.clone();
        bytes[at] = value;
        seal(&mut bytes);
        assert!(read_all(bytes).is_err(), "{value} at {at}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn no_forged_file_does_harm(
        which in 0..3usize,
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..5),
        header_only: bool,
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        let mut bytes = [&NARROW, &WIDE, &PHRASES][which].to_vec();
        let len = bytes.len();
        for (at, byte) in edits {
            bytes[at.index(if header_only { 168 } else { len })] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(168 + cut.index(len - 168).max(8));
        }
        seal(&mut bytes);
        let _ = read_all(bytes);
    }

    #[test]
    fn no_bytes_do_harm(bytes in prop::collection::vec(any::<u8>(), 0..600), magic: bool) {
        let mut bytes = bytes;
        if magic && bytes.len() >= 176 {
            bytes[..11].copy_from_slice(b"\x89DMB\r\n\x1a\n\x02\x00\x01");
            seal(&mut bytes);
        }
        prop_assert!(TableFile::new(bytes).is_err());
    }
}

#[test]
fn dont_cares_never_reach_a_file() {
    struct Open;
    impl Values for Open {
        fn read(&self, _: ToMove, _: Range<u64>, out: &mut [u16]) {
            out.fill(DONT_CARE);
        }
    }
    let id = TableId::new(VariantId::English, "KvM".parse().unwrap(), Metric::Budget);
    let all = positions(VariantId::English.variant().board, id.slice);
    let counts = vec![Counts { positions: all, wins: 0, draws: all, losses: 0 }; 2];
    let info = TableInfo { max_code: 0, counts, metadata: Metadata::default(), id };
    let folder = tempfile::tempdir().unwrap();
    write_table(folder.path(), &info, WriteOptions::default(), &Open).unwrap();
    let file = TableFile::open(&folder.path().join("KvM.budget")).unwrap();
    file.verify().unwrap();
    let mut codes = vec![7; 32 * 28];
    file.read(ToMove::Second, 0, &mut codes).unwrap();
    assert!(codes.iter().all(|&code| code == 0));
}
