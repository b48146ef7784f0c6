/* A whole implementation behind Plumbline's C ABI: two paths, textbook arithmetic in float.
 *
 *     cc -O2 -ffp-contract=off -fPIC -shared -I device/abi hello.c -o libhello.so -lm
 *     plumbline run --implementation ./libhello.so
 */
#include <math.h>
#include <string.h>

#include "plumbline.h"

static int64_t dim(const plumbline_call* call, const char* name) {
  for (int64_t n = 0; n < call->problem->dim_count; ++n)
    if (strcmp(call->problem->dims[n].name, name) == 0) return call->problem->dims[n].value;
  return 0;
}

static const plumbline_dltensor* find(const plumbline_tensor* tensors, int64_t count,
                                      const char* name) {
  for (int64_t n = 0; n < count; ++n)
    if (strcmp(tensors[n].name, name) == 0) return &tensors[n].tensor;
  return NULL;
}

static int32_t answer_with(plumbline_answer* answer, int32_t status, const char* text) {
  *answer = (plumbline_answer){.status = status, .message = text, .path = text};
  return status;
}

/* softmax over all experts, then the k largest; ties go to the lower id. */
static void route(const float* logits, int64_t e, int64_t k, int32_t* ids, float* weights) {
  float largest = logits[0], sum = 0;
  for (int64_t j = 1; j < e; ++j) largest = fmaxf(largest, logits[j]);
  for (int64_t j = 0; j < e; ++j) sum += expf(logits[j] - largest);
  for (int64_t c = 0; c < k; ++c) {
    ids[c] = -1;
    for (int32_t j = 0; j < e; ++j) {
      int taken = 0;
      for (int64_t b = 0; b < c; ++b) taken |= ids[b] == j;
      if (!taken && (ids[c] < 0 || logits[j] > logits[ids[c]])) ids[c] = j;
    }
    weights[c] = expf(logits[ids[c]] - largest) / sum;
  }
}

/* What run would refuse. A manifest's constraints are promises: breaking one is class shape. */
static int32_t validate(plumbline_library* library, const plumbline_call* call,
                        plumbline_answer* answer) {
  if (library == NULL || strcmp(call->problem->op, "moe.route") != 0)
    return answer_with(answer, PLUMBLINE_UNSUPPORTED, "op is moe.route: another operation");
  const plumbline_dltensor* logits = find(call->inputs, call->input_count, "router_logits");
  if (logits == NULL) return answer_with(answer, PLUMBLINE_MISSING, "router_logits: not given");
  if (dim(call, "g") != 1) return answer_with(answer, PLUMBLINE_SHAPE, "g == 1: no groups here");
  return answer_with(answer, PLUMBLINE_OK, "");
}

static int32_t run(plumbline_library* library, const plumbline_call* call,
                   plumbline_answer* answer) {
  if (validate(library, call, answer) != PLUMBLINE_OK) return answer->status;
  const int64_t t = dim(call, "t"), e = dim(call, "e"), k = dim(call, "k");
  const float* logits = find(call->inputs, call->input_count, "router_logits")->data;
  const plumbline_dltensor* ids = find(call->outputs, call->output_count, "topk_ids");
  const plumbline_dltensor* weights = find(call->outputs, call->output_count, "topk_weights");
  if (ids == NULL || weights == NULL)
    return answer_with(answer, PLUMBLINE_MISSING, "outputs: topk_ids and topk_weights");
  for (int64_t row = 0; row < t; ++row)
    route(logits + row * e, e, k, (int32_t*)ids->data + row * k, (float*)weights->data + row * k);
  static const char* const kInPlace[] = {"topk_ids", "topk_weights"};
  *answer = (plumbline_answer){
      .path = e <= 8 ? "small" : "large", .in_place = kInPlace, .in_place_count = 2};
  return PLUMBLINE_OK;
}

static const char *kNone[] = {"none"}, *kSoftmax[] = {"softmax"}, *kNo[] = {"no"},
                  *kF32[] = {"f32"}, *kOne[] = {"1"}, *kSmall[] = {"e <= 8", "g == 1"},
                  *kLarge[] = {"e > 8", "g == 1"};
static const plumbline_axis kAxes[] = {{"scoring", kSoftmax, 1}, {"after", kNone, 1},
                                       {"bias", kNo, 1},         {"renorm", kNo, 1},
                                       {"scale", kOne, 1},       {"logits", kF32, 1}};
static const plumbline_path kPaths[] = {{"small", "moe.route", kAxes, 6, kSmall, 2, NULL, 0, NULL, 0},
                                        {"large", "moe.route", kAxes, 6, kLarge, 2, NULL, 0, NULL, 0}};
static const plumbline_manifest kManifest = {"hello", "1", "CPU", "host", 0, 1, 1, kPaths, 2};

static int32_t open_hello(const plumbline_word* options, int64_t count, plumbline_library** library,
                          plumbline_answer* answer) {
  static char instance; /* nothing to keep: its address is all there is */
  *library = count > 0 ? NULL : (plumbline_library*)&instance;
  if (count > 0) return answer_with(answer, PLUMBLINE_UNSUPPORTED, options[0].name);
  return answer_with(answer, PLUMBLINE_OK, "");
}
static void close_hello(plumbline_library* library) { (void)library; }
static const plumbline_manifest* manifest(plumbline_library* hello) { return hello ? &kManifest : NULL; }
static void answer_release(plumbline_answer* answer) { memset(answer, 0, sizeof *answer); }

PLUMBLINE_EXPORT const plumbline_interface* plumbline_get_interface(void) {
  static const plumbline_interface kTable = {
      .abi_version = PLUMBLINE_ABI_VERSION, .size = sizeof kTable, .open = open_hello,
      .close = close_hello, .manifest = manifest, .validate = validate, .run = run,
      .answer_release = answer_release};
  return &kTable;
}
