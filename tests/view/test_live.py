"""The server of a live view: what it answers, and to whom."""

import json
import threading
from contextlib import suppress
from http.client import HTTPConnection
from socket import create_connection
from urllib.parse import urlsplit

import numpy as np
import pytest

import tauforge as tf
from tauforge.view import live


def asked(url, path=None, method="GET", body=None, **headers):
    """Return the status and the text of an answer."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc, timeout=60)
    connection.request(method, parts.path + (path or "") if path != "/" else "/", body, headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def test_it_answers_its_own_page_only():
    with tf.robots.planar2r().view(browser=False) as view:
        assert asked(view.url)[0] == 200
        assert asked(view.url, "/")[0] == 404
        assert asked(view.url, Host="evil.example")[0] == 404
        assert asked(view.url, "pose", "POST", "{}", Host="evil.example")[0] == 404
        assert asked(view.url, "other")[0] == 404
        for body in ("{}", "not json", '{"values": ["a", 1]}', '{"values": null}'):
            assert asked(view.url, "pose", "POST", body)[0] == 400
        status, text = asked(view.url, "pose", "POST", '{"values": [1]}')
        assert "there are 2 sliders" in json.loads(text)["error"]
        status, text = asked(view.url, "pose", "POST", '{"values": [0.25, -0.5]}')
        assert (status, json.loads(text)["version"]) == (200, 2)
        np.testing.assert_allclose(view.q, [0.25, -0.5])
    with pytest.raises(ConnectionError):
        asked(view.url)


def test_a_state_that_cannot_be_closed_is_refused_and_the_last_one_stays():
    robot = tf.robots.gough_stewart()
    with robot.view(browser=False) as view:
        before = view.q
        lengths = [50.0, *json.loads(asked(view.url, "state?after=0")[1])["values"][1:]]
        answer = json.loads(asked(view.url, "pose", "POST", json.dumps({"values": lengths}))[1])
        assert "stays open" in answer["error"]
        np.testing.assert_array_equal(view.q, before)


def test_sliders_keep_the_limits_of_followers():
    """One that follows a single joint narrows its slider; one that follows a sum refuses, but can be moved back."""
    joints = (
        tf.Joint.at("left", on="base", axis="y", limits=tf.Limits(lower=-2.0, upper=3.0)),
        tf.Joint.at("right", on="base", axis="y"),
        tf.Joint.at(
            "pitch", on="base", axis="y", mimic={"left": 0.5, "right": 0.5}, limits=tf.Limits(lower=-0.8, upper=0.8)
        ),
        tf.Joint.at("dial", on="base", axis="y", mimic={"left": -2.0}, limits=tf.Limits(lower=-1.0, upper=9.0)),
    )
    robot = tf.Robot(name="wrist", joints=joints, bodies=tuple(tf.Body.solid(k, 1.0, (0.1, 0, 0)) for k in "abcd"))
    with robot.view(browser=False) as view:
        left, _ = view._sliders.each
        assert (left.low, left.high) == (-2.0, 0.5)

        def move(*values):
            return json.loads(asked(view.url, "pose", "POST", json.dumps({"values": values}))[1])

        assert "error" not in move(0.4, 1.1)
        assert "pitch would leave its range, -0.8 to 0.8" in move(0.5, 1.2)["error"]
        np.testing.assert_allclose(view.q, [0.4, 1.1])
        view.show([0.4, 3.0])  # which no slider has to keep
        assert "error" not in move(0.4, 2.0)
        assert "pitch" in move(0.4, 2.1)["error"]


def test_a_base_that_floats_has_sliders_for_its_turns():
    robot = tf.robots.planar2r().with_base("floating")
    with robot.view(browser=False) as view:
        values = [0.1, 0.2, 0.3, 0.0, 0.0, 1.0, 0.4, 0.5]
        asked(view.url, "pose", "POST", json.dumps({"values": values}))
        np.testing.assert_allclose(view.q, [0.1, 0.2, 0.3, 0, 0, np.sin(0.5), np.cos(0.5), 0.4, 0.5], atol=1e-12)
        np.testing.assert_allclose(json.loads(asked(view.url, "state?after=0")[1])["values"], values, atol=1e-12)


def test_wrong_states_and_ports_are_refused():
    robot = tf.robots.planar2r()
    with robot.view(browser=False) as view:
        with pytest.raises(tf.ProgramError, match="show takes one"):
            view.show([[0.0, 0.0], [1.0, 1.0]])
        with pytest.raises(tf.TauforgeError, match="leave it out to take a free one"):
            robot.view(browser=False, port=urlsplit(view.url).port)


def raw(view, data, wait=20.0):
    """Send bytes and return what comes back until the connection ends."""
    with create_connection(urlsplit(view.url).netloc.split(":"), timeout=wait) as connection:
        connection.sendall(data)
        return b"".join(iter(lambda: connection.recv(4096), b""))


def posted(view, body, length=None):
    parts = urlsplit(view.url)
    head = f"POST {parts.path}pose HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Length: {length or len(body)}\r\n\r\n"
    return raw(view, (head + body).encode())


def test_hostile_requests_have_an_answer_and_leave_no_trace(capfd):
    with tf.robots.planar2r().view(browser=False) as view:
        hostile = ["[" * 99_000, '{"values": [1, ' + "9" * 400 + "]}", '{"values": [1, ' + "9" * 9000 + "]}"]
        for body in hostile:
            assert posted(view, body).startswith(b"HTTP/1.0 400")
        for length in ("-1", "-0", "9" * 5000, "x", "100001"):
            assert posted(view, "{}", length).startswith(b"HTTP/1.0 400")
        for line in (b"GET http://[x HTTP/1.1", b"GET //[x HTTP/1.1", b"POST http://[x HTTP/1.1"):
            assert raw(view, line + b"\r\n\r\n").startswith(b"HTTP/1.0 404")
        for line in (b"\0\xff", b"GET", b"GET / HTTP/9.9.9"):
            assert b"200" not in raw(view, line + b"\r\n\r\n")
        assert "not finite" not in posted(view, '{"values": [NaN, 1]}').decode()
        np.testing.assert_array_equal(view.q, [0.0, 0.0])
        assert asked(view.url)[0] == 200
    assert capfd.readouterr().err == ""


def test_a_state_too_far_to_be_shown_is_refused_and_the_last_one_stays():
    with tf.robots.scara().view(browser=False) as view:
        answer = json.loads(asked(view.url, "pose", "POST", '{"values": [0, 0, 0, 1e308]}')[1])
        assert "too far to be drawn" in answer["error"]
        np.testing.assert_array_equal(view.q, np.zeros(4))
        assert asked(view.url)[0] == 200


def test_slow_clients_are_dropped(monkeypatch):
    """Half-open connections hold few threads, for a short time, and the page is served meanwhile."""
    monkeypatch.setattr(live, "PATIENCE", 0.5)
    monkeypatch.setattr(live, "MOST", 4)
    with tf.robots.planar2r().view(browser=False) as view:
        before = threading.active_count()
        address = urlsplit(view.url).netloc.split(":")
        slow = [create_connection(address, timeout=20.0) for _ in range(30)]
        for connection in slow:
            connection.sendall(b"GET /x")
        assert asked(view.url)[0] == 200
        assert posted(view, "{}", 50) == b""  # the rest never comes
        for connection in slow:
            with suppress(ConnectionError):
                assert connection.recv(100) == b""
            connection.close()
        assert threading.active_count() <= before + 4
