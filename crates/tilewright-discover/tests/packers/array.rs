//! As much of an array library as packing code uses: reshape, transpose, take, pack.

/// An array in row-major order.
#[derive(Clone)]
pub(crate) struct Array {
    pub(crate) dims: Vec<usize>,
    pub(crate) values: Vec<u32>,
}

impl Array {
    pub(crate) fn of(codes: &[u32], dims: &[i64]) -> Array {
        let dims = dims.iter().map(|size| usize::try_from(*size).unwrap()).collect();
        Array { dims, values: codes.to_vec() }
    }

    pub(crate) fn reshape(self, dims: &[usize]) -> Array {
        assert_eq!(dims.iter().product::<usize>(), self.values.len(), "{dims:?}");
        Array { dims: dims.to_vec(), ..self }
    }

    /// Dimension `i` of the outcome is dimension `order[i]` of this.
    pub(crate) fn permute(&self, order: &[usize]) -> Array {
        let dims: Vec<usize> = order.iter().map(|dim| self.dims[*dim]).collect();
        let values = (0..self.values.len()).map(|place| {
            let mut rest = place;
            let mut index = vec![0; order.len()];
            for (size, dim) in dims.iter().zip(order).rev() {
                index[*dim] = rest % size;
                rest /= size;
            }
            let from = index.iter().zip(&self.dims).fold(0, |from, (i, size)| from * size + i);
            self.values[from]
        });
        Array { values: values.collect(), dims }
    }

    /// The rows of these numbers, in this order.
    pub(crate) fn take_rows(&self, rows: &[usize]) -> Array {
        let width = self.values.len() / self.dims[0];
        let row = |row: &usize| self.values[row * width..][..width].to_vec();
        let mut dims = self.dims.clone();
        dims[0] = rows.len();
        Array { dims, values: rows.iter().flat_map(row).collect() }
    }

    /// Each value in so many bytes, little-endian.
    pub(crate) fn bytes(&self, width: usize) -> Vec<u8> {
        self.values.iter().flat_map(|value| value.to_le_bytes()[..width].to_vec()).collect()
    }

    /// Neighbours packed into words of 32 bits, the first one lowest.
    pub(crate) fn words(&self, bits: usize) -> Vec<u8> {
        let word = |codes: &[u32]| {
            codes.iter().enumerate().fold(0u32, |word, (i, code)| word | code << (bits * i))
        };
        self.values.chunks(32 / bits).flat_map(|codes| word(codes).to_le_bytes()).collect()
    }
}
