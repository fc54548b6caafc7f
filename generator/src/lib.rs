//! Damabase generator.
pub mod planes;
