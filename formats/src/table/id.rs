//! What a table is a table of.

use std::fmt;
use std::str::FromStr;

use damabase_rules::{VariantId, with_rules};

use crate::{Index, Slice, ToMove};

/// The profile of tables whose values know no draw counters.
pub const NO_PROFILE: &str = "none";

/// What is known of each position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Metric {
    /// Win, draw or loss, draw counters aside.
    Wld,
    /// Plies to the end of the game.
    Dtw,
    /// Plies to the next capture or man move.
    Dtc,
    /// Plies that must be left on the draw counter.
    Budget,
}

impl Metric {
    /// All metrics.
    pub const ALL: &'static [Metric] = &[Metric::Wld, Metric::Dtw, Metric::Dtc, Metric::Budget];

    /// The name in commands; also the extension of table files.
    pub const fn name(self) -> &'static str {
        match self {
            Metric::Wld => "wld",
            Metric::Dtw => "dtw",
            Metric::Dtc => "dtc",
            Metric::Budget => "budget",
        }
    }

    /// The number in the header of a table file.
    pub(super) const fn number(self) -> u8 {
        self as u8
    }

    pub(super) fn from_number(number: u8) -> Option<Metric> {
        Metric::ALL.get(usize::from(number)).copied()
    }

    /// The greatest code that a value can have.
    pub(super) const fn max_code(self) -> u16 {
        match self {
            Metric::Wld => 2,
            _ => super::DONT_CARE - 1,
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The name was not a metric.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown metric '{0}': expected one of wld, dtw, dtc, budget")]
pub struct UnknownMetric(pub String);

impl FromStr for Metric {
    type Err = UnknownMetric;

    fn from_str(text: &str) -> Result<Metric, UnknownMetric> {
        Metric::ALL
            .iter()
            .copied()
            .find(|metric| metric.name() == text)
            .ok_or_else(|| UnknownMetric(text.to_string()))
    }
}

/// What a table file is a table of.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TableId {
    /// The game.
    pub variant: VariantId,
    /// The material.
    pub slice: Slice,
    /// What is known of each position.
    pub metric: Metric,
    /// The draw rules that values depend on; [`NO_PROFILE`] if none. At most 32 ASCII letters,
    /// digits and hyphens.
    pub profile: String,
}

impl TableId {
    /// A table whose values know no draw counters.
    pub fn new(variant: VariantId, slice: Slice, metric: Metric) -> TableId {
        TableId { variant, slice, metric, profile: NO_PROFILE.to_string() }
    }

    /// The name of the file within the variant's folder, such as `KKMvKM.wld`.
    pub fn file_name(&self) -> String {
        format!("{}.{}", self.slice, self.metric)
    }

    /// The slice and metric of a file name; none if it is not exactly what
    /// [`TableId::file_name`] gives for a table.
    pub fn parse_file_name(name: &str) -> Option<(Slice, Metric)> {
        let (stem, extension) = name.split_once('.')?;
        let slice: Slice = stem.parse().ok()?;
        let metric = extension.parse().ok()?;
        (slice.to_string() == stem).then_some((slice, metric))
    }

    /// Number of index values of a section.
    pub(super) fn section_len(&self, to_move: ToMove) -> u64 {
        with_rules!(self.variant, G => Index::<G>::new(self.slice, to_move).len())
    }
}

impl fmt::Display for TableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.variant, self.slice, self.metric)?;
        if self.profile != NO_PROFILE {
            write!(f, " {}", self.profile)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_read_only_as_they_are_written() {
        let id = TableId::new(VariantId::Russian, "MKvKKM".parse().unwrap(), Metric::Dtw);
        assert_eq!(id.file_name(), "KKMvKM.dtw");
        assert_eq!(TableId::parse_file_name("KKMvKM.dtw"), Some((id.slice, Metric::Dtw)));
        for name in ["KMvKKM.dtw", "KKMvKM", "KKMvKM.dtw.tmp-1-0", "kvk.wld", "KvK.WLD", ".wld", ""]
        {
            assert_eq!(TableId::parse_file_name(name), None, "{name}");
        }
        assert_eq!(id.to_string(), "russian KKMvKM dtw");
        for &metric in Metric::ALL {
            assert_eq!(metric.name().parse(), Ok(metric));
            assert_eq!(Metric::from_number(metric.number()), Some(metric));
        }
    }
}
