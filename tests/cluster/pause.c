// Keeps a pod's namespaces open: waits until a signal ends it.
#include <signal.h>
#include <unistd.h>

static void end(int number) {
  (void)number;
  _exit(0);
}

int main(void) {
  signal(SIGTERM, end);
  signal(SIGINT, end);
  for (;;) pause();
}
