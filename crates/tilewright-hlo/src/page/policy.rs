//! What a browser may do for the page: run its one script and take its one style, by their hashes, and nothing
//! else. No address is asked, and no text is made into markup, even by the script.

/// The hash of the style.
pub(super) const STYLE: &str = "sha256-5bNH/Sbl8kcbSdw+BhjyjuchFWtOPqNr9GihA+jdWt8=";

/// The hash of the script.
pub(super) const SCRIPT: &str = "sha256-vWgtv5WLESb68siWHL26GyafYgCzrfTgGhamvNrGsTo=";

/// The policy, as a page has it at its top.
pub(super) fn content() -> String {
    format!(
        "default-src 'none'; script-src '{SCRIPT}'; style-src '{STYLE}'; base-uri 'none'; \
         form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
}

/// SHA-256 as FIPS 180-4 has it, in base 64, as a policy names a text. Tests alone need it: what is named
/// changes with the sources.
#[cfg(test)]
pub(super) fn hash(text: &str) -> String {
    let primes = (2u64..).filter(|n| (2..*n).all(|d| n % d != 0)).take(64);
    // The first 32 bits of the fraction of a root: the integer root of p · 2⁶⁴ᐟ⁹⁶, found bit by bit.
    let root = |prime: u64, power: u32| -> u32 {
        let wanted = u128::from(prime) << (32 * power);
        let mut root = 0u128;
        for bit in (0..36).rev() {
            let next = root | 1 << bit;
            if next.pow(power) <= wanted {
                root = next;
            }
        }
        root as u32
    };
    let constants: Vec<u32> = primes.clone().map(|prime| root(prime, 3)).collect();
    let mut state: Vec<u32> = primes.take(8).map(|prime| root(prime, 2)).collect();
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0x80);
    while bytes.len() % 64 != 56 {
        bytes.push(0);
    }
    bytes.extend((text.len() as u64 * 8).to_be_bytes());
    for block in bytes.chunks(64) {
        let mut words: Vec<u32> =
            block.chunks(4).map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]])).collect();
        for n in 16..64 {
            let (a, b) = (words[n - 15], words[n - 2]);
            let a = a.rotate_right(7) ^ a.rotate_right(18) ^ a >> 3;
            let b = b.rotate_right(17) ^ b.rotate_right(19) ^ b >> 10;
            words.push(words[n - 16].wrapping_add(a).wrapping_add(words[n - 7]).wrapping_add(b));
        }
        let mut s = state.clone();
        for n in 0..64 {
            let (a, e) = (s[0], s[4]);
            let one = (e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25))
                .wrapping_add(s[7])
                .wrapping_add(e & s[5] ^ !e & s[6])
                .wrapping_add(constants[n])
                .wrapping_add(words[n]);
            let two = (a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22))
                .wrapping_add(a & s[1] ^ a & s[2] ^ s[1] & s[2]);
            s.rotate_right(1);
            s[4] = s[4].wrapping_add(one);
            s[0] = one.wrapping_add(two);
        }
        for (sum, s) in state.iter_mut().zip(s) {
            *sum = sum.wrapping_add(s);
        }
    }
    let digest: Vec<u8> = state.iter().flat_map(|word| word.to_be_bytes()).collect();
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut said = String::from("sha256-");
    for three in digest.chunks(3) {
        let bits = three.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - three.len()));
        for n in 0..=three.len() {
            said.push(digits[(bits >> (18 - 6 * n) & 63) as usize] as char);
        }
    }
    said + "="
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_hash_is_sha_256() {
        assert_eq!(super::hash("abc"), "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
        assert_eq!(super::hash(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }
}
