//! HLO modules and reports on memory.

use tilewright_hlo::{
    Assignment, Change, CompilerReports, Dump, DumpFolder, MAX_FINDINGS, Report, Trial, decoded,
};

use crate::is_one_in;

/// The text of a module: read and reported on. One input in 16 is drawn as a page, and tried in other formats and with
/// everything donated: that takes twenty times as long.
pub(crate) fn hlo_text(data: &[u8]) -> bool {
    let (text, _) = decoded(data);
    let dump = Dump::read(&text);
    let report = check_report(&dump);
    if is_one_in(16, data) {
        check_pages(&report);
        check_trials(&text, &dump, &report);
    }
    dump.module.is_some() || dump.memory_report.is_some()
}

fn check_trials(text: &str, dump: &Dump<'_>, report: &Report) {
    let assigned = Assignment::of(dump);
    let costs = [assigned.totals.module, assigned.totals.best];
    let costs = costs.map(|cost| i128::from(cost.padding_bytes) + i128::from(cost.moved_bytes));
    assert!(costs[1] <= costs[0], "what is found costs more");
    let formats = report.parameters.iter().take(1);
    let formats = formats.map(|value| (value.name.clone(), "{0,1:T(8,128)}".to_owned())).collect();
    for trial in [
        Trial { is_assigned: true, is_all_donated: true, ..Trial::default() },
        Trial { formats, ..Trial::default() },
    ] {
        let Ok((changed, ..)) = trial.applied(text) else { continue };
        let changed = check_report(&Dump::read(&changed));
        check_pages(&changed);
        let _ = Change::between(report, &changed);
        let _ = trial.on(text);
    }
}

fn check_report(dump: &Dump<'_>) -> Report {
    let report = Report::of(dump);
    assert!(report.findings.len() <= MAX_FINDINGS);
    let sizes = [report.totals.parameters, report.totals.outputs, report.totals.buffers];
    assert!(sizes.iter().all(|size| size.bytes >= 0 && size.padding_bytes >= 0));
    report
}

fn check_pages(report: &Report) {
    let page = report.to_html();
    assert_eq!(page.matches("</html>").count(), 1, "a text got out of the page");
    assert!(!report.to_html_fragment().is_empty());
    serde_json::to_string(report).expect("a report is JSON");
}

/// The compiler's own reports beside a module, and what it says when memory runs out. Parts are cut by a line
/// of `%%`: the module, the memory usage, the buffer assignment, the live ranges.
pub(crate) fn memory_report(data: &[u8]) -> bool {
    let (text, _) = decoded(data);
    let mut parts = text.split("\n%%\n");
    let dump = Dump::read(parts.next().unwrap_or_default());
    let report = Report::of(&dump);
    let mut part = || parts.next().map(str::to_owned);
    let reports = CompilerReports { usage: part(), assignment: part(), live_ranges: part() };
    let counted = reports.beside(&report);
    assert!(reports.is_empty() <= counted.is_empty(), "counted out of nothing");
    let files: Vec<(String, u64)> =
        text.lines().take(64).map(|line| (line.to_owned(), line.len() as u64)).collect();
    if let Some(folder) = DumpFolder::of(&files) {
        assert!(files.iter().any(|(name, _)| *name == folder.module), "a file that is not there");
        return true;
    }
    !counted.is_empty() || dump.module.is_some() || dump.memory_report.is_some()
}
