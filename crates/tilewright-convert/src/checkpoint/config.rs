//! What a model's configuration says of its quantisation, read and written.
//!
//! `config.json` has it under `quantization_config`; older checkpoints of GPTQ have it in `quantize_config.json`, of AWQ in
//! `quant_config.json`.

use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::method::Method;
use crate::error::Error;

/// The files that say it, the first that is there.
pub(crate) const CONFIG: &str = "config.json";
const KEY: &str = "quantization_config";
pub(crate) const OLD: [&str; 2] = ["quantize_config.json", "quant_config.json"];

/// A configuration is text, and not that long.
const MOST_BYTES: u64 = 16 << 20;

/// How the layers of a model are quantised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheme {
    /// How they are stored.
    pub method: Method,
    /// The bits of a code.
    pub bits: u32,
    /// How many rows share a scale; all of them, where nothing is said.
    pub group_size: Option<i64>,
    /// Whether rows are grouped in another order than they lie in.
    pub is_reordered: bool,
}

/// What is to be said of a checkpoint beside its scheme.
pub(crate) struct Said<'a> {
    pub(crate) scheme: &'a Scheme,
    /// Whether every zero point is the middle.
    pub(crate) is_symmetric: bool,
    /// The modules with matrices that are not quantised.
    pub(crate) unquantised: &'a [String],
}

impl Scheme {
    /// What the folder of a model says; nothing, if it says of no quantisation.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or says what is not known here.
    pub fn of_folder(folder: &Path) -> Result<Option<Self>, Error> {
        Self::read(folder).map_err(Error::new)
    }

    fn read(folder: &Path) -> anyhow::Result<Option<Self>> {
        let config = read_json(&folder.join(CONFIG))?;
        if let Some(said) = config.as_ref().and_then(|config| config.get(KEY)) {
            let path = folder.join(CONFIG);
            return Self::of_json(said).map(Some).with_context(|| path.display().to_string());
        }
        for (name, method) in OLD.into_iter().zip(["gptq", "awq"]) {
            let path = folder.join(name);
            if let Some(mut said) = read_json(&path)? {
                if let Some(said) =
                    said.as_object_mut().filter(|said| !said.contains_key("quant_method"))
                {
                    said.insert("quant_method".to_owned(), method.into());
                }
                return Self::of_json(&said).map(Some).with_context(|| path.display().to_string());
            }
        }
        Ok(None)
    }

    fn of_json(said: &Value) -> anyhow::Result<Self> {
        let text = |key: &str| said.get(key).and_then(Value::as_str);
        let is = |key: &str| said.get(key).and_then(Value::as_bool).unwrap_or(false);
        let number = |keys: [&str; 2]| keys.iter().find_map(|key| said.get(key)?.as_i64());
        let scheme = |method: Method| -> anyhow::Result<Scheme> {
            let bits = number(["bits", "w_bit"]).context("`bits` is not said")?;
            Ok(Scheme {
                method,
                bits: bits_of(bits)?,
                group_size: group_of(number(["group_size", "q_group_size"]).unwrap_or(-1))?,
                is_reordered: is("desc_act"),
            })
        };
        match text("quant_method") {
            Some("gptq") => {
                if said
                    .get("dynamic")
                    .and_then(Value::as_object)
                    .is_some_and(|said| !said.is_empty())
                {
                    bail!(
                        "`dynamic`: layers of one model that are quantised differently are not known here"
                    );
                }
                let format = text("checkpoint_format").unwrap_or("gptq");
                match (format, is("is_marlin_format")) {
                    ("marlin", _) | (_, true) => scheme(Method::Marlin),
                    ("gptq", _) => scheme(Method::Gptq),
                    ("gptq_v2", _) => scheme(Method::GptqV2),
                    (other, _) => bail!("the checkpoint_format `{other}` is not known here"),
                }
            }
            Some("marlin") => {
                let bits = number(["bits", "w_bit"]).unwrap_or(4);
                let group_size = group_of(number(["group_size", "q_group_size"]).unwrap_or(-1))?;
                let bits = bits_of(bits)?;
                Ok(Scheme { method: Method::Marlin, bits, group_size, is_reordered: false })
            }
            Some("awq") => match text("version").map(str::to_ascii_lowercase).as_deref() {
                None | Some("gemm") => scheme(Method::Awq),
                Some(other) => bail!("AWQ's version `{other}` is not known here, only gemm"),
            },
            Some("compressed-tensors") => compressed_tensors(said),
            Some(other) => bail!("the quant_method `{other}` is not known here"),
            None => bail!("`quant_method` is not said"),
        }
    }

