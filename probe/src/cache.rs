//! Decoded values, kept up to a number of bytes, without locks.
//!
//! Values are kept in *lines* of [`LINE_WORDS`] words. A line and its tag are what the processor
//! fetches from memory at a time, since a probe spends most of its time waiting for that. A reader
//! takes a word, and then looks whether the tag was still the same; a writer that finds another one
//! at work leaves the line alone. So nobody waits, and nothing is allocated where lines are read.
//!
//! [`GROUP`] lines of a table that follow each other are a *group*: they are decoded together, and
//! lie beside each other, in one of two places.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

/// Words of a line.
pub(crate) const LINE_WORDS: usize = 7;
/// Lines of a group.
const GROUP: usize = 16;
/// Bytes that a group takes.
const GROUP_BYTES: usize = GROUP * size_of::<Line>();
/// Groups that are allocated together.
const SEGMENT: usize = 256;

/// Bits of the number of a line in its table; the number of the table is above.
const NUMBER_BITS: u32 = 36;
/// Tables that can be told apart.
const MAX_TABLES: u32 = (1 << 14) - 2;
/// The bits of a tag that are the key. Above is the version, whose lowest bit is set while the line
/// is written. A reader is deceived only if the same line is replaced by others 2048 times, and then
/// by itself, between two loads.
const KEY: u64 = (1 << 50) - 1;
const VERSION: u64 = 1 << 50;
/// The bit of a tag that says that the line was used since it came, or since it was spared.
const USED: u64 = 1 << 63;

/// A number for a line that no other line of a set of tables has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Key(u64);

impl Key {
    /// A line that is never held.
    const NONE: Key = Key(KEY);

    /// The key of a table's line; what is beyond [`MAX_TABLES`] or 2^36 lines is not held.
    #[inline]
    pub(crate) fn new(table: u32, line: u64) -> Key {
        if table < MAX_TABLES && line >> NUMBER_BITS == 0 {
            Key((u64::from(table) + 1) << NUMBER_BITS | line)
        } else {
            Key::NONE
        }
    }

    /// Whether two lines are of one group.
    #[inline]
    pub(crate) fn is_beside(self, other: Key) -> bool {
        self.group() == other.group()
    }

    #[inline]
    fn group(self) -> u64 {
        self.0 / GROUP as u64
    }

