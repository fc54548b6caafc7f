//! What tables hold: sums of slices, and of one slice how long its wins take.

use std::collections::BTreeMap;
use std::sync::Arc;

use damabase_formats::table::Counts;
use damabase_formats::{Distance, Fen, Index, Metric, Slice, TableError, ToMove};
use damabase_generator::SliceStats;
use damabase_probe::{ProbeError, TableSet};
use damabase_rules::{Rules, Side, VariantId, can_capture};
use serde::Serialize;

/// Index values that are read at once.
const CHUNK: u64 = 1 << 16;
/// Positions that are shown of the longest wins, for each side to move.
const SHOWN: usize = 4;

/// What the tables of a game hold. Its serialised form is that of `damabase stats --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Statistics {
    /// The game.
    pub variant: &'static str,
    /// Each slice with each side to move.
    pub slices: Vec<SliceRow>,
    /// Sums over the slices with so many pieces.
    pub pieces: Vec<PiecesRow>,
    /// Number of files.
    pub files: usize,
    /// Their size in bytes.
    pub bytes: u64,
}

/// A slice with one side to move.
#[derive(Clone, Debug, Serialize)]
pub struct SliceRow {
    /// The slice.
    pub slice: String,
    /// The side to move: `first` or `second`.
    pub to_move: &'static str,
    /// Positions by value.
    #[serde(flatten)]
    pub numbers: Numbers,
    /// Plies of the longest win of the side to move, where a table of distances to the end tells it.
    pub longest_win: Option<u32>,
    /// Size of the slice's files in bytes, which hold both sides to move.
    pub bytes: u64,
}

/// All slices with a number of pieces and one side to move.
#[derive(Clone, Debug, Serialize)]
pub struct PiecesRow {
    /// The number of pieces.
    pub pieces: u32,
    /// The side to move: `first` or `second`.
    pub to_move: &'static str,
    /// Positions by value.
    #[serde(flatten)]
    pub numbers: Numbers,
}

/// Positions by value; wins and losses are those of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Numbers {
    /// All positions.
    pub positions: u64,
    /// Those that are won.
    pub wins: u64,
    /// Those that are drawn.
    pub draws: u64,
    /// Those that are lost.
    pub losses: u64,
}

impl Numbers {
    fn of(counts: Counts) -> Numbers {
        Numbers {
            positions: counts.positions,
            wins: counts.wins,
            draws: counts.draws,
            losses: counts.losses,
        }
    }

