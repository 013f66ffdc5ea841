//! Signatures of items, each on one line.

use quote::ToTokens;
use syn::{Attribute, Fields, Item, TraitItem, Visibility, parse_quote};

/// The visibility of an item.
pub fn visibility(item: &Item) -> Option<&Visibility> {
    Some(match item {
        Item::Const(item) => &item.vis,
        Item::Enum(item) => &item.vis,
        Item::Fn(item) => &item.vis,
        Item::Static(item) => &item.vis,
        Item::Struct(item) => &item.vis,
        Item::Trait(item) => &item.vis,
        Item::Type(item) => &item.vis,
        Item::Union(item) => &item.vis,
        _ => return None,
    })
}

/// The signature of an item, without its fields, variants and methods.
pub fn item(item: &Item) -> String {
    match item {
        Item::Struct(item) => {
            let mut item = item.clone();
            item.attrs.retain(is_kept);
            match &mut item.fields {
                Fields::Named(fields) => fields.named.clear(),
                Fields::Unnamed(fields) => {
                    for field in &mut fields.unnamed {
                        field.attrs.clear();
                        if field.vis == Visibility::Inherited {
                            field.ty = parse_quote!(_);
                        }
                    }
                }
                Fields::Unit => {}
            }
            line(Item::Struct(item))
        }
        Item::Enum(item) => {
            let mut item = item.clone();
            item.attrs.retain(is_kept);
            item.variants.clear();
            line(Item::Enum(item))
        }
        Item::Trait(item) => {
            let mut item = item.clone();
            item.attrs.clear();
            item.items.clear();
            line(Item::Trait(item))
        }
        Item::Fn(item) => function(&item.vis, &item.sig),
        Item::Const(item) => constant(&item.vis, &item.ident, &item.ty),
        Item::Static(item) => {
            let (vis, name, ty) = (&item.vis, &item.ident, &item.ty);
            line(parse_quote!(#vis static #name: #ty = x;))
        }
        Item::Type(item) => {
            let mut item = item.clone();
            item.attrs.clear();
            line(Item::Type(item))
        }
        _ => String::new(),
    }
}

pub fn function(visibility: &Visibility, signature: &syn::Signature) -> String {
    let (mut signature, attrs) = (signature.clone(), Vec::new());
    for input in &mut signature.inputs {
        match input {
            syn::FnArg::Receiver(receiver) => {
                receiver.attrs.clear();
                if receiver.reference.is_none() {
                    receiver.mutability = None;
                }
            }
            syn::FnArg::Typed(argument) => {
                argument.attrs.clear();
                if let syn::Pat::Ident(name) = &mut *argument.pat {
                    name.mutability = None;
                }
            }
        }
    }
    line(Item::Fn(syn::ItemFn {
        attrs,
        vis: visibility.clone(),
        sig: signature,
        block: parse_quote!({}),
    }))
}

pub fn constant(visibility: &Visibility, name: &syn::Ident, ty: &syn::Type) -> String {
    line(parse_quote!(#visibility const #name: #ty = x;))
}

pub fn field(field: &syn::Field) -> String {
    let (vis, name, ty) = (&field.vis, &field.ident, &field.ty);
    inner(line(parse_quote!(struct S { #vis #name: #ty })))
}

pub fn variant(variant: &syn::Variant) -> String {
    let mut variant = variant.clone();
    variant.attrs.retain(is_kept);
    variant.fields.iter_mut().for_each(|field| field.attrs.clear());
    inner(line(parse_quote!(enum E { #variant })))
}

/// The name and signature of an item of a trait.
pub fn trait_item(item: &TraitItem) -> Option<(String, String)> {
    let public = Visibility::Inherited;
    Some(match item {
        TraitItem::Fn(method) => {
            let provided = if method.default.is_some() { " (provided)" } else { "" };
            let line = function(&public, &method.sig);
            (method.sig.ident.to_string(), format!("{line}{provided}"))
        }
        TraitItem::Const(item) => (item.ident.to_string(), constant(&public, &item.ident, &item.ty)),
        TraitItem::Type(item) => {
            let mut item = item.clone();
            item.attrs.clear();
            (item.ident.to_string(), spaced(&item.to_token_stream().to_string()))
        }
        _ => return None,
    })
}

pub fn trait_attributes(item: &TraitItem) -> &[Attribute] {
    match item {
        TraitItem::Fn(item) => &item.attrs,
        TraitItem::Const(item) => &item.attrs,
        TraitItem::Type(item) => &item.attrs,
        _ => &[],
    }
}

/// `impl Trait for Type`
pub fn implementation(block: &syn::ItemImpl) -> String {
    let mut block = block.clone();
    block.attrs.clear();
    block.items.clear();
    line(Item::Impl(block))
}

/// The traits that an item derives.
pub fn derived(attributes: &[Attribute]) -> Option<String> {
    let derives = attributes.iter().filter(|a| a.path().is_ident("derive"));
    let names = derives.flat_map(|derive| {
        let mut names = Vec::new();
        let _ = derive.parse_nested_meta(|meta| {
            names.extend(meta.path.segments.last().map(|s| s.ident.to_string()));
            Ok(())
        });
        names
    });
    let names: Vec<String> = names.collect();
    (!names.is_empty()).then(|| format!("derive({})", names.join(", ")))
}

/// Attributes that users of an item must know.
fn is_kept(attribute: &Attribute) -> bool {
    attribute.path().is_ident("non_exhaustive")
}

/// An item on one line, without its empty body.
fn line(item: Item) -> String {
    let file = syn::File {
        shebang: None,
        attrs: Vec::new(),
        items: vec![item],
    };
    let text = spaced(&prettyplease::unparse(&file));
    let text = text.strip_suffix(" {}").unwrap_or(&text);
    let text = text.strip_suffix(" = x;").unwrap_or(text);
    text.strip_suffix(';').unwrap_or(text).to_owned()
}

/// What is between the outer braces.
fn inner(text: String) -> String {
    let inner = text.split_once("{ ").map_or("", |(_, inner)| inner);
    let inner = inner.strip_suffix('}').unwrap_or(inner).trim();
    inner.strip_suffix(',').unwrap_or(inner).to_owned()
}

/// One line, without the white space and commas of broken lines.
fn spaced(text: &str) -> String {
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for (broken, whole) in [
        ("( ", "("),
        (", )", ")"),
        ("< ", "<"),
        (", >", ">"),
        ("[ ", "["),
        (", ]", "]"),
    ] {
        line = line.replace(broken, whole);
    }
    line
}
