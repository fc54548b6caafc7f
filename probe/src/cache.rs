//! Decoded values, kept up to a number of bytes, without locks.
//!
//! Values are kept in *lines* of [`LINE_WORDS`] words. A line has its place in one of a few ways
//! of one set, which its key tells. A reader takes a word, and then looks whether the line was
//! still the same; a writer that finds another one at work leaves it alone. So nobody waits, and
//! nothing is allocated where lines are read.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence};

/// Words of a line.
pub(crate) const LINE_WORDS: usize = 128;
/// Lines of a set.
const WAYS: usize = 4;
/// Sets that are allocated together.
const SEGMENT: usize = 64;
/// Bytes that a set takes.
const SET_BYTES: usize = size_of::<Set>();

/// A number for a line that no other line of a set of tables has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Key(u64);

impl Key {
    /// The key of a table's line. Tables are fewer than 2^24, and a file has fewer than 2^40
    /// lines.
    #[inline]
    pub(crate) fn new(table: u32, line: u64) -> Key {
        Key((u64::from(table) + 1) << 40 | line)
    }

    /// Its bits mixed well (the last step of SplitMix64).
    #[inline]
    fn hash(self) -> u64 {
        let bits = self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits ^ bits >> 31
    }
}

/// All parts of it change without a lock, so they are all atomic.
#[repr(align(64))]
#[derive(Debug)]
struct Set {
    /// The key of each line; 0 where there is none.
    keys: [AtomicU64; WAYS],
    /// Odd while a line is written; another number after that than before.
    versions: [AtomicU32; WAYS],
    /// Whether a line was used since it came, or since it was spared.
    used: [AtomicBool; WAYS],
    /// The line that is looked at next when one must go.
    turn: AtomicU32,
    lines: [[AtomicU64; LINE_WORDS]; WAYS],
}

impl Default for Set {
    fn default() -> Set {
        Set {
            keys: Default::default(),
            versions: Default::default(),
            used: Default::default(),
            turn: AtomicU32::new(0),
            lines: std::array::from_fn(|_| std::array::from_fn(|_| AtomicU64::new(0))),
        }
    }
}

/// Lines of decoded values.
#[derive(Debug)]
pub(crate) struct Cache {
    segments: Box<[OnceLock<Box<[Set]>>]>,
    sets: u64,
    /// Hashes of lines that were asked for and are not held; a power of two of them.
    asked: Box<[AtomicU32]>,
}

impl Cache {
    /// A cache that takes at most so many bytes. Memory is taken when it is first needed.
    pub(crate) fn new(bytes: usize) -> Cache {
        let sets = bytes / SET_BYTES;
        let asked = if sets == 0 { 0 } else { sets.min(1 << 16).next_power_of_two() };
        Cache {
            segments: (0..sets.div_ceil(SEGMENT)).map(|_| OnceLock::new()).collect(),
            sets: sets as u64,
            asked: (0..asked).map(|_| AtomicU32::new(0)).collect(),
        }
    }

    /// Whether the cache holds nothing, ever.
    #[inline]
    pub(crate) fn is_off(&self) -> bool {
        self.sets == 0
    }

    /// A word of a line, if the line is held.
    #[inline]
    pub(crate) fn get(&self, key: Key, word: usize) -> Option<u64> {
        let set = self.set(key)?;
        for way in 0..WAYS {
            if set.keys[way].load(Ordering::Relaxed) != key.0 {
                continue;
            }
            let version = set.versions[way].load(Ordering::Acquire);
            // The key once more: it may have gone before the version was read.
            if version % 2 == 1 || set.keys[way].load(Ordering::Relaxed) != key.0 {
                continue;
            }
            let found = set.lines[way].get(word)?.load(Ordering::Relaxed);
            fence(Ordering::Acquire);
            if set.versions[way].load(Ordering::Relaxed) != version {
                continue;
            }
            // The store is left out where it would change nothing: it would take the cache line
            // from other readers.
            if !set.used[way].load(Ordering::Relaxed) {
                set.used[way].store(true, Ordering::Relaxed);
            }
            return Some(found);
        }
        None
    }

    /// Holds a line. Words that are not given are zeros.
    pub(crate) fn insert(&self, key: Key, words: impl Iterator<Item = u64>) {
        if self.is_off() {
            return;
        }
        let (segment, set) = self.place(key);
        let sets = || {
            let left = self.sets as usize - segment * SEGMENT;
            (0..left.min(SEGMENT)).map(|_| Set::default()).collect()
        };
        let set = &self.segments[segment].get_or_init(sets)[set];
        if set.keys.iter().any(|held| held.load(Ordering::Relaxed) == key.0) {
            return; // another thread was faster
        }
        let way = set.way_to_replace();
        let version = set.versions[way].load(Ordering::Relaxed);
        let changed = |odd| {
            set.versions[way].compare_exchange(version, odd, Ordering::Acquire, Ordering::Relaxed)
        };
        if version % 2 == 1 || changed(version.wrapping_add(1)).is_err() {
            return; // another thread writes this line
        }
        // Whoever sees any of what follows also sees the odd version.
        fence(Ordering::Release);
        set.keys[way].store(key.0, Ordering::Relaxed);
        let mut words = words;
        for word in &set.lines[way] {
            word.store(words.next().unwrap_or(0), Ordering::Relaxed);
        }
        set.used[way].store(false, Ordering::Relaxed);
        set.versions[way].store(version.wrapping_add(2), Ordering::Release);
    }

