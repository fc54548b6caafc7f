//! `damabase hub` under draw rules: what is won before a draw is due is won, whoever defends, also where
//! the way that is quickest without counters would be too slow.

mod common;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use common::{command, spawn, tables};
use damabase_formats::{Index, ToMove, hub_text, parse_move};
use damabase_probe::{Standing, TableSet, Under};
use damabase_rules::draws::{self, Replay, Seeds};
use damabase_rules::{Move, Position, Rules, Russian, Side, Square, Word};
use tempfile::TempDir;

struct Hub {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Hub {
    fn start(dir: &TempDir, profile: &str) -> Hub {
        let mut hub = command(&format!("hub --variant russian --profile {profile} --dir"));
        let mut child = spawn(hub.arg(dir.path()).stdin(Stdio::piped()));
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Hub { child, stdin, stdout }
    }

    /// The move that it plays, and what it says of it.
    fn play(&mut self, position: &str, moves: &[String]) -> (String, String) {
        let moves = moves.join(" ");
        writeln!(self.stdin, "pos pos={position} moves=\"{moves}\"\ngo think").unwrap();
        let mut said = String::new();
        loop {
            let mut line = String::new();
            assert_ne!(self.stdout.read_line(&mut line).unwrap(), 0, "it has ended");
            assert!(!line.starts_with("error"), "{line}");
            if let Some(done) = line.strip_prefix("done move=") {
                return (done.split_whitespace().next().unwrap().to_string(), said);
            }
            said = line;
        }
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A position with White to move, as the protocol has it.
fn letters(position: &Position<Russian>) -> String {
    let board = Russian::board();
    let letter = |square| {
        let has = |set: u64| (set & u64::bit(board.bit_of(Square(square)))).any();
        match () {
            () if has(position.mover.men) => 'w',
            () if has(position.mover.kings) => 'W',
            () if has(position.waiter.men) => 'b',
            () if has(position.waiter.kings) => 'B',
            () => 'e',
        }
    };
    format!("W{}", (0..32).map(letter).collect::<String>())
}

/// The defender's move: what leaves the winner least to spare.
fn defence(under: &Under<Russian>, game: &Replay<Russian>) -> Move<u64> {
    let now = game.now();
    under.moves(&now.position, &now.counters).unwrap()[0].action
}

/// The worst move that still wins.
fn waste(under: &Under<Russian>, game: &Replay<Russian>) -> Option<Move<u64>> {
    let all = under.moves(&game.now().position, &game.now().counters).unwrap();
    all.iter().rfind(|m| m.value.standing == Some(Standing::Win)).map(|m| m.action)
}

/// Plays a won position to its end. For the first plies White wins as badly as he can, so that the
/// counters run; then the engine takes over. Gives how many of the engine's moves came where the win in theory was too slow for the counters.
fn play(hub: &mut Hub, under: &Under<Russian>, start: Position<Russian>, bad: usize) -> u32 {
    let mut game = Replay::new(under.profile(), Side::White, start, &Seeds::default()).unwrap();
    let letters = letters(&start);
    let mut moves = Vec::new();
    let mut late = 0;
    while game.now().winner.is_none() {
        let bad = if moves.len() < bad { waste(under, &game) } else { None };
        let now = game.now();
        assert!(now.due.is_empty(), "drawn: {letters} {moves:?}");
        let action = match (now.side, bad) {
            (Side::Black, _) => defence(under, &game),
            (Side::White, Some(bad)) => bad,
            (Side::White, None) => {
                let value = under.value(&now.position, &now.counters).unwrap();
                assert_eq!(value.standing, Some(Standing::Win), "{letters} {moves:?}");
                let dtw = under.tables().dtw(&now.position).unwrap().plies().unwrap();
                let left = value.left.and_then(|left| left.plies);
                let is_late = left.is_some_and(|left| left < u32::from(dtw));
                late += u32::from(is_late);
                let (text, said) = hub.play(&letters, &moves);
                let expected = if is_late { "won in time, " } else { "win in " };
                assert!(said.contains(&format!("message=\"{expected}")), "{said}");
                parse_move(Side::White, &now.position, &text).unwrap()
            }
        };
        moves.push(hub_text::<Russian>(game.now().side, &action));
        game.play(action).unwrap();
        assert!(moves.len() < 300, "no end: {letters} {moves:?}");
    }
    assert_eq!(game.now().winner, Some(Side::White), "{letters} {moves:?}");
    late
}

/// Plays from positions of a slice that are won in time; gives how many games there were, and how
/// many moves in them came where the win in theory was too slow.
fn games(profile: &str, slice: &str, step: usize, least: u16) -> (u32, u32) {
    let dir =
        tables(&format!("russian --slice {slice} --metric wld,dtw,dtc,budget --profile {profile}"));
    let set = TableSet::<Russian>::open(&[dir.path().to_path_buf()]).unwrap();
    let under = set.under(draws::built_in(profile).unwrap());
    let mut hub = Hub::start(&dir, profile);
    let index = Index::<Russian>::new(slice.parse().unwrap(), ToMove::First);
    let (mut number, mut late) = (0, 0);
    for n in (0..index.len()).step_by(step) {
        let Some(position) = index.unrank(n) else { continue };
        let counters = under.profile().start(&position, &Seeds::default()).unwrap();
        let value = under.value(&position, &counters).unwrap();
        let dtw = set.dtw(&position).unwrap().plies();
        if value.standing != Some(Standing::Win) || dtw.is_none_or(|dtw| dtw < least) {
            continue;
        }
        number += 1;
        late += play(&mut hub, &under, position, 4);
    }
    (number, late)
}

#[test]
fn what_is_won_in_time_is_won_where_one_number_decides() {
    let (number, late) = games("cn64-russian", "KMMvK", 2_003, 50);
    assert!(number >= 3 && late > 0, "{number} {late}");
}

#[test]
fn what_is_won_in_time_is_won_where_several_counters_run() {
    let (number, late) = games("fmjd64", "KKMvK", 15_013, 31);
    assert!(number >= 3 && late > 0, "{number} {late}");
}
