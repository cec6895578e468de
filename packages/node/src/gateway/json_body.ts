import type { IncomingMessage } from 'node:http'

import { GatewayError } from './errors.js'

/** Reads a JSON object of limited size. */
export async function readJson(
  request: IncomingMessage,
  maxBytes: number
): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) {
      throw new GatewayError(413, `The body has more than ${maxBytes} bytes`)
    }
    chunks.push(chunk)
  }
  return objectIn(Buffer.concat(chunks).toString('utf8'))
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new GatewayError(400, 'The body is not valid JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new GatewayError(400, 'The body is not a JSON object')
  }
  return value as Readonly<Record<string, unknown>>
}
