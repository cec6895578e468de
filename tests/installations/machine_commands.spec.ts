import { createPrivateKey, createPublicKey } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { test } from '@japa/runner'
import pg from 'pg'

import { locateEmbeddedPostgres } from '#embedded/locate'
import { Sealing } from '#records/sealing'
import { ace, startAce } from '#tests/helpers/ace_process'
import { HubProcesses } from '#tests/helpers/hub_processes'

const FORMER = 'the key that was used until today and long enough'
const CURRENT = 'the key that is used from today on and long enough'
const PASSWORD = 'correct horse battery'
const MANY = 20_000

test.group('Commands at the machine', (group) => {
  let hub: HubProcesses

  group.setup(async () => {
    hub = await HubProcesses.start('server', { variables: { APP_KEY: FORMER } })
    return () => hub.remove()
  })

  const variables = (more: Record<string, string> = {}) => ({
    DATA_DIR: join(hub.folder, '.data'),
    APP_KEY: FORMER,
    ...more,
  })

  async function login(form: Record<string, string>): Promise<string | undefined> {
    const body = new URLSearchParams(form)
    const response = await fetch(`${hub.origin}/auth/token`, { method: 'POST', body })
    return ((await response.json()) as { access_token?: string }).access_token
  }
  const asAdmin = (password: string) =>
    login({ grant_type: 'password', username: 'admin', password })

  async function call(path: string, token: string, body?: object) {
    const response = await fetch(hub.origin + path, {
      method: body ? 'POST' : 'GET',
      headers: { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const answered = (await response.json()) as any
    return { status: response.status, ...answered }
  }
  const publishedKeys = async () => {
    const response = await fetch(`${hub.origin}/auth/jwks`)
    return ((await response.json()) as { keys: { kid: string }[] }).keys
  }

  test('a worker elsewhere gets the key of images and a secret of its own, and nothing else', async ({
    assert,
  }) => {
    const secret = (name: string) => ace(['worker:secret', name], variables())
    const key = await secret('IMAGE_SIGNING_KEY')
    const { stdout: published } = await ace(['image:key'], variables())
    const own = createPublicKey(createPrivateKey(key.stdout))
    assert.equal(own.export({ type: 'spki', format: 'pem' }), published)
    const { stdout } = await secret('WORKER_CLIENT_SECRET')
    assert.match(stdout, /^[\w-]{43}$/)
    const form = { grant_type: 'client_credentials', client_id: 'worker', client_secret: stdout }
    assert.isString(await login(form))
    for (const name of ['APP_KEY', 'CLIENT_SECRET']) {
      const refused = await secret(name)
      assert.equal(refused.exit, 1)
      assert.equal(refused.stdout, '')
    }
  })

  test('a password comes from standard input, and ends what it opened before', async ({
    assert,
  }) => {
    const before = await asAdmin('start123')
    const { exit, stdout, stderr } = await ace(
      ['user:password', 'admin'],
      variables(),
      `${PASSWORD}\n`
    )

    assert.equal(exit, 0, stderr)
    assert.notInclude(stdout + stderr, PASSWORD)
    assert.isUndefined(await asAdmin('start123'))
    assert.isString(await asAdmin(PASSWORD))
    assert.equal((await call('/core/nodes', before!)).status, 401)
  })

  test('a password that is guessed first, and a user that is not there, are refused', async ({
    assert,
  }) => {
    const weak = await ace(['user:password', 'admin'], variables(), 'password123')
    const nobody = await ace(['user:password', 'nobody'], variables(), PASSWORD)

    assert.equal(weak.exit, 1)
    assert.include(weak.stdout + weak.stderr, 'nothing was changed')
    assert.equal(nobody.exit, 1)
    assert.include(nobody.stdout + nobody.stderr, 'no user nobody in the realm master')
    assert.isString(await asAdmin(PASSWORD))
  })

  test('old secrets of nodes are listed, and replaced without being shown', async ({ assert }) => {
    const token = (await asAdmin(PASSWORD))!
    const { data: realm } = await call('/auth/realms', token, { name: 'north' })
    const { data: node } = await call('/core/nodes', token, { name: 'north', realmId: realm.id })
    const read = () => call(`/core/nodes/${node.id}/client/credentials`, token)
    const { secret: first } = await read()
    const to = join(hub.folder, 'secrets.jsonl')

    const young = await ace(['credentials:rotate', '--older-than=1d', '--dry-run'], variables())
    const listed = await ace(['credentials:rotate', '--older-than=0m', '--dry-run'], variables())
    assert.include(young.stdout, 'no secret is that old')
    assert.include(listed.stdout, node.id)
    assert.equal((await read()).secret, first)

    const done = await ace(['credentials:rotate', '--older-than=0m', `--to=${to}`], variables())
    const { secret } = await read()
    assert.equal(done.exit, 0, done.stdout)
    assert.notEqual(secret, first)
    assert.notInclude(done.stdout + done.stderr, secret)
    assert.equal(JSON.parse(await readFile(to, 'utf8')).secret, secret)
    assert.equal((await stat(to)).mode & 0o777, 0o600)
    const client = { grant_type: 'client_credentials', client_id: node.clientId }
    assert.isString(await login({ ...client, client_secret: secret }))
    assert.isUndefined(await login({ ...client, client_secret: first }))

    const again = await ace(['credentials:rotate', '--older-than=5m', '--dry-run'], variables())
    assert.include(again.stdout, 'no secret is that old')
  })

  test('tokens are signed with a new key, and older ones end on request', async ({ assert }) => {
    const [former] = await publishedKeys()
    const token = (await asAdmin(PASSWORD))!
    assert.equal((await ace(['keys:rotate'], variables())).exit, 0)
    const both = await publishedKeys()
    assert.lengthOf(both, 2)
    assert.equal((await call('/core/nodes', token)).status, 200)

    assert.equal((await ace(['keys:rotate', '--forget'], variables())).exit, 0)
    const [only, ...others] = await publishedKeys()
    assert.isEmpty(others)
    assert.notInclude([former!.kid, ...both.map(({ kid }) => kid)], only!.kid)
  })

  test('a change of the application key that is killed again and again loses nothing', async ({
    assert,
    cleanup,
  }) => {
    const url = await locateEmbeddedPostgres(join(hub.folder, '.data', 'postgres'))
    const database = new pg.Pool({ connectionString: url! })
    cleanup(() => database.end())
    await storeSecrets(database)
    const changed = async () => {
      const { rows } = await database.query(
        'select count(*)::int as count from clients c join former f using (id) where c.secret <> f.secret'
      )
      return rows[0].count as number
    }
    const keys = variables({ APP_KEY: CURRENT, APP_KEY_PREVIOUS: FORMER })

    const before = await ace(['keys:rotate', '--app', '--dry-run'], keys)
    assert.equal(before.exit, 0, before.stdout + before.stderr)
    assert.match(before.stdout, /would do \d+ anew, and can read all of them/)
    for (const share of [0.1, 0.4, 0.7]) {
      const run = startAce(['keys:rotate', '--app'], keys)
      const hasEnded = run.ended.then(({ stdout }) => Promise.reject(new Error(stdout)))
      hasEnded.catch(() => {})
      const isUnderWay = async () => (await changed()) >= share * MANY
      await Promise.race([hub.until('some were sealed anew', isUnderWay), hasEnded])
      run.kill()
      assert.equal((await run.ended).exit, 'SIGKILL')
    }
    assert.isBelow(await changed(), MANY)
    const rest = await ace(['keys:rotate', '--app'], keys)
    const check = await ace(['keys:rotate', '--app', '--dry-run'], keys)

    assert.equal(rest.exit, 0, rest.stdout)
    assert.include(check.stdout, 'nothing needs APP_KEY_PREVIOUS any more')
    const sealing = new Sealing([CURRENT])
    const { rows } = await database.query(
      `select name, secret from clients where name like 'many %'`
    )
    assert.lengthOf(rows, MANY)
    assert.isTrue(
      rows.every(({ name, secret }) => sealing.unseal('client secret', secret) === name)
    )
    await database.query(`drop table former`)
  }).timeout(600_000)

  test('without the former key everything is there, the audit trail included', async ({
    assert,
  }) => {
    const url = await locateEmbeddedPostgres(join(hub.folder, '.data', 'postgres'))
    const verified = await ace(['audit:verify'], {
      ...variables({ APP_KEY: CURRENT }),
      DATABASE_URL: url!,
    })
    assert.equal(verified.exit, 0, verified.stdout + verified.stderr)
    assert.include(verified.stdout, 'intact')
  })

  /** Clients whose secrets are their names, and what stood in their place. */
  async function storeSecrets(database: pg.Pool): Promise<void> {
    const sealing = new Sealing([FORMER])
    const names = Array.from({ length: MANY }, (_, n) => `many ${n}`)
    await database.query(
      `insert into clients (id, name, secret, realm_id)
       select gen_random_uuid(), name, secret, (select id from realms where name = 'north')
       from unnest($1::text[], $2::text[]) as s (name, secret)`,
      [names, names.map((name) => sealing.seal('client secret', name))]
    )
    await database.query(
      'create table former as select id, secret from clients where secret is not null'
    )
  }
})
