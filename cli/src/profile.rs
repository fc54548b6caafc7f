//! Draw profiles: those that come with the program, and files of one's own.

use std::borrow::Cow;
use std::fs;
use std::path::Path;

use damabase_rules::VariantId;
use damabase_rules::draws::{self, DrawProfile};

use crate::failure::Failure;

/// The profile with a name; or of a file, which has a name that ends in `.toml`.
///
/// # Errors
/// [`Failure::Input`], [`Failure::Io`].
pub fn load(name: &str) -> Result<Cow<'static, DrawProfile>, Failure> {
    if let Some(profile) = draws::built_in(name) {
        return Ok(Cow::Borrowed(profile));
    }
    if Path::new(name).extension().is_none_or(|end| end != "toml") {
        let names: Vec<&str> = draws::all().iter().map(|p| p.name.as_str()).collect();
        let names = names.join(", ");
        return Err(Failure::Input(format!(
            "unknown draw profile '{name}': expected one of {names}, or a file NAME.toml"
        )));
    }
    let text = fs::read(name).map_err(|error| Failure::Io(format!("{name}: {error}")))?;
    let text = String::from_utf8(text)
        .map_err(|_| Failure::Input(format!("{name}: a profile is a text in UTF-8")))?;
    DrawProfile::from_toml(&text)
        .map(Cow::Owned)
        .map_err(|error| Failure::Input(format!("{name}: {error}")))
}

/// The profile that is asked for, or the default of a game.
///
/// # Errors
/// Those of [`load`]; [`Failure::Input`] where the profile is for other games.
pub fn choose(
    name: Option<&str>,
    variant: VariantId,
) -> Result<Cow<'static, DrawProfile>, Failure> {
    let profile = match name {
        Some(name) => load(name)?,
        None => Cow::Borrowed(draws::default_profile(variant)),
    };
    profile.checked_for(variant).map_err(|error| Failure::Input(error.to_string()))?;
    Ok(profile)
}

/// The games whose default a profile is.
pub fn default_for(profile: &DrawProfile) -> Vec<&'static str> {
    VariantId::ALL
        .iter()
        .filter(|&&variant| draws::default_profile(variant).name == profile.name)
        .map(|variant| variant.variant().name)
        .collect()
}
