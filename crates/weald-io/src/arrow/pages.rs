//! Which page of a Parquet file cannot be read: pages may carry checksums, and a decoder that finds
//! another one does not say of which column.

use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use weald::error::quoted;

use crate::quiet;

/// The first page among the columns `is_wanted` that cannot be read, in words.
pub(super) fn damaged_page<R: ChunkReader + 'static>(
    reader: R,
    is_wanted: impl Fn(&str) -> bool,
) -> Option<String> {
    quiet::guarded(move || {
        let file = SerializedFileReader::new(reader).ok()?;
        let columns = file.metadata().file_metadata().schema_descr_ptr();
        for group in 0..file.num_row_groups() {
            let rows = file.get_row_group(group).ok()?;
            for (at, column) in columns.columns().iter().enumerate() {
                let name = column.path().parts().first().map_or("", String::as_str);
                if !is_wanted(name) {
                    continue;
                }
                let place = |page: usize| {
                    let (group, page) = (group + 1, page + 1);
                    format!("column {}, row group {group}, page {page}", quoted(name))
                };
                let Ok(mut pages) = rows.get_column_page_reader(at) else { return Some(place(0)) };
                let mut page = 0;
                loop {
                    match quiet::guarded(|| pages.get_next_page()) {
                        Some(Ok(Some(_))) => page += 1,
                        Some(Ok(None)) => break,
                        Some(Err(_)) | None => return Some(place(page)),
                    }
                }
            }
        }
        None
    })
    .flatten()
}
