/**
 * Pan and zoom by a CSS transform. The picture fits its place until the reader moves it; what the step is
 * about is always brought into view. The transform depends on that choice, the place's size and the focus
 * alone.
 */
const NARROW = 560; // px: on a phone a picture must be larger to be read
const ENOUGH = { wide: 0.7, narrow: 0.75 };
const READABLE = { wide: 0.95, narrow: 0.85 };
const LARGEST = 1.3;
const LEAST = 0.03;
const MARGIN = 20;
const HURRIED = 200; // ms between steps
const AROUND = 130; // px kept in view beside what a step is about

const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

/** Where a picture of this size stands when all of it is fitted into a place. */
export function fitInto(place, size) {
  const wide = (place.width - 2 * MARGIN) / size.width;
  const high = (place.height - 2 * MARGIN) / size.height;
  return stand(place, size, Math.min(wide, high, LARGEST));
}

/** The same for what does not begin at the origin. */
function fitAround(place, bounds) {
  const whole = fitInto(place, bounds);
  return { ...whole, x: whole.x - bounds.x * whole.scale, y: whole.y - bounds.y * whole.scale };
}

function stand(place, size, scale) {
  const centre = (room, length) => Math.max(MARGIN, (room - length * scale) / 2);
  return { scale, x: centre(place.width, size.width), y: centre(place.height, size.height) };
}

/** The view before the reader chooses one: all of it where it can be read so, else a part that can. */
export function firstView(place, size) {
  const whole = fitInto(place, size);
  const room = place.width < NARROW ? "narrow" : "wide";
  return whole.scale >= ENOUGH[room] ? whole : stand(place, size, READABLE[room]);
}

/** Move a view so that a box stands in the place with its surroundings, not past the picture's bounds. */
export function reveal(view, box, place, bounds) {
  if (!box) return view;
  const shift = (offset, start, length, room, begin, whole) => {
    const fits = whole * view.scale <= room - 2 * MARGIN + 1;
    const around = fits ? MARGIN : Math.min(AROUND, Math.max(MARGIN, (room - length * view.scale) / 2));
    const low = around - start * view.scale;
    const high = room - around - (start + length) * view.scale;
    const ends = [room - MARGIN - (begin + whole) * view.scale, MARGIN - begin * view.scale];
    const least = Math.min(offset, ...ends);
    const most = Math.max(offset, ...ends);
    return clamp(clamp(offset, Math.min(low, high), Math.max(low, high)), least, most);
  };
  return {
    ...view,
    x: shift(view.x, box.x, box.width, place.width, bounds.x, bounds.width),
    y: shift(view.y, box.y, box.height, place.height, bounds.y, bounds.height),
  };
}

function transform(canvas, { x, y, scale }) {
  const wanted = `translate(${x.toFixed(2)}px, ${y.toFixed(2)}px) scale(${scale.toFixed(4)})`;
  if (canvas.style.transform !== wanted) canvas.style.transform = wanted;
}

/** Place a new picture without gliding to its place from that of the one before. */
function atOnce(canvas, apply) {
  canvas.style.transition = "none";
  apply();
  canvas.getBoundingClientRect();
  canvas.style.transition = "";
  return true;
}

/** Say on the document that steps follow each other faster than a picture can glide from one to the next. */
function createHurry(signal) {
  let [last, timer] = [-Infinity, 0];
  const { dataset } = document.documentElement;
  const end = () => {
    timer = 0;
    delete dataset.hurried;
  };
  signal?.addEventListener("abort", () => timer && (clearTimeout(timer), end()), { once: true });
  return () => {
    const now = performance.now();
    if (now - last < HURRIED) {
      clearTimeout(timer);
      timer = setTimeout(end, HURRIED);
      if (!("hurried" in dataset)) dataset.hurried = "";
    }
    last = now;
  };
}

function watchSize(stage, signal, onChange) {
  const observer = typeof ResizeObserver === "function" ? new ResizeObserver(onChange) : null;
  observer?.observe(stage);
  signal?.addEventListener("abort", () => observer?.disconnect());
}

/** A view in which a box stands in the middle of a place. */
function around(view, box, place) {
  const x = place.width / 2 - (box.x + box.width / 2) * view.scale;
  return { ...view, x, y: place.height / 2 - (box.y + box.height / 2) * view.scale };
}

