//! `data/hardware-golden.txt`, which says how it is written: where packing code puts every element.
//! The tests of `tilewright-discover` read it too.

/// A row of the table.
pub struct Golden {
    pub name: String,
    pub dims: Vec<i64>,
    pub bits: u32,
    pub carrier: String,
    /// Of each element, in row-major order.
    pub offsets: Vec<i64>,
}

/// All rows.
pub fn rows() -> Vec<Golden> {
    let text = include_str!("../data/hardware-golden.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let list = |text: &str| text.split(',').map(|n| n.parse::<i64>().unwrap()).collect::<Vec<_>>();
    let mut rows: Vec<Golden> = Vec::new();
    let mut axes = Vec::new();
    for line in lines.chain([""]) {
        if let Some((dims, along)) = line.trim().split_once(": ") {
            let dims = list(dims).iter().map(|dim| usize::try_from(*dim).unwrap()).collect();
            axes.push((dims, numbers(along)));
        } else if let [name, dims, bits, carrier] = line.split(" | ").collect::<Vec<_>>()[..] {
            let (dims, bits) = (list(dims), bits.parse().unwrap());
            let (name, carrier) = (name.to_owned(), carrier.to_owned());
            rows.push(Golden { name, dims, bits, carrier, offsets: Vec::new() });
        } else if let Some(row) = rows.last_mut().filter(|_| !axes.is_empty()) {
            row.offsets = offsets(&row.dims, &std::mem::take(&mut axes));
        }
    }
    assert_eq!(rows.len(), 24);
    rows
}

/// The offset of each element: the sum of what each axis says.
fn offsets(dims: &[i64], axes: &[(Vec<usize>, Vec<i64>)]) -> Vec<i64> {
    let index = |place: i64| {
        let mut rest = place;
        let mut index: Vec<i64> =
            dims.iter().rev().map(|size| (rest % size, rest /= size).0).collect();
        index.reverse();
        index
    };
    let along = |index: &[i64], (dims_of_axis, along): &(Vec<usize>, Vec<i64>)| {
        let place = dims_of_axis.iter().fold(0, |place, dim| place * dims[*dim] + index[*dim]);
        along[usize::try_from(place).unwrap()]
    };
    let at = |place| axes.iter().map(|axis| along(&index(place), axis)).sum();
    (0..dims.iter().product()).map(at).collect()
}

/// `0 1 2 8..20/4`: numbers, and runs of them from the first to the last.
fn numbers(text: &str) -> Vec<i64> {
    let run = |token: &str| match token.split_once("..") {
        None => vec![token.parse().unwrap()],
        Some((first, rest)) => {
            let (last, count) = rest.split_once('/').unwrap();
            let [first, last, count] = [first, last, count].map(|n| n.parse::<i64>().unwrap());
            (0..count).map(|i| first + (last - first) / (count - 1) * i).collect()
        }
    };
    text.split_whitespace().flat_map(run).collect()
}
