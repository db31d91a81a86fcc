# SPDX-License-Identifier: Apache-2.0
"""A page counts as up to date as long as everything that it was made from is the same."""

from orchestrator.report import current


def test_a_page_is_up_to_date_until_something_of_it_changes(tmp_path):
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "index.html").write_text("page")
    log = tmp_path / "runs" / "1" / "COOJA.testlog"
    log.parent.mkdir(parents=True)
    log.write_text("a\n")
    current.keep(tmp_path, said=["a sentence"], damaged=["1"], own=["digest"])
    page = current.find(tmp_path, ["digest"])
    assert (page.said, page.damaged) == (("a sentence",), ("1",))
    assert current.find(tmp_path, ["another"]) is None, "one of the user's own metrics"
    assert current.find(tmp_path) is None
    log.write_text("ab\n")
    assert current.find(tmp_path, ["digest"]) is None
    current.keep(tmp_path)
    assert current.find(tmp_path) is not None
    (tmp_path / "report" / "index.html").write_text("a page of another program")
    assert current.find(tmp_path) is None
