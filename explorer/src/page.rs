//! Pages: the explorer, which is read without scripts, and statistics.

use std::fmt::Write;

use damabase_rules::{VariantId, draws};
use serde::Serialize;

use crate::answer::{Answer, MoveRow};
use crate::board::one_of_each;
use crate::html::{Escaped, query_value};
use crate::question::Question;
use crate::service::{Explorer, Refusal, variant_of};
use crate::stats_page;

const PAGE: &str = include_str!("../assets/page.html");
/// The style sheet of all pages.
pub const STYLE: &str = include_str!("../assets/style.css");

/// Files that pages use, by name: media type and content.
pub fn asset(name: &str) -> Option<(&'static str, &'static str)> {
    const SCRIPT: &str = "text/javascript; charset=utf-8";
    Some(match name {
        "style.css" => ("text/css; charset=utf-8", STYLE),
        "explorer.js" => (SCRIPT, include_str!("../assets/explorer.js")),
        "board.js" => (SCRIPT, include_str!("../assets/board.js")),
        "court.js" => (SCRIPT, include_str!("../assets/court.js")),
        _ => return None,
    })
}

/// What the explorer's page is asked to show.
#[derive(Clone, Debug, Default)]
pub struct PageQuery {
    /// The game; international draughts where there is none.
    pub variant: Option<String>,
    /// The position.
    pub question: Question,
    /// Black below.
    pub turned: bool,
}

/// What scripts begin with.
#[derive(Serialize)]
struct Data<'a> {
    answer: Option<&'a Answer>,
    fen: &'a str,
    profile: &'a str,
    counters: &'a str,
    history: &'a str,
    turned: bool,
    variants: Vec<VariantData>,
}

#[derive(Serialize)]
struct VariantData {
    name: &'static str,
    default_profile: &'static str,
    profiles: Vec<&'static str>,
}

/// The explorer's page and its code of HTTP. What is wrong with the query is told on the page.
pub fn front(explorer: &Explorer, query: PageQuery, bad: Option<Refusal>) -> (u16, String) {
    let PageQuery { variant, mut question, turned } = query;
    let mut refusal = bad;
    let variant = match variant.as_deref().filter(|name| !name.is_empty()).map(variant_of) {
        None => VariantId::International,
        Some(Ok(variant)) => variant,
        Some(Err(unknown)) => {
            refusal = refusal.or(Some(Refusal { status: 400, ..unknown }));
            question = Question::default();
            VariantId::International
        }
    };
    let asked = question.clone();
    let answer = match explorer.answer(variant, &question) {
        Ok(answer) => Some(answer),
        Err(error) => {
            refusal = refusal.or(Some(error));
            None
        }
    };
    let board = explorer.picture(variant, &question, turned).or_else(|_| {
        question = Question { profile: None, ..Question::default() };
        explorer.picture(variant, &question, turned)
    });
    let board = board.unwrap_or_default();
    // That a position has no table is an answer, too: the page is there, and one can play on.
    let status = refusal.as_ref().map_or(200, |refusal| refusal.status);
    let text = |field: &Option<String>| field.clone().unwrap_or_default();
    let (fen, counters) = (text(&asked.fen), text(&asked.counters));
    let (profile, history) = (text(&asked.profile), text(&asked.history));
    let link = Link { variant, fen: &fen, profile: &profile, counters: &counters, turned };
    let data = Data {
        answer: answer.as_ref(),
        fen: &fen,
        profile: &profile,
        counters: &counters,
        history: &history,
        turned,
        variants: VariantId::ALL.iter().map(|&variant| variant_data(variant)).collect(),
    };
    // In a script's text only '<' could end it.
    let data = serde_json::to_string(&data).unwrap_or_default().replace('<', "\\u003c");
    let shown_fen = match &answer {
        Some(answer) if fen.is_empty() => answer.fen.clone(),
        _ => fen.clone(),
    };
    let message = refusal.as_ref().map(|refusal| &refusal.error);
    let known = answer.as_ref().is_none_or(|answer| answer.error.is_none());
    let title = answer.as_ref().map_or("Damabase".to_string(), |answer| {
        format!("{} - Damabase", answer.text.first().map_or("", |text| text.as_str()))
    });
    let html = fill(PAGE, |name| match name {
        "title" => Escaped(&title).to_string(),
        "variant" => variant.to_string(),
        "board" => board.clone(),
        "turn" => {
            let turned = !turned;
            Escaped(Link { turned, ..link }.to(&history)).to_string()
        }
        "line" => Escaped(&history.replace(',', " ")).to_string(),
        "category" => answer.as_ref().map_or("unknown", |a| a.value.category).to_string(),
        "value" => answer.as_ref().map_or(String::new(), value_html),
        "counters" => answer.as_ref().map_or(String::new(), counters_html),
        "moves" => answer.as_ref().map_or(String::new(), |a| moves_html(a, &link, &history)),
        "variants" => {
            options(VariantId::ALL.iter().map(|v| v.variant().name), variant.variant().name)
        }
        "profiles" => {
            let used = answer.as_ref().map_or("", |answer| answer.profile.as_str());
            options(variant_data(variant).profiles.into_iter(), used)
        }
        "fen" => Escaped(&shown_fen).to_string(),
        "counters-text" => Escaped(&counters).to_string(),
        "hint-hidden" => if known { " hidden" } else { "" }.to_string(),
        "message" => message.map_or(String::new(), |text| Escaped(text).to_string()),
        "pieces" => one_of_each(),
        "data" => data.clone(),
        _ => String::new(),
    });
    (status, html)
}

