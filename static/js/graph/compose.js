/**
 * One picture from the layouts of a scene: those of open groups are put into the places of their boxes. Pure
 * numbers. What opens makes room to its right and, in its own column, above and below itself; everything to
 * its left, and every other column, stays where it was.
 */

export const HEAD = 30; // px: the name of an open group stands above what it holds

/** @type {WeakMap<object, {x: number, y: number}[]>} */
const parsed = new WeakMap();

/** The points of a path "M x y C …" of an edge's field: its start, then cubics. */
function pointsOf(edge, field = "path") {
  const known = parsed.get(edge) ?? {};
  if (!known[field]) {
    const numbers = (edge[field].match(/-?\d*\.?\d+/g) ?? []).map(Number);
    known[field] = numbers.flatMap((x, i) => (i % 2 ? [] : [{ x, y: numbers[i + 1] }]));
    parsed.set(edge, known);
  }
  return known[field];
}

/** The path of points: their start, then cubics. */
export function pathOf(points) {
  const [first, ...rest] = points.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`);
  return `M${first}C${rest.join(" ")}`;
}

const middle = (box) => box.y + box.height / 2;

/** How much room the open groups of a level need: by column, and where each begins and ends. */
function columnsOf(layout, grown) {
  const columns = new Map();
  for (const [role, box] of Object.entries(layout.elements)) {
    const { x, width } = box;
    const known = columns.get(box.column) ?? { left: x, right: x + width, more: 0, open: [] };
    known.left = Math.min(known.left, x);
    known.right = Math.max(known.right, x + width);
    const size = grown.get(role);
    if (size) {
      known.more = Math.max(known.more, size.width - width);
      known.open.push({ role, middle: middle(box), half: (size.height - box.height) / 2 });
    }
    columns.set(box.column, known);
  }
  return columns;
}

const UNMOVED = { box: () => ({ dx: 0, dy: 0, beyond: 0 }), point: () => ({ dx: 0, dy: 0 }) };

/** Functions that say where points and boxes of a layout go when some of its groups are open. */
function shifts(layout, grown) {
  if (grown.size === 0) return UNMOVED;
  const columns = columnsOf(layout, grown);
  const ordered = [...columns.values()].sort((a, b) => a.left - b.left);
  const boxes = Object.values(layout.elements);
  const top = Math.min(...boxes.map((box) => box.y));
  const bottom = Math.max(...boxes.map((box) => box.y + box.height));
  const before = (left) => ordered.reduce((sum, c) => (c.left < left ? sum + c.more : sum), 0);
  const aside = (column, y, role) =>
    column.open.reduce((sum, g) => (g.role === role ? sum : sum + (y < g.middle ? -g.half : g.half)), 0);
  const box = (role) => {
    const place = layout.elements[role];
    const column = columns.get(place.column);
    const dy = aside(column, middle(place), role);
    return { dx: before(column.left), dy, beyond: before(column.left) + column.more };
  };
  const up = Math.max(0, ...ordered.map((c) => -aside(c, top - 1)));
  const down = Math.max(0, ...ordered.map((c) => aside(c, bottom + 1)));
  const point = ({ x, y }) => {
    let dx = 0;
    let dy = 0;
    for (const column of ordered) {
      if (x >= column.right) dx += column.more;
      else if (x > column.left) {
        dx += (column.more * (x - column.left)) / (column.right - column.left);
        dy = aside(column, y);
      }
    }
    if (y < top) dy = -up;
    if (y > bottom) dy = down;
    return { dx, dy };
  };
  return { box, point };
}

const moved = ({ x, y }, { dx, dy }) => ({ x: x + dx, y: y + dy });

const straight = (a, b) =>
  [1 / 3, 2 / 3, 1].map((u) => ({ x: a.x + (b.x - a.x) * u, y: a.y + (b.y - a.y) * u }));

/** Move the points of an edge: knots with the controls beside them, so that it stays smooth. */
function bent(points, { point }, start, end) {
  const last = points.length - 1;
  const shift = (i) => {
    if (i === 0) return start ?? point(points[0]);
    return i === last ? (end ?? point(points[last])) : point(points[i]);
  };
  return points.map((each, i) => moved(each, shift(3 * Math.round(i / 3))));
}

/** Measure a level and all open ones in it: where everything stands in it, and how large it is. */
function measure(layouts, id, prefix, isOpen) {
  const layout = layouts[id];
  const inside = new Map();
  const grown = new Map();
  for (const [role, box] of Object.entries(layout.elements)) {
    if (!box.inside || !isOpen(prefix + role)) continue;
    const level = measure(layouts, box.inside, `${prefix}${role}/`, isOpen);
    inside.set(role, level);
    grown.set(role, {
      width: Math.max(box.width, level.right),
      height: Math.max(box.height, level.bottom - level.top + HEAD),
    });
  }
  const shift = shifts(layout, grown);
  const places = new Map();
  let [right, top, bottom] = [layout.width, 0, layout.height];
  for (const [role, box] of Object.entries(layout.elements)) {
    const { dx, dy } = shift.box(role);
    const size = grown.get(role) ?? box;
    const place = { x: box.x + dx, y: middle(box) + dy - size.height / 2, ...sizeOf(size) };
    places.set(role, place);
    right = Math.max(right, place.x + place.width);
    top = Math.min(top, place.y);
    bottom = Math.max(bottom, place.y + place.height);
  }
  const wider = [...Object.keys(layout.elements)].reduce((most, r) => Math.max(most, shift.box(r).beyond), 0);
  return { layout, prefix, inside, shift, places, right: Math.max(right, layout.width + wider), top, bottom };
}

const sizeOf = ({ width, height }) => ({ width, height });

/** Where the edge of an open group goes on: the height of a port inside it. */
function portHeight(level, role, port) {
  const inner = level.inside.get(role);
  const place = level.places.get(role);
  const at = inner.places.get(port);
  return place.y + HEAD - inner.top + at.y + at.height / 2;
}

function ends(level, edge) {
  const points = pointsOf(edge);
  const [first, last] = [points[0], points[points.length - 1]];
  const [from, to] = [level.places.get(edge.from), level.places.get(edge.to)];
  const isPort = (role) => ["in", "out"].includes(level.layout.elements[role].role);
  const source = level.shift.box(edge.from);
  const leaves = level.inside.has(edge.from) ? portHeight(level, edge.from, edge.exit) : first.y + source.dy;
  const enters = level.inside.has(edge.to)
    ? portHeight(level, edge.to, edge.port)
    : last.y + level.shift.box(edge.to).dy;
  const startX = isPort(edge.from) ? first.x : from.x + from.width;
  const endX = level.layout.elements[edge.to].role === "out" ? level.right : to.x;
  return { first, last, start: { x: startX, y: leaves }, end: { x: endX, y: enters }, beyond: source.beyond };
}

/** The points of an edge of a level: straight out of its column, along its curve, to its end. */
function along(level, edge) {
  const { first, last, start, end, beyond } = ends(level, edge);
  const leave = { x: first.x + beyond, y: start.y };
  const points = bent(
    pointsOf(edge),
    level.shift,
    { dx: beyond, dy: start.y - first.y },
    { dx: end.x - last.x, dy: end.y - last.y },
  );
  if (leave.x - start.x < 0.5) return [start, ...points.slice(1)];
  return [start, ...straight(start, leave), ...points.slice(1)];
}

function emit(level, dx, dy, found) {
  const { layout, prefix, inside, places } = level;
  const at = { dx, dy };
  for (const [role, place] of places) {
    const box = { ...place, x: place.x + dx, y: place.y + dy };
    const { role: kind } = layout.elements[role];
    if (inside.has(role)) found.regions.push({ path: prefix + role, box });
    else if (kind !== "in" && kind !== "out") found.boxes.set(prefix + role, { kind, box });
  }
  for (const [key, edge] of Object.entries(layout.edges)) {
    const points = along(level, edge).map((point) => moved(point, at));
    const end = points[points.length - 1];
    const own = edge.drop ? pointsOf(edge, "drop") : null;
    const last = own && own[own.length - 1];
    const drop =
      own &&
      bent(own, level.shift, null, { dx: end.x - dx - last.x, dy: end.y - dy - last.y }).map((p) =>
        moved(p, at),
      );
    found.edges.set(prefix + key, {
      ...{ key: prefix + key, level: prefix, from: prefix + edge.from, to: prefix + edge.to },
      ...{ slot: edge.slot, points, drop },
      goesOn: inside.has(edge.to) || layout.elements[edge.to].role === "out",
    });
  }
  for (const [role, path] of Object.entries(layout.buses ?? {})) {
    const points = bent(pointsOf({ path }), level.shift).map((point) => moved(point, at));
    found.buses.set(prefix + role, { level: prefix, from: prefix + role, points });
  }
  for (const [role, inner] of inside) {
    const place = places.get(role);
    emit(inner, dx + place.x, dy + place.y + HEAD - inner.top, found);
  }
}

/**
 * The picture of a scene: `boxes` and `edges` by path, `regions` of open groups from the outside in, `buses`,
 * and its bounds. `isOpen(path)` says which groups are open.
 */
export function compose(layouts, id, isOpen) {
  const top = measure(layouts, id, "", isOpen);
  const found = { boxes: new Map(), edges: new Map(), buses: new Map(), regions: [] };
  emit(top, 0, 0, found);
  const height = top.bottom - top.top;
  return { ...found, bounds: { x: 0, y: top.top, width: top.right, height } };
}
