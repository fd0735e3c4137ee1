"""The pages of a gateway in a real browser: what people do with them, and what the browser complains about.

They need Chromium and its driver, from Debian's packages (`.ci/run` installs them) or as `browser` says.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator
from importlib.resources import files
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from edgedp import Graph, open_store
from edgedp.faces.gateway.kinds import kind_at
from edgedp.faces.gateway.pages.forms import fields
from edgedp.faces.gateway.pages.site import _amount
from gateway_server import serve

GRAPH = "people & <friends>/2026"
PLACE = "/graphs/people%20%26%20%3Cfriends%3E%2F2026"


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    folder = tmp_path_factory.mktemp("pages")
    place = folder / "graphs.edgedp"
    store = open_store(place)
    star = Graph.from_edges([(0, leaf) for leaf in range(1, 40)])
    with pytest.MonkeyPatch.context() as before:  # a slash is no part of a new name, and stays where it is
        before.setattr("edgedp.mechanisms.checks.check_new_graph_name", lambda name: None)
        store.load(star, GRAPH, epsilon_budget=20)
    path = Graph.from_edges([(leaf, leaf + 1) for leaf in range(40)])
    store.load(path, "other", epsilon_budget=20, delta="1e-6")
    tokens = {name: store.add_analyst(name)["token"] for name in ("ann", "bob", "eve", "fay", "gone")}
    tokens["cora"] = store.add_curator("cora")["token"]
    for name in ("ann", "eve"):
        store.grant(GRAPH, name, epsilon_budget=3)
    store.set_budget(GRAPH, 5, attributes=True)
    store.grant("other", "ann", epsilon_budget=3)
    store.asking_as("ann").ask_more("other", 1, "a page with something on it")
    store.attribute(GRAPH, "age", 0, 120, points=121)
    store.attribute(GRAPH, "friends", 0, 40, points=41, depends_on="degree")
    with serve(place, folder) as served:
        yield SimpleNamespace(store=store, tokens=tokens, served=served, address=served.address)


class Visitor:
    """Somebody at the browser."""

    def __init__(self, driver: WebDriver, room: SimpleNamespace) -> None:
        self.driver, self.room = driver, room

    def open(self, path: str) -> None:
        self.driver.get(self.room.address + path)

    def sign_in(self, who: str) -> None:
        self.driver.delete_all_cookies()
        self.open("/")
        self.type("token", self.room.tokens[who])
        self.press("Sign in")

    def type(self, field: str, text: str) -> None:
        element = self.driver.find_element(By.ID, field)
        element.clear()
        element.send_keys(text)

    def press(self, words: str) -> None:
        """Press a button or follow a link by its words, and wait for the page after it."""
        found = self.driver.find_elements(
            By.XPATH, f"//button[contains(., '{words}')] | //a[contains(., '{words}')]"
        )
        before = self.driver.find_element(By.TAG_NAME, "html").id
        self.driver.execute_script("arguments[0].click()", found[0])
        self.wait(lambda driver: driver.find_element(By.TAG_NAME, "html").id != before)

    def wait(self, until: Callable[[WebDriver], Any]) -> Any:
        from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException

        return WebDriverWait(
            self.driver, 120, ignored_exceptions=[NoSuchElementException, StaleElementReferenceException]
        ).until(until)

    @property
    def text(self) -> str:
        """What is to be read of the page; selenium's own way to it takes a tenth of a second."""
        return str(self.driver.execute_script("return document.body.innerText"))

    def path(self) -> str:
        return urlsplit(self.driver.current_url).path


@pytest.fixture
def visitor(chromium: WebDriver, room: SimpleNamespace) -> Iterator[Visitor]:
    """Hand out the browser; afterwards it must have no complaint, and have called nobody else."""
    for kind in ("browser", "performance"):
        chromium.get_log(kind)
    yield Visitor(chromium, room)
    said = [entry["message"] for entry in chromium.get_log("browser")]
    # Keys may be sent before the page is painted, and then the field that they go to has the focus already.
    expected = ("status of 401", "status of 403", "status of 422", "status of 404", "Autofocus processing")
    assert not [line for line in said if not any(each in line for each in expected)], said
    for entry in chromium.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            address = message["params"]["request"]["url"]
            assert address.startswith((room.address, "data:", "about:")), address


