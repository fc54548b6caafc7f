//! Tables of a game chosen at run time, and positions by colours: what bindings for other
//! languages are made of.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use damabase_formats::{Distance, Fen, FenError, Metric, Slice, Wld, diagram_square, move_text};
use damabase_rules::draws::{Countdowns, DrawProfile, SeedError, Seeds};
use damabase_rules::{
    Board, Pieces, Position, PositionError, Rules, Side, Square, VariantId, legal_moves, with_rules,
};

use crate::{Counted, MoveValue, ProbeError, TableSet, Value};

/// A position as a diagram shows it, White below, whoever moves. Sets of squares are numbered as
/// in [`Board`](damabase_rules::Board): what an engine has in bitboards of its own takes two shifts
/// for each set, and nothing is allocated.
///
/// ```no_run
/// use damabase_formats::Wld;
/// use damabase_probe::{Diagram, open_any};
/// use damabase_rules::{Pieces, Side, VariantId};
///
/// let tables = open_any(VariantId::International, &["tables".into()], 64 << 20)?;
/// // The engine's bitboards: square 1 at bit 0, square 50 at bit 49.
/// let (white_men, white_kings, black_men, black_kings) = (1 << 47, 1 << 22, 0, 1 << 4);
/// let board = tables.variant().variant().board;
/// let set = |squares| Diagram::spread(board, squares);
/// let value = tables.wld(&Diagram {
///     white: Pieces { men: set(white_men), kings: set(white_kings) },
///     black: Pieces { men: set(black_men), kings: set(black_kings) },
///     side: Side::White,
/// })?;
/// assert_eq!(value, Wld::Draw);
/// # Ok::<(), damabase_probe::ProbeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Diagram {
    /// White's pieces.
    pub white: Pieces<u64>,
    /// Black's pieces.
    pub black: Pieces<u64>,
    /// Who is to move.
    pub side: Side,
}

/// A legal move of a [`Diagram`], and its value for the side that makes it. Squares are those of
/// the diagram.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiagramMove {
    /// The move as PDN writes it, in the notation of the game.
    pub text: String,
    /// Where the piece stands.
    pub from: Square,
    /// Where it ends.
    pub to: Square,
    /// Whether a man becomes a king.
    pub promotes: bool,
    /// The pieces that are taken.
    pub captured: u64,
    /// Distances count this move too.
    pub value: Value,
    /// The position that follows.
    pub after: Diagram,
}

impl Diagram {
    /// Reads a FEN of a game; counters in it are dropped.
    ///
    /// # Errors
    /// Those of [`Fen::parse`].
    pub fn parse(variant: VariantId, fen: &str) -> Result<Diagram, FenError> {
        Ok(Diagram::parse_counted(variant, fen)?.0)
    }

    /// Reads a FEN of a game and the counters in it.
    ///
    /// # Errors
    /// Those of [`Fen::parse`].
    pub fn parse_counted(variant: VariantId, fen: &str) -> Result<(Diagram, Seeds), FenError> {
        with_rules!(variant, G => {
            let fen = Fen::<G>::parse(fen)?;
            let seeds = Seeds { half_moves: fen.half_moves, counters: fen.counters };
            Ok((Diagram::of(fen.side, &fen.position), seeds))
        })
    }

    /// The FEN of the position.
    ///
    /// # Errors
    /// Those of [`Position::new`].
    pub fn fen(&self, variant: VariantId) -> Result<String, PositionError> {
        with_rules!(variant, G => Ok(Fen::new(self.side, self.position::<G>()?).to_string()))
    }

    /// A set of squares without gaps, square 0 at bit 0, numbered as on a board. Squares that the
    /// board does not have are left out.
    #[inline]
    pub fn spread(board: Board, squares: u64) -> u64 {
        // A ghost bit follows every second row.
        let len = 2 * board.row_len();
        let rows = |pair: u32| (squares >> (pair * len)) & ((1 << len) - 1);
        (0..u32::from(board.height) / 2).fold(0, |set, pair| set | rows(pair) << (pair * (len + 1)))
    }

    /// Number of pieces.
    pub fn pieces(&self) -> u32 {
        (self.white.all() | self.black.all()).count_ones()
    }

    fn of<G: Rules<Word = u64>>(side: Side, position: &Position<G>) -> Diagram {
        match side {
            Side::White => Diagram { white: position.mover, black: position.waiter, side },
            Side::Black => {
                let turned = position.turned();
                Diagram { white: turned.mover, black: turned.waiter, side }
            }
        }
    }

    /// The position as its mover sees it.
    ///
    /// # Errors
    /// Those of [`Position::new`].
    #[inline]
    pub fn position<G: Rules<Word = u64>>(&self) -> Result<Position<G>, PositionError> {
        let Diagram { white, black, side } = *self;
        match side {
            Side::White => Position::new(white, black),
            Side::Black => {
                // Turning the board would lose bits beyond its last square.
                if (white.all() | black.all()) & !G::squares() != 0 {
                    return Err(PositionError::OffBoard);
                }
                let turned = Position::<G> { mover: white, waiter: black }.turned();
                Position::new(turned.mover, turned.waiter)
            }
        }
    }
}

/// A position with counters could not be probed.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CountedError {
    /// The position has no value.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The counters do not fit the position.
    #[error(transparent)]
    Seeds(#[from] SeedError),
}

/// The tables of a game that is known at run time only. Everything is as in [`TableSet`], for
/// positions by colours; values are those of the side to move.
pub trait AnyTables: fmt::Debug + Send + Sync {
    /// The game.
    fn variant(&self) -> VariantId;

    /// [`TableSet::wld`].
    ///
    /// # Errors
    /// Those of [`TableSet::wld`].
    fn wld(&self, position: &Diagram) -> Result<Wld, ProbeError>;

