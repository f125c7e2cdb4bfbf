"""A real browser for questionnaire pages, and an address on this machine that they send to."""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from patience import PATIENCE

from ppworkbench.core.design import Design
from ppworkbench.fieldwork.page.page import QuestionnaireOptions, write_questionnaire
from ppworkbench.study.questionnaire.texts import Texts

DESK = 1280


class Browser:
    """Chromium with a page open, and what it did in the network since then."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, path: Path | str, width: int = DESK) -> None:
        """Open a file or an address."""
        self.resize(width)
        self.driver.get("about:blank")
        self.driver.get_log("performance")
        self.driver.get(path if isinstance(path, str) else path.as_uri())

    def click(self, name: str) -> None:
        """Click an element by its id."""
        self.driver.find_element("id", name).click()

    def shows(self, name: str) -> bool:
        """Whether an element can be seen."""
        found = self.driver.find_elements("id", name)
        return bool(found) and found[0].is_displayed()

    def text(self, name: str) -> str:
        """What an element says, seen or not."""
        return self.run("return document.getElementById(arguments[0]).textContent", name)

    @contextmanager
    def hurried(self, times: int = 50) -> Iterator[None]:
        """Let waiting times of pages pass so many times faster."""
        script = (
            "{ const slow = window.setTimeout;"
            f" window.setTimeout = (call, wait, ...more) => slow(call, wait / {times}, ...more); }}"
        )
        made = self.driver.execute_cdp_cmd(
            "Page.addScriptToEvaluateOnNewDocument", {"source": script}
        )
        try:
            yield
        finally:
            self.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", made)

    @contextmanager
    def offline(self) -> Iterator[None]:
        """Take the network away."""
        usual = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        name = "Network.emulateNetworkConditions"
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd(name, {**usual, "offline": True})
        try:
            yield
        finally:
            self.driver.execute_cdp_cmd(name, {**usual, "offline": False})

    def resize(self, width: int) -> None:
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def run(self, script: str, *values: Any) -> Any:
        return self.driver.execute_script(script, *values)

    def wait_for(self, script: str) -> Any:
        """Wait until a script gives something that counts as true."""
        from selenium.webdriver.support.ui import WebDriverWait

        return WebDriverWait(self.driver, PATIENCE, 0.02).until(lambda driver: self.run(script))

    def follow(self, move: Callable[[], Any]) -> None:
        """Make a move that leads to another page, and wait until that one is there."""
        self.run("window.isLeft = true")
        move()
        self.wait_for("return !window.isLeft && document.readyState === 'complete'")

    def traffic(self) -> list[dict[str, Any]]:
        """All that the browser told of its requests since the page was opened."""
        told = [json.loads(one["message"])["message"] for one in self.driver.get_log("performance")]
        return [one for one in told if one["method"].startswith("Network.request")]

    def requests(self) -> list[str]:
        """The addresses that were asked for since the page was opened, but for the page itself."""
        found = [
            one["params"]["request"]["url"]
            for one in self.traffic()
            if one["method"] == "Network.requestWillBeSent"
        ]
        return [url for url in found if not url.startswith(("file:", "about:", "blob:"))]

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser")]


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    helper = shutil.which("chromedriver")
    if program is None or helper is None:
        pytest.skip("chromium and chromedriver are not installed")
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = program
    profile = tmp_path_factory.mktemp("profile")
    for word in (
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        "--disable-background-networking", "--no-first-run", f"--user-data-dir={profile}",
    ):  # fmt: skip
        options.add_argument(word)
    folder = str(tmp_path_factory.mktemp("downloads"))
    options.add_experimental_option("prefs", {"download.default_directory": folder})
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(helper))
    driver.downloads = Path(folder)
    try:
        yield driver
    finally:
        driver.quit()


@pytest.fixture
def browser(chromium: Any) -> Browser:
    """The browser without anything from the test before."""
    # What a session keeps goes with its tab; all files share the rest, whoever wrote it.
    chromium.switch_to.new_window("tab")
    new = chromium.current_window_handle
    for tab in chromium.window_handles:
        if tab != new:
            chromium.switch_to.window(tab)
            chromium.close()
    chromium.switch_to.window(new)
    chromium.execute_cdp_cmd(
        "Storage.clearDataForOrigin", {"origin": "file://", "storageTypes": "all"}
    )
    chromium.get_log("browser")
    return Browser(chromium)


@pytest.fixture
def page(tmp_path: Path) -> Callable[..., Path]:
    """Write the page of a design."""

    def write(design: Design, texts: Texts | None = None, **options: Any) -> Path:
        path = tmp_path / "page.html"
        write_questionnaire(design, path, texts, QuestionnaireOptions(**options))
        return path

    return write


class Inbox:
    """An address that takes what is sent, and what arrived at it.

    ``replies`` are given one after the other before the usual ``status``: a status, perhaps with
    the seconds after which to come back, and perhaps with a delay.
    """

    def __init__(self, host: str) -> None:
        self.host = host
        self.address = f"{host}/in"
        self.bodies: list[str] = []
        self.heads: list[dict[str, str]] = []
        self.status = 200
        self.replies: list[tuple[int, int] | tuple[int, int, float]] = []
        self.pages: dict[str, tuple[str, str]] = {}
        self.codes: list[str] = []
        """The bodies that asked whether a code is free."""
        self.spent: set[str] = set()

    def serve(self, path: str, page: tuple[str, str]) -> str:
        """Serve a page with its policy at an address."""
        self.pages[path] = page
        return f"{self.host}{path}"

    def reply(
        self, path: str, body: str, heads: dict[str, str]
    ) -> tuple[int, int] | tuple[int, int, float]:
        """Take what was posted; a code gets 403 if it is spent."""
        if path == "/code":
            self.codes.append(body)
            return (403 if json.loads(body)["token"] in self.spent else 204), 0
        self.bodies.append(body)
        self.heads.append(heads)
        return self.replies.pop(0) if self.replies else (self.status, 0)

    def sent(self) -> list[Any]:
        """What arrived, as values."""
        return [json.loads(body) for body in self.bodies]


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    """An address on this machine that takes what is sent, and serves pages as a collector does."""

    class Taker(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            body = self.rfile.read(size).decode()
            status, wait, *delay = taken.reply(self.path, body, dict(self.headers))
            if delay:
                time.sleep(delay[0])
            self.send_response(status)
            self.send_header("Access-Control-Allow-Origin", "*")
            if wait:
                self.send_header("Retry-After", str(wait))
            if status != 204:
                self.send_header("Content-Length", "0")
            self.end_headers()

        def do_GET(self) -> None:
            page = taken.pages.get(self.path.partition("?")[0])
            if page is None:
                if not self.path.startswith("/favicon"):
                    taken.bodies.append(f"GET {self.path}")
                self.send_error(404)
                return
            content = page[0].encode()
            self.send_response(200)
            for name, value in (
                ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"),
                ("Content-Security-Policy", page[1]), ("Content-Length", str(len(content))),
            ):  # fmt: skip
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *words: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Taker)
    server.daemon_threads = True
    taken = Inbox(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield taken
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
