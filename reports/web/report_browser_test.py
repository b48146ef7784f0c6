"""Opens a report in headless Chromium as a reader would and checks what can be seen.

usage: report_browser_test.py REPORT.html [PICTURE.png] [--dark] [--width N]

Asserts that summary sentence, verdict matrix and worst case are visible, that filtering, sorting and
details work, that nothing was asked of the network and that the console is clean. Exit 0 or 1.
"""

import argparse
import json
import os
import pathlib
import re
import sys
import time
import xml.etree.ElementTree

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select


def browser(width, dark):
    options = Options()
    for argument in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage",
                     "--hide-scrollbars", f"--window-size={width},1000"):
        options.add_argument(argument)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")
    if dark:
        options.add_argument("--blink-settings=preferredColorScheme=0")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


class Report:
    """The page and what a reader does with it."""

    def __init__(self, driver, file):
        self.driver = driver
        driver.get(file.resolve().as_uri())
        self.data = json.loads(self.one("#data").get_property("textContent"))

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def seen(self, selector):
        found = [e for e in self.all(selector) if e.is_displayed() and e.size["height"] > 0]
        assert found, f"{selector} is not visible"
        return found

    def shown(self):
        """The number of cases that the table says it shows."""
        return int(re.match(r"[\d,]+", self.one("#shown").text).group().replace(",", ""))

    def click(self, selector):
        element = self.seen(selector)[0]
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()


def check_first_sight(report, summary):
    sentence = report.seen("#sentence")[0].text
    assert sentence == summary["sentence"], f"sentence: {sentence}"
    total = sum(summary["verdicts"].values())
    assert report.shown() == total, f"table says {report.shown()} of {total} cases"
    for name, count in summary["verdicts"].items():
        chips = report.all(f'.chip[data-verdict="{name}"]')
        assert (count > 0) == bool(chips), f"chip of {name}"
    if summary["cases"] == 0:
        return
    report.seen("#matrix .matrix .cell b")
    report.seen("#environment table")
    if any(margin is not None for margin in report.data["cases"]["margin"]):
        report.seen("#worst .worst tbody td")
        line = report.seen("#worst .replay code")[0].text
        assert line.startswith("./plumbline replay '"), line
        report.seen("#plot-ecdf svg path")
        report.seen("#plot-length canvas")


def check_filters(report, summary):
    total = report.shown()
    for name, count in summary["verdicts"].items():
        if count == 0:
            continue
        report.click(f'.chip[data-verdict="{name}"]')
        assert report.shown() == count, f"{name}: {report.shown()} of {count} shown"
    report.click("#clear")
    assert report.shown() == total, "clear shows all cases again"
    Select(report.one("#verdict")).select_by_index(1)
    assert 0 < report.shown() <= total, "the list of verdicts filters"
    report.click("#clear")
    report.one("#search").send_keys("nothing has this name")
    assert report.shown() == 0 and report.seen("#table .empty"), "a search may find nothing"
    report.click("#clear")
    cells = report.data["cells"]["rows"]
    cell = int(report.seen("#matrix .cell")[0].get_attribute("data-cell"))
    report.click("#matrix .cell")
    assert report.shown() == cells.count(cell), "a cell of the matrix shows its cases"
    report.click("#clear")


def check_table(report):
    margins = [m for m in report.data["cases"]["margin"] if m is not None]
    if not margins:
        return
    report.click("#table .head .margin")
    first = report.seen("#table .row")
    top = report.driver.execute_script(
        "return [...arguments[0]].sort((a, b) => a.offsetTop - b.offsetTop)[0].children[1]"
        ".textContent", first)
    rank = {"nan": float("inf"), "inf": float("inf")}
    worst = max(rank.get(m, m) if isinstance(m, str) else m for m in margins)
    assert rank.get(top) == worst or float(top) == worst, f"first row has {top}, worst is {worst}"
    rows = len(report.all("#table .row"))
    assert rows <= 60, f"{rows} rows are in the page, though only some can be seen"
    report.click("#table .row")
    assert "./plumbline replay '" in report.seen("#case .replay code")[0].text
    report.click("#case .close")
    assert not report.one("#case").is_displayed(), "details close"


def check_copy(report):
    buttons = report.all("#worst .copy")
    if not buttons:
        return
    report.click("#worst .copy")
    deadline = time.monotonic() + 2
    while report.one("#worst .copy").text == "copy" and time.monotonic() < deadline:
        time.sleep(0.02)
    assert report.one("#worst .copy").text in ("copied", "selected"), "the replay line is copied"


def check_quiet(report, file):
    asked = []
    for entry in report.driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            asked.append(message["params"]["request"]["url"])
    page = file.resolve().as_uri()
    foreign = [url for url in asked
               if url.split("#")[0] != page and not url.startswith("data:")]
    assert not foreign, f"asked for {foreign}"
    console = [entry["message"] for entry in report.driver.get_log("browser")]
    assert not console, f"console: {console}"
    assert report.driver.title.startswith("Plumbline: "), f"title: {report.driver.title}"
    assert not report.all("main script, main img, main iframe"), "markup from outside got in"


def check_junit(file, summary):
    root = xml.etree.ElementTree.parse(file).getroot()
    cases = root.findall("testsuite/testcase")
    counts = summary["verdicts"]
    assert len(cases) == sum(counts.values()) - counts["excluded"], "junit lists every case"
    assert int(root.get("tests")) == len(cases)


def save_picture(driver, path, width):
    height = driver.execute_script("return document.documentElement.scrollHeight")
    driver.set_window_size(width, min(height + 120, 12000))
    driver.execute_script("window.scrollTo(0, 0)")
    time.sleep(0.4)
    path.parent.mkdir(parents=True, exist_ok=True)
    assert driver.save_screenshot(str(path)), f"cannot write {path}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("report", type=pathlib.Path)
    parser.add_argument("picture", type=pathlib.Path, nargs="?")
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--width", type=int, default=1400)
    options = parser.parse_args()
    summary = json.loads((options.report.parent / "summary.json").read_text(encoding="utf-8"))
    driver = browser(options.width, options.dark)
    try:
        started = time.monotonic()
        report = Report(driver, options.report)
        opened = time.monotonic() - started
        check_first_sight(report, summary)
        check_filters(report, summary)
        check_table(report)
        check_copy(report)
        check_quiet(report, options.report)
        if options.picture:
            save_picture(driver, options.picture, options.width)
    finally:
        driver.quit()
    check_junit(options.report.parent / "junit.xml", summary)
    print(f"report: {sum(summary['verdicts'].values())} cases, opened in {opened:.1f} s, "
          "sentence, matrix and worst case visible, no request, console clean")


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        sys.exit(f"report_browser_test: {error}")
