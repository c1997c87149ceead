/** Numbers as text. */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  cells,
  full,
  number,
  picture,
  shapeText,
  short,
  shortNumber,
  troubles,
} from "../../static/js/trace/values.js";

const float32 = (data, shape) => ({ values: { v1: { dtype: "float32", shape, data } } });
const vector = (...data) => float32(data, [data.length]);

test("a number is printed as PyTorch prints it, without filling zeros", () => {
  const texts = [
    [1, "1."],
    [-4, "-4."],
    [4.25, "4.25"],
    [0, "0."],
    [-0, "-0."],
    [0.5, "0.5"],
    [12345678, "12345678."],
    [12345.5, "12345.5"],
  ];
  for (const [x, text] of texts) assert.equal(shortNumber(x, "float32"), text);
});

test("a float32 is written with the digits that a float32 has", () => {
  assert.equal(number(0.10000000149011612, "float32"), "0.1");
  assert.equal(number(0.10000000149011612, "float64"), "0.10000000149011612");
  assert.equal(number(0.3333333432674408, "float32"), "0.33333334");
  assert.equal(number(16777217, "float64"), "16777217.");
});

test("what is rounded keeps its four decimals and is never a rounded integer", () => {
  assert.equal(shortNumber(0.3333333432674408, "float32"), "0.3333");
  assert.equal(shortNumber(Math.fround(0.50001), "float32"), "0.5000");
  assert.equal(shortNumber(Math.fround(2.99999), "float32"), "2.99999");
  assert.equal(shortNumber(Math.fround(-1.000001), "float32"), "-1.000001");
});

test("very large and very small numbers have an exponent and four decimals, as in PyTorch", () => {
  assert.equal(shortNumber(Math.fround(1.2e-4), "float32"), "1.2000e-04");
  assert.equal(shortNumber(1e-5, "float64"), "1.0000e-05");
  assert.equal(shortNumber(-2.5e9, "float64"), "-2.5000e+09");
  assert.equal(shortNumber(1.23456e-7, "float64"), "1.2346e-07");
  assert.equal(shortNumber(Math.fround(1e20), "float32"), "1.0000e+20");
  assert.equal(number(Math.fround(1e20), "float32"), "1e+20");
});

test("many digits keep four decimals", () => {
  assert.equal(shortNumber(Math.fround(42479.8086), "float32"), "42479.8086");
  assert.equal(shortNumber(Math.fround(630.047), "float32"), "630.0470");
});

test("where there is little room, decimals go and the exponent stays", () => {
  assert.equal(short(float32(3e10, []), "v1"), "3.0000e+10");
  assert.equal(short(float32(3e10, []), "v1", 8), "3.0e+10");
  assert.equal(short(vector(3e10, 4e10), "v1", 12), "[3.0e+10, …]");
});

test("nan, inf, integers and booleans are what they are", () => {
  assert.equal(short(vector("nan", "-inf"), "v1"), "[nan, -inf]");
  assert.equal(shortNumber(3, "int64"), "3");
  assert.equal(shortNumber(true, "bool"), "True");
});

test("a missing value is None", () => {
  assert.equal(short(vector(1), null), "None");
  assert.equal(full(vector(1), undefined), "None");
});

test("elements that do not fit are left out with a sign, in every dimension", () => {
  assert.equal(short(vector(1, -4), "v1"), "[1., -4.]");
  assert.equal(short(vector(0.1, 0.2, 0.3, 0.4, 0.5, 0.6), "v1"), "[0.1, 0.2, 0.3, …]");
  const matrix = float32(
    [
      [1, 2, 3],
      [4, 5, 6],
    ],
    [2, 3],
  );
  assert.equal(short(matrix, "v1"), "[[1., 2., 3.], …]");
  assert.equal(short(matrix, "v1", 12), "[[1., …], …]");
  assert.equal(short(matrix, "v1", 40), "[[1., 2., 3.], [4., 5., 6.]]");
});

test("a shortened text is never longer than asked, except one number alone", () => {
  const wide = vector(...Array.from({ length: 200 }, (_, i) => i / 7));
  for (let most = 12; most < 60; most += 1) assert.ok(short(wide, "v1", most).length <= most);
  assert.equal(short(wide, "v1", 3), "(200,) tensor");
  assert.equal(short(float32(-123.4567, []), "v1", 3), "-123.4567");
});

