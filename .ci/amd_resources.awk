# Reads the kernel metadata of one code object; prints a line a kernel and fails over budget.
function close_kernel() {
  if (name == "") return
  kernels++
  bad = scratch > 0 || vspill > 0 || sspill > 0 || lds > 49152
  if (bad) failed = 1
  printf "%s %s: scratch %d, spills %d + %d, LDS %d, VGPR %d%s\n", file, name, scratch, vspill, \
    sspill, lds, vgpr, bad ? "   OVER BUDGET" : ""
  name = ""
}
/^ *- \.a|^ *- \.args/ { close_kernel() }
/\.group_segment_fixed_size:/ { lds = $NF }
/\.private_segment_fixed_size:/ { scratch = $NF }
/\.sgpr_spill_count:/ { sspill = $NF }
/\.vgpr_spill_count:/ { vspill = $NF }
/\.vgpr_count:/ { vgpr = $NF }
/^ *\.symbol:/ { name = $NF }
/amdhsa.target|amdhsa.version/ { close_kernel() }
END {
  close_kernel()
  if (kernels == 0) { print file ": no kernel found"; exit 1 }
  exit failed
}
