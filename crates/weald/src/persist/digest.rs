//! The digest: SHA-256 of the whole file with the digest's own characters blanked.
//!
//! Its place is the same in every file, so that it can be checked before anything is understood.

use sha2::{Digest, Sha256};

use super::damaged;
use crate::error::ModelFileError;

/// What every model file holds between the header's length and the digest.
pub(super) const OPENING: &str = r#"{"__metadata__":{"weald":"{\"sha256\":\""#;

/// What stands in the place of the digest while it is computed.
pub(super) const BLANK: &str = "0000000000000000000000000000000000000000000000000000000000000000";

const START: usize = 8 + OPENING.len();
const END: usize = START + BLANK.len();

/// Writes the digest into its place.
pub(super) fn seal(bytes: &mut [u8]) {
    let digest = digest(&bytes[..START], &bytes[END..]);
    bytes[START..END].copy_from_slice(digest.as_bytes());
}

/// Whether the bytes are those that were sealed.
pub(super) fn verify(bytes: &[u8]) -> Result<(), ModelFileError> {
    let opening = bytes.get(8..START);
    let (Some(before), Some(found), Some(after)) =
        (bytes.get(..START), bytes.get(START..END), bytes.get(END..))
    else {
        return damaged("it is too short to hold a digest");
    };
    if opening != Some(OPENING.as_bytes()) {
        return damaged("the digest is not in its place");
    }
    if digest(before, after).as_bytes() != found {
        return damaged("the SHA-256 digest does not fit; some bytes were changed");
    }
    Ok(())
}

fn digest(before: &[u8], after: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update(before);
    hash.update(BLANK);
    hash.update(after);
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_what_the_format_says() {
        assert_eq!(START, 48);
        assert_eq!(BLANK.len(), 64);
    }

    #[test]
    fn a_sealed_file_verifies_until_any_byte_changes() {
        let mut bytes = format!("01234567{OPENING}{BLANK}the rest").into_bytes();
        assert!(verify(&bytes).is_err());
        seal(&mut bytes);
        assert_eq!(verify(&bytes), Ok(()));
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x20;
            assert!(verify(&changed).is_err(), "byte {at}");
        }
    }
}
