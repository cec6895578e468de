import type { IncomingHttpHeaders } from 'node:http'

/** Headers of a single connection. The framing of a body belongs to the message, and is passed on. */
const OF_CONNECTION = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'upgrade', 'te', 'trailer', 'expect'],
])

/** The headers of a message that are passed on. */
export const passedHeaders = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name)))
