//! What the benches of whole processes share: the binary, the table of figures beside the first subject's, and how CPU
//! time and memory are read.

#![allow(dead_code, reason = "each bench uses its own part")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// `GITVOW_BENCH_BIN`, else the static release build where there is one (spec 8.2b), else cargo's own.
pub fn binary() -> PathBuf {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("target");
    let built = ["musl", "gnu"].map(|libc| {
        let triple = format!("{}-unknown-linux-{libc}", std::env::consts::ARCH);
        target.join(triple).join("release/gitvow")
    });
    let bin = std::env::var_os("GITVOW_BENCH_BIN")
        .map(PathBuf::from)
        .or_else(|| built.into_iter().find(|b| b.exists()))
        .unwrap_or_else(|| env!("CARGO_BIN_EXE_gitvow").into());
    let len = fs::metadata(&bin).unwrap().len();
    println!("binary: {} ({len} bytes)", bin.display());
    bin
}

/// One line of the table.
pub struct Row {
    pub name: &'static str,
    pub times: Vec<Duration>,
    pub cpu: Duration,
    /// In KiB.
    pub peak: Option<u64>,
}

/// Prints the table; ratios are to the first row.
pub fn table(rows: &[Row]) {
    println!(
        "{:<14} {:>10} {:>10} {:>8} {:>8} {:>9} {:>9}",
        "", "median µs", "min µs", "× med", "× min", "CPU µs", "peak KiB"
    );
    let figures = |row: &Row| {
        let mut sorted = row.times.clone();
        sorted.sort();
        (sorted[sorted.len() / 2], sorted[0])
    };
    let base = figures(&rows[0]);
    for row in rows {
        let (mid, min) = figures(row);
        println!(
            "{:<14} {:>10} {:>10} {:>8.2} {:>8.2} {:>9} {:>9}",
            row.name,
            mid.as_micros(),
            min.as_micros(),
            mid.as_secs_f64() / base.0.as_secs_f64(),
            min.as_secs_f64() / base.1.as_secs_f64(),
            row.cpu.as_micros(),
            row.peak.map_or_else(|| "-".to_owned(), |k| k.to_string()),
        );
    }
}

/// CPU of one of `runs` runs, user and system: the kernel's sum over waited children, in clock ticks.
pub fn cpu(runs: usize, run: impl Fn()) -> Duration {
    let before = ticks();
    (0..runs).for_each(|_| run());
    Duration::from_millis((ticks() - before) * 10) / u32::try_from(runs).unwrap()
}

/// The peak of resident memory so far in KiB, from the text of `/proc/PID/status`.
pub fn peak(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn ticks() -> u64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<_> = stat
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    fields[13].parse::<u64>().unwrap() + fields[14].parse::<u64>().unwrap()
}
