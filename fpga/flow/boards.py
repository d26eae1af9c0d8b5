"""Boards: fpga/<board>/board.yaml, read and checked. Every key is explained in fpga/README.md."""
import copy
import dataclasses
import pathlib
import re

import yaml

from errors import FlowError

ROOT = pathlib.Path(__file__).resolve().parents[2]
FAMILIES = ("ice40", "ecp5", "gowin", "xc7")

# key: (type, needed). A variant may set any of these except the three about variants.
KEYS = {
    "title": (str, True), "family": (str, True), "device": (str, True), "package": (str, False),
    "speed": (int, False), "gowin_family": (str, False), "config": (str, True), "top": (str, False),
    "pins": (str, True), "clock": (dict, True), "uart": (dict, True), "fit_margin": ((int, float), False),
    "parameters": (dict, False), "yosys": (str, False), "apart": (list, False), "map_ps": (int, False),
    "wire_ps": (int, False), "sites": (str, False), "nextpnr": (list, False), "pack": (list, False),
    "program": (dict, False), "default_variant": (str, False), "variants": (dict, False),
}
INNER = {
    "clock": {"oscillator_mhz": ((int, float), True), "mhz": ((int, float), True), "pll": (bool, False),
              "goal_mhz": ((int, float), False)},
    "uart": {"baud": (int, True), "device": (str, False)},
    "program": {"sram": (list, False), "flash": (list, False), "port": (list, False)},
}
OF_BOARD_ONLY = {"title", "default_variant", "variants"}
NEEDED_BY_FAMILY = {"ice40": ["package"], "ecp5": ["package", "speed"], "gowin": ["gowin_family"], "xc7": []}


@dataclasses.dataclass
class Board:
    """One board in one variant. `keys` is the merged content of board.yaml."""
    name: str
    variant: str  # "" where the board has none
    folder: pathlib.Path
    keys: dict

    @property
    def label(self):
        return f"{self.name}-{self.variant}" if self.variant else self.name

    def get(self, key, default=None):
        return self.keys.get(key, default)

    @property
    def family(self):
        return self.keys["family"]

    @property
    def top(self):
        return self.folder / self.keys.get("top", "top.sv")

    @property
    def pins(self):
        return self.folder / self.keys["pins"]


def _check(where, given, schema):
    """Names an unknown key, a missing one, or one of the wrong type."""
    for key, value in given.items():
        if key not in schema:
            raise FlowError(f"{where}: unknown key '{key}'. Known: {', '.join(schema)}", 2)
        kind = schema[key][0]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            names = " or ".join(k.__name__ for k in (kind if isinstance(kind, tuple) else (kind,)))
            raise FlowError(f"{where}: '{key}' must be {names}, not {value!r}", 2)
    for key, (_, needed) in schema.items():
        if needed and key not in given:
            raise FlowError(f"{where}: key '{key}' is missing", 2)


def _check_numbers(where, keys):
    """Numbers that nothing can be made of."""
    numbers = {f"clock: {k}": v for k, v in keys["clock"].items() if k != "pll"} | {"uart: baud": keys["uart"]["baud"]}
    for key, value in numbers.items():
        if not 0 < value < 1e9:  # nor .inf, nor .nan
            raise FlowError(f"{where}: {key} must be above 0 and below 10^9, not {value}", 2)
    if not 0 <= keys.get("fit_margin", 0) < 100:
        raise FlowError(f"{where}: fit_margin must be 0 to below 100 per cent, not {keys['fit_margin']}", 2)
    clock = keys["clock"]
    if not clock.get("pll", True) and clock["mhz"] != clock["oscillator_mhz"]:
        raise FlowError(f"{where}: clock: without a PLL mhz is oscillator_mhz, {clock['oscillator_mhz']}, "
                        f"not {clock['mhz']}", 2)


def names(boards_dir):
    """Names of the boards, those with a board.yaml."""
    return sorted(p.parent.name for p in pathlib.Path(boards_dir).glob("*/board.yaml"))


