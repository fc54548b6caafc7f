//! Decoded blocks, kept up to a number of bytes.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};

use damabase_formats::table::Block;

/// Which block: the number of its table in the set, and its number in the table.
pub(crate) type Key = (u32, u64);

/// What a block takes beyond its own size: its places in the map and the queue.
const OVERHEAD_BYTES: usize = 64;
/// Parts with a lock each; fewer where the cache is so small that blocks would crowd.
const MAX_SHARDS: usize = 16;
const MIN_SHARD_BYTES: usize = 1 << 20;

/// Blocks in shards with a lock each. Readers of one shard do not wait for each other.
#[derive(Debug)]
pub(crate) struct Cache {
    shards: Box<[RwLock<Shard>]>,
    shard_bytes: usize,
}

/// Blocks that leave in the order in which they came, but those that were used since they came,
/// or since they were last spared, are spared once.
#[derive(Debug, Default)]
struct Shard {
    slots: HashMap<Key, Slot>,
    queue: VecDeque<Key>,
    bytes: usize,
}

#[derive(Debug)]
struct Slot {
    block: Block,
    used: AtomicBool,
}

impl Cache {
    /// A cache that holds at most so many bytes.
    pub(crate) fn new(bytes: usize) -> Cache {
        let shards = (bytes / MIN_SHARD_BYTES).clamp(1, MAX_SHARDS);
        Cache {
            shards: (0..shards).map(|_| RwLock::default()).collect(),
            shard_bytes: bytes / shards,
        }
    }

    /// Applies `read` to a block, if it is held.
    #[inline]
    pub(crate) fn get<T>(&self, key: Key, read: impl FnOnce(&Block) -> T) -> Option<T> {
        // Nothing panics while it holds a lock, and a cache is never half changed for long: a
        // poisoned lock would mean nothing.
        let shard = self.shard(key).read().unwrap_or_else(PoisonError::into_inner);
        let slot = shard.slots.get(&key)?;
        // The store is left out where it would change nothing: it would take the cache line from
        // other readers.
        if !slot.used.load(Ordering::Relaxed) {
            slot.used.store(true, Ordering::Relaxed);
        }
        Some(read(&slot.block))
    }

    /// Holds a block, unless it is too large.
    pub(crate) fn insert(&self, key: Key, block: Block) {
        let size = block.size_bytes() + OVERHEAD_BYTES;
        if size > self.shard_bytes {
            return;
        }
        let mut shard = self.shard(key).write().unwrap_or_else(PoisonError::into_inner);
        let shard = &mut *shard;
        if shard.slots.contains_key(&key) {
            return; // another thread was faster
        }
        while shard.bytes + size > self.shard_bytes {
            let Some(oldest) = shard.queue.pop_front() else { break };
            let spared = shard
                .slots
                .get_mut(&oldest)
                .is_some_and(|slot| std::mem::replace(slot.used.get_mut(), false));
            if spared {
                shard.queue.push_back(oldest);
            } else if let Some(slot) = shard.slots.remove(&oldest) {
                shard.bytes -= slot.block.size_bytes() + OVERHEAD_BYTES;
            }
        }
        shard.bytes += size;
        shard.queue.push_back(key);
        shard.slots.insert(key, Slot { block, used: AtomicBool::new(false) });
    }

    /// Number of bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let bytes =
            |shard: &RwLock<Shard>| shard.read().unwrap_or_else(PoisonError::into_inner).bytes;
        self.shards.iter().map(bytes).sum()
    }

    #[inline]
    fn shard(&self, (table, block): Key) -> &RwLock<Shard> {
        let number = block.wrapping_add(u64::from(table).wrapping_mul(7)) as usize;
        &self.shards[number % self.shards.len()]
    }
}

#[cfg(test)]
mod tests {
    use damabase_formats::table::{
        Block, Counts, Metadata, TableInfo, Values, WriteOptions, write_table,
    };
    use damabase_formats::{Metric, TableFile, TableId, ToMove, positions};
    use damabase_rules::VariantId;

    use super::*;

    /// A decoded block; blocks can only come from a table.
    fn block() -> Block {
        struct Numbers;
        impl Values for Numbers {
            fn read(&self, _: ToMove, range: std::ops::Range<u64>, out: &mut [u16]) {
                range.zip(out).for_each(|(n, code)| *code = (n * n % 7 % 3) as u16);
            }
        }
        let id = TableId::new(VariantId::Russian, "MvM".parse().unwrap(), Metric::Wld);
        let all = positions(VariantId::Russian.variant().board, id.slice);
        let counts = vec![Counts { positions: all, wins: all, draws: 0, losses: 0 }];
        let info = TableInfo { max_code: 2, counts, metadata: Metadata::default(), id };
        let folder = tempfile::tempdir().unwrap();
        write_table(folder.path(), &info, WriteOptions::default(), &Numbers).unwrap();
        TableFile::open(&folder.path().join("MvM.wld")).unwrap().block(0).unwrap()
    }

    #[test]
    fn blocks_that_were_used_stay_longer() {
        let block = block();
        let size = block.size_bytes() + OVERHEAD_BYTES;
        let cache = Cache::new(3 * size);
        for number in 0..3 {
            cache.insert((0, number), block.clone());
        }
        let held = || (0..6).filter(|&number| cache.get((0, number), |_| ()).is_some()).count();
        assert_eq!(cache.bytes(), 3 * size);
        cache.get((0, 0), |_| ()).unwrap();
        // The oldest is spared, the second goes.
        cache.insert((0, 3), block.clone());
        assert!(cache.shards[0].read().unwrap().slots.contains_key(&(0, 0)));
        assert!(!cache.shards[0].read().unwrap().slots.contains_key(&(0, 1)));
        // Where all were used, one goes all the same.
        assert_eq!(held(), 3);
        cache.insert((0, 4), block.clone());
        assert_eq!((held(), cache.bytes()), (3, 3 * size));
        // The same block twice counts once.
        cache.insert((0, 4), block.clone());
        assert_eq!((held(), cache.bytes()), (3, 3 * size));
        // A block larger than the cache is not held.
        let small = Cache::new(size - 1);
        small.insert((0, 0), block);
        assert_eq!(small.bytes(), 0);
    }
}
