import { connect, type ConsumeMessage } from 'amqplib'
import pg from 'pg'

const BATCH = 500
const PREFETCH = 2_000

const COLUMNS = [
  ['scope', 'scope'],
  ['name', 'name'],
  ['ref_type', 'refType'],
  ['ref_id', 'refId'],
  ['request_path', 'requestPath'],
  ['request_method', 'requestMethod'],
  ['request_ip_address', 'requestIpAddress'],
  ['request_user_agent', 'requestUserAgent'],
  ['actor_type', 'actorType'],
  ['actor_id', 'actorId'],
  ['actor_name', 'actorName'],
  ['realm_id', 'realmId'],
] as const

const COPY = `copy events (id, ${COLUMNS.map(([column]) => column).join()}, data, expiring,
  expires_at, created_at) from stdin`

/**
 * As little as can be done: messages are parsed, copied in sets and acknowledged together. Nothing is checked, sanitised, derived
 * or tried again, and a message that is delivered twice is kept twice.
 */
export async function copyingConsumer(to: { amqp: string; database: string; queue: string }) {
  const client = new pg.Client({ connectionString: to.database })
  await client.connect()
  const connection = await connect(to.amqp)
  const channel = await connection.createChannel()
  await channel.prefetch(PREFETCH)
  let waiting: ConsumeMessage[] = []
  let isBusy = false
  const work = async () => {
    isBusy = true
    while (waiting.length > 0) {
      const set = waiting.splice(0, BATCH)
      await copy(client, set.map(lineOf).join(''))
      channel.ack(set.at(-1)!, true)
    }
    isBusy = false
  }
  await channel.consume(to.queue, (message) => {
    waiting.push(message!)
    if (!isBusy) {
      setImmediate(() => isBusy || void work())
    }
  })
  return {
    async stop() {
      waiting = []
      await connection.close()
      await client.end()
    },
  }
}

function lineOf({ content }: ConsumeMessage): string {
  const { data: event, metadata } = JSON.parse(content.toString())
  const at = new Date(metadata.timestamp).toISOString()
  const expiresAt = new Date(metadata.timestamp + 7 * 86_400_000).toISOString()
  const values = COLUMNS.map(([, name]) => event[name])
  const id = crypto.randomUUID()
  const line = [id, ...values, JSON.stringify(event.data), 't', expiresAt, at]
  return `${line.map(written).join('\t')}\n`
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

const written = (value: string | null | undefined) =>
  value?.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character]!) ?? '\\N'

function copy(client: pg.Client, lines: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error) => reject(error)
    client.query({
      submit: (connection: any) => connection.query(COPY),
      handleCopyInResponse(connection: any) {
        connection.sendCopyFromChunk(Buffer.from(lines))
        connection.endCopyFrom()
      },
      handleError: failed,
      handleCommandComplete() {},
      handleReadyForQuery: () => resolve(),
    } as unknown as pg.Submittable)
  })
}
