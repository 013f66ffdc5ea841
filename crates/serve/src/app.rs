//! The routes, and what bounds their work.

use std::sync::Arc;
use std::time::Instant;

use hyper::body::Incoming;
use hyper::{Method, Request};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::http::{Answer, Guard, ReadLimits, Refusal, answer};
use crate::inspector::{self, Inputs, Marks, Pasted, Searches};
use crate::metrics::Metrics;
use crate::options::ServeOptions;
use crate::server::ServeError;
use crate::service::{self, SettingsCache};
use crate::workers::Workers;
use dehusk_documents::folder::resolved;
use dehusk_engine::config::{Config, Rules};
use dehusk_engine::pipeline;
use dehusk_eval::Truth;

/// A path that is answered.
struct Route {
    path: &'static str,
    method: Method,
    allow: &'static str,
    handler: Handler,
}

#[derive(Clone, Copy)]
enum Handler {
    Extract,
    Explain,
    Health,
    Metrics,
    OpenApi,
    Inputs,
    Records,
    Page,
    Compare,
    Frame,
    Paste,
    Report,
    Blocks,
    Marks,
    Mark,
    Unmark,
    Undo,
    Measure,
    Search,
}

static ROUTES: [Route; 19] = [
    Route::post("/extract", Handler::Extract),
    Route::post("/explain", Handler::Explain),
    Route::get("/health", Handler::Health),
    Route::get("/metrics", Handler::Metrics),
    Route::get("/openapi.json", Handler::OpenApi),
    Route::get("/inspector/inputs", Handler::Inputs),
    Route::get("/inspector/records", Handler::Records),
    Route::get("/inspector/page", Handler::Page),
    Route::get("/inspector/compare", Handler::Compare),
    Route::get("/inspector/frame", Handler::Frame),
    Route::get("/report", Handler::Report),
    Route::post("/inspector/paste", Handler::Paste),
    Route::get("/inspector/blocks", Handler::Blocks),
    Route::get("/inspector/marks", Handler::Marks),
    Route::post("/inspector/mark", Handler::Mark),
    Route::post("/inspector/unmark", Handler::Unmark),
    Route::post("/inspector/undo", Handler::Undo),
    Route::get("/inspector/measure", Handler::Measure),
    Route::get("/inspector/search", Handler::Search),
];

impl Route {
    const fn get(path: &'static str, handler: Handler) -> Self {
        Self {
            path,
            method: Method::GET,
            allow: "GET, HEAD",
            handler,
        }
    }

    const fn post(path: &'static str, handler: Handler) -> Self {
        Self {
            path,
            method: Method::POST,
            allow: "POST",
            handler,
        }
    }

    fn takes(&self, method: &Method) -> bool {
        self.method == *method || self.method == Method::GET && *method == Method::HEAD
    }
}

/// The state that all connections share.
pub(crate) struct App {
    pub(crate) metrics: Metrics,
    pub(crate) settings: SettingsCache,
    pub(crate) workers: Workers,
    pub(crate) bodies: ReadLimits,
    pub(crate) inputs: Inputs,
    pub(crate) pasted: Pasted,
    pub(crate) searches: Searches,
    /// The main content of pages, where it is known.
    pub(crate) truth: Option<Truth>,
    /// What people mark, if there is a file for it.
    pub(crate) marks: Option<Marks>,
    guard: Guard,
    requests: Arc<Semaphore>,
    open_api: String,
}

/// The right to work. It ends when the last copy is gone.
pub(crate) type Permit = Arc<OwnedSemaphorePermit>;

