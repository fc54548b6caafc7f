//! Statistics as pages, for the server and as files for publishing.

use std::fmt::Write;

use damabase_formats::Fen;
use damabase_rules::{VariantId, with_rules};

use crate::board::{BoardOptions, board_svg};
use crate::html::{Escaped, grouped, query_value};
use crate::statistics::{Bin, Detail, Numbers, SideDetail, Statistics};

/// Width and height of a chart in its own units.
const WIDTH: u32 = 640;
const HEIGHT: u32 = 180;

/// Where links lead.
pub trait Links {
    /// The style sheet.
    fn style(&self) -> String;
    /// The page of a game.
    fn game(&self, variant: &str) -> String;
    /// The page of a slice.
    fn slice(&self, variant: &str, slice: &str) -> String;
    /// The page of a position, if there is one.
    fn position(&self, variant: &str, fen: &str) -> Option<String>;
    /// The explorer, if there is one.
    fn explorer(&self, variant: &str) -> Option<String>;
}

/// Pages of the server.
pub struct Served;

impl Links for Served {
    fn style(&self) -> String {
        "/assets/style.css".to_string()
    }
    fn game(&self, variant: &str) -> String {
        format!("/stats?variant={variant}")
    }
    fn slice(&self, variant: &str, slice: &str) -> String {
        format!("/stats?variant={variant}&slice={slice}")
    }
    fn position(&self, variant: &str, fen: &str) -> Option<String> {
        Some(format!("/?variant={variant}&fen={}", query_value(fen)))
    }
    fn explorer(&self, variant: &str) -> Option<String> {
        Some(format!("/?variant={variant}"))
    }
}

/// Pages as files of one folder.
pub struct Files;

impl Links for Files {
    fn style(&self) -> String {
        "style.css".to_string()
    }
    fn game(&self, variant: &str) -> String {
        game_file(variant)
    }
    fn slice(&self, variant: &str, slice: &str) -> String {
        slice_file(variant, slice)
    }
    fn position(&self, _: &str, _: &str) -> Option<String> {
        None
    }
    fn explorer(&self, _: &str) -> Option<String> {
        None
    }
}

/// The name of the file of a game's page.
pub fn game_file(variant: &str) -> String {
    format!("{variant}.html")
}

/// The name of the file of a slice's page.
pub fn slice_file(variant: &str, slice: &str) -> String {
    format!("{variant}-{slice}.html")
}

/// The page of a game: its slices.
pub fn game(statistics: &Statistics, links: &dyn Links) -> String {
    let variant = statistics.variant;
    let mut body = String::new();
    // Writing to a string does not fail.
    let _ = write!(
        body,
        "<h2>{}</h2><p>{} files with {} bytes. Wins and losses are those of the side to move, \
         which is the first or the second named in the slice.</p>",
        title(variant),
        grouped(statistics.files as u64),
        grouped(statistics.bytes)
    );
    if statistics.slices.is_empty() {
        let _ = write!(
            body,
            "<p>There are no tables of this game. <code>damabase generate {variant} --pieces 3</code> \
             makes some.</p>"
        );
    }
    let head = |first: &str, more: &str| {
        format!(
            "<thead><tr><th scope=\"col\">{first}</th><th scope=\"col\">to move</th>\
             <th scope=\"col\">positions</th><th scope=\"col\">win, draw, loss</th>\
             <th scope=\"col\">wins</th><th scope=\"col\">draws</th><th scope=\"col\">losses</th>{more}\
             </tr></thead>"
        )
    };
    if !statistics.pieces.is_empty() {
        let _ = write!(
            body,
            "<div class=\"scroll\"><table class=\"stats\"><caption>By number of pieces</caption>{}<tbody>",
            head("pieces", "")
        );
        for row in &statistics.pieces {
            let _ = write!(
                body,
                "<tr><th scope=\"row\">{}</th><td>{}</td>{}</tr>",
                row.pieces,
                row.to_move,
                cells(&row.numbers)
            );
        }
        body.push_str("</tbody></table></div>");
        let more = "<th scope=\"col\">longest win</th><th scope=\"col\">bytes</th>";
        let _ = write!(
            body,
            "<div class=\"scroll\"><table class=\"stats\"><caption>By material</caption>{}<tbody>",
            head("slice", more)
        );
        for row in &statistics.slices {
            let longest = row.longest_win.map_or("-".to_string(), |plies| plies.to_string());
            let _ = write!(
                body,
                "<tr><th scope=\"row\"><a href=\"{}\">{}</a></th><td>{}</td>{}<td>{longest}</td>\
                 <td>{}</td></tr>",
                Escaped(links.slice(variant, &row.slice)),
                row.slice,
                row.to_move,
                cells(&row.numbers),
                grouped(row.bytes)
            );
        }
        body.push_str("</tbody></table></div>");
    }
    page(&format!("{} tables", title(variant)), variant, &body, links)
}

