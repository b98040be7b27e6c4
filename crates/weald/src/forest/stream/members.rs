//! The rows of leaves.
//!
//! The members of a leaf are a ring in the order in which they came: the one that leaves the window
//! first is at hand, however many rows the leaf has.

use super::tree::{NONE, SlidingTree};

/// A row in a leaf. The members of a leaf are a ring in the order in which they came.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    pub row: u64,
    /// The next younger one; after the youngest comes the oldest.
    pub next: u32,
}

impl SlidingTree {
    /// A member of no leaf.
    pub fn member(&mut self, row: u64) -> u32 {
        let new = Member { row, next: NONE };
        match self.free_members.pop() {
            Some(at) => {
                self.members[at as usize] = new;
                at
            }
            None => {
                if self.members.len() == self.members.capacity() {
                    self.make_room();
                }
                self.members.push(new);
                self.members.len() as u32 - 1
            }
        }
    }

    /// Makes a member the youngest of a leaf.
    pub fn join_leaf(&mut self, leaf: u32, member: u32) {
        let node = &mut self.nodes[leaf as usize];
        let youngest = std::mem::replace(&mut node.youngest, member);
        node.rows += 1;
        self.members[member as usize].next = match youngest {
            NONE => member,
            youngest => std::mem::replace(&mut self.members[youngest as usize].next, member),
        };
    }

    /// Takes the oldest member, which is the one that leaves the window, out of a leaf. Rows of the
    /// leaf are not counted here.
    pub fn leave_leaf(&mut self, leaf: u32) {
        let youngest = self.nodes[leaf as usize].youngest;
        let oldest = self.members[youngest as usize].next;
        match oldest == youngest {
            true => self.nodes[leaf as usize].youngest = NONE,
            false => self.members[youngest as usize].next = self.members[oldest as usize].next,
        }
        self.free_members.push(oldest);
    }

    /// The members of a leaf, the oldest first.
    pub fn members_of(&self, leaf: u32) -> impl Iterator<Item = u32> + '_ {
        let youngest = self.nodes[leaf as usize].youngest;
        let mut next = if youngest == NONE { NONE } else { self.members[youngest as usize].next };
        std::iter::from_fn(move || {
            let member = next;
            (member != NONE).then(|| {
                let after = self.members[member as usize].next;
                next = if member == youngest { NONE } else { after };
                member
            })
        })
    }
}
