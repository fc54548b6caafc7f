//! Sets of counter values that hold, with a vector, every vector below it.
//!
//! A vector gives a value in plies to every counter of a profile. Such a *down-set* is kept as its
//! greatest vectors, the *corners*: none of them lies below another, so equal sets have equal
//! corners. Few different sets exist in a slice, so each is kept once and named by a number; what
//! the operations gave is remembered by numbers.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use damabase_rules::draws::MAX_COUNTERS;
use rustc_hash::FxHashMap;

/// A bound that every value is within, that of a counter that is off included.
pub(super) const UNBOUNDED: u16 = u16::MAX;

/// The greatest value of each counter of a profile; [`UNBOUNDED`] where it does not matter.
pub(super) type Corner = [u16; MAX_COUNTERS];

/// The number of a set.
pub(super) type SetId = u32;

/// The set without any vector.
pub(super) const EMPTY: SetId = 0;
/// The set of all vectors.
pub(super) const ALL: SetId = 1;

/// Entries of a cache of results, a power of two.
const CACHE: usize = 1 << 14;
/// Caches, so that threads do not wait for each other.
const CACHES: usize = 64;

/// All sets that have come up.
pub(super) struct Sets {
    kept: RwLock<Kept>,
    caches: Vec<Mutex<Cache>>,
}

struct Kept {
    sets: Vec<Arc<[Corner]>>,
    numbers: FxHashMap<Arc<[Corner]>, SetId>,
}

/// Results by their operands, each at one place, where a later one replaces it.
struct Cache(Vec<(u64, SetId)>);

/// The operations, for one thread for a while. Nothing else may be asked of [`Sets`] meanwhile.
pub(super) struct Operations<'a> {
    sets: &'a Sets,
    cache: MutexGuard<'a, Cache>,
}

/// How a ply changes the counters that have a bound.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Growth {
    /// Counters that grow by 1, as bits by their places.
    pub counted: u8,
    /// Counters that go on without growing. All others end, or begin at 0: whatever they were
    /// before the ply does not matter.
    pub kept: u8,
}

impl Sets {
    pub fn new() -> Sets {
        let mut kept = Kept { sets: Vec::new(), numbers: FxHashMap::default() };
        assert_eq!(kept.number(Vec::new()), EMPTY);
        assert_eq!(kept.number(vec![[UNBOUNDED; MAX_COUNTERS]]), ALL);
        Sets { kept: RwLock::new(kept), caches: (0..CACHES).map(|_| Mutex::default()).collect() }
    }

    /// The operations for the thread that asks.
    pub fn operations(&self) -> Operations<'_> {
        let thread = rayon::current_thread_index().unwrap_or(0) % CACHES;
        // A cache is right at any time, even if a thread that held it has panicked.
        let cache = self.caches[thread].lock().unwrap_or_else(PoisonError::into_inner);
        Operations { sets: self, cache }
    }

    /// The corners of a set.
    pub fn corners(&self, set: SetId) -> Arc<[Corner]> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner).sets[set as usize].clone()
    }

    /// The number of different sets.
    pub fn len(&self) -> usize {
        self.kept.read().unwrap_or_else(PoisonError::into_inner).sets.len()
    }

    fn number(&self, corners: Vec<Corner>) -> SetId {
        let corners = maximal(corners);
        let found = {
            let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
            kept.numbers.get(corners.as_slice()).copied()
        };
        found.unwrap_or_else(|| {
            self.kept.write().unwrap_or_else(PoisonError::into_inner).number(corners)
        })
    }
}

impl Kept {
    fn number(&mut self, corners: Vec<Corner>) -> SetId {
        if let Some(&number) = self.numbers.get(corners.as_slice()) {
            return number;
        }
        let number = self.sets.len() as SetId;
        let corners: Arc<[Corner]> = corners.into();
        self.sets.push(corners.clone());
        self.numbers.insert(corners, number);
        number
    }
}

impl Default for Cache {
    fn default() -> Cache {
        Cache(vec![(u64::MAX, EMPTY); CACHE])
    }
}

/// Which operation a result is of.
#[derive(Clone, Copy)]
enum Kind {
    Union,
    Meet,
    Before,
}

