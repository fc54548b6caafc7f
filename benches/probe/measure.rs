//! Speed: ranks, probes of several kinds, threads, opening a folder.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use damabase_formats::table::Layout;
use damabase_formats::{Index, Slice, Wld};
use damabase_probe::{AnyTables, Diagram, Lookups, ProbeError, TableSet};
use damabase_rules::{Pieces, Position, Rules, Side, Word};

use crate::positions::{Positions, sets};
use crate::report::{Row, Setup};
use crate::search::Found;
use crate::tables::{Access, LAYOUTS, cold_copy, folder, make_names, size_bytes};
use crate::timing::{Timer, together};

/// Probes that warm a cache up: a line is kept when it is asked for a second time, and pushes
/// another one out perhaps.
const WARM_UP: usize = 3;
/// Bytes of a cache that does not hold everything.
const SMALL_CACHE: usize = 2 << 20;
/// Probes of cold tables; soon after that they are warm.
const COLD: usize = 10_000;
/// Where probes are slow, there are fewer, to take about so many seconds.
const SECONDS: f64 = 2.0;
/// How often opening is timed.
const OPENINGS: usize = 101;
/// Tables of the folder that is opened.
const NAMES: usize = 300;

/// What is needed to measure one game.
pub struct Bench<G: Rules> {
    dir: PathBuf,
    sets: Vec<Positions<G>>,
    found: Found,
    pieces: u32,
    cache_bytes: usize,
    timer: Timer,
}

impl<G: Rules<Word = u64>> Bench<G> {
    /// Takes the sets of positions from the tables in a folder.
    pub fn new(
        dir: &Path,
        count: usize,
        cache_bytes: usize,
        timer: Timer,
    ) -> Result<Bench<G>, ProbeError> {
        let tables = Access::Mapped.open::<G>(&folder(dir, Layout::Search), 256 << 20)?;
        let (sets, found) = sets(&tables, count)?;
        let pieces = tables.max_pieces();
        Ok(Bench { dir: dir.to_path_buf(), sets, found, pieces, cache_bytes, timer })
    }

    /// What is to be said of the positions that a search met.
    pub fn search(&self) -> Row {
        Row::search(G::VARIANT.name, self.pieces, self.found)
    }

    /// Numbers of positions alone.
    pub fn rank(&self) -> Vec<Row> {
        let row = |set: &Positions<G>| {
            let mut indexes: Vec<((Slice, _), Index<G>)> = Vec::new();
            let items: Vec<(usize, Position<G>)> = set
                .all
                .iter()
                .map(|position| {
                    let key = Slice::of(position);
                    let known = indexes.iter().position(|(other, _)| *other == key);
                    let place = known.unwrap_or_else(|| {
                        indexes.push((key, Index::new(key.0, key.1)));
                        indexes.len() - 1
                    });
                    (place, *position)
                })
                .collect();
            let ns = self.timer.times(&items, |(index, position)| indexes[*index].1.rank(position));
            Row::Rank {
                variant: G::VARIANT.name.to_string(),
                positions: set.name.to_string(),
                probes: items.len(),
                ns,
            }
        };
        self.sets.iter().filter(|set| ["quiet", "search"].contains(&set.name)).map(row).collect()
    }

    fn setup(
        &self,
        layout: Layout,
        access: Access,
        set: &Positions<G>,
    ) -> Result<Setup, Box<dyn Error>> {
        Ok(Setup {
            variant: G::VARIANT.name.to_string(),
            layout: layout.name().to_string(),
            access: access.name().to_string(),
            positions: set.name.to_string(),
            probes: set.all.len(),
            table_bytes: size_bytes::<G>(&folder(&self.dir, layout))?,
            cache_limit_bytes: 0,
        })
    }

