/** Where plain clients of Redis talk beside our signals. */
export const PLAIN_CHANNEL = 'plain wakeups'
