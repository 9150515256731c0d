// The versions of the launch file, which is the contract between operator and trainer. Each `version_of_X` is the first
// version that has X.
#pragma once

namespace carrack::train {

inline constexpr int oldest_version = 1;
inline constexpr int contract_version = 15;  // the newest version that this code writes and reads
inline constexpr int version_of_stages = 2;
inline constexpr int version_of_images_mixes_and_filters = 3;
inline constexpr int version_of_checkpoint_policy = 4;
inline constexpr int version_of_layers_and_shapes = 5;
inline constexpr int version_of_update_settings = 5;
inline constexpr int version_of_nesterov_and_rms_prop = 6;
inline constexpr int version_of_evaluation = 7;
inline constexpr int version_of_initial_weights = 7;
inline constexpr int version_of_text = 8;
inline constexpr int version_of_taken_folders = 9;
inline constexpr int version_of_damage = 10;
inline constexpr int version_of_staleness = 11;
inline constexpr int version_of_own_models = 11;
inline constexpr int version_of_encryption = 12;
inline constexpr int version_of_gpus = 14;
inline constexpr int version_of_several_gpus = 15;

}  // namespace carrack::train