/// The page of a slice: how long its wins take.
pub fn slice(detail: &Detail, links: &dyn Links) -> String {
    let (variant, slice) = (detail.variant, &detail.slice);
    let mut body = format!(
        "<h2><a href=\"{}\">{}</a>: {slice}</h2>",
        Escaped(links.game(variant)),
        title(variant)
    );
    for side in &detail.sides {
        let _ = write!(body, "<section><h3>{}</h3>", heading(slice, side.to_move));
        let numbers = &side.numbers;
        let _ = write!(
            body,
            "<p>{} positions: {} wins, {} draws, {} losses of the side to move.</p>{}",
            grouped(numbers.positions),
            grouped(numbers.wins),
            grouped(numbers.draws),
            grouped(numbers.losses),
            bar(numbers)
        );
        match detail.metric {
            Some(metric) => distances(&mut body, detail, side, metric, links),
            None => body.push_str("<p>There is no table of distances for this material.</p>"),
        }
        body.push_str("</section>");
    }
    page(&format!("{slice}, {}", title(variant)), variant, &body, links)
}

fn distances(
    body: &mut String,
    detail: &Detail,
    side: &SideDetail,
    metric: &str,
    links: &dyn Links,
) {
    let to = if metric == "dtw" { "to the end of the game" } else { "to a capture or man move" };
    let which = match side.one_in {
        1 => "positions without a capture".to_string(),
        n => format!("positions without a capture, one in {n} of which was looked at"),
    };
    for (bins, name) in [(&side.wins_by_plies, "win"), (&side.losses_by_plies, "loss")] {
        if !bins.is_empty() {
            let caption = format!("Plies {to}, {name} of the side to move; {which}");
            body.push_str(&histogram(bins, name, &caption));
        }
    }
    if side.longest.is_empty() {
        return;
    }
    body.push_str("<h4>Longest wins</h4><div class=\"boards\">");
    for longest in &side.longest {
        let Some(svg) = picture(detail.variant, &longest.fen) else { continue };
        let caption = format!("{}: {} plies", longest.fen, longest.plies);
        let caption = match links.position(detail.variant, &longest.fen) {
            Some(link) => format!("<a href=\"{}\">{}</a>", Escaped(link), Escaped(caption)),
            None => Escaped(caption).to_string(),
        };
        let _ = write!(body, "<figure>{svg}<figcaption>{caption}</figcaption></figure>");
    }
    body.push_str("</div>");
}

fn picture(variant: &str, fen: &str) -> Option<String> {
    let variant: VariantId = variant.parse().ok()?;
    with_rules!(variant, G => {
        let fen = Fen::<G>::parse(fen).ok()?;
        Some(board_svg(fen.side, &fen.position, BoardOptions::default()))
    })
}

fn heading(slice: &str, to_move: &str) -> String {
    let (first, second) = slice.split_once('v').unwrap_or((slice, ""));
    match to_move {
        "first" if first == second => format!("{first} against {second}"),
        "first" => format!("{first} to move against {second}"),
        _ => format!("{second} to move against {first}"),
    }
}

fn title(variant: &str) -> &'static str {
    match variant {
        "international" => "International draughts",
        "russian" => "Russian draughts",
        "brazilian" => "Brazilian draughts",
        "english" => "English draughts",
        _ => "Draughts",
    }
}

fn cells(numbers: &Numbers) -> String {
    format!(
        "<td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>",
        grouped(numbers.positions),
        bar(numbers),
        grouped(numbers.wins),
        grouped(numbers.draws),
        grouped(numbers.losses)
    )
}

