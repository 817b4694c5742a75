//! Points in time: milliseconds in UTC, spelled in one fixed width.
//!
//! Stores spell times in many ways; SQL sees one, `2026-03-01T09:01:05.123Z`, which sorts as text and which SQLite's
//! date functions take. The parsers here accept exactly the spellings that the stores' writers produce: what is no
//! time is `None`, never a guess. Fractions are cut to milliseconds, not rounded, so a time never moves into the next
//! second.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, Datelike, NaiveDate, Timelike};

/// 0000-01-01T00:00:00.000Z
const FIRST: i64 = -62_167_219_200_000;
/// 9999-12-31T23:59:59.999Z
const LAST: i64 = 253_402_300_799_999;
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// Milliseconds since 1970-01-01 in UTC, in the years 0000 to 9999.
///
/// Times compare as their texts do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

impl Time {
    /// The time `millis` milliseconds after 1970-01-01T00:00Z. `None` outside the years 0000 to 9999.
    pub const fn from_millis(millis: i64) -> Option<Self> {
        if millis < FIRST || millis > LAST { None } else { Some(Self(millis)) }
    }

    /// The time `seconds` seconds after 1970-01-01T00:00Z. `None` outside the years 0000 to 9999.
    pub const fn from_seconds(seconds: i64) -> Option<Self> {
        match seconds.checked_mul(1000) {
            Some(millis) => Self::from_millis(millis),
            None => None,
        }
    }

    /// A file's time, cut (towards the past) to milliseconds.
    pub fn from_system_time(time: SystemTime) -> Option<Self> {
        let millis = match time.duration_since(UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_millis()).ok()?,
            Err(before) => -i64::try_from(before.duration().as_nanos().div_ceil(1_000_000)).ok()?,
        };
        Self::from_millis(millis)
    }

    /// Milliseconds since 1970-01-01T00:00Z.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// An RFC 3339 time, of any fraction and offset: `2026-03-01T10:01:05.5+01:00`. Also reads what [`Display`]
    /// writes.
    ///
    /// [`Display`]: fmt::Display
    pub fn parse_rfc3339(text: &str) -> Option<Self> {
        let mut rest = Cursor(text.as_bytes());
        let local = rest.iso_date_time()?;
        let offset = rest.offset()?;
        rest.end()?;
        Self::from_millis(local - offset)
    }

    /// An RFC 1123 date in GMT, as JavaScript's `toUTCString` writes it: `Fri, 03 Oct 2025 10:00:00 GMT`.
    ///
    /// The weekday must be one, but is not held against the date: importers write wrong ones.
    pub fn parse_rfc1123(text: &str) -> Option<Self> {
        let mut rest = Cursor(text.as_bytes());
        rest.name(&WEEKDAYS)?;
        rest.literal(", ")?;
        let day = rest.digits(2)?;
        rest.literal(" ")?;
        let month = rest.name(&MONTHS)? + 1;
        rest.literal(" ")?;
        let year = rest.digits(4)?;
        rest.literal(" ")?;
        let clock = rest.clock()?;
        rest.literal(" GMT")?;
        rest.end()?;
        Self::from_millis(day_millis(year, month, day)? + clock)
    }

    /// An ISO 8601 time without a zone, as Java's `LocalDateTime` writes it: `2024-01-31T01:06:18.524621`.
    ///
    /// It was the writer's local time, in a zone that nobody recorded; it is read as if it were UTC.
    pub fn parse_zoneless(text: &str) -> Option<Self> {
        let mut rest = Cursor(text.as_bytes());
        let local = rest.iso_date_time()?;
        rest.end()?;
        Self::from_millis(local)
    }

    /// Digits alone: ten of them are seconds since 1970, thirteen are milliseconds. Other counts are ids, not times.
    pub fn parse_epoch(text: &str) -> Option<Self> {
        if !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        match text.len() {
            10 => Self::from_seconds(text.parse().ok()?),
            13 => Self::from_millis(text.parse().ok()?),
            _ => None,
        }
    }

    /// The time in a chat's id, which is the chat's start in all spellings that clients have used. The flag says that
    /// the spelling had no zone ([`Time::parse_zoneless`]).
    pub fn parse_chat_id(id: &str) -> Option<(Self, bool)> {
        let zoned = Self::parse_rfc1123(id).or_else(|| Self::parse_rfc3339(id));
        let flagged = |time: Option<Self>, is_local| time.map(|time| (time, is_local));
        flagged(zoned, false)
            .or_else(|| flagged(Self::parse_zoneless(id), true))
            .or_else(|| flagged(Self::parse_epoch(id), false))
    }

    /// The fixed-width text, without an allocation.
    pub fn text(self) -> TimeText {
        let mut text = TimeText(*b"0000-01-01T00:00:00.000Z");
        // Always there: every value within the years 0000 to 9999 is a date to chrono.
        let Some(utc) = DateTime::from_timestamp_millis(self.0).map(|time| time.naive_utc()) else { return text };
        let fields = [
            (0, 4, utc.year().unsigned_abs()),
            (5, 2, utc.month()),
            (8, 2, utc.day()),
            (11, 2, utc.hour()),
            (14, 2, utc.minute()),
            (17, 2, utc.second()),
            (20, 3, utc.nanosecond() / 1_000_000),
        ];
        for (at, width, mut value) in fields {
            for place in text.0.iter_mut().skip(at).take(width).rev() {
                *place = b'0' + (value % 10) as u8;
                value /= 10;
            }
        }
        text
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text().as_str())
    }
}

