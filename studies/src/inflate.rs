//! Measures the CPU seconds that libdeflate alone takes to inflate the gzip members of an archive: the least time in
//! which anything can read it. `benches/scaling.py` compares a run with this.

use std::process::ExitCode;

use dehusk_testing::members::Members;

use crate::shared::{Outcome, cpu_time};

pub fn main(arguments: &[String]) -> Outcome {
    let [path] = arguments else {
        return Err("inflate needs an archive".into());
    };
    let mut members = Members::find(path.as_ref())?;
    let start = cpu_time::seconds();
    let decoded = members.inflate();
    println!("{decoded} bytes in seconds: {:.6}", cpu_time::seconds() - start);
    Ok(ExitCode::SUCCESS)
}
