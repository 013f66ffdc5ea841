//! Lists the public items of the packages, and what is wrong with their signatures.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{Fields, ImplItem, Item, TraitItem};

use super::package::{Import, ItemPath, Meaning, Packages, attributes, ident, imports, is_hidden, is_public};
use super::signature;

/// Crates whose types may be in public signatures, besides the packages themselves.
const ALLOWED_CRATES: [&str; 3] = ["std", "core", "alloc"];

/// The public items.
#[derive(Default)]
pub struct Listing {
    /// One line per item: its path and its signature.
    pub lines: BTreeSet<String>,
    /// What is wrong with public signatures.
    pub faults: BTreeSet<String>,
}

/// Lists the public items of all packages.
pub fn list(packages: &Packages) -> Listing {
    let mut lister = Lister {
        packages,
        public: BTreeMap::new(),
        listing: Listing::default(),
    };
    let mut reexports = Vec::new();
    for name in &packages.names {
        let root = vec![name.clone()];
        lister.find_public(&root, &root, &mut reexports, &mut Vec::new());
    }
    for (path, meaning) in reexports {
        lister.list_reexport(&path, meaning);
    }
    let public: Vec<(ItemPath, ItemPath)> = lister.public.clone().into_iter().collect();
    for (defined, path) in &public {
        lister.list_item(defined, path);
    }
    lister.list_impls();
    lister.listing
}

struct Lister<'a> {
    packages: &'a Packages,
    /// The public path of each public item, by the path of its definition.
    public: BTreeMap<ItemPath, ItemPath>,
    listing: Listing,
}

