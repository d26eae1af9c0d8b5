#!/usr/bin/env python3
"""The FPGA flow without its tools: board.yaml, PLLs, nextpnr's logs, fit, reports, programming commands.

usage: fpga_parse_test.py
"""
import contextlib
import io
import json
import pathlib
import shutil
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "fpga/flow"))
# pylint: disable=wrong-import-position
import boards
import build
import families
import flash
import place
import pll
import pnr_log
import report
import sites
import sources
import synth
import tools
from errors import FlowError

TINY = ROOT / "tests/flow/fpga_boards"

# As nextpnr 0.4 (iCE40) and 0.11 (ECP5) write them, shortened. The first report of each is that of
# placement, and must not count.
OLD_LOG = """\
Info: Device utilisation:
Info: \t         ICESTORM_LC:   651/ 5280    12%
Info: \t        ICESTORM_RAM:     3/   30    10%

Info: Max frequency for clock 'clk': 53.75 MHz (PASS at 36.00 MHz)

Info: Critical path report for clock 'clk' (posedge -> posedge):
Info: curr total
Info:  1.4  1.4  Source i_rx.wait_q_LC.O
Info:  1.8  3.2    Net i_rx.wait_q[0] budget 1.0 ns (17,3) -> (16,2)
Info:                Sink i_rx.busy_LC.I2
Info:                Defined in:
Info:                  rtl/board/ttpu_uart_rx.sv:19.23
Info:                  /share/ice40/arith_map.v:30.33-30.34
Info:  0.8  4.0  Setup i_rx.busy_LC.I2
Info: 2.2 ns logic, 1.8 ns routing

Info: Critical path report for cross-domain path '<async>' -> 'posedge clk':
Info:  9.9  9.9  Source rst.O

ERROR: Max frequency for clock 'clk': 31.20 MHz (FAIL at 36.00 MHz)
"""
NEW_LOG = """\
Info: \t        TRELLIS_COMB:   39000/  83640    46%
Info: \t          MULT18X18D:     156/    156   100%
Info: Max frequency for clock '$glbnet$clk': 90.00 MHz (PASS at 60.00 MHz)
Info: Critical path report for clock '$glbnet$clk' (posedge -> posedge):
Info:       type curr  total name
Info:   clk-to-q  9.99  9.99 Source placement.Q

Info: Critical path report for clock '$glbnet$clk' (posedge -> posedge):
Info:       type curr  total name
Info:   clk-to-q  0.52  0.52 Source i_mxu.sum_q.Q
Info:    routing  0.83  1.36 Net i_mxu.sum_q[2] (102,24) -> (102,24)
Info:                          Sink i_mxu.add.B
Info:                          Defined in:
Info:                               rtl/mxu/ttpu_mxu.sv:19.23
Info:      setup  0.24  1.60 Source i_mxu.add.F
Info: 0.76 ns logic, 0.83 ns routing

Info: Max frequency for clock '$glbnet$clk': 61.25 MHz (PASS at 60.00 MHz)
Info: Max frequency for clock        'other': 24.00 MHz (FAIL at 25.00 MHz)
"""


