//! A page in the browser that asks about layouts, and the host that serves it.
//!
//! [`Host::bind`] takes a port of this machine alone, [`Host::url`] says where the page is, and
//! [`Host::serve`] answers until Ctrl-C. The page asks `POST /ask`, which is
//! [`tilewright_ask::ask`]: a question as JSON comes in, its answer as JSON goes out. Nothing about
//! layouts is decided here or in the page.
//!
//! ```no_run
//! use tilewright_explore::Host;
//! let host = Host::bind(None)?;
//! println!("{}", host.url(Some("bf16[30,300]{1,0:T(8,128)(2,1)}")));
//! host.serve()?;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `host` | the port, and the server on it |
//! | `limits` | how much of the host those who ask can have |
//! | `connections` | how many there are, and for how long |
//! | `guard` | which requests are refused, before anybody looks at them |
//! | `answers` | what each path answers |
//! | `url` | a layout in the fragment of an address |
//!
//! Absent: files, state of any kind, and what goes out to any other machine.

#![forbid(unsafe_code)]

mod answers;
mod connections;
mod guard;
mod host;
mod limits;
mod url;

pub use crate::answers::MAX_BODY;
pub use crate::host::Host;
pub use crate::limits::Limits;
