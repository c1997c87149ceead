/** The errors people meet most, known by their message: what causes each, and what people do about it. */

/**
 * A message and the key of its two texts, "trouble.<key>" and "trouble.advice.<key>".
 * @type {[RegExp, string][]}
 */
const TABLE = [
  [/^grad can be implicitly created only for scalar outputs/, "not_scalar"],
  [/^element \d+ of tensors does not require grad/, "no_grad"],
  [/a leaf Variable that requires grad/, "leaf_in_place"],
  [/^mat1 and mat2 shapes|^size mismatch|^inconsistent tensor size/, "matmul_shapes"],
  [/^The size of tensor a/, "shapes"],
  [/^name '(?:torch|nn|F|optim|np)' is not defined/, "not_imported"],
];

/** The key of the texts for an error's message, or null. */
export function adviceFor(message) {
  return TABLE.find(([pattern]) => pattern.test(message))?.[1] ?? null;
}
