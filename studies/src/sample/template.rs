//! A small template language, a part of Mustache: `{{name}}` (escaped), `{{{name}}}` (unescaped), `{{#name}}…{{/name}}`
//! (for each item, or if present), `{{^name}}…{{/name}}` (if absent), `{{>file}}` (another layout), `{{.}}` (the item).

use serde_json::Value;
use std::{error::Error, fs, path::Path};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Renders the layout `NAME.html` of a directory.
pub fn render_file(directory: &Path, name: &str, context: &Value) -> Result<String> {
    let mut renderer = Renderer {
        directory,
        scopes: vec![context],
        out: String::new(),
    };
    renderer.file(name).map_err(|error| format!("layout {name}: {error}"))?;
    Ok(renderer.out)
}

/// Escapes what HTML text and attribute values may not hold.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

struct Renderer<'a> {
    directory: &'a Path,
    /// The innermost scope is the last.
    scopes: Vec<&'a Value>,
    out: String,
}

impl<'a> Renderer<'a> {
    fn file(&mut self, name: &str) -> Result<()> {
        let path = self.directory.join(format!("{name}.html"));
        let template = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        self.render(&template)
    }

    fn render(&mut self, mut template: &str) -> Result<()> {
        while let Some((before, rest)) = template.split_once("{{") {
            self.out += before;
            let (tag, mut rest) = rest.split_once("}}").ok_or("a tag without end")?;
            if let Some(name) = tag.strip_prefix('{') {
                rest = rest.strip_prefix('}').ok_or("a raw tag without end")?;
                let value = self.text(name)?;
                self.out += &value;
            } else if let Some(name) = tag.strip_prefix(['#', '^']) {
                let (inner, after) = section(rest, name)?;
                rest = after;
                if tag.starts_with('#') {
                    self.each(name, inner)?
                } else {
                    self.unless(name, inner)?
                }
            } else if let Some(name) = tag.strip_prefix('>') {
                self.file(name)?;
            } else {
                let value = self.text(tag)?;
                self.out += &escape(&value);
            }
            template = rest;
        }
        self.out += template;
        Ok(())
    }

    /// Renders a section for every item of a list, or once for anything else that is there.
    fn each(&mut self, name: &str, inner: &str) -> Result<()> {
        let scopes: &[Value] = match self.find(name) {
            Some(Value::Array(items)) => items,
            Some(value) if is_there(value) => std::slice::from_ref(value),
            _ => &[],
        };
        for scope in scopes {
            self.scopes.push(scope);
            self.render(inner)?;
            self.scopes.pop();
        }
        Ok(())
    }

    fn unless(&mut self, name: &str, inner: &str) -> Result<()> {
        if self.find(name).is_some_and(is_there) {
            Ok(())
        } else {
            self.render(inner)
        }
    }

    fn text(&self, name: &str) -> Result<String> {
        match self.find(name) {
            Some(Value::String(text)) => Ok(text.clone()),
            Some(Value::Number(number)) => Ok(number.to_string()),
            Some(_) => Err(format!("{name} is no text").into()),
            None => Err(format!("nothing is called {name}").into()),
        }
    }

    fn find(&self, name: &str) -> Option<&'a Value> {
        if name == "." {
            return self.scopes.last().copied();
        }
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }
}

fn is_there(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => true,
    }
}

/// Parts what follows an opening tag into the section's inside and what comes after its closing tag. A section
/// of one name may not hold another of the same name.
fn section<'t>(rest: &'t str, name: &str) -> Result<(&'t str, &'t str)> {
    rest.split_once(&format!("{{{{/{name}}}}}"))
        .ok_or_else(|| format!("section {name} without end").into())
}
