"""Takes the pictures of README.md.

    scripts/explorer/run --screenshots docs/screenshots
"""

import sys
from pathlib import Path

from browser import browser, open_page

# Published with the question which of the two rules draws it (leveluplounge.net).
GAME = """[GameType "20"]
[FEN "W:WK46,K47,K48:BK3"]
1. 47-38 3-9 2. 46-23 9-22 3. 38-24 22-17 4. 48-31 17-39 5. 24-38 39-17 6. 31-42 17-22
7. 38-15 22-6 8. 42-31 6-1 9. 31-18 1-6 10. 18-13 6-17 11. 15-20 17-39 12. 13-18 39-17
13. 20-33 17x39 14. 18-13 39-33 15. 13-27 33-17 16. 23-19 17-12 17. 27-22 12-29
18. 19-32 29-12 *"""

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
with browser() as chromium:
    page = open_page(chromium, "/?variant=international&fen=W:WK2,K6:BK50&counters=C5=3")
    page.locator("#moves a").first.hover()
    page.screenshot(path=folder / "explorer.png")

    page = open_page(
        chromium, "/?variant=russian&fen=W:WK29,K30,K31:BK6&profile=cn64-russian", color_scheme="dark",
        viewport={"width": 390, "height": 844}, device_scale_factor=2, has_touch=True, is_mobile=True,
    )
    page.screenshot(path=folder / "phone.png")

    page = open_page(chromium, "/", viewport={"width": 1100, "height": 760})
    page.click("#court summary")
    page.fill("#pdn", GAME)
    page.click("#court-form button")
    page.locator(".game input[type=range]").fill("28")
    page.wait_for_timeout(500)
    page.wait_for_load_state("networkidle")
    page.locator("#court").screenshot(path=folder / "adjudication.png")

    page = open_page(chromium, "/stats?variant=russian&slice=KKKvK", viewport={"width": 1100, "height": 760})
    page.screenshot(path=folder / "statistics.png")
