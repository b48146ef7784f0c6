#include "conformance/run/isolated.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include "conformance/record/journal.h"
#include "conformance/run/manifest_json.h"
#include "reference/spec/status.h"

namespace plumbline::run {
namespace {

/// A pipe whose ends are closed in children unless handed over.
struct Pipe {
  int read = -1;
  int write = -1;

  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
      throw BadInput("pipe", "", std::strerror(errno));
    }
    read = ends[0];
    write = ends[1];
  }
};

/// The last line that is not empty.
std::string last_line(FILE* file) {
  std::string text;
  std::array<char, 4096> part{};
  std::rewind(file);
  for (std::size_t n = 0; (n = std::fread(part.data(), 1, part.size(), file)) > 0;) {
    text.append(part.data(), n);
    if (text.size() > 2 * part.size()) text.erase(0, text.size() - part.size());
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.find_last_of('\n') + 1);
}

/// Writes all of it; a child that has ended is noticed when its answer is read.
void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(descriptor, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

pid_t spawn(const std::vector<std::string>& command, int ids, int records, int words) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, words, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, words, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ids, kIdsIn);
  posix_spawn_file_actions_adddup2(&actions, records, kRecordsOut);
  pid_t child = -1;
  const int error = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw BadInput(command[0], "", std::strerror(error));
  return child;
}

/// Above the numbers that children get, so that handing one over never overwrites another.
int moved_up(int descriptor) {
  constexpr int kFirst = 16;
  const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, kFirst);
  close(descriptor);
  return moved;
}

/// Whether the child has ended within a second or two; `status` is then its own.
bool ends_soon(pid_t child, int& status) {
  constexpr int kSteps = 200;
  constexpr auto kStep = std::chrono::milliseconds(10);
  for (int step = 0; step < kSteps; ++step) {
    if (waitpid(child, &status, WNOHANG) == child) return true;
    std::this_thread::sleep_for(kStep);
  }
  return false;
}

}  // namespace

CaseProcess::CaseProcess(const std::vector<std::string>& command) : words_(std::tmpfile(), fclose) {
  if (!words_) throw BadInput("temporary file", "", std::strerror(errno));
  // A child that has ended must not end this process when it is written to.
  std::signal(SIGPIPE, SIG_IGN);
  const Pipe ids;
  const Pipe records;
  const int child_ids = moved_up(ids.read);
  const int child_records = moved_up(records.write);
  ids_ = ids.write;
  records_ = records.read;
  child_ = spawn(command, child_ids, child_records, fileno(words_.get()));
  close(child_ids);
  close(child_records);
  std::string line;
  if (read_line(line) && line.starts_with(kReady)) {
    manifest_ = manifest_from_json(line.substr(std::strlen(kReady)), command.back());
    return;
  }
  const std::string ended = how_it_ended();
  // What the child could say of itself is the message; it has gone through the same door.
  const std::string own = last_line(words_.get());
  constexpr std::string_view kPrefix = "plumbline: ";
  if (own.starts_with(kPrefix)) throw BadInput("", "", own.substr(kPrefix.size()));
  throw BadInput(command.back(), "", "could not be opened: its process " + ended);
}

CaseProcess::~CaseProcess() { kill_and_close(); }

void CaseProcess::kill_and_close() {
  if (ids_ >= 0) close(ids_);
  if (records_ >= 0) close(records_);
  ids_ = records_ = -1;
  int status = 0;
  if (child_ > 0 && !ends_soon(child_, status)) {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  child_ = -1;
}

bool CaseProcess::read_line(std::string& line) {
  while (rest_.find('\n') == std::string::npos) {
    std::array<char, 65536> part{};
    const ssize_t n = read(records_, part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    rest_.append(part.data(), static_cast<std::size_t>(n));
  }
  const std::size_t end = rest_.find('\n');
  line = rest_.substr(0, end);
  rest_.erase(0, end + 1);
  return true;
}

std::string CaseProcess::how_it_ended() {
  // A child that only closed its end still waits for ids; it is told that none will come.
  close(ids_);
  ids_ = -1;
  int status = 0;
  if (!ends_soon(child_, status)) {
    kill_and_close();
    return "closed the channel of its records and went on";
  }
  child_ = -1;
  std::string text = "ended with exit status " + std::to_string(WEXITSTATUS(status));
  if (WIFSIGNALED(status)) {
    text = "ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
           strsignal(WTERMSIG(status)) + ")";
  }
  const std::string words = last_line(words_.get());
  return words.empty() ? text : text + "; its last words: " + words;
}

std::string CaseProcess::run(const Case& test_case, Record& record) {
  write_all(ids_, test_case.id() + "\n");
  std::string line;
  if (!read_line(line)) return how_it_ended();
  try {
    record = record::from_line(line, "", 1);
    if (record.case_id == test_case.id()) return "";
  } catch (const BadInput&) {
    kill_and_close();
    return "wrote something else than a record to the channel of records";
  }
  kill_and_close();
  return "answered for another case";
}

std::unique_ptr<CaseProcess> CasePool::take() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!idle_.empty()) {
      auto process = std::move(idle_.back());
      idle_.pop_back();
      return process;
    }
  }
  return std::make_unique<CaseProcess>(command_);
}

Record CasePool::run(const Case& test_case, const Record& blank) {
  const auto begin = std::chrono::steady_clock::now();
  auto process = take();
  Record record = blank;
  const std::string ended = process->run(test_case, record);
  if (ended.empty()) {
    const std::lock_guard<std::mutex> lock(mutex_);
    idle_.push_back(std::move(process));
    return record;
  }
  record.case_id = test_case.id();
  record.verdict = Verdict::kCrash;
  record.lane = "crash";
  record.reason = "the implementation's process " + ended;
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return record;
}

}  // namespace plumbline::run
