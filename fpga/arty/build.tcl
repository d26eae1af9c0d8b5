# From the sources to a bitstream, by Vivado without a project. `make fpga BOARD=arty` puts what is to be
# built above this text, into build.tcl of its work folder:
#   title, part, top, files, generics (Name=value), mhz (of the chip's clock), again (the command that made it), bitstream (file to write)
# Leaves the bitstream, utilization.txt, timing.txt and report.json; or none of bitstream and report,
# with the worst path on the screen and exit code 1, if a clock is not met.

set report report.json
file delete -force $bitstream $report part.bit

# ---- synthesis and implementation ------------------------------------------------------------------
foreach file [concat $files pins.xdc] {
  if {![file exists $file]} {
    puts "no file $file: make fpga BOARD=arty writes this folder"
    exit 2
  }
}
read_verilog -sv $files
read_xdc pins.xdc
set options {}
foreach generic $generics {
  lappend options -generic $generic
}
synth_design -top $top -part $part -verilog_define SYNTHESIS=1 {*}$options
opt_design
place_design
phys_opt_design
route_design

# ---- reports -----------------------------------------------------------------------------------------
set utilization [report_utilization -return_string]
set out [open utilization.txt w]
puts $out $utilization
close $out
report_timing_summary -file timing.txt

# used {Row of the table}: its column "Used"
proc used {row} {
  global utilization
  if {![regexp "\\|\\s*$row\\*?\\s*\\|\\s*(\[0-9.\]+)\\s*\\|" $utilization -> count]} {
    error "utilization has no line '$row'"
  }
  return $count
}

set setup [get_property SLACK [get_timing_paths -max_paths 1 -setup]]
set hold [get_property SLACK [get_timing_paths -max_paths 1 -hold]]
if {![string is double -strict $setup] || ![string is double -strict $hold]} {
  puts "there is no timing path: the clock is not constrained"
  exit 1
}
set fmax [expr {1000.0 / (1000.0 / $mhz - $setup)}]
puts [format "slack: setup %.3f ns, hold %.3f ns; %.1f MHz of %.1f MHz" $setup $hold $fmax $mhz]
if {$setup < 0 || $hold < 0} {
  puts "timing is MISSED, there is no bitstream. The worst path:"
  if {$setup < 0} {
    puts [report_timing -setup -max_paths 1 -return_string]
  } else {
    puts [report_timing -hold -max_paths 1 -return_string]
  }
  puts "Another clock: $again MHZ=[expr {int($fmax)}]"
  exit 1
}

# ---- bitstream -----------------------------------------------------------------------------------------
write_bitstream -force part.bit
set out [open part.json w]
puts $out [format "{\n \"title\": \"%s\",\n \"part\": \"%s\",\n \"tool\": \"Vivado %s\"," $title $part [version -short]]
puts $out [format " \"lut\": %s, \"ff\": %s, \"dsp\": %s, \"bram\": %s," [used "Slice LUTs"] \
  [used "Slice Registers"] [used "DSPs"] [used "Block RAM Tile"]]
puts $out [format " \"clock_mhz\": %.3f, \"fmax_mhz\": %.1f, \"setup_ns\": %.3f, \"hold_ns\": %.3f\n}" \
  $mhz $fmax $setup $hold]
close $out
file rename -force part.json $report
file rename -force part.bit $bitstream
puts "bitstream: [file normalize $bitstream]"
