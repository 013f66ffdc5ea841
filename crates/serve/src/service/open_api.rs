//! The description of the service.

use serde_json::{Value, json};

use crate::state::App;
use dehusk_extract::registry;

/// `openapi.json` with what only this server knows: its version, its extractors, its limits.
pub(crate) fn open_api(app: &App) -> String {
    let mut api: Value = serde_json::from_str(include_str!("../../assets/openapi.json")).unwrap_or_default();
    api["info"]["version"] = json!(env!("CARGO_PKG_VERSION"));
    let built_in = registry::all().map(|name| -> &str { name });
    let extractors: Vec<&str> = built_in.chain(app.settings.own().config.own_presets()).collect();
    api["components"]["parameters"]["extractor"]["schema"]["enum"] = json!(extractors);
    api["components"]["schemas"]["Page"]["maxLength"] = json!(app.bodies.limit());
    api.to_string()
}