class BoardYaml(unittest.TestCase):
    """What is wrong with a board is named."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copytree(TINY / "tiny", self.folder / "tiny")
        self.yaml = self.folder / "tiny/board.yaml"

    def refused(self, old, new, *words, variant=""):
        """With `old` replaced by `new` the board is refused, by a message with these words."""
        text = self.yaml.read_text()
        self.assertIn(old, text)
        self.yaml.write_text(text.replace(old, new))
        with self.assertRaises(FlowError) as e:
            boards.load(self.folder, "tiny", variant)
        for word in words:
            self.assertIn(word, str(e.exception))
        self.assertEqual(e.exception.status, 2)

    def test_good(self):
        board = boards.load(self.folder, "tiny")
        self.assertEqual((board.label, board.family, board.get("fit_margin")), ("tiny-plain", "ice40", 5))
        self.assertEqual(boards.load(self.folder, "tiny", "tight").get("fit_margin"), 99.9)
        self.assertEqual(boards.variants(self.folder, "tiny"), ["plain", "tight"])

    def test_every_board_of_the_repository(self):
        for name in boards.names(ROOT / "fpga"):
            for variant in boards.variants(ROOT / "fpga", name):
                with self.subTest(board=name, variant=variant):
                    board = boards.load(ROOT / "fpga", name, variant)
                    mhz, parameters = pll.clocking(board)
                    self.assertAlmostEqual(mhz, board.get("clock")["mhz"], delta=0.02 * mhz)
                    chosen = synth.parameters(board, parameters)
                    pll.check_given(board, parameters, chosen)
                    self.assertIn(board.top, sources.closure(board))
                    # What the top is given, it has; the size of the array among it.
                    self.assertEqual(int(chosen["N"]), boards.config(board)[0]["n"])

    def test_sites_of_another_family(self):
        self.refused("title:", "sites: x.json\ntitle:", "'sites' is for family ecp5")

    def test_unknown_key(self):
        self.refused("title: Tiny", "title: Tiny\ncolour: red", "colour", "unknown key", "title")

    def test_unknown_inner_key(self):
        self.refused("mhz: 36}", "mhz: 36, jitter: 1}", "clock", "jitter")

    def test_missing_key(self):
        self.refused("config: mini\n", "", "'config' is missing")

    def test_wrong_type(self):
        self.refused("baud: 1000000", "baud: fast", "baud", "int")

    def test_numbers_that_are_none(self):
        good = self.yaml.read_text()
        for old, new, said in (("baud: 1000000", "baud: 0", "baud must be above 0"), ("mhz: 36}", "mhz: .nan}", "mhz must be above 0"),
                               ("mhz: 36}", "mhz: .inf}", "below 10"), ("mhz: 36}", "mhz: -3}", "above 0"),
                               ("mhz: 36}", "mhz: 36, pll: false}", "without a PLL mhz is"),
                               ("fit_margin: 5\n", "fit_margin: 500\n", "fit_margin must be")):
            self.refused(old, new, said)
            self.yaml.write_text(good)

    def test_variants_that_are_none(self):
        good = self.yaml.read_text()
        for new in ("[a, b]", "text", "5", "{v: [1]}", "{v: text}"):
            self.refused(good[good.index("variants:"):], f"variants: {new}\n", "'variants' must be a mapping")
            self.yaml.write_text(good)

    def test_missing_file(self):
        self.refused("pins.pcf", "nowhere.pcf", "no file", "nowhere.pcf")

    def test_family_config_package(self):
        self.refused("family: ice40", "family: ice41", "ice41", "ecp5")
        self.yaml.write_text((TINY / "tiny/board.yaml").read_text())
        self.refused("config: mini", "config: mini9", "mini9", "edge")
        self.yaml.write_text((TINY / "tiny/board.yaml").read_text())
        self.refused("package: sg48\n", "", "package", "ice40")

    def test_unknown_variant_and_board(self):
        self.refused("title", "title", "VARIANT=big", "plain, tight", variant="big")
        with self.assertRaisesRegex(FlowError, "BOARD=small: no such board.*tiny"):
            boards.load(self.folder, "small")

    def test_variant_may_not_rename(self):
        self.refused("tight: {", "tight: {title: X, ", "title", "whole board", variant="tight")

    def test_parameter_that_the_top_lacks(self):
        self.yaml.write_text(self.yaml.read_text() + "parameters: {Bogus: 1}\n")
        with self.assertRaisesRegex(FlowError, "no parameter 'Bogus'"):
            synth.parameters(boards.load(self.folder, "tiny"), {})

    def test_pll_parameter_that_the_top_lacks(self):
        board = boards.load(self.folder, "tiny")
        _, wanted = pll.clocking(board)
        pll.check_given(board, wanted, synth.parameters(board, wanted))
        with self.assertRaisesRegex(FlowError, "no parameter PllOsDiv for the PLL"):
            pll.check_given(board, {**wanted, "PllOsDiv": 8}, synth.parameters(board, wanted))

    def test_apart(self):
        board = boards.load(self.folder, "tiny")
        files = sources.closure(board)
        self.assertNotIn("hierarchy", synth.script(board, files, {}))
        board.keys["apart"] = ["ttpu_uart_rx"]
        text = synth.script(board, files, {})
        self.assertRegex(text, r"(?s)--keep-hierarchy.*keep_hierarchy 1 ttpu_uart_rx\$\*\n.*opt_hier.*synth_ice40.*flatten")
        self.assertNotIn("abc9.D", text)
        board.keys["map_ps"] = 8000
        self.assertRegex(synth.script(board, files, {}), r"scratchpad -set abc9.D 8000\nsynth_ice40")
        board.keys["apart"] = ["ttpu_nowhere"]
        with self.assertRaisesRegex(FlowError, "no module ttpu_nowhere"):
            synth.script(board, files, {})

    def test_blocks(self):
        board = boards.Board("b", "", self.folder, {"family": "ecp5"})
        self.assertEqual(synth.blocks(board, self.folder), [])
        board.keys["apart"] = ["array"]
        modules = {"top": {"LUT4": 5}, "array$top.i": {"LUT4": 1, "CCU2C": 3}, "array$top.j": {"TRELLIS_DPR16X4": 1},
                   "pin": {"TRELLIS_FF": 9}}
        (self.folder / synth.BLOCKS).write_text(
            json.dumps({"modules": {f"\\{n}": {"num_cells_by_type": c} for n, c in modules.items()}}))
        self.assertEqual(synth.blocks(board, self.folder), ["      13 array (2 times)", "       5 top"])

    def test_blocks_of_every_family(self):
        for family, cell in (("ice40", "SB_LUT4"), ("ecp5", "LUT4"), ("gowin", "LUT4"), ("xc7", "LUT6")):
            board = boards.Board("b", "", self.folder, {"family": family, "apart": ["next"]})
            (self.folder / synth.BLOCKS).write_text(
                json.dumps({"modules": {"\\next": {"num_cells_by_type": {cell: 7}}}}))
            self.assertEqual(synth.blocks(board, self.folder), ["       7 next"], family)

    def test_multipliers_of_gowin(self):
        board = boards.Board("b", "", self.folder, {"family": "gowin"})
        found = families.resources(board, {"MULT9X9": 64}, {"LUT4": (5, 20736), "MULT18X18": (0, 48), "MULT9X9": (64, 96)})
        self.assertEqual(found["dsp"], {"used": 32, "available": 48})

    def test_carry_outs(self):
        def carry(cin, cout):
            return {"type": "CCU2C", "port_directions": {"CIN": "input", "COUT": "output"},
                    "connections": {"CIN": [cin], "COUT": [cout]}}
        file = self.folder / "netlist.json"
        cells = {"first": carry("0", 2), "second": carry(2, 3), "other": carry("1", 5)}
        file.write_text(json.dumps({"modules": {"top": {"ports": {"o": {"direction": "output", "bits": [5]}},
                                                        "cells": cells}}}))
        synth.drop_carry_outs(file)
        found = json.loads(file.read_text())["modules"]["top"]["cells"]
        self.assertEqual([c["connections"]["COUT"] for c in found.values()], [[2], ["x"], [5]])

    def test_no_yaml(self):
        self.refused("title: Tiny", "title: [", "not YAML")


class Errors(unittest.TestCase):
    """Why nextpnr failed, from its log."""

    def test_error(self):
        self.assertEqual(pnr_log.errors("Info: x\nERROR: no room\nWarning: Failed to find a route for a\n"), ["ERROR: no room"])

    def test_no_route(self):
        log = "Warning: Failed to find a route for arc 0 of net i_board.araddr[21].\nTraceback (most recent call last):\n"
        self.assertEqual(pnr_log.errors(log),
                         ["no way for a wire: Failed to find a route for arc 0 of net i_board.araddr[21]."])


class Clocks(unittest.TestCase):
    """PLL settings give what they say, within the ranges of the data sheets."""

    def test_ecp5(self):
        for wanted in (25, 40, 50, 60, 62.5, 75, 80, 100, 133):
            p = pll.solve("ecp5", 25, wanted)
            d = p.parameters
            vco = 25 / d["PllIDiv"] * d["PllFbDiv"] * d["PllOpDiv"]
            self.assertAlmostEqual(p.mhz, vco / d["PllOsDiv"])
            self.assertAlmostEqual(p.mhz, wanted, delta=0.01 * wanted)
            self.assertTrue(400 <= vco <= 800)
            self.assertTrue(10 <= 25 / d["PllIDiv"] <= 400)
            self.assertTrue(3.125 <= vco / d["PllOpDiv"] <= 400)

    def test_ice40_as_icepll(self):
        # icepll -i 12 -o 30: DIVR 0, DIVF 79, DIVQ 5, FILTER_RANGE 1
        p = pll.solve("ice40", 12, 30)
        self.assertEqual((p.mhz, p.parameters), (30, {"PllDivR": 0, "PllDivF": 79, "PllDivQ": 5, "PllFilter": 1}))

    def test_gowin_and_xc7(self):
        p = pll.solve("gowin", 27, 60)
        d = p.parameters
        self.assertAlmostEqual(p.mhz, 27 * (d["PllFbDiv"] + 1) / (d["PllIDiv"] + 1))
        self.assertTrue(500 <= p.mhz * d["PllODiv"] <= 1250)
        p = pll.solve("xc7", 100, 75)
        d = p.parameters
        self.assertAlmostEqual(p.mhz, 100 / d["PllDiv"] * d["PllMult"] / d["PllOutDiv"])
        self.assertTrue(600 <= 100 / d["PllDiv"] * d["PllMult"] <= 1200)

    def test_out_of_reach(self):
        with self.assertRaisesRegex(FlowError, "cannot make 900"):
            pll.solve("ecp5", 25, 900)
        for family, fin, wanted in (("ecp5", 25, 450), ("ice40", 12, 12), ("ice40", 12, 300), ("gowin", 27, 3), ("xc7", 100, 4)):
            with self.assertRaisesRegex(FlowError, f"cannot make {wanted} MHz"):
                pll.solve(family, fin, wanted)
        self.assertEqual(pll.solve("ecp5", 25, 400).mhz, 400)
        for wanted in (0, -24):
            with self.assertRaisesRegex(FlowError, f"cannot make {wanted} MHz"):
                pll.clocking(boards.load(TINY, "tiny"), wanted)

    def test_baud(self):
        board = boards.load(TINY, "tiny")
        mhz, parameters = pll.clocking(board)
        self.assertEqual((mhz, parameters["Div"], parameters["ClkKhz"]), (36, 36, 36000))
        self.assertTrue(5000 * mhz <= 2 ** parameters["GapBits"] <= 20000 * mhz)
        board.keys["uart"]["baud"] = 5000000  # 7.2 clocks a bit
        with self.assertRaisesRegex(FlowError, "5000000 baud"):
            pll.clocking(board)


class Logs(unittest.TestCase):
    """Both ages of nextpnr's log; what comes after routing counts."""

    def test_utilisation(self):
        self.assertEqual(pnr_log.utilisation(OLD_LOG), {"ICESTORM_LC": (651, 5280), "ICESTORM_RAM": (3, 30)})
        self.assertEqual(pnr_log.utilisation(NEW_LOG)["MULT18X18D"], (156, 156))

    def test_old(self):
        (clock,) = pnr_log.clocks(OLD_LOG)
        self.assertEqual((clock.mhz, clock.wanted, clock.met), (31.2, 36, False))
        path = pnr_log.critical_path(OLD_LOG, "clk")
        self.assertEqual([s["kind"] for s in path], ["logic", "routing", "setup"])
        self.assertEqual(path[1]["places"], ["rtl/board/ttpu_uart_rx.sv:19.23"])
        self.assertEqual(path[-1]["total_ns"], 4.0)

    def test_new(self):
        clocks = pnr_log.clocks(NEW_LOG)
        self.assertEqual([(c.mhz, c.met) for c in clocks], [(61.25, True), (24.0, False)])
        path = pnr_log.critical_path(NEW_LOG, "$glbnet$clk")
        self.assertEqual([s["name"] for s in path], ["i_mxu.sum_q.Q", "i_mxu.sum_q[2]", "i_mxu.add.F"])
        shown = pnr_log.show_path(path)
        self.assertIn("rtl/mxu/ttpu_mxu.sv:19.23", shown)
        self.assertIn("0.76 ns in logic, 0.83 ns in wires", shown)

    def test_short_names(self):
        self.assertEqual(pnr_log.short("i_e.carry_q_LUT4_A_D_CCU2C_S0_COUT.F"), "i_e.carry_q~.F")
        self.assertEqual(pnr_log.short("i_rx.wait_q_TRELLIS_FF_Q_5.Q"), "i_rx.wait_q~.Q")
        self.assertEqual(pnr_log.short("i_rx.valid_q_SB_DFFSR_Q_R_SB_LUT4_O_I3[3]"), "i_rx.valid_q~[3]")
        self.assertEqual(pnr_log.short("i_rx.lut_q[3]"), "i_rx.lut_q[3]")

    def test_another_clock_that_fails_fails_the_seed(self):
        clock, met = place.judge(pnr_log.clocks(NEW_LOG), 60)
        self.assertEqual((clock.name, met), ("other", False))

    def test_no_clock_of_the_chip(self):
        self.assertIsNone(place.judge(pnr_log.clocks(NEW_LOG), 100))
        self.assertIsNone(place.judge([], 100))


