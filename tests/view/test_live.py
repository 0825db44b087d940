"""The server of a live view: what it answers, and to whom."""

import json
from http.client import HTTPConnection
from urllib.parse import urlsplit

import numpy as np
import pytest

import tauforge as tf


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