/** Keep `canvas` placed inside `stage`; returns what the view and the keys call. */
export function createZoom(stage, canvas, { signal }) {
  let [size, bounds] = [{ width: 1, height: 1 }, { x: 0, y: 0, width: 1, height: 1 }];
  let [chosen, focus, middle] = [null, null, false];
  let [current, placed, moved] = [{ scale: 1, x: 0, y: 0 }, false, () => {}];
  let room = null; // of the stage: asking for it makes the browser lay the page out
  const place = () => {
    if (!room?.width) room = { width: stage.clientWidth, height: stage.clientHeight };
    return room;
  };
  const hurry = createHurry(signal);

  function apply() {
    if (!place().width || !place().height) return;
    const wanted = chosen ?? firstView(room, size);
    current = middle && focus ? around(wanted, focus, room) : reveal(wanted, focus, room, bounds);
    transform(canvas, current);
  }

  function choose(view) {
    chosen = view;
    focus = null;
    apply();
    moved();
  }

  function zoomAt(factor, x, y) {
    const scale = clamp(current.scale * factor, LEAST, 3);
    const ratio = scale / current.scale;
    choose({ scale, x: x - (x - current.x) * ratio, y: y - (y - current.y) * ratio });
  }

  watchSize(stage, signal, () => ((room = null), apply(), moved()));
  const pan = (dx, dy) => choose({ ...current, x: current.x + dx, y: current.y + dy });
  listen(stage, { signal, zoomAt, pan });
  return {
    /** The size of a new picture with all its groups folded: what it is first seen in. */
    setSize({ width, height }) {
      size = { width, height };
      chosen = null;
      placed = false;
    },
    /** Bring a box into view, or into its middle; `all` is the bounds of what is drawn now. */
    follow(box, all, inMiddle = false) {
      hurry();
      [focus, bounds, middle] = [box, all, inMiddle];
      if (placed) apply();
      else placed = atOnce(canvas, apply);
    },
    onMove: (listener) => (moved = listener),
    centre: ({ x, y }) => choose(around(current, { x, y, width: 0, height: 0 }, place())),
    /** What of the picture is seen. */
    seen() {
      const { scale, x, y } = current;
      const { width, height } = place();
      return { x: -x / scale, y: -y / scale, width: width / scale, height: height / scale };
    },
    zoom: (factor) => zoomAt(factor, place().width / 2, place().height / 2),
    fit: () => choose(fitAround(place(), bounds)),
  };
}

function listen(stage, { signal, zoomAt, pan }) {
  const pointers = new Map();
  let travelled = 0;
  const at = (event) => {
    const box = stage.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const on = (name, handler, options = {}) => stage.addEventListener(name, handler, { signal, ...options });

  on(
    "wheel",
    (event) => {
      event.preventDefault();
      const { x, y } = at(event);
      zoomAt(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0015)), x, y);
    },
    { passive: false },
  );
  on("pointerdown", (event) => {
    if (event.button !== 0) return;
    travelled = 0;
    pointers.set(event.pointerId, at(event));
  });
  on("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = at(event);
    travelled += Math.hypot(now.x - before.x, now.y - before.y);
    if (travelled > 4) {
      stage.dataset.dragging = "true";
      pinchOrPan(pointers, event.pointerId, before, now, { zoomAt, pan });
    }
    pointers.set(event.pointerId, now);
  });
  const release = (event) => {
    pointers.delete(event.pointerId);
    if (!pointers.size) delete stage.dataset.dragging;
  };
  for (const name of ["pointerup", "pointercancel", "pointerleave"]) on(name, release);
  on("click", (event) => travelled > 4 && event.stopPropagation(), { capture: true });
}

function pinchOrPan(pointers, id, before, now, { zoomAt, pan }) {
  const other = [...pointers].find(([key]) => key !== id)?.[1];
  if (!other) {
    pan(now.x - before.x, now.y - before.y);
    return;
  }
  const distance = (point) => Math.hypot(point.x - other.x, point.y - other.y) || 1;
  zoomAt(distance(now) / distance(before), (now.x + other.x) / 2, (now.y + other.y) / 2);
}
