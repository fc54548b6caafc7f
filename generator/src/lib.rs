//! Making tables: which slices depend on which, solving them, writing them so that nothing
//! finished is ever lost, and proving that what was written is right.

pub mod budgets;
pub mod convert;
mod exact;
mod lock;
pub mod memory;
pub mod plan;
pub mod planes;
pub mod reference;
pub mod results;
pub mod run;
pub mod solver;
pub mod stairs;
pub mod stats;
mod survey;
pub mod value;
pub mod verify;
mod waves;

pub use convert::{ConvertOptions, Converted, convert};
pub use memory::{Estimate, estimate};
pub use plan::{PlanError, Planned, Uses, plan};
pub use reference::Reference;
pub use results::{Effect, SideResults, SliceResults, Tightest, results};
pub use run::{GenerateError, Options, Row, generate, generate_with};
pub use solver::{Job, Progress, Silent, SolveError, Solver};
pub use stats::{SideStats, SliceStats, stats};
pub use verify::{VerifyError, VerifyOptions, verify, verify_set};
