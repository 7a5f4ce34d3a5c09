//! The index of a shard: where in it each inner chunk is.

/// The bytes that follow a buffer of tiles of `tile_bytes` bytes: for each inner chunk, of which
/// this is the number of the tile that it is, its offset and its length, little-endian; and the
/// checksum of all that.
pub(crate) fn index(tiles: impl Iterator<Item = u64>, tile_bytes: u64) -> Vec<u8> {
    let places = tiles.flat_map(|tile| [tile * tile_bytes, tile_bytes]);
    let mut index: Vec<u8> = places.flat_map(u64::to_le_bytes).collect();
    index.extend(crc32c(&index).to_le_bytes());
    index
}

/// The polynomial of CRC-32C (Castagnoli, RFC 3720 B.4), bits reversed.
const POLYNOMIAL: u32 = 0x82f6_3b78;

const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut rest = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            rest = if rest & 1 == 1 { rest >> 1 ^ POLYNOMIAL } else { rest >> 1 };
            bit += 1;
        }
        table[byte] = rest;
        byte += 1;
    }
    table
}

fn crc32c(bytes: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| TABLE[(sum as u8 ^ byte) as usize] ^ sum >> 8;
    !bytes.iter().fold(!0, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3720, B.4.
    #[test]
    fn checksums_of_the_standard() {
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&[0xff; 32]), 0x62a8_ab43);
        let ascending: Vec<u8> = (0..32).collect();
        assert_eq!(crc32c(&ascending), 0x46dd_794e);
    }

    #[test]
    fn where_each_inner_chunk_is() {
        let index = index([1, 0].into_iter(), 24);
        assert_eq!(index.len(), 2 * 16 + 4);
        assert_eq!(
            index[..32],
            [[24, 24], [0, 24]].map(|two| two.map(u64::to_le_bytes)).concat().concat()
        );
    }
}
