# SPDX-License-Identifier: Apache-2.0
"""Specifies the log format, which is the one contract between motes and analysis.

A line of a log is `time<TAB>ID:mote<TAB>text`: the time in microseconds of simulated time and the mote's
Cooja id. A text that starts with `!` is one of our records: `!kind,field,field,...`, whose fields are
positional and typed as below, without quoting (a string field has no comma, no tab, no line end). Any other
text is kept as text. A record of a kind that is not in RECORDS is the application's own: it is kept in the
table `records`, its fields as text, and a cnt record whose name is not in COUNTERS is kept as the others. A
line or record that does not fit is malformed: it is counted by run and reason (DAMAGE) and shown, never
dropped in silence.

Lines end by LF or CR LF. Time and mote are decimal digits only; a mote id is 1 to 2147483647.

Field types are int (decimal, 64 bit, may be negative), str (1 to 64 printable ASCII characters) and events
(individual events `publisher.sequence` joined by `+`, such as `3.17+4.17`, where publisher is the publisher's
index, 1-based, 31 bit). Records of the first group are kept once for each run and mote and for each
publisher, contributors, upper_ms, state, name or event, subscriber, thread and deadline. A repeated one (a
mote that dumps again) replaces the earlier one, which is counted as `repeated`.
"""

from __future__ import annotations

MARKER = "!"

MAX_LINE = 4096  # bytes without the line end; Contiki's own lines stay below 200
MAX_STR = 64
OWN_KIND = r"[a-z][a-z0-9_-]{0,31}"  # the kind of a record that an application defines for itself

# Lines of a COOJA.testlog that Cooja itself writes: a regular expression of the whole line -> column of
# `runs`.
FRAME_LINES: dict[str, str] = {
    r"Random seed: (-?[0-9]{1,18})": "log_seed",
    r"TEST (OK|FAILED|TIMEOUT)": "verdict",
    r"Test ended at simulation time: ([0-9]{1,18})": "ended_us",
}

# Why a line counts as damage -> (whether its rows are kept all the same, what it means), in the order of the
# checks.
DAMAGE: dict[str, tuple[bool, str]] = {
    "cut": (False, "the log's last line has no line end: it may be shorter than it was"),
    "junk": (False, "control characters or bytes that are not UTF-8"),
    "long": (False, "a line of more than 4096 bytes"),
    "line": (False, "not time, tab, ID:mote, tab, text, and not one of Cooja's own lines"),
    "time": (False, "the time is not a decimal number of 63 bits"),
    "mote": (False, "the mote is not ID: and a number from 1 to 2147483647"),
    "kind": (
        False,
        "a record whose kind is not a valid name: a small letter, then small letters, digits, `_` and `-`, "
        "at most 32",
    ),
    "few": (False, "a record with too few fields"),
    "many": (False, "a record with too many fields"),
    "type": (False, "a record with a field of the wrong type, or a counter below 0"),
    "repeated": (False, "a value that the same mote printed again later; the later one counts"),
    "clock": (
        True,
        "a line that is earlier than the line before it; the latest line, if later than the end that the "
        "log names",
    ),
    "ended": (
        True,
        "a mote without the records of the run's end that others have, or that booted in the middle of the "
        "run; without a manifest, a run with one is a truncated log",
    ),
    "log": (False, "the log itself is missing or cannot be read"),
}