/// The statistics of a game, or of one slice, and the code of HTTP.
pub fn stats(explorer: &Explorer, variant: Option<&str>, slice: Option<&str>) -> (u16, String) {
    let variant = match variant.filter(|name| !name.is_empty()).map(variant_of) {
        None => Ok(VariantId::International),
        Some(named) => named,
    };
    let page = variant.and_then(|variant| match slice {
        Some(slice) => {
            explorer.detail(variant, slice).map(|d| stats_page::slice(&d, &stats_page::Served))
        }
        None => explorer.statistics(variant).map(|s| stats_page::game(&s, &stats_page::Served)),
    });
    match page {
        Ok(html) => (200, html),
        Err(refusal) => (refusal.status, stats_page::failure(&refusal.error)),
    }
}

fn variant_data(variant: VariantId) -> VariantData {
    let profiles = draws::all().iter().filter(|profile| profile.is_for(variant));
    VariantData {
        name: variant.variant().name,
        default_profile: &draws::default_profile(variant).name,
        profiles: profiles.map(|profile| profile.name.as_str()).collect(),
    }
}

/// A template with `{{name}}` replaced by what `value` gives, once and not again within it.
pub fn fill(template: &str, value: impl Fn(&str) -> String) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, after)) = after.split_once("}}") else { break };
        text.push_str(before);
        text.push_str(&value(name));
        rest = after;
    }
    text.push_str(rest);
    text
}

/// The address of a position.
#[derive(Clone, Copy)]
struct Link<'a> {
    variant: VariantId,
    fen: &'a str,
    profile: &'a str,
    counters: &'a str,
    turned: bool,
}

impl Link<'_> {
    fn to(&self, history: &str) -> String {
        let mut link = format!("/?variant={}", self.variant);
        let fields = [
            ("fen", self.fen),
            ("profile", self.profile),
            ("counters", self.counters),
            ("history", history),
            ("turned", if self.turned { "1" } else { "" }),
        ];
        for (name, value) in fields {
            if !value.is_empty() {
                let _ = write!(link, "&{name}={}", query_value(value));
            }
        }
        link
    }
}

fn options(names: impl Iterator<Item = &'static str>, chosen: &str) -> String {
    let option = |name: &str| {
        let selected = if name == chosen { " selected" } else { "" };
        format!("<option{selected}>{name}</option>")
    };
    names.map(option).collect()
}

fn value_html(answer: &Answer) -> String {
    let mut html = String::new();
    for (place, sentence) in answer.text.iter().enumerate() {
        let tag = if place == 0 { "strong" } else { "span" };
        let _ = write!(html, "<p><{tag}>{}</{tag}></p>", Escaped(sentence));
    }
    html
}

