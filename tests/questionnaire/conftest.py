"""A real browser for questionnaire pages, and an address on this machine that they send to."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from ppworkbench.core.design import Design
from ppworkbench.study.questionnaire import QuestionnaireOptions, Texts, write_questionnaire

DESK = 1280


class Browser:
    """Chromium with a page open, and what it did in the network since then."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, path: Path, width: int = DESK) -> None:
        self.resize(width)
        self.driver.get("about:blank")
        self.driver.get_log("performance")
        self.driver.get(path.as_uri())

    def resize(self, width: int) -> None:
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def run(self, script: str, *values: Any) -> Any:
        return self.driver.execute_script(script, *values)

    def wait_for(self, script: str) -> Any:
        """Wait until a script gives something that counts as true."""
        from selenium.webdriver.support.ui import WebDriverWait

        return WebDriverWait(self.driver, 20, 0.02).until(lambda driver: self.run(script))

    def requests(self) -> list[str]:
        """The addresses that were asked for since the page was opened, but for the page itself."""
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
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
    chromium.get("about:blank")
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
    """What arrived at an address."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.bodies: list[str] = []
        self.heads: list[dict[str, str]] = []
        self.status = 200


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    """An address on this machine that takes what is sent."""

    class Taker(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            taken.bodies.append(self.rfile.read(size).decode())
            taken.heads.append(dict(self.headers))
            self.send_response(taken.status)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def do_GET(self) -> None:
            taken.bodies.append(f"GET {self.path}")
            self.send_error(404)

        def log_message(self, *words: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Taker)
    server.daemon_threads = True
    taken = Inbox(f"http://127.0.0.1:{server.server_port}/in")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield taken
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
