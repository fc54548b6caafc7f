//! Why a position has no answer.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use damabase_formats::table::NO_PROFILE;
use damabase_formats::{Metric, Notation, Slice, TableError, TableId, diagram_square, square_name};
use damabase_rules::{Board, PositionError, Side, Square, VariantId};

/// A position could not be probed.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// The position is none of the game.
    #[error("unsound position: {0}")]
    Input(#[from] PositionError),
    /// A table is needed that is not there.
    #[error("{0}")]
    Missing(Box<MissingTable>),
    /// A table file is not what was once written, or is a table of something else.
    #[error("{}: {source}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Arc<TableError>,
    },
    /// The system could not read a file or a folder.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why it could not be read.
        source: Arc<TableError>,
    },
}

/// A table that is needed and not there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingTable {
    /// The game.
    pub variant: VariantId,
    /// The material.
    pub slice: Slice,
    /// The kind of value.
    pub metric: Metric,
    /// The name of the draw rules that its values depend on, as in the name of its file; `none`
    /// where there are none.
    pub profile: String,
    /// The move of the probed position that leads to this material, at once or by captures that
    /// follow; none where it is the probed position's own.
    pub needed_by: Option<NeededBy>,
    /// The folders where the table was looked for.
    pub searched: Arc<[PathBuf]>,
}

/// A move that makes another table necessary. Squares are in the view of the mover of the probed
/// position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NeededBy {
    /// Where the piece stands.
    pub from: Square,
    /// Where it goes.
    pub to: Square,
    /// Whether it captures.
    pub is_capture: bool,
}

impl NeededBy {
    /// The move as PDN writes it, where `side` is to move in the probed position.
    pub fn text(&self, side: Side, board: Board, notation: Notation) -> String {
        let name = |square| square_name(board, diagram_square(side, board, square), notation);
        format!("{}{}{}", name(self.from), if self.is_capture { 'x' } else { '-' }, name(self.to))
    }
}

impl ProbeError {
    /// The message, with moves as the diagram has them where `side` is to move in the probed
    /// position. (The message of `Display` knows no colours.)
    pub fn text(&self, side: Side) -> String {
        match self {
            ProbeError::Missing(missing) => missing.text(side, missing.variant.variant().notation),
            other => other.to_string(),
        }
    }
}

impl MissingTable {
    /// The name that its file would have, in the folder of the game.
    pub fn file_name(&self) -> String {
        TableId::under(self.variant, self.slice, self.metric, &self.profile).file_name()
    }

    /// The message, with the move as the diagram has it where `side` is to move in the probed
    /// position.
    pub fn text(&self, side: Side, notation: Notation) -> String {
        let board = self.variant.variant().board;
        self.message(self.needed_by.map(|needed_by| needed_by.text(side, board, notation)))
    }

    fn message(&self, needed_by: Option<String>) -> String {
        let mut text = format!("no {} table of {} for {}", self.metric, self.slice, self.variant);
        if self.profile != NO_PROFILE {
            text.push_str(&format!(" ({})", self.file_name()));
        }
        if let Some(needed_by) = needed_by {
            text.push_str(&format!(", needed because of the move {needed_by}"));
        }
        for (n, folder) in self.searched.iter().enumerate() {
            text.push_str(if n == 0 { "; looked in " } else { ", " });
            text.push_str(&folder.display().to_string());
        }
        text
    }
}

impl fmt::Display for MissingTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The probed position knows no colours, so this is the mover's view.
        let needed_by = self.needed_by.map(|needed_by| {
            let variant = self.variant.variant();
            let text = needed_by.text(Side::White, variant.board, variant.notation);
            format!("{text} (as the mover sees the board)")
        });
        f.write_str(&self.message(needed_by))
    }
}
