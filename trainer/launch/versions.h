// The versions of the configuration file with which the operator starts a trainer process (docs/formats/launch.md).
// Operator and trainer may be of different releases. The operator writes each job's file in the lowest version that has
// all of the job's settings, so an older trainer can read it. The trainer reads every version from oldest_version to
// contract_version, and refuses a newer one. Each `version_of_X` is the first version that has X; the comments name the
// fields of the manifest. Fields of layers have versions of their own (layers.cc).
#pragma once

namespace carrack::train {

inline constexpr int oldest_version = 1;
inline constexpr int contract_version = 15;                    // the newest version that this code writes and reads
inline constexpr int version_of_stages = 2;                    // data.train.stages
inline constexpr int version_of_images_mixes_and_filters = 3;  // image features, data.train.mix, filters and snapshots
inline constexpr int version_of_checkpoint_policy = 4;         // checkpoint.everySeconds, keepLast, keepEverySteps
inline constexpr int version_of_layers_and_shapes = 5;         // model.kind Layers, features of uint8 or with a shape
inline constexpr int version_of_update_settings = 5;           // momentum, AdamW, Adagrad, schedule, clip, groups
inline constexpr int version_of_nesterov_and_rms_prop = 6;     // Nesterov momentum, RMSProp
inline constexpr int version_of_evaluation = 7;                // data.eval, training.patience
inline constexpr int version_of_initial_weights = 7;           // training.initialWeights
inline constexpr int version_of_text = 8;                      // text features
inline constexpr int version_of_taken_folders = 9;             // checkpoint.onTaken
inline constexpr int version_of_damage = 10;                   // data.onDamage
inline constexpr int version_of_staleness = 11;                // training.maxStaleness
inline constexpr int version_of_own_models = 11;               // model.kind Own
inline constexpr int version_of_encryption = 12;               // security.tls
inline constexpr int version_of_gpus = 14;                     // one GPU for each worker
inline constexpr int version_of_several_gpus = 15;             // several GPUs for each worker

}  // namespace carrack::train