/// A time's 24 characters, `2026-03-01T09:01:05.123Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeText([u8; 24]);

impl TimeText {
    /// The characters, all of them ASCII.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The characters.
    pub fn as_str(&self) -> &str {
        // Only ASCII is ever written into it.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// Milliseconds from 1970 to the start of a day; `None` where the calendar has no such day.
fn day_millis(year: u32, month: u32, day: u32) -> Option<i64> {
    let date = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)?;
    Some(date.and_hms_opt(0, 0, 0)?.and_utc().timestamp_millis())
}

/// What is left to read of a spelling. Every method takes what it names off the front, or fails.
struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    fn end(&self) -> Option<()> {
        self.0.is_empty().then_some(())
    }

    fn one_of(&mut self, accepted: &[u8]) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        accepted.contains(&first).then(|| self.0 = rest)?;
        Some(first)
    }

    fn literal(&mut self, expected: &str) -> Option<()> {
        self.0 = self.0.strip_prefix(expected.as_bytes())?;
        Some(())
    }

    /// The position in `names` of the name that stands here.
    fn name(&mut self, names: &[&str]) -> Option<u32> {
        let found = names.iter().position(|name| self.0.starts_with(name.as_bytes()))?;
        self.literal(names.get(found)?)?;
        u32::try_from(found).ok()
    }

    /// A number of exactly `count` digits.
    fn digits(&mut self, count: usize) -> Option<u32> {
        let (number, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        number.iter().try_fold(0u32, |value, byte| Some(value * 10 + char::from(*byte).to_digit(10)?))
    }

    /// `2026-03-01T09:01:05` with an optional fraction, in milliseconds as if it were UTC. RFC 3339 allows a space or
    /// a small `t` in the middle.
    fn iso_date_time(&mut self) -> Option<i64> {
        let year = self.digits(4)?;
        self.literal("-")?;
        let month = self.digits(2)?;
        self.literal("-")?;
        let day = self.digits(2)?;
        self.one_of(b"Tt ")?;
        Some(day_millis(year, month, day)? + self.clock()? + self.fraction()?)
    }

    /// `09:01:05` in milliseconds. A leap second, `:60`, is the second that follows it, as in POSIX time.
    fn clock(&mut self) -> Option<i64> {
        let hour = self.digits(2)?;
        self.literal(":")?;
        let minute = self.digits(2)?;
        self.literal(":")?;
        let second = self.digits(2)?;
        let in_range = hour < 24 && minute < 60 && second <= 60;
        in_range.then(|| i64::from((hour * 60 + minute) * 60 + second) * 1000)
    }

    /// A fraction of any length, if there is one; its first three digits, in milliseconds.
    fn fraction(&mut self) -> Option<i64> {
        if self.one_of(b".").is_none() {
            return Some(0);
        }
        let count = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.0.split_at_checked(count).filter(|_| count > 0)?;
        self.0 = rest;
        let padded = digits.iter().chain(b"00").take(3);
        Some(padded.fold(0, |value, byte| value * 10 + i64::from(byte - b'0')))
    }

    /// `Z` or `+01:00`, in milliseconds east of UTC.
    fn offset(&mut self) -> Option<i64> {
        let sign = match self.one_of(b"Zz+-")? {
            b'+' => 1,
            b'-' => -1,
            _ => return Some(0),
        };
        let hour = self.digits(2)?;
        self.literal(":")?;
        let minute = self.digits(2)?;
        (hour < 24 && minute < 60).then(|| sign * i64::from(hour * 60 + minute) * 60_000)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn text(time: Option<Time>) -> Option<String> {
        time.map(|time| time.to_string())
    }

    #[test]
    fn reads_rfc3339_of_any_fraction_and_offset() {
        for (spelling, expected) in [
            ("2026-03-01T09:01:05.123456789+00:00", "2026-03-01T09:01:05.123Z"),
            ("2026-03-01T09:01:05.9999Z", "2026-03-01T09:01:05.999Z"),
            ("2026-03-01T09:01:05Z", "2026-03-01T09:01:05.000Z"),
            ("2026-03-01T09:01:05+00:00", "2026-03-01T09:01:05.000Z"),
            ("2026-03-01T10:01:05.5+01:00", "2026-03-01T09:01:05.500Z"),
            ("2026-03-01T09:01:05.9+00:00", "2026-03-01T09:01:05.900Z"),
            ("2026-03-01T09:01:05.000001+00:00", "2026-03-01T09:01:05.000Z"),
            ("2026-03-01t09:01:05.12z", "2026-03-01T09:01:05.120Z"),
            ("2026-03-01 09:01:05-00:00", "2026-03-01T09:01:05.000Z"),
            ("2026-02-28T23:30:00-05:30", "2026-03-01T05:00:00.000Z"),
            ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"),
            ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"),
            ("1969-12-31T23:59:59.9996Z", "1969-12-31T23:59:59.999Z"),
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z"),
            ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(text(Time::parse_rfc3339(spelling)).as_deref(), Some(expected), "{spelling}");
            assert_eq!(expected.len(), 24);
        }
    }

    #[test]
    fn a_spelling_that_is_no_time_is_none() {
        for spelling in [
            "",
            "yesterday",
            "soon",
            "n/a",
            "2026-03-01",
            "2026-03-01T09:01Z",
            "2026-03-01T09:01:05",
            "2026-03-01T09:01:05.Z",
            "2026-03-01T09:01:05,5Z",
            "2026-03-01T09:01:05 Z",
            " 2026-03-01T09:01:05Z",
            "2026-03-01T09:01:05Z ",
            "2026-03-01T09:01:05+0100",
            "2026-03-01T09:01:05+24:00",
            "2026-03-01T09:01:05+01:60",
            "2026-02-29T09:01:05Z",
            "2026-13-01T09:01:05Z",
            "2026-00-01T09:01:05Z",
            "2026-03-01T24:00:00Z",
            "2026-03-01T09:60:05Z",
            "2026-03-01T09:01:61Z",
            "+010000-01-01T00:00:00.000Z",
            "-000001-01-01T00:00:00.000Z",
            "9999-12-31T23:59:59-00:01",
            "0000-01-01T00:00:00+00:01",
            "٢٠٢٦-03-01T09:01:05Z",
            "2026-03-01T09:01:05.١Z",
        ] {
            assert_eq!(Time::parse_rfc3339(spelling), None, "{spelling}");
        }
    }

    #[test]
    fn a_chat_id_is_read_in_every_spelling_of_its_writers() {
        for (id, expected, is_local) in [
            ("Fri, 03 Oct 2025 10:00:00 GMT", "2025-10-03T10:00:00.000Z", false),
            ("Wed, 20 Nov 2024 08:00:00 GMT", "2024-11-20T08:00:00.000Z", false),
            // A Saturday.
            ("Fri, 03 Oct 2026 10:00:00 GMT", "2026-10-03T10:00:00.000Z", false),
            ("2023-06-01T09:00:00.000Z", "2023-06-01T09:00:00.000Z", false),
            ("2023-06-01T09:00:00.000+02:00", "2023-06-01T07:00:00.000Z", false),
            ("2024-01-31T01:06:18.524621", "2024-01-31T01:06:18.524Z", true),
            ("2024-01-31T01:06:18.524", "2024-01-31T01:06:18.524Z", true),
            ("2024-01-31T01:06:18.524621999", "2024-01-31T01:06:18.524Z", true),
            ("2024-01-31T01:06:18", "2024-01-31T01:06:18.000Z", true),
            ("1759485600000", "2025-10-03T10:00:00.000Z", false),
            ("1759485600", "2025-10-03T10:00:00.000Z", false),
        ] {
            let found = Time::parse_chat_id(id);
            assert_eq!(found.map(|(time, local)| (time.to_string(), local)), Some((expected.into(), is_local)), "{id}");
        }
    }

    #[test]
    fn a_chat_id_that_is_no_time_is_none() {
        for id in [
            "",
            "my own id",
            "n/a",
            "0f8b7034-9fa8-488a-a13e-09c52677008a",
            "7",
            "20240131",
            "175948560000",
            "-1759485600",
            "٠٠٠٠٠",
            "Fri, 3 Oct 2025 10:00:00 GMT",
            "Fri, 03 Oct 2025 10:00:00",
            "Fri, 03 Oct 2025 10:00:00 UTC",
            "Fri, 03 Oct 2025 10:00:00 GMT+2",
            "Fri, 31 Sep 2025 10:00:00 GMT",
            "Fri, 03 Okt 2025 10:00:00 GMT",
            "Fr, 03 Oct 2025 10:00:00 GMT",
            "Invalid Date",
            "2024-01-31T01:06",
            "2024-01-31T01:06:18.",
        ] {
            assert_eq!(Time::parse_chat_id(id), None, "{id}");
        }
    }

    #[test]
    fn epochs_outside_the_written_years_are_none() {
        assert_eq!(text(Time::from_millis(0)).as_deref(), Some("1970-01-01T00:00:00.000Z"));
        assert_eq!(text(Time::from_millis(-1)).as_deref(), Some("1969-12-31T23:59:59.999Z"));
        assert_eq!(text(Time::from_seconds(1_759_485_600)).as_deref(), Some("2025-10-03T10:00:00.000Z"));
        assert_eq!(text(Time::from_millis(FIRST)).as_deref(), Some("0000-01-01T00:00:00.000Z"));
        assert_eq!(text(Time::from_millis(LAST)).as_deref(), Some("9999-12-31T23:59:59.999Z"));
        assert_eq!(Time::from_millis(FIRST - 1), None);
        assert_eq!(Time::from_millis(LAST + 1), None);
        assert_eq!(Time::from_seconds(i64::MAX), None);
        assert_eq!(Time::from_millis(1_759_485_600_123).map(Time::millis), Some(1_759_485_600_123));
    }

    #[test]
    fn a_file_time_is_cut_towards_the_past() {
        let after = UNIX_EPOCH + Duration::from_nanos(1_999_999);
        assert_eq!(Time::from_system_time(after), Time::from_millis(1));
        let before = UNIX_EPOCH - Duration::from_nanos(1);
        assert_eq!(Time::from_system_time(before), Time::from_millis(-1));
    }

    #[test]
    fn sorts_as_its_text_does() {
        let time = Time::from_seconds(1_772_355_665).expect("a time");
        assert_eq!(time.to_string(), "2026-03-01T09:01:05.000Z");
        let later = Time::from_millis(time.millis() + 1).expect("a time");
        assert!(time < later && time.to_string() < later.to_string());
    }

    #[test]
    fn reads_its_own_text() {
        for millis in [FIRST, -1, 0, 1, 951_782_400_000, 1_759_485_600_123, LAST] {
            let time = Time::from_millis(millis).expect("a time");
            assert_eq!(Time::parse_rfc3339(time.text().as_str()), Some(time));
            assert_eq!(format!("{time:>26}"), format!("  {time}"));
        }
    }
}
