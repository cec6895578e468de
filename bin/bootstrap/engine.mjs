/**
 * What the servers are started with. Node.js would let the garbage of a moment grow to 96 MiB before it looks at it, and what has
 * outlived that to four times of what is in use: a process that has little to do then keeps it for good.
 */
export const SERVER_FLAGS = ['--max-semi-space-size=16', '--heap-growing-percent=100']
