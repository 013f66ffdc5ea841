//! Expands `macro_rules!`, as far as the packages define public items with them.

use std::collections::HashMap;

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream, Parser};

/// The macros of all packages, by name.
#[derive(Default)]
pub struct Macros(HashMap<String, Macro>);

struct Macro {
    package: String,
    rules: Vec<(Vec<Pattern>, TokenStream)>,
}

enum Pattern {
    /// `$name:fragment`
    Variable(String, String),
    /// `$( patterns ) separator operator`
    Repeat(Vec<Pattern>, Option<String>),
    Group(Delimiter, Vec<Pattern>),
    Token(String),
}

#[derive(Clone)]
enum Binding {
    One(TokenStream),
    Many(Vec<Binding>),
}

type Bindings = HashMap<String, Binding>;

impl Macros {
    /// Adds the macro that an item defines.
    pub fn define(&mut self, package: &str, name: &str, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut rules = Vec::new();
        let groups = tokens.iter().filter_map(|token| match token {
            TokenTree::Group(group) => Some(group),
            _ => None,
        });
        let groups: Vec<&Group> = groups.collect();
        for rule in groups.chunks_exact(2) {
            rules.push((patterns(rule[0].stream()), rule[1].stream()));
        }
        let package = package.to_owned();
        self.0.insert(name.to_owned(), Macro { package, rules });
    }

    /// Expands a call. `None` if the macro is unknown or no rule matches.
    pub fn expand(&self, name: &str, tokens: TokenStream) -> Option<TokenStream> {
        let macro_ = self.0.get(name)?;
        let input: Vec<TokenTree> = tokens.into_iter().collect();
        macro_.rules.iter().find_map(|(patterns, body)| {
            let mut bindings = Bindings::new();
            let end = matches(patterns, &input, 0, &mut bindings)?;
            (end == input.len()).then(|| transcribe(body.clone(), &bindings, &macro_.package))
        })
    }
}

fn patterns(tokens: TokenStream) -> Vec<Pattern> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut out = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match (&tokens[at], tokens.get(at + 1)) {
            (TokenTree::Punct(p), Some(TokenTree::Ident(name))) if p.as_char() == '$' => {
                let fragment = tokens.get(at + 3).map(ToString::to_string).unwrap_or_default();
                out.push(Pattern::Variable(name.to_string(), fragment));
                at += 4;
            }
            (TokenTree::Punct(p), Some(TokenTree::Group(group))) if p.as_char() == '$' => {
                let (separator, length) = separator(&tokens[at + 2..]);
                out.push(Pattern::Repeat(patterns(group.stream()), separator));
                at += 2 + length;
            }
            (TokenTree::Group(group), _) => {
                out.push(Pattern::Group(group.delimiter(), patterns(group.stream())));
                at += 1;
            }
            (token, _) => {
                out.push(Pattern::Token(token.to_string()));
                at += 1;
            }
        }
    }
    out
}

/// The separator of a repetition, and the number of tokens up to the end of its operator.
fn separator(rest: &[TokenTree]) -> (Option<String>, usize) {
    let is_operator = |token: &TokenTree| matches!(token.to_string().as_str(), "*" | "+" | "?");
    match rest {
        [operator, ..] if is_operator(operator) => (None, 1),
        [separator, ..] => (Some(separator.to_string()), 2),
        [] => (None, 0),
    }
}

/// Matches patterns with the tokens from `at`. Returns the end of the match.
fn matches(patterns: &[Pattern], input: &[TokenTree], mut at: usize, bindings: &mut Bindings) -> Option<usize> {
    for pattern in patterns {
        match pattern {
            Pattern::Token(token) => {
                (input.get(at)?.to_string() == *token).then_some(())?;
                at += 1;
            }
            Pattern::Group(delimiter, inner) => {
                let TokenTree::Group(group) = input.get(at)? else {
                    return None;
                };
                (group.delimiter() == *delimiter).then_some(())?;
                let content: Vec<TokenTree> = group.stream().into_iter().collect();
                (matches(inner, &content, 0, bindings)? == content.len()).then_some(())?;
                at += 1;
            }
            Pattern::Variable(name, fragment) => {
                let length = fragment_length(fragment, &input[at..])?;
                let tokens = input[at..at + length].iter().cloned().collect();
                bindings.insert(name.clone(), Binding::One(tokens));
                at += length;
            }
            Pattern::Repeat(inner, separator) => {
                let mut rounds = Vec::new();
                loop {
                    let mut round = Bindings::new();
                    let Some(end) = matches(inner, input, at, &mut round).filter(|end| *end > at) else {
                        break;
                    };
                    rounds.push(round);
                    at = end;
                    if let Some(separator) = separator {
                        if input.get(at).is_none_or(|token| token.to_string() != *separator) {
                            break;
                        }
                        at += 1;
                    }
                }
                for name in variables(inner) {
                    let each = rounds.iter().filter_map(|round| round.get(&name).cloned());
                    bindings.insert(name.clone(), Binding::Many(each.collect()));
                }
            }
        }
    }
    Some(at)
}