impl Operations<'_> {
    /// What lies in either set.
    #[inline]
    pub fn union(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || b == EMPTY || a == ALL {
            return a;
        }
        if a == EMPTY || b == ALL {
            return b;
        }
        self.remembered(Kind::Union, a.min(b), a.max(b), |sets| {
            sets.corners(a).iter().chain(&*sets.corners(b)).copied().collect()
        })
    }

    /// What lies in both sets.
    #[inline]
    pub fn meet(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || a == EMPTY || b == ALL {
            return a;
        }
        if b == EMPTY || a == ALL {
            return b;
        }
        self.remembered(Kind::Meet, a.min(b), a.max(b), |sets| {
            let (a, b) = (sets.corners(a), sets.corners(b));
            let meet = |x: &Corner, y: &Corner| std::array::from_fn(|i| x[i].min(y[i]));
            a.iter().flat_map(|x| b.iter().map(move |y| meet(x, y))).collect()
        })
    }

    /// The vectors that a ply takes into the set.
    #[inline]
    pub fn before(&mut self, set: SetId, growth: Growth) -> SetId {
        if set == EMPTY || set == ALL {
            return set;
        }
        let operand = u32::from(growth.counted) | u32::from(growth.kept) << 8;
        self.remembered(Kind::Before, set, operand, |sets| {
            let before = |corner: &Corner| {
                let mut before = [UNBOUNDED; MAX_COUNTERS];
                for (i, (&bound, before)) in corner.iter().zip(&mut before).enumerate() {
                    if bound == UNBOUNDED {
                        continue;
                    }
                    if growth.counted >> i & 1 == 1 {
                        *before = bound.checked_sub(1)?;
                    } else if growth.kept >> i & 1 == 1 {
                        *before = bound;
                    }
                }
                Some(before)
            };
            sets.corners(set).iter().filter_map(before).collect()
        })
    }

    /// The set of all vectors within a corner.
    pub fn within(&mut self, corner: Corner) -> SetId {
        self.sets.number(vec![corner])
    }

    #[inline]
    fn remembered(
        &mut self,
        kind: Kind,
        a: u32,
        b: u32,
        work_out: impl FnOnce(&Sets) -> Vec<Corner>,
    ) -> SetId {
        // Numbers of sets stay far below 2^31: each takes memory of its own.
        let key = u64::from(a) << 33 | u64::from(b) << 2 | kind as u64;
        let place = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 50) as usize % CACHE;
        let (known, result) = self.cache.0[place];
        if known == key {
            return result;
        }
        let result = self.sets.number(work_out(self.sets));
        self.cache.0[place] = (key, result);
        result
    }
}

/// The corners that lie below no other, in a fixed order.
fn maximal(mut corners: Vec<Corner>) -> Vec<Corner> {
    corners.sort_unstable_by(|a, b| b.cmp(a));
    corners.dedup();
    let mut kept: Vec<Corner> = Vec::with_capacity(corners.len());
    for corner in corners {
        // A corner above this one comes before it in the order.
        if !kept.iter().any(|above| above.iter().zip(&corner).all(|(above, own)| above >= own)) {
            kept.push(corner);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner(bounds: &[u16]) -> Corner {
        let mut corner = [UNBOUNDED; MAX_COUNTERS];
        corner[..bounds.len()].copy_from_slice(bounds);
        corner
    }

    #[test]
    fn operations_are_those_of_sets_of_vectors() {
        let sets = Sets::new();
        let mut operations = sets.operations();
        let [a, b, c] = [[3, 9], [7, 5], [2, 8]].map(|bounds| operations.within(corner(&bounds)));
        assert_eq!(operations.union(a, c), a);
        let stairs = operations.union(a, b);
        assert_eq!(*sets.corners(stairs), [corner(&[7, 5]), corner(&[3, 9])]);
        assert_eq!(operations.meet(stairs, b), b);
        assert_eq!(operations.meet(stairs, c), c);
        let both = operations.meet(a, b);
        assert_eq!(*sets.corners(both), [corner(&[3, 5])]);
        let growth = Growth { counted: 1, kept: 2 };
        let before = operations.before(stairs, growth);
        assert_eq!(*sets.corners(before), [corner(&[6, 5]), corner(&[2, 9])]);
        let restarted = operations.before(stairs, Growth { counted: 1, kept: 0 });
        assert_eq!(*sets.corners(restarted), [corner(&[6])]);
        let zero = operations.within(corner(&[0, 4]));
        assert_eq!(operations.before(zero, growth), EMPTY);
        assert_eq!(operations.union(EMPTY, a), a);
        assert_eq!(operations.meet(ALL, a), a);
    }
}
