//! Why a value is not known, and what would make it known.

use damabase_formats::{Metric, Slice};
use damabase_probe::{Doubt, MissingTable, ProbeError, Under};
use damabase_rules::draws::{Counters, DrawProfile};
use damabase_rules::{Position, Rules, Side, VariantId};

/// Material with no more pieces than this is worth a table of its own to who asks for it.
const WITHIN_REACH: u32 = 6;

/// What is in the way of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Gap {
    /// There are more pieces on the board than in any table.
    Pieces {
        /// The game.
        variant: VariantId,
        /// The material on the board.
        slice: Slice,
        /// The greatest number of pieces in a table; 0 where there is none.
        most: u32,
    },
    /// A table is not there: one of budgets, or, if the value in theory is not known, another one.
    Table(Box<MissingTable>),
    /// The tables are there, and know the counters only as they can come about.
    Counters,
}

impl Gap {
    /// What is in the way of the value of a position under a profile; none where it is known by
    /// tables.
    ///
    /// # Errors
    /// [`ProbeError::Damaged`], [`ProbeError::Io`], [`ProbeError::Input`].
    pub fn of<G: Rules>(
        under: &Under<G>,
        position: &Position<G>,
        counters: &Counters,
    ) -> Result<Option<Gap>, ProbeError> {
        match under.doubt(position, counters) {
            Ok(None) => Ok(None),
            Ok(Some(Doubt::Missing(missing))) => Ok(Some(Gap::Table(missing))),
            Ok(Some(_)) => Ok(Some(Gap::Counters)),
            Err(ProbeError::Missing(missing)) => Ok(Some(Gap::Table(missing))),
            Err(error) => Err(error),
        }
    }

    /// The same in words, without a final dot, and the command that makes what is not there. `side`
    /// is to move in the position that was asked about.
    pub fn words(&self, side: Side, profile: &DrawProfile) -> String {
        match self {
            Gap::Pieces { variant, most: 0, .. } => format!(
                "there is no table of {variant}: 'damabase generate {variant} --pieces 4' makes some"
            ),
            Gap::Pieces { variant, slice, most } => {
                let pieces = slice.pieces();
                let known =
                    format!("the tables have up to {most} pieces, and {pieces} are on the board");
                match pieces {
                    ..=WITHIN_REACH => format!("{known}{}", makes(*variant, *slice, None)),
                    _ => known,
                }
            }
            Gap::Table(missing) => {
                let (variant, budget) = (missing.variant, missing.metric == Metric::Budget);
                let (board, notation) = (variant.variant().board, variant.variant().notation);
                let needed = missing.needed_by.map(|by| by.text(side, board, notation));
                let needed = needed.map_or(String::new(), |by| format!(", needed after {by}"));
                let of = if budget { " of draw counters" } else { "" };
                let makes = makes(variant, missing.slice, budget.then_some(&profile.name));
                format!("there is no table {}{of}{needed}{makes}", missing.file_name())
            }
            Gap::Counters => "no game has these values of the counters".to_string(),
        }
    }
}

/// The command that makes a slice's table: that of budgets under a profile, where one is named.
fn makes(variant: VariantId, slice: Slice, profile: Option<&String>) -> String {
    let budget = profile.map_or(String::new(), |name| format!(" --metric budget --profile {name}"));
    format!(": 'damabase generate {variant} --slice {slice}{budget}' makes it")
}
