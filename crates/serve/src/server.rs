//! Takes connections, and ends when it is asked to.

use std::future::{Future, poll_fn};
use std::net::{SocketAddr, TcpListener};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::error::ServeError;
use crate::http::Refusal;
use crate::options::ServeOptions;
use crate::routes;
use crate::state::App;
use dehusk_engine::config::Config;

/// Connections that may be refused at a time. The next ones wait in the system's queue.
const REFUSED: usize = 64;

/// How long a client that is refused may take to send its request.
const REFUSAL_TIME: Duration = Duration::from_secs(5);

/// After an error of `accept`, such as too many open files, for how long nothing is accepted.
const PAUSE: Duration = Duration::from_millis(100);

/// Asks a server to end.
#[derive(Clone, Debug)]
pub struct Stop(watch::Sender<bool>);

impl Default for Stop {
    fn default() -> Self {
        Self(watch::Sender::new(false))
    }
}

impl Stop {
    /// The server takes no new connection, answers the requests that it has, and ends.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }

    async fn wait(&self) {
        // The sender is `self`, so it cannot be gone.
        let _ = self.0.subscribe().wait_for(|stopped| *stopped).await;
    }
}

/// A server that listens.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    app: Arc<App>,
    connections: usize,
    timeout: Duration,
}

impl Server {
    /// Starts to listen. Clients can connect, and are answered when [`Server::run`] runs.
    ///
    /// # Errors
    /// The configuration cannot be resolved, or the address is in use or not allowed.
    pub fn bind(config: &Config, options: ServeOptions) -> Result<Self, ServeError> {
        let bind = |source| ServeError::Bind {
            address: options.address,
            source,
        };
        let listener = TcpListener::bind(options.address).map_err(bind)?;
        listener.set_nonblocking(true)?;
        Ok(Self {
            address: listener.local_addr()?,
            listener,
            connections: options.connections,
            timeout: options.timeout,
            app: Arc::new(App::new(config, options)?),
        })
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers clients until it is stopped. Then what is in flight is finished, for as long as a request may take.
    ///
    /// # Errors
    /// The system refuses what the server needs.
    pub fn run(self, stop: &Stop) -> Result<(), ServeError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()?;
        let result = runtime.block_on(self.serve(stop));
        // Work that continues when its time is over ends with the program.
        runtime.shutdown_background();
        result
    }

    async fn serve(self, stop: &Stop) -> Result<(), ServeError> {
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let served = Arc::new(Semaphore::new(self.connections));
        let refused = Arc::new(Semaphore::new(REFUSED));
        let mut stopped = pin!(stop.wait());
        loop {
            let accepting = async {
                let permit = match Arc::clone(&served).try_acquire_owned() {
                    Ok(permit) => Ok(permit),
                    Err(_) => Err(Arc::clone(&refused).acquire_owned().await),
                };
                (listener.accept().await, permit)
            };
            let Some((accepted, permit)) = before(stopped.as_mut(), accepting).await else {
                break;
            };
            let Ok((stream, _)) = accepted else {
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            // A place may have become free while there was no connection.
            let permit = permit.or_else(|refused| Arc::clone(&served).try_acquire_owned().map_err(|_| refused));
            self.app.metrics.connected(permit.is_ok());
            match permit {
                Ok(permit) => {
                    let (app, stop) = (Arc::clone(&self.app), stop.clone());
                    tokio::spawn(talk(app, stream, stop, self.timeout, permit));
                }
                Err(permit) => {
                    tokio::spawn(refuse(stream, permit.ok()));
                }
            }
        }
        drop(listener);
        // Each connection holds a permit until its last answer is sent.
        let all = u32::try_from(self.connections).unwrap_or(u32::MAX);
        let _ = tokio::time::timeout(self.timeout * 2, served.acquire_many(all)).await;
        Ok(())
    }
}

/// The result of a future, unless another is ready before.
async fn before<T>(
    mut first: std::pin::Pin<&mut impl Future<Output = ()>>,
    then: impl Future<Output = T>,
) -> Option<T> {
    let mut then = pin!(then);
    poll_fn(|cx| match first.as_mut().poll(cx) {
        Poll::Ready(()) => Poll::Ready(None),
        Poll::Pending => then.as_mut().poll(cx).map(Some),
    })
    .await
}

/// Answers the requests of a connection.
async fn talk(app: Arc<App>, stream: TcpStream, stop: Stop, timeout: Duration, _permit: OwnedSemaphorePermit) {
    // Answers are written whole, so there is nothing to wait for.
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| {
        let app = Arc::clone(&app);
        async move { Ok::<_, std::convert::Infallible>(routes::respond(app, request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(timeout)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    let mut stopped = pin!(stop.wait());
    let mut is_stopping = false;
    // A client may go away at any time.
    let _ = poll_fn(|cx| {
        if !is_stopping && stopped.as_mut().poll(cx).is_ready() {
            is_stopping = true;
            connection.as_mut().graceful_shutdown();
        }
        connection.as_mut().poll(cx)
    })
    .await;
}

/// Answers the first request of a connection beyond the limit.
async fn refuse(stream: TcpStream, _permit: Option<OwnedSemaphorePermit>) {
    let service = service_fn(|_| async {
        let refusal = Refusal::busy("the server has as many connections as it may have");
        let mut answer = refusal.answer();
        let close = hyper::header::HeaderValue::from_static("close");
        answer.headers_mut().insert(hyper::header::CONNECTION, close);
        Ok::<_, std::convert::Infallible>(answer)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(REFUSAL_TIME)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    let _ = tokio::time::timeout(REFUSAL_TIME * 2, connection).await;
}
