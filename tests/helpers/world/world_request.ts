import type { Served } from '#configuration/processes'
import { at } from '#tests/helpers/application'
import type { Row } from './row.js'
import type { WorldIdentity } from './world_identity.js'

/** One request of a route about a row, which anybody can send. */
export interface WorldRequest {
  readonly method: string
  readonly path: string
  readonly body?: object
  readonly form?: () => FormData
  readonly bytes?: string
  /** Whether it takes the token of the provider itself. */
  readonly isOfProvider?: boolean
  readonly headers?: Readonly<Record<string, string>>
  readonly row: Row
  /** Whether the answer is a list in which the row is, or is not. */
  readonly isList?: boolean
  /** What an answer contains if it is about the row. */
  readonly finds?: string
  /** Whether what a request would remove is still there: an answer of success about nothing is a refusal. */
  readonly remains?: () => Promise<boolean>
  /** What, beside success, whoever may gets for a row that is not there; others are refused before that. */
  readonly letIn?: readonly number[]
}

/** Who is let through, who is refused, and whose request said nothing about either. */
export type Outcome = 'allowed' | 'refused' | 'inconclusive'

export interface Answered {
  readonly status: number
  readonly outcome: Outcome
  readonly text: string
  /** Where what was made is. */
  readonly location?: string
}

/** The last is the answer of routes that nobody can use. */
const REFUSALS = [401, 403, 404, 405]

/** Sends a request as an identity. */
export async function send(
  surface: Served,
  request: WorldRequest,
  by: WorldIdentity
): Promise<Answered> {
  const { method, path, body, form, bytes, headers } = request
  const response = await fetch(at(surface, path), {
    method,
    headers: {
      ...(request.isOfProvider ? by.issued : by.headers),
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: form?.() ?? bytes ?? (body && JSON.stringify(body)),
    redirect: 'manual',
  })
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  const text = isStream ? (await response.body!.cancel(), '') : await response.text()
  return {
    status: response.status,
    outcome: (await request.remains?.()) ? 'refused' : outcomeOf(request, response.status, text),
    text,
    location: response.headers.get('location') ?? undefined,
  }
}

function outcomeOf(
  { isList, finds, letIn = [] }: WorldRequest,
  status: number,
  text: string
): Outcome {
  if (letIn.includes(status)) {
    return 'allowed'
  }
  if (REFUSALS.includes(status)) {
    return 'refused'
  }
  if (status < 200 || status > 299) {
    return 'inconclusive'
  }
  const isShown = (!isList || showsRow(text)) && (finds === undefined || text.includes(finds))
  return isShown ? 'allowed' : 'refused'
}

/** Whether a list shows the row that its filter names: among its records, or in their total. */
function showsRow(text: string): boolean {
  const { data, meta } = JSON.parse(text) as { data: unknown[]; meta?: { total?: number } }
  return data.length > 0 || (meta?.total ?? 0) > 0
}
