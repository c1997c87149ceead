/** Talking to the server. Every failure becomes one clear sentence; knows no elements. */

/**
 * @typedef {(key: string, values?: Record<string, unknown>) => string} Translate
 * @typedef {{trace: any, drawing: any}} Run
 * @typedef {{run: Run} | {message: string} | {aborted: true}} Answer
 */

/**
 * Run code on the server and return the trace with its drawing, a sentence, or that it was called off.
 * @param {string} code
 * @param {{t: Translate, signal?: AbortSignal, fetch?: typeof globalThis.fetch}} options
 * @returns {Promise<Answer>}
 */
export async function runCode(code, { t, signal, fetch = globalThis.fetch }) {
  try {
    const response = await fetch("/api/traces", {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json, application/problem+json" },
      body: JSON.stringify({ code }),
      signal,
    });
    const body = await readJson(response);
    if (response.ok && body?.trace && body?.drawing) return { run: body };
    return {
      message: body?.title ? problem(body, response, t) : t("run.unreadable", { status: response.status }),
    };
  } catch {
    return signal?.aborted ? { aborted: true } : { message: t("run.network") };
  }
}

/**
 * Return the body, or null where it is not JSON; a connection that breaks on the way is the caller's to tell.
 * @param {Response} response
 */
async function readJson(response) {
  const text = await response.text();
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
