/**
 * What stands where in a scene: tensors and nodes by the path of their box ("r3", or "r3/r0" inside the group
 * at "r3"), what each group holds, and which drawn edges a gradient travels. Pure, no DOM.
 */

const nobody = { tensors: [], tensor: null, node: null, accumulate: null };

/** The groups around a path, the outermost first. */
export function around(path) {
  const parts = path.split("/");
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join("/"));
}

/** Which tensors and nodes stand on each element of a scene. */
export function owners(trace, scene) {
  const found = new Map();
  for (const [id, path] of Object.entries(scene.place)) {
    if (!found.has(path)) found.set(path, { tensors: [], tensor: null, node: null, accumulate: null });
    const ids = found.get(path);
    const node = trace.nodes[id];
    if (!node) ids.tensors.push(id);
    else if (node.variable) ids.accumulate = id;
    else ids.node = id;
    ids.tensor = ids.tensors[0] ?? null;
  }
  return found;
}

/** The edges of a layout by what they are looked up by. */
function indexed(layout) {
  const index = { into: new Map(), byPort: new Map(), between: new Map() };
  for (const [key, edge] of Object.entries(layout.edges)) {
    if (!index.into.has(edge.to)) index.into.set(edge.to, []);
    index.into.get(edge.to).push(key);
    if (edge.port) index.byPort.set(`${edge.to} ${edge.port}`, key);
    index.between.set(`${edge.from} ${edge.to}`, key);
  }
  return index;
}

/** The ways of gradients through the drawn edges of a scene, from box to box through the ports of groups. */
function createWays(drawing, scene) {
  const indexes = new Map();
  const layoutAt = (prefix) =>
    prefix
      .split("/")
      .slice(0, -1)
      .reduce((id, role) => drawing.layouts[id].elements[role].inside, scene.layout);
  const indexOf = (id) => {
    if (!indexes.has(id)) indexes.set(id, indexed(drawing.layouts[id]));
    return indexes.get(id);
  };

  /** The drawn edges from a source's box up to the edge `key` at `prefix`, the source's first. */
  function wayTo(prefix, key, source) {
    const layout = drawing.layouts[layoutAt(prefix)];
    const edge = layout.edges[key];
    const { role } = layout.elements[edge.from];
    if (role === "in") return [...cameIn(prefix, edge.from, source), prefix + key];
    if (role === "group") return [...wentOut(`${prefix}${edge.from}/`, edge.exit, source), prefix + key];
    return [prefix + key];
  }

  function cameIn(prefix, port, source) {
    const parts = prefix.split("/").slice(0, -1);
    const group = parts.pop();
    const outer = parts.length ? `${parts.join("/")}/` : "";
    const key = indexOf(layoutAt(outer)).byPort.get(`${group} ${port}`);
    return key ? wayTo(outer, key, source) : [];
  }

  function wentOut(prefix, exit, source) {
    const index = indexOf(layoutAt(prefix));
    const role = source?.startsWith(prefix) ? source.slice(prefix.length).split("/")[0] : null;
    const key = index.between.get(`${role} ${exit}`) ?? index.into.get(exit)?.[0];
    return key ? wayTo(prefix, key, source) : [];
  }

  /** The edges of the layout at `prefix` that end at a box. */
  function into(prefix, role) {
    const id = layoutAt(prefix);
    const { edges } = drawing.layouts[id];
    return (indexOf(id).into.get(role) ?? []).map((key) => ({ key, slot: edges[key].slot }));
  }

  return { wayTo, into };
}

/**
 * Of each edge of the run (`node:slot`; of data `node:key`) the drawn edges it takes, its source's first; and
 * of each drawn edge, what it carries.
 */
function findRoutes(trace, drawing, scene, byPath) {
  const ways = createWays(drawing, scene);
  const routes = { ways: new Map(), carried: new Map(), into: new Map() };
  const add = (map, key, edge) => (map.has(key) ? map.get(key).push(edge) : map.set(key, [edge]));
  for (const [path, { node }] of byPath) {
    if (!node) continue;
    const cut = path.lastIndexOf("/") + 1;
    const prefix = path.slice(0, cut);
    for (const { key, slot } of ways.into(prefix, path.slice(cut))) {
      const target = slot === null ? null : trace.nodes[node].edges[slot]?.[0];
      const edge = { name: `${node}:${slot ?? key}`, node, slot, key: prefix + key };
      edge.way = ways.wayTo(prefix, key, target ? scene.place[target] : null);
      routes.ways.set(edge.name, edge);
      add(routes.into, node, edge);
      for (const each of edge.way) add(routes.carried, each, edge);
    }
  }
  return routes;
}

/** @param {any} trace @param {any} drawing @param {any} scene */
export function createTree(trace, drawing, scene) {
  const byPath = owners(trace, scene);
  let members = null;
  let routes = null;

  function membersOf(group) {
    if (!members) {
      members = new Map(Object.keys(scene.groups ?? {}).map((path) => [path, []]));
      for (const [path, ids] of byPath) for (const each of around(path)) members.get(each)?.push(ids);
    }
    return members.get(group) ?? [];
  }

  const allRoutes = () => (routes ??= findRoutes(trace, drawing, scene, byPath));

  return {
    scene,
    byPath,
    idsOf: (path) => byPath.get(path) ?? nobody,
    pathOf: (id) => scene.place[id] ?? null,
    group: (path) => scene.groups?.[path] ?? null,
    membersOf,
    /** What a drawn edge carries: edges of the run. */
    carriedBy: (key) => allRoutes().carried.get(key) ?? [],
    /** The edges of the run into a node, or the one of a slot. */
    edgesInto: (node) => allRoutes().into.get(node) ?? [],
    edgeOf: (node, slot) => allRoutes().ways.get(`${node}:${slot}`) ?? null,
  };
}
