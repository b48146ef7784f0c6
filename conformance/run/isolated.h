#pragma once
#include <sys/types.h>

#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "conformance/record/record.h"
#include "device/abi/implementation.h"
#include "reference/spec/problem.h"

/// Cases in processes of their own, for implementations that may take the process down.
namespace plumbline::run {

/// How a child talks: descriptors beside the standard ones, whose first two the implementation may
/// write to. Ids come in and records go out, one a line; the first line that goes out is kReady and
/// the manifest (manifest_json.h), so that the library is opened in children alone.
/// Numbers that nobody reaches by accident.
inline constexpr int kIdsIn = 198;
inline constexpr int kRecordsOut = 199;
inline constexpr const char* kReady = "ready ";

/// One child process. Not thread-safe.
class CaseProcess {
 public:
  /// Starts `command` (program and arguments) and waits until it is ready. Throws BadInput, with
  /// the last line that it wrote to standard error, where it ends before.
  explicit CaseProcess(const std::vector<std::string>& command);
  ~CaseProcess();
  CaseProcess(const CaseProcess&) = delete;
  CaseProcess& operator=(const CaseProcess&) = delete;

  /// What the implementation says of itself.
  const Manifest& manifest() const { return manifest_; }

  /// Runs one case there. Where the child ends instead, `record` is left alone and the text says
  /// how: "ended by signal 6 (Aborted): last line of standard error". Empty: it answered.
  std::string run(const Case& test_case, Record& record);

 private:
  /// False: the child closed its end.
  bool read_line(std::string& line);
  std::string how_it_ended();
  void kill_and_close();

  Manifest manifest_;
  pid_t child_ = -1;
  int ids_ = -1;
  int records_ = -1;
  std::string rest_;
  std::unique_ptr<FILE, int (*)(FILE*)> words_;  ///< its standard error
};

/// As many children as there are cases at a time, made when needed and replaced when they end.
class CasePool {
 public:
  explicit CasePool(std::vector<std::string> command) : command_(std::move(command)) {}
  /// The record of a case; a child that ends is a crash pinned on the case. `blank` is what a
  /// record says of the implementation.
  Record run(const Case& test_case, const Record& blank);

 private:
  std::unique_ptr<CaseProcess> take();

  std::vector<std::string> command_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<CaseProcess>> idle_;
};

}  // namespace plumbline::run