fn counters_html(answer: &Answer) -> String {
    if answer.counters.is_empty() {
        return String::new();
    }
    let mut html = String::from("<table class=\"counters\"><caption>Draw counters</caption>");
    for counter in &answer.counters {
        let limit = counter.limit.map_or("-".to_string(), |limit| limit.to_string());
        let left = counter.left.map_or(String::new(), |left| format!("{left} left"));
        let meter = counter.limit.map_or(String::new(), |limit| {
            format!("<meter min=\"0\" max=\"{limit}\" value=\"{}\"></meter>", counter.value)
        });
        let _ = write!(
            html,
            "<tr><th scope=\"row\">{}</th><td>{meter} {} of {limit}</td><td>{left}</td>\
             <td>article {}</td></tr>",
            Escaped(&counter.name),
            counter.value,
            Escaped(&counter.article)
        );
    }
    html.push_str("</table>");
    html
}

/// Headings of groups of moves, for the side that moves.
const GROUPS: [(&str, &str); 8] = [
    ("win", "Wins"),
    ("maybe-win", "Wins in theory; in time for the draw rules?"),
    ("cursed-win", "Wins in theory, but the draw rules come first"),
    ("draw", "Draws"),
    ("unknown", "Not known"),
    ("blessed-loss", "Loses in theory, but the draw rules save it"),
    ("maybe-loss", "Loses in theory; do the draw rules save it?"),
    ("loss", "Loses"),
];

fn moves_html(answer: &Answer, link: &Link, history: &str) -> String {
    let mut html = String::new();
    for (group, heading) in GROUPS {
        let rows: Vec<&MoveRow> = answer.moves.iter().filter(|row| row.group() == group).collect();
        if rows.is_empty() {
            continue;
        }
        let spares = rows.iter().any(|row| row.value.spare.is_some());
        let spare_head = match spares {
            true => "<th scope=\"col\" title=\"plies that are left over\">to spare</th>",
            false => "",
        };
        let _ = write!(
            html,
            "<table class=\"moves {group}\"><caption>{heading}</caption><thead><tr><th \
             scope=\"col\">move</th><th scope=\"col\">theory</th><th scope=\"col\" title=\"plies to \
             the end of the game\">end</th><th scope=\"col\" title=\"plies to the next capture or \
             man move\">capture or man</th>{spare_head}</tr></thead><tbody>"
        );
        for row in rows {
            let history = if history.is_empty() {
                row.text.clone()
            } else {
                format!("{history},{}", row.text)
            };
            let cell = |plies: Option<i64>| plies.map_or("-".to_string(), |n| n.to_string());
            let spare = match spares {
                true => format!("<td>{}</td>", cell(row.value.spare)),
                false => String::new(),
            };
            let _ = write!(
                html,
                "<tr><td><a href=\"{}\" data-move=\"{1}\">{1}</a></td><td>{2}</td><td>{3}</td>\
                 <td>{4}</td>{spare}</tr>",
                Escaped(link.to(&history)),
                Escaped(&row.text),
                row.value.wld.unwrap_or("-"),
                cell(row.value.dtw.map(i64::from)),
                cell(row.value.dtc.map(i64::from))
            );
        }
        html.push_str("</tbody></table>");
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_is_not_filled_in_again() {
        assert_eq!(
            fill("a{{x}}b{{y}}c{{", |name| format!("<{name}{{{{x}}}}>")),
            "a<x{{x}}>b<y{{x}}>c{{"
        );
    }

    #[test]
    fn a_page_shows_no_markup_of_the_query() {
        let bad = "\"><script>alert(1)</script>";
        let question = Question {
            fen: Some(bad.into()),
            profile: Some(bad.into()),
            counters: Some(bad.into()),
            history: Some(bad.into()),
        };
        for variant in [None, Some(bad.to_string()), Some("russian".into())] {
            let query = PageQuery { variant, question: question.clone(), turned: false };
            let (status, html) = front(&Explorer::default(), query, None);
            assert_eq!(status, 400);
            assert!(!html.contains("<script>alert"), "{html}");
            assert!(!html.contains("{{"));
        }
    }
}
