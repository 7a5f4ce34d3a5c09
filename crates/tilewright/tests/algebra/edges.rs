//! No answer is a panic.

use tilewright::algebra::{self as alg, F2Matrix, Pick};
use tilewright::tla::{Int, Nested};

use super::layout;

/// Values at the edges of 64 bits, empty and negative ones: an answer or an error.
#[test]
fn nothing_panics_at_the_edges() {
    let (most, least) = (i64::MAX, i64::MIN);
    let values = [0, 1, 2, 3, -1, -2, most, most - 1, least, least + 1, 1 << 62, 1 << 40];
    let mut layouts = vec![layout("():()"), layout("(()):(())"), layout("(4,()):(1,())")];
    for s in values.into_iter().filter(|s| *s >= 0) {
        for d in values {
            layouts.push(alg::make_flat_layout(&[s], &[d]).unwrap());
            layouts.push(alg::make_flat_layout(&[2, s, 3], &[d, 1, -d.max(-most)]).unwrap());
        }
    }
    layouts.push(layout("(2,2):(1@0,1@1)"));
    layouts.push(layout("(2,(3,4)):(9223372036854775807@0,(1@1,0))"));
    for a in &layouts {
        let _ = (alg::coalesce(a), alg::filter(a), alg::flatten(a), alg::nullspace(a));
        let _ = (alg::right_inverse(a), alg::left_inverse(a), alg::max_alignment(a));
        let _ = (alg::complement_within(a), alg::make_layout_like(a), alg::make_fragment_like(a));
        let _ = (F2Matrix::of_layout(a), alg::make_identity_layout(a.shape()));
        let _ = (alg::compact_row_major(a.shape()), alg::recast(a, 8, 12), alg::recast(a, 0, 1));
        for n in values {
            let n = Int::dynamic(n);
            let _ = (alg::complement(a, n), alg::upcast(a, n), alg::downcast(a, n));
            let _ = (alg::domain_distribute(a.shape(), n), alg::scale(a, n));
            let _ = alg::domain_offset(&Nested::Leaf(n), a);
            let _ = alg::slice_and_offset(&Nested::Tuple(vec![Nested::Leaf(Pick::At(n))]), a);
        }
        for b in &layouts {
            let _ = (alg::composition(a, b), alg::compose(a, b), alg::max_common_layout(a, b));
            let _ = (alg::zipped_divide(a, b), alg::flat_product(a, b), alg::layout_add(a, b));
            let _ = (alg::blocked_product(a, b), alg::tile_to_shape(a, b.shape(), None));
            let _ = (alg::common_refinement(a.shape(), b.shape()), alg::zip(a, b));
            let _ = (alg::common_coarsening(a.shape(), b.shape()), alg::append(a, b));
            let _ = alg::greatest_common_domain(a.shape(), b.shape());
            let _ = (alg::shape_div(a.shape(), b.shape()), alg::ceil_div(a.shape(), b.shape()));
            let _ = (alg::round_up(a.shape(), b.shape()), alg::product_like(a.shape(), b.shape()));
            let _ = (alg::coalesce_by(a, b.shape()), alg::unflatten(a, b.shape()));
            let _ = alg::evenly_divides(a.shape(), b.shape());
        }
    }
}