class Fit(unittest.TestCase):
    """Use of the device against what there is, and against the margin."""

    def test_margin(self):
        board = boards.load(TINY, "tiny")
        self.assertAlmostEqual(place.check_fit(board, {"ICESTORM_LC": (5016, 5280)}), 5)
        with self.assertRaisesRegex(FlowError, "5.0 % of ICESTORM_LC stay free, the goal is 5 %"):
            place.check_fit(board, {"ICESTORM_LC": (5017, 5280)})

    def test_too_large(self):
        board = boards.load(TINY, "tiny")
        with self.assertRaisesRegex(FlowError, "does not fit.*ICESTORM_DSP: 9 of 8"):
            place.check_fit(board, {"ICESTORM_LC": (10, 5280), "ICESTORM_DSP": (9, 8)})

    def test_counting(self):
        self.assertEqual(families.count({"SB_DFF": 3, "SB_DFFE": 4, "SB_LUT4": 9}, {"SB_DFF": 1}), 7)


def cell(kind, bel, bits):
    """A cell as nextpnr writes it, joined to the nets `bits`."""
    return {"type": kind, "attributes": {"NEXTPNR_BEL": bel}, "connections": {"P": list(bits)}}


class Sites(unittest.TestCase):
    """Sites of DSP blocks and block RAMs: the nearest ones in sum; a file of another design is refused."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.board = boards.Board("b", "v", self.folder, {"sites": "sites.json", "family": "ecp5"})

    def assigned(self, cells, wide=()):
        """What is assigned to a placement of `cells`, with the ends of a wide net beside them."""
        cells = cells | {f"w{i}": cell("TRELLIS_COMB", f"X{i}/Y0/SLICEA.LUT0", wide) for i in range(sites.WIDE)}
        return sites.assign({"modules": {"top": {"cells": cells}}}, {"modules": {"top": {"cells": cells}}})

    def test_two_that_were_crossed(self):
        got = self.assigned({
            "left": cell("TRELLIS_FF", "X4/Y11/SLICEA.FF0", [1, 3]), "right": cell("TRELLIS_COMB", "X90/Y11/SLICEB.LUT1", [2]),
            "a": cell("MULT18X18D", "X91/Y10/MULT18_1", [1]), "b": cell("MULT18X18D", "X5/Y10/MULT18_0", [2])})
        self.assertEqual(got, {"a": "X5/Y10/MULT18_0", "b": "X91/Y10/MULT18_1"})

    def test_a_wide_net_pulls_nothing(self):
        cells = {"ff": cell("TRELLIS_FF", "X60/Y11/SLICEA.FF0", [1]), "a": cell("MULT18X18D", "X5/Y10/MULT18_0", [1, 9]),
                 "b": cell("MULT18X18D", "X91/Y10/MULT18_1", [])}
        self.assertEqual(self.assigned(cells, [9])["a"], "X91/Y10/MULT18_1")  # 31 tiles from the flip-flop, not 55

    def test_a_free_site_of_a_column_in_use(self):
        got = self.assigned({
            "ff": cell("TRELLIS_FF", "X5/Y35/SLICEA.FF0", [1]), "a": cell("MULT18X18D", "X5/Y10/MULT18_0", [1]),
            "far": cell("TRELLIS_FF", "X91/Y35/SLICEA.FF0", [2]), "b": cell("MULT18X18D", "X91/Y34/MULT18_1", [2]),
            "ram": cell("DP16KD", "X6/Y22/EBR0", [1])})
        self.assertEqual(got, {"a": "X5/Y34/MULT18_0", "b": "X91/Y34/MULT18_1", "ram": "X6/Y22/EBR0"})

    def test_apply(self):
        cells = {"a": cell("MULT18X18D", "", [1]), "ff": cell("TRELLIS_FF", "", [1])}
        (self.folder / "netlist.json").write_text(json.dumps({"modules": {"top": {"cells": cells}}}))
        (self.folder / "sites.json").write_text(json.dumps({"a": "X5/Y10/MULT18_0", "ff": "X1/Y1/SLICEA.FF0"}))
        with contextlib.redirect_stdout(io.StringIO()) as out:
            sites.apply(self.board, self.folder)
        self.assertIn("1 of 2 of sites.json", out.getvalue())
        got = json.loads((self.folder / "sited.json").read_text())["modules"]["top"]["cells"]
        self.assertEqual(got["a"]["attributes"]["BEL"], "X5/Y10/MULT18_0")
        self.assertNotIn("BEL", got["ff"]["attributes"])
        (self.folder / "sites.json").write_text(json.dumps({"a": "X5/Y10/MULT18_0", "b": "", "c": ""}))
        with contextlib.redirect_stdout(io.StringIO()), self.assertRaisesRegex(FlowError, "another design.*SITES=1"):
            sites.apply(self.board, self.folder)

    def test_sites_that_are_none(self):
        cells = {"a": cell("MULT18X18D", "", [1]), "b": cell("MULT18X18D", "", [2]), "ram": cell("DP16KD", "", [3])}
        (self.folder / "netlist.json").write_text(json.dumps({"modules": {"DP16KD": {"cells": {}}, "chip": {"cells": cells}}}))
        for wanted, said in ((["a"], "must be a mapping"), (5, "must be a mapping"), (None, "must be a mapping"),
                             ({"a": "", "b": ""}, "'' is no site of a MULT18X18D .a."),
                             ({"a": "X1/Y1/EBR0", "b": ""}, "X1/Y1/EBR0.*no site of a MULT18X18D"),
                             ({"a": 5, "b": ""}, "5 is no site"), ({"a": "X1/Y1/MULT18_0/x", "b": ""}, "is no site"),
                             ({"a": "X1/Y1/MULT18_0", "b": "X1/Y1/MULT18_0"}, "a and b have one site")):
            (self.folder / "sites.json").write_text(json.dumps(wanted))
            with self.assertRaisesRegex(FlowError, f"sites.json: .*{said}.*SITES=1"):
                sites.apply(self.board, self.folder)
        (self.folder / "sites.json").write_text(json.dumps({"a": "X1/Y1/MULT18_0", "ram": "X2/Y1/EBR1"}))
        with contextlib.redirect_stdout(io.StringIO()):
            sites.apply(self.board, self.folder)  # the top has any name

    def test_said_before_work_begins(self):
        (self.folder / "sites.json").mkdir()
        with self.assertRaisesRegex(FlowError, "cannot be written"):
            sites.can_find(self.board)
        with self.assertRaisesRegex(FlowError, "names no file of sites"):
            sites.can_find(boards.load(TINY, "tiny"))
        with mock.patch("importlib.util.find_spec", return_value=None), self.assertRaisesRegex(FlowError, "python3-scipy"):
            sites.can_find(self.board)

    def test_no_file(self):
        for text in (None, "{", "[" * 100000):
            if text:
                (self.folder / "sites.json").write_text(text)
            with self.assertRaisesRegex(FlowError, "no sites in.*SITES=1"):
                sites.apply(self.board, self.folder)

    def test_two_rounds(self):
        """A placer that moves the multiplier's neighbour once the multiplier is beside it: the second round follows."""
        cells = {"ff": cell("TRELLIS_FF", "", [1]), "a": cell("MULT18X18D", "X91/Y34/MULT18_1", [1]),
                 "low": cell("TRELLIS_FF", "X91/Y9/SLICEA.FF0", [2]), "b": cell("MULT18X18D", "X91/Y10/MULT18_1", [2]),
                 "left": cell("TRELLIS_FF", "X5/Y35/SLICEA.FF0", [3]), "c": cell("MULT18X18D", "X5/Y34/MULT18_0", [3])}
        (self.folder / "netlist.json").write_text(json.dumps({"modules": {"top": {"cells": cells}}}))
        placer = self.folder / "placer.py"
        placer.write_text("""if True:
            import json, sys
            n = json.load(open(sys.argv[1]))
            cells = n["modules"]["top"]["cells"]
            for cell in cells.values():
                cell["attributes"]["NEXTPNR_BEL"] = cell["attributes"].get("BEL", cell["attributes"]["NEXTPNR_BEL"])
            moved = "BEL" in cells["a"]["attributes"]
            cells["ff"]["attributes"]["NEXTPNR_BEL"] = "X80/Y35/SLICEA.FF0" if moved else "X5/Y12/SLICEA.FF0"
            json.dump(n, open(sys.argv[sys.argv.index("--write") + 1], "w"))
            """)
        tool = tools.Tool([sys.executable, str(placer)], "1")
        with contextlib.redirect_stdout(io.StringIO()) as out:
            sites.find(self.board, tool, lambda netlist: [netlist], self.folder)
        self.assertIn("round 2 of 2", out.getvalue())
        self.assertEqual(json.loads((self.folder / "sites.json").read_text())["a"], "X91/Y34/MULT18_1")
        # a second round that fails leaves the file as it was
        (self.folder / "sites.json").write_text("older")
        placer.write_text(placer.read_text().replace("if True:", 'if True:\n            if "sited" in __import__("sys").argv[1]: raise SystemExit(1)'))
        with contextlib.redirect_stdout(io.StringIO()), self.assertRaisesRegex(FlowError, "no placement.*sites2.log"):
            sites.find(self.board, tool, lambda netlist: [netlist], self.folder)
        self.assertEqual((self.folder / "sites.json").read_text(), "older")
        placer.write_text("raise SystemExit(1)")
        with self.assertRaisesRegex(FlowError, "no placement.*sites1.log"):
            sites.find(self.board, tool, lambda netlist: [netlist], self.folder)