def test_an_analyst_signs_in_asks_and_is_refused_at_the_end_of_the_share(visitor: Visitor) -> None:
    visitor.sign_in("eve")
    assert "3 of 3 left" in visitor.text
    visitor.press(GRAPH)
    visitor.type("field-epsilon", "2")
    visitor.type("field-k", "1")
    assert visitor.driver.find_element(By.ID, "left-after").text == "1"
    visitor.press("See what it costs")
    assert "Nothing has been spent yet" in visitor.text
    assert "Left of your share then\n1" in visitor.text
    assert visitor.room.store.share(GRAPH, "eve")["epsilon_spent"] == 0
    visitor.press("Spend 2 and release")
    visitor.wait(lambda _: visitor.path().startswith("/releases/"))
    assert "Node id" in visitor.text
    assert "1 of 3 left" in visitor.text
    for words in ("edgedp --store", "store.priv_top_k", "CALL edgedp.privTopk.stream", "curl"):
        assert words in visitor.text
    visitor.driver.refresh()
    visitor.press("Ask again")
    visitor.type("field-epsilon", "2")
    visitor.press("See what it costs")
    assert "Your share does not allow this" in visitor.text
    assert "Spend 2" not in visitor.text
    visitor.open("/releases")
    assert GRAPH in visitor.text
    assert visitor.room.store.share(GRAPH, "eve")["epsilon_spent"] == 2


def test_a_revoked_analyst_is_out_in_mid_session(visitor: Visitor) -> None:
    visitor.sign_in("gone")
    assert visitor.path() == "/graphs"
    visitor.room.store.revoke_analyst("gone")
    visitor.open("/graphs")
    assert visitor.path() == "/sign-in"
    visitor.type("token", visitor.room.tokens["gone"])
    visitor.press("Sign in")
    assert "not valid" in visitor.text


def test_what_a_curator_grants_the_analyst_sees(visitor: Visitor) -> None:
    visitor.sign_in("fay")
    assert "You have no share of a graph yet" in visitor.text
    assert "other" not in visitor.text
    visitor.sign_in("cora")
    assert visitor.path() == "/curator"
    visitor.press("other")
    visitor.driver.find_element(By.ID, "analyst").send_keys("fay")
    visitor.type("epsilon_budget", "1.5")
    visitor.press("Grant")
    assert visitor.room.store.share("other", "fay")["epsilon_budget"] == 1.5
    assert "Shares together: 4.5" in visitor.text
    visitor.type("epsilon_budget", "-1")
    visitor.press("Grant")
    assert "epsilon_budget is" in visitor.text
    visitor.open("/curator/people")
    visitor.type("name", "dan <b>")
    visitor.press("Add analyst")
    token = visitor.driver.find_element(By.ID, "token").text
    assert visitor.room.store.identify(token).name == "dan <b>"
    visitor.sign_in("fay")
    assert "1.5 of 1.5 left" in visitor.text
    visitor.open("/graphs/other")
    visitor.type("field-epsilon", "0.1")
    visitor.press("See what it costs")
    visitor.press("Spend 0.1 and release")
    visitor.wait(lambda _: visitor.path().startswith("/releases/"))
    visitor.sign_in("cora")
    visitor.open("/curator/graphs/other")
    assert "fay" in visitor.driver.find_element(By.XPATH, "//section[contains(., 'Who asked what')]").text
    assert visitor.driver.find_elements(By.CSS_SELECTOR, "svg.plot path.line")


FOCUSED = """
const element = document.activeElement;
return [element.innerText, element.id, getComputedStyle(element).outlineStyle];
"""


