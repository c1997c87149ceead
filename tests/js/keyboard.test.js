/** The table of keys. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { t as word, use } from "../../static/js/i18n.js";
import { keyOf, keys, mountKeyboard } from "../../static/js/player/keyboard.js";
import { createPlayer } from "../../static/js/player/player.js";
import { handClock, openPage, press } from "./page.js";
import { dictionary, training } from "./traces.js";

use(dictionary("en"));

function open(out = []) {
  const page = openPage();
  const ending = new AbortController();
  const player = createPlayer(training(3), { clock: handClock() });
  const done = [];
  const context = {
    player,
    edit: () => done.push("edit"),
    fit: () => done.push("fit"),
    copy: () => done.push("copy"),
    present: () => done.push("present"),
    tour: () => done.push("tour"),
    has: (part) => !out.includes(part),
    signal: ending.signal,
  };
  mountKeyboard(page, context);
  const target = page.body;
  return { page, player, done, ending, key: (key, more) => press(target, page, key, more) };
}

test("every key of the design is in the table, with a text in both languages", () => {
  const wanted = [
    "ArrowRight",
    "ArrowLeft",
    "Home",
    "End",
    " ",
    "[",
    "]",
    "1",
    "2",
    "3",
    "n",
    "p",
    "e",
    "f",
    "c",
    "P",
    "t",
    "?",
  ];
  assert.deepEqual(
    wanted.filter((key) => !keys.some((entry) => entry.key === key)),
    [],
  );
  for (const language of ["en", "zh"]) {
    const words = dictionary(language);
    assert.deepEqual(
      keys.filter((entry) => !words[entry.text]).map((entry) => entry.text),
      [],
    );
  }
});

test("keys step, jump, play and change the level", () => {
  const { player, done, key } = open();
  key("ArrowRight");
  assert.equal(player.position, 1);
  key("ArrowLeft");
  assert.equal(player.k, -1);
  key("ArrowRight", { shiftKey: true });
  assert.equal(player.state.names.has("loss"), true);
  key("End");
  assert.equal(player.k, player.length - 1);
  key("Home");
  key("3");
  assert.equal(player.level, "engine");
  key("n");
  assert.equal(player.state.row.kind, "backward_began");
  key("]");
  assert.equal(player.speed, 2);
  key(" ");
  assert.ok(player.playing);
  key("e");
  key("f");
  assert.deepEqual(done, ["edit", "fit"]);
});

test("a key of a part that is left out does nothing and is not listed", () => {
  const { page, player, done, key } = open(["edit", "level", "tour"]);
  for (const each of ["e", "t", "1"]) assert.equal(key(each).defaultPrevented, false);
  assert.deepEqual([done, player.level], [[], "chain"]);
  assert.ok(!page.querySelector("dialog").textContent.includes(word("key.edit")));
  key("c");
  key("P", { shiftKey: true });
  assert.deepEqual(done, ["copy", "present"]);
});

test("a key that is taken does nothing else", () => {
  const { key } = open();
  assert.ok(key("ArrowRight").defaultPrevented);
  assert.equal(key("x").defaultPrevented, false);
});

test("who types is left alone; the scrubber is not typing", () => {
  const { page, player } = open();
  for (const tag of ["textarea", "select", "input"]) {
    press(document.createElement(tag), page, "ArrowRight");
    assert.equal(player.k, -1, tag);
  }
  const editor = document.createElement("div");
  editor.setAttribute("class", "cm-editor");
  const inside = document.createElement("span");
  editor.append(inside);
  press(inside, page, "e");
  assert.equal(player.k, -1);
  const scrubber = document.createElement("input");
  scrubber.setAttribute("type", "range");
  press(scrubber, page, "ArrowRight");
  assert.equal(player.position, 1);
});

test("Space plays on a button and on the scrubber; Enter presses the button; a link keeps both", () => {
  const { page, player } = open();
  const scrubber = document.createElement("input");
  scrubber.setAttribute("type", "range");
  const button = document.createElement("button");
  for (const target of [button, scrubber]) {
    assert.ok(press(target, page, " ").defaultPrevented);
    assert.ok(player.playing);
    press(target, page, " ");
    assert.equal(player.playing, false);
  }
  assert.equal(press(button, page, "Enter").defaultPrevented, false);
  for (const tag of ["a", "summary", "textarea", "select"]) {
    assert.equal(press(document.createElement(tag), page, " ").defaultPrevented, false, tag);
  }
});

test("with Ctrl, Alt or Meta a key is the browser's", () => {
  const { page } = open();
  for (const modifier of ["ctrlKey", "metaKey", "altKey"]) {
    assert.equal(press(page.body, page, "f", { [modifier]: true }).defaultPrevented, false);
  }
  assert.equal(keyOf({ key: "?", shiftKey: true, target: page.body }).text, "key.help");
});

test("? opens the list of all keys, and it goes with the player", () => {
  const { page, ending, key } = open();
  const dialog = page.querySelector("dialog");
  key("?");
  assert.equal(dialog.getAttribute("open"), "");
  assert.equal(dialog.querySelectorAll("kbd").length, keys.length);
  assert.ok(dialog.textContent.includes(word("key.nextBackward")));
  ending.abort();
  assert.equal(page.querySelector("dialog"), null);
  assert.equal(key("ArrowRight").defaultPrevented, false);
});
