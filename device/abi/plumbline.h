/* Plumbline's C ABI: what a shared library exports so that the suite can test it.
 *
 * Plain C, no dependency. A library exports one symbol,
 *
 *     PLUMBLINE_EXPORT const plumbline_interface* plumbline_get_interface(void);
 *
 * and fills in the functions it offers; the ones marked "required" must be there, all others may be
 * null. No exception may leave a function. Strings are UTF-8 and end in a zero byte. Whatever a
 * library hands out stays its own and valid until the release call that is named beside it;
 * whatever it is handed is the caller's and valid during the call alone. Functions may be called
 * from several threads at once, each with objects of its own; methods and switches are called by
 * one at a time.
 *
 * Two libraries of one major version agree: fields are only ever added at the end of
 * plumbline_interface, whose size tells which of them are there.
 */
#ifndef PLUMBLINE_ABI_H
#define PLUMBLINE_ABI_H

/* C has its own names and no `using`. */
/* NOLINTBEGIN(readability-identifier-naming,modernize-use-using,modernize-deprecated-headers) */
#include <stdint.h>

#define PLUMBLINE_ABI_VERSION 1

#if defined(__GNUC__)
#define PLUMBLINE_EXPORT __attribute__((visibility("default")))
#else
#define PLUMBLINE_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* How a call is answered. Everything but ok and device is decided before a launch and leaves every
 * output untouched. */
enum {
  PLUMBLINE_OK = 0,
  PLUMBLINE_UNSUPPORTED = 1, /* not offered: operation, axis word, tag, call */
  PLUMBLINE_DTYPE = 2,       /* a tensor of another type */
  PLUMBLINE_SHAPE = 3,       /* another shape, or a constraint over the dimensions broken */
  PLUMBLINE_LAYOUT = 4,      /* another layout tag, block size or strides */
  PLUMBLINE_MISSING = 5,     /* a tensor or field that must be there */
  PLUMBLINE_UNEXPECTED = 6,  /* one that must not be there */
  PLUMBLINE_CAPACITY = 7,    /* too large for this implementation */
  PLUMBLINE_STATE = 8,       /* not now: a call in the wrong order, or by one who does not own */
  PLUMBLINE_DEVICE = 9       /* the device failed; outputs are undefined */
};

/* ---- Tensors. plumbline_dltensor is DLPack's DLTensor (1.1), member by member; the codes of
 * device and dtype are DLPack's. Sub-byte elements are packed, low bits first. */
typedef struct {
  int32_t device_type; /* kDLCPU 1, kDLCUDA 2, kDLROCM 10 */
  int32_t device_id;
} plumbline_device;

typedef struct {
  uint8_t code; /* kDLInt 0, kDLUInt 1, kDLFloat 2, kDLBfloat 4, kDLBool 6, kDLFloat8_* 7..14 */
  uint8_t bits;
  uint16_t lanes; /* 1 */
} plumbline_dtype;

typedef struct {
  void* data;
  plumbline_device device;
  int32_t ndim;
  plumbline_dtype dtype;
  int64_t* shape;   /* elements */
  int64_t* strides; /* elements; null: row-major and contiguous */
  uint64_t byte_offset;
} plumbline_dltensor;

/* How elements lie in memory beyond shape and strides; most often of a scale. */
enum {
  PLUMBLINE_LINEAR = 0,
  PLUMBLINE_COLUMN_MAJOR = 1,   /* the last two dimensions exchanged in memory */
  PLUMBLINE_TMA_ALIGNED = 2,    /* column-major, rows padded to a multiple of 16 bytes */
  PLUMBLINE_SWIZZLED_128X4 = 3, /* tiles of 128 rows by 4 scales */
  PLUMBLINE_PACKED_INT32 = 4    /* four one-byte codes a 32-bit word, along the last dimension */
};

typedef struct {
  const char* name; /* "x", "w13_scale" */
  plumbline_dltensor tensor;
  int32_t layout; /* PLUMBLINE_LINEAR, … */
  int64_t block;  /* scales: elements along the last axis that share one; else 0 */
} plumbline_tensor;

/* ---- What is to be computed: an operation, its axes (words) and dimensions (counts), as in a case
 * id. reference/spec/problems.h gives each word its meaning and each tensor its shape. */
typedef struct {
  const char* name;
  const char* value;
} plumbline_word;

typedef struct {
  const char* name;
  int64_t value;
} plumbline_number;

typedef struct {
  const char* op; /* "moe.experts" */
  const plumbline_word* axes;
  int64_t axis_count;
  const plumbline_number* dims;
  int64_t dim_count;
} plumbline_problem;

