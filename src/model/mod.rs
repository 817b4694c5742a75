//! Row kinds: the columns of the tables.
