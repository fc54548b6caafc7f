//! Which game a text is of, and by which rules it is judged.

use damabase_formats::Fen;
use damabase_formats::pdn::RawGame;
use damabase_rules::draws::{self, DrawProfile};
use damabase_rules::{International, Rules, Russian, VariantId, with_rules};

use crate::{AdjudicateError, Judged, Library, judge};

/// What games are judged by.
#[derive(Clone, Copy, Debug, Default)]
pub struct Court<'a> {
    /// The draw rules; none for the default of each game.
    pub profile: Option<&'a DrawProfile>,
    /// The game that is played; none to find it out from the text.
    pub variant: Option<VariantId>,
    /// Judge a claim made after this number of plies.
    pub at: Option<u32>,
}

impl Court<'_> {
    /// Judges a game; also gives it as a PDN text with what was found as comments.
    ///
    /// # Errors
    /// Any [`AdjudicateError`]; never panics.
    pub fn judge(
        &self,
        raw: &RawGame,
        library: &Library,
    ) -> Result<(Judged, String), AdjudicateError> {
        with_rules!(self.variant_of(raw)?, G => self.judge_as::<G>(raw, library))
    }

    /// The game that is played: given, or by its GameType, or the only one of the profile, or, if
    /// a square is named that no smaller board has, the international one, or the only one in which
    /// all moves are legal.
    ///
    /// # Errors
    /// [`AdjudicateError::GameType`], [`AdjudicateError::Variant`].
    pub fn variant_of(&self, raw: &RawGame) -> Result<VariantId, AdjudicateError> {
        if let Some(variant) = self.variant {
            return Ok(variant);
        }
        let game = raw.number;
        if let Some(text) = raw.tag("GameType") {
            let number = raw.game_type().map(|number| number.to_string()).unwrap_or_default();
            return number.parse().map_err(|_| AdjudicateError::GameType {
                game,
                text: text.chars().take(40).collect(),
            });
        }
        if let Some(profile) = &self.profile {
            let mut of_profile = VariantId::ALL.iter().filter(|&&variant| profile.is_for(variant));
            if let (Some(&only), None) = (of_profile.next(), of_profile.next()) {
                return Ok(only);
            }
        }
        let large = raw.greatest_square().is_some_and(|n| n > Russian::board().squares())
            || raw.tag("FEN").is_some_and(|fen| {
                Fen::<Russian>::parse(fen).is_err() && Fen::<International>::parse(fen).is_ok()
            });
        if large {
            return Ok(VariantId::International);
        }
        // Who begins, and where men may go, often leaves one game only.
        let fits = |&&variant: &&VariantId| with_rules!(variant, G => raw.resolve::<G>().is_ok());
        let mut fitting = VariantId::ALL.iter().filter(fits);
        if let (Some(&only), None) = (fitting.next(), fitting.next()) {
            return Ok(only);
        }
        Err(AdjudicateError::Variant { game })
    }

    fn judge_as<G: Rules>(
        &self,
        raw: &RawGame,
        library: &Library,
    ) -> Result<(Judged, String), AdjudicateError> {
        let profile = self.profile.unwrap_or_else(|| draws::default_profile(G::ID));
        profile.checked_for(G::ID)?;
        let shelf = library.shelf::<G>()?;
        judge::judge(profile, raw.resolve::<G>()?, &shelf.under(profile), self.at)
    }
}
