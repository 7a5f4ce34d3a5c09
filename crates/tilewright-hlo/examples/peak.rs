//! peak
fn main() {
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file).unwrap();
        let t = std::time::Instant::now();
        let report = tilewright_hlo::Report::of(&tilewright_hlo::Dump::read(&text));
        println!("{file} {:?}", t.elapsed());
        for p in report.peak.unwrap_or_default() {
            println!(
                "  {} {} shared {} at {} ({} alive)",
                p.space,
                p.bytes,
                p.bytes_shared,
                p.at,
                p.alive.len()
            );
            for a in p.alive.iter().take(4) {
                println!(
                    "     {} {} {} {} {:?} {:?} until {}",
                    a.bytes,
                    a.name,
                    a.text,
                    a.op,
                    a.source.as_ref().map(|s| s.to_string()),
                    a.op_name,
                    a.until
                );
            }
        }
    }
}
