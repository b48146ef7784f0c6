#pragma once
#include <string>

/// The device that an instance of the embedded implementation runs on.
namespace plumbline::device {

struct ChosenDevice {
  int index = 0;
  int wave = 64;
  std::string name;    ///< of the card
  std::string target;  ///< host, amd or nvidia
};

/// The first device with waves of that many lanes; 0: the first. Throws BadInput for a wave that no
/// device has, DeviceError where there is no device.
ChosenDevice choose_device(int wave);

}  // namespace plumbline::device
