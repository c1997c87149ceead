/** The estimate by finite differences beside a gradient, and whether it agrees. */
import { h } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { chip } from "#js/panels/why_parts.js";
import { real, verdict } from "#js/trace/gradients.js";

/** What a call is asked about the number whose gradient this is: a leaf's is moved as the call finds it. */
function slopeOf({ answer, call, trace }, element) {
  const [made, output] = answer.made;
  const written = Boolean(trace.nodes[answer.node]?.variable);
  return { call, made, output, element, written };
}

/** The estimate for the number that was taken apart, or why there is none. */
export function estimate(how, picked) {
  const { answer, questions } = how;
  if (answer.made === null) return h("p", { class: "card-note" }, word("why.fd.noTensor"));
  const known = questions.of("/api/gradients/slope", slopeOf(how, picked.element));
  const title = h("h4", null, word("why.fd"));
  if (!known.answer)
    return [title, h("p", { class: "card-note", role: "status" }, known.message ?? word("why.fd.waiting"))];
  if (!known.answer.found) return [title, h("p", { class: "card-note" }, word("why.fd.none"))];
  return [title, lines(known.answer), told(how, known.answer)];
}

function lines(slope) {
  return h(
    "ul",
    { class: "why-estimates", "data-testid": "why-estimates" },
    slope.estimates
      .filter((each) => each.central !== null)
      .map((each) =>
        h(
          "li",
          null,
          h("span", null, `h = ${each.step.toExponential(0)}`),
          h("code", null, long(real(each.central))),
        ),
      ),
  );
}

/** A number with seven digits. */
const long = (x) => (Number.isFinite(x) ? String(Number(x.toPrecision(7))).replace(/^-/, "−") : String(x));

function told({ answer }, slope) {
  const whole = real(answer.whole);
  const found = verdict(whole, slope);
  const values = {
    gradient: chip(whole),
    ...{ best: long(found.best ?? 0), digits: found.digits ?? 0 },
    ...{ left: long(found.left ?? 0), right: long(found.right ?? 0) },
  };
  const sign = { agrees: "✓", kink: "⌵", differs: "≠", none: "–" }[found.kind];
  return [
    h(
      "p",
      { class: "why-verdict", "data-verdict": found.kind, "data-testid": "why-verdict" },
      `${sign} ${word(found.kind === "none" ? "why.fd.none.verdict" : `why.fd.${found.kind}`, values)}`,
    ),
    slope.float64 ? null : h("p", { class: "card-note" }, word("why.fd.narrow")),
  ];
}
