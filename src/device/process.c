/*
 * process.c: starts the program's process, and tells if it has ended.
 *
 * Called by broker.c alone.  A killed process can usually be taken for dead.  The exception is a process that sleeps in
 * a driver and cannot be woken: it still has the ring, and the device may still write there for it.  So we ask the
 * system if the process is gone, instead of relying on the kill.
 */
#include "postgres.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "storage/pg_shmem.h"

#include "device/shared.h"
#include "device/wire.h"

/* ---- looking ---- */

/* What Linux says about a process. */
typedef struct Look
{
	char   state; /* its state, a letter of proc(5) */
	uint64 threads;
	uint64 born;
} Look;

/* Asks the system about a process.  False: it says nothing. */
static bool
process_look(pid_t pid, Look *look)
{
#ifdef __linux__
	char	path[32], text[1024], *at;
	ssize_t n;
	int		fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int) pid);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	/* the second field is a name, in parentheses, that may have anything in it */
	at = strrchr(text, ')');
	for (int field = 3; field <= 22 && at != NULL; field++)
	{
		at = strchr(at + 1, ' ');
		if (at != NULL && field == 3)
			look->state = at[1];
		else if (at != NULL && field == 20)
			look->threads = strtou64(at + 1, NULL, 10);
		else if (at != NULL && field == 22)
			look->born = strtou64(at + 1, NULL, 10);
	}
	return at != NULL;
#else
	return false;
#endif
}

/* ---- starting ---- */

/* In the child: becomes the program.  Calls only what is allowed between fork and exec. */
static void
become_program(int socket_fd, int ring_fd, pid_t parent, char *const arguments[])
{
	struct rlimit none = {0, 0};
	sigset_t	  all;
	int			  fd;

#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	/* out of memory, this process should be killed first: all its work can be done again */
	fd = open("/proc/self/oom_score_adj", O_WRONLY);
	if (fd >= 0)
	{
		ssize_t written pg_attribute_unused() = write(fd, "1000", 4); /* a failure does no harm */

		close(fd);
	}
#endif
	/* a core file would contain users' data and a GPU's address space */
	setrlimit(RLIMIT_CORE, &none);

	/* first move both out of the range of the final numbers */
	socket_fd = fcntl(socket_fd, F_DUPFD, 16);
	fd = fcntl(ring_fd, F_DUPFD, 16);
	if (socket_fd < 0 || fd < 0 || dup2(socket_fd, WIRE_SOCKET_FD) < 0 || dup2(fd, WIRE_RING_FD) < 0)
		_exit(WIRE_EXIT_EXEC);
	for (int i = WIRE_RING_FD + 1; i < Max(1024, fd + 1); i++)
		close(i);
	fd = open("/dev/null", O_RDWR);
	if (fd >= 0)
	{
		dup2(fd, STDIN_FILENO);
		dup2(fd, STDOUT_FILENO);
		close(fd);
	}
	/* if the program hangs later, a server that starts then must not find its shared memory in use */
	PGSharedMemoryDetach();

	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	execv(arguments[0], arguments);
	_exit(WIRE_EXIT_EXEC);
}

Process
process_start(char *const arguments[], int ring_fd, int *line)
{
	Process	 process = {0, 0};
	pid_t	 parent = getpid();
	sigset_t all, before;
	Look	 look;
	int		 ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		ereport(ERROR, (errcode_for_socket_access(), errmsg("could not create a socket: %m")));
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);

	/* PostgreSQL's handlers must not run in the child */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	process.pid = fork();
	if (process.pid == 0)
		become_program(ends[1], ring_fd, parent, arguments);
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(ends[1]);
	if (process.pid < 0)
	{
		close(ends[0]);
		return (Process){0, 0};
	}
	if (process_look(process.pid, &look))
		process.born = look.born;
	*line = ends[0];
	return process;
}

/* ---- ending ---- */

bool
process_is_through(const Process *process, int *status)
{
	Look look;
	int	 ended;

	if (waitpid(process->pid, &ended, WNOHANG) == process->pid)
	{
		*status = ended;
		return true;
	}
	if (kill(process->pid, 0) != 0 && errno == ESRCH)
		return true;
	if (!process_look(process->pid, &look))
		return false;
	/* a zombie has given its memory and its files back, unless one of its threads is left */
	return ((look.state == 'Z' || look.state == 'X') && look.threads <= 1) ||
		   (process->born != 0 && look.born != process->born);
}
