//! The program: arguments → command → exit status.

use std::process::ExitCode;

fn main() -> ExitCode {
    dehusk::cli::main()
}