    /// [`TableSet::wld_if_cached`].
    ///
    /// # Errors
    /// Those of [`TableSet::wld`].
    fn wld_if_cached(&self, position: &Diagram) -> Result<Option<Wld>, ProbeError>;

    /// [`TableSet::dtw`].
    ///
    /// # Errors
    /// Those of [`TableSet::wld`].
    fn dtw(&self, position: &Diagram) -> Result<Distance, ProbeError>;

    /// [`TableSet::dtc`].
    ///
    /// # Errors
    /// Those of [`TableSet::wld`].
    fn dtc(&self, position: &Diagram) -> Result<Distance, ProbeError>;

    /// [`TableSet::value`].
    ///
    /// # Errors
    /// Those of [`TableSet::wld`].
    fn value(&self, position: &Diagram) -> Result<Value, ProbeError>;

    /// [`TableSet::moves`].
    ///
    /// # Errors
    /// Those of [`TableSet::wld`].
    fn moves(&self, position: &Diagram) -> Result<Vec<DiagramMove>, ProbeError>;

    /// How a profile counts in the slices that have tables here, worked out once for many calls of
    /// [`AnyTables::counted`].
    fn countdowns(&self, profile: &DrawProfile) -> Arc<Countdowns>;

    /// [`Under::value`](crate::Under::value) of a position with counters at given values.
    ///
    /// # Errors
    /// Any [`CountedError`].
    fn counted(
        &self,
        position: &Diagram,
        countdowns: &Arc<Countdowns>,
        seeds: &Seeds,
    ) -> Result<Counted, CountedError>;

    /// [`TableSet::covers`].
    fn covers(&self, slice: Slice) -> bool;

    /// [`TableSet::max_pieces`].
    fn max_pieces(&self) -> u32;

    /// The material and the kind of value of every table, in the order of [`TableSet::tables`].
    fn tables(&self) -> Vec<(Slice, Metric)>;

    /// [`TableSet::cache_bytes`].
    fn cache_bytes(&self) -> usize;
}

/// [`TableSet::open`] for a game chosen at run time, with a cache of so many bytes.
///
/// # Errors
/// Those of [`TableSet::open`].
pub fn open_any(
    variant: VariantId,
    dirs: &[PathBuf],
    cache_bytes: usize,
) -> Result<Box<dyn AnyTables>, ProbeError> {
    with_rules!(variant, G => {
        Ok(Box::new(TableSet::<G>::open(dirs)?.with_cache_bytes(cache_bytes)))
    })
}

/// [`TableSet::open_mapped`] for a game chosen at run time, with a cache of so many bytes.
///
/// # Errors
/// Those of [`TableSet::open`].
///
/// # Safety
/// That of [`TableSet::open_mapped`].
pub unsafe fn open_any_mapped(
    variant: VariantId,
    dirs: &[PathBuf],
    cache_bytes: usize,
) -> Result<Box<dyn AnyTables>, ProbeError> {
    with_rules!(variant, G => {
        // SAFETY: the caller promises what is asked for.
        let tables = unsafe { TableSet::<G>::open_mapped(dirs) }?;
        Ok(Box::new(tables.with_cache_bytes(cache_bytes)))
    })
}

impl<G: Rules<Word = u64>> AnyTables for TableSet<G> {
    fn variant(&self) -> VariantId {
        G::ID
    }

    fn wld(&self, position: &Diagram) -> Result<Wld, ProbeError> {
        self.wld(&position.position()?)
    }

    fn wld_if_cached(&self, position: &Diagram) -> Result<Option<Wld>, ProbeError> {
        self.wld_if_cached(&position.position()?)
    }

    fn dtw(&self, position: &Diagram) -> Result<Distance, ProbeError> {
        self.dtw(&position.position()?)
    }

    fn dtc(&self, position: &Diagram) -> Result<Distance, ProbeError> {
        self.dtc(&position.position()?)
    }

    fn value(&self, position: &Diagram) -> Result<Value, ProbeError> {
        self.value(&position.position()?)
    }

    fn moves(&self, position: &Diagram) -> Result<Vec<DiagramMove>, ProbeError> {
        let (side, before) = (position.side, position.position()?);
        let square = |square| diagram_square(side, G::board(), square);
        let all = legal_moves(&before);
        let shown = |MoveValue { action, value }: MoveValue<G>| DiagramMove {
            text: move_text(side, &before, &action, &all, G::VARIANT.notation),
            from: square(action.from),
            to: square(action.to),
            promotes: action.promotes,
            captured: match side {
                Side::White => action.captured,
                Side::Black => G::board().turn(action.captured),
            },
            value,
            after: Diagram::of(side.other(), &before.after(&action)),
        };
        Ok(self.moves(&before)?.into_iter().map(shown).collect())
    }

    fn countdowns(&self, profile: &DrawProfile) -> Arc<Countdowns> {
        self.under(profile).countdowns().clone()
    }

    fn counted(
        &self,
        position: &Diagram,
        countdowns: &Arc<Countdowns>,
        seeds: &Seeds,
    ) -> Result<Counted, CountedError> {
        let position = position.position().map_err(ProbeError::from)?;
        let counters = countdowns.profile().start(&position, seeds)?;
        Ok(self.under_countdowns(countdowns.clone()).value(&position, &counters)?)
    }

    fn covers(&self, slice: Slice) -> bool {
        self.covers(slice)
    }

    fn max_pieces(&self) -> u32 {
        self.max_pieces()
    }

    fn tables(&self) -> Vec<(Slice, Metric)> {
        self.tables().map(|(id, _)| (id.slice, id.metric)).collect()
    }

    fn cache_bytes(&self) -> usize {
        self.cache_bytes()
    }
}
