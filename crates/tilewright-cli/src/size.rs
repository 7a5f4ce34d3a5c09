//! Sizes in bytes, as people write them.

/// Bytes in the largest unit of 1024 that leaves a number: `512 B`, `31.25 MiB`, `-1.50 GiB`.
pub(crate) fn in_words(bytes: i64) -> String {
    let size = bytes.unsigned_abs();
    let sign = if bytes < 0 { "-" } else { "" };
    if size < 1024 {
        return format!("{sign}{size} B");
    }
    let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let power = (size.ilog2() / 10) as usize;
    let value = size as f64 / (1u64 << (10 * power)) as f64;
    format!("{sign}{value:.2} {}", units.get(power - 1).unwrap_or(&""))
}

/// `512`, `512MiB`, `15.75GiB`: a number of bytes, kB MB GB TB of a thousand, KiB MiB GiB TiB of 1024.
pub(crate) fn parse(text: &str) -> Result<usize, String> {
    let digits = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor: usize = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000,
        _ => return Err(format!("`{unit}` is no unit: expected kB, MB, GB, KiB, MiB or GiB")),
    };
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    let is_number = !part.is_empty() && part.len() <= MAX_DIGITS && !part.contains('.');
    let (Ok(whole), Ok(tenths), true) = (whole.parse(), part.parse(), is_number) else {
        return Err("expected a number of bytes".to_owned());
    };
    let (whole, tenths): (usize, u128) = (whole, tenths);
    let of_part = tenths * factor as u128 / 10u128.pow(part.len() as u32);
    let bytes = whole.checked_mul(factor).and_then(|bytes| bytes.checked_add(of_part as usize));
    let bytes = bytes.ok_or("the size is too large")?;
    if bytes == 0 { Err("no memory at all is too little".to_owned()) } else { Ok(bytes) }
}

/// A number has no more digits behind its point.
const MAX_DIGITS: usize = 9;

#[cfg(test)]
mod tests {
    use super::{in_words, parse};

    #[test]
    fn sizes_in_words() {
        assert_eq!(in_words(512), "512 B");
        assert_eq!(in_words(-1536), "-1.50 KiB");
        assert_eq!(in_words(32 << 30), "32.00 GiB");
        assert_eq!(in_words(i64::MAX), "8.00 EiB");
    }

    #[test]
    fn sizes() {
        assert_eq!(parse("512"), Ok(512));
        assert_eq!(parse("2KiB"), Ok(2048));
        assert_eq!(parse("3MB"), Ok(3_000_000));
        assert_eq!(parse("1 GiB"), Ok(1 << 30));
        assert_eq!(parse("15.75GiB"), Ok(63 << 28));
        assert_eq!(parse("0.5kB"), Ok(500));
        for bad in [
            "",
            "x",
            ".",
            "1.",
            ".5",
            "1.2.3GB",
            "0.1",
            "1XB",
            "99999999999999999999",
            "0",
            "99999999999TiB",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
