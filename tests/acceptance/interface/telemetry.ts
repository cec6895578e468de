import { eventually } from '#tests/helpers/eventually'

import { address } from './installation.js'
import { accessToken } from './login.js'
import type { Answer } from './records.js'

interface Question {
  readonly method?: string
  readonly body?: object
  readonly origin?: string
  readonly token?: string
}

/** Asks telemetry, as a caller who may do everything unless another token is given. */
export async function request(
  path: string,
  { method = 'GET', body, origin = address('telemetry', ''), token }: Question = {}
): Promise<Answer> {
  const response = await fetch(origin + path, {
    method,
    headers: {
      authorization: `Bearer ${token ?? (await accessToken())}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    body: body && JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

/** The events of a list, the newest first, as soon as there are so many. */
export function eventsWhere(query: string, count = 1, question: Question = {}): Promise<any[]> {
  return eventually(async () => {
    const { body } = await request(`/events?${query}`, question)
    return body.meta.total >= count && body.data
  })
}
