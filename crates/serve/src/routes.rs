//! The paths that the server answers, and the function for each.

use std::sync::Arc;
use std::time::Instant;

use hyper::body::Incoming;
use hyper::{Method, Request};

use crate::http::{Answer, Guard, Refusal, answer};
use crate::inspector;
use crate::service;
use crate::state::App;

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

/// Answers a request, whatever it is.
pub(crate) async fn respond(app: Arc<App>, request: Request<Incoming>) -> Answer {
    let started = Instant::now();
    app.metrics.begin();
    let route = ROUTES.iter().find(|route| route.path == request.uri().path());
    let answer = answer_route(Arc::clone(&app), request, route).await;
    let answer = answer.unwrap_or_else(|refusal| refusal.answer());
    let path = route.map_or("", |route| route.path);
    app.metrics.answered(path, answer.status().as_u16(), started.elapsed());
    answer
}

async fn answer_route(app: Arc<App>, request: Request<Incoming>, route: Option<&Route>) -> Result<Answer, Refusal> {
    app.guard.check(&request)?;
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
        Handler::Extract => service::extract(app.clone(), app.permit()?, request).await,
        Handler::Explain => service::explain(app.clone(), app.permit()?, request).await,
        Handler::Health => Ok(answer(200, "application/json", "{\"status\":\"ok\"}")),
        Handler::Metrics => {
            let text = app.metrics.text();
            Ok(answer(200, "text/plain; version=0.0.4; charset=utf-8", text))
        }
        Handler::OpenApi => Ok(answer(200, "application/json", service::open_api(&app))),
        Handler::Inputs => Ok(inspector::inputs(&app)),
        Handler::Records => inspector::records(app.clone(), app.permit()?, request).await,
        Handler::Page => inspector::page(app.clone(), app.permit()?, request).await,
        Handler::Compare => inspector::compare(app.clone(), app.permit()?, request).await,
        Handler::Frame => inspector::frame(app.clone(), app.permit()?, request).await,
        Handler::Report => inspector::report(&app, &request),
        Handler::Paste => inspector::paste(&app, request).await,
        Handler::Blocks => inspector::blocks(app.clone(), app.permit()?, request).await,
        Handler::Marks => inspector::marks(&app),
        Handler::Measure => inspector::measure(app.clone(), app.permit()?, request).await,
        Handler::Search => inspector::search(app.clone(), app.permit()?, request).await,
        Handler::Mark | Handler::Unmark | Handler::Undo => {
            Guard::check_own(&request)?;
            match route.handler {
                Handler::Mark => inspector::mark(app.clone(), app.permit()?, request).await,
                Handler::Unmark => inspector::unmark(app.clone(), app.permit()?, request).await,
                _ => inspector::undo(app.clone(), app.permit()?).await,
            }
        }
    }
}