    /// One probe after the other.
    pub fn speed(&self) -> Result<Vec<Row>, Box<dyn Error>> {
        let mut rows = Vec::new();
        // By set, the values: the same for all ways to find them.
        let mut values: Vec<Vec<Wld>> = vec![Vec::new(); self.sets.len()];
        for layout in LAYOUTS {
            for (access, state, cache_bytes) in [
                (Access::Mapped, "warm", self.cache_bytes),
                (Access::Mapped, "small cache", SMALL_CACHE),
                (Access::Mapped, "no cache", 0),
                (Access::Read, "warm", self.cache_bytes),
                (Access::Read, "no cache", 0),
            ] {
                let tables = access.open::<G>(&folder(&self.dir, layout), cache_bytes)?;
                for (set, values) in self.sets.iter().zip(&mut values) {
                    let all = match (layout, state) {
                        (Layout::Search, "warm") => &set.all,
                        _ => affordable(&tables, &set.all)?,
                    };
                    let found: Result<Vec<Wld>, _> = all.iter().map(|p| tables.wld(p)).collect();
                    let found = found?;
                    if values.is_empty() {
                        *values = found.clone(); // the first time, of all positions
                    }
                    if !values.starts_with(&found) {
                        let names = [layout.name(), access.name(), set.name, state].join(", ");
                        return Err(format!("{names}: other values than before").into());
                    }
                    let lookups = warm_up(&tables, all)?;
                    let setup = Setup {
                        probes: all.len(),
                        cache_limit_bytes: cache_bytes,
                        ..self.setup(layout, access, set)?
                    };
                    let row = |state: &str, ns| Row::Probe {
                        setup: setup.clone(),
                        state: state.to_string(),
                        cache_bytes: tables.cache_bytes(),
                        hit_rate: hit_rate(lookups),
                        lookups: count(lookups) as f64 / all.len() as f64,
                        ns,
                    };
                    rows.push(row(state, self.timer.times(all, |p| tables.wld(p))));
                    if rows.len() == 1 {
                        // Other ways to ask, for the quiet positions of the first row.
                        let ns = self.timer.times(all, |p| tables.wld_if_cached(p));
                        rows.push(row("warm, if cached", ns));
                        rows.push(row("warm, bitboards", self.bitboards(&tables, all)));
                    }
                }
            }
        }
        Ok(rows)
    }

    /// Positions as an engine may hold them: sets of squares without gaps, by colours.
    fn bitboards(&self, tables: &dyn AnyTables, all: &[Position<G>]) -> crate::timing::Times {
        let board = G::board();
        let squares =
            |set: u64| set.indices().fold(0u64, |all, bit| all | 1 << board.square_of(bit).0);
        let boards: Vec<([u64; 4], Side)> = all
            .iter()
            .enumerate()
            .map(|(n, position)| {
                let side = if n % 2 == 0 { Side::White } else { Side::Black };
                let seen = if n % 2 == 0 { *position } else { position.turned() };
                let (white, black) = (seen.mover, seen.waiter);
                ([white.men, white.kings, black.men, black.kings].map(squares), side)
            })
            .collect();
        self.timer.times(&boards, |(sets, side)| {
            let [white_men, white_kings, black_men, black_kings] =
                sets.map(|set| Diagram::spread(board, set));
            tables.wld(&Diagram {
                white: Pieces { men: white_men, kings: white_kings },
                black: Pieces { men: black_men, kings: black_kings },
                side: *side,
            })
        })
    }

    /// The first probes of tables that the system has dropped from memory.
    pub fn cold(&self, scratch: &Path) -> Result<Vec<Row>, Box<dyn Error>> {
        let mut rows = Vec::new();
        for layout in LAYOUTS {
            for access in [Access::Mapped, Access::Read] {
                for set in self.sets.iter().filter(|set| ["random", "search"].contains(&set.name)) {
                    let copy = tempfile::tempdir_in(scratch)?;
                    let warm = access.open::<G>(&folder(&self.dir, layout), self.cache_bytes)?;
                    let all = affordable(&warm, &set.all[..set.all.len().min(COLD)])?;
                    cold_copy::<G>(&folder(&self.dir, layout), copy.path())?;
                    let tables = access.open::<G>(copy.path(), self.cache_bytes)?;
                    let mut lookups = Lookups::default();
                    let ns = self.timer.first_times(all, |position| tables.wld(position));
                    // The same again, to count: it cannot be counted while it is timed.
                    let again = access.open::<G>(copy.path(), self.cache_bytes)?;
                    for position in all {
                        again.wld_with_lookups(position, &mut lookups)?;
                    }
                    rows.push(Row::Probe {
                        setup: Setup {
                            probes: all.len(),
                            cache_limit_bytes: self.cache_bytes,
                            ..self.setup(layout, access, set)?
                        },
                        state: "cold".to_string(),
                        cache_bytes: tables.cache_bytes(),
                        hit_rate: hit_rate(lookups),
                        lookups: count(lookups) as f64 / all.len() as f64,
                        ns,
                    });
                }
            }
        }
        Ok(rows)
    }

