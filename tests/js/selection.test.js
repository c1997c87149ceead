import assert from "node:assert/strict";
import { test } from "node:test";

import { createSelection } from "../../static/js/player/selection.js";

test("a listener hears of what is picked and of what is pointed at, once for each change", () => {
  const selection = createSelection({ signal: new AbortController().signal });
  const heard = [];
  selection.onChange(({ picked, hovered }) => heard.push([picked?.kind, hovered?.kind]));
  selection.pick({ kind: "leaf", tensor: "t1" });
  selection.pick({ kind: "leaf", tensor: "t1" });
  selection.hover({ kind: "line", line: 3 });
  selection.pick(null);
  assert.deepEqual(heard, [
    ["leaf", undefined],
    ["leaf", "line"],
    [undefined, "line"],
  ]);
});

test("nobody hears anything once the run is over", () => {
  const over = new AbortController();
  const selection = createSelection({ signal: over.signal });
  let heard = 0;
  selection.onChange(() => (heard += 1));
  over.abort();
  selection.pick({ kind: "line", line: 1 });
  assert.equal(heard, 0);
});