impl Lister<'_> {
    /// Finds the public items of a module, which is public as `path`.
    fn find_public(
        &mut self,
        module: &ItemPath,
        path: &[String],
        reexports: &mut Vec<(ItemPath, Meaning)>,
        around: &mut Vec<ItemPath>,
    ) {
        let packages = self.packages;
        let Some(content) = packages.modules.get(module).filter(|_| !around.contains(module)) else {
            return;
        };
        around.push(module.clone());
        for item in &content.items {
            match item {
                Item::Mod(submodule) if is_public(&submodule.vis, &submodule.attrs) => {
                    let name = submodule.ident.to_string();
                    self.line(&join(path, &name), &format!("pub mod {name}"));
                    self.find_public(&join(module, &name), &join(path, &name), reexports, around);
                }
                Item::Use(import) if is_public(&import.vis, &import.attrs) => {
                    for import in imports(item) {
                        self.find_import(module, path, import, reexports, around);
                    }
                }
                item => {
                    if let (Some(name), Some(vis)) = (ident(item), signature::visibility(item))
                        && is_public(vis, attributes(item))
                    {
                        let name = name.to_string();
                        self.publish(join(module, &name), join(path, &name), reexports);
                    }
                }
            }
        }
        around.pop();
    }

    fn find_import(
        &mut self,
        module: &ItemPath,
        path: &[String],
        import: Import,
        reexports: &mut Vec<(ItemPath, Meaning)>,
        around: &mut Vec<ItemPath>,
    ) {
        let is_own = |target: &ItemPath| target[0] == module[0] || self.packages.inner.contains(&target[0]);
        match self.packages.resolve(module, &import.path) {
            Some(Meaning::Module(target)) if is_own(&target) && import.is_glob => {
                self.find_public(&target, path, reexports, around);
            }
            Some(Meaning::Module(target)) if is_own(&target) => {
                let path = join(path, &import.name);
                self.line(&path, &format!("pub mod {}", import.name));
                self.find_public(&target, &path, reexports, around);
            }
            Some(Meaning::Item(target)) if is_own(&target) => {
                self.publish(target, join(path, &import.name), reexports);
            }
            Some(meaning) => reexports.push((join(path, &import.name), meaning)),
            None => reexports.push((join(path, &import.name), Meaning::External(import.path))),
        }
    }

    /// Records a public path of an item. The shortest path is the item's; the others are re-exports.
    fn publish(&mut self, defined: ItemPath, path: ItemPath, reexports: &mut Vec<(ItemPath, Meaning)>) {
        let meaning = Meaning::Item(defined.clone());
        let before = self.public.get(&defined).cloned();
        match before {
            Some(before) if before == path => {}
            Some(before) if (before.len(), &before) < (path.len(), &path) => reexports.push((path, meaning)),
            Some(before) => {
                reexports.push((before, meaning));
                self.public.insert(defined, path);
            }
            None => {
                self.public.insert(defined, path);
            }
        }
    }

    fn list_reexport(&mut self, path: &[String], meaning: Meaning) {
        let target = match meaning {
            Meaning::Module(target) => target,
            Meaning::Item(target) => self.public.get(&target).cloned().unwrap_or(target),
            Meaning::External(target) => {
                if !ALLOWED_CRATES.contains(&target[0].as_str()) {
                    self.fault(path, &format!("is of another crate: {}", target.join("::")));
                }
                target
            }
        };
        self.line(path, &format!("pub use {}", target.join("::")));
    }

    fn list_item(&mut self, defined: &ItemPath, path: &[String]) {
        let packages = self.packages;
        let Some((name, module)) = defined.split_last() else {
            return;
        };
        let items = packages
            .modules
            .get(module)
            .into_iter()
            .flat_map(|module| &module.items);
        for item in items.filter(|item| ident(item).is_some_and(|ident| ident == name)) {
            self.line(path, &signature::item(item));
            if let Some(derived) = signature::derived(attributes(item)) {
                self.line(path, &derived);
            }
            let mut check = Check::new(self, module, path);
            match item {
                Item::Struct(item) => {
                    check.visit_generics(&item.generics);
                    let public = item.fields.iter().filter(|field| is_public(&field.vis, &field.attrs));
                    public.for_each(|field| check.visit_type(&field.ty));
                    if let Fields::Named(fields) = &item.fields {
                        for field in fields.named.iter().filter(|field| is_public(&field.vis, &field.attrs)) {
                            let name = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
                            self.line(&join(path, &name), &signature::field(field));
                        }
                    }
                }
                Item::Enum(item) => {
                    check.visit_generics(&item.generics);
                    let variants = || item.variants.iter().filter(|variant| !is_hidden(&variant.attrs));
                    variants().for_each(|variant| check.visit_fields(&variant.fields));
                    for variant in variants() {
                        let line = signature::variant(variant);
                        self.line(&join(path, &variant.ident.to_string()), &line);
                    }
                }
                Item::Trait(item) => {
                    check.visit_generics(&item.generics);
                    let bounds = item.supertraits.iter();
                    bounds.for_each(|bound| check.visit_type_param_bound(bound));
                    for item in &item.items {
                        check.visit_trait_item_signature(item);
                    }
                    for item in item
                        .items
                        .iter()
                        .filter(|item| !is_hidden(signature::trait_attributes(item)))
                    {
                        if let Some((name, line)) = signature::trait_item(item) {
                            self.line(&join(path, &name), &line);
                        }
                    }
                }
                Item::Fn(item) => check.visit_signature(&item.sig),
                Item::Const(item) => check.visit_type(&item.ty),
                Item::Static(item) => check.visit_type(&item.ty),
                Item::Type(item) => check.visit_type(&item.ty),
                _ => {}
            }
        }
    }

    /// Lists the methods and traits of public types, whichever module implements them.
    fn list_impls(&mut self) {
        let packages = self.packages;
        for (module, content) in &packages.modules {
            for item in &content.items {
                let Item::Impl(block) = item else { continue };
                let syn::Type::Path(self_type) = &*block.self_ty else {
                    continue;
                };
                let Some(Meaning::Item(defined)) = packages.resolve(module, &segments(&self_type.path)) else {
                    continue;
                };
                let Some(path) = self.public.get(&defined).cloned().filter(|_| !is_hidden(&block.attrs)) else {
                    continue;
                };
                match &block.trait_ {
                    Some((_, trait_, _)) => {
                        // A private trait is not a part of the surface.
                        match packages.resolve(module, &segments(trait_)) {
                            Some(Meaning::Item(trait_)) if !self.public.contains_key(&trait_) => {}
                            _ => self.line(&path, &signature::implementation(block)),
                        }
                        Check::new(self, module, &path).visit_implementation(trait_, block);
                    }
                    None => self.list_methods(module, &path, block),
                }
            }
        }
    }

    fn list_methods(&mut self, module: &[String], path: &[String], block: &syn::ItemImpl) {
        for item in &block.items {
            match item {
                ImplItem::Fn(method) if is_public(&method.vis, &method.attrs) => {
                    let path = join(path, &method.sig.ident.to_string());
                    self.line(&path, &signature::function(&method.vis, &method.sig));
                    let mut check = Check::new(self, module, &path);
                    check.generics(&block.generics);
                    check.visit_signature(&method.sig);
                }
                ImplItem::Const(constant) if is_public(&constant.vis, &constant.attrs) => {
                    let path = join(path, &constant.ident.to_string());
                    self.line(
                        &path,
                        &signature::constant(&constant.vis, &constant.ident, &constant.ty),
                    );
                    Check::new(self, module, &path).visit_type(&constant.ty);
                }
                _ => {}
            }
        }
    }

    fn line(&mut self, path: &[String], signature: &str) {
        self.listing.lines.insert(format!("{}: {signature}", path.join("::")));
    }

    fn fault(&mut self, path: &[String], fault: &str) {
        self.listing.faults.insert(format!("{} {fault}", path.join("::")));
    }
}