    /// Several threads that probe the same positions with a warm cache.
    pub fn threads(&self, threads: &[usize]) -> Result<Vec<Row>, Box<dyn Error>> {
        let mut rows = Vec::new();
        for layout in LAYOUTS {
            let tables = Access::Mapped.open::<G>(&folder(&self.dir, layout), self.cache_bytes)?;
            for set in &self.sets {
                let all = match layout {
                    Layout::Search => &set.all,
                    Layout::Compact => affordable(&tables, &set.all)?,
                };
                let lookups = warm_up(&tables, all)?;
                let one = together(all, 1, |position| tables.wld(position));
                for &threads in threads {
                    let together = match threads {
                        1 => one,
                        _ => together(all, threads, |position| tables.wld(position)),
                    };
                    rows.push(Row::Threads {
                        setup: Setup {
                            probes: all.len(),
                            cache_limit_bytes: self.cache_bytes,
                            ..self.setup(layout, Access::Mapped, set)?
                        },
                        threads,
                        cache_bytes: tables.cache_bytes(),
                        hit_rate: hit_rate(lookups),
                        together,
                        scaling: one.cpu_ns / together.cpu_ns,
                    });
                }
            }
        }
        Ok(rows)
    }
}

/// Probes all positions a few times, and tells where the values came from the last time.
fn warm_up<G: Rules>(tables: &TableSet<G>, all: &[Position<G>]) -> Result<Lookups, ProbeError> {
    let mut lookups = Lookups::default();
    for _ in 0..WARM_UP {
        lookups = Lookups::default();
        for position in all {
            tables.wld_with_lookups(position, &mut lookups)?;
        }
    }
    Ok(lookups)
}

/// So many of the positions that ten probes of each take about [`SECONDS`].
fn affordable<'a, G: Rules>(
    tables: &TableSet<G>,
    all: &'a [Position<G>],
) -> Result<&'a [Position<G>], ProbeError> {
    let first = &all[..all.len().min(100)];
    let start = Instant::now();
    for position in first {
        tables.wld(position)?;
    }
    let most =
        (first.len() as f64 * SECONDS / 10.0 / start.elapsed().as_secs_f64().max(1e-9)) as usize;
    Ok(&all[..all.len().min(most.max(100))])
}

fn count(lookups: Lookups) -> u64 {
    lookups.cached + lookups.in_place + lookups.decoded
}

pub fn hit_rate(lookups: Lookups) -> f64 {
    lookups.cached as f64 / count(lookups).max(1) as f64
}

/// Opening a folder with the names of many tables.
pub fn open<G: Rules>(scratch: &Path) -> Result<Row, Box<dyn Error>> {
    let dir = tempfile::tempdir_in(scratch)?;
    make_names::<G>(dir.path(), NAMES)?;
    let mut times = Vec::new();
    let mut tables = 0;
    for _ in 0..OPENINGS {
        let start = Instant::now();
        let set = Access::Read.open::<G>(dir.path(), 64 << 20)?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        tables = set.tables().count();
    }
    times.sort_by(f64::total_cmp);
    let milliseconds = times[times.len() / 2];
    Ok(Row::Open { variant: G::VARIANT.name.to_string(), tables, milliseconds })
}
