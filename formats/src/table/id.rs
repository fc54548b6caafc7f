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
    /// digits and hyphens. For budgets the id of a
    /// [`Countdown`](damabase_rules::draws::Countdown).
    pub profile: String,
}

impl TableId {
    /// A table whose values know no draw counters.
    pub fn new(variant: VariantId, slice: Slice, metric: Metric) -> TableId {
        TableId { variant, slice, metric, profile: NO_PROFILE.to_string() }
    }

    /// A table whose values depend on draw rules with this name.
    pub fn under(variant: VariantId, slice: Slice, metric: Metric, profile: &str) -> TableId {
        TableId { variant, slice, metric, profile: profile.to_string() }
    }

    /// The name of the file within the variant's folder, such as `KKMvKM.wld` or
    /// `KKMvK.budget-9f8f1b0a3c5d`.
    pub fn file_name(&self) -> String {
        match self.profile.as_str() {
            NO_PROFILE => format!("{}.{}", self.slice, self.metric),
            profile => format!("{}.{}-{profile}", self.slice, self.metric),
        }
    }

    /// The table with this file name in the folder of a game; none if it is not exactly what
    /// [`TableId::file_name`] gives for a table.
    pub fn from_file_name(variant: VariantId, name: &str) -> Option<TableId> {
        let (stem, extension) = name.split_once('.')?;
        let (metric, profile) = extension.split_once('-').unwrap_or((extension, NO_PROFILE));
        let id = TableId::under(variant, stem.parse().ok()?, metric.parse().ok()?, profile);
        let is_profile = |name: &str| {
            (1..=32).contains(&name.len())
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        };
        (is_profile(profile) && id.file_name() == name).then_some(id)
    }

    /// Number of index values of a section.
    pub(super) fn section_len(&self, to_move: ToMove) -> u64 {
        with_rules!(self.variant, G => Index::<G>::new(self.slice, to_move).len())
    }

    /// Index values with the same men, and the number of placements of the waiter's men, with the
    /// side named first to move.
    pub(super) fn men_radix(&self) -> (u64, u64) {
        with_rules!(self.variant, G => {
            let index = Index::<G>::new(self.slice, ToMove::First);
            (index.kings_len(), index.waiter_men_len())
        })
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
        let read = |name: &str| TableId::from_file_name(VariantId::Russian, name);
        assert_eq!(read("KKMvKM.dtw"), Some(id.clone()));
        let id2 = TableId { metric: Metric::Budget, profile: "00ff-x".to_string(), ..id.clone() };
        assert_eq!(id2.file_name(), "KKMvKM.budget-00ff-x");
        assert_eq!(read("KKMvKM.budget-00ff-x"), Some(id2));
        for name in [
            "KMvKKM.dtw",
            "KKMvKM",
            "KKMvKM.dtw.tmp-1-0",
            "KKMvKM.budget-1.tmp-1-0",
            "KKMvKM.budget-",
            "KKMvKM.budget-none",
            "KKMvKM.budget-é",
            "kvk.wld",
            "KvK.WLD",
            ".wld",
            "",
        ] {
            assert_eq!(read(name), None, "{name}");
        }
        assert_eq!(id.to_string(), "russian KKMvKM dtw");
        for &metric in Metric::ALL {
            assert_eq!(metric.name().parse(), Ok(metric));
            assert_eq!(Metric::from_number(metric.number()), Some(metric));
        }
    }
}
