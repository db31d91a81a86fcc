# SPDX-License-Identifier: Apache-2.0
"""What firmware finds in libc's place: threads, the bounds of the stack, random numbers, memory, exit()."""

from __future__ import annotations

import ctypes
import platform
import subprocess

import pytest
from engine_harness import SANITIZED, build_harness

HARNESS = r"""
#include "base/machine.h"
#include "libc/context.h"
#include "libc/formatted.h"
#include "libc/heap.h"
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define FIND(type, name, ...) static type (*name##_)(__VA_ARGS__)
#if ON_X86_64
FIND(int, getcontext, ucontext_t *); FIND(int, setcontext, const ucontext_t *);
FIND(int, swapcontext, ucontext_t *, const ucontext_t *); FIND(void, makecontext, ucontext_t *, void (*)(void), int, ...);
#endif
FIND(int, pthread_getattr_np, pthread_t, pthread_attr_t *);
FIND(int, rand, void); FIND(long, random, void); FIND(void, srand, unsigned); FIND(void, srandom, unsigned);
FIND(void, exit, int);
static void find(void) {
#define FOUND(name) memcpy(&name##_, (void *[]){replacement(#name)}, sizeof(void *))
#if ON_X86_64
  FOUND(getcontext); FOUND(setcontext); FOUND(swapcontext); FOUND(makecontext);
#endif
  FOUND(pthread_getattr_np); FOUND(rand); FOUND(random); FOUND(srand); FOUND(srandom); FOUND(exit);
}
#if ON_X86_64
static ucontext_t engine, threads[8];
static char stacks[8][65536 + 24];
static void make(int i, void (*function)(void), int count, long *with) {
  getcontext_(&threads[i]);
  threads[i].uc_stack.ss_sp = stacks[i] + i; /* its end isn't aligned */
  threads[i].uc_stack.ss_size = 65536;
  threads[i].uc_link = &engine;
  makecontext_(&threads[i], function, count, with[0], with[1], with[2], with[3], with[4], with[5]);
}
static uintptr_t entered_with[2]; /* rsp and rbp where a thread begins */
static void say_arguments(long a, long b, long c, long d, long e, long f) {
  printf("thread: %ld %ld %ld %ld %ld %ld, ", a, b, c, d, e, f);
  printf("%d %d\n", (int)(entered_with[0] % 16), (int)entered_with[1]);
}
void *entered_at = entered_with, *said_by = say_arguments;
void enter(void);
__asm__(".text\nenter:\n movq entered_at@GOTPCREL(%rip), %rax\n movq (%rax), %rax\n movq %rsp, (%rax)\n movq %rbp, 8(%rax)\n"
        " movq said_by@GOTPCREL(%rip), %rax\n jmp *(%rax)\n");
static void nothing(void) { }
static void one(void) { nothing(); printf("one "); }
static void two(void) { printf("two "); }
static void three(void) { printf("three "); }
static void four(void) { printf("four "); }
static void five(void) { printf("five "); }
static void made(void) {
  void (*all[])(void) = {one, two, three, four, five, nothing};
  for(int i = 0; i < 6; i++) {
    const ucontext_t *found = context_made_for((uintptr_t)all[i]);
    printf("%d", found ? (int)(found - threads) : -1);
    printf(i < 5 ? "," : " ");
  }
}
static void talk(void) {
  for(volatile int i = 0; i < 3; i++) { printf("turn %d ", i); swapcontext_(&threads[0], &engine); }
}
#endif
static jmp_buf ended;
static void ends(int code) { printf("exit %d ", code); longjmp(ended, 1); }
static void returns(int code) { printf("exit %d\n", code); fflush(stdout); }
static void aborts(int number) { (void)number; printf("aborted\n"); fflush(stdout); _exit(0); }
static int given[6];
static uint8_t *base;
static void construct(int count, char **words, char **environment) {
  printf("constructor: %d %d %d\n", count, words[0] == NULL, environment[0] == NULL && words != NULL);
}
static bool ask(const uint8_t *bytes, int size) { return size == 3 && bytes[2] == 7; }
static void *other(void *bounds) { (void)bounds; pause(); return NULL; }
static void stack(pthread_t thread) {
  pthread_attr_t ours, theirs;
  void *at[2];
  size_t size[2];
  int error = pthread_getattr_np_(thread, &ours) | pthread_getattr_np(thread, &theirs);
  pthread_attr_getstack(&ours, &at[0], &size[0]);
  pthread_attr_getstack(&theirs, &at[1], &size[1]);
  printf("%d %d ", error, at[0] == at[1] && (char *)at[0] + size[0] == (char *)at[1] + size[1]);
  pthread_attr_destroy(&ours);
  pthread_attr_destroy(&theirs);
}
#if ON_X86_64
static void threads_take_turns(void) {
  long none[6] = {0};
  for(int count = 0; count <= 6; count++) {
    memset(&threads[count].uc_mcontext, 0, sizeof(mcontext_t));
    make(count, enter, count, (long[]){1, 2, 3, 4, 5, 6});
    printf("%d ", (uintptr_t)stacks[count] + 65536 + count - context_stack(&threads[count]) < 16);
    swapcontext_(&engine, &threads[count]);
  }
  make(0, talk, 0, none);
  for(int i = 0; i < 4; i++) { swapcontext_(&engine, &threads[0]); printf("back "); }
  volatile int again = 0;
  getcontext_(&engine);
  if(again++ < 2) { printf("again "); setcontext_(&engine); }
  printf("\n");
}
static void latest(void) {
  long none[6] = {0};
  made();
  make(1, one, 0, none); made();
  make(2, two, 0, none); make(3, three, 0, none); make(4, four, 0, none); made();
  make(5, five, 0, none); made();
  make(6, two, 0, none); made();
  for(int i = 0; i < 9; i++) make(7, nothing, 0, none);
  made();
  make(1, one, 0, none); make(2, nothing, 0, none); made();
  swapcontext_(&engine, &threads[1]);
  printf("\n");
}
#endif
static void memory(void) {
  char *text, *other;
  void *(*find)(const char *) = replacement;
  void *(*new)(size_t) = NULL, (*gives_back)(void *) = NULL;
  memcpy(&new, (void *[]){find("_Znwm")}, sizeof(new));
  memcpy(&gives_back, (void *[]){find("_ZdlPv")}, sizeof(gives_back));
  char *large = new(100);
  memset(large, 1, 100);
  gives_back(large);
  printf("%d ", heap_blocks()); /* nobody watches */
  heap_allocated(); heap_gave_back(&text); printf("%d ", heap_blocks());
  heap_watch(); printf("%d ", heap_blocks());
  heap_watch();
  char *block = heap_allocate(10), *zeroed = heap_allocate_zeroed(3, 5), *copy = heap_copy("copy"), *anew = new(0), *moved = formatted_realloc(NULL, 8);
  memset(block, 1, 10);
  printf("%d ", (zeroed[0] | zeroed[14]) == 0 && strcmp(copy, "copy") == 0 && anew != moved); /* 5 blocks */
  if(formatted_anew(&text, "%d", 5) != 1 || formatted_anew(&other, "%s", text) != 1 || strcmp(other, "5")) puts("texts"); /* a block more */
  formatted_free(NULL);
  block = formatted_realloc(block, 1000); /* it stays one */
  printf("%d ", heap_blocks());
  heap_watch();
  formatted_free(block); gives_back(anew); formatted_free(zeroed);
  printf("%d ", heap_blocks());
  formatted_free(copy); formatted_free(moved); formatted_free(text);
  if(formatted_anew(&text, "%s again", other) != 7 || strcmp(text, "5 again")) puts("kept");
  formatted_free(other);
  text = formatted_realloc(text, 3);
  printf("%.3s ", text);
  formatted_free(text);
  printf("%d\n", heap_blocks());
}
int main(int count, char **words) {
  find();
  mote_exits = ends;
  switch(words[1][0]) {
#if ON_X86_64
  case 't': threads_take_turns(); break;
  case 'l': latest(); break;
  case 'n': /* so many arguments */
    signal(SIGABRT, aborts);
    make(0, nothing, atoi(words[2]), (long[6]){0});
    printf("made\n");
    break;
  case 'w':
    if(!setjmp(ended)) { make(0, nothing, 0, (long[6]){0}); threads[0].uc_link = NULL; setcontext_(&threads[0]); }
    printf("\n"); fflush(stdout);
    _exit(0);
#else
  case 'l': printf("%d %d\n", context_made_for((uintptr_t)find) == NULL, (int)context_stack(NULL)); break;
#endif
  case 'm': memory(); break;
  case 'o': { /* operator new has none */
    void *(*new)(size_t) = NULL;
    signal(SIGABRT, aborts);
    memcpy(&new, (void *[]){replacement("_Znwm")}, sizeof(new));
    printf("%d\n", new(SIZE_MAX / 2) != NULL);
    break;
  }
  case 's': {
    pthread_t another, third;
    pthread_create(&another, NULL, other, NULL);
    pthread_create(&third, NULL, other, NULL);
    stack(another); stack(pthread_self()); stack(third); stack(pthread_self()); stack(another);
    printf("\n"); fflush(stdout);
    _exit(0);
  }
  case 'r':
    srand_(5); srandom_(9); srand(3);
    printf("%d ", rand_()); printf("%ld ", random_());
    srand(4); printf("%ld ", random_());
    srandom_(7); printf("%ld ", random_()); printf("%d\n", rand_());
    break;
  case 'e':
    for(volatile int i = 0; i < 3; i++) if(!setjmp(ended)) exit_(i);
    printf("\n"); fflush(stdout);
    _exit(0);
  case 'a': /* what must not return does */
    signal(SIGABRT, aborts);
    mote_exits = returns;
    exit_(3);
    break;
  case 'c':
    base = (uint8_t *)given;
    context_call((void (*)(void))construct, base);
    printf("%d%d%d\n", context_ask(ask, base, (uint8_t[]){5, 6, 7}, 3), context_ask(ask, base, (uint8_t[]){5, 6, 7}, 2), context_ask(ask, base, (uint8_t[]){5, 6, 8}, 3));
    break;
  case 'f': printf("%d\n", replacement(words[2]) != NULL); break;
  }
  return count < 2;
}
"""  # noqa: E501
on_x86_64 = pytest.mark.skipif(platform.machine() != "x86_64", reason="elsewhere threads are libc's")


