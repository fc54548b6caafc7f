//! Damabase probe.
