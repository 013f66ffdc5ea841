//! Handles SIGBUS, so that the program survives if another process shortens a mapped file.
//!
//! The kernel answers a read after the new end with SIGBUS, which ends a program that does not handle it. The handler
//! here puts zeros in the place of the bytes that are gone and remembers which mapping lost them. The read continues
//! over zeros; the reader asks afterwards ([`crate::ByteSource::check`]) and throws away what came of them. systemd
//! reads its journals in the same way (`src/basic/sigbus.c`). An I/O error on the disk under a mapping arrives as
//! SIGBUS, too.
//!
//! A signal handler belongs to the whole process, so only a program, or a host that wants it, installs this one:
//! [`install`].
//!
//! The handler may run in the middle of anything, so it does little. It loads and stores atomics, and it calls `mmap`,
//! `sigaction` and `raise`, which are system calls without locks or memory of their own. It finds mappings in a list of
//! slots that are never freed, only used again, so that the list can be walked at any moment. Faults elsewhere go to
//! the handler that was there before.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr::{null, null_mut};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

use libc::{c_int, c_void, sigaction, siginfo_t};

/// Guards a mapped range until it is dropped, which must happen before the range is unmapped.
#[derive(Debug)]
pub(super) struct Guard(&'static Slot);

/// A place in the list of ranges.
#[derive(Debug)]
struct Slot {
    taken: AtomicBool,
    /// Odd while the range is being changed.
    changes: AtomicUsize,
    start: AtomicUsize,
    end: AtomicUsize,
    lost: AtomicBool,
    next: AtomicPtr<Slot>,
}

/// The newest slot.
static SLOTS: AtomicPtr<Slot> = AtomicPtr::new(null_mut());

/// The handler that was there before.
static mut BEFORE: MaybeUninit<sigaction> = MaybeUninit::uninit();

impl Guard {
    /// Guards a range of mapped memory.
    pub(super) fn new(range: &[u8]) -> Self {
        let slot = slots()
            .find(|slot| {
                slot.taken
                    .compare_exchange(false, true, Ordering::AcqRel, Ordering::Relaxed)
                    .is_ok()
            })
            .unwrap_or_else(add_slot);
        let start = range.as_ptr() as usize;
        // Pages are mapped whole.
        slot.set(start..start + range.len().next_multiple_of(page_size()));
        Self(slot)
    }

    /// Whether zeros were read, or are about to be, in the place of bytes that are gone.
    pub(super) fn has_lost_bytes(&self) -> bool {
        self.0.lost.load(Ordering::SeqCst)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.set(0..0);
        self.0.taken.store(false, Ordering::Release);
    }
}

impl Slot {
    /// Puts a range here, or takes it away.
    fn set(&self, range: Range<usize>) {
        self.changes.fetch_add(1, Ordering::SeqCst);
        self.lost.store(false, Ordering::SeqCst);
        self.start.store(range.start, Ordering::SeqCst);
        self.end.store(range.end, Ordering::SeqCst);
        self.changes.fetch_add(1, Ordering::SeqCst);
    }

    /// The end of the range, if it holds the address. `None` while another thread changes the slot: nobody reads that
    /// range yet, and half of an old range with half of a new one is no range.
    fn end_of(&self, address: usize) -> Option<usize> {
        let changes = self.changes.load(Ordering::SeqCst);
        let (start, end) = (self.start.load(Ordering::SeqCst), self.end.load(Ordering::SeqCst));
        let settled = changes.is_multiple_of(2) && self.changes.load(Ordering::SeqCst) == changes;
        (settled && (start..end).contains(&address)).then_some(end)
    }
}

fn slots() -> impl Iterator<Item = &'static Slot> {
    let at = |slot: *mut Slot| {
        // SAFETY: every slot in the list was leaked, so it lives for ever, and is only reached through shared
        // references.
        unsafe { slot.as_ref() }
    };
    std::iter::successors(at(SLOTS.load(Ordering::Acquire)), move |slot| {
        at(slot.next.load(Ordering::Acquire))
    })
}