def speaker(folder, *flags: str):
    """say(word, ...) -> the lines of one part."""
    parts = ("libc/context.c", "libc/formatted.c", "libc/heap.c", "base/text.c")
    source = '#pragma GCC diagnostic ignored "-Wcast-function-type"\n' + HARNESS
    program = build_harness(folder, source, parts, flags)

    def say(*words: str) -> list[str]:
        environment = {"ASAN_OPTIONS": "detect_leaks=0:handle_abort=0:allocator_may_return_null=1"}
        done = subprocess.run([program, *words], capture_output=True, text=True, env=environment, check=False)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr[:3000]
        return [line.strip() for line in done.stdout.split("\n")[:-1]]

    return say


@pytest.fixture(scope="module")
def threads(tmp_path_factory):
    """Not with a sanitizer, which takes a thread's stack for a fault."""
    return speaker(tmp_path_factory.mktemp("threads"), "-g", "-O1")


@pytest.fixture(scope="module")
def portable(tmp_path_factory):
    return speaker(tmp_path_factory.mktemp("portable"), *SANITIZED, "-DPORTABLE")


@pytest.fixture(params=["threads", "portable"])
def say(request):
    """On this machine, and as on any other."""
    return request.getfixturevalue(request.param)


@on_x86_64
def test_threads(threads):
    """With none to six arguments, on stacks that need not be aligned, and on to uc_link at their end."""
    *begun, turns = threads("t")
    for count, line in enumerate(begun):
        given = " ".join(str(one if one <= count else 0) for one in range(1, 7))
        assert line == f"1 thread: {given}, 8 0", "as behind a call: eight less than a multiple of sixteen"
    assert len(begun) == 7
    assert turns == "turn 0 back turn 1 back turn 2 back back again again"


