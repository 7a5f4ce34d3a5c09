//! `tilewright hlo` as a process.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;

use std::path::{Path, PathBuf};

use serde_json::Value;
use support::Folder;

fn dump(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tilewright-hlo/tests/data").join(name)
}

fn run(arguments: &[&str]) -> support::Outcome {
    support::run(arguments)
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// Every key that the design names is there, under that name.
#[track_caller]
fn has_keys(value: &Value, expected: &[&str]) {
    let keys = keys(value);
    for key in expected {
        assert!(keys.contains(key), "no `{key}` in {keys:?}");
    }
}

#[test]
fn json_keys() {
    let file = dump("convolution.hlo");
    let report = run(&["hlo", file.to_str().unwrap(), "--json"]).succeeded().json();
    has_keys(
        &report,
        &["module", "parameters", "outputs", "buffers", "relayouts", "bitcasts", "totals"],
    );
    for list in ["parameters", "outputs", "buffers"] {
        has_keys(&report[list][0], &["name", "text", "bytes", "logical_bytes"]);
    }
    has_keys(&report["buffers"][0], &["op", "computation"]);
    has_keys(
        &report["relayouts"][0],
        &["name", "from", "to", "bytes_read", "bytes_written", "kind"],
    );
    has_keys(&report["bitcasts"][0], &["name", "from", "to", "holds", "kind"]);
    let padding = |buffer: &Value| {
        buffer["bytes"].as_i64().unwrap() - buffer["logical_bytes"].as_i64().unwrap()
    };
    let paddings: Vec<i64> = report["buffers"].as_array().unwrap().iter().map(padding).collect();
    assert!(paddings.is_sorted_by(|a, b| a >= b));
    let sum: i64 = report["parameters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|parameter| parameter["bytes"].as_i64().unwrap())
        .sum();
    assert_eq!(report["totals"]["parameters"]["bytes"], sum);
}

#[test]
fn the_report_from_the_sums_down() {
    let file = dump("kv-cache-update.hlo");
    let outcome = run(&["hlo", file.to_str().unwrap()]).succeeded();
    let order = [
        "module jit_cache_update",
        "parameters  1.90 MiB in 6 arrays",
        "bitcasts    4, all confirmed by the maps",
        "\ntemporaries from the first instruction to the last\n",
        "\nvmem at its peak, at ",
        "\nalive then",
        "\nparameters\n",
        "\noutputs\n",
        "\nbuffers by padding, the first 12 of 27\n",
        "\nrelayouts\n",
    ];
    let places: Vec<usize> = order
        .iter()
        .map(|part| outcome.stdout.find(part).unwrap_or_else(|| panic!("no `{part}`")))
        .collect();
    assert!(places.is_sorted(), "{places:?}");
    let all = run(&["hlo", file.to_str().unwrap(), "--top", "0"]).succeeded();
    assert!(all.stdout.contains("\nbuffers by padding\n"));
}

#[test]
fn stdin_and_out_of_memory_reports() {
    let report = "Ran out of memory in memory space hbm. Used 41.74G of 16.00G hbm.\n  1. Size: 32.00G\n     \
                  Shape: s32[8388608,8,4]{2,1,0:T(8,128)}\n     Unpadded size: 1.00G\n     ==========\n";
    let outcome = Folder::new().run_with(&["hlo", "-"], report).succeeded();
    for part in [
        "out of memory: 41.74G of 16.00G hbm used",
        "dim 2 of extent 4 is minor: padded to 128, 32x",
        "in the format s32[8388608,8,4]{0,1,2:T(8,128)}: 1.00 GiB",
    ] {
        assert!(outcome.stdout.contains(part), "no `{part}` in {}", outcome.stdout);
    }
}

#[test]
fn what_is_skipped_is_said_on_stderr() {
    let text = "ENTRY e {\n  a = f32[2} parameter(0)\n  b = f32[2]{0} parameter(1)\n}\n";
    let outcome = Folder::new().run_with(&["hlo", "-", "--json"], text).succeeded();
    assert_eq!(outcome.json()["parameters"].as_array().unwrap().len(), 1);
    assert_eq!(outcome.json()["findings"][0]["line"], 2);
    assert!(outcome.stderr.contains("stdin: line 2: `%a` has no shape"), "{}", outcome.stderr);
}

#[test]
fn a_file_without_a_module() {
    Folder::new().run_with(&["hlo", "-"], "hello\n").failed_with(&["no HLO module"]);
    Folder::new().run_with(&["hlo", "-"], "").failed_with(&["it is empty"]);
    run(&["hlo", "nowhere.txt"]).failed_with(&["nowhere.txt"]);
    let outcome = Folder::new().run_with(&["hlo", "-", "--json"], "hello\n");
    let error: Value = serde_json::from_str(&outcome.failed_with(&[]).stderr).unwrap();
    assert!(error["error"]["message"].as_str().unwrap().contains("no HLO module"));
}

#[test]
fn the_page_stands_alone_and_escapes_names() {
    let folder = Folder::new();
    let text = "HloModule m<script>alert(1)</script>\nENTRY e {\n  \
                a<b>&'x = f32[9,129]{1,0:T(8,128)} parameter(0)\n}\n";
    folder.write("dump.txt", text.as_bytes());
    folder.run(&["hlo", "dump.txt", "--html", "page.html"]).succeeded();
    let page = String::from_utf8(folder.read("page.html")).unwrap();
    assert!(page.contains("m&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(page.contains("a&lt;b&gt;&amp;&#39;x"));
    assert_eq!(page.matches("<script>").count(), 1);
    // Pictures say what language they are in by an address that nobody asks.
    let page = page.replace("http://www.w3.org/2000/svg", "");
    for outside in ["http:", "https:", "src=", "href=", "url(", "@import"] {
        assert!(!page.contains(outside), "{outside}");
    }
    folder.run(&["hlo", "dump.txt", "--html", "page.html"]).failed_with(&["--force"]);
    folder.run(&["hlo", "dump.txt", "--html", "page.html", "--force"]).succeeded();
}

#[test]
fn the_page_has_a_row_and_a_bar_for_each_buffer() {
    let folder = Folder::new();
    let file = dump("convolution.hlo");
    let file = file.to_str().unwrap();
    let report = folder.run(&["hlo", file, "--json", "--html", "page.html"]).succeeded().json();
    let page = String::from_utf8(folder.read("page.html")).unwrap();
    let (_, buffers) = page.split_once("<h3>Buffers").unwrap();
    let (buffers, _) = buffers.split_once("</table>").unwrap();
    // The script draws the others.
    let n = report["buffers"].as_array().unwrap().len().min(50);
    assert_eq!(buffers.matches("class=\"tw-bar\"").count(), n);
    assert_eq!(buffers.matches("<tr>").count(), n + 1);
}

#[test]
fn the_difference_of_two_dumps() {
    let folder = Folder::new();
    let text = |layout: &str, copy: &str| {
        format!(
            "HloModule m\nENTRY e {{\n  p = f32[9,129]{layout} parameter(0)\n  {copy}\n  \
             ROOT n = f32[9,129]{{0,1:T(8,128)}} negate(p)\n}}\n"
        )
    };
    folder
        .write("a.txt", text("{1,0:T(8,128)}", "c = f32[9,129]{0,1:T(8,128)} copy(p)").as_bytes());
    folder.write("b.txt", text("{0,1:T(8,128)}", "").as_bytes());
    let change = folder.run(&["hlo", "a.txt", "--diff", "b.txt", "--json"]).succeeded().json();
    // 16 x 256 elements become 16 x 136 in the other order.
    assert_eq!(change["parameters"][0]["bytes_change"], (256 * 16 - 136 * 128) * -4);
    assert_eq!(change["relayouts"]["gone"][0]["name"], "c");
    assert_eq!(change["relayouts"]["new"].as_array().unwrap().len(), 0);
    let words = folder.run(&["hlo", "a.txt", "--diff", "b.txt"]).succeeded();
    assert!(words.stdout.contains("relayouts that are gone"), "{}", words.stdout);
    let same = folder.run(&["hlo", "a.txt", "--diff", "a.txt", "--json"]).succeeded().json();
    assert_eq!(same["before"], same["after"]);
    assert_eq!(same["buffers"].as_array().unwrap().len(), 0);
}

#[test]
fn better_formats_for_parameters() {
    let file = dump("embedding.hlo");
    let assigned = run(&["assign", file.to_str().unwrap(), "--json"]).succeeded().json();
    let table = &assigned["parameters"][0];
    assert_eq!(table["module"]["text"], "f32[5003,96]{0,1:T(8,128)}");
    assert_eq!(table["best"]["text"], "f32[5003,96]{1,0:T(8,128)}");
    assert_eq!(table["best"]["moved_bytes"], 0);
    let words = run(&["assign", file.to_str().unwrap()]).succeeded();
    assert!(words.stdout.starts_with("1 of 3 parameters would do better"), "{}", words.stdout);
    Folder::new().run_with(&["assign", "-"], "hello").failed_with(&["no HLO module"]);
    let part = "  p = f32[2]{0} parameter(0)\n";
    Folder::new().run_with(&["assign", "-"], part).failed_with(&["no entry computation"]);
}

/// What has no end is not read; a pipe is.
#[cfg(unix)]
#[test]
fn endless_input_is_refused() {
    for command in ["hlo", "assign"] {
        run(&[command, "/dev/zero"]).failed_with(&["/dev/zero", "a device, which may have no end"]);
        let folder = Folder::new();
        let shell = format!("exec \"$0\" {command} - < /dev/zero");
        let from_stdin = ["-c", &shell, env!("CARGO_BIN_EXE_tilewright")];
        folder.run_program("sh", &from_stdin, "").failed_with(&["stdin", "a device"]);
    }
    let text = std::fs::read_to_string(dump("kv-cache-update.hlo")).unwrap();
    let folder = Folder::new();
    let piped = folder.run_with(&["hlo", "-"], &text).succeeded();
    assert!(piped.stdout.contains("module jit_cache_update"), "{}", piped.stdout);
    let pipe = ["-c", "cat | \"$0\" hlo /dev/stdin", env!("CARGO_BIN_EXE_tilewright")];
    assert_eq!(folder.run_program("sh", &pipe, &text).succeeded().stdout, piped.stdout);
}

#[test]
fn peaks_and_budgets() {
    let file = dump("memory/oom-cache.hlo");
    let file = file.to_str().unwrap();
    let over = run(&["hlo", file, "--json", "--budget", "hbm=95.73GiB", "--budget", "vmem=1GiB"]);
    assert_eq!(over.code, 1, "{}", over.stderr);
    let report: Value = serde_json::from_str(&over.stdout).unwrap();
    let peak = &report["peak"][0];
    has_keys(peak, &["space", "bytes", "bytes_shared", "at", "alive"]);
    has_keys(
        &peak["alive"][0],
        &["name", "text", "bytes", "padding_bytes", "op", "computation", "source"],
    );
    has_keys(&report["timeline"][0], &["space", "instructions", "steps", "lives"]);
    let moving = run(&["hlo", dump("convolution.hlo").to_str().unwrap(), "--json"]).json();
    has_keys(&moving["relayouts"][0], &["standalone", "executions", "cycles", "source"]);
    let [hbm, vmem] = [0, 1].map(|n| &report["budgets"][n]);
    assert_eq!((hbm["is_over"].as_bool(), vmem["is_over"].as_bool()), (Some(true), Some(false)));
    assert_eq!(hbm["largest"].as_array().unwrap().len(), 5);
    let words = run(&["hlo", file, "--budget", "hbm=95.73GiB"]);
    assert!(
        words.stdout.contains("over the budget: 128.00 GiB of 95.73 GiB hbm"),
        "{}",
        words.stdout
    );
    assert_eq!(run(&["hlo", file, "--budget", "hbm=129GiB"]).code, 0);
    for wrong in ["hbm", "attic=1GiB", "hbm=much"] {
        assert_eq!(run(&["hlo", file, "--budget", wrong]).code, 2, "{wrong}");
    }
}

/// A folder as the compiler fills it, of a program for four devices.
#[test]
fn the_compilers_own_reports() {
    let folder = Folder::new();
    let name = "module_0000.jit_loss.cl_1";
    let copy = |from: &str, to: &str| std::fs::copy(dump(from), folder.path(to)).unwrap();
    copy("memory/mesh-2x2.hlo", &format!("{name}.after_optimizations.txt"));
    for report in [
        "before_optimizations",
        "after_optimizations-buffer-assignment",
        "after_optimizations-live-range",
        "after_optimizations-memory-usage-report",
    ] {
        copy(&format!("memory/mesh-2x2/{report}.txt"), &format!("{name}.{report}.txt"));
    }
    let path = folder.path("");
    let path = path.to_str().unwrap();
    let words = run(&["hlo", path]).stdout;
    for said in [
        "  hbm                      312.05 MiB   312.00 MiB  -0.0 %\n",
        "    parameters              40.00 MiB    40.00 MiB    same\n",
        "bf16[32768,1024] cut 2x1, each part on 2 devices",
        "bf16[8192,1024] cut 2x2",
    ] {
        assert!(words.contains(said), "{said}: {words}");
    }
    let report: Value = serde_json::from_str(&run(&["hlo", path, "--json"]).stdout).unwrap();
    let sharding = &report["parameters"][2]["sharding"];
    assert_eq!(sharding["text"], "{devices=[2,1,2]<=[4] last_tile_dim_replicate}");
    assert_eq!((&sharding["devices"], &sharding["replicated"]), (&4.into(), &2.into()));
    // The compiler's live ranges and the text agree.
    let hbm = &report["counted"][0];
    assert!(hbm["only_compiler"].is_null() && hbm["only_text"].is_null(), "{hbm}");
    let live = hbm["parts"].as_array().unwrap().iter().find(|part| part["part"] == "live").unwrap();
    assert_eq!((&live["bytes"], &live["compiler"]), (&276_824_064.into(), &276_824_576.into()));
}

#[test]
fn what_if() {
    let file = dump("memory/decode-with-cache.hlo");
    let file = file.to_str().unwrap();
    let words = run(&["hlo", file, "--format", "assigned", "--donate", "all"]);
    assert_eq!(words.code, 0, "{}", words.stderr);
    assert!(
        words.stdout.contains("keys.1 were bf16[32,8,2048,128]{3,0,1,2:T(8,128)(2,1)}"),
        "{}",
        words.stdout
    );
    // Both caches are copied today, 128 MiB each, into the format that the loop reads.
    let format = "keys.1={3,0,1,2:T(8,128)(2,1)}";
    let json = run(&["hlo", file, "--format", format, "--json"]).stdout;
    let report: Value = serde_json::from_str(&json).unwrap();
    let hbm = &report["what_if"]["spaces"][0];
    let saved = hbm["before"]["bytes"].as_i64().unwrap() - hbm["after"]["bytes"].as_i64().unwrap();
    assert_eq!((&hbm["space"], saved), (&"hbm".into(), 128 << 20));
    // A budget is for what was tried.
    assert_eq!(run(&["hlo", file, "--budget", "hbm=400MiB"]).code, 1);
    assert_eq!(run(&["hlo", file, "--budget", "hbm=400MiB", "--format", format]).code, 0);
    for (arguments, why) in [
        (["--format", "nobody={0}"], "no parameter `nobody`"),
        (["--format", "keys.1={0}"], "`{0}` is no format of `keys.1`"),
        (["--format", "keys.1"], "expected PARAMETER=FORMAT"),
        (["--donate", "keys.1"], "cannot be donated"),
    ] {
        let outcome = run(&["hlo", file, arguments[0], arguments[1]]);
        assert_eq!(outcome.code, 2);
        assert!(outcome.stderr.contains(why), "{}", outcome.stderr);
    }
}

#[test]
fn the_difference_in_markdown() {
    let [before, after] = ["memory/oom-cache.hlo", "memory/mended-cache.hlo"].map(dump);
    let [before, after] = [&before, &after].map(|path| path.to_str().unwrap());
    let words = run(&["hlo", before, "--diff", after, "--markdown"]).stdout;
    assert!(
        words.starts_with("|  | before | after | change |\n| --- | --- | --- | --- |\n"),
        "{words}"
    );
    assert!(words.contains("| hbm in all | 128.00 GiB | 64.00 GiB | -64.00 GiB |"), "{words}");
    assert!(words.contains("| donated | 0 B | 64.00 GiB | +64.00 GiB |"), "{words}");
    assert!(words.contains("<details><summary>Buffers</summary>"), "{words}");
    assert_eq!(run(&["hlo", before, "--markdown"]).code, 2);
}

#[test]
fn folders_of_dumps() {
    let folder = Folder::new();
    let name = "module_0007.jit_step.cl_1.after_optimizations";
    let copy = |from: &str, to: &str| std::fs::copy(dump(from), folder.path(to)).unwrap();
    copy("memory/adam-donated.hlo", &format!("{name}.txt"));
    copy("memory/ring.hlo", "module_0003.jit_ring.cl_1.after_optimizations.txt");
    let usage = "Memory Space: default (color=0)\nTotal bytes: 485261344 (462.78MiB)\n";
    folder.write(&format!("{name}-memory-usage-report.txt"), usage.as_bytes());
    folder.write("module_0007.hlo_module_config.txt", b"a: 1");
    let path = folder.path("");
    let path = path.to_str().unwrap();
    let outcome = run(&["hlo", path, "--json"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("reading module_0007.jit_step"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("module_0003.jit_ring"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("2 files are no optimised modules"), "{}", outcome.stderr);
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(report["counted"][0]["compiler"], 485_261_344);
    // A compilation that ran out of memory comes first, however small.
    copy("memory/kernel-matmul.hlo", "module_0009.jit_f.cl_1.oom_intermediate_module.txt");
    let outcome = run(&["hlo", path, "--json"]);
    assert!(outcome.stderr.contains("reading module_0009"), "{}", outcome.stderr);
    // A folder without any.
    let empty = Folder::new();
    let outcome = run(&["hlo", empty.path("").to_str().unwrap()]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.stderr.contains("oom_intermediate_module"), "{}", outcome.stderr);
}

#[test]
fn the_one_line_about_memory_is_answered() {
    let folder = Folder::new();
    let file = folder.path("message.txt");
    let message = "RESOURCE_EXHAUSTED: E1000: CompileTimeHbmOom: Ran out of memory on HBM, the total memory \
        required for HLO temporaries (65.31G) exceeds available HBM (15.75G). HLO module: jit_f.\n";
    folder.write("message.txt", message.as_bytes());
    let outcome = run(&["hlo", file.to_str().unwrap()]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.stderr.contains("--xla_dump_to"), "{}", outcome.stderr);
}
