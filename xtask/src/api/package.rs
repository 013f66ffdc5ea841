//! The modules of the packages, read from their sources, and what the names in them mean.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use syn::{Attribute, Item, UseTree, Visibility};

use super::macros::Macros;

/// A path from the root of a package: `["dehusk_html", "dom", "Dom"]`.
pub type ItemPath = Vec<String>;

/// A module: its items, with calls of `macro_rules!` expanded.
pub struct Module {
    pub items: Vec<Item>,
}

/// What a path means.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Meaning {
    Module(ItemPath),
    /// An item that a package defines.
    Item(ItemPath),
    /// Something in another crate.
    External(ItemPath),
}

/// What a name is looked up for: modules and functions are in different namespaces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// A part of a path before its last: a module rather than a function of the same name.
    Module,
    /// The last part of a path: an item rather than a module of the same name.
    Item,
}

/// One name that a `use` item brings into a module.
pub struct Import {
    pub name: String,
    pub path: Vec<String>,
    pub is_glob: bool,
}

/// All packages of the workspace.
#[derive(Default)]
pub struct Packages {
    /// The packages whose public items are listed.
    pub names: Vec<String>,
    /// Those whose items are public where another package re-exports them.
    pub inner: Vec<String>,
    pub modules: BTreeMap<ItemPath, Module>,
    macros: Macros,
}

impl Packages {
    /// Reads a package from its `src/lib.rs`. Packages come before those that use their macros.
    pub fn read(&mut self, name: &str, source: &Path, is_listed: bool) -> Result<(), Box<dyn Error>> {
        let names = if is_listed { &mut self.names } else { &mut self.inner };
        names.push(name.to_owned());
        self.read_file(vec![name.to_owned()], source, source.parent().unwrap_or(source))
    }

    /// Reads a module. Files of its submodules are in `folder`.
    fn read_file(&mut self, path: ItemPath, file: &Path, folder: &Path) -> Result<(), Box<dyn Error>> {
        let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let parsed = syn::parse_file(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        self.read_items(path, parsed.items, folder)
    }

    fn read_items(&mut self, path: ItemPath, items: Vec<Item>, folder: &Path) -> Result<(), Box<dyn Error>> {
        let mut module = Module { items: Vec::new() };
        let mut queue: std::collections::VecDeque<Item> = items.into();
        while let Some(item) = queue.pop_front() {
            match item {
                item if is_for_tests(attributes(&item)) => {}
                Item::Macro(call) => {
                    let name = call.mac.path.segments.last().map(|s| s.ident.to_string());
                    match (name.as_deref(), &call.ident) {
                        (Some("macro_rules"), Some(ident)) => {
                            self.macros.define(&path[0], &ident.to_string(), call.mac.tokens);
                        }
                        (Some(name), _) => {
                            if let Some(tokens) = self.macros.expand(name, call.mac.tokens) {
                                let expanded: syn::File = syn::parse2(tokens)?;
                                expanded.items.into_iter().rev().for_each(|item| queue.push_front(item));
                            }
                        }
                        (None, _) => {}
                    }
                }
                Item::Mod(mut submodule) => {
                    let name = submodule.ident.to_string();
                    let mut inner = path.clone();
                    inner.push(name.clone());
                    match submodule.content.take() {
                        Some((_, items)) => self.read_items(inner, items, &folder.join(&name))?,
                        None => {
                            let file = [folder.join(format!("{name}.rs")), folder.join(&name).join("mod.rs")];
                            let file: &PathBuf = file.iter().find(|file| file.exists()).unwrap_or(&file[0]);
                            self.read_file(inner, file, &folder.join(&name))?;
                        }
                    }
                    module.items.push(Item::Mod(submodule));
                }
                item => module.items.push(item),
            }
        }
        self.modules.insert(path, module);
        Ok(())
    }

    /// The meaning of a path as written in a module. `None` for a name that only the compiler knows: a primitive, a name of
    /// the prelude, or a generic parameter.
    pub fn resolve(&self, module: &[String], path: &[String]) -> Option<Meaning> {
        self.resolve_within(module, path, Wanted::Item, 0)
    }

    fn resolve_within(&self, module: &[String], path: &[String], wanted: Wanted, depth: usize) -> Option<Meaning> {
        let (first, rest) = path.split_first()?;
        let wanted_at = |is_last: bool| if is_last { wanted } else { Wanted::Module };
        let start = match first.as_str() {
            _ if depth > 16 => return None,
            "crate" => Meaning::Module(module[..1].to_vec()),
            "self" => Meaning::Module(module.to_vec()),
            "super" => Meaning::Module(module[..module.len() - 1].to_vec()),
            name => match self.lookup(module, name, wanted_at(rest.is_empty()), depth) {
                Some(meaning) => meaning,
                None if self.names.contains(first) || self.inner.contains(first) => {
                    Meaning::Module(vec![first.clone()])
                }
                // A primitive, a name of the prelude, or a generic parameter: `T`, `T::Item`.
                None if rest.is_empty() || name.starts_with(char::is_uppercase) => return None,
                None => Meaning::External(vec![first.clone()]),
            },
        };
        rest.iter()
            .enumerate()
            .try_fold(start, |meaning, (i, name)| match meaning {
                Meaning::Module(path) if name == "super" => Some(Meaning::Module(path[..path.len() - 1].to_vec())),
                Meaning::Module(path) if name == "self" => Some(Meaning::Module(path)),
                Meaning::Module(path) => self.lookup(&path, name, wanted_at(i + 1 == rest.len()), depth + 1),
                // A variant or associated item: the type matters.
                Meaning::Item(path) => Some(Meaning::Item(path)),
                Meaning::External(mut path) => {
                    path.push(name.clone());
                    Some(Meaning::External(path))
                }
            })
    }

    /// What a name means in a module. A submodule and a function may share the name.
    fn lookup(&self, module: &[String], name: &str, wanted: Wanted, depth: usize) -> Option<Meaning> {
        let items = &self.modules.get(module)?.items;
        let path = || module.iter().cloned().chain([name.to_owned()]).collect::<ItemPath>();
        let mut submodules = items.iter().filter_map(|item| match item {
            Item::Mod(submodule) => Some(submodule),
            _ => None,
        });
        let submodule = submodules
            .any(|submodule| submodule.ident == name)
            .then(|| Meaning::Module(path()));
        if wanted == Wanted::Module && submodule.is_some() {
            return submodule;
        }
        if items.iter().filter_map(ident).any(|ident| ident == name) {
            return Some(Meaning::Item(path()));
        }
        let mut globs = Vec::new();
        for import in items.iter().flat_map(imports) {
            if import.is_glob {
                globs.push(import.path);
            } else if import.name == name {
                // `use name::x as name` must not look for itself.
                let own = import.path.len() == 1 && import.path[0] == name;
                return match own {
                    true => Some(Meaning::External(import.path)),
                    false => self.resolve_within(module, &import.path, wanted, depth + 1),
                };
            }
        }
        submodule.or_else(|| {
            let mut globs = globs.iter();
            globs.find_map(
                |path| match self.resolve_within(module, path, Wanted::Module, depth + 1)? {
                    Meaning::Module(path) => self.lookup(&path, name, wanted, depth + 1),
                    _ => None,
                },
            )
        })
    }
}

/// The name of an item that has one, other than a module.
pub fn ident(item: &Item) -> Option<&syn::Ident> {
    Some(match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    })
}

