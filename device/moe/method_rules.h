#pragma once

namespace plumbline::device {

/// What the life cycle of a quant method keeps to, as plain data that a planted fault may edit.
struct MethodRules {
  bool clears_ownership_first = true;     ///< create_runner, before anything can refuse
  bool refuses_unknown_backend = true;    ///< false: builds triton's runner in its place
  bool process_reads_runner = false;      ///< the runner's configuration, whoever owns it
  bool parameters_need_ownership = true;  ///< gemm1_* are written by an owner alone
  bool removes_stale_parameters = true;   ///< of an earlier process_weights
  bool absent_limit_is_zero = false;      ///< a limit that the config leaves out is written as 0
  bool packs_once = true;                 ///< a second process_weights leaves the weights alone
  bool keeps_switches = true;             ///< process_weights leaves runner_backend as it was
};

}  // namespace plumbline::device
