//! The damabase command.
fn main() {}