/* What a runner takes in place of plain weights. The tag says whose it is; a runner refuses a tag
 * that is unknown or another's (unsupported) before it reads any other field. */
typedef struct {
  const char* tag;
  const plumbline_tensor* tensors;
  int64_t tensor_count;
  const plumbline_number* numbers; /* flags and original shapes */
  int64_t number_count;
} plumbline_record;

/* Sees an intermediate result as soon as it is there: its name ("gate_up", "activated", …) and host
 * memory that is valid during the call. Called in the order of the computation, by the thread that
 * called run. */
typedef void (*plumbline_observer)(void* user, const plumbline_tensor* intermediate);

typedef struct {
  const plumbline_problem* problem;
  const plumbline_tensor* inputs;
  int64_t input_count;
  const plumbline_tensor* outputs; /* the caller's buffers; one left out is returned instead */
  int64_t output_count;
  const plumbline_record* record; /* null: weights are among the inputs */
  void* stream;                   /* of stream_create; null: the call is complete when it returns */
  void* workspace;                /* of allocate; null: the library allocates what it needs */
  int64_t workspace_bytes;
  plumbline_observer observer; /* may be null */
  void* observer_user;
} plumbline_call;

/* The answer to a call. Released with answer_release, also after a refusal. */
typedef struct {
  int32_t status;                   /* PLUMBLINE_OK, … */
  const char* message;              /* not ok: rule, field, value and what is allowed */
  const char* path;                 /* the path that really ran */
  const plumbline_tensor* returned; /* outputs that the library allocated itself */
  int64_t returned_count;
  const char* const* in_place; /* outputs whose caller's buffer holds the result */
  int64_t in_place_count;
  void* owner; /* the library's own */
} plumbline_answer;

/* ---- What a library says of itself. */
typedef struct {
  const char* axis;
  const char* const* words; /* taken; "swiglu:*" takes every word that starts so */
  int64_t word_count;
} plumbline_axis;

typedef struct {
  const char* name; /* "triton/bf16"; what answers give as the path really run */
  const char* op;
  const plumbline_axis* axes; /* an axis that is not named takes every word */
  int64_t axis_count;
  const char* const* constraints; /* "h % 32 == 0"; reference/spec/constraint.h */
  int64_t constraint_count;
  const plumbline_word* traits; /* weight_order → gate_up, … */
  int64_t trait_count;
  const plumbline_word* profile; /* accumulator → fp32, …; reference/spec/profile.h */
  int64_t profile_count;
} plumbline_path;

typedef struct {
  const char* name;
  const char* version;
  const char* device; /* the name of the card */
  const char* target; /* host, amd, nvidia or a word of your own */
  int32_t wave;       /* lanes of a wave; 0: none */
  /* The class of a refusal means something. If 0, any refusal before launch with untouched outputs
   * counts as refused. */
  int32_t classified_errors;
  int32_t
      memory; /* DLPack device type in which tensors are taken: kDLCPU 1, kDLCUDA 2, kDLROCM 10 */
  const plumbline_path* paths;
  int64_t path_count;
} plumbline_manifest;

typedef struct plumbline_library plumbline_library; /* one instance, with its options */
typedef struct plumbline_plan plumbline_plan;       /* a problem made ready to run many times */
typedef struct plumbline_method plumbline_method;   /* a quant method with its layer */

/* What can be seen of a method. Released with method_state_release. */
typedef struct {
  int32_t owns_runner;
  const char* runner_backend;    /* "": there is no runner */
  const plumbline_tensor* layer; /* every tensor on the layer, in host memory */
  int64_t layer_count;
  void* owner;
} plumbline_method_state;