test("an empty tensor shows its brackets", () => {
  assert.equal(short(float32([], [0]), "v1"), "[]");
  assert.equal(full(float32([], [0]), "v1"), "[]");
});

test("the full text keeps every digit and every element", () => {
  assert.equal(full(vector(0.3333333432674408, 2), "v1"), "[0.33333334, 2.]");
  assert.equal(full(float32([[1], [2]], [2, 1]), "v1"), "[[1.], [2.]]");
});

test("a large tensor is told by its shape and, in full, by its statistics", () => {
  const summary = {
    min: -1,
    max: 2.5,
    mean: 0.25,
    norm: 40,
    nan: 1,
    inf: 0,
    cells: { rows: 1, columns: 1, data: [[1]] },
    picture: { rows: 2, columns: 3, levels: "aLG!0l" },
  };
  const trace = { values: { v1: { dtype: "float32", shape: [64, 128], summary } } };
  assert.equal(short(trace, "v1"), "(64, 128) tensor");
  assert.equal(full(trace, "v1"), "(64, 128) tensor: min -1., max 2.5, mean 0.25, norm 40., nan 1");
  assert.deepEqual(cells(trace, "v1"), summary.cells);
});

test("the picture of a large tensor has the middle of a twelfth for each letter", () => {
  const levels = "aALlG0!";
  const summary = { picture: { rows: 1, columns: 7, levels } };
  const { rows, columns, shares } = picture({ values: { v1: { dtype: "float32", summary } } }, "v1");
  assert.deepEqual([rows, columns], [1, 7]);
  assert.deepEqual(shares, [-0.5 / 12, 0.5 / 12, 11.5 / 12, -11.5 / 12, 6.5 / 12, 0, null]);
});

test("the picture of a small tensor has the shares themselves", () => {
  assert.deepEqual(picture(vector(1, -4, 0), "v1"), { rows: 1, columns: 3, shares: [0.25, -1, 0] });
  assert.deepEqual(picture(vector("nan", 2, "-inf"), "v1").shares, [null, 1, null]);
  assert.deepEqual(picture(vector(0, 0), "v1").shares, [0, 0]);
  assert.deepEqual(picture(vector("nan"), "v1").shares, [null]);
});

test("a float32 is shown the same whether written in full or in the digits that tell it apart", () => {
  let seed = 1;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (let i = 0; i < 20000; i += 1) {
    const exact = Math.fround((random() - 0.5) * 10 ** Math.floor(random() * 24 - 12));
    const text = number(exact, "float32").replace(/\.$/, "");
    for (const show of [number, shortNumber]) {
      assert.equal(show(Number(text), "float32"), show(exact, "float32"));
    }
    const [short1, short2] = [exact, Number(text)].map((x) => short(float32([x, x], [2]), "v1"));
    assert.equal(short1, short2);
  }
  const tie = Math.fround(0.000012345);
  assert.equal(shortNumber(0.000012345, "float32"), shortNumber(tie, "float32"));
  assert.deepEqual(cells(vector(0.1), "v1").data, [[Math.fround(0.1)]]);
});

test("cells are the matrix a value is seen as", () => {
  assert.deepEqual(cells(float32(3, []), "v1"), { rows: 1, columns: 1, data: [[3]] });
  assert.deepEqual(cells(vector(1, 2), "v1"), { rows: 1, columns: 2, data: [[1, 2]] });
  const cube = float32([[[1, 2]], [[3, 4]], [[5, 6]]], [3, 1, 2]);
  assert.deepEqual(cells(cube, "v1"), {
    rows: 3,
    columns: 2,
    data: [
      [1, 2],
      [3, 4],
      [5, 6],
    ],
  });
});

test("a shape is written as Python writes a tuple", () => {
  assert.deepEqual([[], [2], [2, 3]].map(shapeText), ["()", "(2,)", "(2, 3)"]);
});

test("a complex number is written with both its parts, and drawn by its modulus", () => {
  const data = [
    { re: 3, im: -4 },
    { re: "nan", im: 0.1 },
  ];
  const trace = /** @type {any} */ ({ values: { v1: { dtype: "complex64", shape: [2], data } } });
  assert.equal(full(trace, "v1"), "[3.-4.j, nan+0.1j]");
  assert.equal(short(trace, "v1"), "[3.-4.j, nan+0.1j]");
  assert.deepEqual(picture(trace, "v1").shares, [1, null]);
  assert.deepEqual(troubles(trace, "v1"), ["nan"]);
});
