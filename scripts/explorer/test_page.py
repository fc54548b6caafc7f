"""The explorer's page in a real browser."""

import os

import pytest
from browser import ADDRESS, browser, drag, open_page, pieces, square
from playwright.sync_api import expect

GAME = """[GameType "20"]
[FEN "W:WK46,K47:BK3"]
1. 47-38 3-9 2. 38-33 9-3 3. 33-38 3-9 4. 38-33 9-3 5. 33-38 3-9 6. 38-33 9-3 *"""


@pytest.fixture(scope="module")
def chromium():
    with browser() as found:
        yield found


@pytest.fixture
def visit(chromium):
    """Opens pages; none of them may have had a fault by the end of the test."""
    pages = []

    def visit(target="/", **options):
        pages.append(open_page(chromium, target, **options))
        return pages[-1]

    yield visit
    for page in pages:
        assert page.faults == []
        page.context.close()


def value(page):
    return page.locator("#value strong")


def test_a_position_is_shown_with_value_reason_counters_and_moves(visit):
    page = visit("/?variant=international&fen=W:WK2,K6:BK50&counters=C5=3")
    expect(value(page)).to_have_text("White wins in 7 plies: needs 7 plies, 7 are left.")
    expect(page.locator("#value")).to_contain_text("C5 at 3 of 10 plies, 7 left; then the game is drawn")
    expect(page.locator("#counters")).to_contain_text("article 6.4")
    assert pieces(page) == {"2": "white king", "6": "white king", "50": "black king"}
    captions = page.locator("#moves caption").all_inner_texts()
    assert captions[0] == "Wins" and "Draws" in captions
    page = visit("/?variant=international&fen=W:WK2,K6:BK50&counters=C5=4")
    expect(value(page)).to_contain_text("Draw by the rules (fmjd100-2018): White would win in theory")
    expect(page.locator("#moves caption").first).to_contain_text("the draw rules come first")


def test_pieces_move_by_clicks_drags_the_list_and_the_keyboard_and_back(visit):
    page = visit("/?variant=russian&fen=W:WK29,K31:BK6&profile=none")
    page.mouse.click(*square(page, 29))
    assert page.locator("#board .target").count() > 0
    page.mouse.click(*square(page, 25))
    expect(page.locator("#line")).to_have_text("a1-b2")
    assert "history=a1-b2" in page.url
    drag(page, 6, 1)
    expect(page.locator("#line button")).to_have_count(2)
    assert pieces(page)["1"] == "black king"
    # A move that is not legal does nothing.
    drag(page, 25, 24)
    expect(page.locator("#line button")).to_have_count(2)
    # The keyboard: from square to square, then the move.
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Home")
    expect(page.locator("#back")).to_be_disabled()
    page.keyboard.press("ArrowRight")
    expect(page.locator('#line button[aria-current="true"]')).to_have_text("a1-b2")
    page.click("#first")
    expect(page.locator("#back")).to_be_disabled()
    page.locator('#board .square[data-square="29"]').focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("b2")
    page.keyboard.press("Enter")
    expect(page.locator('#line button[aria-current="true"]')).to_have_text("a1-b2")
    # The list: hovering shows the move, clicking plays it.
    link = page.locator("#moves a").first
    link.hover()
    expect(page.locator("#board .shown")).to_have_count(1)
    text = link.inner_text()
    link.click()
    expect(page.locator("#line button").nth(1)).to_have_text(text)
    expect(page.locator('#line button[aria-current="true"]')).to_have_text(text)
    page.go_back()
    expect(page.locator('#line button[aria-current="true"]')).to_have_text("a1-b2")
    page.click("#best")
    expect(page.locator("#line button")).to_have_count(2)


