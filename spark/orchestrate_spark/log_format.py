# SPDX-License-Identifier: Apache-2.0
"""The log format: the one contract between motes and analysis. This table is its specification.

A line of a log is `time<TAB>ID:mote<TAB>text`: time in microseconds of simulated time (decimal), mote the
Cooja id. A text that starts with `!` is a record of ours: `!kind,field,field,...`, fields positional and
typed as below, no quoting (a string field has no comma, no tab, no line end). Any other text is kept as text.
A line or record that does not fit is malformed: counted per run and reason (DAMAGE) and shown, never dropped
in silence.

Lines end by LF or CR LF. Time and mote are decimal digits only; a mote id is 1 to 2147483647.

Field types: int (decimal, 64 bit, may be negative), str (1 to 64 printable ASCII characters), events
(individual events `publisher.sequence` joined by `+`, e.g. `3.17+4.17`; publisher = index of the publisher,
1-based, 31 bit). Records of the first group are kept once a run and mote for each publisher, contributors,
upper_ms, state, name or event, subscriber, thread and deadline: a repeated one (a mote that dumps again)
replaces the earlier, which is counted as `repeated`.
"""

from __future__ import annotations

MARKER = "!"

MAX_LINE = 4096  # bytes without the line end; Contiki's own lines stay below 200
MAX_STR = 64
OWN_KIND = r"[a-z][a-z0-9_-]{0,31}"  # of records that an application defines for itself

# Lines of a COOJA.testlog that Cooja itself writes (a regular expression of the whole line -> what it says).
FRAME_LINES: dict[str, str] = {
    r"Random seed: (-?[0-9]{1,18})": "log_seed",
    r"TEST (OK|FAILED|TIMEOUT)": "verdict",
    r"Test ended at simulation time: ([0-9]{1,18})": "ended_us",
}

# Why a line is counted as damage -> (its rows are kept all the same, what it means). In the order of
# checking.
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
    "own": (
        True,
        "a record of a kind that is not in RECORDS, an application's own; kept in the table `records`",
    ),
    "few": (False, "a record with too few fields"),
    "many": (False, "a record with too many fields"),
    "type": (False, "a record with a field of the wrong type"),
    "repeated": (False, "a value that the same mote printed again later; the later one counts"),
    "clock": (
        True,
        "a line that is earlier than the line before it; the latest line, if later than the end that the "
        "log names",
    ),
    "counter": (True, "a cnt record whose name COUNTERS does not list"),
    "log": (False, "the log itself is missing or cannot be read"),
}

# kind -> ((field, type), ...). Counters are dumped after the run; the second group is printed only with trace
# on.
RECORDS: dict[str, tuple[tuple[str, str], ...]] = {
    # what a mote is: role name, publisher index (0 if none), mote id of its next hop (0 if none), and how
    # many publishers' routes pass it, itself included
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
    # --- trace
    # ------------------------------------------------------------------------------------------------- an
    # application published an individual event
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
}

# Names a `cnt` record may carry, what each counts, over the measured time of one mote.
COUNTERS: dict[str, str] = {
    "events_published": "individual events its application published",
    "events_transmitted": "event messages its routing layer handed to the MAC; an aggregate counts once",
    "packets_sent": "frames its routing layer handed to the MAC: event messages, and the control protocol's",
    "packets_received": "frames its routing layer accepted from its neighbours of the configured topology",
    "control_packets_sent": "of packets_sent, those of the control protocol: before the measured time, from "
    "boot on",
    "control_packets_received": "of packets_received, those of the control protocol, from boot on",
    "packets_off_topology": "frames heard that the configured topology does not bring here (sender not a "
    "neighbour, or "
    "another mote the next hop); dropped before processing",
    "packets_malformed": "frames that are not of this protocol or are cut short; dropped",
    "event_packets_received": "event messages its routing layer accepted",
    "events_delivered": "event messages handed to its subscriber's application",
    "merged": "event messages that its merge function took into a stored one",
    "merges_undone": "merges, and time-outs set by a merge function, that were not carried out because of "
    "what it left: a "
    "changed head or list, data of another length, a changed arrival, a time-out below 0; not printed where "
    "there are none",
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
    "gateway_uart_received": "of the gateway of this base station, over the whole run, as all of gateway_*: "
    "frames that its base station sent",
    "gateway_uart_sent": "deliveries for its base station",
    "gateway_uart_malformed": "lines of its base station that began as a frame and are none",
    "gateway_tcp_received": "requests and events from other gateways",
    "gateway_tcp_sent": "requests and events to other gateways",
    "gateway_queue_full": "messages lost because its routing's or its serial line's queue was full",
    "threads_timer_taken": "switches up to a clock tick late, another rtimer having been waited for",
}
