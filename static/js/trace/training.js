/**
 * What a training loop did, round by round, as numbers over the rounds: read off its rows, each with the row
 * that says it. A number is missing (null) where the recording does not hold what it is made of.
 *
 * losses: the values that backward() started from, one curve for each place where it is called.
 * grads: the norm of each `.grad` when it was complete, before clipping and before the update.
 * ratios: how far a parameter moved in a round, against its own size.
 * clips: the norm of all gradients before clipping, the bound, the factor.
 * states: what an optimizer keeps for each parameter: the norm of a tensor.
 */

import { sourceText } from "#js/trace/labels.js";
import { distance, dot, norm, single } from "#js/trace/norms.js";

/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/** @typedef {import("#js/trace/reducer.js").Row} Row */
/** @typedef {import("#js/trace/iterations.js").Loop} Loop */
/** @typedef {{round: number, k: number, y: number | null}} Point */
/** @typedef {{name: string, points: Point[]}} Curve */
/** @typedef {{round: number, k: number, total: number | null, factor: number | null, bound: number}} Clip */
/** @typedef {{losses: Curve[], grads: Curve[], ratios: Curve[], clips: Clip[], rates: Curve[],
 *   states: {name: string, curves: Curve[]}[]}} Training */

/** @type {WeakMap<object, Training>} */
const known = new WeakMap();

/**
 * Return the curves of one loop.
 * @param {Trace} trace
 * @param {Loop} loop
 * @returns {Training}
 */
export function training(trace, loop) {
  let found = known.get(loop);
  if (!found) known.set(loop, (found = read(trace, loop)));
  return found;
}

/** Curves by a key: those of tensors in the order in which these were made, others as they are first met. */
function collection() {
  /** @type {Map<string, Curve & {order: number}>} */
  const curves = new Map();
  return {
    /**
     * @param {string} key
     * @param {string} name
     * @param {Point} point
     * @param {string} [tensor] whose curve it is: it has one point in a round, and its place among the others
     */
    add(key, name, point, tensor) {
      const curve = curves.get(key) ?? { name, points: [], order: tensor ? Number(tensor.slice(1)) : 0 };
      curves.set(key, curve);
      const last = curve.points[curve.points.length - 1];
      if (tensor && last?.round === point.round) curve.points.pop();
      curve.points.push(point);
    },
    list: () =>
      [...curves.values()].sort((a, b) => a.order - b.order).map(({ name, points }) => ({ name, points })),
  };
}

/** @param {Trace} trace @param {Loop} loop */
function read(trace, loop) {
  const made = {
    losses: collection(),
    grads: collection(),
    ratios: collection(),
    rates: collection(),
    clips: /** @type {Clip[]} */ ([]),
    states: /** @type {Map<string, ReturnType<typeof collection>>} */ (new Map()),
  };
  const reader = new Reader(trace, made);
  for (let k = 0; k < loop.from; k += 1) reader.before(trace.rows[k]);
  loop.rounds.forEach(({ from, to }, round) => {
    for (let k = from; k <= to; k += 1) reader.read(trace.rows[k], k, round);
    reader.end(round);
  });
  const states = [...made.states].map(([name, curves]) => ({ name, curves: curves.list() }));
  const { losses, grads, ratios, rates, clips } = made;
  const curves = { losses: losses.list(), grads: grads.list(), ratios: ratios.list() };
  return { ...curves, rates: rates.list(), clips, states };
}

/** Goes through the rows of a loop and adds points to the curves. */
class Reader {
  /** @type {Map<string, string>} */ #values = new Map(); // tensor → its value now
  /** @type {Map<string, string | null>} */ #weights = new Map(); // parameter → its value before the round
  /** Where a parameter was written last in this round, and how far, if one plain step tells it. */
  /** @type {Map<string, {tensor: string, k: number, way: number | null}>} */ #moved = new Map();
  /** @type {Set<string>} */ #complete = new Set(); // parameters that this round has already moved
  #depth = 0;
  #which = 0;
  #optimizer = "";

  /** @param {Trace} trace @param {any} made */
  constructor(trace, made) {
    this.trace = trace;
    this.made = made;
  }

