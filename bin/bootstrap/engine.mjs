/**
 * Flags of the servers. By default, Node.js lets the young generation grow to 96 MiB and the old one to four times
 * its live size, and an idle process does not free that memory.
 */
export const SERVER_FLAGS = ['--max-semi-space-size=16', '--heap-growing-percent=100']
