/* SPDX-License-Identifier: Apache-2.0 */
/* What a mote of the event service does by itself; test_event_service.py compiles it with tables of few entries. */
#include "event_service_bindings.h"
#include "event_service_instructions.h"
#include "event_service_line.h"
#include "event_service_node.h"
#include "event_service_renewals.h"
#include "event_service_requests.h"
#include "event_service_tree.h"
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(a_registration_goes_up_until_the_parent_has_it),
    T(a_repeat_comes_after_the_time_and_up_to_half_of_it),
    T(as_many_requests_wait_as_there_is_room_for),
    T(a_start_anew_forgets_requests),
    T(what_a_request_waits_for_is_the_later_one),
    T(a_registration_that_is_none_is_malformed),
    T(deliveries_go_to_who_is_below_and_to_this_mote),
    T(a_delivery_that_is_none_is_malformed),
    T(pushes_go_up),
    T(a_base_station_with_a_table_knows_who_subscribed),
    T(tables_have_an_end),
    T(channels_of_an_application),
    T(subjects_are_bound_while_there_is_room),
    T(pushes_have_identifiers_hop_by_hop),
    T(who_lost_a_binding_gets_the_whole_subject),
    T(deliveries_with_an_identifier_are_for_their_consumers),
    T(what_an_application_registered_is_renewed),
    T(without_renewal_nothing_is_renewed_and_no_parent_sought),
    T(a_silent_parent_s_child_is_adopted),
    T(a_renewal_of_one_tick_is_one_too),
    T(a_start_anew_ends_the_search_and_renewals),
    T(a_parent_that_adopts_its_child_again_stays_it),
    T(base_stations_adopt),
    T(frames_to_the_gateway_take_the_line_s_time),
    T(as_many_frames_are_under_way_as_there_are_buffers),
    T(a_registration_for_the_gateway_waits_for_the_line),
    T(the_gateway_s_lines_are_read),
    T(instructions_are_followed_once_each),
    T(the_instructor_repeats_itself),
    T(commands_are_read_to_the_end),
    T(a_refusal_says_the_event_the_supplier_and_the_reasons),
    T(terms_are_found),
    T(a_bridge_hands_up_the_board_s_events_and_takes_the_others),
    T(a_bridge_that_wants_events_subscribes),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
