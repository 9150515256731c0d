/* A job's process without a job: it stays until it is told how to end. As the first process of a pod it gets only the
   signals that it has a handler for: SIGTERM lets it leave as drained, SIGUSR1 ends it with the code that comes along,
   after SIGUSR2 it leaves for nobody. */
#include <signal.h>
#include <unistd.h>

static void leave(int signal, siginfo_t *told, void *context) {
  (void)context;
  _exit(signal == SIGTERM ? 80 : told->si_value.sival_int);
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