def test_the_table_plays_the_other_side_if_wished(visit):
    page = visit("/?variant=russian&fen=W:WK29,K30,K31:BK6")
    page.check("#answers")
    page.locator("#moves a", has_text="a1-d4").click()
    # The table holds out: any other move of Black loses sooner.
    expect(page.locator("#line button")).to_have_count(2)
    expect(page.locator("#line button").nth(1)).to_have_text("c7-d6")
    expect(value(page)).to_contain_text("White wins in 19 plies")
    drag(page, 30, 25)
    expect(page.locator("#line button")).to_have_count(4)
    # Back and forward show what was played, and play nothing.
    page.click("#back")
    page.wait_for_load_state("networkidle")
    expect(page.locator("#line button")).to_have_count(4)
    expect(page.locator('#line button[aria-current="true"]')).to_have_count(1)
    page.uncheck("#answers")
    page.locator("#moves a").first.click()
    page.wait_for_load_state("networkidle")
    expect(page.locator("#line button")).to_have_count(4)


def test_a_draw_that_may_be_claimed_is_told(visit):
    page = visit("/?variant=english&fen=W:WK32,K31:BK1&counters=N40=79")
    expect(page.locator("#value")).to_contain_text("1 left; then either side may claim a draw (article 1.32.2")
    page.locator("#moves a").first.click()
    expect(page.locator("#value")).to_contain_text("N40 at 80 of 80 plies: either side may claim a draw")
    expect(value(page)).to_have_text("Draw by the rules (wcdf): White would win in theory in 32 plies.")
    # The loser claims a third occurrence; the winner would not.
    page = visit("/?variant=english&fen=W:WK32,K31:BK1&history=32-28,1-5,28-32,5-1,32-28,1-5,28-32")
    expect(value(page)).to_contain_text("Draw by the rules (wcdf): White would win in theory")
    expect(page.locator("#value")).to_contain_text("By repetition the side to move may claim a draw")


def test_a_capture_that_can_go_several_ways_asks_which(visit):
    page = visit("/?variant=international&fen=W:WK47:B14,19,29,31,42")
    page.mouse.click(*square(page, 47))
    page.mouse.click(*square(page, 36))
    expect(page.locator("#message")).to_contain_text("more than one way")
    assert page.locator("#moves tr.chosen").count() == 2
    page.keyboard.press("Enter")
    expect(page.locator("#line button")).to_have_count(1)


def test_a_position_is_set_up_and_its_link_shows_the_same(visit, chromium):
    page = visit("/?variant=russian")
    expect(page.locator("#value")).to_contain_text("The tables have up to 4 pieces, and 24 are on the board")
    expect(page.locator("#hint a")).to_have_attribute("href", "/stats?variant=russian")
    page.click("#setup summary")
    page.click("#clear")
    expect(page.locator("#message")).to_contain_text("neither side has a piece")
    page.check("input[value=wk]")
    for number in (29, 31):
        page.mouse.click(*square(page, number))
    page.check("input[value=bm]")
    page.mouse.click(*square(page, 5))
    expect(value(page)).to_contain_text("White wins")
    # Drag one about, drag another off the board, place one with the keyboard.
    drag(page, 31, 32)
    expect(page.locator("#fen")).to_have_value("W:WK29,K32:B5")
    drag(page, 5, (5, 5))
    expect(page.locator("#fen")).to_have_value("W:WK29,K32:B")
    expect(value(page)).to_have_text("White has won: Black has no piece left.")
    page.locator('#board .square[data-square="6"]').focus()
    page.keyboard.press("B")
    page.check("input[name=side][value=B]")
    expect(page.locator("#fen")).to_have_value("B:WK29,K32:BK6")
    expect(page.locator("#moves a").first).to_be_visible()
    # A man on its last row is told, not hidden.
    page.check("input[value=wm]")
    page.mouse.click(*square(page, 2))
    expect(page.locator("#message")).to_contain_text("a man on its promotion row")
    page.mouse.click(*square(page, 2))
    expect(page.locator("#message")).to_have_text("")
    link = page.url
    shared = visit(link.removeprefix(ADDRESS))
    assert pieces(shared) == pieces(page)
    assert shared.locator("#value").inner_text() == page.locator("#value").inner_text()


