# SPDX-License-Identifier: Apache-2.0
"""What is written is read back as it was, whatever its texts and numbers."""

import gzip

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.csc import interfaces
from orchestrator.csc.makefiles import needs_shell
from orchestrator.csc.model import (
    DirectedGraph,
    Edge,
    EndScript,
    LogisticLoss,
    Mote,
    MoteType,
    OwnSignal,
    Silent,
    Simulation,
    Udgm,
    UdgmConstantLoss,
)
from orchestrator.csc.read import read, read_bytes
from orchestrator.csc.write import write
from orchestrator.media.log_distance import LogDistance
from tests.tier import examples

# What XML 1.0 can hold: no control characters but tab and line end, no surrogates, no U+FFFE and U+FFFF.
xml_text = st.text(
    st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="\ufffe\uffff")
    | st.sampled_from("\t\n\r<>&'\""),
    max_size=40,
)
line = st.text(st.characters(blacklist_categories=("Cs",)), max_size=30)
coordinate = st.floats(allow_nan=False, allow_infinity=False)
metres = st.floats(min_value=0, max_value=1e6)
ratio = st.floats(min_value=0, max_value=1)


def _needs_shell(commands: str) -> bool:
    return any(map(needs_shell, commands.split("\n")))


@st.composite
def mote_types(draw):
    identifiers = draw(
        st.lists(xml_text, min_size=1, max_size=3, unique=True) | st.just(["mtype1", "mtype2"])
    )
    return tuple(
        MoteType(
            identifier,
            draw(xml_text),
            draw(xml_text.filter(str.strip)),
            draw(xml_text.filter(lambda text: not _needs_shell(text))),
            tuple(draw(st.permutations(interfaces.STANDARD_INTERFACES))),
        )
        for identifier in identifiers
    )


@st.composite
def media(draw, ids):
    kind = draw(st.sampled_from([Udgm, UdgmConstantLoss, DirectedGraph, LogDistance, LogisticLoss, Silent]))
    own = (
        tuple(
            OwnSignal(one, draw(coordinate), draw(st.booleans()))
            for one in draw(st.lists(st.sampled_from(ids), max_size=3))
        )
        if ids
        else ()
    )
    if kind is Silent:
        return Silent()
    if kind is LogDistance:
        numbers = (coordinate, metres, metres, metres, coordinate, metres, metres)
        return LogDistance(*map(draw, numbers), own)
    if kind is LogisticLoss:
        return LogisticLoss(
            draw(metres),
            draw(ratio),
            draw(coordinate),
            draw(coordinate),
            draw(coordinate),
            draw(coordinate),
            draw(st.booleans()),
            draw(coordinate),
            draw(coordinate),
            own,
        )
    if kind is not DirectedGraph:
        return kind(draw(metres), draw(metres), draw(ratio), draw(ratio), own)
    pairs = [(one, other) for one in ids for other in ids]
    chosen = draw(st.lists(st.sampled_from(pairs), max_size=8)) if pairs else []
    whole = st.integers(-(2**31), 2**31 - 1)
    return DirectedGraph(
        tuple(
            Edge(*pair, draw(ratio), draw(coordinate), draw(whole), draw(st.integers(0, 2**53)), draw(whole))
            for pair in chosen
        ),
        own,
    )


@st.composite
def simulations(draw):
    types = draw(mote_types())
    ids = draw(st.lists(st.integers(0, 2**31 - 1), max_size=6, unique=True))
    expected, forbidden = draw(st.none() | line), draw(st.none() | line)
    at_once = draw(st.booleans()) if expected is not None or forbidden is not None else False
    verdict = draw(st.booleans()) if not at_once or expected is not None else True
    return Simulation(
        title=draw(xml_text),
        seed=draw(st.none() | st.integers(-(2**63), 2**63 - 1)),
        motedelay_us=draw(st.integers(0, 2**31 - 1)),
        medium=draw(media(ids)),
        mote_types=types,
        motes=tuple(
            Mote(
                draw(st.sampled_from(types)).identifier,
                mote,
                draw(coordinate),
                draw(coordinate),
                draw(coordinate),
                draw(st.none() | st.binary(max_size=1024)),
            )
            for mote in ids
        ),
        script=EndScript(
            draw(st.integers(0, 10**12)) * 1000,
            expected if verdict or at_once else None,
            forbidden if verdict or at_once else None,
            verdict,
            at_once,
        ),
    )


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(simulations())
def test_read_of_write_is_the_simulation(simulation):
    data = write(simulation)
    assert read_bytes(data, config_dir=simulation.config_dir) == simulation
    assert write(simulation) == data


def test_compressed_file(tmp_path, small):
    (tmp_path / "a.csc.gz").write_bytes(gzip.compress(write(small)))
    (tmp_path / "a.csc").write_bytes(write(small))
    assert read(tmp_path / "a.csc.gz") == read(tmp_path / "a.csc")
    assert read(tmp_path / "a.csc").config_dir == tmp_path


def test_interleaved_types_keep_their_order(small):
    """Motes nested in their types would be created type by type, with other start delays."""
    other = MoteType("other", "", "b.c", "make b.cooja", interfaces.STANDARD_INTERFACES)
    motes = tuple(Mote(("mtype1", "other")[number % 2], number, 0, 0) for number in (5, 4, 3, 2))
    simulation = Simulation("t", 1, 0, Udgm(), (*small.mote_types, other), motes, EndScript(1000))
    assert [mote.id for mote in read_bytes(write(simulation)).motes] == [5, 4, 3, 2]
