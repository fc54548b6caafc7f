//! Pages as they come from the server, read without scripts.

mod common;

use common::*;

#[test]
fn a_position_is_read_without_scripts() {
    let page = get("/?variant=russian&fen=W:WK29,K31:BK6&history=a1-b2");
    assert_eq!(page.status, 200);
    assert!(page.head.contains("content-type: text/html; charset=utf-8"));
    for part in [
        "data-square=\"25\"",               // the board after the move
        "K15</th>",                         // a counter
        "<option selected>fmjd64</option>", // the rules
        "href=\"/?variant=russian&amp;fen=W:WK29,K31:BK6&amp;history=a1-b2,", // a move to follow
        "method=\"get\"",                   // another position
        ">to spare</th>",                   // plies
    ] {
        assert!(page.body.contains(part), "{part}: {}", page.body);
    }
    // Without a table the moves are there, and the page says why there is no value.
    let page = get("/?variant=international");
    assert_eq!(page.status, 200);
    for part in
        ["The tables have up to 3 pieces, and 40 are", "data-move=\"32-28\"", "What is there"]
    {
        assert!(page.body.contains(part), "{part}: {}", page.body);
    }
    let page = get("/?variant=russian&fen=W:WK29,99:BK6");
    assert_eq!(page.status, 400);
    assert!(page.body.contains("column 8: square 99 is not on the board"));
}

#[test]
fn statistics_are_pages() {
    let page = get("/stats?variant=russian");
    assert_eq!(page.status, 200);
    assert!(page.body.contains("<a href=\"/stats?variant=russian&amp;slice=KKvK\">KKvK</a>"));
    let page = get("/stats?variant=russian&slice=KKvK");
    assert!(page.body.contains("class=\"histogram\"") && page.body.contains("Longest wins"));
    assert!(page.body.contains("href=\"/?variant=russian&amp;fen=W:W"));
    assert_eq!(get("/stats?variant=russian&slice=KKKvK").status, 404);
    assert_eq!(get("/stats?variant=chess").status, 404);
    assert!(get("/stats?variant=english").body.contains("There are no tables of this game"));
}

#[test]
fn what_pages_use_is_there() {
    let page = get("/").body;
    for name in ["style.css", "explorer.js"] {
        assert!(page.contains(&format!("/assets/{name}")));
    }
    for name in ["style.css", "explorer.js", "board.js", "court.js"] {
        assert_eq!(get(&format!("/assets/{name}")).status, 200);
    }
    // Nothing is fetched from elsewhere.
    assert!(
        !page.contains("http://")
            || page.matches("http://").all(|_| page.contains("http://www.w3.org/2000/svg"))
    );
}