/// A bar of wins, draws and losses.
fn bar(numbers: &Numbers) -> String {
    let all = numbers.positions.max(1) as f64;
    let part = |number: u64| 200.0 * number as f64 / all;
    let percent = |number: u64| 100.0 * number as f64 / all;
    let (win, draw, loss) = (part(numbers.wins), part(numbers.draws), part(numbers.losses));
    format!(
        "<svg class=\"bar\" role=\"img\" preserveAspectRatio=\"none\" viewBox=\"0 0 200 14\" aria-label=\"{:.1} % wins, {:.1} % \
         draws, {:.1} % losses\"><title>{:.1} % wins, {:.1} % draws, {:.1} % losses</title>\
         <rect class=\"win\" width=\"{win:.2}\" height=\"14\"/>\
         <rect class=\"draw\" x=\"{win:.2}\" width=\"{draw:.2}\" height=\"14\"/>\
         <rect class=\"loss\" x=\"{:.2}\" width=\"{loss:.2}\" height=\"14\"/></svg>",
        percent(numbers.wins),
        percent(numbers.draws),
        percent(numbers.losses),
        percent(numbers.wins),
        percent(numbers.draws),
        percent(numbers.losses),
        win + draw
    )
}

/// How many positions have which distance, in at most 80 columns.
fn histogram(bins: &[Bin], class: &str, caption: &str) -> String {
    let most = bins.iter().map(|bin| u32::from(bin.plies)).max().unwrap_or(0);
    let width = (most + 1).div_ceil(80);
    let columns = most / width + 1;
    let mut counts = vec![0u64; columns as usize];
    for bin in bins {
        counts[(u32::from(bin.plies) / width) as usize] += bin.positions;
    }
    let highest = counts.iter().copied().max().unwrap_or(0).max(1);
    let step = f64::from(WIDTH) / f64::from(columns);
    let caption = format!("{caption}; the highest column is {}", grouped(highest));
    let caption = Escaped(caption);
    let mut svg = format!(
        "<figure class=\"chart\"><figcaption>{caption}</figcaption><svg class=\"histogram\" \
         role=\"img\" viewBox=\"0 0 {WIDTH} {}\" aria-label=\"{caption}\">",
        HEIGHT + 20
    );
    for (column, &count) in counts.iter().enumerate() {
        // Few are shown all the same.
        let height = if count == 0 {
            0.0
        } else {
            (f64::from(HEIGHT) * count as f64 / highest as f64).max(1.0)
        };
        let first = column as u32 * width;
        let plies = match width {
            1 => first.to_string(),
            _ => format!("{first} to {}", first + width - 1),
        };
        let _ = write!(
            svg,
            "<rect class=\"{class}\" x=\"{:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{height:.2}\">\
             <title>{plies} plies: {}</title></rect>",
            column as f64 * step,
            f64::from(HEIGHT) - height,
            (step - 1.0).max(0.5),
            grouped(count)
        );
    }
    let ticks = (columns / 8).max(1);
    for column in (0..columns).step_by(ticks as usize) {
        let _ = write!(
            svg,
            "<text class=\"tick\" x=\"{:.1}\" y=\"{}\" font-size=\"12\" text-anchor=\"middle\">{}</text>",
            (f64::from(column) + 0.5) * step,
            HEIGHT + 15,
            column * width
        );
    }
    svg.push_str("</svg></figure>");
    svg
}

/// A page that leads to the games' pages, as a file.
pub fn index(variants: &[&str]) -> String {
    let mut body = String::from("<h2>Endgame tables</h2><ul>");
    for variant in variants {
        let _ = write!(body, "<li><a href=\"{}\">{}</a></li>", game_file(variant), title(variant));
    }
    body.push_str("</ul>");
    page("Endgame tables", "", &body, &Files)
}

/// The page of what could not be shown.
pub fn failure(error: &str) -> String {
    page(
        "Damabase",
        "international",
        &format!("<p class=\"message\">{}</p>", Escaped(error)),
        &Served,
    )
}

fn page(title: &str, variant: &str, body: &str, links: &dyn Links) -> String {
    let mut nav = String::new();
    if let Some(explorer) = links.explorer(variant) {
        let _ = write!(nav, "<a href=\"{}\">Explorer</a> ", Escaped(explorer));
    }
    for id in VariantId::ALL {
        let name = id.variant().name;
        if links.explorer(name).is_some() || name == variant {
            let current = if name == variant { " aria-current=\"true\"" } else { "" };
            let _ = write!(nav, "<a href=\"{}\"{current}>{name}</a> ", Escaped(links.game(name)));
        }
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light \
         dark\">\n<title>{}</title>\n<link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" \
         href=\"{}\">\n</head>\n<body>\n<header class=\"top\"><h1>Damabase</h1><nav aria-label=\"Pages\">\
         {nav}</nav></header>\n<main class=\"statistics\">{body}</main>\n</body>\n</html>\n",
        Escaped(title),
        links.style()
    )
}
