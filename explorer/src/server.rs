//! The server: which address answers what, and the limits that keep it answering.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::routes;
use crate::service::{Explorer, Refusal};

/// How long a client may take to send the head of a request, also between two requests.
const HEAD_TIME: Duration = Duration::from_secs(15);
/// How long a connection lives; clients then connect anew.
const CONNECTION_TIME: Duration = Duration::from_secs(300);

/// What the server allows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Connections at a time; further ones wait to be accepted.
    pub connections: usize,
    /// Requests at a time, those that wait for their turn included; further ones are refused.
    pub requests: usize,
    /// Requests that are worked on at a time, each on a thread of its own.
    pub workers: usize,
    /// The time that a request may take.
    pub time: Duration,
    /// The size of a body in bytes.
    pub body_bytes: usize,
    /// Pages of which other sites may use the API: an origin, or `*`.
    pub cors: Option<String>,
}

impl Default for Limits {
    fn default() -> Limits {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Limits {
            connections: 512,
            requests: 256,
            workers: cores,
            time: Duration::from_secs(10),
            body_bytes: 128 << 10,
            cors: None,
        }
    }
}

/// A server that has its address.
#[derive(Debug)]
pub struct Server {
    listener: std::net::TcpListener,
    explorer: Arc<Explorer>,
    limits: Limits,
    cors: Option<HeaderValue>,
}

impl Server {
    /// Takes an address; port 0 takes a free one.
    ///
    /// # Errors
    /// Those of the system; [`io::ErrorKind::InvalidInput`] where `cors` is no origin.
    pub fn bind(address: SocketAddr, explorer: Explorer, limits: Limits) -> io::Result<Server> {
        let cors = limits.cors.as_deref().map(origin).transpose()?;
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(Server { listener, explorer: Arc::new(explorer), limits, cors })
    }

    /// The address.
    ///
    /// # Errors
    /// Those of the system.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until the process ends.
    ///
    /// # Errors
    /// Where the system gives no threads.
    pub fn run(self) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            // One more for each worker that has not noticed yet that its request is over.
            .max_blocking_threads(2 * self.limits.workers + 2)
            .enable_all()
            .build()?;
        runtime.block_on(async {
            let listener = TcpListener::from_std(self.listener)?;
            let connections = Arc::new(Semaphore::new(self.limits.connections));
            let desk = Arc::new(Desk {
                explorer: self.explorer,
                queue: Semaphore::new(self.limits.requests.min(Semaphore::MAX_PERMITS)),
                workers: Arc::new(Semaphore::new(self.limits.workers)),
                time: self.limits.time,
            });
            let cors = self.cors;
            let time = 2 * self.limits.time;
            let router = routes::router(desk, self.limits.body_bytes).layer(middleware::from_fn(
                move |request, next| dress(request, next, cors.clone(), time),
            ));
            loop {
                // Closed never, so there is always a permit to wait for.
                let permit = connections.clone().acquire_owned().await;
                let stream = match listener.accept().await {
                    Ok((stream, _)) => stream,
                    Err(_) => {
                        // No file handles left, or a client that is gone: it passes.
                        tokio::time::sleep(Duration::from_millis(20)).await;
                        continue;
                    }
                };
                let router = router.clone();
                tokio::spawn(async move {
                    connection(stream, router).await;
                    drop(permit);
                });
            }
        })
    }
}

/// An origin as browsers send it, or `*`: they compare it letter by letter.
fn origin(text: &str) -> io::Result<HeaderValue> {
    let host =
        text.split_once("://").filter(|(scheme, _)| !scheme.is_empty()).map(|(_, host)| host);
    let is_origin =
        host.is_some_and(|host| !host.is_empty() && !host.contains(['/', '?', '#', '@']));
    let value = HeaderValue::from_str(text).ok().filter(|_| text.is_ascii());
    value.filter(|_| text == "*" || is_origin).ok_or_else(|| {
        let what = "expected an origin such as https://example.org, without a path, or *";
        io::Error::new(io::ErrorKind::InvalidInput, what)
    })
}

/// Serves one client.
async fn connection(stream: TcpStream, router: Router) {
    let _ = stream.set_nodelay(true);
    let mut served = std::pin::pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIME)
            .max_buf_size(64 << 10)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
    );
    // Failures here are those of clients that went away.
    if timeout(CONNECTION_TIME, served.as_mut()).await.is_err() {
        served.as_mut().graceful_shutdown();
        let _ = timeout(HEAD_TIME, served).await;
    }
}

/// What handlers share.
pub struct Desk {
    explorer: Arc<Explorer>,
    queue: Semaphore,
    workers: Arc<Semaphore>,
    time: Duration,
}

impl Desk {
    /// The time that a request may take.
    pub fn time(&self) -> Duration {
        self.time
    }

    /// Runs work on a thread of its own when it is its turn.
    ///
    /// # Errors
    /// [`Refusal`] with 503 where too many wait or it takes too long, and those of the work. Work
    /// that takes too long goes on and holds its place, so no more than the workers ever run.
    pub async fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Explorer) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let busy = || Refusal::new(503, "busy", "too many requests at a time: try again later");
        let late = |_| Refusal::new(503, "busy", "this took too long: try again later");
        let broken = || Refusal::new(500, "internal", "an internal error");
        let _queued = self.queue.try_acquire().map_err(|_| busy())?;
        let turn = async {
            let permit = self.workers.clone().acquire_owned().await.map_err(|_| busy())?;
            let explorer = self.explorer.clone();
            let work = tokio::task::spawn_blocking(move || {
                let _permit = permit;
                work(&explorer)
            });
            work.await.map_err(|_| broken())?
        };
        timeout(self.time, turn).await.map_err(late)?
    }
}

/// Adds the headers that all answers have, and ends requests that never become whole.
async fn dress(
    request: Request,
    next: Next,
    cors: Option<HeaderValue>,
    time: Duration,
) -> Response<Body> {
    let preflight = request.method() == Method::OPTIONS
        && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = if preflight && cors.is_some() {
        let allowed = [
            (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST"),
            (header::ACCESS_CONTROL_ALLOW_HEADERS, "content-type"),
            (header::ACCESS_CONTROL_MAX_AGE, "86400"),
        ];
        (StatusCode::NO_CONTENT, allowed).into_response()
    } else {
        answer_in(time, next.run(request)).await
    };
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
             connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        ),
    );
    if let Some(origin) = cors {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    }
    response
}

async fn answer_in(time: Duration, response: impl Future<Output = Response>) -> Response {
    match timeout(time, response).await {
        Ok(response) => response,
        Err(_) => routes::refuse(Refusal::new(408, "input", "the request did not arrive in time")),
    }
}
