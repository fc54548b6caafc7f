//! The rules a second time, as plainly as possible, to check the generator against: a board of
//! rows and columns, no bits, nothing shared with the crate but its types at the edge.

use std::collections::BTreeSet;

use damabase_rules::{Move, Position, Rules, Square, Word};

/// What distinguishes the games.
pub struct Game {
    pub size: i32,
    pub men_capture_backward: bool,
    pub kings_fly: bool,
    pub most_pieces: bool,
    pub promotes_in_passing: bool,
}

/// The game of a variant's name on a square board.
pub fn game(name: &str, size: u8) -> Game {
    let game = |men_capture_backward, kings_fly, most_pieces, promotes_in_passing| Game {
        size: i32::from(size),
        men_capture_backward,
        kings_fly,
        most_pieces,
        promotes_in_passing,
    };
    match name {
        "international" | "brazilian" => game(true, true, true, false),
        "russian" => game(true, true, false, true),
        "english" => game(false, false, false, false),
        _ => panic!("no game {name}"),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    Empty,
    /// The mover's man or king.
    Mine {
        king: bool,
    },
    /// The waiter's man or king.
    Theirs {
        king: bool,
    },
}

/// A row and a column, from the top left of the mover's view.
type Spot = (i32, i32);

/// From, to, whether a man becomes a king, what is taken. Squares as the crate numbers them.
pub type PlainMove = (u8, u8, bool, BTreeSet<u8>);

/// A board in the mover's view.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grid(Vec<Vec<Cell>>);

impl Grid {
    pub fn of<G: Rules>(position: &Position<G>) -> Grid {
        let board = G::board();
        let mut grid = Grid(vec![vec![Cell::Empty; board.width as usize]; board.height as usize]);
        for (set, cell) in [
            (position.mover.men, Cell::Mine { king: false }),
            (position.mover.kings, Cell::Mine { king: true }),
            (position.waiter.men, Cell::Theirs { king: false }),
            (position.waiter.kings, Cell::Theirs { king: true }),
        ] {
            for bit in set.indices() {
                grid.set(spot(i32::from(board.width), board.square_of(bit).0), cell);
            }
        }
        grid
    }

    fn at(&self, (row, column): Spot) -> Option<Cell> {
        let cells = self.0.get(usize::try_from(row).ok()?)?;
        cells.get(usize::try_from(column).ok()?).copied()
    }

    fn set(&mut self, (row, column): Spot, cell: Cell) {
        self.0[row as usize][column as usize] = cell;
    }

    fn is_empty(&self, spot: Spot) -> bool {
        self.at(spot) == Some(Cell::Empty)
    }

    fn is_theirs(&self, spot: Spot) -> bool {
        matches!(self.at(spot), Some(Cell::Theirs { .. }))
    }

    /// The board after a move, as the other side sees it.
    pub fn after(&self, (from, to, promotes, captured): &PlainMove) -> Grid {
        let width = self.0[0].len() as i32;
        let mut grid = self.clone();
        let Some(Cell::Mine { king }) = self.at(spot(width, *from)) else {
            panic!("no piece of the mover on {from}")
        };
        grid.set(spot(width, *from), Cell::Empty);
        grid.set(spot(width, *to), Cell::Mine { king: king || *promotes });
        for &victim in captured {
            grid.set(spot(width, victim), Cell::Empty);
        }
        grid.0.reverse();
        for cells in &mut grid.0 {
            cells.reverse();
            for cell in cells {
                *cell = match *cell {
                    Cell::Empty => Cell::Empty,
                    Cell::Mine { king } => Cell::Theirs { king },
                    Cell::Theirs { king } => Cell::Mine { king },
                };
            }
        }
        grid
    }
}

/// Where a numbered square lies.
fn spot(width: i32, square: u8) -> Spot {
    let row = i32::from(square) / (width / 2);
    let place = i32::from(square) % (width / 2);
    (row, 2 * place + if row % 2 == 0 { 1 } else { 0 })
}

/// The number of the square that lies there.
fn number(width: i32, (row, column): Spot) -> u8 {
    (row * (width / 2) + column / 2) as u8
}

const UP: [Spot; 2] = [(-1, -1), (-1, 1)];
const DOWN: [Spot; 2] = [(1, -1), (1, 1)];

fn forward_and_back(back: bool) -> Vec<Spot> {
    if back { [UP, DOWN].concat() } else { UP.to_vec() }
}

fn next(spot: Spot, direction: Spot) -> Spot {
    (spot.0 + direction.0, spot.1 + direction.1)
}

/// All legal moves.
pub fn legal_moves(game: &Game, grid: &Grid) -> BTreeSet<PlainMove> {
    let mut captures: BTreeSet<PlainMove> = BTreeSet::new();
    let mut quiet = BTreeSet::new();
    for row in 0..game.size {
        for column in 0..game.size {
            let from = (row, column);
            if let Some(Cell::Mine { king }) = grid.at(from) {
                quiet_moves(game, grid, from, king, &mut quiet);
                let mut without = grid.clone();
                without.set(from, Cell::Empty);
                let mut ends = Vec::new();
                capture_ends(game, &without, from, king, &[], &mut ends);
                for (to, became_king, taken) in ends {
                    let promotes = !king && (became_king || to.0 == 0);
                    let victims = taken.iter().map(|&victim| number(game.size, victim)).collect();
                    captures.insert((
                        number(game.size, from),
                        number(game.size, to),
                        promotes,
                        victims,
                    ));
                }
            }
        }
    }
    if captures.is_empty() {
        return quiet;
    }
    if game.most_pieces {
        let most = captures.iter().map(|capture| capture.3.len()).max().unwrap_or(0);
        captures.retain(|capture| capture.3.len() == most);
    }
    captures
}

fn quiet_moves(game: &Game, grid: &Grid, from: Spot, king: bool, out: &mut BTreeSet<PlainMove>) {
    for direction in forward_and_back(king) {
        let mut to = next(from, direction);
        while grid.is_empty(to) {
            out.insert((
                number(game.size, from),
                number(game.size, to),
                !king && to.0 == 0,
                BTreeSet::new(),
            ));
            if !(king && game.kings_fly) {
                break;
            }
            to = next(to, direction);
        }
    }
}

/// Where a capture ends, whether the piece is a king by then, and what it took.
type End = (Spot, bool, Vec<Spot>);

/// Follows a capture that has come to `at` and taken `taken`, which still stand on the board.
fn capture_ends(
    game: &Game,
    grid: &Grid,
    at: Spot,
    king: bool,
    taken: &[Spot],
    out: &mut Vec<End>,
) {
    for (victim, landings) in jumps(game, grid, at, king, taken) {
        let taken = [taken, &[victim]].concat();
        let becomes_king = |to: Spot| king || game.promotes_in_passing && to.0 == 0;
        let goes_on = |to: Spot| !jumps(game, grid, to, becomes_king(to), &taken).is_empty();
        // Of the squares behind a victim those must be taken from which the capture goes on.
        if landings.iter().any(|&to| goes_on(to)) {
            for &to in landings.iter().filter(|&&to| goes_on(to)) {
                capture_ends(game, grid, to, becomes_king(to), &taken, out);
            }
        } else {
            out.extend(landings.iter().map(|&to| (to, becomes_king(to), taken.clone())));
        }
    }
}

/// Every piece that can be taken next from `at`, with the squares to land on behind it.
fn jumps(game: &Game, grid: &Grid, at: Spot, king: bool, taken: &[Spot]) -> Vec<(Spot, Vec<Spot>)> {
    let mut found = Vec::new();
    let flies = king && game.kings_fly;
    for direction in forward_and_back(king || game.men_capture_backward) {
        let mut victim = next(at, direction);
        while flies && grid.is_empty(victim) {
            victim = next(victim, direction);
        }
        if !grid.is_theirs(victim) || taken.contains(&victim) {
            continue;
        }
        let mut landings = Vec::new();
        let mut to = next(victim, direction);
        while grid.is_empty(to) && (flies || landings.is_empty()) {
            landings.push(to);
            to = next(to, direction);
        }
        if !landings.is_empty() {
            found.push((victim, landings));
        }
    }
    found
}

/// Checks that `path` is a way to make `capture` on this board: each leg a jump over one piece
/// that was not taken before, together over all that are taken.
pub fn check_path(game: &Game, grid: &Grid, capture: &PlainMove, path: &[Square]) {
    let (from, to, _, captured) = capture;
    assert_eq!((path.first(), path.last()), (Some(&Square(*from)), Some(&Square(*to))));
    let Some(Cell::Mine { king }) = grid.at(spot(game.size, *from)) else {
        panic!("no piece of the mover on {from}")
    };
    let mut grid = grid.clone();
    grid.set(spot(game.size, *from), Cell::Empty);
    let mut king = king;
    let mut taken = Vec::new();
    for leg in path.windows(2) {
        let [at, landing] = [leg[0], leg[1]].map(|square| spot(game.size, square.0));
        let victim = jumps(game, &grid, at, king, &taken)
            .into_iter()
            .find(|(_, landings)| landings.contains(&landing))
            .unwrap_or_else(|| panic!("{path:?}: no jump from {at:?} to {landing:?}"))
            .0;
        taken.push(victim);
        king |= game.promotes_in_passing && landing.0 == 0;
    }
    let victims: BTreeSet<u8> = taken.iter().map(|&spot| number(game.size, spot)).collect();
    assert_eq!((&victims, victims.len()), (captured, taken.len()));
}

/// A move of the crate in the form used here.
pub fn plain_move<G: Rules>(m: &Move<G::Word>) -> PlainMove {
    let victims = m.captured.indices().map(|bit| G::board().square_of(bit).0).collect();
    (m.from.0, m.to.0, m.promotes, victims)
}