/* ---- The functions. Those that answer fill in *answer and return its status. */
typedef struct {
  uint32_t abi_version; /* PLUMBLINE_ABI_VERSION */
  uint32_t size;        /* sizeof(plumbline_interface) where the library was compiled */

  /* Required. Makes an instance. Options are words such as wave → 64; an unknown one is refused
   * (unsupported). No device, out of memory: device. *library is null unless ok. */
  int32_t (*open)(const plumbline_word* options, int64_t option_count, plumbline_library** library,
                  plumbline_answer* answer);
  /* Required. Ends an instance; its plans and methods have been destroyed. */
  void (*close)(plumbline_library* library);
  /* Required. Valid until close. */
  const plumbline_manifest* (*manifest)(plumbline_library* library);
  /* Required. What run would refuse of this call, without running; no launch, no write. */
  int32_t (*validate)(plumbline_library* library, const plumbline_call* call,
                      plumbline_answer* answer);
  /* Required. Computes. Reads inputs, writes outputs. */
  int32_t (*run)(plumbline_library* library, const plumbline_call* call, plumbline_answer* answer);
  /* Required. Frees what an answer holds; an answer of zeros is left alone. */
  void (*answer_release)(plumbline_answer* answer);

  /* Device memory: bytes aligned to 256. allocate gives PLUMBLINE_OK, capacity or device. Needed
   * where the manifest's memory is not the CPU, and for workspaces. */
  int32_t (*allocate)(plumbline_library* library, int64_t bytes, void** memory);
  void (*deallocate)(plumbline_library* library, void* memory);
  /* Complete when it returns. */
  int32_t (*copy_to_device)(plumbline_library* library, void* to, const void* from, int64_t bytes);
  int32_t (*copy_to_host)(plumbline_library* library, void* to, const void* from, int64_t bytes);

  /* Streams: work of one stream runs in the order of the calls. */
  int32_t (*stream_create)(plumbline_library* library, void** stream);
  void (*stream_destroy)(plumbline_library* library, void* stream);
  /* Waits for the stream's work; device: some of it failed. */
  int32_t (*stream_wait)(plumbline_library* library, void* stream);

  /* Bytes of workspace that run would use of this call; 0, or a null function: none. The caller
   * allocates and poisons it. */
  int32_t (*workspace)(plumbline_library* library, const plumbline_call* call, int64_t* bytes,
                       plumbline_answer* answer);
  /* Plan and run apart. The plan depends on the call's problem and on the types and shapes of its
   * tensors, not on their contents; plan_run checks contents (ids, lengths, page tables). */
  int32_t (*plan_create)(plumbline_library* library, const plumbline_call* call,
                         plumbline_plan** plan, plumbline_answer* answer);
  int32_t (*plan_run)(plumbline_plan* plan, const plumbline_call* call, plumbline_answer* answer);
  void (*plan_destroy)(plumbline_plan* plan);

  /* Packs the plain weights among the call's inputs for the path of its problem. *record is
   * released with record_release. */
  int32_t (*pack)(plumbline_library* library, const plumbline_call* call,
                  const plumbline_record** record, plumbline_answer* answer);
  void (*record_release)(const plumbline_record* record);

  /* Quant methods: the calls of an engine while it loads a model. create makes a method of a quant
   * scheme held by `holder` (direct, scheme, wrapper_kt, mxfp4_trtllm, …), not offered:
   * unsupported. The others are as in device/abi/implementation.h, class Method. expert −1: all
   * experts. */
  int32_t (*method_create)(plumbline_library* library, const char* quant, const char* holder,
                           plumbline_method** method, plumbline_answer* answer);
  int32_t (*method_create_weights)(plumbline_method* method, const plumbline_problem* layer,
                                   plumbline_answer* answer);
  int32_t (*method_load)(plumbline_method* method, const plumbline_tensor* tensor, int64_t expert,
                         plumbline_answer* answer);
  int32_t (*method_create_runner)(plumbline_method* method, const plumbline_problem* layer,
                                  plumbline_answer* answer);
  int32_t (*method_process_weights)(plumbline_method* method, plumbline_answer* answer);
  int32_t (*method_apply)(plumbline_method* method, const plumbline_call* call,
                          plumbline_answer* answer);
  int32_t (*method_query)(plumbline_method* method, plumbline_method_state* state);
  void (*method_state_release)(plumbline_method_state* state);
  void (*method_destroy)(plumbline_method* method);

  /* Process-wide switches: runner_backend, int4_on_hip, lightop_library. The value is given as the
   * answer's path. */
  int32_t (*switch_get)(plumbline_library* library, const char* name, plumbline_answer* answer);
  int32_t (*switch_set)(plumbline_library* library, const char* name, const char* value,
                        plumbline_answer* answer);

  /* Whether `predicate` holds of `value` of the tagged type `type`: *truth 0 or 1. A predicate that
   * the type does not have is refused (unsupported), never false. */
  int32_t (*ask)(plumbline_library* library, const char* type, const char* predicate,
                 const char* value, int32_t* truth, plumbline_answer* answer);
} plumbline_interface;

/* The one exported symbol. Null, or a table whose version the caller compares before it reads on.
 */
typedef const plumbline_interface* (*plumbline_get_interface_function)(void);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(readability-identifier-naming,modernize-use-using,modernize-deprecated-headers) */

#endif
