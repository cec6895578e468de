import type { IncomingMessage } from 'node:http'

import { readBounded } from '#kernel/read_bounded'

import { GatewayError } from './errors.js'

/** Reads a JSON object of limited size. */
export async function readJson(
  request: IncomingMessage,
  maxBytes: number
): Promise<Readonly<Record<string, unknown>>> {
  const tooLarge = () => new GatewayError(413, `The body has more than ${maxBytes} bytes`)
  const body = await readBounded(request, maxBytes, tooLarge)
  return objectIn(body.toString('utf8'))
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