def test_a_keyboard_is_enough(visitor: Visitor) -> None:
    driver = visitor.driver
    driver.delete_all_cookies()
    visitor.open("/")
    driver.switch_to.active_element.send_keys(visitor.room.tokens["ann"], Keys.ENTER)
    visitor.wait(lambda _: visitor.path() == "/graphs")

    def tab_to(words: str) -> None:
        for _ in range(40):
            driver.switch_to.active_element.send_keys(Keys.TAB)
            text, name, style = driver.execute_script(FOCUSED)
            if words in text or words == name:
                assert style != "none", f"{words} shows no focus"
                return
        raise AssertionError(f"no {words} by Tab")

    tab_to(GRAPH)
    driver.switch_to.active_element.send_keys(Keys.ENTER)
    visitor.wait(lambda _: visitor.path().startswith("/graphs/"))
    tab_to("field-epsilon")
    driver.switch_to.active_element.send_keys(Keys.CONTROL, "a")
    driver.switch_to.active_element.send_keys("0.25", Keys.ENTER)
    visitor.wait(lambda _: "Nothing has been spent yet" in visitor.text)
    assert "Spend 0.25" in driver.switch_to.active_element.text, "the next step has the focus"


@pytest.mark.parametrize("dark", [False, pytest.param(True, marks=pytest.mark.wide)], ids=["light", "dark"])
def test_pages_are_accessible_and_fit_a_phone(visitor: Visitor, dark: bool) -> None:
    driver = visitor.driver
    axe = files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    send: Callable[[str, dict[str, Any]], Any] = driver.execute_cdp_cmd
    send("Emulation.setEmulatedMedia", {"features": [scheme]})
    send(
        "Emulation.setDeviceMetricsOverride",
        {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": False},
    )
    try:
        places = {
            "ann": [
                "/graphs",
                f"{PLACE}?kind=percentile",
                "/graphs/other?kind=motkin",
                "/releases",
                "/more",
                "/api",
            ],
            "cora": [
                "/curator",
                f"/curator{PLACE}",
                "/curator/people",
                "/curator/people/tokens?name=ann",
                "/curator/more",
            ],
        }
        rules: dict[str, Any] = {"resultTypes": ["violations"]}
        if dark:  # what is not a colour was looked at in the light
            rules["runOnly"] = ["color-contrast"]
        for who, paths in places.items():
            visitor.sign_in(who)
            for path in ["/sign-in"] * (who == "ann") + paths:
                visitor.open(path)
                wide = driver.execute_script("return document.documentElement.scrollWidth")
                assert wide <= 360, (path, wide)
                driver.execute_script(axe)
                found = driver.execute_async_script(
                    "const done = arguments[1]; axe.run(arguments[0]).then(done)", rules
                )
                worst = [
                    (each["id"], each["nodes"][0]["html"])
                    for each in found["violations"]
                    if each["impact"] in ("serious", "critical")
                ]
                assert not worst, (path, worst)
        ground = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, ground[4:-1].split(","))) < 200) == dark
    finally:
        send("Emulation.clearDeviceMetricsOverride", {})
        send("Emulation.setEmulatedMedia", {"features": []})


# -- without a browser: what a page must refuse ------------------------------------------------


@pytest.fixture
def signed_in(room: SimpleNamespace) -> Iterator[Callable[[str], httpx.Client]]:
    clients: list[httpx.Client] = []

    def sign_in(who: str) -> httpx.Client:
        client = room.served.client()
        clients.append(client)
        answer = client.post("/sign-in", data={"token": room.tokens[who]})
        assert answer.status_code == 303
        cookie = answer.headers["set-cookie"]
        for part in ("HttpOnly", "SameSite=strict", "Path=/"):
            assert part in cookie
        assert room.tokens[who] not in cookie
        return client

    yield sign_in
    for client in clients:
        client.close()


def _csrf(page: str) -> str:
    return page.partition('name="csrf" value="')[2].partition('"')[0]


