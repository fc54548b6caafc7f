//! The profiles that come with the program, one file each.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::profile::{DrawProfile, ProfileError};
use crate::VariantId;

macro_rules! files {
    ($($name:literal,)*) => {
        &[$(($name, include_str!(concat!("../../profiles/", $name, ".toml")))),*]
    };
}

/// Names and files, in the order in which they are listed.
const FILES: &[(&str, &str)] = files![
    "fmjd100-2015",
    "fmjd100-2015-fresh",
    "fmjd100-2018",
    "fmjd100-2024",
    "cn100",
    "ru100",
    "li-standard",
    "fmjd64",
    "fsr64",
    "cn64-russian",
    "li-russian",
    "cn64-brazilian",
    "cbd64",
    "li-brazilian",
    "wcdf",
    "apca",
    "fid",
    "fpd",
    "czech",
    "frisian-2011",
    "turkish",
];

static PROFILES: LazyLock<Vec<DrawProfile>> = LazyLock::new(|| {
    let read = |(name, text): &(&str, &str)| match DrawProfile::from_toml(text) {
        Ok(profile) => profile,
        Err(error) => unreachable!("built-in profile {name}: {error}"), // a test reads them all
    };
    FILES.iter().map(read).chain([DrawProfile::none()]).collect()
});

/// All profiles that come with the program; the last is `none`.
pub fn all() -> &'static [DrawProfile] {
    &PROFILES
}

/// The profile with a name.
pub fn built_in(name: &str) -> Option<&'static DrawProfile> {
    PROFILES.iter().find(|profile| profile.name == name)
}

/// The file of a built-in profile: an example to start from. `none` has no file.
pub fn toml_text(name: &str) -> Option<&'static str> {
    FILES.iter().find(|file| file.0 == name).map(|file| file.1)
}

/// The profile that is taken for a game where none is named.
pub fn default_profile(variant: VariantId) -> &'static DrawProfile {
    let name = match variant {
        VariantId::International => "fmjd100-2018",
        VariantId::Russian => "fmjd64",
        VariantId::Brazilian => "cbd64",
        VariantId::English => "wcdf",
    };
    built_in(name).unwrap_or_else(|| unreachable!("no profile {name}"))
}

/// There is no profile as it was asked for.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// No built-in profile has this name.
    #[error("unknown draw profile '{0}'")]
    Unknown(String),
    /// It is for another game, or its text is none of a profile.
    #[error(transparent)]
    Profile(#[from] ProfileError),
}

/// The profile that is asked for in one word, for a game: a built-in one by its name, one of the
/// user's own by the text of its file (which has line breaks, and a name has none), or the default of
/// the game.
///
/// # Errors
/// Any [`ChoiceError`].
pub fn chosen(
    variant: VariantId,
    asked: Option<&str>,
) -> Result<Cow<'static, DrawProfile>, ChoiceError> {
    let profile = match asked {
        None => Cow::Borrowed(default_profile(variant)),
        Some(text) if text.contains('\n') => Cow::Owned(DrawProfile::from_toml(text)?),
        Some(name) => match built_in(name) {
            Some(profile) => Cow::Borrowed(profile),
            None => return Err(ChoiceError::Unknown(name.to_string())),
        },
    };
    profile.checked_for(variant)?;
    Ok(profile)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_read_and_bears_its_name() {
        for (name, text) in FILES {
            let profile = DrawProfile::from_toml(text).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(profile.name, *name);
            assert_eq!(built_in(name), Some(&profile));
            let written = toml::to_string(&profile).unwrap();
            assert_eq!(DrawProfile::from_toml(&written).as_ref(), Ok(&profile), "{written}");
        }
        assert_eq!(built_in("none"), Some(&DrawProfile::none()));
        assert_eq!(built_in("fmjd"), None);
    }

    #[test]
    fn a_profile_is_chosen_by_name_or_text() {
        let russian = VariantId::Russian;
        let name = |asked| chosen(russian, asked).map(|profile| profile.name.clone());
        assert_eq!(name(None).unwrap(), "fmjd64");
        assert_eq!(name(Some("cn64-russian")).unwrap(), "cn64-russian");
        let text = toml_text("fsr64").unwrap().replace("fsr64", "mine");
        assert_eq!(name(Some(&text)).unwrap(), "mine");
        assert_eq!(name(Some("mine")), Err(ChoiceError::Unknown("mine".to_string())));
        assert!(matches!(name(Some("wcdf")), Err(ChoiceError::Profile(_))));
        assert!(matches!(name(toml_text("wcdf")), Err(ChoiceError::Profile(_))));
        assert!(matches!(name(Some("name = 3\n")), Err(ChoiceError::Profile(_))));
    }

    #[test]
    fn every_game_has_a_default_of_its_own_and_none() {
        for &variant in VariantId::ALL {
            assert!(default_profile(variant).is_for(variant));
            assert!(DrawProfile::none().is_for(variant));
        }
    }
}
