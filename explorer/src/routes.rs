//! Which address answers what.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::{HeaderName, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use damabase_rules::VariantId;
use serde::{Deserialize, Serialize};

use crate::page::{self, PageQuery};
use crate::question::Question;
use crate::server::Desk;
use crate::service::{CourtQuery, Refusal, variant_of};

/// The description of the API.
pub const OPENAPI: &str = include_str!("openapi.json");

type Shared = State<Arc<Desk>>;

/// All addresses.
pub fn router(desk: Arc<Desk>, body_bytes: usize) -> Router {
    Router::new()
        .route("/", get(front))
        .route("/stats", get(stats_page))
        .route("/assets/{name}", get(asset))
        .route("/health", get(health))
        .route("/openapi.json", get(async || json_text(OPENAPI.to_string())))
        .route("/adjudicate", post(adjudicate))
        .route("/{variant}", get(position))
        .route("/{variant}/line", get(line))
        .route("/{variant}/stats", get(statistics))
        .route("/{variant}/board.svg", get(board))
        .fallback(async || refuse(Refusal::new(404, "input", "there is nothing at this address")))
        .method_not_allowed_fallback(async || {
            refuse(Refusal::new(405, "input", "this address knows no such method"))
        })
        .layer(DefaultBodyLimit::max(body_bytes))
        .with_state(desk)
}

/// What a query may have; each address uses some of it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Asked {
    fen: Option<String>,
    profile: Option<String>,
    counters: Option<String>,
    history: Option<String>,
    turned: Option<String>,
    plies: Option<String>,
    slice: Option<String>,
    variant: Option<String>,
    at: Option<String>,
}

impl Asked {
    fn of(uri: &Uri) -> Result<Asked, Refusal> {
        match Query::try_from_uri(uri) {
            Ok(Query(asked)) => Ok(asked),
            Err(error) => {
                let text = error.to_string().replace('\n', " ");
                Err(Refusal::new(400, "input", format!("bad query: {text}")))
            }
        }
    }

    fn question(self) -> Question {
        let Asked { fen, profile, counters, history, .. } = self;
        Question { fen, profile, counters, history }
    }

    fn turned(&self) -> Result<bool, Refusal> {
        match self.turned.as_deref() {
            Some("1" | "true") => Ok(true),
            None | Some("0" | "false") => Ok(false),
            _ => Err(Refusal::field("turned", "turned: expected 0 or 1")),
        }
    }
}

/// The game of a path and the query.
fn asked(path: Result<Path<String>, impl Sized>, uri: &Uri) -> Result<(VariantId, Asked), Refusal> {
    let Ok(Path(name)) = path else {
        return Err(Refusal::new(404, "input", "the address is not UTF-8"));
    };
    Ok((variant_of(&name)?, Asked::of(uri)?))
}

type Name = Result<Path<String>, axum::extract::rejection::PathRejection>;

async fn position(State(desk): Shared, path: Name, uri: Uri) -> Response {
    let answer = match asked(path, &uri) {
        Ok((variant, asked)) => {
            let question = asked.question();
            desk.ask(move |explorer| explorer.answer(variant, &question)).await
        }
        Err(refusal) => Err(refusal),
    };
    match answer {
        Ok(answer) => {
            let status = if answer.error.is_some() { 404 } else { 200 };
            with_status(status, json(&answer))
        }
        Err(refusal) => refuse(refusal),
    }
}

async fn line(State(desk): Shared, path: Name, uri: Uri) -> Response {
    reply(match asked(path, &uri) {
        Ok((variant, mut asked)) => {
            let plies = asked.plies.take();
            let question = asked.question();
            let time = desk.time() / 2;
            desk.ask(move |explorer| explorer.line(variant, &question, plies.as_deref(), time))
                .await
        }
        Err(refusal) => Err(refusal),
    })
}

