//! The signatures against their definitions, and against values that another program computed.

mod definitions;
mod reference;