/// Checks the types in one signature.
struct Check<'l, 'a> {
    lister: &'l mut Lister<'a>,
    module: &'l [String],
    path: &'l [String],
    /// Whether private types are allowed: users cannot name an implementation for one.
    allows_private: bool,
}

impl<'l, 'a> Check<'l, 'a> {
    fn new(lister: &'l mut Lister<'a>, module: &'l [String], path: &'l [String]) -> Self {
        Self {
            lister,
            module,
            path,
            allows_private: false,
        }
    }

    fn generics(&mut self, generics: &syn::Generics) {
        self.visit_generics(generics);
    }

    /// Checks the arguments of a trait and the types that belong to it. The trait itself may be of another crate.
    fn visit_implementation(&mut self, trait_: &syn::Path, block: &syn::ItemImpl) {
        self.allows_private = true;
        for segment in &trait_.segments {
            self.visit_path_arguments(&segment.arguments);
        }
        for item in &block.items {
            if let ImplItem::Type(associated) = item {
                self.visit_type(&associated.ty);
            }
        }
    }

    fn visit_trait_item_signature(&mut self, item: &TraitItem) {
        match item {
            TraitItem::Fn(method) if !is_hidden(&method.attrs) => self.visit_signature(&method.sig),
            TraitItem::Const(constant) => self.visit_type(&constant.ty),
            TraitItem::Type(associated) => associated
                .bounds
                .iter()
                .for_each(|bound| self.visit_type_param_bound(bound)),
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for Check<'_, '_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names = segments(path);
        if names.last().is_some_and(|name| name == "Result") && has_string_error(path) {
            self.lister.fault(self.path, "returns an error that is a bare string");
        }
        match self.lister.packages.resolve(self.module, &names) {
            Some(Meaning::External(crate_path)) if !ALLOWED_CRATES.contains(&crate_path[0].as_str()) => {
                let fault = format!("has a type of another crate: {}", crate_path.join("::"));
                self.lister.fault(self.path, &fault);
            }
            Some(Meaning::Item(item)) if !self.allows_private && !self.lister.public.contains_key(&item) => {
                self.lister.fault(
                    self.path,
                    &format!("has a type that is not public: {}", item.join("::")),
                );
            }
            _ => {}
        }
        visit::visit_path(self, path);
    }

    // Attributes and bodies are no part of a signature.
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_block(&mut self, _: &'ast syn::Block) {}
}

/// Whether the second argument of a `Result` is a string.
fn has_string_error(path: &syn::Path) -> bool {
    let Some(syn::PathArguments::AngleBracketed(arguments)) = path.segments.last().map(|s| &s.arguments) else {
        return false;
    };
    let mut types = arguments.args.iter().filter_map(|argument| match argument {
        syn::GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    match types.nth(1) {
        Some(syn::Type::Path(error)) => error.path.is_ident("String"),
        Some(syn::Type::Reference(error)) => matches!(&*error.elem, syn::Type::Path(p) if p.path.is_ident("str")),
        _ => false,
    }
}

fn segments(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

fn join(path: &[String], name: &str) -> ItemPath {
    path.iter().cloned().chain([name.to_owned()]).collect()
}