/// Puts a taken slot in front of the list. There are at most as many as there were mappings at a time.
fn add_slot() -> &'static Slot {
    let slot: &'static Slot = Box::leak(Box::new(Slot {
        taken: AtomicBool::new(true),
        changes: AtomicUsize::new(0),
        start: AtomicUsize::new(0),
        end: AtomicUsize::new(0),
        lost: AtomicBool::new(false),
        next: AtomicPtr::new(null_mut()),
    }));
    let mut first = SLOTS.load(Ordering::Acquire);
    loop {
        slot.next.store(first, Ordering::Relaxed);
        match SLOTS.compare_exchange(
            first,
            std::ptr::from_ref(slot).cast_mut(),
            Ordering::AcqRel,
            Ordering::Acquire,
        ) {
            Ok(_) => return slot,
            Err(now) => first = now,
        }
    }
}

fn page_size() -> usize {
    // SAFETY: the call takes a number and returns one.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).unwrap_or(4096)
}

/// Installs the handler for the whole process, once. Further calls do nothing.
///
/// Without it, a mapped archive that another process shortens ends the program. Call it at the start of a program that
/// reads [`crate::MappedFile`]s, before other threads install handlers for SIGBUS.
pub fn install() {
    static ONCE: Once = Once::new();
    // SAFETY: `action` is a whole `sigaction`, zeroed where it is not set, with a handler of the signature that
    // SA_SIGINFO asks for. `BEFORE` is written here only, before the handler can run, since nothing else calls
    // `sigaction` with it. SA_ONSTACK lets an overflowed stack reach the handler before, which reports it.
    ONCE.call_once(|| unsafe {
        PAGE.store(page_size(), Ordering::Relaxed);
        let mut action: sigaction = std::mem::zeroed();
        action.sa_sigaction = on_bus_error as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigemptyset(&mut action.sa_mask);
        // The handler before is read first, so that it is known when the first signal comes.
        let before = &raw mut BEFORE;
        if libc::sigaction(libc::SIGBUS, null(), before.cast()) == 0 {
            // Should that fail, a file that is shortened ends the program.
            libc::sigaction(libc::SIGBUS, &action, null_mut());
        }
    });
}

/// Whether the process ignores a signal.
#[doc(hidden)]
pub fn is_ignored(signal: c_int) -> bool {
    // SAFETY: the call only writes the action that is set, into zeroed memory of its type. It fails for numbers that
    // are no signals, and leaves the zeros then, which mean the default.
    unsafe {
        let mut action: sigaction = std::mem::zeroed();
        libc::sigaction(signal, null(), &mut action);
        action.sa_sigaction == libc::SIG_IGN
    }
}

/// Ignores a signal. The process that it would have ended continues, and the call that raised it fails.
#[doc(hidden)]
pub fn ignore(signal: c_int) {
    // SAFETY: no handler is installed, so none can run. The call fails for numbers that are no signals.
    unsafe {
        libc::signal(signal, libc::SIG_IGN);
    }
}

/// The size of a page, for the handler.
static PAGE: AtomicUsize = AtomicUsize::new(4096);

extern "C" fn on_bus_error(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes a valid `info` to a handler with SA_SIGINFO, and a SIGBUS of its own has an address.
    let (address, from_kernel) = unsafe { ((*info).si_addr() as usize, (*info).si_code > 0) };
    let holding = |slot: &'static Slot| Some((slot, slot.end_of(address)?));
    if from_kernel && let Some((slot, end)) = slots().find_map(holding) {
        let from = address - address % PAGE.load(Ordering::Relaxed);
        let length = end - from;
        // Set first: a thread that reads the zeros must find it set.
        slot.lost.store(true, Ordering::SeqCst);
        // All that follows is given up with it: the archive is not trusted any more.
        // SAFETY: the pages from `from` to the range's end are a read-only file mapping of ours, since the range is in
        // the list; private anonymous memory of the same length takes their place in one step.
        let zeros = unsafe {
            libc::mmap(
                from as *mut c_void,
                length,
                libc::PROT_READ,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
                -1,
                0,
            )
        };
        if zeros != libc::MAP_FAILED {
            // A call that succeeds leaves `errno` alone.
            return;
        }
    }
    pass_on(signal, info, context);
}