fn variables(patterns: &[Pattern]) -> Vec<String> {
    let each = patterns.iter().flat_map(|pattern| match pattern {
        Pattern::Variable(name, _) => vec![name.clone()],
        Pattern::Repeat(inner, _) | Pattern::Group(_, inner) => variables(inner),
        Pattern::Token(_) => Vec::new(),
    });
    each.collect()
}

/// The number of tokens of a fragment.
fn fragment_length(fragment: &str, input: &[TokenTree]) -> Option<usize> {
    let is_single = match fragment {
        "ident" => matches!(input.first()?, TokenTree::Ident(_)),
        "tt" => !input.is_empty(),
        "literal" => matches!(input.first()?, TokenTree::Literal(_)),
        "meta" => return parsed_length::<syn::Meta>(input),
        "ty" => return parsed_length::<syn::Type>(input),
        "path" => return parsed_length::<syn::Path>(input),
        "vis" => return parsed_length::<syn::Visibility>(input),
        _ => return parsed_length::<syn::Expr>(input),
    };
    is_single.then_some(1)
}

fn parsed_length<T: Parse>(input: &[TokenTree]) -> Option<usize> {
    let prefix = |stream: ParseStream<'_>| {
        stream.parse::<T>()?;
        stream.parse::<TokenStream>()
    };
    let rest = prefix.parse2(input.iter().cloned().collect()).ok()?;
    Some(input.len() - rest.into_iter().count())
}

fn transcribe(body: TokenStream, bindings: &Bindings, package: &str) -> TokenStream {
    let body: Vec<TokenTree> = body.into_iter().collect();
    let mut out = TokenStream::new();
    let mut at = 0;
    while at < body.len() {
        match (&body[at], body.get(at + 1)) {
            (TokenTree::Punct(p), Some(TokenTree::Ident(name))) if p.as_char() == '$' => {
                match bindings.get(&name.to_string()) {
                    Some(Binding::One(tokens)) => out.extend(tokens.clone()),
                    _ if name == "crate" => out.extend([TokenTree::from(Ident::new(package, name.span()))]),
                    _ => {}
                }
                at += 2;
            }
            (TokenTree::Punct(p), Some(TokenTree::Group(group))) if p.as_char() == '$' => {
                let (separator, length) = separator(&body[at + 2..]);
                let count = repetitions(group.stream(), bindings);
                for round in 0..count {
                    if round > 0
                        && let Some(separator) = separator.as_ref().and_then(|s| s.chars().next())
                    {
                        Punct::new(separator, Spacing::Alone).to_tokens(&mut out);
                    }
                    let round = bindings.iter().map(|(name, binding)| {
                        let one = match binding {
                            Binding::Many(each) => each.get(round).unwrap_or(binding),
                            Binding::One(_) => binding,
                        };
                        (name.clone(), one.clone())
                    });
                    out.extend(transcribe(group.stream(), &round.collect(), package));
                }
                at += 2 + length;
            }
            (TokenTree::Group(group), _) => {
                let content = transcribe(group.stream(), bindings, package);
                Group::new(group.delimiter(), content).to_tokens(&mut out);
                at += 1;
            }
            (token, _) => {
                token.to_tokens(&mut out);
                at += 1;
            }
        }
    }
    out
}

/// How often a repetition is transcribed: the length of the longest repeated variable in it.
fn repetitions(body: TokenStream, bindings: &Bindings) -> usize {
    let each = body.into_iter().map(|token| match token {
        TokenTree::Ident(name) => match bindings.get(&name.to_string()) {
            Some(Binding::Many(each)) => each.len(),
            _ => 0,
        },
        TokenTree::Group(group) => repetitions(group.stream(), bindings),
        _ => 0,
    });
    each.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_and_fragments_are_expanded() {
        let definition: TokenStream = "($(#[$doc:meta])* $kind:ident { $($variant:ident = $name:literal,)+ }) => {
            $(#[$doc])* pub enum $kind { $(#[doc = $name] $variant,)+ }
            impl $kind { pub const ALL: &[$kind] = &[$($kind::$variant),+]; }
        };"
        .parse()
        .unwrap();
        let mut macros = Macros::default();
        macros.define("package", "list", definition);
        let call: TokenStream = "/// Words.\n Fault { One = \"one\", Two = \"two\", }".parse().unwrap();
        let expanded = macros.expand("list", call).unwrap().to_string();
        let file: syn::File = syn::parse_str(&expanded).unwrap();
        assert_eq!(file.items.len(), 2);
        assert!(
            prettyplease::unparse(&file).contains("[Fault::One, Fault::Two]"),
            "{expanded}"
        );
        assert!(macros.expand("list", "Fault".parse().unwrap()).is_none());
    }
}