impl App {
    pub(crate) fn new(config: &Config, mut options: ServeOptions) -> Result<Self, ServeError> {
        if let Some(marks) = options.truth_out.as_deref().map(resolved) {
            // Its lines are truth as they are marked, not as they were at the start.
            options.truth.retain(|path| resolved(path) != marks);
        }
        let rules = Arc::new(Rules::new(config)?);
        let page_bytes = dehusk_engine::processor::Processor::with_rules(Arc::clone(&rules)).page_limit();
        Ok(Self {
            metrics: Metrics::default(),
            workers: Workers::start(pipeline::threads(&rules.config), options.timeout)?,
            bodies: ReadLimits::new(page_bytes, options.timeout),
            guard: Guard::new(&options.hosts),
            requests: Arc::new(Semaphore::new(options.requests.min(Semaphore::MAX_PERMITS))),
            inputs: Inputs::new(&rules.config, &options.inputs)?,
            pasted: Pasted::default(),
            searches: Searches::default(),
            truth: (!options.truth.is_empty())
                .then(|| Truth::read(&options.truth))
                .transpose()?,
            marks: options
                .truth_out
                .map(|path| Marks::open(&path, options.measure_from))
                .transpose()?,
            open_api: service::open_api(&rules, page_bytes),
            settings: SettingsCache::new(rules),
        })
    }

    /// Answers a request, whatever it is.
    pub(crate) async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Answer {
        let started = Instant::now();
        self.metrics.begin();
        let route = ROUTES.iter().find(|route| route.path == request.uri().path());
        let answer = self.clone().answer_route(request, route).await;
        let answer = answer.unwrap_or_else(|refusal| refusal.answer());
        let path = route.map_or("", |route| route.path);
        self.metrics.answered(path, answer.status().as_u16(), started.elapsed());
        answer
    }

    async fn answer_route(
        self: Arc<Self>,
        request: Request<Incoming>,
        route: Option<&Route>,
    ) -> Result<Answer, Refusal> {
        self.guard.check(&request)?;
        let Some(route) = route else {
            let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
            if let Some(asset) = inspector::asset(request.uri().path()).filter(|_| is_read) {
                return Ok(asset);
            }
            let known: Vec<&str> = ROUTES.iter().map(|route| route.path).collect();
            let message = format!("there is no such path; there are {}", known.join(", "));
            return Err(Refusal::new(404, "not_found", message));
        };
        if !route.takes(request.method()) {
            return Err(Refusal::method(route.allow));
        }
        match route.handler {
            Handler::Extract => service::extract(self.clone(), self.permit()?, request).await,
            Handler::Explain => service::explain(self.clone(), self.permit()?, request).await,
            Handler::Health => Ok(answer(200, "application/json", "{\"status\":\"ok\"}")),
            Handler::Metrics => {
                let text = self.metrics.text();
                Ok(answer(200, "text/plain; version=0.0.4; charset=utf-8", text))
            }
            Handler::OpenApi => Ok(answer(200, "application/json", self.open_api.clone())),
            Handler::Inputs => Ok(inspector::inputs(&self)),
            Handler::Records => inspector::records(self.clone(), self.permit()?, request).await,
            Handler::Page => inspector::page(self.clone(), self.permit()?, request).await,
            Handler::Compare => inspector::compare(self.clone(), self.permit()?, request).await,
            Handler::Frame => inspector::frame(self.clone(), self.permit()?, request).await,
            Handler::Report => inspector::report(&self, &request),
            Handler::Paste => inspector::paste(&self, request).await,
            Handler::Blocks => inspector::blocks(self.clone(), self.permit()?, request).await,
            Handler::Marks => inspector::marks(&self),
            Handler::Measure => inspector::measure(self.clone(), self.permit()?, request).await,
            Handler::Search => inspector::search(self.clone(), self.permit()?, request).await,
            Handler::Mark | Handler::Unmark | Handler::Undo => {
                Guard::check_own(&request)?;
                match route.handler {
                    Handler::Mark => inspector::mark(self.clone(), self.permit()?, request).await,
                    Handler::Unmark => inspector::unmark(self.clone(), self.permit()?, request).await,
                    _ => inspector::undo(self.clone(), self.permit()?).await,
                }
            }
        }
    }

    /// The right to work, unless as many requests have it as may.
    fn permit(&self) -> Result<Permit, Refusal> {
        let permit = Arc::clone(&self.requests).try_acquire_owned();
        let permit = permit.map_err(|_| Refusal::busy("the server has as many requests as it may have"))?;
        Ok(Arc::new(permit))
    }
}
