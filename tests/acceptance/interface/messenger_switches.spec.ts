import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { test } from '@japa/runner'
import pg from 'pg'

import { locateEmbeddedPostgres } from '#embedded/locate'
import { eventually } from '#tests/helpers/eventually'
import { StandInProvider, SYSTEM } from '#tests/unit/identity/stand_in/stand_in_provider'

import { ADMINISTRATOR, signIn } from './login.js'
import { bearerOf } from './messenger.js'
import { startProgram, type Program, type Variables } from './program.js'

const POLLING = '/messenger/socket.io/?EIO=4&transport=polling'

test.group('Interface: switches of messenger', (group) => {
  let seen: Awaited<ReturnType<typeof twoRuns>>

  group.setup(async () => {
    const DATA_DIR = await mkdtemp(join(tmpdir(), 'hub-messenger-'))
    seen = await twoRuns(DATA_DIR)
    return () => rm(DATA_DIR, { recursive: true, force: true })
  })

  test('Versioning 9: LEGACY_SOCKET_RELAY takes the sockets and their wakeups away, and leaves everything else', ({
    assert,
  }) => {
    assert.deepEqual(seen.without, {
      socket: 404,
      sent: 202,
      pulled: 1,
      stream: 'text/event-stream; charset=utf-8',
    })
    assert.equal(seen.with.socket, 200)
  })

  test('Limits row 3: a message of the day before is not delivered, and swept', ({ assert }) => {
    assert.equal(seen.with.pulled, 0)
    assert.containsSubset(seen.with.expired, [{ ...seen.recipient, expired: 1 }])
  })
})

test.group('Interface: how messenger logs in', (group) => {
  const logins: Record<string, string>[] = []

  group.setup(async () => {
    const provider = await StandInProvider.start()
    const secret = SYSTEM.clientSecret
    provider.records.add('clients', { name: 'broker', secret, realmId: provider.realms.siteA.id })
    for (const variables of [{}, { REALM: 'site-a', CLIENT_ID: 'broker' }]) {
      provider.seen.splice(0)
      const program = await startProgram({
        SURFACES: 'messenger',
        IDENTITY_URL: provider.url,
        CLIENT_SECRET: secret,
        ...variables,
      })
      const login = () => provider.seen.find(({ path }) => path === '/token')
      await eventually(login).finally(() => program.stop())
      logins.push(login()!.body)
    }
    return () => provider.goAway()
  })

  test('What the service does / Configuration row 9: REALM names the realm that messenger logs in to, else master', ({
    assert,
  }) => {
    assert.deepEqual(
      logins.map((login) => login.realm_id),
      ['master', 'site-a']
    )
  })

  test('What the service does / Configuration row 10: CLIENT_ID names the client that messenger logs in as, else system', ({
    assert,
  }) => {
    assert.deepEqual(
      logins.map((login) => login.client_id),
      ['system', 'broker']
    )
  })
})

/** What is seen without the relay, and then with it, of a message that meanwhile became a day old. */
async function twoRuns(DATA_DIR: string) {
  const recipient = { type: '', id: '' }
  const without = await during({ DATA_DIR, LEGACY_SOCKET_RELAY: 'false' }, async (ask) => {
    Object.assign(recipient, ask.self)
    const sent = await ask('/messenger/messages', { recipients: [recipient] })
    const { messages } = (await (await ask('/messenger/messages')).json()) as any
    const stream = await ask('/messenger/messages/stream')
    await stream.body!.cancel()
    const { status: socket } = await ask(POLLING)
    await becomeADayOlder(DATA_DIR)
    const type = stream.headers.get('content-type')
    return { socket, sent: sent.status, pulled: messages.length, stream: type }
  })
  const withRelay = await during({ DATA_DIR }, async (ask) => {
    const { messages } = (await (await ask('/messenger/messages')).json()) as any
    const { status: socket } = await ask(POLLING)
    const expired = await eventually(async () => {
      const { recipients } = (await (await ask('/messenger/messages/expired')).json()) as any
      return recipients.length > 0 && recipients
    })
    return { socket, pulled: messages.length, expired }
  })
  return { recipient, without, with: withRelay }
}

async function becomeADayOlder(dataFolder: string): Promise<void> {
  const connectionString = await locateEmbeddedPostgres(join(dataFolder, 'postgres'))
  const database = new pg.Client({ connectionString })
  await database.connect()
  await database.query(`update messages set created_at = created_at - interval '24 hours'`)
  await database.end()
}

type Ask = ((path: string, body?: object) => Promise<Response>) & {
  self: ReturnType<typeof bearerOf>
}

/** The response to a request of the administrator while a program runs. */
async function during<T>(variables: Variables, work: (ask: Ask) => Promise<T>): Promise<T> {
  const program: Program = await startProgram(variables)
  try {
    const token = await signIn(ADMINISTRATOR, `${program.origin}/auth/token`)
    const ask = (path: string, body?: object) =>
      fetch(program.origin + path, {
        method: body ? 'POST' : 'GET',
        headers: { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' },
        body: body && JSON.stringify(body),
      })
    return await work(Object.assign(ask, { self: bearerOf(token) }))
  } finally {
    await program.stop()
  }
}