async fn statistics(State(desk): Shared, path: Name, uri: Uri) -> Response {
    match asked(path, &uri) {
        Ok((variant, Asked { slice: Some(slice), .. })) => reply(
            desk.ask(move |explorer| explorer.detail(variant, &slice)).await.map(|d| (*d).clone()),
        ),
        Ok((variant, _)) => reply(desk.ask(move |explorer| explorer.statistics(variant)).await),
        Err(refusal) => refuse(refusal),
    }
}

async fn board(State(desk): Shared, path: Name, uri: Uri) -> Response {
    let question = asked(path, &uri)
        .and_then(|(variant, asked)| Ok((variant, asked.turned()?, asked.question())));
    let picture = match question {
        Ok((variant, turned, question)) => {
            desk.ask(move |explorer| explorer.picture(variant, &question, turned)).await
        }
        Err(refusal) => Err(refusal),
    };
    match picture {
        Ok(svg) => typed("image/svg+xml", svg),
        Err(refusal) => refuse(refusal),
    }
}

async fn adjudicate(
    State(desk): Shared,
    uri: Uri,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let body = match body {
        Ok(body) => body,
        Err(error) => {
            let status = error.status().as_u16();
            return refuse(Refusal::new(status, "input", error.body_text().replace('\n', " ")));
        }
    };
    reply(match Asked::of(&uri) {
        Ok(Asked { profile, variant, at, .. }) => {
            let query = CourtQuery { profile, variant, at };
            desk.ask(move |explorer| explorer.adjudicate(&body, &query)).await
        }
        Err(refusal) => Err(refusal),
    })
}

async fn health(State(desk): Shared) -> Response {
    reply(desk.ask(|explorer| explorer.health()).await)
}

async fn front(State(desk): Shared, uri: Uri) -> Response {
    let (query, bad) = match Asked::of(&uri).and_then(|asked| Ok((asked.turned()?, asked))) {
        Ok((turned, mut asked)) => {
            let variant = asked.variant.take();
            (PageQuery { turned, variant, question: asked.question() }, None)
        }
        Err(refusal) => (PageQuery::default(), Some(refusal)),
    };
    match desk.ask(move |explorer| Ok(page::front(explorer, query, bad))).await {
        Ok((status, html)) => with_status(status, typed("text/html; charset=utf-8", html)),
        Err(refusal) => refuse(refusal),
    }
}

async fn stats_page(State(desk): Shared, uri: Uri) -> Response {
    let asked = Asked::of(&uri).unwrap_or_default();
    let found = desk
        .ask(move |explorer| {
            Ok(page::stats(explorer, asked.variant.as_deref(), asked.slice.as_deref()))
        })
        .await;
    match found {
        Ok((status, html)) => with_status(status, typed("text/html; charset=utf-8", html)),
        Err(refusal) => refuse(refusal),
    }
}

async fn asset(path: Name) -> Response {
    let found = path.ok().and_then(|Path(name)| page::asset(&name));
    match found {
        Some((kind, text)) => {
            ([(header::CACHE_CONTROL, "no-cache")], typed(kind, text.to_string())).into_response()
        }
        None => refuse(Refusal::new(404, "input", "there is nothing at this address")),
    }
}

fn reply<T: Serialize>(outcome: Result<T, Refusal>) -> Response {
    match outcome {
        Ok(value) => json(&value),
        Err(refusal) => refuse(refusal),
    }
}

/// A refusal as an answer.
pub fn refuse(refusal: Refusal) -> Response {
    let mut response = with_status(refusal.status, json(&refusal));
    if refusal.status == 503 {
        let headers = response.headers_mut();
        headers.insert(header::RETRY_AFTER, header::HeaderValue::from_static("1"));
    }
    response
}

fn json(value: &impl Serialize) -> Response {
    // Answers are structs with text keys, and writing to memory does not fail.
    json_text(serde_json::to_string(value).unwrap_or_default())
}

fn json_text(text: String) -> Response {
    typed("application/json", text)
}

fn typed(kind: &'static str, text: String) -> Response {
    let headers: [(HeaderName, &'static str); 1] = [(header::CONTENT_TYPE, kind)];
    (headers, text).into_response()
}

fn with_status(status: u16, mut response: Response) -> Response {
    *response.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response
}
