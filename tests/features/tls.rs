//! The server of the tests, over TLS.

use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use dehusk_testing::server::{Asked, Reply, Server};

/// Starts a server with a certificate that the authority in `authority.pem` has signed: `good.pem` for 127.0.0.1 until
/// the year 2126, `expired.pem` until 2021, and `other_host.pem` for other.example. Nobody has the key of the authority
/// any more. `own_authority.pem` for 127.0.0.1 has signed itself, and is an authority.
pub fn start(certificate: &str, handler: impl Fn(&Asked, usize) -> Reply + Send + Sync + 'static) -> Server {
    const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/testing/src/server");
    let certificate = CertificateDer::from_pem_file(format!("{FOLDER}/{certificate}")).unwrap();
    let key = PrivateKeyDer::from_pem_file(format!("{FOLDER}/good.key")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap();
    let config = Arc::new(
        config
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .unwrap(),
    );
    Server::start_with(handler, "https", move |stream| {
        let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
        Box::new(StreamOwned::new(connection, stream))
    })
}
