//! Damabase formats.
