//! What gitvow wrote, one record a file. Records are data; loading is strict: a record that can't be
//! read or comes from a newer schema is an error that names the file, never "empty".

mod home;
pub mod record;
pub mod store;

pub use home::StateHome;
pub use record::*;
