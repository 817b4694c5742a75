//! Rows in a box of lines, as the `sqlite3` program's `.mode box` draws them.

use super::rows::{Answer, Cell};

/// Longer cells are cut here, so that a row fits a page.
const WIDEST: usize = 60;

/// The answer as a box; an error as a line; nothing for a statement without columns. Each `instead` pair is a text and
/// what is shown for it.
pub fn draw(answer: &Answer, instead: &[(&str, &str)]) -> String {
    let mut out = String::new();
    if !answer.rows.is_empty() {
        let cell = |cell: &Cell| cut(instead.iter().fold(shown(cell), |text, (from, to)| text.replace(from, to)));
        let mut rows = vec![answer.columns.clone()];
        rows.extend(answer.rows.iter().map(|row| row.iter().map(cell).collect::<Vec<String>>()));
        out = draw_rows(&rows);
    } else if !answer.columns.is_empty() && answer.error.is_none() {
        out.push_str("(no rows)\n");
    }
    if let Some(error) = &answer.error {
        out.push_str(&format!("error: {error}\n"));
    }
    out
}

/// Text without quotes, NULL as nothing.
fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Null => String::new(),
        Cell::Text(_) => {
            let literal = cell.to_string();
            let inner = literal.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')).unwrap_or_default();
            inner.replace("''", "'")
        }
        other => other.to_string(),
    }
}

fn cut(text: String) -> String {
    if text.chars().count() > WIDEST { text.chars().take(WIDEST - 1).chain(['…']).collect() } else { text }
}

/// Draws rows of which the first holds the names.
fn draw_rows(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|text| text.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or_default()).collect();
    let rule = |left: &str, middle: &str, right: &str| {
        let dashes: Vec<String> = widths.iter().map(|width| "─".repeat(width + 2)).collect();
        format!("{left}{}{right}\n", dashes.join(middle))
    };
    let mut out = rule("┌", "┬", "┐");
    for (number, row) in rows.iter().enumerate() {
        if number == 1 {
            out.push_str(&rule("├", "┼", "┤"));
        }
        let cells: Vec<String> = row.iter().zip(&widths).map(|(text, width)| format!(" {text:<width$} ")).collect();
        out.push_str(&format!("│{}│\n", cells.join("│")));
    }
    out + &rule("└", "┴", "┘")
}