def test_the_game_the_rules_and_the_turned_board_are_kept_in_the_address(visit):
    page = visit("/")
    page.select_option("#variant", "english")
    expect(page.locator("#board .square")).to_have_count(32)
    expect(page.locator("#profile")).to_have_value("wcdf")
    page.fill("#fen", "W:WK32,K31:BK1")
    page.press("#fen", "Enter")
    expect(value(page)).to_contain_text("White wins")
    page.select_option("#profile", "none")
    expect(page.locator("#counters")).to_be_empty()
    page.click("#turn")
    expect(page.locator("#board svg")).to_have_attribute("data-turned", "true")
    page.reload()
    expect(page.locator("#board svg")).to_have_attribute("data-turned", "true")
    expect(page.locator("#profile")).to_have_value("none")
    assert pieces(page) == {"1": "black king", "31": "white king", "32": "white king"}
    # The turned board takes moves, too.
    page.locator("#moves a").first.click()
    expect(page.locator("#line button")).to_have_count(1)


def test_wrong_input_and_damaged_tables_are_told(visit):
    page = visit("/?variant=russian&fen=W:WK29:BK6")
    page.fill("#fen", "W:WK29,99:BK6")
    page.press("#fen", "Enter")
    expect(page.locator("#message")).to_contain_text("column 8: square 99 is not on the board")
    page.fill("#fen", "W:WK29:BK6")
    page.fill("#counters-field", "C99=1")
    page.press("#fen", "Enter")
    expect(page.locator("#message")).to_contain_text("has no counter 'C99'")
    page = visit(os.environ["DAMABASE_DAMAGED"] + "/?variant=brazilian")
    page.fill("#fen", "W:WK29:BK6")
    page.press("#fen", "Enter")
    expect(page.locator("#message")).to_contain_text("KvK.wld")
    assert page.locator("#moves a").count() == 0


def test_a_game_is_judged_with_its_counters_ply_by_ply(visit):
    page = visit("/")
    page.click("#court summary")
    page.fill("#pdn", GAME)
    page.click("#court-form button")
    expect(page.locator(".game pre")).to_contain_text("Drawn at ply 9 (33-38):")
    expect(page.locator(".game pre")).to_contain_text("repetition")
    timeline = page.locator(".timeline")
    expect(timeline.locator("text=C5")).to_have_count(1)
    assert timeline.locator("polyline.count").count() == 2
    page.locator(".game input[type=range]").fill("9")
    expect(page.locator(".game .ply")).to_contain_text("Ply 9: 33-38; Q25 9 of 50; C5 9 of 10;")
    expect(page.locator("#value")).to_contain_text("By repetition the game is drawn")
    expect(page.locator("#line button")).to_have_count(12)
    # A claim one ply before has no reason.
    page.locator(".game input[type=range]").press("ArrowLeft")
    expect(page.locator("#value")).to_contain_text("C5 at 8 of 10 plies, 2 left")
    page.fill("#pdn", "1. 32-28 99-1")
    page.click("#court-form button")
    expect(page.locator("#judged")).to_contain_text("99")


def test_a_judged_game_has_its_value_by_the_rules_and_in_theory(visit):
    page = visit("/?variant=international", viewport={"width": 360, "height": 740})
    page.click("#court summary")
    # White lets the win slip, Black gives it back, and it comes too late by then: four plies are
    # left, and five are needed.
    page.fill("#pdn", '[GameType "20"] [FEN "W:WK2,K6:BK50"] 1. 2-7 50-45 2. 7-2 45-50 3. 2-7 50-45 *')
    page.click("#court-form button")
    bands = page.locator(".timeline rect")
    expect(bands).to_have_count(14)
    kinds = bands.evaluate_all("all => all.map(rect => rect.getAttribute('class'))")
    rules, theory = kinds[:7], kinds[7:]
    assert theory == ["win", "win", "win", "draw", "win", "win", "win"], kinds
    assert rules == ["win", "win", "win", "draw", "draw", "draw", "draw"], kinds
    # As large as the rest of the page, also on a phone.
    assert page.locator(".timeline text").first.bounding_box()["height"] > 10
    page.locator(".game input[type=range]").fill("6")
    expect(page.locator(".game .ply")).to_contain_text("draw for the side to move; win in theory")


