"""7-series: the script for Vivado, which is not among the tools used here. Yosys only counts the resources."""
import sources
from errors import FlowError


def bitstream_script(board, files, chosen, mhz):
    """Tcl for `vivado -mode batch -source build.tcl` in the work folder: bitstream, or failure with the path."""
    if board.pins.suffix != ".xdc":
        raise FlowError(f"{board.folder}/board.yaml: pins must be an .xdc file for family xc7", 2)
    top, _ = sources.module_of(board.top)
    names = "\n".join(f"read_verilog -sv {{{sources.relative(board, f)}}}" for f in files)
    generics = " ".join(f"{n}={v}" for n, v in chosen.items())
    return f"""# {board.get('title')}, {board.get('device')}: made by fpga/flow. Chip clock {mhz:.3f} MHz.
# vivado -mode batch -source build.tcl
file delete -force top.bit part.bit
{names}
read_xdc pins.xdc
set_property generic {{{generics}}} [current_fileset]
synth_design -top {top} -part {board.get('device')} -verilog_define SYNTHESIS=1 -generic {{{generics}}}
report_utilization -file utilization.txt
opt_design
place_design
phys_opt_design
route_design
report_utilization -file utilization.txt
report_timing_summary -file timing.txt
set slack [get_property SLACK [get_timing_paths -max_paths 1 -nworst 1 -setup]]
set hold [get_property SLACK [get_timing_paths -max_paths 1 -nworst 1 -hold]]
puts "slack: setup $slack ns, hold $hold ns"
if {{$slack < 0 || $hold < 0}} {{
  puts "timing is MISSED; no bitstream is made. The worst path:"
  report_timing -max_paths 1
  exit 1
}}
write_bitstream -force part.bit
file rename -force part.bit top.bit
"""
