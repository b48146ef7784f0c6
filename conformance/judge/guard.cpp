#include "conformance/judge/guard.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>

#include "conformance/judge/text.h"

namespace plumbline::judge {
namespace {

constexpr std::size_t kAlignment = 16;

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// 0x7FFFFFFF in every aligned word: NaN in f32, f64, f16, bf16 and the 8-bit floats that have
/// NaN, and the largest i32, an index that no tensor has.
std::byte poison_at(const std::byte* address) {
  return reinterpret_cast<std::uintptr_t>(address) % 4 == 3 ? std::byte{0x7F} : std::byte{0xFF};
}

void fill_poison(std::byte* first, const std::byte* last) {
  for (std::byte* at = first; at != last; ++at) *at = poison_at(at);
}

std::string hex(std::byte value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto v = static_cast<unsigned>(value);
  return {'0', 'x', kDigits[v / 16], kDigits[v % 16]};
}

std::uint64_t code_at(const std::byte* data, std::size_t width) {
  std::uint64_t code = 0;
  std::memcpy(&code, data, width);
  return code;
}

std::string element_place(const TensorSpec& spec, std::size_t index) {
  return place_text(position_of(static_cast<std::int64_t>(index), spec.shape));
}

/// Index of the first element whose code is not the canary.
std::optional<std::size_t> first_written(const TensorSpec& spec, const std::byte* data) {
  const auto width = static_cast<std::size_t>(bytes_of(spec.dtype, 1));
  const std::uint64_t mark = canary(spec.dtype);
  for (std::size_t i = 0; i < static_cast<std::size_t>(spec.elements()); ++i) {
    if (code_at(data + i * width, width) != mark) return i;
  }
  return std::nullopt;
}

}  // namespace

GuardedBuffer::GuardedBuffer(std::size_t bytes, Edge edge) : size_(bytes) {
  const std::size_t page = page_size();
  const std::size_t inner = std::max(page, round_up(bytes, page));
  mapped_ = inner + 2 * page;
  void* mapping = ::mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  mapping_ = static_cast<std::byte*>(mapping);
  std::byte* first = mapping_ + page;
  if (::mprotect(first, inner, PROT_READ | PROT_WRITE) != 0) {
    release();
    throw std::bad_alloc();
  }
  data_ = edge == Edge::kStart ? first : first + inner - round_up(bytes, kAlignment);
  fill_poison(first, first + inner);
}

GuardedBuffer::~GuardedBuffer() { release(); }

GuardedBuffer::GuardedBuffer(GuardedBuffer&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      mapped_(std::exchange(other.mapped_, 0)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

GuardedBuffer& GuardedBuffer::operator=(GuardedBuffer&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mapped_, other.mapped_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

void GuardedBuffer::release() noexcept {
  if (mapping_ != nullptr) ::munmap(mapping_, mapped_);
  mapping_ = nullptr;
}

std::optional<std::string> GuardedBuffer::check() const {
  const std::byte* first = mapping_ + page_size();
  const std::byte* last = mapping_ + mapped_ - page_size();
  const std::byte* hit = nullptr;
  std::int64_t count = 0;
  const auto look = [&](const std::byte* from, const std::byte* to) {
    for (const std::byte* at = from; at != to; ++at) {
      if (*at == poison_at(at)) continue;
      if (hit == nullptr) hit = at;
      ++count;
    }
  };
  look(first, data_);
  look(data_ + size_, last);
  if (hit == nullptr) return std::nullopt;
  const bool before = hit < data_;
  const std::ptrdiff_t distance = before ? data_ - hit : hit - (data_ + size_);
  return "byte " + std::to_string(distance) + (before ? " before its start" : " behind its end") +
         " was overwritten with " + hex(*hit) + " (" + std::to_string(count) + " bytes in all)";
}

std::uint64_t canary(DType dtype) {
  const Format& format = format_of(dtype);
  if (format.specials == Specials::kFnuz) return 0x80;
  if (format.specials == Specials::kScale) return 0xFF;
  switch (bytes_of(dtype, 1)) {
    case 8:
      return 0x7FFDC0DE7FFDC0DE;
    case 4:
      return 0x7FEDC0DE;
    case 2:
      return 0x7FED;
    default:
      return 0x7F;
  }
}

std::int64_t unwritten(const Tensor& tensor) {
  const auto width = static_cast<std::size_t>(bytes_of(tensor.spec.dtype, 1));
  const std::uint64_t mark = canary(tensor.spec.dtype);
  std::int64_t count = 0;
  for (std::size_t at = 0; at + width <= tensor.data.size(); at += width) {
    count += code_at(tensor.data.data() + at, width) == mark ? 1 : 0;
  }
  return count;
}

GuardedTensors::GuardedTensors(const Tensors& tensors, Edge edge) {
  for (const auto& [name, tensor] : tensors) {
    Entry entry{tensor.spec, GuardedBuffer(tensor.data.size(), edge)};
    std::copy(tensor.data.begin(), tensor.data.end(), entry.buffer.data());
    entries_.emplace(name, std::move(entry));
  }
}

GuardedTensors::GuardedTensors(const std::map<std::string, TensorSpec>& specs, Edge edge) {
  for (const auto& [name, spec] : specs) {
    Entry entry{spec, GuardedBuffer(static_cast<std::size_t>(spec.bytes()), edge)};
    const auto width = static_cast<std::size_t>(bytes_of(spec.dtype, 1));
    const std::uint64_t mark = canary(spec.dtype);
    for (std::size_t at = 0; at + width <= entry.buffer.size(); at += width) {
      std::memcpy(entry.buffer.data() + at, &mark, width);
    }
    entries_.emplace(name, std::move(entry));
  }
}

TensorViews GuardedTensors::views() {
  TensorViews views;
  for (auto& [name, entry] : entries_) views[name] = TensorView{entry.spec, entry.buffer.data()};
  return views;
}

Tensor GuardedTensors::copy(std::string_view name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    throw ContractViolation("no guarded tensor of the name " + std::string(name));
  }
  const GuardedBuffer& buffer = found->second.buffer;
  Tensor tensor;
  tensor.spec = found->second.spec;
  tensor.data.assign(buffer.data(), buffer.data() + buffer.size());
  return tensor;
}

Tensors GuardedTensors::copies() const {
  Tensors tensors;
  for (const auto& [name, entry] : entries_) tensors[name] = copy(name);
  return tensors;
}

std::optional<std::string> GuardedTensors::damage() const {
  for (const auto& [name, entry] : entries_) {
    if (const auto hit = entry.buffer.check()) return name + ": " + *hit;
  }
  return std::nullopt;
}

std::optional<std::string> GuardedTensors::changed(const Tensors& originals) const {
  for (const auto& [name, entry] : entries_) {
    const auto original = originals.find(name);
    if (original == originals.end()) {
      throw ContractViolation("no original of the guarded tensor " + name);
    }
    const std::vector<std::byte>& bytes = original->second.data;
    const auto at = std::mismatch(bytes.begin(), bytes.end(), entry.buffer.data());
    if (at.first == bytes.end()) continue;
    const auto width = static_cast<std::size_t>(bytes_of(entry.spec.dtype, 1));
    const auto index = static_cast<std::size_t>(at.first - bytes.begin()) / width;
    return "input " + name + element_place(entry.spec, index) + " was changed";
  }
  return std::nullopt;
}

std::optional<std::string> GuardedTensors::written() const {
  for (const auto& [name, entry] : entries_) {
    if (const auto index = first_written(entry.spec, entry.buffer.data())) {
      return name + element_place(entry.spec, *index) + " was written";
    }
  }
  return std::nullopt;
}

Judgement guards(const GuardedTensors& inputs, const Tensors& originals,
                 const GuardedTensors& outputs) {
  for (const auto& found : {outputs.damage(), inputs.damage(), inputs.changed(originals)}) {
    if (found) return verdict(Verdict::kFail, "guard", *found);
  }
  return verdict(Verdict::kPass, "guard", "every guard is whole and no input was changed");
}

}  // namespace plumbline::judge
