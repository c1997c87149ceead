"""Frames: what is written comes back, and what is no frame or no strict JSON is refused."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.sandbox import protocol

KINDS = st.sampled_from([protocol.ROWS, protocol.LAST, protocol.CHUNK])


@given(st.lists(st.tuples(KINDS, st.binary(max_size=50))))
def test_frames_come_back_as_written(frames: list[tuple[bytes, bytes]]):
    stream = b"".join(protocol.frame(kind, payload) for kind, payload in frames)
    assert list(protocol.split(stream)) == frames


@given(st.lists(st.binary(max_size=20), min_size=1), st.integers(1, 24))
def test_a_stream_that_is_cut_gives_the_whole_frames_before_the_cut(payloads: list[bytes], cut: int):
    whole = [protocol.frame(protocol.ROWS, payload) for payload in payloads]
    stream = b"".join(whole)[: -min(cut, len(whole[-1]))]
    assert len(list(protocol.split(stream))) == len(payloads) - 1


def test_the_blocking_ends_read_what_they_write():
    reader, writer = os.pipe()
    protocol.write(writer, protocol.message(protocol.JOB, {"source": "é"}) + b"J\x00")
    os.close(writer)
    assert protocol.read(reader) == (protocol.JOB, b'{"source":"\\u00e9"}')
    assert protocol.read(reader) is None  # the cut one
    os.close(reader)


def test_an_oversized_frame_is_refused_before_it_is_read():
    reader, writer = os.pipe()
    protocol.write(writer, protocol.HEADER.pack(protocol.JOB, protocol.MAX_FRAME + 1))
    with pytest.raises(protocol.ProtocolError):
        protocol.read(reader)
    os.close(reader)
    os.close(writer)


@pytest.mark.parametrize("payload", [b"NaN", b"[Infinity]", b"\xff", b"[" * 200_000, b"{", b"1" * 5000, b""])
def test_json_is_strict(payload: bytes):
    with pytest.raises(protocol.ProtocolError):
        protocol.load(payload)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [-float("inf")]])
def test_no_number_that_json_does_not_know_is_written(value: object):
    with pytest.raises(ValueError):
        protocol.dump(value)


@pytest.mark.parametrize("data", [float("nan"), [1.0, -float("inf")]])
def test_no_value_that_json_does_not_know_is_written(data: object):
    with pytest.raises(ValueError):
        protocol.dump_part({"values": {"v1": {"data": data}}, "rows": []})


@pytest.mark.parametrize("text", ["plain", "é😀", "\ud800", "null", 2**80])
@pytest.mark.parametrize("plenty", [1, 1 << 60])
def test_a_part_is_written_as_anything_else_is(text: object, plenty: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(protocol, "PLENTY", plenty)
    part = {"rows": [{"text": text, "node": None}], "values": {"v1": {"data": [0.1, 1e300, -0.0]}}}
    assert protocol.load(protocol.dump_part(part)) == protocol.load(protocol.dump(part))


@given(st.text(st.characters()) | st.text(st.sampled_from("\ud800\udc00\\u😀a")))
def test_half_a_surrogate_pair_becomes_a_replacement_character(text: str):
    written = protocol.load(protocol.dump(text))
    written.encode("utf-8")
    if all(not "\ud800" <= c <= "\udfff" for c in text):
        assert written == text