# kind -> ((field, type), ...). Records of the first group are dumped after the run; those of the second group
# are printed only with trace on.
RECORDS: dict[str, tuple[tuple[str, str], ...]] = {
    # First group. What a mote is: role name, publisher index (0 if none), mote id of its next hop (0 if
    # none), and how many publishers' routes pass it, itself included
    "node": (("role", "str"), ("index", "int"), ("parent", "int"), ("publishers_through", "int")),
    # the control node's phases: init, verified, unverified, start, stop, end; detail: publishers concerned
    "run": (("phase", "str"), ("detail", "int")),
    # one counter of COUNTERS
    "cnt": (("name", "str"), ("value", "int")),
    # at a subscriber: individual events of one publisher, first deliveries and repeated ones
    "from": (("publisher", "int"), ("events", "int"), ("duplicates", "int")),
    # at a subscriber: how many received event messages had this many contributors (1: a single event)
    "agg": (("contributors", "int"), ("count", "int")),
    # at a subscriber: individual events with a delivery delay of at most upper_ms and more than the bucket
    # before
    "dly": (("upper_ms", "int"), ("count", "int")),
    # time spent in a state of energest (listen, transmit, off, cpu, lpm), microseconds of the measured time
    "nrg": (("state", "str"), ("time_us", "int")),
    # one thread over the measured time (of the threads module, contiki-apps/middleware/threads): the
    # simulated time that it used the CPU, how often it was switched to, and its stack, bytes: the most that
    # was ever in use (0 on a Cooja mote, whose frames are the host's), and what there is. The idle thread is
    # called `idle`; its time is the time in which no thread used the CPU
    "thr": (
        ("name", "str"),
        ("priority", "int"),
        ("cpu_us", "int"),
        ("switches", "int"),
        ("stack_used", "int"),
        ("stack_size", "int"),
    ),
    # one subscription at a blackboard, with one deadline (a number that is given again, or with another
    # deadline, is another one): the event, the subscriber (its number there), its thread, the deadline that
    # it asked for (0: none), notifications, those of them with a delay of more than the deadline, and the
    # delays' sum and largest
    "nts": (
        ("event", "int"),
        ("subscriber", "int"),
        ("thread", "str"),
        ("deadline_us", "int"),
        ("notified", "int"),
        ("missed", "int"),
        ("total_us", "int"),
        ("max_us", "int"),
    ),
    # one policy of a mote at its end: whether it is loaded, its state (states that are words are numbered in
    # the order of the policy's text), and how often it accepted, discarded, or had no rule that matched
    "pol": (
        ("policy", "str"),
        ("loaded", "int"),
        ("state", "int"),
        ("accepted", "int"),
        ("discarded", "int"),
        ("no_rule", "int"),
    ),
    # policies were to be changed while running: load, disable, replace, rule-on or rule-off; other: the
    # policy or rule named beside the first; result: done or refused. Printed without a trace, too
    "pup": (("what", "str"), ("policy", "str"), ("other", "int"), ("result", "str")),
    # data distribution: one job of a task ended. kind: source, step, last (the step at whose end a target can
    # read the value), target, load; release_us: of its path if it is part of one, reference time from the
    # system's start; response_us, deadline_us: from there
    "job": (
        ("task", "str"),
        ("kind", "str"),
        ("number", "int"),
        ("release_us", "int"),
        ("response_us", "int"),
        ("deadline_us", "int"),
    ),
    # data distribution: a target has used a value; age_us: since its update, the error of the clocks
    # (error_us) added; validity_us: how old it may be
    "age": (
        ("target", "str"),
        ("number", "int"),
        ("age_us", "int"),
        ("error_us", "int"),
        ("validity_us", "int"),
    ),
    # --- trace
    # an application published an individual event
    "pub": (("subject", "str"), ("publisher", "int"), ("sequence", "int"), ("value", "int")),
    # the routing layer handed an event message to the MAC for a next hop; frame: the sender's frame number
    "snd": (("subject", "str"), ("to", "int"), ("frame", "int"), ("events", "events")),
    # the routing layer accepted an event message
    "rcv": (("subject", "str"), ("from", "int"), ("frame", "int"), ("events", "events")),
    # a frame was dropped: off-topology, malformed, no-route, duplicate, queue, channel-access, collision,
    # no-ack; the last four are a mote's own frames, which its MAC gave up (from: itself)
    "drp": (("reason", "str"), ("from", "int"), ("frame", "int")),
    # the merge function took an arriving event into its stored one (stored before, arrived)
    "mrg": (("subject", "str"), ("stored", "events"), ("arrived", "events")),
    # the stored event left the merge function's buffer: timeout, full, contained, frame (no room in a frame)
    "fwd": (("subject", "str"), ("reason", "str"), ("events", "events")),
    # an application subscribed; its interest is renewed at that interval, ms
    "sub": (("subject", "str"), ("renewal_ms", "int")),
    # a mote told to die stops here (reason: planned)
    "die": (("reason", "str"),),
    # a mote that died boots again; boot: which time that is, its first being 0
    "rev": (("boot", "int"),),
    # an event message reached a subscriber's application
    "dlv": (("subject", "str"), ("from", "int"), ("events", "events")),
    # the thread that runs from now on (`idle` included), and why the one before stopped: slice, sleep, wait,
    # give_up, dispatch, block, end; start, ready (of the idle thread: another one became ready)
    "sch": (("thread", "str"), ("why", "str")),
    # a publisher wrote a value to the blackboard
    "bpb": (("event", "int"), ("value", "int")),
    # a subscriber has its notification: its thread runs. delay_us: since the publication; deadline_us: what
    # it asked for
    "ntf": (
        ("event", "int"),
        ("subscriber", "int"),
        ("thread", "str"),
        ("delay_us", "int"),
        ("deadline_us", "int"),
    ),
    # a policy was asked about an event: point C-B, B-C, B-extB or extB-B, and operation; of a time-out
    # `time`, `timeout` and `-`. outcome: accept, discard or none (no rule matched); state: the one it is in
    # since
    "pev": (
        ("policy", "str"),
        ("point", "str"),
        ("operation", "str"),
        ("topic", "str"),
        ("outcome", "str"),
        ("state", "int"),
    ),
    # policies disagreed about an event, and the conflict manager decided
    "pcf": (
        ("point", "str"),
        ("operation", "str"),
        ("topic", "str"),
        ("accepts", "int"),
        ("discards", "int"),
        ("outcome", "str"),
    ),
}