    /// The bits of its group mixed: the high ones well.
    #[inline]
    fn hash(self) -> u64 {
        self.group().wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

/// All parts of it change without a lock, so they are all atomic.
#[repr(align(64))]
#[derive(Debug, Default)]
struct Line {
    /// Key, version and whether it was used; 0 where there is no line.
    tag: AtomicU64,
    words: [AtomicU64; LINE_WORDS],
}

/// Lines of decoded values.
#[derive(Debug)]
pub(crate) struct Cache {
    segments: Box<[OnceLock<Box<[Line]>>]>,
    /// An even number.
    groups: u64,
    /// Hashes of groups that were asked for and are not held; a power of two of them.
    asked: Box<[AtomicU32]>,
}

impl Cache {
    /// A cache that takes at most so many bytes. Memory is taken when it is first needed.
    pub(crate) fn new(bytes: usize) -> Cache {
        let groups = bytes / GROUP_BYTES / 2 * 2;
        let asked = if groups == 0 { 0 } else { groups.min(1 << 16).next_power_of_two() };
        Cache {
            segments: (0..groups.div_ceil(SEGMENT)).map(|_| OnceLock::new()).collect(),
            groups: groups as u64,
            asked: (0..asked).map(|_| AtomicU32::new(0)).collect(),
        }
    }

    /// Whether the cache holds nothing, ever.
    #[inline]
    pub(crate) fn is_off(&self) -> bool {
        self.groups == 0
    }

    /// A word of a line, if the line is held.
    #[inline]
    pub(crate) fn get(&self, key: Key, word: usize) -> Option<u64> {
        for line in self.places(key)? {
            let tag = line.tag.load(Ordering::Acquire);
            if tag & (KEY | VERSION) != key.0 {
                continue; // another line, or it is being written
            }
            let found = line.words.get(word)?.load(Ordering::Relaxed);
            fence(Ordering::Acquire);
            if (line.tag.load(Ordering::Relaxed) ^ tag) & !USED != 0 {
                continue;
            }
            // The store is left out where it would change nothing: it would take the line from
            // other readers.
            if tag & USED == 0 {
                line.tag.fetch_or(USED, Ordering::Relaxed);
            }
            return Some(found);
        }
        None
    }

    /// Holds a line. Words that are not given are zeros.
    pub(crate) fn insert(&self, key: Key, words: impl Iterator<Item = u64>) {
        if self.is_off() || key == Key::NONE {
            return;
        }
        let [(segment, _), _] = self.place(key);
        self.segments[segment].get_or_init(|| {
            let left = self.groups as usize - segment * SEGMENT;
            (0..left.min(SEGMENT) * GROUP).map(|_| Line::default()).collect()
        });
        let Some(places) = self.places(key) else { return };
        if places.iter().any(|line| line.tag.load(Ordering::Relaxed) & KEY == key.0) {
            return; // another thread was faster
        }
        let line = Line::to_replace(places);
        let tag = line.tag.load(Ordering::Relaxed);
        let version = tag & !(KEY | USED);
        let odd = version | VERSION | key.0;
        if tag & VERSION != 0
            || line.tag.compare_exchange(tag, odd, Ordering::Acquire, Ordering::Relaxed).is_err()
        {
            return; // another thread writes this line, or has just used it
        }
        // Whoever sees any of what follows also sees the odd version.
        fence(Ordering::Release);
        let mut words = words;
        for word in &line.words {
            word.store(words.next().unwrap_or(0), Ordering::Relaxed);
        }
        let next = version.wrapping_add(2 * VERSION) & !(KEY | USED);
        line.tag.store(next | key.0, Ordering::Release);
    }

    /// Whether a line that is not held was asked for not long ago, or one beside it, and is now
    /// asked for again. Only such lines are worth to be decoded where a value can be had without.
    #[inline]
    pub(crate) fn is_asked_again(&self, key: Key) -> bool {
        let hash = key.hash();
        let place = (hash >> 32) as usize & self.asked.len().wrapping_sub(1);
        let Some(asked) = self.asked.get(place) else {
            return false;
        };
        let mark = (hash >> 16) as u32 | 1;
        if asked.load(Ordering::Relaxed) == mark {
            return true;
        }
        asked.store(mark, Ordering::Relaxed);
        false
    }

    /// Asks the processor to fetch what a [`Cache::get`] of this line reads.
    #[inline]
    pub(crate) fn prefetch(&self, key: Key) {
        if let Some(places) = self.places(key) {
            places.into_iter().for_each(prefetch);
        }
    }

    /// Number of bytes taken.
    pub(crate) fn bytes(&self) -> usize {
        let lines = |segment: &OnceLock<Box<[Line]>>| Some(segment.get()?.len());
        self.segments.iter().filter_map(lines).sum::<usize>() * size_of::<Line>()
    }

    /// The two places of a line: segment, and number in it. Both are in one segment, since a
    /// segment has an even number of groups.
    #[inline]
    fn place(&self, key: Key) -> [(usize, usize); 2] {
        let group = ((u128::from(key.hash()) * u128::from(self.groups)) >> 64) as usize;
        let line = key.0 as usize % GROUP;
        [group, group ^ 1].map(|group| (group / SEGMENT, group % SEGMENT * GROUP + line))
    }

    /// The two places of a line, if there are any yet.
    #[inline]
    fn places(&self, key: Key) -> Option<[&Line; 2]> {
        let [(segment, first), (_, second)] = self.place(key);
        let segment = self.segments.get(segment)?.get()?;
        Some([segment.get(first)?, segment.get(second)?])
    }
}

impl Line {
    /// The line that goes: an empty one, or one that was not used. Those that were used are spared
    /// once.
    fn to_replace(places: [&Line; 2]) -> &Line {
        let tags = places.map(|line| line.tag.load(Ordering::Relaxed));
        let is_empty = |tag: u64| tag & KEY == 0;
        let is_unused = |tag: u64| tag & USED == 0;
        for is_good in [&is_empty as &dyn Fn(u64) -> bool, &is_unused] {
            if let Some(place) = tags.iter().position(|&tag| is_good(tag)) {
                // What stays has been spared.
                places[1 - place].tag.fetch_and(!USED, Ordering::Relaxed);
                return places[place];
            }
        }
        places[0].tag.fetch_and(!USED, Ordering::Relaxed);
        places[1].tag.fetch_and(!USED, Ordering::Relaxed);
        places[1]
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

    /// A cache with two groups, so that each line of a group may be in either.
    fn two_groups() -> Cache {
        Cache::new(2 * GROUP_BYTES)
    }

    /// Lines at the same place of different groups.
    fn key(n: u64) -> Key {
        Key::new(0, n * GROUP as u64 + 3)
    }

    #[test]
    fn lines_that_were_used_stay_longer() {
        let cache = two_groups();
        (0..2).for_each(|n| cache.insert(key(n), line(n)));
        assert_eq!(cache.bytes(), 2 * GROUP_BYTES);
        assert_eq!(cache.get(key(1), 6), Some(1006));
        assert_eq!(cache.get(key(1), 7), None);
        // The one that was used is spared, but only once.
        cache.insert(key(2), line(2));
        assert_eq!(cache.get(key(0), 0), None);
        assert_eq!(cache.get(key(2), 1), Some(2001));
        cache.insert(key(3), line(3));
        assert_eq!(cache.get(key(1), 0), None);
        // Where both were used, one goes all the same.
        assert_eq!((cache.get(key(2), 0), cache.get(key(3), 0)), (Some(2000), Some(3000)));
        cache.insert(key(4), line(4));
        assert_eq!(cache.get(key(4), 2), Some(4002));
        assert_eq!((0..5).filter(|&n| cache.get(key(n), 0).is_some()).count(), 2);
        assert_eq!(cache.get(Key::new(1, 4 * GROUP as u64 + 3), 2), None);
        assert_eq!(cache.bytes(), 2 * GROUP_BYTES);
    }

    #[test]
    fn lines_of_a_group_do_not_push_each_other_out() {
        let cache = two_groups();
        (0..2 * GROUP as u64).for_each(|n| cache.insert(Key::new(5, n), line(n)));
        for n in 0..2 * GROUP as u64 {
            assert_eq!(cache.get(Key::new(5, n), 0), Some(n * 1000));
        }
    }

    #[test]
    fn no_cache_holds_nothing() {
        let cache = Cache::new(2 * GROUP_BYTES - 1);
        cache.insert(Key::new(0, 0), line(0));
        assert_eq!(cache.get(Key::new(0, 0), 0), None);
        assert!(!cache.is_asked_again(Key::new(0, 0)) && !cache.is_asked_again(Key::new(0, 0)));
        assert_eq!((cache.is_off(), cache.bytes()), (true, 0));
    }

    #[test]
    fn what_is_asked_for_again_is_known() {
        let cache = Cache::new(1 << 20);
        assert!(!cache.is_asked_again(key(7)));
        assert!(
            cache.is_asked_again(key(7)) && cache.is_asked_again(Key::new(0, 7 * GROUP as u64))
        );
        assert!(!cache.is_asked_again(key(8)));
    }

    #[test]
    fn numbers_that_are_too_great_are_not_held() {
        let cache = Cache::new(1 << 20);
        for key in [Key::new(0, 1 << 36), Key::new(MAX_TABLES, 0), Key::new(u32::MAX, u64::MAX)] {
            cache.insert(key, line(1));
            assert_eq!(cache.get(key, 0), None);
        }
        let last = Key::new(MAX_TABLES - 1, (1 << 36) - 1);
        cache.insert(last, line(1));
        assert_eq!(cache.get(last, 0), Some(1000));
    }

    #[test]
    fn threads_never_see_another_lines_words() {
        let cache = Cache::new(4 * GROUP_BYTES);
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                let cache = &cache;
                scope.spawn(move || {
                    for n in 0..40_000u64 {
                        let number = (n * 7 + thread * 13) % 40;
                        let word = n % LINE_WORDS as u64;
                        match cache.get(key(number), word as usize) {
                            Some(found) => assert_eq!(found, number * 1000 + word),
                            None => cache.insert(key(number), line(number)),
                        }
                    }
                });
            }
        });
    }
}
