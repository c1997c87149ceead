/** Geometry of edges: points along a path, and room for words beside it. Pure numbers. */
const SAMPLES = 48;
const SPOT_HEIGHT = 22;
export const CROWDED = 60; // edges: with more, words stand where they would without the others
const BADGE = 11; // badges stand this high above a box
const SHIFTS = [0, -18, 18, -36, 36];
const RISES = [-15, 15, -24, 24];
const FAR = [0, -24, 24, -36, 36, -48, 48, -60, 60, -72, 72];
const ALONG = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82];

function cubic(a, b, c, d, u) {
  const w = 1 - u;
  return w * w * w * a + 3 * w * w * u * b + 3 * w * u * u * c + u * u * u * d;
}

function dense(curve) {
  const out = [curve[0]];
  for (let i = 0; i + 3 < curve.length; i += 3) {
    const [a, b, c, d] = curve.slice(i, i + 4);
    for (let j = 1; j <= 16; j += 1) {
      const u = j / 16;
      out.push({ x: cubic(a.x, b.x, c.x, d.x, u), y: cubic(a.y, b.y, c.y, d.y, u) });
    }
  }
  return out;
}

/** Points at equal distances along a curve (its start, then cubics), from its start to its end. */
export function points(curve, count = SAMPLES) {
  const raw = dense(curve);
  const lengths = [0];
  for (let i = 1; i < raw.length; i += 1) {
    lengths.push(lengths[i - 1] + Math.hypot(raw[i].x - raw[i - 1].x, raw[i].y - raw[i - 1].y));
  }
  const total = lengths[lengths.length - 1] || 1;
  let i = 1;
  return Array.from({ length: count + 1 }, (_, n) => {
    const goal = (n / count) * total;
    while (i < raw.length - 1 && lengths[i] < goal) i += 1;
    const u = raw.length > 1 ? (goal - lengths[i - 1]) / (lengths[i] - lengths[i - 1] || 1) : 0;
    const [from, to] = [raw[i - 1] ?? raw[0], raw[i] ?? raw[0]];
    return { x: from.x + (to.x - from.x) * u, y: from.y + (to.y - from.y) * u };
  });
}

/** The length of a line of points. */
export function lengthOf(line) {
  return line
    .slice(1)
    .reduce((sum, point, i) => sum + Math.hypot(point.x - line[i].x, point.y - line[i].y), 0);
}

/** The point at u in [0, 1] of equally spaced points. */
export function along(line, u) {
  const goal = Math.min(Math.max(u, 0), 1) * (line.length - 1);
  const i = Math.min(Math.floor(goal), line.length - 2);
  const [from, to] = [line[i], line[i + 1]];
  return { x: from.x + (to.x - from.x) * (goal - i), y: from.y + (to.y - from.y) * (goal - i) };
}

const meet = (a, b) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** Places near a line, the nearest to its middle first. */
function candidates(line) {
  const found = ALONG.flatMap((u) => {
    const { x, y } = along(line, u);
    return RISES.flatMap((dy) =>
      SHIFTS.map((dx) => ({
        x: x + dx,
        y: y + dy,
        cost: Math.abs(dy) + 0.7 * Math.abs(dx) + 40 * Math.abs(u - 0.5),
      })),
    );
  });
  return found.sort((a, b) => a.cost - b.cost);
}

/** What words must not lie on: boxes, with the badges that stand above them. */
const solid = (boxes) =>
  boxes.map((box) => ({ ...box, y: box.y - BADGE, height: box.height + BADGE + 2 }));

const room = ({ x, y }, width) => ({
  ...{ x: x - width / 2, y: y - SPOT_HEIGHT / 2, width, height: SPOT_HEIGHT },
});

/** Where words on, over or under the middle of a line lie on no box, the nearest; else its middle. */
export function beside(boxes, line, width) {
  const middle = along(line, 0.5);
  const taken = solid(boxes);
  const isFree = (point) => !taken.some((box) => meet(room(point, width), box));
  return FAR.map((dy) => ({ x: middle.x, y: middle.y + dy })).find(isFree) ?? middle;
}

/** Points of all lines, thinned out: what words should not lie on. */
function inked(lines) {
  const dots = [...lines.values()].flatMap((line) => line.filter((_, i) => i % 3 === 0));
  return dots.map((point) => ({ ...point, width: 0, height: 0 }));
}

/**
 * Where the words of each edge stand: beside it, near its middle, clear of boxes, of each other and of lines
 * where there is room; `tight` where there is none. `widths` says how much room the words of an edge need,
 * `covers(key)` what lies over it.
 */
export function spots(boxes, lines, widths, covers = () => []) {
  const unplaced = (line) => ({ ...along(line, 0.5), tight: true });
  if (lines.size > CROWDED) return new Map([...lines].map(([key, line]) => [key, unplaced(line)]));
  const taken = solid(boxes);
  const ink = inked(lines);
  const found = new Map();
  for (const [key, line] of lines) {
    const width = widths.get(key) ?? 0;
    const area = (point) => room(point, width);
    const near = width ? candidates(line) : [along(line, 0.5)];
    const free = (point, others) => !others.some((box) => meet(area(point), box));
    const over = covers(key);
    const clear = near.filter((point) => free(point, taken) && free(point, over));
    const spot = clear.find((point) => free(point, ink)) ??
      clear[0] ?? { ...along(line, 0.5), tight: width > 0 };
    if (width && !spot.tight) taken.push(area(spot));
    found.set(key, spot);
  }
  return found;
}