    /// Whether a line that is not held was asked for not long ago, and is now asked for again.
    /// Only such lines are worth to be decoded where a value can be had without.
    #[inline]
    pub(crate) fn is_asked_again(&self, key: Key) -> bool {
        let hash = key.hash();
        let Some(asked) = self.asked.get((hash as usize) & self.asked.len().wrapping_sub(1)) else {
            return false;
        };
        let mark = (hash >> 32) as u32 | 1;
        if asked.load(Ordering::Relaxed) == mark {
            return true;
        }
        asked.store(mark, Ordering::Relaxed);
        false
    }

    /// Asks the processor to fetch what a [`Cache::get`] of this line reads first.
    #[inline]
    pub(crate) fn prefetch(&self, key: Key) {
        if let Some(set) = self.set(key) {
            prefetch(set);
        }
    }

    /// Number of bytes taken.
    pub(crate) fn bytes(&self) -> usize {
        self.segments.iter().filter_map(|sets| Some(sets.get()?.len() * SET_BYTES)).sum()
    }

    #[inline]
    fn place(&self, key: Key) -> (usize, usize) {
        let set = ((u128::from(key.hash()) * u128::from(self.sets)) >> 64) as usize;
        (set / SEGMENT, set % SEGMENT)
    }

    #[inline]
    fn set(&self, key: Key) -> Option<&Set> {
        let (segment, set) = self.place(key);
        self.segments.get(segment)?.get()?.get(set)
    }
}

impl Set {
    /// The line that goes: one after the other, but those that were used are spared once.
    fn way_to_replace(&self) -> usize {
        if let Some(empty) = self.keys.iter().position(|key| key.load(Ordering::Relaxed) == 0) {
            return empty;
        }
        for _ in 0..WAYS {
            let way = self.turn.fetch_add(1, Ordering::Relaxed) as usize % WAYS;
            if !self.used[way].swap(false, Ordering::Relaxed) {
                return way;
            }
        }
        self.turn.fetch_add(1, Ordering::Relaxed) as usize % WAYS
    }
}

#[inline]
fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint to the processor; it reads nothing, and would be harmless for any address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(n: u64) -> impl Iterator<Item = u64> {
        (0..LINE_WORDS as u64).map(move |word| n * 1000 + word)
    }

    #[test]
    fn lines_that_were_used_stay_longer() {
        let cache = Cache::new(SET_BYTES);
        let key = |n| Key::new(0, n);
        (0..4).for_each(|n| cache.insert(key(n), line(n)));
        assert_eq!(cache.bytes(), SET_BYTES);
        assert_eq!(cache.get(key(0), 5), Some(5));
        assert_eq!(cache.get(key(3), 127), Some(3127));
        assert_eq!(cache.get(key(3), 128), None);
        // The oldest is spared, the second goes.
        cache.insert(key(4), line(4));
        assert_eq!(cache.get(key(1), 0), None);
        assert_eq!(cache.get(key(0), 1), Some(1));
        // Where all were used, one goes all the same.
        for n in 0..5 {
            cache.get(key(n), 0);
        }
        cache.insert(key(5), line(5));
        assert_eq!(cache.get(key(5), 2), Some(5002));
        assert_eq!((0..6).filter(|&n| cache.get(key(n), 0).is_some()).count(), 4);
        assert_eq!(cache.get(Key::new(1, 5), 2), None);
        assert_eq!(cache.bytes(), SET_BYTES);
    }

    #[test]
    fn no_cache_holds_nothing() {
        let cache = Cache::new(SET_BYTES - 1);
        cache.insert(Key::new(0, 0), line(0));
        assert_eq!(cache.get(Key::new(0, 0), 0), None);
        assert!(!cache.is_asked_again(Key::new(0, 0)) && !cache.is_asked_again(Key::new(0, 0)));
        assert_eq!((cache.is_off(), cache.bytes()), (true, 0));
    }

    #[test]
    fn threads_never_see_another_lines_words() {
        let cache = Cache::new(3 * SET_BYTES);
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                let cache = &cache;
                scope.spawn(move || {
                    for n in 0..40_000u64 {
                        let number = (n * 7 + thread * 13) % 40;
                        let key = Key::new(3, number);
                        match cache.get(key, (n % 128) as usize) {
                            Some(word) => assert_eq!(word, number * 1000 + n % 128),
                            None => cache.insert(key, line(number)),
                        }
                    }
                });
            }
        });
    }
}
