/** Builds a trace by hand, row by row. */

/** Collects what a trace is made of; `value` interns numbers as the recorder does. */
export function builder(source) {
  const trace = {
    version: 1,
    engine: "test",
    mirrors: "test",
    source,
    tensors: {},
    nodes: {},
    modules: {},
    values: {},
    rows: [],
    outcome: { kind: "finished" },
  };
  const ids = new Map();
  let line = 1;
  return {
    trace,
    value(data, dtype = "float32") {
      const key = `${dtype} ${JSON.stringify(data)}`;
      if (!ids.has(key)) {
        ids.set(key, `v${ids.size + 1}`);
        trace.values[ids.get(key)] = { dtype, shape: shapeOf(data), data };
      }
      return ids.get(key);
    },
    on(number) {
      line = number;
    },
    row(kind, fields = {}, text = null) {
      const at = text === null ? null : span(source, line, text);
      trace.rows.push({ kind, at, ...fields });
      return at;
    },
    tensor(id, kind, names, more = {}) {
      const common = { dtype: "float32", shape: [2], node: null, output_nr: 0, parameter: false, at: null };
      trace.tensors[id] = { kind, names, ...common, ...more };
    },
    node(id, name, more = {}) {
      const common = {
        op: null,
        seq: null,
        edges: [],
        inputs: [],
        args: [],
        outputs: [],
        formulas: {},
        module: null,
      };
      trace.nodes[id] = { name, ...common, at: null, ...more };
    },
  };
}

export const shapeOf = (data) =>
  Array.isArray(data) ? [data.length, ...(data.length ? shapeOf(data[0]) : [])] : [];

function span(source, line, text) {
  const column = source.split("\n")[line - 1].indexOf(text);
  if (column < 0) throw new Error(`line ${line} has no ${text}`);
  return [line, column, line, column + text.length];
}

export const tensor = (id) => ({ tensor: id });