def test_forms_of_other_sites_and_sessions_are_refused(
    room: SimpleNamespace, signed_in: Callable[[str], httpx.Client]
) -> None:
    cora, form = signed_in("cora"), {"what": "add-analyst", "name": "intruder"}
    own = _csrf(cora.get("/curator/people").text)
    other = _csrf(signed_in("cora").get("/curator/people").text)
    assert own
    assert own != other
    for csrf in ({}, {"csrf": ""}, {"csrf": other}, {"csrf": own + "x"}, {"csrf": "ü"}):
        assert cora.post("/curator/people", data=form | csrf).status_code == 403
    for foreign in (
        {"Origin": "https://elsewhere.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ):  # fmt: skip
        assert cora.post("/curator/people", data=form | {"csrf": own}, headers=foreign).status_code == 403
        assert cora.post("/sign-in", data={"token": "x"}, headers=foreign).status_code == 403
    assert cora.post("/curator/people", json=form | {"csrf": own}).status_code == 415
    assert "intruder" not in [row["name"] for row in room.store.analysts()]
    assert cora.post("/curator/people", data=form | {"csrf": own}).status_code == 303


def test_a_role_sees_its_own_pages_alone(
    room: SimpleNamespace, signed_in: Callable[[str], httpx.Client]
) -> None:
    ann, cora = signed_in("ann"), signed_in("cora")
    for path in ("/curator", "/curator/graphs/other", "/curator/people"):
        assert ann.get(path).status_code == 403
        assert ann.post(path, data={"csrf": _csrf(ann.get("/graphs").text)}).status_code in (403, 405)
    for path in ("/graphs", "/graphs/other", "/releases"):
        assert cora.get(path).status_code == 403
    with room.served.client() as nobody:
        for path in ("/", "/graphs", "/curator", "/releases/x/csv"):
            assert nobody.get(path).headers["location"] == "/sign-in"
        nobody.cookies.update(ann.cookies)
        assert nobody.get("/graphs").status_code == 200
        assert nobody.get("/v1/graphs").status_code == 401, "a cookie is no token"


def test_what_people_wrote_is_shown_as_text(
    room: SimpleNamespace, signed_in: Callable[[str], httpx.Client]
) -> None:
    page = signed_in("ann").get("/graphs").text
    assert "people &amp; &lt;friends&gt;/2026" in page
    assert "<friends>" not in page
    assert PLACE in page


def test_a_release_is_downloaded(room: SimpleNamespace, signed_in: Callable[[str], httpx.Client]) -> None:
    ann = signed_in("ann")
    asked = {"csrf": _csrf(ann.get("/graphs").text), "kind": "top-k", "step": "release", "request_id": "page"}
    asked |= {"metric": "degree", "k": "2", "epsilon": "0.1", "mechanism": ""}
    answer = ann.post(PLACE, data=asked)
    assert answer.status_code == 303, answer.text
    place = answer.headers["location"]
    assert ann.post(PLACE, data=asked).headers["location"] == place
    nodes = ann.get(f"{place}/json").json()["nodes"]
    assert ann.get(f"{place}/csv").text == f"rank,id\n1,{nodes[0]}\n2,{nodes[1]}\n"
    assert ann.get(f"{place}/csv").headers["content-disposition"].startswith("attachment")
    assert signed_in("bob").get(place).status_code == 404


def test_shares_of_the_properties_are_granted_seen_and_spent(
    room: SimpleNamespace, signed_in: Callable[[str], httpx.Client]
) -> None:
    cora, bob = signed_in("cora"), signed_in("bob")
    page = cora.get(f"/curator{PLACE}").text
    assert "Spending: the attributes" in page
    grant = {"csrf": _csrf(page), "analyst": "bob", "epsilon_budget": "2", "max_epsilon_per_release": ""}
    asked = {"csrf": _csrf(bob.get("/graphs").text), "kind": "percentile", "q": "0.5", "epsilon": "0.5"}
    assert bob.get(f"{PLACE}?kind=percentile").status_code == 404, "who has no share sees no graph"
    assert cora.post(f"/curator{PLACE}", data=grant | {"account": "nodes"}).status_code == 422
    assert cora.post(f"/curator{PLACE}", data=grant | {"account": "attributes"}).status_code == 303
    page = bob.get(f"{PLACE}?kind=percentile").text
    for words in (">age</option>", "0 to 120, 121 points", "follows from the degree"):
        assert words in page
    assert page.count("You have no share of the edges") == 1
    assert room.store.share(GRAPH, "bob", "attributes")["epsilon_budget"] == 2
    assert "Your share of the attributes" in bob.get("/graphs").text

    review = bob.post(PLACE, data=asked | {"property": "age", "step": "review"}).text
    assert "Spend 0.5 and release" in review
    assert "1.5" in review.partition("Left of your share then")[2][:60]
    both = bob.post(PLACE, data=asked | {"property": "friends", "step": "review"}).text
    assert "<h3>The edges</h3>" in both
    assert "and release</button>" not in both, "there is no share of the edges"
    assert bob.post(PLACE, data=asked | {"property": "friends", "step": "release"}).status_code == 403
    assert bob.post(PLACE, data=asked | {"property": "height", "step": "review"}).status_code == 422
    answer = bob.post(PLACE, data=asked | {"property": "age", "step": "release"})
    assert answer.status_code == 303, answer.text
    assert "1.5 <small>of 2 left" in bob.get(answer.headers["location"]).text
    assert room.store.share(GRAPH, "bob", "attributes")["epsilon_spent"] == 0.5

    cora.post(f"/curator{PLACE}", data=grant | {"account": "edges"})
    answer = bob.post(PLACE, data=asked | {"property": "friends", "step": "release"})
    assert answer.status_code == 303, answer.text
    assert room.store.share(GRAPH, "bob")["epsilon_spent"] == 1
    page = cora.get(f"/curator{PLACE}").text
    assert page.count("property friends") == 1, "a release that debits both is one"
    assert "bob; edges 2, 1 spent; attributes 2, 1 spent</option>" in page, (
        "what each has, before it is changed"
    )
    assert "of this share is left" not in bob.get(PLACE).text
    cora.post(f"/curator{PLACE}", data=grant | {"account": "edges", "epsilon_budget": "1.05"})
    assert bob.get(PLACE).text.count("of this share is left") == 1


def test_an_example_asks_for_no_more_nodes_than_there_are() -> None:
    asked = {field.name: field.values for field in fields(kind_at("top-k"), {}, (), 4)}
    assert asked["k"] == ("4",)
    assert {field.name: field.values for field in fields(kind_at("top-k"), {})}["k"] == ("10",)


def test_amounts_of_pages_have_at_most_six_figures() -> None:
    assert [_amount(each) for each in (0.982353967, 2.0, 0.1, None)] == [
        "0.982354",
        "2",
        "0.1",
        "none declared",
    ]


def test_every_kind_of_release_is_asked_on_the_page(
    room: SimpleNamespace, signed_in: Callable[[str], httpx.Client]
) -> None:
    from edgedp.faces.gateway.kinds import release_kinds

    room.store.grant("other", "ann", epsilon_budget=3)
    ann = signed_in("ann")
    csrf = _csrf(ann.get("/graphs").text)
    for kind in release_kinds():
        if kind.account == "attributes":
            continue  # above
        page = ann.get(f"/graphs/other?kind={kind.path}").text
        assert f'value="{kind.path}"' in page
        given = {name: list(map(str, value)) if isinstance(value, list) else str(value)
                 for name, value in (kind.example() | {"epsilon": "0.05"}).items()}  # fmt: skip
        asked = {"csrf": csrf, "kind": kind.path} | given
        review = ann.post("/graphs/other", data=asked | {"step": "review"})
        assert "Spend 0.05 and release" in review.text, review.text
        answer = ann.post("/graphs/other", data=asked | {"step": "release"})
        assert answer.status_code == 303, answer.text
        shown = ann.get(answer.headers["location"]).text
        assert kind.title in shown
        assert 'id="answer"' in shown
    asked = {"csrf": csrf, "kind": "top-k", "step": "release", "metric": "degree", "k": "2", "epsilon": "0.5"}
    answer = ann.post(PLACE, data=asked | {"estimates": "1"})
    assert "Estimates" in ann.get(answer.headers["location"]).text


def test_a_list_by_strength_is_reviewed_and_released(
    room: SimpleNamespace, signed_in: Callable[[str], httpx.Client]
) -> None:
    ann = signed_in("ann")
    weighed = Graph.from_edges(
        [(1, 2), (3, 2), (4, 2)], weights=[3, 4, 5], weight={"cap": 5}, columns={"amount": [3, 4, 5]}
    )
    room.store.load(weighed, "minutes", epsilon_budget=2)
    room.store.register("rows", of="minutes", weight={"property": "amount", "cap": 5})
    try:
        room.store.grant("minutes", "ann", epsilon_budget=2)
        csrf = _csrf(ann.get("/graphs").text)
        asked = {"csrf": csrf, "kind": "top-k", "metric": "strength", "k": "1", "epsilon": "0.5"}
        for name in ("minutes", "rows"):
            review = ann.post(f"/graphs/{name}", data=asked | {"step": "review"})
            assert "Spend 0.5 and release" in review.text, review.text
            answer = ann.post(f"/graphs/{name}", data=asked | {"step": "release"})
            assert 'id="answer"' in ann.get(answer.headers["location"]).text
    finally:
        room.store.drop("rows")
        room.store.drop("minutes")


def test_conditions_are_reviewed_and_released_as_they_were_written(
    room: SimpleNamespace, signed_in: Callable[[str], httpx.Client]
) -> None:
    ann = signed_in("ann")
    columns = {"amount": [3, 4, 5], "kind": ["a call", "text", "text"]}
    room.store.load(Graph.from_edges([(1, 2), (3, 2), (4, 3)], columns=columns), "calls", epsilon_budget=300)
    try:
        room.store.grant("calls", "ann", epsilon_budget=200)
        asked = {
            "csrf": _csrf(ann.get("/graphs").text), "kind": "count", "of": "edges", "epsilon": "60",
            "where": "amount>=3; kind in a call,x",
        }  # fmt: skip
        for step in ("review", "release"):  # the page says before it is asked what the release would say
            answer = ann.post("/graphs/calls", data=asked | {"step": step})
            assert "does not allow conditions" in answer.text, answer.text
            assert "and release</button>" not in answer.text
        room.store.grant("calls", "ann", epsilon_budget=200, filters=True)
        review = ann.post("/graphs/calls", data=asked | {"step": "review"})
        assert "Spend 60 and release" in review.text
        hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', review.text))
        answer = ann.post(
            "/graphs/calls", data=asked | {"where": html.unescape(hidden["where"]), "step": "release"}
        )
        shown = ann.get(answer.headers["location"] + "/json").json()
        assert shown["parameters"]["where"] == {"amount": {"gte": 3}, "kind": {"in": ["a call", "x"]}}
        assert shown["value"] == 1
    finally:
        room.store.drop("calls")


def test_pages_say_that_directions_were_kept_and_whom_a_release_protects_before_it_is_paid(
    room: SimpleNamespace, signed_in: Callable[[str], httpx.Client]
) -> None:
    ann = signed_in("ann")
    assert "Directions" not in ann.get("/graphs").text
    assert "Directions" not in ann.get("/graphs/other").text
    room.store.load(
        Graph.from_edges([(1, 2), (3, 2), (4, 2), (5, 2), (6, 2)], directed=True),
        "payments",
        epsilon_budget=2,
    )
    try:
        room.store.grant("payments", "ann", epsilon_budget=1)
        assert ann.get("/graphs").text.count("<dt>Directions</dt><dd>kept") == 1
        assert "<dt>Directions</dt><dd>kept" in ann.get("/graphs/payments").text
        asked = {"csrf": _csrf(ann.get("/graphs").text), "kind": "top-k", "step": "review", "k": "1"}
        asked |= {"epsilon": "0.1", "mechanism": "pf"}
        review = ann.post("/graphs/payments", data=asked | {"metric": "in_degree"}).text
        assert "<dt>protects</dt><dd>all arcs that leave one node" in review
        assert "<dt>protects</dt>" not in ann.post("/graphs/payments", data=asked | {"metric": "degree"}).text
        assert room.store.share("payments", "ann")["epsilon_spent"] == 0
    finally:
        room.store.drop("payments")
