//! Row kinds: the columns of the tables. A kind belongs to what it is (a message, a permission), not to an agent,
//! so that the `agent_*` tables are the agents' scans chained.

mod edit;
mod message;
mod permission;
mod session;
mod store;
mod timeline;
mod token_usage;
mod tool_call;

pub use edit::{Edit, EditStatus, Operation};
pub use message::{Message, MessageKind, TurnType};
pub use permission::{Permission, PermissionKind};
pub use session::{ModelEvent, ModelUse, Session};
pub use store::{Store, StoreStatus};
pub use timeline::TimelineEntry;
pub use token_usage::{TokenUsage, UsageBasis};
pub use tool_call::{CallStatus, ToolCall};