class Reports(unittest.TestCase):
    """Figures, the page's tables, and reports that no longer fit their board."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copytree(TINY / "tiny", self.folder / "tiny")
        self.board = boards.load(self.folder, "tiny")
        seeds = [place.Seed(2, 40.0, 36.0, True, "clk", [], "x"), place.Seed(1, 38.0, 36.0, True, "clk", [], "x")]
        use = {"lut": {"used": 2000, "available": 5280}, "dsp": {"used": 8, "available": 8}}
        self.report = report.make(self.board, 36.0, {"yosys": "yosys 1"}, {}, use, seeds, "tiny.bin")

    def test_figures(self):
        r = self.report
        self.assertEqual((r["macs_per_cycle"], r["gops_int8"]), (16, 1.152))  # 2 * 16 * 36 MHz
        self.assertEqual((r["gops_per_dsp"], r["gops_per_klut"]), (0.144, 0.576))
        self.assertEqual((r["best_seed"], r["fmax_mhz"]), (2, {"1": 38.0, "2": 40.0}))

    def test_table_and_staleness(self):
        path = report.checked_in(self.board)
        self.assertEqual(path.name, "report.json")
        self.assertEqual(report.checked_in(boards.load(self.folder, "tiny", "tight")).name, "report-tight.json")
        path.write_text(report.text(self.report))
        table = report.table(report.stored(self.folder))
        self.assertIn("| Tiny plain | iCE40UP5K | mini | 2000 / 5280 | - | 8 / 8 |", table)
        self.assertIn("| 38.0, 40.0 | 36 | 36 | 16 | 1.15 | 0.144 | 0.576 |", table)
        path.write_text(json.dumps(dict(self.report, device="iCE40HX8K")))
        with self.assertRaisesRegex(FlowError, "device is iCE40HX8K.*KEEP=1"):
            report.stored(self.folder)
        path.write_text(json.dumps(dict(self.report, clock_mhz=40.0)))
        with self.assertRaisesRegex(FlowError, "clock_mhz is 40.0, the board has 36"):
            report.stored(self.folder)


class Flashing(unittest.TestCase):
    """Commands, and what is said when something is missing."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.board = boards.load(TINY, "tiny")

    def test_commands(self):
        self.assertEqual(flash.command(self.board, "sram", "", "a.bin"), ["tiny_programmer", "-S", "a.bin"])
        self.assertEqual(flash.command(self.board, "flash", "s:1", "a b.bin"),
                         ["tiny_programmer", "-d", "s:1", "a b.bin"])
        with self.assertRaisesRegex(FlowError, "MODE=rom"):
            flash.command(self.board, "rom", "", "a.bin")

    def test_no_bitstream_then_no_tool(self):
        with self.assertRaisesRegex(FlowError, "no bitstream yet.*make fpga BOARD=tiny VARIANT=plain"):
            flash.run(self.board, self.folder, "sram", "")
        with self.assertRaisesRegex(FlowError, "make fpga BOARD=arty VARIANT=35t, then Vivado"):
            flash.run(boards.load(ROOT / "fpga", "arty", "35t"), self.folder, "sram", "")
        path = build.bitstream_path(self.folder, self.board)
        path.parent.mkdir(parents=True)
        path.write_text("x")
        with self.assertRaisesRegex(FlowError, "no tiny_programmer"):
            flash.run(self.board, self.folder, "sram", "")

    def test_programmer_fails(self):
        path = build.bitstream_path(self.folder, self.board)
        path.parent.mkdir(parents=True)
        path.write_text("x")
        self.board.keys["program"]["sram"] = ["false", "{bitstream}"]
        with contextlib.redirect_stdout(io.StringIO()), self.assertRaisesRegex(FlowError, "not programmed"):
            flash.run(self.board, self.folder, "sram", "")
        self.board.keys["program"]["sram"] = ["true", "{bitstream}"]
        with contextlib.redirect_stdout(io.StringIO()) as out:
            flash.run(self.board, self.folder, "sram", "")
        self.assertTrue(out.getvalue().endswith("--device board:/dev/ttyUSB7\n"))
        for uart, device in (({"baud": 115200, "device": ":/dev/ttyUSB7"}, "board:/dev/ttyUSB7:115200"),
                             ({"baud": 115200}, "board::115200"), ({"baud": 1000000}, "board")):
            self.board.keys["uart"] = uart
            with contextlib.redirect_stdout(io.StringIO()) as out:
                flash.run(self.board, self.folder, "sram", "")
            self.assertTrue(out.getvalue().endswith(f"--device {device}\n"), out.getvalue())


if __name__ == "__main__":
    unittest.main()
