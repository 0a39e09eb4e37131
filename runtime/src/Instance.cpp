//===- Instance.cpp - the Vulkan instance and its devices -----------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Instance.h"
#include "Support.h"

#include <algorithm>
#include <cstring>

using namespace nxv::runtime;

static const char kValidationLayer[] = "VK_LAYER_KHRONOS_validation";

Instance &Instance::get() {
  static std::mutex mutex;
  static Instance *instances[2] = {nullptr, nullptr};
  bool validate = environmentFlag("NXV_VALIDATE");
  std::lock_guard<std::mutex> lock(mutex);
  Instance *&instance = instances[validate];
  if (!instance)
    instance = new Instance(validate);
  return *instance;
}

Instance::Instance(bool validate) {
  if (volkInitialize() != VK_SUCCESS)
    fail(NXV_ERROR_NO_DEVICE, "no Vulkan loader (libvulkan.so.1) was found");
  create(validate);
  try {
    enumerate();
  } catch (...) {
    vkDestroyInstance(handle, nullptr);
    throw;
  }
}

static bool hasLayer(const char *name) {
  uint32_t count = 0;
  check(vkEnumerateInstanceLayerProperties(&count, nullptr),
        "vkEnumerateInstanceLayerProperties");
  std::vector<VkLayerProperties> layers(count);
  check(vkEnumerateInstanceLayerProperties(&count, layers.data()),
        "vkEnumerateInstanceLayerProperties");
  return std::any_of(layers.begin(), layers.end(),
                     [&](const VkLayerProperties &layer) {
                       return std::strcmp(layer.layerName, name) == 0;
                     });
}

static bool hasInstanceExtension(const char *name) {
  uint32_t count = 0;
  check(vkEnumerateInstanceExtensionProperties(nullptr, &count, nullptr),
        "vkEnumerateInstanceExtensionProperties");
  std::vector<VkExtensionProperties> list(count);
  check(vkEnumerateInstanceExtensionProperties(nullptr, &count, list.data()),
        "vkEnumerateInstanceExtensionProperties");
  return std::any_of(list.begin(), list.end(),
                     [&](const VkExtensionProperties &extension) {
                       return std::strcmp(extension.extensionName, name) == 0;
                     });
}

