import type { IncomingHttpHeaders } from 'node:http'

/** Headers that are about one connection. How a body is framed is that of the message, and stays with it. */
const OF_CONNECTION = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'upgrade', 'te', 'trailer', 'expect'],
])

/** The headers of a message that go on with it. */
export const passedHeaders = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name)))
