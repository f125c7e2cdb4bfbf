"""A collector answers as the page expects, and keeps nothing but what the design can give."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import socket
import sqlite3
import sys
import time
from contextlib import ExitStack, suppress
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
from collecting import (
    DESIGN,
    DIGEST,
    Client,
    bodies,
    body,
    codec,
    flood,
    ids,
    process,
    rows,
    served,
    submissions,
)
from patience import PATIENCE, until

from ppworkbench.core.errors import DataError
from ppworkbench.fieldwork.collector import connection
from ppworkbench.fieldwork.collector.app import RateLimit
from ppworkbench.fieldwork.collector.control import State, find_server, start_collection
from ppworkbench.fieldwork.collector.server import (
    CollectorServer,
    ServeOptions,
    open_socket,
    own_addresses,
)
from ppworkbench.fieldwork.collector.store import Submission

ROW = rows(1)[0] | {"smokes": "yes"}
PROXY = ServeOptions(port=0, proxy="127.0.0.1")


@pytest.fixture
def collection(tmp_path):
    with start_collection(tmp_path / "answers.sqlite", DESIGN) as made:
        yield made


@pytest.fixture
def client(collection):
    with served(collection.place) as address:
        made = Client(address)
        yield made
        made.close()


needs_loopback_addresses = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="only Linux has more than one loopback address"
)


@pytest.mark.slow
def test_that_a_row_is_stored_once_however_often_it_is_sent(client, collection):
    sent = body(ROW, b"\1" * 16)
    first = client.post(sent)
    assert (first.status, first.body) == (204, b"")
    assert client.post(sent).status == 204
    assert client.post(body(ROW | {"smokes": "no"}, b"\1" * 16)).status == 409
    assert client.post(body(ROW, b"\2" * 16, design="0" * 16)).status == 409
    assert client.post(sent, content_type="text/plain;charset=UTF-8").status == 204
    assert collection.status().answers == 1
    table = collection.table()
    assert table["smokes"].data.tolist() == [1]
    until(lambda: collection.status().refused == {"id": 1, "design": 1})


@pytest.mark.parametrize(
    ("status", "content", "headers"),
    [
        (415, body(ROW, b"\1" * 16), {"content_type": "application/x-www-form-urlencoded"}),
        (415, body(ROW, b"\1" * 16), {"content_type": ""}),
        (413, body(ROW | {"smokes": "y" * 70_000}, b"\1" * 16), {}),
        (422, b"", {}),
        (422, b"[]", {}),
        (422, b'{"id": 1}', {}),
        (422, b"\xff\xfe", {}),
        (422, body(ROW, b"\1" * 15), {}),
        (422, body({}, b"\1" * 16), {}),
        (422, body(ROW | {"more": 1}, b"\1" * 16), {}),
        (422, body(ROW | {"smokes": "perhaps"}, b"\1" * 16), {}),
        (422, body(ROW | {"smokes": ["yes"]}, b"\1" * 16), {}),
        (422, body(ROW | {"age": 7}, b"\1" * 16), {}),
        (422, body(ROW | {"age": 40.5}, b"\1" * 16), {}),
        (422, body(ROW | {"age": True}, b"\1" * 16), {}),
        (422, body(ROW | {"age": "40"}, b"\1" * 16), {}),
        (422, body(ROW | {"salary": 5_000.123456789}, b"\1" * 16), {}),
        (422, body(ROW, b"\1" * 16)[:-1] + b', "id": "x"}', {}),
        (422, body(ROW, b"\1" * 16)[:-1] + b', "time": 1}', {}),
        (422, body(ROW, b"\1" * 16, token="x" * 200), {}),
        (403, body(ROW, b"\1" * 16), {"origin": "https://evil.example"}),
        (403, body(ROW, b"\1" * 16), {"origin": "null"}),
        (403, body(ROW, b"\1" * 16), {"sec_fetch_site": "cross-site"}),
    ],
)  # fmt: skip
def test_that_what_the_design_cannot_give_is_refused(shared, status, content, headers):
    client, collection = shared
    assert client.post(content, **headers).status == status
    assert collection.status().answers == 0


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    place = tmp_path_factory.mktemp("shared") / "answers.sqlite"
    with start_collection(place, DESIGN) as collection, served(place) as address:
        client = Client(address)
        yield client, collection
        client.close()


def test_that_every_answer_has_the_headers_that_protect_respondents(shared):
    client, _ = shared
    for method, path, status in (
        ("GET", "/", 200), ("GET", "/kiosk", 200), ("GET", "/other", 404), ("POST", "/", 405),
        ("PUT", "/answers", 405), ("GET", "/answers", 404), ("GET", "/answers.sqlite", 404),
        ("POST", "/answers", 415), ("GET", "/status", 404), ("GET", "/docs", 404),
    ):  # fmt: skip
        reply = client.ask(method, path)
        assert reply.status == status, path
        assert "server" not in reply.headers
        assert "set-cookie" not in reply.headers
        assert reply.headers["cache-control"] == "no-store"
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["referrer-policy"] == "no-referrer"
        policy = reply.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in policy
        assert "form-action 'none'" in policy
        if status == 200:
            assert "connect-src 'self'" in policy
            assert "script-src 'sha256-" in policy
            assert "unsafe" not in policy
            assert DIGEST.encode() in reply.body


def test_that_only_a_site_that_is_allowed_may_send(collection):
    site = "https://survey.example"
    options = ServeOptions(port=0, origins=frozenset({site}))
    with served(collection.place, options) as address:
        client = Client(address)
        asked = client.ask("OPTIONS", "/answers", headers={"origin": site})
        assert asked.status == 204
        assert asked.headers["access-control-allow-origin"] == site
        sent = client.post(body(ROW, b"\1" * 16), origin=site, sec_fetch_site="cross-site")
        assert (sent.status, sent.headers["access-control-allow-origin"]) == (204, site)
        assert client.post(body(ROW, b"\2" * 16), origin="https://other.example").status == 403
        own = address.rstrip("/")
        assert (
            client.post(body(ROW, b"\3" * 16), origin=own, sec_fetch_site="same-origin").status
            == 204
        )
        client.close()


def test_that_a_page_behind_a_proxy_is_our_own_whatever_the_proxy_calls_us(collection):
    with served(collection.place, PROXY) as address:
        client = Client(address)
        told = {"origin": "https://survey.example", "x_forwarded_for": "198.51.100.7"}
        sent = body(ROW, b"\1" * 16)
        assert client.post(sent, **told).status == 403
        assert client.post(sent, **told, sec_fetch_site="cross-site").status == 403
        assert client.post(sent, **told, sec_fetch_site="same-origin").status == 204
        client.close()


@pytest.mark.slow
def test_that_a_running_server_follows_the_database(client, collection):
    assert client.post(body(ROW, b"\1" * 16)).status == 204
    collection.pause()
    paused = client.post(body(ROW, b"\2" * 16))
    assert (paused.status, paused.headers["retry-after"]) == (503, "5")
    assert client.post(body(ROW, b"\1" * 16)).status == 204, "a retry of what is stored"
    collection.resume()
    assert client.post(body(ROW, b"\2" * 16)).status == 204
    collection.close()
    assert client.post(body(ROW, b"\3" * 16)).status == 410
    until(lambda: client.ask("GET", "/").status == 410)
    assert b"closed" in client.ask("GET", "/kiosk").body
    assert collection.status().answers == 2
    assert collection.new_round() == 2
    until(lambda: client.post(body(ROW, secrets.token_bytes(16))).status == 204)
    until(lambda: collection.status().refused.get("closed", 0) >= 1)
    assert collection.table(1).rows == 2


def test_that_each_token_is_good_for_one_answer(collection):
    first, second = collection.make_tokens(2)
    with served(collection.place) as address:
        client = Client(address)
        assert client.post(body(ROW, b"\1" * 16)).status == 403
        assert client.post(body(ROW, b"\1" * 16, "wrong")).status == 403
        assert client.post(body(ROW, b"\1" * 16, first)).status == 204
        assert client.post(body(ROW, b"\1" * 16, first)).status == 204, "a retry"
        assert client.post(body(ROW, b"\2" * 16, first)).status == 403
        assert client.post(body(ROW, b"\2" * 16, f" {second.upper()} ")).status == 204
        assert collection.status().tokens_left == 0
        client.close()


def test_that_a_code_can_be_asked_for_and_nothing_else_is_told(collection):
    first, second = collection.make_tokens(2)
    free = json.dumps({"token": first}).encode()
    with served(collection.place, ServeOptions(port=0)) as address:
        client = Client(address)

        def ask(content: bytes, **headers: str) -> tuple[int, bytes]:
            reply = client.post(content, path="/code", **headers)
            return reply.status, reply.body

        assert ask(free) == ask(free) == (204, b""), "asking spends nothing"
        assert ask(json.dumps({"token": f" {first.upper()} "}).encode()) == (204, b"")
        assert client.post(body(ROW, b"\1" * 16, first)).status == 204
        # What was used and what never was are one and the same.
        unknown = json.dumps({"token": "wrong"}).encode()
        assert ask(free) == ask(unknown) == (403, b"token")
        assert ask(json.dumps({"token": "word " * 30}).encode()) == (403, b"token")
        for content in (b"", b"[]", b"{}", b'{"token": 1}', b'{"token": "a", "row": {}}'):
            assert ask(content) == (422, b"answers")
        assert ask(free, host="evil.example")[0] == 421
        assert ask(free, origin="http://evil.example") == (403, b"origin")
        assert ask(free, content_type="text/html") == (415, b"type")
        assert client.ask("GET", "/code").status == 404
        assert client.post(body(ROW, b"\2" * 16, second)).status == 204
        collection.close()
        until(lambda: ask(unknown) == (410, b"closed"))
        client.close()


def test_that_codes_are_not_tried_out_without_end_and_sending_has_its_own_limit(collection):
    (word,) = collection.make_tokens(1)
    with served(collection.place) as address:
        client = Client(address)
        unknown = b'{"token": "wrong"}'
        assert any(client.post(unknown, path="/code").status == 429 for _ in range(5_000))
        assert client.post(body(ROW, b"\1" * 16, word)).status == 204
        client.close()


def test_that_every_code_is_good_where_none_is_needed(collection):
    with served(collection.place) as address:
        client = Client(address)
        assert client.post(b'{"token": "any"}', path="/code").status == 204
        client.close()


@pytest.mark.slow
def test_that_a_token_is_looked_for_however_it_was_typed(collection):
    with served(collection.place) as address:
        client = Client(address)
        assert client.post(body(ROW, b"\1" * 16)).status == 204
        word, *_ = collection.make_tokens(2)
        assert client.post(body(ROW, b"\2" * 16, word)).status == 204, "a moment after"
        pasted = body(ROW, b"\3" * 16, "a whole sentence " * 30)
        until(lambda: client.post(pasted).status == 403)
        client.close()
    assert collection.status().answers == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2001:db8::1:1:1:1", "2001:db8::2:1:1:1"),
        ("2001:db8:1:2::1", "2001:db8:1:2:3:4:5:6"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("192.0.2.1:5001", "192.0.2.1:5002"),
        ("[2001:db8::1]:5001", "2001:db8::2"),
    ],
)
def test_that_other_names_of_an_address_share_its_limit(one, other):
    limit = RateLimit(per_minute=60, burst=1)
    assert limit.allows(one, now=0.0)
    assert not limit.allows(other, now=0.0)
    assert limit.allows("2001:db8:9::1", now=0.0)
    assert limit.allows("192.0.2.9", now=0.0)


def test_that_a_proxy_is_known_at_an_address_for_both_versions(collection):
    if not socket.has_dualstack_ipv6():
        pytest.skip("this computer has no addresses of the sixth version")
    with served(collection.place, ServeOptions("::", 0, proxy="127.0.0.1")) as address:
        client = Client(f"http://127.0.0.1:{urlsplit(address).port}")
        replies = {
            client.post(b"", x_forwarded_for=f"10.0.{place // 256}.{place % 256}").status
            for place in range(320)
        }
        client.close()
    assert replies == {422}


def test_that_an_address_may_not_send_without_end(client, collection):
    assert [client.post(b"{}").status for _ in range(300)] == [422] * 300
    # More are allowed with time, so that a slow computer sends more of them before the end.
    replies = (client.post(b"{}") for _ in range(3_000))
    refused = next(reply for reply in replies if reply.status != 422)
    assert refused.status == 429
    assert "retry-after" in refused.headers


def test_that_nothing_tells_who_sent_an_answer(tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    place = tmp_path / "answers.sqlite"
    markers = {
        "address": "203.0.113.77",
        "browser": "Marker-Browser/77.1",
        "language": "xx-marker",
        "page": "https://marker.example/from",
    }
    with start_collection(place, DESIGN) as collection:
        token = collection.make_tokens(3)[0]
        before = time.time()
        with served(place, PROXY) as address:
            client = Client(address)
            reply = client.post(
                body(ROW, b"\7" * 16, token),
                x_forwarded_for=markers["address"],
                user_agent=markers["browser"],
                accept_language=markers["language"],
                referer=markers["page"],
            )
            assert reply.status == 204
            assert client.post(b"{}", user_agent=markers["browser"]).status == 422
            client.close()
            files = [place, place.with_name("answers.sqlite-wal")]
            held = b"".join(one.read_bytes() for one in files)
        held += b"".join(one.read_bytes() for one in tmp_path.iterdir())
        clock = time.localtime(before)
        markers |= {
            "token": token, "plain token": token.replace("-", ""),
            "seconds": str(int(before))[:9], "time": time.strftime("%H:%M", clock),
            "loopback": "127.0.0.1",
        }  # fmt: skip
        for name, marker in markers.items():
            assert marker.encode() not in held, name
            assert marker not in caplog.text, name
        assert time.strftime("%Y-%m-%d", clock).encode() in held


def mutated(count: int) -> list[bytes]:
    """Requests with one thing or a few changed, bytes as well as values."""
    rng = np.random.default_rng(5)
    odd = [
        None, True, -1, 0, 1e308, 10**400, 0.1, "", "yes", "no", "\0", "é", [], {}, [None],
        {"a": 1}, "x" * 3_000, "red", 45, "45", -0.0, 2**63,
    ]  # fmt: skip
    made = []
    for place, row in enumerate(rows(count, seed=5)):
        given = {"id": secrets.token_hex(16), "design": DIGEST, "row": row}
        match place % 4:
            case 0:
                row[str(rng.choice([*row]))] = odd[rng.integers(len(odd))]
            case 1:
                given[str(rng.choice(["id", "design", "row", "token"]))] = odd[
                    rng.integers(len(odd))
                ]
            case 2:
                row.pop(str(rng.choice([*row])))
                if rng.random() < 0.5:
                    row[str(rng.choice(["smokes ", "", "__proto__"]))] = "yes"
        text = json.dumps(given).encode()
        if place % 4 == 3:
            letters = bytearray(text)
            for _ in range(int(rng.integers(1, 4))):
                letters[int(rng.integers(len(letters)))] = int(rng.integers(256))
            text = bytes(letters)
        made.append(text)
    return made


def is_possible(content: bytes) -> bool:
    try:
        given = json.loads(content.decode())
    except ValueError:
        return False
    return isinstance(given, dict) and codec().encode(given.get("row")) is not None


@pytest.mark.slow
def test_that_no_mutated_request_is_stored_unless_the_design_could_give_it(collection):
    sent = mutated(2_000)
    replies: dict[int, int] = {}
    with served(collection.place, PROXY) as address:
        asyncio.run(flood(address, sent, 4, replies.__setitem__))
    assert len(replies) == 2_000
    assert set(replies.values()) <= {204, 409, 413, 422}
    stored = [place for place, status in replies.items() if status == 204]
    assert 0 < len(stored) < 1_500
    assert all(is_possible(sent[place]) for place in stored)
    assert collection.status().answers == len(stored)
    assert collection.table().rows == len(stored)


def test_that_file_and_arrival_are_unrelated_after_closing(collection):
    store = collection.store
    count = 2_000
    lines = [codec().encode(row) for row in rows(count)]
    # Salaries that grow tell the order of arrival.
    for place in range(count):
        lines[place] = lines[place].rsplit(",", 1)[0] + f",{place / 10}"
    sent = [Submission(id_, DIGEST, line) for id_, line in zip(ids(count), lines, strict=True)]
    for start in range(0, count, 50):
        store.write(sent[start : start + 50], "2026-05-04")
    collection.close()
    connection = sqlite3.connect(collection.place)
    found = [row[0] for row in connection.execute("SELECT row FROM answer")]
    connection.close()
    held = Path(collection.place).read_bytes()
    in_file = np.argsort([held.index(line.encode()) for line in found])
    arrived = np.array([float(line.rsplit(",", 1)[1]) for line in found])[in_file]
    ranks = np.argsort(np.argsort(arrived))
    correlation = np.corrcoef(ranks, np.arange(count))[0, 1]
    assert abs(correlation) < 4 / np.sqrt(count)


def test_that_a_clock_that_goes_back_loses_nothing(collection):
    store = collection.store
    assert len(store.write(submissions(5, 1), "2026-05-04")) == 5
    assert len(store.write(submissions(7, 2), "2026-05-03")) == 7
    assert collection.status().days == {"2026-05-03": 7, "2026-05-04": 5}


@pytest.mark.slow
def test_that_two_servers_do_not_share_a_database(client, collection):
    assert find_server(collection.place) is not None
    with pytest.raises(DataError, match=r"answers\.sqlite is already served by another process"):
        CollectorServer(collection.store, ServeOptions(port=0), print).run()
    assert client.post(body(ROW, b"\1" * 16)).status == 204


def test_that_a_port_in_use_is_said_with_a_free_one():
    with open_socket("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(DataError, match=rf"Port {port} is in use\. Try \d+\.") as said:
            open_socket("127.0.0.1", port)
        free = int(str(said.value).rsplit(" ", 1)[1].rstrip("."))
        open_socket("127.0.0.1", free).close()
    with pytest.raises(DataError, match="not an address of this computer"):
        open_socket("192.0.2.7", 0)


POST = b"POST /answers HTTP/1.1\r\n"
USUAL = b"host: localhost\r\ncontent-type: application/json\r\n"


def wire(sent: bytes, headers: bytes = USUAL, start: bytes = POST) -> bytes:
    return start + headers + b"content-length: %d\r\n\r\n" % len(sent) + sent


def chunked(sent: bytes) -> bytes:
    head = POST + USUAL + b"transfer-encoding: chunked\r\n\r\n"
    return head + b"%x\r\n%b\r\n0\r\n\r\n" % (len(sent), sent)


def forms(one: bytes, other: bytes) -> dict[str, tuple[list[bytes], list[int]]]:
    """Requests that send one answer, or two, in pieces, and what is answered."""
    made = {
        "usual": ([wire(one)], [204]),
        "twice": ([wire(one), wire(one)], [204, 204]),
        "at once": ([wire(one) + wire(other) + wire(b"{}")], [204, 204, 422]),
        "byte by byte": ([bytes([byte]) for byte in wire(one)], [204]),
        "body later": ([wire(one)[:120], wire(one)[120:]], [204]),
        "capitals": ([wire(one, USUAL.title())], [204]),
        "folded": ([wire(one, USUAL + b"x-more: 1\r\n  2\r\n")], [204]),
        "page before": ([b"GET /other HTTP/1.1\r\nhost: localhost\r\n\r\n", wire(one)], [404, 204]),
        "page after": ([wire(one), b"GET /other HTTP/1.1\r\nhost: localhost\r\n\r\n"], [204, 404]),
        "chunked": ([chunked(one)], [204]),
        "close": ([wire(one, USUAL + b"connection: close\r\n")], [204]),
        "old": ([wire(one, start=b"POST /answers HTTP/1.0\r\n")], [204]),
        "no host": ([wire(one, b"content-type: text/plain\r\n")], [400]),
        "two lengths": ([wire(one, USUAL + b"content-length: 3\r\n")], [400]),
        "wrong length": ([POST + USUAL + b"content-length: +3\r\n\r\n{}\n"], [400]),
        "space before colon": ([wire(one, USUAL + b"x-more : 1\r\n")], [400]),
        "zero": ([wire(one, USUAL + b"x-more: \0\r\n")], [400]),
        "endless header": ([POST + b"x" * 200_000], [400]),
        "long header": ([wire(one, USUAL + b"x-more: " + b"x" * 15_000 + b"\r\n")], [204]),
        "2 GB": ([POST + USUAL + b"content-length: 2147483648\r\n\r\n{"], [413]),
        "foreign": ([wire(one, USUAL + b"origin: https://evil.example\r\n")], [403]),
        "type": ([wire(one, b"host: localhost\r\n")], [415]),
        "other path": ([wire(one, start=b"POST /answer HTTP/1.1\r\n")], [404]),
        "rubbish": ([b"\x16\x03\x01\x02\0\x01\0\x01"], [400]),
    }  # fmt: skip
    if find_spec("httptools"):
        # The compiled parser is stricter here, more generous there, and has no limit of its own.
        made["folded"] = made["folded"][0], [400]
        made["no host"] = made["no host"][0], [204]
        made["endless header"] = made["endless header"][0], []
    return made


FORMS = tuple(forms(b"", b""))


@pytest.fixture(scope="module")
def listening(tmp_path_factory):
    """A server that is sent all forms one after the other."""
    place = tmp_path_factory.mktemp("forms") / "answers.sqlite"
    with start_collection(place, DESIGN) as collection, served(place) as address:
        yield urlsplit(address), collection


@pytest.mark.parametrize("form", FORMS)
def test_that_every_form_of_a_request_is_answered(listening, form):
    told, collection = listening
    # Of nobody else: what is there already would be answered alike, but not stored.
    first = 2 * FORMS.index(form)
    parts, expected = forms(*(body(ROW, bytes([first + n]) * 16) for n in (1, 2)))[form]
    before = collection.status().answers
    with socket.create_connection((told.hostname, told.port), timeout=PATIENCE) as client:
        received = b""
        for part in parts:
            client.sendall(part)
            if len(parts) < 5:
                time.sleep(0.05)
        while received.count(b"HTTP/1.1 ") < len(expected):
            try:
                more = client.recv(100_000)
            except ConnectionResetError:
                more = b""
            if not more:
                break
            received += more
        if not expected:
            with suppress(ConnectionResetError):
                assert client.recv(1) == b""
    found = [int(one[:3]) for one in received.split(b"HTTP/1.1 ")[1:]]
    assert found == expected
    assert received.lower().count(b"\r\ndate: ") >= expected.count(204)
    different = {"at once": 2, "twice": 1}
    assert collection.status().answers - before == different.get(form, expected.count(204))


SLOW = {
    "nothing": b"",
    "half a line": b"POST /answers HTT",
    "half a header": b"GET / HTTP/1.1\r\nhost: localhost\r\nx-more: ",
    "half a body": b"POST /answers HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\n"
    b"content-length: 9\r\n\r\n{",
    "half of the next": b"GET /other HTTP/1.1\r\nhost: localhost\r\n\r\nGET / HT",
}


@pytest.mark.slow
def test_that_slow_clients_are_cut_off(collection, monkeypatch):
    monkeypatch.setattr(connection, "REQUEST_SECONDS", 0.5)
    with served(collection.place) as address, ExitStack() as stack:
        told = urlsplit(address)
        clients = {}
        for name, sent in SLOW.items():
            clients[name] = socket.create_connection((told.hostname, told.port), timeout=PATIENCE)
            stack.enter_context(clients[name])
            clients[name].sendall(sent)
        for name, client in clients.items():
            with suppress(ConnectionResetError):
                while client.recv(10_000):
                    assert name == "half of the next"
        # Whoever said nothing, as browsers do that open connections ahead, has sent no answer.
        until(lambda: collection.status().refused.get("slow", 0) >= 3)
        assert collection.status().refused["slow"] == 3


def hold(told, count: int, stack: ExitStack, source: str) -> list[socket.socket]:
    """Connections of an address that have sent half a request."""
    held = []
    for _ in range(count):
        made = socket.create_connection((told.hostname, told.port), PATIENCE, (source, 0))
        made.sendall(b"GET / HTTP/1.1\r\nhost: local")
        held.append(stack.enter_context(made))
    return held


def is_cut_off(client: socket.socket) -> bool:
    try:
        return client.recv(10) == b""
    except ConnectionResetError:
        return True


def status_of(client: socket.socket, sent: bytes) -> bytes:
    client.sendall(sent)
    return client.recv(12)


@needs_loopback_addresses
def test_that_one_address_with_unfinished_requests_does_not_shut_others_out(
    collection, monkeypatch
):
    monkeypatch.setattr(connection, "MOST_UNFINISHED", 3)
    with served(collection.place) as address, ExitStack() as stack:
        told = urlsplit(address)
        held = hold(told, 8, stack, "127.0.0.2")
        # Those that have waited longest make room, also for new ones of the same address.
        assert all(is_cut_off(one) for one in held[:5])
        others = hold(told, 3, stack, "127.0.0.1")
        for one in held[5:] + others:
            assert status_of(one, b"host\r\n\r\n") == b"HTTP/1.1 200"


@needs_loopback_addresses
def test_that_the_address_with_most_unfinished_requests_makes_room(collection, monkeypatch):
    monkeypatch.setattr(connection, "MOST_CONNECTIONS", 6)
    with served(collection.place) as address, ExitStack() as stack:
        told = urlsplit(address)
        first = hold(told, 1, stack, "127.0.0.3")
        many = hold(told, 5, stack, "127.0.0.2")
        others = hold(told, 3, stack, "127.0.0.1")
        assert all(is_cut_off(one) for one in many[:3])
        for one in first + many[3:] + others:
            assert status_of(one, b"host\r\n\r\n") == b"HTTP/1.1 200"


def test_that_people_behind_a_proxy_are_not_taken_for_one_address(collection, monkeypatch):
    monkeypatch.setattr(connection, "MOST_UNFINISHED", 3)
    with served(collection.place, PROXY) as address, ExitStack() as stack:
        for one in hold(urlsplit(address), 8, stack, "127.0.0.1"):
            assert status_of(one, b"host\r\n\r\n") == b"HTTP/1.1 200"


def test_that_counts_are_told_in_steps_of_ten(collection):
    with process(collection.place) as (child, address):
        client = Client(address)
        for sent in bodies(23):
            assert client.post(sent).status == 204
        client.close()
        told = []
        while 20 not in told:
            event = json.loads(child.stdout.readline())
            assert event["event"] == "count"
            told.append(event["answers"])
        assert all(count % 10 == 0 for count in told)


def test_that_a_name_of_somebody_else_that_leads_here_is_refused(collection):
    foreign = {"host": "evil.example", "origin": "http://evil.example"}
    options = ServeOptions(port=0, names=frozenset({"survey.example.org"}))
    with served(collection.place, options) as address:
        port = urlsplit(address).port
        client = Client(address)
        reply = client.post(body(ROW, ids(1)[0]), **foreign)
        assert (reply.status, reply.body) == (421, b"host")
        assert client.ask("GET", "/", headers={"host": "evil.example"}).status == 421
        assert client.ask("GET", "/", headers={"host": f"localhost:{port}"}).status == 200
        own = {"host": f"Survey.example.org:{port}", "origin": f"http://Survey.example.org:{port}"}
        assert client.post(body(ROW, ids(1)[0]), **own).status == 204
        client.close()
        until(lambda: collection.status().refused.get("host") == 2)
    assert collection.status().answers == 1


@pytest.mark.slow
def test_that_closing_during_load_loses_nothing_that_was_acknowledged(collection):
    replies: dict[int, int] = {}

    def on_reply(place: int, status: int) -> None:
        replies[place] = status
        if len(replies) == 200:
            collection.close()

    with served(collection.place, PROXY) as address:
        asyncio.run(flood(address, bodies(600), 8, on_reply))
    acknowledged = [place for place, status in replies.items() if status == 204]
    assert set(replies.values()) == {204, 410}
    assert collection.state is State.CLOSED
    assert collection.status().answers == len(acknowledged)


def test_that_the_addresses_of_this_computer_are_those_that_others_reach():
    for host in ("0.0.0.0", "::"):
        for address in own_addresses(host):
            assert not address.startswith(("127.", "::1", "fe80", "169.254."))
            assert host == "::" or ":" not in address