void Instance::create(bool validate) {
  uint32_t loader = volkGetInstanceVersion();
  if (loader < VK_API_VERSION_1_2)
    fail(NXV_ERROR_NO_DEVICE, "the Vulkan loader is version ",
         VK_API_VERSION_MAJOR(loader), ".", VK_API_VERSION_MINOR(loader),
         ", 1.2 is needed");
  VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.pEngineName = "nxv";
  application.apiVersion = std::max(loader, uint32_t(VK_API_VERSION_1_3));
  VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;

  std::vector<const char *> layers, extensions;
  if (validate) {
    if (!hasLayer(kValidationLayer))
      fail(NXV_ERROR_NO_DEVICE, "NXV_VALIDATE is set, but ", kValidationLayer,
           " is not installed");
    layers.push_back(kValidationLayer);
    extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  }
  // Drivers on top of other interfaces (MoltenVK) are listed only on request.
  const char *portability = VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME;
  if (hasInstanceExtension(portability)) {
    extensions.push_back(portability);
    info.flags |= VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
  }
  info.enabledLayerCount = uint32_t(layers.size());
  info.ppEnabledLayerNames = layers.data();
  info.enabledExtensionCount = uint32_t(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();

  VkDebugUtilsMessengerCreateInfoEXT messages = {
      VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
  messages.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                             VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messages.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT |
                         VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messages.pfnUserCallback = onMessage;
  messages.pUserData = this;
  if (validate)
    info.pNext = &messages;

  VkResult result = vkCreateInstance(&info, nullptr, &handle);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
    fail(NXV_ERROR_NO_DEVICE, "no Vulkan driver is installed");
  check(result, "vkCreateInstance");
  volkLoadInstanceOnly(handle);
  if (validate)
    check(
        vkCreateDebugUtilsMessengerEXT(handle, &messages, nullptr, &messenger),
        "vkCreateDebugUtilsMessengerEXT");
}

static VkPhysicalDeviceProperties properties(VkPhysicalDevice device) {
  VkPhysicalDeviceProperties result;
  vkGetPhysicalDeviceProperties(device, &result);
  return result;
}

static int rank(VkPhysicalDevice device) {
  switch (properties(device).deviceType) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    return 0;
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    return 1;
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
    return 2;
  case VK_PHYSICAL_DEVICE_TYPE_CPU:
    return 3;
  default:
    return 4;
  }
}

/// True if `text` is a number; it is in `index` then.
static bool asIndex(const std::string &text, size_t &index) {
  if (text.empty() || text.size() > 9 ||
      text.find_first_not_of("0123456789") != std::string::npos)
    return false;
  index = std::stoul(text);
  return true;
}

static bool matches(VkPhysicalDevice device, const std::string &part) {
  std::string name = lowerCase(properties(device).deviceName);
  return name.find(lowerCase(part)) != std::string::npos;
}

void Instance::enumerate() {
  uint32_t count = 0;
  check(vkEnumeratePhysicalDevices(handle, &count, nullptr),
        "vkEnumeratePhysicalDevices");
  all.resize(count);
  check(vkEnumeratePhysicalDevices(handle, &count, all.data()),
        "vkEnumeratePhysicalDevices");
  all.resize(count);
  std::stable_sort(
      all.begin(), all.end(),
      [](VkPhysicalDevice a, VkPhysicalDevice b) { return rank(a) < rank(b); });
}

std::vector<VkPhysicalDevice> Instance::devices() const {
  std::string filter = environment("NXV_VISIBLE_DEVICES");
  if (filter.empty())
    return all;
  std::vector<VkPhysicalDevice> visible;
  for (const std::string &item : splitList(filter))
    for (size_t i = 0; i < all.size(); ++i) {
      size_t index;
      bool wanted = asIndex(item, index) ? index == i : matches(all[i], item);
      if (wanted &&
          std::find(visible.begin(), visible.end(), all[i]) == visible.end())
        visible.push_back(all[i]);
    }
  return visible;
}

std::pair<VkPhysicalDevice, size_t>
Instance::select(const std::string &selector) const {
  std::vector<VkPhysicalDevice> visible = devices();
  if (visible.empty())
    fail(NXV_ERROR_NO_DEVICE,
         environment("NXV_VISIBLE_DEVICES").empty()
             ? "no Vulkan device was found"
             : "NXV_VISIBLE_DEVICES leaves no Vulkan device");
  if (selector.empty())
    return {visible[0], 0};
  size_t index;
  if (asIndex(selector, index)) {
    if (index < visible.size())
      return {visible[index], index};
    fail(NXV_ERROR_NO_DEVICE, "device ", index, " does not exist, there are ",
         visible.size());
  }
  for (size_t i = 0; i < visible.size(); ++i)
    if (matches(visible[i], selector))
      return {visible[i], i};
  fail(NXV_ERROR_NO_DEVICE, "none of the ", visible.size(), " devices has '",
       selector, "' in its name");
}

VKAPI_ATTR VkBool32 VKAPI_CALL Instance::onMessage(
    VkDebugUtilsMessageSeverityFlagBitsEXT severity,
    VkDebugUtilsMessageTypeFlagsEXT types,
    const VkDebugUtilsMessengerCallbackDataEXT *data, void *user) {
  auto *self = static_cast<Instance *>(user);
  std::string message = data->pMessage;
  std::replace(message.begin(), message.end(), '\n', ' ');
  bool error = severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  // Drivers that fail to load are the loader's business, not ours.
  bool validation = types & VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  if (error && validation) {
    std::lock_guard<std::mutex> lock(self->errorMutex);
    self->errorText = message;
    ++self->errors;
  }
  log(error ? NXV_LOG_ERROR : NXV_LOG_WARNING, message);
  return VK_FALSE;
}

void Instance::checkValidation(uint64_t seen) {
  if (errors == seen)
    return;
  std::lock_guard<std::mutex> lock(errorMutex);
  fail(NXV_ERROR_VALIDATION, "the validation layer reported ", errors - seen,
       " errors, the last: ", errorText);
}