    fn add(&mut self, other: Numbers) {
        self.positions += other.positions;
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

impl Statistics {
    /// Sums up what tables say of themselves.
    pub fn new(variant: VariantId, slices: &[SliceStats]) -> Statistics {
        let mut rows = Vec::new();
        let mut pieces: BTreeMap<(u32, ToMove), Numbers> = BTreeMap::new();
        let (mut files, mut all_bytes) = (0, 0);
        for slice in slices {
            let bytes = slice.size_bytes.iter().map(|(_, bytes)| bytes).sum();
            files += slice.size_bytes.len();
            all_bytes += bytes;
            for side in &slice.sides {
                let numbers = Numbers::of(side.counts);
                let dtw = side.statistics.iter().find(|(metric, _)| *metric == Metric::Dtw);
                rows.push(SliceRow {
                    slice: slice.slice.to_string(),
                    to_move: side.to_move.name(),
                    numbers,
                    longest_win: dtw.and_then(|(_, facts)| facts.longest_win_plies),
                    bytes,
                });
                pieces.entry((slice.slice.pieces(), side.to_move)).or_default().add(numbers);
            }
        }
        let pieces = pieces
            .into_iter()
            .map(|((pieces, to_move), numbers)| PiecesRow {
                pieces,
                to_move: to_move.name(),
                numbers,
            })
            .collect();
        Statistics {
            variant: variant.variant().name,
            slices: rows,
            pieces,
            files,
            bytes: all_bytes,
        }
    }
}

/// How long the wins of a slice take.
#[derive(Clone, Debug, Serialize)]
pub struct Detail {
    /// The game.
    pub variant: &'static str,
    /// The slice.
    pub slice: String,
    /// What is counted: `dtw` or `dtc`; none where there is no table of distances.
    pub metric: Option<&'static str>,
    /// Each side to move.
    pub sides: Vec<SideDetail>,
}

/// How long the wins of a slice take with one side to move. Positions where the side to move can
/// capture are counted in `numbers` alone.
#[derive(Clone, Debug, Serialize)]
pub struct SideDetail {
    /// The side to move: `first` (White in the diagrams) or `second`.
    pub to_move: &'static str,
    /// Positions by value.
    #[serde(flatten)]
    pub numbers: Numbers,
    /// One in how many positions was looked at; 1 where all were.
    pub one_in: u64,
    /// Number of won positions by plies.
    pub wins_by_plies: Vec<Bin>,
    /// Number of lost positions by plies.
    pub losses_by_plies: Vec<Bin>,
    /// Positions of the longest wins.
    pub longest: Vec<Longest>,
}

/// A number of positions with one distance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Bin {
    /// The distance in plies.
    pub plies: u16,
    /// The number of positions.
    pub positions: u64,
}

/// A position with a long win.
#[derive(Clone, Debug, Serialize)]
pub struct Longest {
    /// Plies of the win.
    pub plies: u16,
    /// The position.
    pub fen: String,
}

/// Counts distances of a slice, looking at about `most` positions of each side to move, evenly
/// spread, where there are more. `None` where the slice has no table.
///
/// # Errors
/// [`ProbeError::Damaged`], [`ProbeError::Io`].
pub fn detail<G: Rules>(
    tables: &TableSet<G>,
    slice: Slice,
    most: u64,
) -> Result<Option<Detail>, ProbeError> {
    let has = |metric| tables.tables().any(|(id, _)| id.slice == slice && id.metric == metric);
    let metric = [Metric::Dtw, Metric::Dtc].into_iter().find(|&metric| has(metric));
    let Some(table) = metric.or(Some(Metric::Wld).filter(|&metric| has(metric))) else {
        return Ok(None);
    };
    let mut sides = Vec::new();
    for section in &tables.table(slice, table)?.header().sections {
        let mut side = SideDetail {
            to_move: section.to_move.name(),
            numbers: Numbers::of(section.counts),
            one_in: 1,
            wins_by_plies: Vec::new(),
            losses_by_plies: Vec::new(),
            longest: Vec::new(),
        };
        if let Some(metric) = metric {
            count(tables, slice, metric, section.to_move, most, &mut side)?;
        }
        sides.push(side);
    }
    Ok(Some(Detail {
        variant: G::VARIANT.name,
        slice: slice.to_string(),
        metric: metric.map(Metric::name),
        sides,
    }))
}

fn count<G: Rules>(
    tables: &TableSet<G>,
    slice: Slice,
    metric: Metric,
    to_move: ToMove,
    most: u64,
    detail: &mut SideDetail,
) -> Result<(), ProbeError> {
    let file = tables.table(slice, metric)?;
    let index = Index::<G>::new(slice, to_move);
    let side = if to_move == ToMove::First { Side::White } else { Side::Black };
    let (mut wins, mut losses) = (BTreeMap::<u16, u64>::new(), BTreeMap::<u16, u64>::new());
    detail.one_in = index.len().div_ceil(most.max(1)).max(1);
    let mut codes = vec![0u16; CHUNK as usize];
    let mut start = 0;
    while start < index.len() {
        let len = CHUNK.min(index.len() - start);
        let codes = &mut codes[..len as usize];
        file.read(to_move, start, codes)
            .map_err(|source| damaged(tables, slice, metric, source))?;
        for (number, &code) in (start..).zip(codes.iter()) {
            let Some(position) = index.unrank(number).filter(|p| !can_capture(p)) else { continue };
            match Distance::from_code(code) {
                Some(Distance::Win(plies)) => {
                    *wins.entry(plies).or_default() += 1;
                    let longest = &mut detail.longest;
                    if longest.last().is_none_or(|last| last.plies < plies) || longest.len() < SHOWN
                    {
                        let fen = Fen::new(side, position).to_string();
                        let place = longest.partition_point(|other| other.plies >= plies);
                        longest.insert(place, Longest { plies, fen });
                        longest.truncate(SHOWN);
                    }
                }
                Some(Distance::Loss(plies)) => *losses.entry(plies).or_default() += 1,
                _ => {}
            }
        }
        start = start.saturating_add(CHUNK.saturating_mul(detail.one_in));
    }
    let bins = |map: BTreeMap<u16, u64>| {
        map.into_iter().map(|(plies, positions)| Bin { plies, positions }).collect()
    };
    (detail.wins_by_plies, detail.losses_by_plies) = (bins(wins), bins(losses));
    Ok(())
}

/// The error of a table file with its path.
fn damaged<G: Rules>(
    tables: &TableSet<G>,
    slice: Slice,
    metric: Metric,
    source: TableError,
) -> ProbeError {
    let mut all = tables.tables();
    let path = all.find(|(id, _)| id.slice == slice && id.metric == metric);
    let path = path.map(|(_, path)| path.to_path_buf()).unwrap_or_default();
    match source {
        TableError::Io { .. } => ProbeError::Io { path, source: Arc::new(source) },
        _ => ProbeError::Damaged { path, source: Arc::new(source) },
    }
}