  /** Take in a row before the loop. @param {Row} row */
  before(row) {
    for (const [tensor, v] of writtenBy(row)) {
      this.#values.set(tensor, v);
      if (this.#isLeaf(tensor)) this.#weights.set(this.#key(tensor), v);
    }
    this.#follow(row);
  }

  /** @param {Row} row @param {number} k @param {number} round */
  read(row, k, round) {
    const { trace, made } = this;
    if (row.kind === "backward_began") this.#begin(row, k, round);
    if (row.kind === "grad_accumulated") this.#accumulate(row.tensor, row.after, k, round);
    const asked = row.kind === "grad_captured" && trace.nodes[row.node]?.variable;
    if (asked) this.#accumulate(asked, row.grad, k, round);
    if (row.kind === "parameter_updated") this.#update(row, k, round);
    if (row.kind === "grad_norm_clipped") made.clips.push(clipOf(trace, row, k, round));
    this.#write(row, k);
    this.#follow(row);
  }

  /** @param {number} round */
  end(round) {
    for (const [name, { tensor, k, way: plain }] of this.#moved) {
      const [before, after] = [this.#weights.get(name) ?? null, this.#values.get(tensor) ?? null];
      const size = norm(this.trace, before);
      const way = distance(this.trace, before, after) ?? plain;
      const y = size === null || way === null || size === 0 ? null : way / size;
      this.made.ratios.add(name, name, { round, k, y }, tensor);
      this.#weights.set(name, after);
    }
    this.#moved.clear();
    this.#complete.clear();
  }

  /** @param {Row} row */
  #follow(row) {
    if (row.kind === "backward_began") this.#depth += 1;
    if (row.kind === "backward_ended") this.#depth -= 1;
    if (row.kind === "optimizer_step") [this.#which, this.#optimizer] = [row.which, row.optimizer];
  }

  /** @param {Row} row @param {number} k */
  #write(row, k) {
    for (const [tensor, v] of writtenBy(row)) {
      const [key, before] = [this.#key(tensor), this.#values.get(tensor)];
      if (this.#depth === 0 && this.#isLeaf(tensor)) {
        if (!this.#moved.has(key) && before) this.#weights.set(key, before);
        const way = this.#moved.has(key) ? null : wayOf(this.trace, row);
        if (this.#weights.has(key)) this.#moved.set(key, { tensor, k, way });
        else this.#weights.set(key, v);
        if (before !== undefined && before !== v) this.#complete.add(key);
      }
      this.#values.set(tensor, v);
    }
  }

  /** @param {Row} row @param {number} k @param {number} round */
  #begin(row, k, round) {
    if (this.#depth > 0) return;
    const { trace } = this;
    row.roots.forEach((/** @type {string} */ root, /** @type {number} */ i) => {
      const v = this.#values.get(root) ?? null;
      const y = row.implicit ? single(trace, v) : (dot(trace, v, row.grads[i]) ?? single(trace, v));
      this.made.losses.add(`${row.at} ${i}`, lossName(trace, root, row), { round, k, y });
    });
  }

  /** @param {string} tensor @param {string | null} v @param {number} k @param {number} round */
  #accumulate(tensor, v, k, round) {
    const name = this.#key(tensor);
    if (this.#complete.has(name)) return; // what comes after the update is for nobody, or for the next one
    this.made.grads.add(name, name, { round, k, y: norm(this.trace, v) }, tensor);
  }

  /** @param {Row} row @param {number} k @param {number} round */
  #update(row, k, round) {
    const { trace, made } = this;
    const name = this.#key(row.tensor);
    const { lr = null } = row.terms;
    const rate = { round, k, y: typeof lr === "string" ? single(trace, lr) : lr };
    made.rates.add(
      `${this.#which} ${row.group}`,
      `${this.#optimizer}.param_groups[${row.group}]`,
      rate,
      row.tensor,
    );
    for (const [full, , , after] of row.state) {
      if (!made.states.has(full)) made.states.set(full, collection());
      made.states.get(full).add(name, name, { round, k, y: norm(trace, after) }, row.tensor);
    }
  }

  /** @param {string} tensor */
  #key(tensor) {
    return this.trace.tensors[tensor]?.names[0] ?? tensor;
  }

  /** @param {string} tensor */
  #isLeaf(tensor) {
    return this.trace.tensors[tensor]?.kind === "leaf";
  }
}

/**
 * How far a row moves a parameter of which only a summary is there: the step of SGD is lr times one tensor.
 * @param {Trace} trace
 * @param {Row} row
 */
function wayOf(trace, { kind, formula, terms, grad }) {
  const [, name] = (kind === "parameter_updated" && /(?:^|; )p - lr \* (\w+)$/.exec(formula)) || [];
  if (!name || typeof terms.lr !== "number") return null;
  const size = norm(trace, name === "g" ? grad : terms[name]);
  return size === null ? null : Math.abs(terms.lr) * size;
}

/** The tensors that a row gives a value. @param {Row} row @returns {[string, string][]} */
function writtenBy(row) {
  if (row.kind === "op_applied")
    return row.outputs.map((/** @type {string} */ tensor, /** @type {number} */ i) => [
      tensor,
      row.values[i],
    ]);
  if (row.kind === "tensor_made" || row.kind === "detached") return [[row.tensor, row.value]];
  if (row.kind === "data_replaced" || row.kind === "parameter_updated") return [[row.tensor, row.after]];
  if (row.kind === "aliases_changed") return row.tensors;
  return [];
}

/** @param {Trace} trace @param {string} root @param {Row} row */
const lossName = (trace, root, row) =>
  trace.tensors[root]?.names[0] ??
  sourceText(trace, trace.tensors[root]?.at ?? null, 24) ??
  sourceText(trace, row.at, 24) ??
  row.api;

/** @param {Trace} trace @param {Row} row @param {number} k @param {number} round @returns {Clip} */
function clipOf(trace, row, k, round) {
  const number = (/** @type {any} */ x) => (typeof x === "number" ? x : single(trace, x));
  return { round, k, total: number(row.total), factor: number(row.factor), bound: row.max_norm };
}
