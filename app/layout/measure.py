"""How large a box must be to hold its text. Counts characters; draws nothing, reads no font."""

from __future__ import annotations

from collections.abc import Iterable

from app.layout.fold import Group
from app.layout.graph import Element

# role -> least width, greatest width, height
SIZES = {"leaf": (128, 220, 114), "op": (104, 200, 72), "data": (96, 180, 52)}

LONGEST_VALUE = 22  # characters; the page shortens beyond
MONO, SMALL, FUNCTION = 7.3, 6.2, 6.0  # px a character: values, notes, names of nodes
LABELLED = ("self", "other", "exponent")  # arguments that stand beside an op's name: pow 2
SHORT = range(1, 7)  # characters of such an argument
GROUP = (132, 220, 72)  # least width, greatest width, height
NUMBERS_READ = 12  # of a value: more never fit


def sizes(trace: dict, elements: Iterable[Element]) -> dict[str, tuple[int, int]]:
    """Return width and height of each element, wide enough for every value it ever shows."""
    longest = longest_values(trace)
    return {element.id: size(trace, element, longest) for element in elements}


def size(trace: dict, element: Element, longest: dict[str, int]) -> tuple[int, int]:
    """Return width and height of one element."""
    least, greatest, height = SIZES[element.role]
    value = MONO * max((longest.get(member, 0) for member in element.members), default=0)
    needed = max(TEXTS[element.role](trace, element.id, value))
    return int(min(max(needed, least), greatest)), height


def group_size(group: Group) -> tuple[int, int]:
    """Return width and height of a group that is folded: its name and how many of how many it is."""
    least, greatest, height = GROUP
    beside = len(f" {group.count} / {group.of}") if group.of else 0
    needed = 8.4 * len(group.label) + SMALL * beside + 36
    return int(min(max(needed, least), greatest)), height


def leaf_lines(trace: dict, t: str, value: float) -> tuple[float, ...]:
    """Name and shape; the value; the gradient beside its label."""
    tensor = trace["tensors"][t]
    note = len("leaf · ") + len(shape_text(tensor))
    return 9 * len(name_of(tensor)) + SMALL * note + 40, value + 28, value + 66


def op_lines(trace: dict, n: str, value: float) -> tuple[float, ...]:
    """Operation and variable; the value; the node."""
    node = trace["nodes"][n]
    names = [name_of(trace["tensors"][t]) for t in node["outputs"]]
    plain = [a["text"] for name, a in node["args"] if name in LABELLED and len(a.get("text", "")) in SHORT]
    label = " ".join([node["op"] or node["name"], *plain])
    title = 8.4 * len(label) + 7 * max(map(len, names), default=0) + 36
    return title, value + 24, FUNCTION * len(node["name"]) + 24


def data_lines(trace: dict, t: str, value: float) -> tuple[float, ...]:
    """Name and shape; the value."""
    tensor = trace["tensors"][t]
    return 8.4 * len(name_of(tensor)) + SMALL * len(shape_text(tensor)) + 36, value + 24


TEXTS = {"leaf": leaf_lines, "op": op_lines, "data": data_lines}


def name_of(tensor: dict) -> str:
    """Return the first name a tensor was bound to, or nothing."""
    return tensor["names"][0] if tensor["names"] else ""


def shape_text(tensor: dict) -> str:
    """Return a shape as Python writes the tuple."""
    return str(tuple(tensor["shape"])).replace(" ", "")


def longest_values(trace: dict) -> dict[str, int]:
    """Return the length of the longest value text that each tensor shows in any row."""
    lengths = {v: value_length(value) for v, value in trace["values"].items()}
    longest: dict[str, int] = {}

    def seen(id: str, value: str | None) -> None:
        longest[id] = max(longest.get(id, 4), lengths.get(value, 4))

    for row in trace["rows"]:
        for t, value in row.get("seen", {}).items():
            seen(t, value)
            seen(trace["tensors"][t]["node"] or t, value)
        match row["kind"]:
            case "tensor_made" | "detached":
                seen(row["tensor"], row["value"])
            case "aliases_changed":
                for t, value in row["tensors"]:
                    seen(t, value)
            case "op_applied":
                for t, value in zip(row["outputs"], row["values"]):
                    seen(t, value)
                    seen(row["node"] or t, value)
            case "grad_set" | "grad_accumulated" | "grad_retained" | "parameter_updated" | "data_replaced":
                seen(row["tensor"], row["after"])
                seen(row["tensor"], row.get("arriving"))
    return longest


def value_length(value: dict) -> int:
    """Return about how many characters a value's short text has."""
    if "data" not in value:
        return min(len(f"{tuple(value['shape'])} tensor"), LONGEST_VALUE)
    numbers, brackets = flat(value["data"])
    if len(numbers) > NUMBERS_READ:
        return LONGEST_VALUE
    return min(sum(map(number_length, numbers)) + 2 * max(len(numbers) - 1, 0) + brackets, LONGEST_VALUE)


def flat(data: object) -> tuple[list, int]:
    """Return the first numbers of nested lists and the number of brackets around them."""
    if not isinstance(data, list):
        return [data], 0
    numbers, brackets = [], 2
    for part in data[: NUMBERS_READ + 1]:
        inner, more = flat(part)
        numbers += inner
        brackets += more
    return numbers, brackets


def number_length(x: object) -> int:
    """Return the length of a number as the page writes it: four decimals, more if they hid a rest."""
    if not isinstance(x, float):
        return len(str(x))
    if abs(x) > 1e8 or 0 < abs(x) < 1e-4:
        return len(f"{x:.4e}")
    rounded = f"{x:.4f}"
    if abs(float(rounded) - x) <= 1e-7 * abs(x):
        return len(rounded.rstrip("0"))
    return len(rounded) if rounded.rstrip("0")[-1] != "." else len(f"{x:.9g}")
