//! Damabase generator.
