"""Static files: addresses that change with the content, and how long a browser may keep them."""

from __future__ import annotations

from app import assets


def test_the_address_of_a_file_changes_with_its_content(tmp_path, monkeypatch):
    monkeypatch.setattr(assets, "STATIC", tmp_path)
    file = tmp_path / "a.js"
    file.write_text("1")
    first = assets.asset_url("a.js")
    file.write_text("22")
    assert assets.asset_url("a.js") != first
    file.write_text("1")
    assert assets.asset_url("a.js") == first


def test_a_file_that_is_missing_does_not_break_the_page():
    assert assets.asset_url("nothing.css") == "/static/nothing.css?v=missing"


def test_a_built_editor_that_is_missing_is_not_in_the_import_map(tmp_path, monkeypatch):
    (tmp_path / "js").mkdir()
    (tmp_path / "js" / "main.js").write_text("")
    monkeypatch.setattr(assets, "STATIC", tmp_path)
    assert list(assets.import_map()["imports"]) == ["#js/main.js"]


def test_a_file_asked_for_by_its_hash_is_kept(client):
    answer = client.get(assets.asset_url("package.json"))
    assert "immutable" in answer.headers["cache-control"]


def test_a_file_asked_for_otherwise_is_checked_each_time(client):
    for address in ("/static/package.json", "/static/package.json?v=old"):
        answer = client.get(address)
        assert answer.headers["cache-control"] == "no-cache"
        again = client.get(address, headers={"If-None-Match": answer.headers["etag"]})
        assert again.status_code == 304


def test_modules_have_the_type_that_browsers_run(client):
    answer = client.get("/static/js/dom.js")
    assert answer.headers["content-type"].startswith("text/javascript")


def test_nothing_outside_is_served(client):
    for path in ("/static/../pyproject.toml", "/static/%2e%2e/pyproject.toml", "/static/", "/static/js"):
        assert client.get(path).status_code == 404
