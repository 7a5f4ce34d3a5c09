//! The part of the model that an operation belongs to, by its name.
//!
//! JAX names an operation after the functions and scopes around it, `jit(step)/transpose(jvp(Model))/while/body/
//! layer_3/attn/dot_general`. Some of these say what the program is made of, `Model/layer_3/attn`, the others how
//! that is run.

/// Scopes that say how a part of the program is run.
const RUNS: [&str; 12] = [
    "while",
    "closed_call",
    "core_call",
    "checkpoint",
    "remat",
    "remat2",
    "rematted_computation",
    "shard_map",
    "custom_jvp_call",
    "custom_vjp_call",
    "custom_vjp_call_jaxpr",
    "pjit",
];

/// Transformations, which are written around the scope that they transform.
const TRANSFORMS: [&str; 6] = ["jvp", "transpose", "vmap", "linearize", "checkpoint", "remat"];

/// Functions that are called, which are written `jit(name)`.
const CALLS: [&str; 6] = ["jit", "pjit", "closed_call", "core_call", "xla_call", "pmap"];

/// The scopes of an operation's name that say what the program is made of; nothing where there are none.
pub(crate) fn layer(op_name: &str) -> Option<String> {
    // Where the compiler joined operations, their names are joined by `;`.
    let first = op_name.split(';').next()?;
    let mut scopes = parts(first);
    scopes.pop();
    let scopes: Vec<&str> = scopes.into_iter().flat_map(bare).collect();
    let at = |number: Option<usize>| number.and_then(|n| scopes.get(n)).copied().unwrap_or("");
    let named = (0..scopes.len())
        .filter(|&n| !is_run(at(Some(n)), at(n.checked_sub(1)), at(Some(n + 1))))
        .map(|n| at(Some(n)));
    let layer = named.collect::<Vec<_>>().join("/");
    (!layer.is_empty()).then_some(layer)
}

/// A scope without the transformations around it: several scopes, or none.
fn bare(scope: &str) -> Vec<&str> {
    let mut inner = scope;
    while let Some((kind, rest)) = inner.split_once('(') {
        let Some(content) = rest.strip_suffix(')') else { break };
        if CALLS.contains(&kind) {
            return Vec::new();
        }
        if !TRANSFORMS.contains(&kind) {
            break;
        }
        inner = content;
    }
    if inner == scope {
        return vec![scope];
    }
    // A transformation of several scopes: those are taken apart once more, and no deeper.
    let is_call = |part: &&str| {
        (part.starts_with("jit(") || part.starts_with("pjit(")) && part.ends_with(')')
    };
    parts(inner).into_iter().filter(|part| !is_call(part)).collect()
}

/// Whether a scope says how a part is run, by those before and after it.
fn is_run(scope: &str, before: &str, after: &str) -> bool {
    match scope {
        "body" | "cond" => before == "while" || is_branch(after),
        "scan" => after == "while",
        // The formula of an `einsum` is a scope too.
        _ => scope.is_empty() || RUNS.contains(&scope) || is_branch(scope) || scope.contains("->"),
    }
}

/// `branch_1_fun`.
fn is_branch(scope: &str) -> bool {
    let number = scope.strip_prefix("branch_").and_then(|rest| rest.strip_suffix("_fun"));
    number.is_some_and(|n| !n.is_empty() && n.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A name cut at the `/` that are in no parentheses.
fn parts(name: &str) -> Vec<&str> {
    let mut depth = 0usize;
    name.split(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == '/' && depth == 0
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::layer;

    #[test]
    fn layers_of_names() {
        for (name, expected) in [
            ("jit(f)/Model/layer_3/attn/dot_general", "Model/layer_3/attn"),
            (
                "jit(step)/transpose(jvp(Model))/while/body/layer_3/attn/dot_general",
                "Model/layer_3/attn",
            ),
            (
                "jit(f)/jvp(vmap(Model))/closed_call/checkpoint/remat/rematted_computation/mlp/mul",
                "Model/mlp",
            ),
            ("jit(f)/transpose(jvp(Model/block))/mul", "Model/block"),
            ("jit(loss)/jvp()/while/body/closed_call/jit(silu)/exp", ""),
            ("jit(f)/transpose(jvp(jit(silu)))/mul", ""),
            ("jit(<lambda>)/while/body/closed_call/cond/branch_2_fun/head/dot_general", "head"),
            ("jit(f)/while/cond/lt", ""),
            ("jit(f)/body/cond/add", "body/cond"),
            ("jit(f)/a/mul;jit(f)/b/add", "a"),
            ("jit(f)/Dense(128)/dot_general", "Dense(128)"),
            ("jit(f)/mlp/btd,dhk->bthk/dot_general", "mlp"),
            ("jit(f)/odd(name/mul", ""),
            ("dot_general", ""),
            ("w['blocks']['q']", ""),
            ("", ""),
        ] {
            assert_eq!(layer(name).unwrap_or_default(), expected, "{name}");
        }
    }
}
