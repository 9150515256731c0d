/* Stands in for a job's process: it runs until a signal ends it. As the first process of a pod it receives only signals
   that it has a handler for. SIGTERM ends it as drained, SIGUSR1 ends it with the exit code in the signal's value, and
   after SIGUSR2 it ignores SIGTERM. */
#include <signal.h>
#include <unistd.h>

static void leave(int signal, siginfo_t *info, void *context) {
  (void)context;
  _exit(signal == SIGTERM ? 80 : info->si_value.sival_int);
}

static void stay(int signal) { (void)signal; }

static void hang(int signal) {
  (void)signal;
  struct sigaction ignore = {.sa_handler = stay};
  sigaction(SIGTERM, &ignore, NULL);
}

int main(void) {
  struct sigaction end = {.sa_sigaction = leave, .sa_flags = SA_SIGINFO};
  struct sigaction deafen = {.sa_handler = hang};
  sigaction(SIGTERM, &end, NULL);
  sigaction(SIGUSR1, &end, NULL);
  sigaction(SIGUSR2, &deafen, NULL);
  for (;;) pause();
}
