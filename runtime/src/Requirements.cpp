//===- Requirements.cpp - kernels against a device ------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Requirements.h"
#include "Support.h"

#include <algorithm>
#include <cstring>

using namespace nxv::runtime;
using nxv::pack::Blob;
using nxv::pack::Kernel;
using nxv::pack::Variant;

namespace {

//===----------------------------------------------------------------------===//
// Capabilities
//===----------------------------------------------------------------------===//

struct Capability {
  const char *name;
  uint32_t number;
  // The features that allow it, any one of them; none: always allowed.
  const char *features[2];
  VkSubgroupFeatureFlags subgroup; // operations that it takes
};

const Capability kCapabilities[] = {
    {"Matrix", 0, {}, 0},
    {"Shader", 1, {}, 0},
    {"Float16", 9, {"shaderFloat16"}, 0},
    {"Float64", 10, {"shaderFloat64"}, 0},
    {"Int64", 11, {"shaderInt64"}, 0},
    {"Int64Atomics",
     12,
     {"shaderBufferInt64Atomics", "shaderSharedInt64Atomics"},
     0},
    {"Int16", 22, {"shaderInt16"}, 0},
    {"Int8", 39, {"shaderInt8"}, 0},
    {"GroupNonUniform", 61, {}, VK_SUBGROUP_FEATURE_BASIC_BIT},
    {"GroupNonUniformVote", 62, {}, VK_SUBGROUP_FEATURE_VOTE_BIT},
    {"GroupNonUniformArithmetic", 63, {}, VK_SUBGROUP_FEATURE_ARITHMETIC_BIT},
    {"GroupNonUniformBallot", 64, {}, VK_SUBGROUP_FEATURE_BALLOT_BIT},
    {"GroupNonUniformShuffle", 65, {}, VK_SUBGROUP_FEATURE_SHUFFLE_BIT},
    {"GroupNonUniformShuffleRelative",
     66,
     {},
     VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT},
    {"GroupNonUniformClustered", 67, {}, VK_SUBGROUP_FEATURE_CLUSTERED_BIT},
    {"GroupNonUniformQuad", 68, {}, VK_SUBGROUP_FEATURE_QUAD_BIT},
    {"WorkgroupMemoryExplicitLayoutKHR",
     4428,
     {"workgroupMemoryExplicitLayout"},
     0},
    {"WorkgroupMemoryExplicitLayout8BitAccessKHR",
     4429,
     {"workgroupMemoryExplicitLayout8BitAccess"},
     0},
    {"WorkgroupMemoryExplicitLayout16BitAccessKHR",
     4430,
     {"workgroupMemoryExplicitLayout16BitAccess"},
     0},
    {"StorageBuffer16BitAccess", 4433, {"storageBuffer16BitAccess"}, 0},
    {"UniformAndStorageBuffer16BitAccess",
     4434,
     {"uniformAndStorageBuffer16BitAccess"},
     0},
    {"StoragePushConstant16", 4435, {"storagePushConstant16"}, 0},
    {"VariablePointersStorageBuffer",
     4441,
     {"variablePointersStorageBuffer"},
     0},
    {"VariablePointers", 4442, {"variablePointers"}, 0},
    {"StorageBuffer8BitAccess", 4448, {"storageBuffer8BitAccess"}, 0},
    {"UniformAndStorageBuffer8BitAccess",
     4449,
     {"uniformAndStorageBuffer8BitAccess"},
     0},
    {"StoragePushConstant8", 4450, {"storagePushConstant8"}, 0},
    // Float controls are properties, see `floatControl`.
    {"DenormPreserve", 4464, {}, 0},
    {"DenormFlushToZero", 4465, {}, 0},
    {"SignedZeroInfNanPreserve", 4466, {}, 0},
    {"RoundingModeRTE", 4467, {}, 0},
    {"RoundingModeRTZ", 4468, {}, 0},
    {"BFloat16TypeKHR", 5116, {"shaderBFloat16Type"}, 0},
    {"BFloat16DotProductKHR", 5117, {"shaderBFloat16DotProduct"}, 0},
    {"BFloat16CooperativeMatrixKHR",
     5118,
     {"shaderBFloat16CooperativeMatrix"},
     0},
    {"VulkanMemoryModel", 5345, {"vulkanMemoryModel"}, 0},
    {"VulkanMemoryModelDeviceScope", 5346, {"vulkanMemoryModelDeviceScope"}, 0},
    {"PhysicalStorageBufferAddresses", 5347, {"bufferDeviceAddress"}, 0},
    {"AtomicFloat32MinMaxEXT", 5612, {"shaderBufferFloat32AtomicMinMax"}, 0},
    {"AtomicFloat64MinMaxEXT", 5613, {"shaderBufferFloat64AtomicMinMax"}, 0},
    {"DotProductInputAll", 6016, {"shaderIntegerDotProduct"}, 0},
    {"DotProductInput4x8Bit", 6017, {"shaderIntegerDotProduct"}, 0},
    {"DotProductInput4x8BitPacked", 6018, {"shaderIntegerDotProduct"}, 0},
    {"DotProduct", 6019, {"shaderIntegerDotProduct"}, 0},
    {"CooperativeMatrixKHR", 6022, {"cooperativeMatrix"}, 0},
    {"AtomicFloat32AddEXT",
     6033,
     {"shaderBufferFloat32AtomicAdd", "shaderSharedFloat32AtomicAdd"},
     0},
    {"AtomicFloat64AddEXT",
     6034,
     {"shaderBufferFloat64AtomicAdd", "shaderSharedFloat64AtomicAdd"},
     0},
};

const Capability *findCapability(std::string_view name) {
  for (const Capability &capability : kCapabilities)
    if (name == capability.name)
      return &capability;
  return nullptr;
}

/// What of the device answers for a float control at one width.
VkBool32 floatControl(const VkPhysicalDeviceVulkan12Properties &p,
                      uint32_t capability, uint32_t width) {
  int i = width == 16 ? 0 : width == 32 ? 1 : width == 64 ? 2 : -1;
  if (i < 0)
    return VK_FALSE;
  const VkBool32 preserve[] = {p.shaderDenormPreserveFloat16,
                               p.shaderDenormPreserveFloat32,
                               p.shaderDenormPreserveFloat64};
  const VkBool32 flush[] = {p.shaderDenormFlushToZeroFloat16,
                            p.shaderDenormFlushToZeroFloat32,
                            p.shaderDenormFlushToZeroFloat64};
  const VkBool32 nan[] = {p.shaderSignedZeroInfNanPreserveFloat16,
                          p.shaderSignedZeroInfNanPreserveFloat32,
                          p.shaderSignedZeroInfNanPreserveFloat64};
  const VkBool32 rte[] = {p.shaderRoundingModeRTEFloat16,
                          p.shaderRoundingModeRTEFloat32,
                          p.shaderRoundingModeRTEFloat64};
  const VkBool32 rtz[] = {p.shaderRoundingModeRTZFloat16,
                          p.shaderRoundingModeRTZFloat32,
                          p.shaderRoundingModeRTZFloat64};
  switch (capability) {
  case 4464:
    return preserve[i];
  case 4465:
    return flush[i];
  case 4466:
    return nan[i];
  case 4467:
    return rte[i];
  case 4468:
    return rtz[i];
  default:
    return VK_FALSE;
  }
}

bool isFloatControl(uint32_t capability) {
  return capability >= 4464 && capability <= 4468;
}

/// Empty, or what the capability is missing.
std::string missing(const Capability &capability, const FeatureSet &device) {
  if (isFloatControl(capability.number)) {
    const auto &v12 = device.properties().v12;
    for (uint32_t width : {16, 32, 64})
      if (floatControl(v12, capability.number, width))
        return "";
    return "the device has it for no width";
  }
  const VkPhysicalDeviceVulkan11Properties &v11 = device.properties().v11;
  if (capability.subgroup &&
      (!(v11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) ||
       (v11.subgroupSupportedOperations & capability.subgroup) !=
           capability.subgroup))
    return "the device's subgroups lack the operation";
  if (!capability.features[0])
    return "";
  for (const char *feature : capability.features)
    if (feature && device.feature(feature))
      return "";
  std::string text = capability.features[0];
  if (capability.features[1])
    text += std::string(" or ") + capability.features[1];
  return "the device lacks the feature " + text;
}

//===----------------------------------------------------------------------===//
// Extensions
//===----------------------------------------------------------------------===//

struct SpirvExtension {
  const char *name;
  uint32_t core;         // Vulkan version that has it; 0: none
  const char *extension; // device extension that has it
};

const SpirvExtension kExtensions[] = {
    {"SPV_KHR_16bit_storage", VK_API_VERSION_1_1, nullptr},
    {"SPV_KHR_8bit_storage", VK_API_VERSION_1_2, nullptr},
    {"SPV_KHR_bfloat16", 0, "VK_KHR_shader_bfloat16"},
    {"SPV_KHR_cooperative_matrix", 0, "VK_KHR_cooperative_matrix"},
    {"SPV_KHR_float_controls", VK_API_VERSION_1_2, nullptr},
    {"SPV_KHR_integer_dot_product", VK_API_VERSION_1_3, nullptr},
    {"SPV_KHR_no_integer_wrap_decoration", VK_API_VERSION_1_2, nullptr},
    {"SPV_KHR_non_semantic_info", VK_API_VERSION_1_3, nullptr},
    {"SPV_KHR_physical_storage_buffer", VK_API_VERSION_1_2, nullptr},
    {"SPV_KHR_storage_buffer_storage_class", VK_API_VERSION_1_1, nullptr},
    {"SPV_KHR_variable_pointers", VK_API_VERSION_1_1, nullptr},
    {"SPV_KHR_vulkan_memory_model", VK_API_VERSION_1_2, nullptr},
    {"SPV_KHR_workgroup_memory_explicit_layout", 0,
     "VK_KHR_workgroup_memory_explicit_layout"},
    {"SPV_EXT_shader_atomic_float_add", 0, "VK_EXT_shader_atomic_float"},
    {"SPV_EXT_shader_atomic_float_min_max", 0, "VK_EXT_shader_atomic_float2"},
};

std::string versionText(uint32_t version) {
  return cat(VK_API_VERSION_MAJOR(version), ".", VK_API_VERSION_MINOR(version));
}

/// "1.3" as a Vulkan version; the pack's verifier has seen to its form.
uint32_t parseVersion(const std::string &text) {
  return VK_MAKE_API_VERSION(0, text[0] - '0', text[2] - '0', 0);
}

/// The newest SPIR-V of a Vulkan version.
uint32_t spirvOf(uint32_t vulkan) {
  if (vulkan >= VK_API_VERSION_1_3)
    return VK_MAKE_API_VERSION(0, 1, 6, 0);
  if (vulkan >= VK_API_VERSION_1_2)
    return VK_MAKE_API_VERSION(0, 1, 5, 0);
  return VK_MAKE_API_VERSION(0, 1, 3, 0);
}

std::string missingExtension(const std::string &name,
                             const FeatureSet &device) {
  for (const SpirvExtension &entry : kExtensions) {
    if (name != entry.name)
      continue;
    if (entry.core && device.version() >= entry.core)
      return "";
    if (entry.extension && device.extension(entry.extension))
      return "";
    return entry.extension
               ? cat("the device lacks the extension ", entry.extension)
               : cat("it takes Vulkan ", versionText(entry.core),
                     ", the device has ", versionText(device.version()));
  }
  return "this runtime does not know it";
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

std::string unmetLimits(const Variant &variant, const FeatureSet &device) {
  const VkPhysicalDeviceLimits &limits = device.limits();
  const auto &needs = variant.requirements;
  if (needs.sharedBytes > limits.maxComputeSharedMemorySize)
    return cat("needs ", needs.sharedBytes,
               " bytes of shared memory, the device has ",
               limits.maxComputeSharedMemorySize);
  if (needs.pushBytes > limits.maxPushConstantsSize)
    return cat("needs ", needs.pushBytes,
               " bytes of push constants, the device has ",
               limits.maxPushConstantsSize);
  uint64_t lanes = 1;
  for (int i = 0; i < 3; ++i) {
    lanes *= variant.workgroup[i];
    if (variant.workgroup[i] > limits.maxComputeWorkGroupSize[i])
      return cat("needs a workgroup of size ", variant.workgroup[i], " in ",
                 "xyz"[i], ", the device has ",
                 limits.maxComputeWorkGroupSize[i]);
  }
  if (lanes > limits.maxComputeWorkGroupInvocations)
    return cat("needs ", lanes, " lanes in a workgroup, the device has ",
               limits.maxComputeWorkGroupInvocations);
  return "";
}

std::string unmetSubgroup(const Variant &variant, const FeatureSet &device) {
  uint64_t size = variant.requirements.subgroupSize;
  if (size == 0 || size == device.properties().v11.subgroupSize)
    return "";
  const VkPhysicalDeviceVulkan13Properties &v13 = device.properties().v13;
  if (!device.feature("subgroupSizeControl") ||
      !(v13.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT))
    return cat("needs subgroups of ", size, ", the device has ",
               device.properties().v11.subgroupSize);
  if (size < v13.minSubgroupSize || size > v13.maxSubgroupSize ||
      (size & (size - 1)) != 0)
    return cat("needs subgroups of ", size, ", the device has ",
               v13.minSubgroupSize, " to ", v13.maxSubgroupSize);
  return "";
}

/// Walks over a module's instructions.
struct ModuleReader {
  explicit ModuleReader(const Blob &blob) : blob(blob) {}

  uint32_t word(size_t i) const {
    uint32_t value;
    std::memcpy(&value, blob.data() + 4 * i, 4);
    return value;
  }

  /// Calls `visit(opcode, first word, length)`; the pack's verifier has seen to
  /// the lengths.
  template <typename Fn>
  void each(Fn visit) const {
    for (size_t i = 5; i < blob.size() / 4; i += word(i) >> 16)
      visit(word(i) & 0xffff, i, word(i) >> 16);
  }

  std::string text(size_t first, size_t words) const {
    const char *begin = reinterpret_cast<const char *>(blob.data()) + 4 * first;
    return std::string(begin, strnlen(begin, 4 * words));
  }

  const Blob &blob;
};

constexpr uint32_t kOpExtension = 10;
constexpr uint32_t kOpExecutionMode = 16;
constexpr uint32_t kOpCapability = 17;
constexpr uint32_t kLocalSize = 17;

/// Float controls hold for one width each, which only the module tells.
std::string unmetFloatControl(const Blob &module, const FeatureSet &device) {
  // DenormPreserve and the four that follow, in the capabilities' order.
  constexpr uint32_t firstMode = 4459, firstCapability = 4464;
  std::string unmet;
  ModuleReader reader(module);
  reader.each([&](uint32_t op, size_t i, size_t length) {
    if (op != kOpExecutionMode || length != 4 || !unmet.empty())
      return;
    uint32_t capability = reader.word(i + 2) - firstMode + firstCapability;
    uint32_t width = reader.word(i + 3);
    if (isFloatControl(capability) &&
        !floatControl(device.properties().v12, capability, width))
      for (const Capability &entry : kCapabilities)
        if (entry.number == capability)
          unmet = cat("needs ", entry.name, " for ", width,
                      " bits, which the device lacks");
  });
  return unmet;
}

} // namespace

bool nxv::runtime::hasCapability(std::string_view name,
                                 const FeatureSet &device) {
  const Capability *capability = findCapability(name);
  return capability && missing(*capability, device).empty();
}

std::string nxv::runtime::firstUnmet(const Variant &variant, const Blob &module,
                                     const FeatureSet &device) {
  const auto &needs = variant.requirements;
  if (parseVersion(needs.vulkan) > device.version())
    return cat("needs Vulkan ", needs.vulkan, ", the device has ",
               versionText(device.version()));
  if (parseVersion(needs.spirv) > spirvOf(device.version()))
    return cat("needs SPIR-V ", needs.spirv, ", the device has ",
               versionText(spirvOf(device.version())));
  for (const std::string &name : needs.capabilities) {
    const Capability *capability = findCapability(name);
    std::string reason = capability ? missing(*capability, device)
                                    : "this runtime does not know it";
    if (!reason.empty())
      return cat("needs the capability ", name, ": ", reason);
  }
  for (const std::string &name : needs.extensions) {
    std::string reason = missingExtension(name, device);
    if (!reason.empty())
      return cat("needs the extension ", name, ": ", reason);
  }
  std::string unmet = unmetLimits(variant, device);
  if (unmet.empty())
    unmet = unmetSubgroup(variant, device);
  return unmet.empty() ? unmetFloatControl(module, device) : unmet;
}

void nxv::runtime::checkRecord(const Kernel &kernel, const Variant &variant,
                               const Blob &module) {
  const auto &needs = variant.requirements;
  ModuleReader reader(module);
  auto lies = [&](const std::string &text) {
    fail(NXV_ERROR_INVALID_PACK, "kernel '", kernel.name, "': ", text);
  };
  auto listed = [](const std::vector<std::string> &list,
                   const std::string &name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  uint32_t version = reader.word(1);
  uint32_t recorded = parseVersion(needs.spirv);
  if ((version >> 8 & 0xffff) >
      (VK_API_VERSION_MAJOR(recorded) << 8 | VK_API_VERSION_MINOR(recorded)))
    lies(cat("the module is SPIR-V ", version >> 16, ".", version >> 8 & 0xff,
             ", its record says ", needs.spirv));
  reader.each([&](uint32_t op, size_t i, size_t length) {
    if (op == kOpCapability && length == 2) {
      uint32_t number = reader.word(i + 1);
      const Capability *found = nullptr;
      for (const Capability &capability : kCapabilities)
        if (capability.number == number)
          found = &capability;
      if (!found)
        lies(cat("the module has capability ", number,
                 ", which this runtime does not know"));
      if (!listed(needs.capabilities, found->name))
        lies(cat("the module has capability ", found->name,
                 ", which its record does not list"));
    }
    if (op == kOpExtension && length >= 2) {
      std::string name = reader.text(i + 1, length - 1);
      if (!listed(needs.extensions, name))
        lies(cat("the module has extension ", name,
                 ", which its record does not list"));
    }
    if (op == kOpExecutionMode && length == 6 &&
        reader.word(i + 2) == kLocalSize)
      for (int axis = 0; axis < 3; ++axis)
        if (reader.word(i + 3 + axis) != variant.workgroup[axis])
          lies(cat("the module's workgroup has size ",
                   reader.word(i + 3 + axis), " in ", "xyz"[axis],
                   ", its record says ", variant.workgroup[axis]));
  });
}
