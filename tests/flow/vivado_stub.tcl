# Stands in for Vivado: knows the commands and options that fpga/arty uses, and no others; writes the
# files that they would. usage: tclsh vivado_stub.tcl SCRIPT SETUP_SLACK HOLD_SLACK
# Prints "ports NAME..." for every pin given. Errors, as Vivado does, on an unknown command or option,
# on a source that is not there, and on steps out of order.
lassign $argv script setup hold
set state {}

# known NAME {option arity ...} ARGS: checks the options, gives the words that are none
proc known {name options words} {
  set plain {}
  for {set i 0} {$i < [llength $words]} {incr i} {
    set word [lindex $words $i]
    if {[string match {-[a-z]*} $word]} {
      if {![dict exists $options $word]} {error "$name: unknown option '$word'"}
      incr i [dict get $options $word]
      if {$i >= [llength $words]} {error "$name: $word wants a value"}
    } else {
      lappend plain $word
    }
  }
  return $plain
}
proc after_step {step name} {
  global state
  if {$step ni $state} {error "$name: comes after $step"}
  lappend state $name
}
proc must_exist {name files} {
  if {![llength $files]} {error "$name: no file"}
  foreach file $files {
    if {![file isfile $file]} {error "$name: no file '$file'"}
  }
}
proc option {name words} {
  set at [lsearch -exact $words $name]
  return [expr {$at < 0 ? "" : [lindex $words $at+1]}]
}
proc emit {words text} {
  set file [option -file $words]
  if {$file ne ""} {
    set out [open $file w]
    puts $out $text
    close $out
  }
  return [expr {"-return_string" in $words ? $text : ""}]
}

proc version {args} {known version {-short 0} $args; return 0.stub}
proc read_verilog {args} {
  global state
  foreach files [known read_verilog {-sv 0} $args] {must_exist read_verilog $files}
  lappend state read_verilog
}
proc read_xdc {file} {
  must_exist read_xdc $file
  uplevel #0 [list source $file]
}
proc synth_design {args} {
  global ports
  if {[llength [known synth_design {-top 1 -part 1 -verilog_define 1 -generic 1} $args]]} {error "synth_design: stray words"}
  foreach {name value} $args {
    if {$name eq "-generic" && ![regexp {^\w+=(\d+|32'h[0-9a-f]{1,8})$} $value]} {error "synth_design: generic '$value'"}
    if {$name eq "-part" && ![regexp {^xc7a(35t|100t)i?csg324-1L?$} $value]} {error "synth_design: no part '$value'"}
  }
  after_step read_verilog synth_design
  puts "ports $ports"
}
proc opt_design {} {after_step synth_design opt_design}
proc place_design {} {after_step opt_design place_design}
proc phys_opt_design {} {after_step place_design phys_opt_design}
proc route_design {} {after_step place_design route_design}
proc report_utilization {args} {
  known report_utilization {-file 1 -return_string 0} $args
  after_step route_design report_utilization
  return [emit $args {
| Slice LUTs*                | 12345 |     0 |          0 |     63400 | 19.47 |
| Slice Registers            | 23456 |     0 |          0 |    126800 | 18.50 |
| Block RAM Tile             | 100.5 |     0 |          0 |       135 | 74.44 |
| DSPs                       |   128 |     0 |          0 |       240 | 53.33 |
}]
}
proc report_timing_summary {args} {known report_timing_summary {-file 1} $args; after_step route_design report_timing_summary; emit $args timing}
proc report_timing {args} {
  known report_timing {-max_paths 1 -setup 0 -hold 0 -return_string 0} $args
  after_step route_design report_timing
  return [emit $args "Slack (VIOLATED)\n  Source: i_board/from_reg/C\n  Destination: i_board/to_reg/D"]
}
proc get_timing_paths {args} {
  known get_timing_paths {-max_paths 1 -setup 0 -hold 0} $args
  after_step route_design get_timing_paths
  return [expr {"-hold" in $args ? "hold" : "setup"}]
}
proc get_property {name object} {
  global setup hold
  if {$name ne "SLACK"} {error "get_property: no property '$name'"}
  return [set $object]
}
proc write_bitstream {args} {
  after_step route_design write_bitstream
  set file [known write_bitstream {-force 0} $args]
  close [open $file w]
}

# ---- constraints -------------------------------------------------------------------------------------
set ports {}
array set pins {}
proc get_ports {names} {return $names}
proc current_design {} {return design}
proc create_clock {args} {known create_clock {-name 1 -period 1} $args}
proc set_false_path {args} {known set_false_path {-from 1 -to 1} $args}
proc set_property {args} {
  global ports pins
  if {[lindex $args 0] ne "-dict"} {
    lassign $args name value object
    if {$object ne "design" || $name ni {CFGBVS CONFIG_VOLTAGE BITSTREAM.GENERAL.COMPRESS
        BITSTREAM.CONFIG.SPI_BUSWIDTH BITSTREAM.CONFIG.CONFIGRATE}} {error "set_property: $name of $object"}
    return
  }
  lassign $args - values port
  foreach {name value} $values {
    if {$name ni {PACKAGE_PIN IOSTANDARD}} {error "set_property: $name of $port"}
  }
  set pin [dict get $values PACKAGE_PIN]
  if {[info exists pins($pin)]} {error "pin $pin is given to $pins($pin) and $port"}
  if {[dict get $values IOSTANDARD] ne "LVCMOS33"} {error "$port: the banks of the board run at 3.3 V"}
  set pins($pin) $port
  lappend ports $port
}

if {[catch {source $script} message]} {
  puts stderr "vivado_stub: $message"
  exit 1
}
