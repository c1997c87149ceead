/** Talking to the server. Every failure becomes one clear sentence; knows no elements. */

/**
 * @typedef {(key: string, values?: Record<string, unknown>) => string} Translate
 * @typedef {{url: string, title: string, where: string}} KnownError
 * @typedef {{trace: any, drawing: any, errors?: KnownError[], text: string}} Run
 *   the answer, and the very text it came as
 * @typedef {{run: Run} | {message: string} | {aborted: true}} Answer
 * @typedef {{report: any} | {unchecked: "long" | "busy" | "network" | "fault"} | {aborted: true}} Checked
 */

const HEADERS = { "Content-Type": "application/json", Accept: "application/json, application/problem+json" };

/**
 * Run code on the server and return the trace with its drawing, a sentence, or that it was called off.
 * @param {string} code
 * @param {{
 *   t: Translate, seed?: number, leaves?: object, more?: object, signal?: AbortSignal,
 *   fetch?: typeof globalThis.fetch,
 * }} options `leaves` are values for the free names of a formula, `more` is sent as it is
 * @returns {Promise<Answer>}
 */
export async function runCode(code, { t, seed = 0, leaves = {}, more = {}, signal, fetch }) {
  try {
    const response = await (fetch ?? globalThis.fetch)("/api/traces", {
      method: "POST",
      headers: HEADERS,
      body: JSON.stringify({
        ...{ code, ...more },
        ...(seed && { seed }),
        ...(Object.keys(leaves).length && { leaves }),
      }),
      signal,
    });
    const text = await response.text();
    const body = parsed(text);
    if (response.ok && body?.trace && body?.drawing) return { run: { ...body, text } };
    return {
      message: body?.title ? problem(body, response, t) : t("run.unreadable", { status: response.status }),
    };
  } catch {
    return signal?.aborted ? { aborted: true } : { message: t("run.network") };
  }
}

/**
 * Ask a question about a program and return the answer, a sentence, or that it was called off.
 * @param {string} path
 * @param {object} body
 * @param {{t: Translate, signal?: AbortSignal, fetch?: typeof globalThis.fetch}} how
 * @returns {Promise<{answer: any} | {message: string} | {aborted: true}>}
 */
export async function askAbout(path, body, { t, signal, fetch = globalThis.fetch }) {
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: HEADERS,
      body: JSON.stringify(body),
      signal,
    });
    const told = parsed(await response.text());
    if (response.ok && typeof told?.found === "boolean") return { answer: told };
    return {
      message: told?.title ? problem(told, response, t) : t("run.unreadable", { status: response.status }),
    };
  } catch {
    return signal?.aborted ? { aborted: true } : { message: t("run.network") };
  }
}

const ATTEMPTS = 5;
const REFUSED = { 413: "long", 429: "busy", 503: "busy" };

/**
 * Have a run derived again, from the very text it came as; a server that is busy is asked again.
 * @param {string} text
 * @param {{signal?: AbortSignal, fetch?: typeof globalThis.fetch, wait?: typeof sleep}} [how]
 * @returns {Promise<Checked>}
 */
export async function checkRun(text, { signal, fetch = globalThis.fetch, wait = sleep } = {}) {
  try {
    for (let left = ATTEMPTS; ; left -= 1) {
      const response = await fetch("/api/traces/check", {
        method: "POST",
        headers: HEADERS,
        body: text,
        signal,
      });
      const body = parsed(await response.text());
      if (signal?.aborted) return { aborted: true };
      if (response.ok && Array.isArray(body?.problems)) return { report: body };
      const why = /** @type {Record<number, any>} */ (REFUSED)[response.status] ?? "fault";
      if (why !== "busy" || left <= 1) return { unchecked: why };
      await wait(1000 * Number(response.headers.get("Retry-After") || 1));
      if (signal?.aborted) return { aborted: true };
    }
  } catch {
    return signal?.aborted ? { aborted: true } : { unchecked: "network" };
  }
}

/**
 * Have the graph of a run drawn again, its elements grouped in another way; null where that fails.
 * @param {any} trace
 * @param {string} fold
 * @param {{signal?: AbortSignal, fetch?: typeof globalThis.fetch}} [how]
 */
export async function drawRun(trace, fold, { signal, fetch = globalThis.fetch } = {}) {
  try {
    const response = await fetch(`/api/traces/drawing?fold=${encodeURIComponent(fold)}`, {
      ...{ method: "POST", headers: HEADERS, body: JSON.stringify({ trace }), signal },
    });
    const body = parsed(await response.text());
    return response.ok && body?.layouts ? body : null;
  } catch {
    return null;
  }
}

/**
 * Have a run made into a file and return it, or a sentence that says why there is none.
 * @param {object} body
 * @param {{t: Translate, lang: string, fetch?: typeof globalThis.fetch}} how
 * @returns {Promise<{file: Blob} | {message: string}>}
 */
export async function takeAway(body, { t, lang, fetch = globalThis.fetch }) {
  try {
    const response = await fetch(`/api/exports?lang=${lang}`, {
      ...{ method: "POST", headers: HEADERS, body: JSON.stringify(body) },
    });
    if (response.ok) return { file: await response.blob() };
    const told = parsed(await response.text());
    return {
      message: told?.title ? problem(told, response, t) : t("run.unreadable", { status: response.status }),
    };
  } catch {
    return { message: t("run.network") };
  }
}

/** @param {number} ms */
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/**
 * Return what a text of JSON says, or null where it is none.
 * @param {string} text
 */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Word a problem document (RFC 9457).
 * @param {{title: string, detail?: string, errors?: {at: string, message: string}[]}} body
 * @param {Response} response
 * @param {Translate} t
 */
function problem(body, response, t) {
  const seconds = response.headers.get("Retry-After");
  const details = [body.detail ?? "", ...(body.errors ?? []).map(({ at, message }) => `${at}: ${message}`)];
  const detail = details.filter(Boolean).join(" ");
  const isTold = !seconds || detail.includes(seconds);
  const text = detail ? t("run.problem", { title: body.title, detail }) : body.title;
  return isTold ? text : `${text} ${t("run.wait", { seconds })}`;
}