/// Does what would have happened without this module.
fn pass_on(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: `BEFORE` was filled before the handler was installed and is not written again. A handler in it has the
    // signature that its flags state. The default is put back for the fault to happen again, or, where there was none
    // but another process sent the signal, for the signal that `raise` leaves pending until this handler returns.
    unsafe {
        let before = &*(&raw const BEFORE).cast::<sigaction>();
        match before.sa_sigaction {
            libc::SIG_DFL => {
                libc::sigaction(signal, before, null_mut());
                libc::raise(signal);
            }
            // A fault cannot be passed over: the instruction would only fault again.
            libc::SIG_IGN if (*info).si_code <= 0 => {}
            libc::SIG_IGN => {
                let mut action: sigaction = std::mem::zeroed();
                action.sa_sigaction = libc::SIG_DFL;
                libc::sigaction(signal, &action, null_mut());
            }
            handler if before.sa_flags & libc::SA_SIGINFO != 0 => {
                let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = std::mem::transmute(handler);
                handler(signal, info, context);
            }
            handler => {
                let handler: extern "C" fn(c_int) = std::mem::transmute(handler);
                handler(signal);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// While one thread puts zeros in the place of a lost part, another may read them already.
    #[test]
    fn no_zero_is_read_before_the_loss_is_noted() {
        const PAGES: usize = 64;
        install();
        for _ in 0..300 {
            let mut file = tempfile::tempfile().expect("a file");
            std::io::Write::write_all(&mut file, &vec![1; PAGES * page_size()]).expect("bytes");
            // SAFETY: the handler is installed, and the bytes are read as plain bytes only.
            let map = unsafe { memmap2::Mmap::map(&file) }.expect("a map");
            let guard = Guard::new(&map);
            let begin = std::sync::Barrier::new(3);
            let read = |pages: &mut dyn Iterator<Item = usize>| {
                begin.wait();
                for page in pages {
                    // SAFETY: the byte lies within the map.
                    let byte = unsafe { std::ptr::read_volatile(map.as_ptr().add(page * page_size())) };
                    if byte == 0 {
                        assert!(guard.has_lost_bytes());
                        return;
                    }
                }
            };
            std::thread::scope(|scope| {
                scope.spawn(|| read(&mut std::iter::repeat(PAGES - 1)));
                scope.spawn(|| read(&mut (0..PAGES).cycle()));
                begin.wait();
                file.set_len(0).expect("a length");
            });
        }
    }

    /// Faults elsewhere still end the program: a test of this file runs itself again as the one that dies.
    #[test]
    fn a_fault_elsewhere_is_not_ours() {
        use std::os::unix::process::ExitStatusExt;
        const DIES: &str = "DEHUSK_TEST_DIES";
        if std::env::var_os(DIES).is_some() {
            let ours = [0; 1];
            install();
            let _guard = Guard::new(&ours);
            // SAFETY: a file of one page is mapped and shortened; what is read of it then is not there.
            unsafe {
                let file = tempfile::tempfile().expect("a file");
                file.set_len(10).expect("a length");
                let map = memmap2::Mmap::map(&file).expect("a map");
                file.set_len(0).expect("a length");
                std::ptr::read_volatile(map.as_ptr());
            }
            return;
        }
        let name = "bytes::sigbus::tests::a_fault_elsewhere_is_not_ours";
        let status = std::process::Command::new(std::env::current_exe().expect("this program"))
            .args([name, "--exact"])
            .env(DIES, "1")
            .stdout(std::process::Stdio::null())
            .status()
            .expect("it runs");
        assert_eq!(status.signal(), Some(libc::SIGBUS));
    }
}
