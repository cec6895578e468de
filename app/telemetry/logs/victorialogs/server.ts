import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

import { LogStoreUnavailable } from '#telemetry/logs/errors'
import { parseInstant, type Instant } from '#telemetry/logs/instant'
import { NoResponse, ServerError, QueryTooLarge } from './errors.js'

/** The addresses for writes and queries. */
export interface ServerAddresses {
  readonly ingestor: string
  readonly querier: string
}

/** A line as the server returns it: every value is a string. */
export type Fields = Readonly<Record<string, string>>

/** The number of lines within one step from a time. */
export interface LineCount {
  readonly at: Instant
  readonly count: number
}

export interface DeletionTask {
  readonly task_id: string
}

const TIMEOUT_MS = 20_000
/** These labels have few values and most queries use them. */
const STREAM = '_stream_fields=service,channel'
const compressed = promisify(gzip)

/** A client of the HTTP API of VictoriaLogs. */
export class VictoriaLogsServer {
  readonly #ingestor: string
  readonly #querier: string

  constructor({ ingestor, querier }: ServerAddresses) {
    this.#ingestor = ingestor.replace(/\/+$/, '')
    this.#querier = querier.replace(/\/+$/, '')
  }

  /** Inserts lines, one JSON object each. The server then has them in memory only. */
  async insert(lines: readonly string[]): Promise<void> {
    const headers = {
      'content-type': 'application/stream+json',
      'content-encoding': 'gzip',
    }
    const body = await compressed(`${lines.join('\n')}\n`)
    await fetchText(`${this.#ingestor}/insert/jsonline?${STREAM}`, {
      method: 'POST',
      headers,
      body,
    })
  }

  async query(logsql: string): Promise<Fields[]> {
    const path = `/select/logsql/query?query=${encodeURIComponent(logsql)}`
    const send = () => fetchText(`${this.#querier}${path}`)
    const text = await mapErrors(() => send().catch(retryOnce(send)))
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line): Fields => JSON.parse(line))
  }

  async count(filter: string): Promise<number> {
    const [row] = await this.query(`${filter} | stats count() n`)
    return Number(row?.n ?? 0)
  }

  /** The number of lines by hour, minute or second. */
  async countBy(filter: string, step: string): Promise<LineCount[]> {
    const rows = await this.query(`${filter} | stats by (_time:${step}) count() n`)
    return rows.map(({ _time, n }) => ({ at: parseInstant(_time!)!, count: Number(n) }))
  }

  /** The active deletions. Throws `ServerError` if the server has no deletion or disables it. */
  async deletions(): Promise<readonly DeletionTask[]> {
    const send = () => fetchText(`${this.#querier}/delete/active_tasks`)
    return JSON.parse(await send().catch(retryOnce(send)))
  }

  async startDeletion(filter: string): Promise<DeletionTask> {
    const body = new URLSearchParams({ filter })
    return JSON.parse(
      await fetchText(`${this.#querier}/delete/run_task`, {
        method: 'POST',
        body: body.toString(),
        headers: FORM,
      })
    )
  }
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

async function fetchText(url: string, request: RequestInit = {}): Promise<string> {
  let status: number
  let text: string
  try {
    const response = await fetch(url, {
      ...request,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    status = response.status
    text = await response.text()
  } catch (error) {
    throw new NoResponse(error)
  }
  if (status !== 200) {
    throw new ServerError(status, text)
  }
  return text
}

/** A kept-alive connection may have been closed; queries are safe to repeat. */
function retryOnce<T>(send: () => Promise<T>): (error: unknown) => Promise<T> {
  return (error) =>
    error instanceof NoResponse && !error.isTimeout ? send() : Promise.reject(error as Error)
}

/** Maps errors to failures for the caller. */
async function mapErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ServerError && /requires more than .* of memory/.test(error.text)
      ? new QueryTooLarge(error)
      : new LogStoreUnavailable(error)
  }
}
