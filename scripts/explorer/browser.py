"""A browser without a window, for the tests of the page and for its pictures."""

import os
from contextlib import contextmanager

from playwright.sync_api import sync_playwright

ADDRESS = os.environ["DAMABASE_ADDRESS"]


@contextmanager
def browser():
    """The browser, with a function that opens the page."""
    with sync_playwright() as playwright:
        # Root, as in a container, has no sandbox.
        chromium = playwright.chromium.launch(
            executable_path=os.environ["CHROMIUM"], args=["--no-sandbox"]
        )
        yield chromium
        chromium.close()


def open_page(chromium, target="/", **options):
    """A page at an address, in a context of its own; whatever goes wrong in it is collected."""
    context = chromium.new_context(
        **{"viewport": {"width": 1100, "height": 900}, "reduced_motion": "reduce"} | options
    )
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.faults = []
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    page.on(
        "console",
        lambda message: page.faults.append(message.text)
        if message.type == "error" and "status of" not in message.text
        else None,
    )
    page.goto(target if target.startswith("http") else ADDRESS + target)
    page.wait_for_load_state("networkidle")
    return page


def square(page, number):
    """The middle of a square of the board, in the window's pixels."""
    found = page.locator(f'#board .square[data-square="{number}"]')
    found.scroll_into_view_if_needed()
    box = found.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page, start, to):
    """Drags what stands on a square to another, or to a point of the window."""
    x, y = square(page, to) if isinstance(to, int) else to
    page.mouse.move(*square(page, start))
    page.mouse.down()
    page.mouse.move(x, y, steps=5)
    page.mouse.up()


def pieces(page):
    """What the board shows: square and kind of each piece."""
    return page.eval_on_selector_all(
        "#board .piece",
        "all => Object.fromEntries(all.map(piece => [piece.dataset.square, "
        "piece.getAttribute('class').replace('piece ', '')]))",
    )
