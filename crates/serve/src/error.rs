//! Why a server does not start or ends.

use std::io;
use std::net::SocketAddr;

use thiserror::Error;

use dehusk_corpus::readback::AccountError;
use dehusk_engine::config::ConfigError;
use dehusk_engine::input::InputError;
use dehusk_eval::truth::TruthError;
use dehusk_eval::truth_file::TruthFileError;

/// Why a server does not start or ends.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The configuration cannot be resolved.
    #[error("{0}")]
    Config(#[from] ConfigError),
    /// The arguments name no archive, or a list or glob of them is wrong.
    #[error("{0}")]
    Inputs(#[from] InputError),
    /// An input cannot be shown.
    #[error("{name}: {message}")]
    Input {
        /// The input, as it was named.
        name: String,
        /// The mistake.
        message: String,
    },
    /// A truth file cannot be read.
    #[error("{0}")]
    Truth(#[from] TruthError),
    /// The file for marks cannot be used.
    #[error("{0}")]
    TruthFile(#[from] TruthFileError),
    /// The account of a run cannot be read.
    #[error("{0}")]
    Run(#[from] AccountError),
    /// The address cannot be listened on.
    #[error("{address}: {}", cannot_listen(.source))]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// The system refuses what the server needs.
    #[error("the server cannot work: {0}")]
    System(#[from] io::Error),
}

fn cannot_listen(error: &io::Error) -> String {
    let remedy = match error.kind() {
        io::ErrorKind::AddrInUse => "; another program listens there: choose another port with --port, or 0 for any",
        io::ErrorKind::PermissionDenied => "; ports below 1024 need a privilege: choose another with --port",
        io::ErrorKind::AddrNotAvailable => "; it is no address of this machine: see --bind",
        _ => "",
    };
    format!("cannot listen: {error}{remedy}")
}
