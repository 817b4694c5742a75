"""The Datasette pages in a real Chromium: what a person does, and that stored texts never run.

Screenshots are left in target/screenshots. Without Chromium and its driver the tests are skipped and say so; with
REQUIRE_BROWSER=1 they fail.
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

from homes import DEMO, FIXTURES, LOGIN, SESSIONS, XSS

SCREENSHOTS = FIXTURES.parent / "screenshots"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update", "--window-size=1200,1000"]


def serve(root):
    """A Datasette on a free port, and its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "datasette", "serve", "--memory", "--port", str(port)]
    for setting in [("sql_time_limit_ms", "30000"), ("facet_time_limit_ms", "10000"), ("truncate_cells_html", "300")]:
        command += ["--setting", *setting]
    server = subprocess.Popen(command, env={**os.environ, "AGENT_HISTORY_ROOT": root},
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    for _ in range(600):
        try:
            urllib.request.urlopen(f"{address}/-/versions.json", timeout=10).close()
            return server, address
        except OSError:
            time.sleep(0.2)
    raise TimeoutError("Datasette does not answer")


class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not (CHROMIUM and DRIVER):
            if os.environ.get("REQUIRE_BROWSER"):
                raise RuntimeError("no chromium or no chromedriver")
            raise unittest.SkipTest("NOT TESTED in a browser: no chromium or no chromedriver here")
        from selenium import webdriver

        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(profile.cleanup)
        for flag in [*FLAGS, f"--user-data-dir={profile.name}"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        cls.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
        cls.addClassCleanup(cls.driver.quit)
        cls.driver.set_page_load_timeout(120)
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)

    def serve(self, root):
        server, address = serve(root)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        return address

    def find(self, selector):
        return self.driver.find_elements("css selector", selector)

    def texts(self, selector):
        return [element.text for element in self.find(selector)]

    def follow(self, element):
        """Click, and wait for the page that it leads to: a click returns before a form's answer is there."""
        from selenium.webdriver.support.expected_conditions import staleness_of
        from selenium.webdriver.support.wait import WebDriverWait

        wait, left = WebDriverWait(self.driver, 120), self.find("html")[0]
        element.click()
        wait.until(staleness_of(left))
        wait.until(lambda driver: driver.execute_script("return document.readyState") == "complete")

    def shoot(self, name):
        self.driver.save_screenshot(str(SCREENSHOTS / f"{name}.png"))

    def test_a_person_finds_their_way_to_a_conversation(self):
        address = self.serve(DEMO)
        self.driver.get(f"{address}/agents")
        self.assertIn("agents", self.driver.title)
        self.follow(self.find('a[href="/agents/agent_sessions"]')[0])
        self.assertEqual(len(self.find("table.rows-and-columns tbody tr")), SESSIONS)
        self.shoot("sessions")

        facet = [link for link in self.find(".facet-results a") if "agent=cody" in (link.get_attribute("href") or "")]
        self.follow(facet[0])
        self.assertEqual(set(self.texts("td.col-agent")), {"cody"})
        self.assertEqual(len(self.find("table.rows-and-columns tbody tr")), 5)

        self.driver.get(f"{address}/agents/search")
        self.find('[name="words"]')[0].send_keys("12 tests pass")
        self.follow(self.find('form.sql input[type="submit"]')[0])
        self.assertEqual(self.texts("td.col-turn_type"), ["assistant"])

        self.follow(self.find("td.col-session_id a")[0])
        self.assertIn(LOGIN, self.driver.current_url)
        self.assertEqual(self.texts("h1"), ["Fix login"])
        self.assertEqual(len(self.find("article")), 14)
        self.assertIn("Names with a dot cannot log in.", self.texts("article.user")[0])
        thinking = self.find("article.thinking .text")[0]
        self.assertFalse(thinking.is_displayed())
        self.find("article.thinking summary")[0].click()
        self.assertTrue(thinking.is_displayed())
        added = self.find(".diff .added")[0]
        self.assertNotEqual(added.value_of_css_property("background-color"),
                            self.find(".diff .same")[0].value_of_css_property("background-color"))
        self.shoot("session")
        self.assertEqual([entry for entry in self.driver.get_log("browser") if "favicon" not in entry["message"]], [])

    def test_stored_texts_never_run(self):
        address = self.serve(XSS)
        self.driver.get(f"{address}/agents/agent_sessions")
        link = self.find("td.col-session_id a")[0].get_attribute("href")
        pages = [f"{address}/agents/{table}" for table in ["agent_sessions", "agent_messages", "agent_timeline"]]
        for page in [*pages, f"{address}/agents/search?words=window.ran", link]:
            self.driver.get(page)
            self.assertIn("window.ran=", self.find("body")[0].text, page)
            self.assertIsNone(self.driver.execute_script("return window.ran || null"), page)
            self.assertEqual([a.get_attribute("href") for a in self.find('a[href^="javascript"]')], [], page)
        self.assertEqual(self.texts("h1"), ["<script>window.ran=3</script>"])
        self.shoot("hostile")


if __name__ == "__main__":
    unittest.main()