# Names that a `cnt` record may carry, and what each counts over the measured time of one mote.
COUNTERS: dict[str, str] = {
    "events_published": "individual events its application published",
    "events_transmitted": "event messages its routing layer handed to the MAC; an aggregate counts once",
    "packets_sent": "frames its routing layer handed to the MAC: event messages, and the control protocol's",
    "packets_received": "frames its routing layer accepted from its neighbours of the configured topology",
    "control_packets_sent": "of packets_sent, those of the control protocol: before the measured time, from "
    "boot on",
    "control_packets_received": "of packets_received, those of the control protocol, from boot on",
    "packets_off_topology": "frames heard that the configured topology does not bring here (sender not a "
    "neighbour, or another mote the next hop); dropped before processing",
    "packets_malformed": "frames that are not of this protocol or are cut short; dropped",
    "event_packets_received": "event messages its routing layer accepted",
    "events_delivered": "event messages handed to its subscriber's application",
    "merged": "event messages that its merge function took into a stored one",
    "merges_undone": "merges, and time-outs set by a merge function, that were not carried out because "
    "of what it left: a changed head or list, data of another length, a changed "
    "arrival, a time-out below 0; not printed where there are none",
    "forward_timeout": "stored events forwarded because the merge function's time-out passed",
    "forward_full": "stored events forwarded because they held every publisher that can pass here",
    "forward_contained": "stored events forwarded because a publisher already contained sent its next",
    "forward_frame": "stored events forwarded because the merged one would not fit a frame",
    "no_route": "events that had neither a next hop nor a subscriber here",
    "events_pending": "individual events that its merge function still held when the measured time ended",
    "events_unaccounted": "individual events a subscriber could not tell from repeats, or that no schedule "
    "explains",
    "values_wrong": "event messages at a subscriber whose data is not what the readings of their "
    "contributors come to; "
    "for the mean, within its rounding; not printed by the mean where there are none",
    "delay_total_ms": "sum of the delivery delays of the individual events first delivered to a subscriber, "
    "ms",
    "start_exact": "1 if it knew the start of the run to a clock tick, 0 if only to within a back-off",
    "mac_sent": "frames that the MAC transmitted",
    "mac_channel_access_failure": "frames dropped after macMaxCSMABackoffs busy channels",
    "radio_assessments": "of the MAC radio-csma, as all of radio_*: clear channel assessments of its radio",
    "radio_busy_assessments": "of radio_assessments, those that found the channel busy",
    "radio_missed_contending": "frames that came while its receiver was off, the radio contending for the "
    "channel or waiting "
    "for an ACK: those that would have been received, and those that its own frame cut off",
    "radio_buffer_overflow": "frames received that another one overwrote before they were read",
    "radio_no_ack": "frames given up because no transmission was acknowledged",
    "radio_deaf_ms": "time in which its receiver was off because the radio contended, sent or waited for an "
    "ACK, ms",
    "mac_collision": "frames that the radio could not send, a reception being under way",
    "queue_dropped": "frames dropped for want of a queue or packet buffer",
    "pool_exhausted": "allocations refused by a full pool of the middleware",
    "interests_originated": "interests that it flooded for its own subscriptions, renewals and withdrawals "
    "included",
    "interests_forwarded": "interests of others that it sent on",
    "interests_received": "interests that it heard, all copies",
    "interests_duplicate": "of interests_received, those that were not newer than one heard before, or its "
    "own",
    "events_duplicate": "event messages for it whose events had all been here before; dropped",
    "events_overheard": "diffused event messages heard that were for other motes",
    "forwardings_missed": "diffused event messages that the next hop did not acknowledge, however often the "
    "MAC sent them",
    "neighbours_dropped": "neighbours given up as next hops, having missed too many forwardings in a row",
    "link_transmissions": "transmissions of event messages to one neighbour each, the MAC's repetitions "
    "included",
    "ways_lost": "gradients left without a way, which it told its neighbours",
    "ways_found": "of ways_lost, those for which a neighbour told another way before the next renewal",
    "gradients_expired": "gradients given up, their subscriber's interest not having been renewed",
    "context_switches": "times the CPU went from one thread to another, the idle thread included",
    "samples_taken": "readings that its applications took of its sensors",
    "blackboard_commands": "commands that its blackboard carried out, by its thread or by direct calls",
    "blackboard_publications": "values that publishers wrote to its blackboard",
    "blackboard_notifications": "notifications that its blackboard gave to subscribers",
    "blackboard_words_used": "the most 32-bit words of its blackboard's array that were ever in use at once",
    "blackboard_words": "32-bit words of its blackboard's array",
    "blackboard_unknown_event": "requests that named an event which its blackboard does not have",
    "blackboard_unknown_subscription": "requests of a subscription that is not there",
    "blackboard_no_room": "requests refused for want of a place, a sub-event or room for a change",
    "blackboard_busy": "times that the blackboard thread left a request for later because its event was "
    "blocked",
    "blackboard_unlogged": "notifications whose delay was not kept, there being more subscriptions than "
    "BLACKBOARD_LOGGED",
    "blackboard_bad_position": "requests and accesses of a position past the array; none was written to",
    "blackboard_bad_subscription": "requests whose condition, notification or handler is none",
    "blackboard_stopped_handler": "notifications and requests for a thread that had stopped",
    "blackboard_bad_deadline": "requests with a deadline of 17.9 minutes or more, or without a thread to "
    "have it",
    "blackboard_queue_full": "requests for which the blackboard thread's queue had no room",
    "blackboard_deadline_past": "notifications whose deadline had passed before they were made",
    "bindings_refused": "subjects not bound to an event of its blackboard: no channel or no subscription was "
    "left",
    "bindings_length": "event messages of a bound subject whose data has another length than the binding "
    "says",
    "bindings_outrun": "values of a bound event that a newer one replaced before they were published",
    "bindings_range": "values of a bound event that the octets of its subject can't hold; not published",
    "bindings_returned": "event messages that reached the node that had published them by a binding; not "
    "taken in again",
    "threads_no_room": "threads not started, the table being full",
    "threads_deadline_past": "deadlines set that were past already; each counts as the earliest of all",
    "threads_deadlock": "waits refused because they would have closed a circle of threads that wait for one "
    "another",
    "threads_owner_stopped": "mutexes taken over from a thread that stopped in the middle of something",
    "threads_not_owner": "unlockings of a mutex by a thread that had not locked it",
    "threads_stack_overflow": "threads stopped because their stack was too small",
    "threads_spinning": "times that threads switched on and on without using the CPU; the running one then "
    "uses 1 ms",
    "send_buffer_full": "frames of the event service that found its send buffer in use; lost, but for "
    "registrations, which are repeated",
    "registrations_sent": "frames with an advertise, a subscribe or a disconnect that it sent to its next "
    "hop, from boot on, as all of registrations_*",
    "registrations_repeated": "of registrations_sent, those that nobody had acknowledged",
    "registrations_acknowledged": "registrations that its next hop acknowledged",
    "uart_frames_sent": "frames that a base station sent to its gateway, from boot on, as all of uart_*",
    "uart_frames_received": "frames that a base station got from its gateway",
    "uart_frames_malformed": "lines from a gateway that are no frame of the event service; dropped",
    "fragmented_refused": "events larger than a frame that were not pushed, the one before being under way",
    "fragmented_whole": "events larger than a frame of which every fragment came",
    "fragmented_incomplete": "events larger than a frame of which a fragment was lost, and another one came",
    "fragmented_damaged": "events larger than a frame that came otherwise than they were pushed",
    "gateway_uart_received": "of the gateway of this base station, over the whole run, as all of gateway_*: "
    "frames that its base station sent",
    "gateway_uart_sent": "deliveries for its base station",
    "gateway_uart_malformed": "lines of its base station that began as a frame and are none",
    "gateway_tcp_received": "requests and events from other gateways",
    "gateway_tcp_sent": "requests and events to other gateways",
    "gateway_queue_full": "messages lost because its routing's or its serial line's queue was full",
    "gateway_unsent": "events that were not sent to a gateway that was lost, or that it did not acknowledge; "
    "only where one was lost",
    "policy_events": "publish/subscribe operations on which a policy that is linked has rules",
    "policy_accepted": "of policy_events, those that went on",
    "policy_discarded": "of policy_events, those that its policies stopped",
    "policy_conflicts_met": "of policy_events, those on which policies disagreed",
    "policy_no_rule": "times that a policy had no rule for an event in its state; the operation went on",
    "policy_timeouts_fired": "time-outs of policies that came",
    "policy_operations": "operations that actions of its policies asked for",
    "policy_not_advertised": "of policy_operations, notifications that nothing had advertised; dropped",
    "policy_not_linked": "operations by a diffusion protocol that is not linked; they went the usual way",
    "policy_too_long": "operations whose arguments do not fit an event; dropped",
    "policy_fault_division": "divisions by zero in its policies; the result is 0",
    "policy_fault_index": "indices outside of a policy's vector; the nearest element was taken",
    "policy_fault_turns": "loops of a policy that went round too often, and were left",
    "policy_fault_argument": "arguments of events that were missing or of another kind; taken for 0",
    "policy_fault_range": "values of policies out of their type; the nearest was taken",
    "policy_fault_queue": "operations of actions that found no room; dropped",
    "updates_done": "updates of its policies that it carried out",
    "updates_refused": "updates of a policy or rule that it doesn't have, or of one sender too many",
    "updates_malformed": "updates and answers of another form than its firmware takes; nothing was changed",
    "updates_not_ours": "updates and answers that its group's key doesn't open, or that came again",
    "updates_answered": "answers to the last update that came to its sender, one of each mote",
    "updates_repeated": "frames in which an update's sender asked motes that had not answered",
    "updates_unanswered": "motes that were asked for so long that their sender took them not to answer",
    "code_parts_sent": "parts of a policy in bytecode that a mote sent to others",
    "code_asked": "times a mote asked for the parts of a program that it lacked",
    "code_taken": "programs that a mote's verifier took",
    "code_refused": "programs that a mote's verifier refused; the last good one goes on",
    "code_damaged": "programs whose checksum was wrong when all parts were there",
    "code_malformed": "frames and lines that were no part of a program",
    "pushes_sent": "frames of PushDPC that it sent, its own and others'",
    "pushes_merged": "notifications that shared a frame with one that was waiting",
    "pushes_duplicate": "notifications by PushDPC that had been here before; dropped",
    "pushes_refused": "notifications by PushDPC dropped for want of a place to remember their publisher",
    "pulls_originated": "pull messages for subscriptions of its own, refreshes included",
    "pulls_forwarded": "pull messages of others that it passed on",
    "pulls_sent": "frames with pull messages that it sent",
    "pulls_duplicate": "pull messages that it had passed on already in their interval",
    "pulls_refused": "pull messages dropped for want of a place to remember their way",
    "pulled_no_way": "notifications by PullDPC that had no subscriber, or no way to it; dropped",
    "cpc_not_linked": "reliable notifications sent unreliably, ReliableCPC not being linked",
    "cpc_repeated": "frames that ReliableCPC sent again, a neighbour not having been heard to have them",
    "cpc_unanswered": "frames that ReliableCPC gave up, though a neighbour had not been heard to have them",
    "cpc_untracked": "reliable frames sent once, as too many others were being looked after",
    "group_sealed": "values that it sealed with its group's key",
    "group_opened": "sealed values that it opened",
    "group_not_ours": "sealed values that its key did not open, each asking counted",
    "group_replayed": "sealed values that had been opened here before, each asking counted",
    "group_no_key": "values not sealed or not opened for want of a key",
    "group_no_room": "sealed values refused for want of a place to remember their member",
    "gateway_filtered": "times that an event did not go to a mote or gateway, by a condition or because what "
    "is offered isn't what was asked; only where channels have terms, as the next three",
    "gateway_expired": "events that had passed as many gateways as they may",
    "gateway_refusals": "publications that a subscription of its motes refuses",
    "gateway_omissions": "times that more events in a row did not come than a mote had said may lack",
    "values_sent": "values that its part of the event channel sent to tasks of other nodes",
    "values_received": "values from tasks of other nodes",
    "values_malformed": "frames of data distribution that are none, or for no task of this node",
    "channel_full": "values lost because too many waited for their task, or for the network",
    "reads_without_data": "jobs of targets for which there was no value yet",
    "clock_exchanges": "answers of the reference's clock that it got",
    "clock_error_us": "by how much its reference time was wrong at most, us",
    "clock_steps": "answers of the reference's clock that contradict an earlier one, or, of a gateway, "
    "steps of its host's clock",
    "misses_host": "of a gateway: deadlines missed, its host having run something else for the longest",
    "misses_network": "of a gateway: deadlines missed, the network having taken the longest",
    "misses_code": "of a gateway: deadlines missed, our own code having taken the longest",
    "overheard_in_clear": "readings of packages that an attacker could read",
    "overheard_sealed": "readings of packages that an attacker could not read",
    "threads_timer_taken": "switches up to a clock tick late, another rtimer having been waited for",
}