def _read(boards_dir, name):
    path = pathlib.Path(boards_dir) / name / "board.yaml"
    if name not in names(boards_dir):
        raise FlowError(f"BOARD={name}: no such board. There are: {', '.join(names(boards_dir)) or 'none'}", 2)
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as e:
        raise FlowError(f"{path}: not YAML: {e}", 2) from e
    if not isinstance(raw, dict):
        raise FlowError(f"{path}: must be a mapping of keys", 2)
    mapping = raw.get("variants") or {}
    if not isinstance(mapping, dict) or not all(v is None or isinstance(v, dict) for v in mapping.values()):
        raise FlowError(f"{path}: 'variants' must be a mapping of names, each to a mapping of keys", 2)
    raw["variants"] = {str(name): keys for name, keys in mapping.items()}
    return path, raw


def variants(boards_dir, name):
    """Names of a board's variants, the default one first; [""] if it has none."""
    path, raw = _read(boards_dir, name)
    have = [str(v) for v in raw.get("variants") or {}]
    if not have:
        return [""]
    default = str(raw.get("default_variant", have[0]))
    if default not in have:
        raise FlowError(f"{path}: default_variant '{default}' is none of {', '.join(have)}", 2)
    return [default] + [v for v in have if v != default]


def load(boards_dir, name, variant=""):
    """The board `name` in `variant` (its default one if empty), with every file checked to be there."""
    path, raw = _read(boards_dir, name)
    have = variants(boards_dir, name)
    if variant and variant not in have:
        raise FlowError(f"VARIANT={variant}: {name} has no such variant. There are: "
                        f"{', '.join(v for v in have if v) or 'none'}", 2)
    variant = variant or have[0]
    keys = copy.deepcopy({k: v for k, v in raw.items() if k not in ("variants", "default_variant")})
    if variant:
        more = raw["variants"][variant] or {}
        for key, value in more.items():
            if key in OF_BOARD_ONLY:
                raise FlowError(f"{path}: variant {variant}: '{key}' belongs to the whole board", 2)
            if isinstance(value, dict) and isinstance(keys.get(key), dict):
                keys[key].update(value)
            else:
                keys[key] = value
    _check(str(path), keys, KEYS)
    for key, schema in INNER.items():
        if key in keys:
            _check(f"{path}: {key}", keys[key], schema)
    _check_numbers(str(path), keys)
    board = Board(name, variant, path.parent, keys)
    if board.family not in FAMILIES:
        raise FlowError(f"{path}: family '{board.family}' is none of {', '.join(FAMILIES)}", 2)
    for key in NEEDED_BY_FAMILY[board.family]:
        if key not in keys:
            raise FlowError(f"{path}: key '{key}' is missing (family {board.family} needs it)", 2)
    for file in (board.top, board.pins):
        if not file.is_file():
            raise FlowError(f"{path}: no file {file}", 2)
    if "sites" in keys and board.family != "ecp5":
        raise FlowError(f"{path}: 'sites' is for family ecp5", 2)
    config(board)
    return board


def configs():
    """Named configurations of sw/isa/configs.yaml, and their RTL parameters as {Name: value}."""
    with open(ROOT / "sw/isa/configs.yaml", encoding="utf-8") as f:
        sizes = yaml.safe_load(f)["configs"]
    text = (ROOT / "scripts/cmake/configs.cmake").read_text(encoding="utf-8")
    params = {m[1]: dict(re.findall(r"-G(\w+)=(\S+)", m[2]))
              for m in re.finditer(r"set\(TTPU_PARAMS_(\w+) (.*)\)", text)}
    return sizes, params


def config(board):
    """(sizes, parameters) of the board's configuration."""
    sizes, params = configs()
    name = board.get("config")
    if name not in sizes or name not in params:
        raise FlowError(f"{board.folder}/board.yaml: no configuration '{name}' in sw/isa/configs.yaml "
                        f"(there are {', '.join(sizes)})", 2)
    return sizes[name], params[name]
