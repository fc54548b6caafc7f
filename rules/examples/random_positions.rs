//! Prints random endgame positions of every variant with their legal moves, one JSON object a
//! line, for other programs to compare theirs with (`scripts/differential/run`):
//!
//! ```text
//! {"variant":"russian","fen":"W:WK29:BK6,10","moves":[[29,4,[]],...]}
//! ```
//!
//! A move is from, to, captured, with PDN's square numbers. Most positions have a capture, many
//! one of several pieces. The same seed gives the same positions.
//!
//!     cargo run --example random_positions -- POSITIONS_PER_VARIANT [SEED]

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use damabase_rules::{
    MoveList, Position, Rules, Side, Square, VariantId, Word, legal_moves, with_rules,
};

fn main() -> ExitCode {
    let arguments: Option<Vec<u64>> =
        std::env::args().skip(1).map(|argument| argument.parse().ok()).collect();
    let (count, seed) = match arguments.as_deref() {
        Some(&[count]) => (count, 1),
        Some(&[count, seed]) => (count, seed),
        _ => {
            eprintln!("usage: random_positions POSITIONS_PER_VARIANT [SEED]");
            return ExitCode::from(2);
        }
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let written = VariantId::ALL
        .iter()
        .try_for_each(|&id| with_rules!(id, G => write_positions::<G>(&mut out, count, seed)))
        .and_then(|()| out.flush());
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cannot write the positions: {error}");
            ExitCode::from(5)
        }
    }
}

fn write_positions<G: Rules>(out: &mut impl Write, count: u64, seed: u64) -> io::Result<()> {
    let mut random = Random::new(seed ^ u64::from(G::VARIANT.game_type) << 32);
    let mut written = 0;
    while written < count {
        let Some(position) = random_position::<G>(&mut random) else { continue };
        let moves = legal_moves(&position);
        // Captures are what goes wrong, long ones most: keep few of the others.
        let longest = moves.iter().map(|m| m.captured.count()).max().unwrap_or(0);
        let kept_of_16 = [1, 4, 16, 16];
        if random.below(16) >= kept_of_16[longest.min(3) as usize] {
            continue;
        }
        let side = if random.below(2) == 0 { Side::White } else { Side::Black };
        writeln!(
            out,
            r#"{{"variant":"{}","fen":"{}","moves":{}}}"#,
            G::VARIANT.name,
            fen(&position, side),
            json::<G>(side, &moves)
        )?;
        written += 1;
    }
    Ok(())
}

/// Up to 5 kings and 2 men of the mover against 1 to a quarter of the board; `None` if no piece of
/// one side found a place.
fn random_position<G: Rules>(random: &mut Random) -> Option<Position<G>> {
    let mut position = Position::<G>::default();
    let squares = u64::from(G::board().squares());
    let free_square = |random: &mut Random, position: &Position<G>, barred: G::Word| {
        let bit = G::Word::bit(G::board().bit_of(Square(random.below(squares) as u8)));
        if ((position.occupied() | barred) & bit).any() { G::Word::ZERO } else { bit }
    };
    for _ in 0..=random.below(5) {
        position.mover.kings |= free_square(random, &position, G::Word::ZERO);
    }
    for _ in 0..random.below(3) {
        position.mover.men |= free_square(random, &position, G::promotion_row());
    }
    for _ in 0..=random.below(squares / 4) {
        if random.below(3) == 0 {
            position.waiter.kings |= free_square(random, &position, G::Word::ZERO);
        } else {
            position.waiter.men |= free_square(random, &position, G::waiter_promotion_row());
        }
    }
    let both = position.mover.all().any() && position.waiter.all().any();
    both.then(|| Position::new(position.mover, position.waiter).ok()).flatten()
}

/// PDN's number of a square of the mover's view.
fn side_view<G: Rules>(side: Side) -> impl Fn(Square) -> u8 {
    move |square| match side {
        Side::White => square.0 + 1,
        Side::Black => G::board().turned_square(square).0 + 1,
    }
}

fn numbers<G: Rules>(number: &impl Fn(Square) -> u8, set: G::Word, prefix: &str) -> Vec<String> {
    set.indices().map(|bit| format!("{prefix}{}", number(G::board().square_of(bit)))).collect()
}

fn fen<G: Rules>(position: &Position<G>, side: Side) -> String {
    let number = side_view::<G>(side);
    let pieces = |owner: Side| {
        let pieces = if owner == side { position.mover } else { position.waiter };
        let mut names = numbers::<G>(&number, pieces.men, "");
        names.extend(numbers::<G>(&number, pieces.kings, "K"));
        names.join(",")
    };
    format!("{}:W{}:B{}", side.letter(), pieces(Side::White), pieces(Side::Black))
}

fn json<G: Rules>(side: Side, moves: &MoveList<G::Word>) -> String {
    let number = side_view::<G>(side);
    let moves: Vec<_> = moves
        .iter()
        .map(|m| {
            let captured = numbers::<G>(&number, m.captured, "").join(",");
            format!("[{},{},[{captured}]]", number(m.from), number(m.to))
        })
        .collect();
    format!("[{}]", moves.join(","))
}

/// Marsaglia's xorshift: the same numbers everywhere and for ever.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..16 {
            random.next(); // Seeds differ in few bits: let them spread.
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `bound`; the bias of the remainder does not matter here.
    fn below(&mut self, bound: u64) -> u64 {
        (self.next() >> 11) % bound
    }
}
