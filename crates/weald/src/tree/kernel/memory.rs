//! Memory for long lists that are read and written out of order.
//!
//! The rows of a node lie scattered over its table. In pages of 4 KB most of them need another
//! page, and to look up where it is takes as long as to read it; in pages of 2 MB the processor
//! remembers them all.

/// A list of `n` times `value`, in large pages where the system has them.
pub fn filled<T: Copy>(value: T, n: usize) -> Vec<T> {
    let mut list = Vec::with_capacity(n);
    prefer_large_pages(&mut list);
    list.resize(n, value);
    list
}

/// Bytes of a large page.
#[cfg(target_os = "linux")]
const LARGE_PAGE: usize = 2 << 20;

/// Asks for large pages for the memory of a list that nobody has touched yet. A system that says no
/// gives small ones, and nothing but time is lost.
#[cfg(target_os = "linux")]
fn prefer_large_pages<T>(list: &mut Vec<T>) {
    let memory = list.spare_capacity_mut();
    let (start, len) = (memory.as_mut_ptr() as usize, size_of_val(memory));
    let first = start.next_multiple_of(LARGE_PAGE);
    let end = (start + len) / LARGE_PAGE * LARGE_PAGE;
    if first < end {
        let place = memory.as_mut_ptr().cast::<u8>().wrapping_add(first - start);
        // SAFETY: the range lies inside the list's own memory, and the advice changes neither its
        // contents nor who may use it.
        unsafe { libc::madvise(place.cast(), end - first, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn prefer_large_pages<T>(_: &mut Vec<T>) {}

#[cfg(test)]
mod tests {
    use super::filled;

    #[test]
    fn a_list_of_any_length_is_filled() {
        for n in [0, 1, 1000, 3 << 20] {
            let list = filled(7u32, n);
            assert!(list.len() == n && list.iter().all(|x| *x == 7));
        }
    }
}
