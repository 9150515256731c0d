// Bugs that the world plants around the state machines, one at a time, to show that its checks see them.
#pragma once

namespace carrack::train::simulation {

enum class Plant {
  none,
  head_written_without_condition,  // A coordinator that lost HEAD commits all the same.
  lost_commit_told_as_done,        // It believes that it did.
  saved_told_before_it_is,         // A server reports a shard when its writing begins.
  prefix_without_incarnation,      // Two coordinators give one prefix.
  applied_not_saved,               // A shard comes back without its applied set.
  skipped_not_loaded,              // A shard comes back without its count of records that were left out.
  old_parameters_computed_on,      // A worker takes the gradient where it took the one before.
  commit_forgotten,                // A new coordinator reads HEAD, but not how far it was.
  number_of_the_newest,            // A zombie joins under the incarnation of its replacement.
  numbers_start_anew,              // The third start of a member joins under the number of the first.
  commit_taken_for_the_last,       // A new coordinator takes any commit for the whole job.
  load_left_out,                   // A server says that it loaded, and goes on with what it had.
  streams_never_opened_again,      // A worker does not hear that its stream to a server ended.
  closed_not_told_to_servers,      // A server does not hear that a worker left.
  asked_for_again,                 // A worker asks twice more for what has just come.
  wants_not_told_apart,            // A server does not say which Want its parameters answer.
  head_never_looked_at,            // A coordinator that lost HEAD keeps its members until it commits.
  drained_before_the_commit,       // A coordinator says that it has drained while it writes.
  one_step_more_said,              // A worker that leaves says a version that no server has.
  assignments_not_numbered,        // A server does not see which sums are of later assignments.
  pieces_added_twice,              // What came of a push before its stream broke is added twice, with what comes again.
  piece_of_an_earlier_assignment,  // A server takes a piece by an earlier assignment for one by the newest.
  counted_with_the_first_piece,    // It counts a push with its first piece, and adds no other.
  limit_passed,                    // A server goes on past its limit.
  other_cuts_not_named,            // A coordinator that orders a cut names no other one for which it waits.
  saved_as_it_was_counted,         // A server says that it saved what the coordinator counted, whatever else it has.
  data_not_told_by_workers,        // A worker does not say what data it found.
  data_not_told_by_servers,        // A server does not say what data it was loaded for.
  data_of_the_commit_not_read,     // A new coordinator does not look what data the last commit was trained on.
  index_kept_after_the_push,       // A worker pushes what uses up a file before others can know its records.
  listed_before_the_parameters,    // It takes an index for missing that was missing some steps ago.
  end_of_a_part_of_the_files,      // It takes the indexes that are there for all.
  order_chosen_anew,               // A new coordinator has no first pass where it finds all indexes.
  norm_taken_in_part,              // A server takes a part of the norm for all of it.
  norms_not_sent_again,            // A server does not tell a new coordinator the norms of its last steps.
  granted_further_ahead,           // A coordinator grants batches however far they are behind the first one to do.
  work_not_told,                   // A worker does not say what it computes.
  work_not_told_in_hello,          // It says so only once it is admitted.
  slow_taken_for_hung,             // It says that it has computed for much longer than it has.
  hung_not_replaced,               // The operator does not replace members that are said to hang.
  hung_replaced_twice,             // It does not look of which start that is said.
  late_ticks_made_up_for,          // A coordinator that stood still has all the ticks that it missed.
  end_never_looked_for,            // A coordinator does not look whether all indexes are there.
};

}  // namespace carrack::train::simulation
