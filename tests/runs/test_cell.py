# SPDX-License-Identifier: Apache-2.0
"""A run's cell from its manifest: what was written comes back, what was tampered with is refused."""

import copy
from dataclasses import replace

import pytest

from orchestrator.errors import StorageFailed
from orchestrator.runs.identity import plain
from orchestrator.runs.manifest import parse
from orchestrator.scenario.load import load
from tests.runs.conftest import make_spec, put

RING = """\
from orchestrator.topology.model import Layout
from orchestrator.topology.shape import Shape, publisher, subscriber
SHAPE = Shape("two", "two", (), lambda parameters, range_m: Layout("two", (subscriber(), publisher(1, 10.0, 0.0))))
"""  # noqa: E501
TOPOLOGIES = {
    "built-in": "{shape: chain, publishers: 3, spacing: 33.3 m}",
    "own": "{shape: ./two.py}",
    "positions": "{shape: positions, file: places.csv}",
}


@pytest.fixture(params=TOPOLOGIES)
def cells(request, tmp_path):
    (tmp_path / "two.py").write_text(RING)
    (tmp_path / "places.csv").write_text("name,role,x,y,parent\nS,subscriber,0,0,\nP1,publisher,10 m,0,S\n")
    (tmp_path / "links.csv").write_text(
        "from,to,ratio\nS,P1,90 %\nP1,S,80 %\nP1,P2,1\nP2,P1,1\nP2,P3,1\nP3,P2,1\n"[
            : None if request.param == "built-in" else 34
        ]
    )
    (tmp_path / "s.yaml").write_text(f"""\
experiment: there-and-back
topology: {TOPOLOGIES[request.param]}
application: {{name: aggregation, rate: high, timeout: 1.5 s}}
duration: 1 min
seeds: 1
matrix:
  medium:
    - {{label: disk, radio.rx: 90 %}}
    - {{label: links, radio.medium: directed-graph, radio.links: links.csv}}
    - {{label: modelled, radio.medium: log-distance, radio.exponent: 3.25, radio.reference: -35}}
""")
    return load(tmp_path / "s.yaml").cells


@pytest.fixture
def manifest(store):
    return put(store, make_spec())


def test_it_is_the_cell_that_was(cells, manifest):
    assert len(cells) == 3
    for made in cells:
        again = parse(replace(manifest, parameters=plain(made)).to_json()).usable()
        assert (
            again == made
            and type(again.topology) is type(made.topology)
            and type(again.radio) is type(made.radio)
        )


def test_what_is_no_cell_is_refused(cells, manifest):
    for made in cells:
        good = plain(made)
        for path, wrong in (
            (("duration_us",), "1"),
            (("duration_us",), True),
            (("topology",), []),
            (("radio", "rx_ratio"), None),
            (("topology", "shape"), 3),
            (("application", "odd"), 1),
            (("application", "folder"), "/"),
            (("name",), {}),
        ):
            bad = copy.deepcopy(good)
            at = bad
            for key in path[:-1]:
                at = at[key]
            at[path[-1]] = wrong
            with pytest.raises(StorageFailed, match="holds no cell"):
                replace(manifest, parameters=bad).usable()
        for key in good:
            with pytest.raises(StorageFailed, match="holds no cell"):
                less = {name: value for name, value in good.items() if name != key}
                replace(manifest, parameters=less).usable()


@pytest.mark.parametrize(
    "change", [{"x": float("nan")}, {"parent": 7}, {"mote": 1}, {"name": "a b"}, {"role": "subscriber"}]
)
def test_nodes_that_are_no_layout_are_refused(change, manifest, tmp_path):
    (tmp_path / "two.py").write_text(RING)
    (tmp_path / "s.yaml").write_text(
        "experiment: t\ntopology: {shape: ./two.py}\napplication: {name: aggregation, rate: high}\nduration: "
        "1 min\nseeds: 1\n"
    )
    good = plain(load(tmp_path / "s.yaml").cells[0])
    good["topology"]["nodes"][1] |= change
    with pytest.raises(StorageFailed, match="holds no cell"):
        replace(manifest, parameters=good).usable()
