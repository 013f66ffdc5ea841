//! The places of lists, tables and code in a text.

use dehusk_html::rendering::Mark;

/// The form of a text, for formats that write it as elements. It holds nothing that the text does not, so it is not
/// compared.
#[derive(Clone, Debug, Default)]
pub struct Form(pub Vec<Mark>);

impl PartialEq for Form {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Form {}