@on_x86_64
@pytest.mark.parametrize(("count", "said"), [(6, "made"), (7, "aborted"), (-1, "aborted"), (0, "made")])
def test_arguments_that_a_thread_can_have(count, said, threads):
    assert threads("n", str(count)) == [said]


@on_x86_64
def test_the_latest_four_threads_are_known_by_their_functions(threads):
    """For each of five functions and one that is new: which context was made for it last, -1 for none."""
    assert threads("l") == [
        "-1,-1,-1,-1,-1,-1 1,-1,-1,-1,-1,-1 1,2,3,4,-1,-1 -1,2,3,4,5,-1 -1,6,3,4,5,-1 -1,-1,-1,-1,-1,7"
        " 1,-1,-1,-1,-1,2 one"
    ]


def test_the_stack_is_as_libc_says(say):
    assert say("s") == ["0 1 " * 4 + "0 1"]


def test_the_last_seed_counts_when_a_number_is_drawn(say):
    libc = ctypes.CDLL(None)
    libc.random.restype = ctypes.c_long
    libc.srandom(9)
    first = [libc.rand(), libc.random()]
    libc.srandom(4)
    first.append(libc.random())
    libc.srandom(7)
    assert say("r") == [" ".join(map(str, [*first, libc.random(), libc.rand()]))]


def test_a_mote_that_exits(say):
    """Nothing of it goes on."""
    assert say("e") == ["exit 0 exit 1 exit 2"]
    assert say("a") == ["exit 3", "aborted"]


@on_x86_64
def test_a_mote_whose_last_thread_returns_exits(threads):
    assert threads("w") == ["exit 0"]


def test_elsewhere_threads_are_libc_s(portable):
    assert portable("l") == ["1 0"]
    for name in ("getcontext", "setcontext", "swapcontext", "makecontext"):
        assert portable("f", name) == ["0"]


def test_calls_of_a_mote_s_functions(say):
    assert say("c") == ["constructor: 0 1 1", "100"]


def test_blocks_that_are_allocated_and_not_freed(say):
    """Before a watch and after it none are counted; a text that is kept is none."""
    assert say("m") == ["0 0 0 1 6 -3 5 a -3"]


def test_new_without_memory_ends_the_mote(threads):
    """It never returns NULL, and firmware has no exceptions here."""
    assert threads("o") == ["aborted"]


def test_what_is_replaced(say, threads):
    names = (
        "malloc calloc realloc free strdup asprintf vasprintf snprintf vsnprintf rand random srand srandom"
    )
    names += " exit _exit _Exit quick_exit pthread_getattr_np _Znwm _Znam _ZdlPv _ZdlPvm _ZdaPv _ZdaPvm"
    if say is threads and platform.machine() == "x86_64":
        names += " getcontext setcontext swapcontext makecontext"
    for name in names.split():
        assert say("f", name) == ["1"], name
    for name in ("printf", "strlen", "mallo", "mallocs", ""):
        assert say("f", name) == ["0"], name