    /// What a configuration says of it.
    fn to_json(&self, said: &Said<'_>) -> Value {
        let group_size = self.group_size.unwrap_or(-1);
        let only: Vec<&String> =
            said.unquantised.iter().filter(|name| !is_of_words(name)).collect();
        match self.method {
            Method::Gptq | Method::GptqV2 => json!({
                "quant_method": "gptq",
                "checkpoint_format": if self.method == Method::Gptq { "gptq" } else { "gptq_v2" },
                "bits": self.bits,
                "group_size": group_size,
                "desc_act": self.is_reordered,
                "sym": said.is_symmetric,
            }),
            Method::Marlin => json!({
                "quant_method": "gptq",
                "checkpoint_format": "marlin",
                "is_marlin_format": true,
                "bits": self.bits,
                "group_size": group_size,
                "desc_act": false,
                "sym": true,
            }),
            Method::Awq => json!({
                "quant_method": "awq",
                "version": "gemm",
                "bits": self.bits,
                "group_size": group_size,
                "zero_point": true,
                "modules_to_not_convert": if only.is_empty() { Value::Null } else { json!(only) },
            }),
            Method::CompressedTensors => json!({
                "quant_method": "compressed-tensors",
                "format": "pack-quantized",
                "quantization_status": "compressed",
                "config_groups": {"group_0": {
                    "targets": ["Linear"],
                    "weights": {
                        "num_bits": self.bits,
                        "type": "int",
                        "symmetric": said.is_symmetric,
                        "strategy": if self.group_size.is_some() { "group" } else { "channel" },
                        "group_size": self.group_size,
                        "actorder": if self.is_reordered { json!("group") } else { Value::Null },
                        "dynamic": false,
                    },
                    "input_activations": null,
                    "output_activations": null,
                }},
                "ignore": said.unquantised,
            }),
        }
    }
}

/// Embeddings and the head are of words; what converts the layers of a model between them is told of the others only.
fn is_of_words(module: &str) -> bool {
    module.ends_with("lm_head") || module.contains("embed") || module.ends_with("wte")
}

fn bits_of(bits: i64) -> anyhow::Result<u32> {
    match bits {
        2 | 4 | 8 => Ok(bits as u32),
        3 => bail!("codes of 3 bits go over the ends of words, which only GPTQ's own do"),
        _ => bail!("there are no codes of {bits} bits"),
    }
}

fn group_of(size: i64) -> anyhow::Result<Option<i64>> {
    match size {
        -1 => Ok(None),
        1.. => Ok(Some(size)),
        _ => bail!("the group_size {size} is none"),
    }
}

fn compressed_tensors(said: &Value) -> anyhow::Result<Scheme> {
    match said.get("format").and_then(Value::as_str) {
        Some("pack-quantized") => {}
        other => {
            bail!("the format `{}` is not known here, only pack-quantized", other.unwrap_or(""))
        }
    }
    let groups = said.get("config_groups").and_then(Value::as_object);
    let groups = groups.context("`config_groups` is not said")?;
    let mut schemes = Vec::new();
    for (name, group) in groups {
        schemes.push(group_scheme(group).with_context(|| format!("`{name}`"))?);
    }
    schemes.dedup();
    match schemes.as_slice() {
        [one] => Ok(one.clone()),
        [] => bail!("`config_groups` is empty"),
        _ => bail!("groups of layers that are quantised differently are not known here"),
    }
}

fn group_scheme(group: &Value) -> anyhow::Result<Scheme> {
    let weights = group.get("weights").context("`weights` is not said")?;
    for other in ["input_activations", "output_activations"] {
        if group.get(other).is_some_and(|said| !said.is_null()) {
            bail!("quantised activations are not known here");
        }
    }
    let text = |key: &str| weights.get(key).and_then(Value::as_str);
    if text("type").is_some_and(|said| said != "int") {
        bail!("only whole numbers are known here, and this is `{}`", text("type").unwrap_or(""));
    }
    let size = weights.get("group_size").and_then(Value::as_i64).unwrap_or(-1);
    let group_size = match text("strategy") {
        Some("channel") => None,
        Some("group") | None => group_of(size)?,
        Some(other) => bail!("the strategy `{other}` is not known here"),
    };
    let bits = weights.get("num_bits").and_then(Value::as_i64).context("`num_bits` is not said")?;
    let actorder = weights.get("actorder");
    let is_reordered = actorder.is_some_and(|said| said == "group" || said == true);
    Ok(Scheme { method: Method::CompressedTensors, bits: bits_of(bits)?, group_size, is_reordered })
}