def test_where_several_counters_decide_the_page_says_what_is_to_spare(visit):
    page = visit("/?variant=russian&fen=W:WK29,K30,K31:BK6&counters=K15=5,K3=5")
    expect(value(page)).to_have_text("White wins in 21 plies: 7 plies to spare on K15.")
    expect(page.locator("#moves thead").first).to_contain_text("to spare")
    expect(page.locator("#moves tbody tr").first.locator("td").last).to_have_text("7")
    # Without a table its name is told, and the command that makes it.
    page = visit("/?variant=russian&fen=W:WK29,K30,K31:BK6&profile=li-russian")
    expect(page.locator("#value p").nth(1)).to_contain_text("There is no table KKKvK.budget-")
    expect(page.locator("#value p").nth(1)).to_contain_text("--metric budget --profile li-russian' makes it.")
    expect(page.locator("#message")).to_be_hidden()


def test_statistics_lead_back_to_the_board(visit):
    page = visit("/stats?variant=russian")
    page.click("text=KKvM")
    expect(page.locator(".histogram").first).to_be_visible()
    page.locator(".boards a").first.click()
    expect(value(page)).to_contain_text("White wins in 9 plies")


@pytest.mark.parametrize("target", ["/?variant=international&fen=W:WK2,K6:BK50", "/stats?variant=russian", "/stats?variant=russian&slice=KKKvK"])
def test_a_phone_shows_it_without_scrolling_sideways(visit, target):
    page = visit(target, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    if "fen" in target:
        page.touchscreen.tap(*square(page, 2))
        assert page.locator("#board .target").count() > 0
        page.touchscreen.tap(*square(page, 7))
        expect(page.locator("#line")).to_have_text("2-7")


def test_a_position_is_read_without_scripts(visit):
    page = visit("/?variant=international&fen=W:WK2,K6:BK50", java_script_enabled=False)
    expect(value(page)).to_contain_text("White wins in 7 plies")
    expect(page.locator("#best")).to_be_hidden()
    page.locator("#moves a").first.click()
    expect(page.locator("#board .square.last")).to_have_count(2)
    page.fill("#fen", "W:WK28:B23")
    page.click("text=Look up")
    expect(value(page)).to_contain_text("White wins in 1 ply")
    page.click("#turn")
    expect(page.locator("#board svg")).to_have_attribute("data-turned", "true")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out_from_the_page(visit, scheme):
    """Contrast of at least 4.5 to 1, as the accessibility guidelines (WCAG 2.2, 1.4.3) have it."""
    page = visit("/?variant=international&fen=W:WK2,K6:BK50&counters=C5=4", color_scheme=scheme)
    found = page.evaluate(
        """() => {
          const channel = c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
          const light = text => {
            const [r, g, b] = text.match(/[\\d.]+/g).map(Number);
            return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
          };
          const behind = element => {
            for (; element; element = element.parentElement) {
              const colour = getComputedStyle(element).backgroundColor;
              if (!/, 0\\)$/.test(colour)) return colour;
            }
            return 'rgb(255, 255, 255)';
          };
          return [...document.querySelectorAll('h1 a, nav a, #value *, caption, th, td, td a, .hint, label, footer p, button:enabled')]
            .map(element => {
              const [a, b] = [light(getComputedStyle(element).color), light(behind(element))];
              return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), element.textContent.slice(0, 30)];
            })
            .filter(([contrast]) => contrast < 4.5);
        }"""
    )
    assert found == []


def test_everything_on_the_page_has_a_name(visit):
    page = visit("/?variant=russian&fen=W:WK29,K31:BK6")
    nameless = page.evaluate(
        """() => [...document.querySelectorAll('button, a, input, select, textarea, #board .square')]
          .filter(element => !(element.getAttribute('aria-label') || element.textContent.trim() || element.labels?.length))
          .map(element => element.outerHTML)"""
    )
    assert nameless == []
    # One stop for the tab key in the board, not 32.
    assert page.locator('#board [tabindex="0"]').count() == 1