/// The names that an item imports.
pub fn imports(item: &Item) -> Vec<Import> {
    let mut out = Vec::new();
    if let Item::Use(item) = item {
        leaves(&item.tree, &mut Vec::new(), &mut out);
    }
    out
}

fn leaves(tree: &UseTree, prefix: &mut Vec<String>, out: &mut Vec<Import>) {
    let mut push = |name: String, last: Option<String>, is_glob| {
        let path = prefix
            .iter()
            .cloned()
            .chain(last.filter(|last| last != "self"))
            .collect();
        out.push(Import { name, path, is_glob });
    };
    match tree {
        UseTree::Path(path) => {
            prefix.push(path.ident.to_string());
            leaves(&path.tree, prefix, out);
            prefix.pop();
        }
        UseTree::Name(name) if name.ident == "self" => push(prefix.last().cloned().unwrap_or_default(), None, false),
        UseTree::Name(name) => push(name.ident.to_string(), Some(name.ident.to_string()), false),
        UseTree::Rename(name) => push(name.rename.to_string(), Some(name.ident.to_string()), false),
        UseTree::Glob(_) => push(String::new(), None, true),
        UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, prefix, out)),
    }
}

/// The attributes of an item.
pub fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Whether an item is public and not hidden from the documentation.
pub fn is_public(visibility: &Visibility, attributes: &[Attribute]) -> bool {
    matches!(visibility, Visibility::Public(_)) && !is_hidden(attributes)
}

pub fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes
        .iter()
        .any(|a| a.path().is_ident("doc") && tokens_of(a).contains("hidden"))
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes
        .iter()
        .any(|a| a.path().is_ident("cfg") && matches!(tokens_of(a).as_str(), "test" | "doctest" | "fuzzing"))
}

fn tokens_of(attribute: &Attribute) -> String {
    match &attribute.meta {
        syn::Meta::List(list) => list.tokens.to_string(),
        _ => String::new(),
    }
}