/// What configuration files of a folder become: a text, or nothing where one goes.
pub(crate) fn rewritten(
    folder: &Path,
    said: &Said<'_>,
) -> anyhow::Result<Vec<(&'static str, Option<String>)>> {
    let quantisation = said.scheme.to_json(said);
    let mut files = Vec::new();
    let path = folder.join(CONFIG);
    let has_config = path.try_exists().with_context(|| path.display().to_string())?;
    if has_config {
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        files.push((CONFIG, Some(with_member(&text, KEY, &quantisation)?)));
    }
    let own = match said.scheme.method {
        Method::Gptq | Method::GptqV2 | Method::Marlin => Some(OLD[0]),
        Method::Awq if !has_config => Some(OLD[1]),
        Method::CompressedTensors if !has_config => {
            files.push((CONFIG, Some(with_member("{}", KEY, &quantisation)?)));
            None
        }
        _ => None,
    };
    for name in OLD {
        let text = (own == Some(name)).then(|| pretty(&quantisation)).transpose()?;
        files.push((name, text));
    }
    Ok(files)
}

/// The members of an object in their order, each as it is written.
struct Members(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Listed;
        impl<'de> Visitor<'de> for Listed {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Listed)
    }
}

/// The text of an object with a member in the place of the one of that name, or at the end. All else stays as it is
/// written.
fn with_member(text: &str, key: &str, value: &Value) -> anyhow::Result<String> {
    let Members(members) = serde_json::from_str(text).context(CONFIG)?;
    let member = |key: &str, text: &str| -> anyhow::Result<String> {
        Ok(format!("  {}: {text}", serde_json::to_string(key)?))
    };
    let made = pretty(value)?.trim_end().replace('\n', "\n  ");
    let mut lines: Vec<String> = Vec::new();
    let mut is_there = false;
    for (name, raw) in &members {
        let is_it = name == key;
        is_there |= is_it;
        lines.push(member(name, if is_it { &made } else { raw.get() })?);
    }
    if !is_there {
        lines.push(member(key, &made)?);
    }
    Ok(format!("{{\n{}\n}}\n", lines.join(",\n")))
}

fn pretty(value: &Value) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}

/// A file of JSON, if it is there.
fn read_json(path: &Path) -> anyhow::Result<Option<Value>> {
    let about = || path.display().to_string();
    match fs::metadata(path) {
        Err(_) => return Ok(None),
        Ok(found) if found.len() > MOST_BYTES => bail!("{}: too long for a configuration", about()),
        Ok(_) => {}
    }
    let text = fs::read(path).with_context(about)?;
    Ok(Some(serde_json::from_slice(&text).with_context(about)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scheme_is_read_again() {
        for method in Method::ALL {
            for (bits, group_size, is_reordered) in
                [(4, Some(128), false), (4, None, false), (8, Some(32), method != Method::Awq)]
            {
                let is_reordered = is_reordered && method != Method::Marlin;
                let scheme = Scheme { method, bits, group_size, is_reordered };
                let said = Said { scheme: &scheme, is_symmetric: true, unquantised: &[] };
                assert_eq!(Scheme::of_json(&scheme.to_json(&said)).unwrap(), scheme);
            }
        }
    }

    #[test]
    fn what_is_not_known_is_refused() {
        let refused = |said: Value, fragment: &str| {
            let error = format!("{:#}", Scheme::of_json(&said).unwrap_err());
            assert!(error.contains(fragment), "{error}");
        };
        refused(json!({"bits": 4}), "`quant_method` is not said");
        refused(json!({"quant_method": "fp8"}), "the quant_method `fp8` is not known");
        refused(json!({"quant_method": "gptq"}), "`bits` is not said");
        refused(json!({"quant_method": "gptq", "bits": 3}), "3 bits");
        refused(json!({"quant_method": "gptq", "bits": 4, "group_size": 0}), "group_size 0");
        refused(json!({"quant_method": "gptq", "bits": 4, "checkpoint_format": "qqq"}), "`qqq`");
        refused(json!({"quant_method": "gptq", "bits": 4, "dynamic": {"a": {}}}), "differently");
        refused(json!({"quant_method": "awq", "bits": 4, "version": "gemv"}), "`gemv`");
        refused(json!({"quant_method": "compressed-tensors", "format": "dense"}), "`dense`");
        let group = |weights: Value| json!({"quant_method": "compressed-tensors", "format": "pack-quantized", "config_groups": {"g": {"weights": weights}}});
        refused(group(json!({"num_bits": 4, "type": "float"})), "`float`");
        refused(group(json!({"num_bits": 4, "strategy": "tensor"})), "`tensor`");
    }

    #[test]
    fn the_rest_of_a_configuration_stays_as_it_is_written() {
        let text = "{\"a\": 1.0e-05, \"quantization_config\": {\"x\": 1},\n\"b\": [1,  2], \"c\": 12345678901234567890123}";
        let found = with_member(text, KEY, &json!({"bits": 4})).unwrap();
        let expected = "{\n  \"a\": 1.0e-05,\n  \"quantization_config\": {\n    \"bits\": 4\n  },\n  \"b\": [1,  2],\n  \"c\": 12345678901234567890123\n}\n";
        assert_eq!(found, expected);
        assert!(with_member("[]", KEY, &json!(1)).is_err());
    }
}
