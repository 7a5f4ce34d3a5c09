//! Which thread runs where: each thread of a contest on a processor of its own.
//!
//! A system may leave two threads on one processor for many milliseconds although another one is
//! idle. That would say nothing about who is measured.

use std::sync::OnceLock;

/// The processors that this process was started with.
static ALLOWED: OnceLock<Vec<usize>> = OnceLock::new();

/// The numbers of the processors that this process may use; to be asked for before the first
/// thread is [bound](bind).
pub(crate) fn allowed() -> &'static [usize] {
    ALLOWED.get_or_init(|| {
        // SAFETY: a set of processors is plain bits, for which zeros are the empty set.
        let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
        // SAFETY: the set is as large as is said and may be written.
        unsafe { libc::sched_getaffinity(0, size_of_val(&set), &raw mut set) };
        let limit = usize::try_from(libc::CPU_SETSIZE).unwrap_or(0);
        // SAFETY: the number is below the size of the set.
        (0..limit).filter(|&cpu| unsafe { libc::CPU_ISSET(cpu, &set) }).collect()
    })
}

/// Binds the calling thread to the processor of this number among those that there are. Threads
/// that it starts inherit that.
pub(crate) fn bind(place: usize) {
    let allowed = allowed();
    if let Some(cpu) = allowed.get(place % allowed.len().max(1)) {
        restrict(std::slice::from_ref(cpu));
    }
}

/// Lets the calling thread run anywhere again.
pub(crate) fn release() {
    restrict(allowed());
}

/// The calling thread is bound to the first processor for as long as this lives.
#[derive(Debug)]
pub(crate) struct Bound(());

impl Bound {
    pub(crate) fn to_first() -> Self {
        bind(0);
        Bound(())
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        release();
    }
}

/// Lets the calling thread run on these processors only. Where the system refuses, it goes on as
/// before.
fn restrict(cpus: &[usize]) {
    // SAFETY: as in `allowed`.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    for &cpu in cpus {
        // SAFETY: the numbers came out of such a set.
        unsafe { libc::CPU_SET(cpu, &mut set) };
    }
    // SAFETY: the set is as large as is said.
    unsafe { libc::sched_setaffinity(0, size_of_val(&set), &raw const set) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_released_thread_may_run_anywhere() {
        let thread = std::thread::spawn(|| {
            drop(Bound::to_first());
            std::thread::available_parallelism().unwrap().get()
        });
        assert_eq!(thread.join().unwrap(), allowed().len());
    }

    #[test]
    fn a_bound_thread_stays_where_it_is_bound() {
        let allowed = allowed();
        assert!(!allowed.is_empty());
        for (place, &processor) in allowed.iter().enumerate() {
            let thread = std::thread::spawn(move || {
                bind(place);
                // SAFETY: the function asks for nothing.
                unsafe { libc::sched_getcpu() }
            });
            assert_eq!(thread.join().unwrap(), i32::try_from(processor).unwrap());
        }
    }
}
